//! Checks whether the proxy can be reached, and whether it connects to the API.

use std::env;
use std::io::{self, Read as _, Write as _};
use std::net::{TcpStream, ToSocketAddrs as _};
use std::time::Duration;

use super::check::Check;

/// The maximum time for a connection.
const PATIENCE: Duration = Duration::from_secs(5);

/// The address of the API, unless the environment names another address.
const API: &str = "https://api.anthropic.com";

/// A host and its port.
#[derive(Debug, PartialEq, Eq)]
struct Place {
    host: String,
    port: u16,
}

pub(super) async fn check(network: bool) -> Vec<Check> {
    // The functions that look up names and connect are blocking, so they run on another thread.
    let checks = tokio::task::spawn_blocking(move || checked(network)).await;
    checks.unwrap_or_default()
}

fn checked(network: bool) -> Vec<Check> {
    let named = ["HTTPS_PROXY", "https_proxy"].into_iter().find_map(|name| {
        let url = env::var(name).ok().filter(|url| !url.is_empty())?;
        Some((name, url))
    });
    let mut checks = Vec::new();
    let mut proxy = None;
    match named {
        None => checks.push(Check::good("proxy", "HTTPS_PROXY is not set")),
        Some((name, url)) => match place(&url) {
            // The message does not contain the URL, because the URL may contain a password.
            None => checks.push(Check::bad(
                "proxy",
                format!("{name} is not a URL of a proxy"),
                format!("Set {name} to a URL such as http://proxy.example.org:3128, or unset it."),
            )),
            Some(place) => {
                let at = format!("{name} is {}:{}", place.host, place.port);
                match connect(&place) {
                    Ok(_) => checks.push(Check::good("proxy", format!("{at}, which is reached"))),
                    Err(error) => checks.push(Check::bad(
                        "proxy",
                        format!("{at}, which is not reached: {error}"),
                        format!("Start the proxy, correct {name}, or unset it."),
                    )),
                }
                proxy = Some(place);
            }
        },
    }
    if network {
        checks.push(api(proxy.as_ref()));
    }
    checks
}

/// Checks whether the API can be reached.
fn api(proxy: Option<&Place>) -> Check {
    let url = env::var("ANTHROPIC_BASE_URL")
        .ok()
        .filter(|url| !url.is_empty());
    let Some(api) = place(url.as_deref().unwrap_or(API)) else {
        return Check::bad(
            "network",
            "ANTHROPIC_BASE_URL is not a URL",
            "Correct ANTHROPIC_BASE_URL, or unset it.",
        );
    };
    let at = format!("{}:{}", api.host, api.port);
    match proxy.map_or_else(|| connect(&api).map(drop), |proxy| through(proxy, &api)) {
        Ok(()) => Check::good("network", format!("{at} is reached")),
        Err(error) => Check::bad(
            "network",
            format!("{at} is not reached: {error}"),
            "Check the network, firewalls, and whether a proxy must be named in HTTPS_PROXY.",
        ),
    }
}

fn connect(place: &Place) -> io::Result<TcpStream> {
    let mut last = io::Error::from(io::ErrorKind::NotFound);
    for address in (&*place.host, place.port).to_socket_addrs()? {
        match TcpStream::connect_timeout(&address, PATIENCE) {
            Ok(stream) => return Ok(stream),
            Err(error) => last = error,
        }
    }
    Err(last)
}

/// Checks whether the proxy connects to the API. Reads only the proxy's response to CONNECT.
fn through(proxy: &Place, api: &Place) -> io::Result<()> {
    let mut stream = connect(proxy)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    let at = format!("{}:{}", api.host, api.port);
    write!(stream, "CONNECT {at} HTTP/1.1\r\nHost: {at}\r\n\r\n")?;
    let mut answer = [0; 12];
    stream.read_exact(&mut answer)?;
    match &answer[9..] {
        [b'2', ..] => Ok(()),
        // This code comes from the proxy itself and not from the API.
        b"407" => Err(io::Error::other(
            "the proxy wants a login, which claw does not send",
        )),
        code => {
            let code = String::from_utf8_lossy(code);
            Err(io::Error::other(format!("the proxy answers {code}")))
        }
    }
}

/// Returns the host and port of an HTTP URL. Returns `None` for any other text.
fn place(url: &str) -> Option<Place> {
    let (default, rest) = match url.split_once("://") {
        Some(("https", rest)) => (443, rest),
        Some(("http", rest)) => (80, rest),
        Some(_) => return None,
        None => (80, url),
    };
    let authority = rest.split(['/', '?', '#']).next()?;
    let authority = authority.rsplit('@').next()?;
    let (host, port) = match authority.rsplit_once(':') {
        Some((host, port)) if !port.ends_with(']') => (host, port.parse().ok()?),
        _ => (authority, default),
    };
    let host = host.trim_start_matches('[').trim_end_matches(']');
    (!host.is_empty() && !host.contains(char::is_whitespace)).then(|| Place {
        host: host.to_owned(),
        port,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_url_has_a_host_and_a_port() {
        for (url, expected) in [
            ("http://proxy:3128", Some(("proxy", 3128))),
            ("http://me:pass@proxy:3128/", Some(("proxy", 3128))),
            ("https://proxy", Some(("proxy", 443))),
            ("proxy:8080", Some(("proxy", 8080))),
            ("http://[::1]:3128", Some(("::1", 3128))),
            ("http://[::1]", Some(("::1", 80))),
            ("socks5://proxy:1080", None),
            ("http://", None),
            ("http://proxy:port", None),
        ] {
            let found = place(url);
            let found = found.as_ref().map(|place| (&*place.host, place.port));
            assert_eq!(found, expected, "{url}");
        }
    }
}

//! The server behind a reverse proxy, and requests that two readers may read differently.

use claw_server::PublicUrl;
use claw_testkit::agent::Script;
use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::client::{KEY, Running, soon};

/// All that comes back until the server closes the connection.
async fn exchange(running: &Running, request: &str) -> String {
    let mut stream = TcpStream::connect(running.address).await.unwrap();
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = Vec::new();
    let _ = soon(stream.read_to_end(&mut answer)).await;
    String::from_utf8_lossy(&answer).into_owned()
}

/// How many responses there are, and the status of the first.
fn statuses(answer: &str) -> Vec<u16> {
    let after = answer.split("HTTP/1.1 ").skip(1);
    after.map(|rest| rest[..3].parse().unwrap()).collect()
}

#[tokio::test]
async fn a_request_that_two_readers_may_end_elsewhere_is_the_last_of_its_connection() {
    // A connection that is kept open ends soon.
    let short = std::time::Duration::from_millis(100);
    let running = Running::start_as(Script::reply("Hi."), |builder| {
        builder.connections(|connections| connections.head = short)
    })
    .await;
    let (host, token) = (running.address, running.server.token().expose());
    let own = format!(
        "Host: {host}\r\nAuthorization: Bearer {token}\r\nContent-Type: application/json\r\n"
    );
    // What somebody hides for whoever comes next.
    let hidden = format!("POST /api/logins HTTP/1.1\r\n{own}Content-Length: 0\r\n\r\n");
    let chunks = "2\r\n{}\r\n0\r\n\r\n";
    let length = hidden.len() + chunks.len();
    for (lengths, body) in [
        // A length and chunks: the chunks end first.
        (
            format!("Content-Length: {length}\r\nTransfer-Encoding: chunked\r\n"),
            format!("{chunks}{hidden}"),
        ),
        (
            format!("Transfer-Encoding: chunked\r\nContent-Length: {length}\r\n"),
            format!("{chunks}{hidden}"),
        ),
        // Two lengths.
        (
            format!("Content-Length: 0\r\nContent-Length: {}\r\n", hidden.len()),
            hidden.clone(),
        ),
        (
            format!("Content-Length: 0, {}\r\n", hidden.len()),
            hidden.clone(),
        ),
        ("Content-Length: +0\r\n".to_owned(), hidden.clone()),
        // Chunks by other names.
        (
            "Transfer-Encoding: xchunked\r\n".to_owned(),
            format!("{chunks}{hidden}"),
        ),
        (
            "Transfer-Encoding: chunked, identity\r\n".to_owned(),
            format!("{chunks}{hidden}"),
        ),
        (
            "Transfer-Encoding : chunked\r\n".to_owned(),
            format!("{chunks}{hidden}"),
        ),
        // A line that is a header for one and part of another for the other.
        (
            format!("X-A: b\r\n Content-Length: {}\r\n", hidden.len()),
            hidden.clone(),
        ),
        (
            format!("X-A: b\rContent-Length: {}\r\n", hidden.len()),
            hidden.clone(),
        ),
        ("X-A: b\0c\r\n".to_owned(), hidden.clone()),
    ] {
        let request = format!("POST /api/sessions HTTP/1.1\r\n{own}{lengths}\r\n{body}");
        let answer = exchange(&running, &request).await;
        let statuses = statuses(&answer);
        assert!(statuses.len() <= 1, "{lengths:?}: {answer}");
        assert!(!answer.contains("/login/"), "{lengths:?}: {answer}");
    }
    running.end().await;
}

#[tokio::test]
async fn a_request_whose_address_says_another_name_than_its_host_is_refused() {
    let running = Running::start(Script::reply("Hi.")).await;
    let (host, token) = (running.address, running.server.token().expose());
    let own = format!("Authorization: Bearer {token}\r\nConnection: close\r\n");
    for (target, host) in [
        (
            format!("http://{host}/api/projects"),
            "evil.example".to_owned(),
        ),
        (
            "http://evil.example/api/projects".to_owned(),
            host.to_string(),
        ),
        ("//evil.example/api/projects".to_owned(), host.to_string()),
        ("evil.example:80".to_owned(), host.to_string()),
        (format!("http://user@{host}/api/projects"), host.to_string()),
    ] {
        let request = format!("GET {target} HTTP/1.1\r\nHost: {host}\r\n{own}\r\n");
        let answer = exchange(&running, &request).await;
        let status = statuses(&answer)[0];
        assert!([400, 403, 404].contains(&status), "{target}: {answer}");
    }
    let request = format!("GET http://{host}/api/projects HTTP/1.1\r\nHost: {host}\r\n{own}\r\n");
    assert_eq!(statuses(&exchange(&running, &request).await), [200]);
    running.end().await;
}

#[tokio::test]
async fn headers_of_proxies_change_nothing() {
    let running = Running::start(Script::reply("Hi.")).await;
    let host = running.address;
    for header in [
        "X-Forwarded-Host: evil.example",
        "X-Forwarded-Proto: https",
        "X-Forwarded-For: 127.0.0.1",
        "X-Real-IP: 127.0.0.1",
        "Forwarded: for=127.0.0.1;host=evil.example;proto=https",
        "X-Original-URL: /health",
        "X-Rewrite-URL: /health",
        "X-HTTP-Method-Override: GET",
    ] {
        let ask = async |method: &str, path: &str| {
            let request = format!(
                "{method} {path} HTTP/1.1\r\nHost: {host}\r\n{KEY}{header}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
            );
            running.raw(&request).await
        };
        assert_eq!(ask("GET", "/api/projects").await.status, 401, "{header}");
        let login = ask("POST", &running.server.login_path()).await;
        assert_eq!(login.status, 204, "{header}");
        assert!(!login.header("set-cookie").unwrap().contains("Secure"));
    }
    running.end().await;
}

#[tokio::test]
async fn behind_a_proxy_with_tls_pages_are_of_its_address_and_cookies_are_secure() {
    let public = PublicUrl::new("https://Claw.example.org:443/").unwrap();
    assert_eq!(public.to_string(), "https://claw.example.org");
    let running =
        Running::start_as(Script::reply("Hi."), |builder| builder.public_url(public)).await;
    let made = running.ask("POST", "/api/logins", &Value::Null).await;
    assert_eq!(made.status, 201, "{}", made.body);
    let path = made.json()["path"].as_str().unwrap().to_owned();
    let ask = async |method: &str, path: &str, host: &str, more: &str| {
        let request = format!(
            "{method} {path} HTTP/1.1\r\nHost: {host}\r\n{more}Content-Length: 0\r\nConnection: close\r\n\r\n"
        );
        running.raw(&request).await
    };
    let login = ask("POST", &path, "claw.example.org", KEY).await;
    let cookie = login.header("set-cookie").unwrap().to_owned();
    assert!(cookie.ends_with("; Secure"), "{cookie}");
    let cookie = format!("Cookie: {}\r\n", cookie.split(';').next().unwrap());
    let close = async |host: &str, origin: &str| {
        let more = format!("{cookie}{KEY}Origin: {origin}\r\n");
        ask("POST", "/api/sessions/x/close", host, &more)
            .await
            .status
    };
    assert_eq!(
        close("claw.example.org", "https://claw.example.org").await,
        404
    );
    for origin in [
        "http://claw.example.org",
        "https://claw.example.org.evil.example",
        "https://evil.example",
        "null",
    ] {
        assert_eq!(close("claw.example.org", origin).await, 403, "{origin}");
    }
    for host in [
        "evil.example",
        "x.claw.example.org",
        "claw.example.org:8443",
    ] {
        assert_eq!(close(host, &format!("https://{host}")).await, 403, "{host}");
    }
    running.end().await;
}

#[test]
fn a_public_address_has_a_name() {
    for text in [
        "claw.example.org",
        "ftp://claw.example.org",
        "https://",
        "https://claw.example.org/?q",
        "https://user@claw.example.org",
        "/",
        "",
    ] {
        assert_eq!(PublicUrl::new(text), None, "{text:?}");
    }
    assert!(PublicUrl::new("http://localhost:8080").is_some());
}

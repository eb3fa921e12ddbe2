//! Users whom a proxy has identified. The proxy writes the user's name into a header.

use std::net::{IpAddr, SocketAddr};
use std::str::FromStr;

use axum::extract::{ConnectInfo, Request};
use axum::http::{HeaderName, StatusCode};

use super::single_value;
use crate::api::Refusal;

/// Headers that already have another meaning. They cannot contain the user's name.
const OTHERS: [&str; 12] = [
    "authorization",
    "connection",
    "content-length",
    "content-type",
    "cookie",
    "host",
    "origin",
    "sec-fetch-site",
    "transfer-encoding",
    "upgrade",
    "x-claw-key",
    "x-claw-viewer",
];

/// A proxy in front of the server. The proxy logs people in, and writes the user's name into a header of each request,
/// such as `X-Forwarded-Email` or `Tailscale-User-Login`.
///
/// The header is accepted only on connections from the addresses of the proxy. The server refuses a request with the
/// header from any other address. It also refuses an empty header, two such headers, and a name that no
/// [user](crate::Users) has. If untrusted programs run on the proxy's machine, the proxy needs a separate address,
/// because such programs also connect from loopback.
///
/// [`Server::serve`](crate::Server::serve) knows the addresses of connections. A program that serves the
/// [router](crate::Server::router) itself must add them with axum's `into_make_service_with_connect_info`. Without
/// them, the header is refused.
///
/// ```
/// use claw_server::TrustedProxy;
///
/// let proxy = TrustedProxy::new("X-Forwarded-Email", ["10.0.3.7", "fd00::/8"])?;
/// # let _ = proxy;
/// # Ok::<_, claw_server::InvalidProxy>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TrustedProxy {
    header: HeaderName,
    addresses: Vec<Addresses>,
}

/// The reason why a [`TrustedProxy`] cannot be created.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InvalidProxy {
    /// The text is not the name of a header, or the header has another meaning.
    #[error("{0:?} is no header for the name of a user")]
    Header(String),
    /// The text is neither an IP address nor a range such as `10.0.0.0/8`.
    #[error("{0:?} is neither an IP address nor a range such as 10.0.0.0/8")]
    Address(String),
    /// The list of addresses is empty.
    #[error("a trusted proxy needs an address")]
    NoAddress,
}

impl TrustedProxy {
    /// Creates a proxy from the name of its header and from its addresses. An address is an IP address or a range such
    /// as `10.0.0.0/8`.
    ///
    /// # Errors
    ///
    /// Fails if the header has another meaning, such as `Cookie`, if an address is invalid, or if there is no address.
    pub fn new<'a>(
        header: &str,
        addresses: impl IntoIterator<Item = &'a str>,
    ) -> Result<Self, InvalidProxy> {
        let name = HeaderName::from_str(header).ok();
        let name = name.filter(|name| !OTHERS.contains(&name.as_str()));
        let name = name.ok_or_else(|| InvalidProxy::Header(header.to_owned()))?;
        let range = |text: &str| {
            let range = Addresses::new(text);
            range.ok_or_else(|| InvalidProxy::Address(text.to_owned()))
        };
        let addresses: Vec<_> = addresses.into_iter().map(range).collect::<Result<_, _>>()?;
        if addresses.is_empty() {
            return Err(InvalidProxy::NoAddress);
        }
        Ok(Self {
            header: name,
            addresses,
        })
    }

    /// Returns whether a request has the header.
    pub(super) fn is_in(&self, request: &Request) -> bool {
        request.headers().contains_key(&self.header)
    }

    /// Returns the user's name from the proxy's header of a request. Returns `None` if the request does not have the
    /// header. Refuses the request if the header did not come from an address of the proxy.
    pub(super) fn user<'a>(&self, request: &'a Request) -> Result<Option<&'a str>, Refusal> {
        let Some(name) = single_value(request.headers(), &self.header)? else {
            return Ok(None);
        };
        let peer = request.extensions().get::<ConnectInfo<SocketAddr>>();
        let is_trusted = |address: IpAddr| self.addresses.iter().any(|all| all.has(address));
        if !peer.is_some_and(|ConnectInfo(peer)| is_trusted(peer.ip())) {
            return Err(forbidden("the name of a user came from no trusted proxy"));
        }
        Ok(Some(name))
    }
}

/// Creates the refusal of a request whose header is not accepted.
pub(super) fn forbidden(message: &str) -> Refusal {
    Refusal::new(StatusCode::FORBIDDEN, "proxy", message)
}

/// A range of addresses with the same first bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Addresses {
    first: IpAddr,
    bits: u32,
}

impl Addresses {
    fn new(text: &str) -> Option<Self> {
        let (first, bits) = match text.split_once('/') {
            Some((first, bits)) => (first, Some(bits)),
            None => (text, None),
        };
        let first: IpAddr = first.parse().ok()?;
        let most = if first.is_ipv4() { 32 } else { 128 };
        let bits = match bits {
            Some(bits) if bits.bytes().all(|byte| byte.is_ascii_digit()) => bits.parse().ok()?,
            Some(_) => return None,
            None => most,
        };
        (bits <= most).then_some(Self { first, bits })
    }

    /// Returns whether an address is in the range. A socket for both protocols reports an IPv4 address in the form of
    /// an IPv6 address, so that form is converted first.
    fn has(self, address: IpAddr) -> bool {
        match (self.first, address.to_canonical()) {
            (IpAddr::V4(first), IpAddr::V4(it)) => {
                let mask = u32::MAX.checked_shl(32 - self.bits).unwrap_or(0);
                first.to_bits() & mask == it.to_bits() & mask
            }
            (IpAddr::V6(first), IpAddr::V6(it)) => {
                let mask = u128::MAX.checked_shl(128 - self.bits).unwrap_or(0);
                first.to_bits() & mask == it.to_bits() & mask
            }
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_has_the_addresses_with_its_first_bits() {
        for (range, inside, outside) in [
            ("10.0.0.0/8", "10.255.0.1", "11.0.0.0"),
            ("10.1.2.3", "10.1.2.3", "10.1.2.2"),
            ("10.1.2.3/32", "::ffff:10.1.2.3", "::ffff:10.1.2.4"),
            ("192.168.1.128/25", "192.168.1.255", "192.168.1.127"),
            ("fd00::/8", "fdff::1", "fe00::"),
            ("::1", "::1", "::2"),
            ("0.0.0.0/0", "255.255.255.255", "::1"),
            ("::/0", "ffff::", "127.0.0.1"),
        ] {
            let range = Addresses::new(range).unwrap();
            assert!(range.has(inside.parse().unwrap()), "{range:?} {inside}");
            assert!(!range.has(outside.parse().unwrap()), "{range:?} {outside}");
        }
        for bad in [
            "",
            "/8",
            "10.0.0.0/",
            "10.0.0.0/33",
            "::1/129",
            "10.0.0/8",
            "10.0.0.0/+8",
            "10.0.0.0/8/8",
            "localhost",
            "10.0.0.1:80",
        ] {
            assert_eq!(Addresses::new(bad), None, "{bad}");
        }
    }

    #[test]
    fn a_header_with_another_meaning_has_no_users() {
        let new = |header| TrustedProxy::new(header, ["::1"]);
        for header in [
            "",
            "a b",
            "Cookie",
            "HOST",
            "authorization",
            "X-Claw-Viewer",
        ] {
            let invalid = InvalidProxy::Header(header.to_owned());
            assert_eq!(new(header), Err(invalid));
        }
        assert!(new("X-Forwarded-Email").is_ok());
        let none = TrustedProxy::new("X-Forwarded-Email", []);
        assert_eq!(none, Err(InvalidProxy::NoAddress));
    }
}

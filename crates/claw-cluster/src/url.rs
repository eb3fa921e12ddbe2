//! The address of a host.

use std::fmt;

use http::HeaderValue;
use http::uri::{Authority, Scheme, Uri};

/// The address at which the other hosts of a store reach a host, such as `http://10.0.0.5:8000`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostUrl(Authority);

impl HostUrl {
    /// Reads an address. It consists of `http://`, a name or an IP address, and a port if it is not 80. Returns `None`
    /// for any other text. Hosts use plain HTTP among each other.
    pub fn new(text: &str) -> Option<Self> {
        let uri: Uri = text.parse().ok()?;
        let is_plain = matches!(uri.path(), "" | "/") && uri.query().is_none();
        let authority = uri.authority()?;
        let is_named = !authority.host().is_empty() && !authority.as_str().contains('@');
        let is_http = uri.scheme() == Some(&Scheme::HTTP);
        (is_plain && is_named && is_http).then(|| Self(authority.clone()))
    }

    /// Returns the name or IP address, and the port. An IPv6 address has no brackets.
    pub fn socket(&self) -> (&str, u16) {
        let host = self.0.host();
        let host = host.strip_prefix('[').unwrap_or(host);
        let host = host.strip_suffix(']').unwrap_or(host);
        (host, self.0.port_u16().unwrap_or(80))
    }

    /// Returns the value of the header `Host`.
    pub(crate) fn authority(&self) -> Option<HeaderValue> {
        HeaderValue::from_str(self.0.as_str()).ok()
    }
}

impl fmt::Display for HostUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "http://{}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_plain_http_and_has_no_path() {
        for (text, socket) in [
            ("http://10.0.0.5:8000", ("10.0.0.5", 8000)),
            ("http://worker-1/", ("worker-1", 80)),
            ("http://[::1]:8000", ("::1", 8000)),
        ] {
            assert_eq!(HostUrl::new(text).unwrap().socket(), socket, "{text}");
        }
        for text in [
            "",
            "10.0.0.5:8000",
            "https://10.0.0.5",
            "http://user@10.0.0.5",
            "http://10.0.0.5/a",
            "http://10.0.0.5/?a",
            "file:///etc/passwd",
            "http://",
        ] {
            assert_eq!(HostUrl::new(text), None, "{text}");
        }
    }
}

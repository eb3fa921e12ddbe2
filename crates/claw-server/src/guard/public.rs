//! The address by which a server is reached through a reverse proxy.

use axum::http::uri::{Scheme, Uri};

/// The public address of a server, such as `https://claw.example.org`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PublicUrl {
    is_https: bool,
    /// The name and, if it is not the scheme's own, the port, in lower case.
    authority: String,
}

impl PublicUrl {
    /// Reads an address: `https://` or `http://`, a name, and a port if it is not the scheme's default. Returns
    /// `None` for any other text, and for an address with a path, because the server's routes begin at the root.
    pub fn new(text: &str) -> Option<Self> {
        let uri: Uri = text.parse().ok()?;
        let is_https = *uri.scheme()? == Scheme::HTTPS;
        let authority = uri.authority()?;
        let is_plain = matches!(uri.path(), "" | "/") && uri.query().is_none();
        let is_known = is_https || *uri.scheme()? == Scheme::HTTP;
        let is_named = !authority.host().is_empty() && !authority.as_str().contains('@');
        let own = if is_https { ":443" } else { ":80" };
        let authority = authority.as_str().to_ascii_lowercase();
        let authority = authority.strip_suffix(own).unwrap_or(&authority).to_owned();
        (is_plain && is_known && is_named).then_some(Self {
            is_https,
            authority,
        })
    }

    /// The name, without a port.
    pub(crate) fn name(&self) -> String {
        super::name(&self.authority)
    }

    /// Whether a request with this header `Host` came by the public address. A proxy passes on what it was asked for.
    pub(super) fn is(&self, host: &str) -> bool {
        host.eq_ignore_ascii_case(&self.authority)
    }

    /// Whether a page of this origin is the server's own.
    pub(super) fn is_origin(&self, origin: &str) -> bool {
        origin.eq_ignore_ascii_case(&self.to_string())
    }

    /// Whether browsers come with TLS.
    pub(super) fn is_https(&self) -> bool {
        self.is_https
    }
}

impl std::fmt::Display for PublicUrl {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let scheme = if self.is_https { "https" } else { "http" };
        write!(f, "{scheme}://{}", self.authority)
    }
}

//! The address at which a server is reached through a reverse proxy.

use axum::http::uri::{Scheme, Uri};

use crate::base::Base;

/// The public address of a server, such as `https://claw.example.org` or `https://example.org/agents`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PublicUrl {
    is_https: bool,
    /// The host name in lower case, with the port if it is not the scheme's default.
    authority: String,
    base: Base,
}

impl PublicUrl {
    /// Reads an address. It consists of `https://` or `http://`, a name, a port if it is not the scheme's default, and
    /// the path under which a proxy serves the server, if that is not the root. The path has one or more segments of
    /// letters, digits, `-`, `_`, `.` and `~`. Returns `None` for any other text.
    pub fn new(text: &str) -> Option<Self> {
        let uri: Uri = text.parse().ok()?;
        let is_https = *uri.scheme()? == Scheme::HTTPS;
        let authority = uri.authority()?;
        let base = Base::new(uri.path())?;
        let is_plain = uri.query().is_none() && !text.contains('#');
        let is_known = is_https || *uri.scheme()? == Scheme::HTTP;
        let is_named = !authority.host().is_empty() && !authority.as_str().contains('@');
        let own = if is_https { ":443" } else { ":80" };
        let authority = authority.as_str().to_ascii_lowercase();
        let authority = authority.strip_suffix(own).unwrap_or(&authority).to_owned();
        (is_plain && is_known && is_named).then_some(Self {
            is_https,
            authority,
            base,
        })
    }

    /// Returns the name, without the port.
    pub(crate) fn name(&self) -> String {
        super::name(&self.authority)
    }

    /// Returns whether a request with this header `Host` was sent to the public address. The proxy forwards the header
    /// unchanged.
    pub(super) fn is(&self, host: &str) -> bool {
        host.eq_ignore_ascii_case(&self.authority)
    }

    /// Returns whether a page with this origin belongs to the server.
    pub(super) fn is_origin(&self, origin: &str) -> bool {
        let authority = origin
            .strip_prefix(self.scheme())
            .and_then(|rest| rest.strip_prefix("://"));
        authority.is_some_and(|authority| self.is(authority))
    }

    /// Returns the path prefix under which browsers reach the server.
    pub(crate) fn base(&self) -> &Base {
        &self.base
    }

    fn scheme(&self) -> &'static str {
        if self.is_https { "https" } else { "http" }
    }

    /// Returns whether browsers connect with TLS.
    pub(super) fn is_https(&self) -> bool {
        self.is_https
    }
}

impl std::fmt::Display for PublicUrl {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (scheme, base) = (self.scheme(), self.base.as_str());
        write!(f, "{scheme}://{}{base}", self.authority)
    }
}

//! The path prefix under which browsers reach a server.

use std::convert::Infallible;
use std::sync::Arc;

use axum::extract::{FromRequestParts, OriginalUri, Request};
use axum::http::request::Parts;

/// The prefix of all paths of the server, such as `/agents`. Empty if the server has no prefix. The prefix contains
/// only characters that need no escaping in markup, scripts and headers.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Base(Arc<str>);

impl Base {
    /// Reads a prefix from a path. Ignores a `/` at the end of the path. Returns `None` if the path contains characters
    /// that must be escaped.
    pub(crate) fn new(path: &str) -> Option<Self> {
        let path = path.strip_suffix('/').unwrap_or(path);
        let is_plain = |segment: &str| {
            let is_known = |byte: u8| {
                byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b'~')
            };
            segment.bytes().all(is_known) && !matches!(segment, "" | "." | "..")
        };
        let is_path = path.is_empty()
            || path
                .strip_prefix('/')
                .is_some_and(|segments| segments.split('/').all(is_plain));
        is_path.then(|| Self(path.into()))
    }

    /// Returns the prefix that outer routers have removed from the path of a request before this router received it.
    pub(crate) fn of_request(request: &Request) -> Self {
        let inner = request.uri().path();
        let original = request.extensions().get::<OriginalUri>();
        let removed = original.and_then(|OriginalUri(original)| {
            let original = original.path();
            // A nested router also receives `/` if the original path is the prefix itself, with or without a `/` at its end.
            // The prefix is then the whole original path.
            let root = (inner == "/").then_some(original);
            original.strip_suffix(inner).or(root)
        });
        removed.and_then(Self::new).unwrap_or_default()
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the path of the page of all sessions.
    pub(crate) fn home(&self) -> &str {
        if self.0.is_empty() { "/" } else { &self.0 }
    }

    /// Adds the prefix to the links of a page. A link is recognised by `="/`, because all links begin at the root. Texts of a
    /// session cannot contain `="/`, because quotation marks in them are escaped.
    pub(crate) fn rebase(&self, page: String) -> String {
        if self.0.is_empty() {
            return page;
        }
        let mut parts = page.split("=\"/");
        let mut rebased = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            rebased.push_str("=\"");
            rebased.push_str(&self.0);
            // The link to the page of all sessions becomes the prefix itself, without a `/` at its end. A nested router
            // has no route for the prefix with a `/` at its end.
            if !part.starts_with(['"', '?']) {
                rebased.push('/');
            }
            rebased.push_str(part);
        }
        rebased
    }
}

impl<S: Sync> FromRequestParts<S> for Base {
    type Rejection = Infallible;

    /// Reads the prefix from the extensions of the request. The guard has added it there.
    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Infallible> {
        Ok(parts.extensions.get::<Self>().cloned().unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_base_is_a_plain_path() {
        for (given, read) in [
            ("", ""),
            ("/", ""),
            ("/agents", "/agents"),
            ("/a/b-c_d.e~/", "/a/b-c_d.e~"),
        ] {
            assert_eq!(Base::new(given).unwrap().as_str(), read, "{given}");
        }
        for given in [
            "agents",
            "//evil.example",
            "/a//b",
            "/a/..",
            "/a\"b",
            "/a%22",
            "/a<b",
            "/ä",
            "/a/;",
        ] {
            assert_eq!(Base::new(given), None, "{given}");
        }
    }

    #[test]
    fn links_of_a_page_begin_at_the_base() {
        let page =
            r#"<a href="/">Up</a><a href="/?a=1"><a href="/s/x"><a href=""><a href=./m>=&quot;/x"#;
        let rebased = Base::new("/agents").unwrap().rebase(page.to_owned());
        let expected = r#"<a href="/agents">Up</a><a href="/agents?a=1"><a href="/agents/s/x"><a href=""><a href=./m>=&quot;/x"#;
        assert_eq!(rebased, expected);
        assert_eq!(Base::default().rebase(page.to_owned()), page);
    }
}

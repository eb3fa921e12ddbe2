//! Opens a store by its URL.

use std::sync::Arc;

use crate::adapter::{Foreign, Scheme};
use crate::{MemoryStore, ReadSessions, SessionStore, StoreError};

/// Opens the store that a URL names, with the default settings of its adapter. `schemes` contains the schemes of the
/// program's adapters.
///
/// | URL | store |
/// | --- | --- |
/// | `memory:` | [`MemoryStore`], a new one |
/// | `/folder`, `./folder`, `file:///folder` | `FsStore`, with the feature `fs` |
/// | `postgres://user@host/database`, `postgresql://…` | that of the scheme `claw_store_postgres::SCHEME` |
/// | `redis://host/0` | that of the scheme `claw_store_redis::SCHEME` |
/// | any other | that of a scheme with this name |
///
/// The crate claw-store-bucket has no scheme, because your program creates the bucket's client. The schemes of Postgres
/// and Redis connect with TLS if the URL requires it. For that, the adapter needs its feature `tls`.
///
/// A URL with a password is a secret: it belongs neither on a command line nor in a log.
///
/// # Errors
///
/// Fails with [`StoreError::Refused`] if the kind of URL is unknown, or if the URL is a folder and the feature `fs` is
/// disabled. Also fails with the errors of the adapter. No error contains the URL.
pub async fn open(url: &str, schemes: &[Scheme]) -> Result<Arc<dyn SessionStore>, StoreError> {
    let (name, rest) = parts(url);
    match name {
        "memory" if rest.is_empty() => Ok(Arc::new(MemoryStore::new())),
        #[cfg(feature = "fs")]
        "" | "file" if !rest.is_empty() => Ok(Arc::new(crate::FsStore::new(folder(name, rest)?))),
        #[cfg(not(feature = "fs"))]
        "" | "file" if !rest.is_empty() => Err(StoreError::refused(
            "stores in folders need claw-store's feature fs, which is not built in",
        )),
        _ => match schemes.iter().find(|scheme| scheme.names().contains(&name)) {
            Some(scheme) => scheme.open(url).await,
            None => Err(none_of("memory:, file:///folder, a path", schemes.iter())),
        },
    }
}

/// Opens a store that the example adapter of an official SDK has written. Use it with
/// [`copy_session`](crate::copy_session). `schemes` contains the schemes of the program's adapters.
///
/// # Errors
///
/// Fails with [`StoreError::Refused`] if the kind of URL is unknown, or if its scheme has no such stores. Also fails
/// with the errors of the adapter. No error contains the URL.
pub async fn open_foreign(
    url: &str,
    layout: Foreign<'_>,
    schemes: &[Scheme],
) -> Result<Arc<dyn ReadSessions>, StoreError> {
    let (name, _) = parts(url);
    let scheme = schemes.iter().find(|scheme| scheme.names().contains(&name));
    if let Some(open) = scheme.and_then(Scheme::opens_foreign) {
        return open(url, layout).await;
    }
    let foreign = schemes
        .iter()
        .filter(|scheme| scheme.opens_foreign().is_some());
    Err(none_of("those of the official SDKs' examples", foreign))
}

/// Returns the error for a URL of an unknown kind. `known` describes the URLs that need no scheme, such as paths of
/// folders.
fn none_of<'a>(known: &str, schemes: impl Iterator<Item = &'a Scheme>) -> StoreError {
    let mut text = format!("its URL is none of {known}");
    for name in schemes.filter_map(|scheme| scheme.names().first()) {
        text.push_str(", ");
        text.push_str(name);
        text.push_str("://");
    }
    StoreError::refused(text)
}

/// Splits a URL into the scheme and the rest. A path has no scheme. A single letter before the colon is not a scheme
/// but a drive of Windows, as in `C:\folder`.
fn parts(url: &str) -> (&str, &str) {
    let is_scheme = |text: &str| {
        text.len() > 1
            && text.starts_with(|c: char| c.is_ascii_alphabetic())
            && text
                .bytes()
                .all(|c| c.is_ascii_alphanumeric() || b"+-.".contains(&c))
    };
    match url.split_once(':') {
        Some((scheme, rest)) if is_scheme(scheme) => (scheme, rest),
        _ => ("", url),
    }
}

/// Returns the folder of a path or of a URL with the scheme `file`.
#[cfg(feature = "fs")]
fn folder(scheme: &str, rest: &str) -> Result<String, StoreError> {
    if scheme.is_empty() {
        return Ok(rest.to_owned());
    }
    of_file_url(rest).ok_or_else(|| {
        StoreError::refused("a file URL has an absolute path, such as file:///folder")
    })
}

/// Returns the path of a `file:` URL. `rest` is the part after `file:`.
#[cfg(feature = "fs")]
fn of_file_url(rest: &str) -> Option<String> {
    let path = rest.strip_prefix("//").unwrap_or(rest);
    let path = path.strip_prefix("localhost").unwrap_or(path);
    let path = crate::adapter::names::decoded(path.strip_prefix('/')?)?;
    // On Windows, the path can begin with a drive, as in `file:///C:/folder`.
    let is_drive = path.as_bytes().get(1) == Some(&b':');
    Some(if cfg!(windows) && is_drive {
        path.into_owned()
    } else {
        format!("/{path}")
    })
}

#[cfg(test)]
mod tests {
    use futures::executor::block_on;
    use futures::future::{BoxFuture, FutureExt as _, ready};

    use super::*;
    use crate::adapter::Sdk;

    #[test]
    fn a_path_is_no_scheme() {
        assert_eq!(parts("/a:b"), ("", "/a:b"));
        assert_eq!(parts(r"C:\stores"), ("", r"C:\stores"));
        assert_eq!(parts("./postgres"), ("", "./postgres"));
        assert_eq!(parts("postgres://x@y/z"), ("postgres", "//x@y/z"));
        assert_eq!(parts("memory:"), ("memory", ""));
    }

    #[cfg(feature = "fs")]
    #[test]
    fn a_file_url_is_a_path() {
        assert_eq!(of_file_url("///a%20b/c").as_deref(), Some("/a b/c"));
        assert_eq!(of_file_url("//localhost/a").as_deref(), Some("/a"));
        assert_eq!(of_file_url("/a").as_deref(), Some("/a"));
        assert_eq!(of_file_url("//host/a"), None);
        assert_eq!(of_file_url("a"), None);
    }

    #[test]
    fn a_scheme_opens_the_urls_with_its_names() {
        fn never(_: &str) -> BoxFuture<'_, Result<Arc<dyn SessionStore>, StoreError>> {
            ready(Err(StoreError::refused("the first scheme"))).boxed()
        }
        fn memory(_: &str) -> BoxFuture<'_, Result<Arc<dyn SessionStore>, StoreError>> {
            ready(Ok(Arc::new(MemoryStore::new()) as _)).boxed()
        }
        let schemes = [
            Scheme::new(&["one", "first"], never),
            Scheme::new(&["two"], memory),
        ];
        let opened = |url| block_on(open(url, &schemes));
        assert!(opened("two://x").is_ok());
        for url in ["one://x", "first:x"] {
            let error = opened(url).unwrap_err();
            assert_eq!(error.to_string(), "the store refuses: the first scheme");
        }
        let error = opened("three://user:secret@host").unwrap_err().to_string();
        assert!(error.ends_with("a path, one://, two://"), "{error}");
        assert!(!error.contains("secret"), "{error}");
        assert!(opened("memory:secret").is_err());
    }

    #[test]
    fn a_scheme_without_foreign_stores_opens_none() {
        fn own(_: &str) -> BoxFuture<'_, Result<Arc<dyn SessionStore>, StoreError>> {
            ready(Err(StoreError::refused("its own store"))).boxed()
        }
        fn foreign<'a>(
            _: &'a str,
            layout: Foreign<'a>,
        ) -> BoxFuture<'a, Result<Arc<dyn ReadSessions>, StoreError>> {
            assert_eq!(layout.name, Some("entries"));
            ready(Ok(Arc::new(MemoryStore::new()) as _)).boxed()
        }
        let schemes = [
            Scheme::new(&["one"], own).foreign(foreign),
            Scheme::new(&["two"], own),
        ];
        let layout = Foreign {
            sdk: Sdk::Python,
            name: Some("entries"),
        };
        let opened = |url| block_on(open_foreign(url, layout, &schemes));
        assert!(opened("one://x").is_ok());
        let error = opened("two://user:secret@host").unwrap_err().to_string();
        assert!(error.ends_with("examples, one://"), "{error}");
        assert!(!error.contains("secret"), "{error}");
    }
}

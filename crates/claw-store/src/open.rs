//! Opens a store by its URL.

use std::sync::Arc;

use crate::{MemoryStore, SessionStore, StoreError};

/// Opens the store that a URL names, with the default settings of its adapter.
///
/// | URL | store | feature |
/// | --- | --- | --- |
/// | `memory:` | [`MemoryStore`], a new one | |
/// | `/folder`, `./folder`, `file:///folder` | `FsStore` | `fs` |
/// | `postgres://user@host/database`, `postgresql://…` | `PostgresStore` | `postgres` |
/// | `redis://host/0` | `RedisStore` | `redis` |
///
/// This function cannot open a bucket, because your program creates the bucket's client: see `BucketStore`. It cannot
/// connect with TLS either, because your program chooses the root certificates to trust.
///
/// A URL with a password is a secret: it belongs neither on a command line nor in a log.
///
/// # Errors
///
/// Fails with [`StoreError::Refused`] for an unknown kind of URL, and for one whose feature is not built in. Also fails
/// with the errors of the adapter. No error contains the URL.
pub async fn open(url: &str) -> Result<Arc<dyn SessionStore>, StoreError> {
    let (scheme, rest) = parts(url);
    match scheme {
        "memory" if rest.is_empty() => Ok(Arc::new(MemoryStore::new())),
        #[cfg(feature = "fs")]
        "" | "file" if !rest.is_empty() => Ok(Arc::new(crate::FsStore::new(folder(scheme, rest)?))),
        #[cfg(not(feature = "fs"))]
        "" | "file" if !rest.is_empty() => Err(not_built("folders", "fs")),
        #[cfg(feature = "postgres")]
        "postgres" | "postgresql" => Ok(Arc::new(crate::PostgresStore::connect(url).await?)),
        #[cfg(not(feature = "postgres"))]
        "postgres" | "postgresql" => Err(not_built("Postgres", "postgres")),
        #[cfg(feature = "redis")]
        "redis" => Ok(Arc::new(crate::RedisStore::connect(url).await?)),
        #[cfg(not(feature = "redis"))]
        "redis" => Err(not_built("Redis", "redis")),
        _ => Err(StoreError::refused(
            "its URL is none of memory:, file:///folder, a path, postgres://, redis://",
        )),
    }
}

/// Returns the scheme and the rest of the URL. A path has no scheme. A scheme has at least two letters, because a drive
/// of Windows has one.
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

#[cfg(not(all(feature = "fs", feature = "postgres", feature = "redis")))]
fn not_built(what: &str, feature: &str) -> StoreError {
    StoreError::refused(format!(
        "stores in {what} need claw-store's feature {feature}, which is not built in"
    ))
}

/// Returns the path of the URL that consists of `file:` and this text.
#[cfg(feature = "fs")]
fn of_file_url(rest: &str) -> Option<String> {
    let path = rest.strip_prefix("//").unwrap_or(rest);
    let path = path.strip_prefix("localhost").unwrap_or(path);
    let path = crate::names::decoded(path.strip_prefix('/')?)?;
    // file:///C:/folder
    let is_drive = path.as_bytes().get(1) == Some(&b':');
    Some(if cfg!(windows) && is_drive {
        path.into_owned()
    } else {
        format!("/{path}")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

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
    fn a_url_is_in_no_error() {
        for url in [
            "mysql://user:secret@host/x",
            "postgres://user:secret@127.0.0.1:1/x?nonsense=1",
            "memory:secret",
            "redis://user:secret@127.0.0.1:1/no-number",
        ] {
            let error = futures::executor::block_on(open(url)).unwrap_err();
            assert!(matches!(error, StoreError::Refused(_)), "{error:?}");
            assert!(
                !format!("{error} {error:?}").contains("secret"),
                "{error:?}"
            );
        }
    }
}

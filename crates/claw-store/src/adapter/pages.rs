//! Lines and lists that a server returns page by page.

use std::future::Future;

use futures::stream::{self, BoxStream, StreamExt as _, TryStreamExt as _};

use crate::{StoreError, Subpath};

/// The maximum number of transcripts of a session, without the main one.
pub const MOST_SUBKEYS: usize = 100_000;

/// Returns a stream of the items of all pages. `next` reads the page at a cursor. It returns the page and the next
/// cursor, or `None` at the end.
pub fn pages<'a, T, C, P>(
    first: C,
    next: impl FnMut(C) -> P + Send + 'a,
) -> BoxStream<'a, Result<T, StoreError>>
where
    T: Send + 'a,
    C: Send + 'a,
    P: Future<Output = Result<Option<(Vec<T>, C)>, StoreError>> + Send + 'a,
{
    stream::try_unfold(first, next)
        .map_ok(|page| stream::iter(page.into_iter().map(Ok)))
        .try_flatten()
        .boxed()
}

/// Returns a stream of the items of a list that one call reads completely.
pub fn items<'a, T: Send + 'a>(
    list: impl Future<Output = Result<Vec<T>, StoreError>> + Send + 'a,
) -> BoxStream<'a, Result<T, StoreError>> {
    stream::once(list)
        .map_ok(|list| stream::iter(list.into_iter().map(Ok)))
        .try_flatten()
        .boxed()
}

/// Returns the subpaths of all pages. `page` reads the page that follows the given subpath, or the first page. An empty
/// page ends the list.
///
/// # Errors
///
/// Fails with the errors of `page`. Fails with [`StoreError::Corrupt`] if there are more than [`MOST_SUBKEYS`].
pub async fn subkeys_in_pages<P>(
    mut page: impl FnMut(Option<Subpath>) -> P,
) -> Result<Vec<Subpath>, StoreError>
where
    P: Future<Output = Result<Vec<Subpath>, StoreError>>,
{
    let mut found: Vec<Subpath> = Vec::new();
    loop {
        let next = page(found.last().cloned()).await?;
        if next.is_empty() {
            return Ok(found);
        }
        found.extend(next);
        check_subkeys(found.len())?;
    }
}

/// Checks that a session does not have too many transcripts. The main transcript is not counted.
///
/// # Errors
///
/// Fails with [`StoreError::Corrupt`] if there are more than [`MOST_SUBKEYS`].
pub fn check_subkeys(count: usize) -> Result<(), StoreError> {
    if count > MOST_SUBKEYS {
        return Err(StoreError::corrupt(format!(
            "a session has more than {MOST_SUBKEYS} transcripts"
        )));
    }
    Ok(())
}

//! Reads many parts, and fetches some of them ahead.

use bytes::Bytes;
use claw_store::{StoreError, StoreKey};
use futures::future::try_join_all;
use futures::stream::{self, BoxStream, StreamExt as _, TryStreamExt as _};
use object_store::path::Path;

use crate::Store;
use crate::chain::{Listed, missing};
use crate::part::{Piece, Reader};
use crate::paths::part;

/// The maximum size of a page in bytes. The parts of a page are fetched together. A batch of an import fits into a
/// page, with its header.
const PAGE_BYTES: u64 = 1280 << 10;

/// The maximum number of parts in a page.
const PAGE_PARTS: usize = 12;

/// The number of pages that are fetched ahead.
const AHEAD: usize = 4;

/// The number of bytes of a part that are parsed at once.
const STEP: usize = 64 << 10;

type Chunks<'a> = BoxStream<'a, Result<Bytes, StoreError>>;

type Pieces<'a> = BoxStream<'a, Result<Piece, StoreError>>;

impl Store {
    /// Returns the pieces of these parts.
    pub(crate) fn pieces(
        &self,
        folder: &Path,
        key: &StoreKey,
        parts: Vec<Listed>,
    ) -> BoxStream<'_, Result<Piece, StoreError>> {
        let (folder, key) = (folder.clone(), key.clone());
        let fetched = stream::iter(pages(parts))
            .map(move |page| self.fetch(folder.clone(), key.clone(), page));
        fetched.buffered(AHEAD).try_flatten().boxed()
    }

    async fn fetch(
        &self,
        folder: Path,
        key: StoreKey,
        page: Vec<Listed>,
    ) -> Result<Pieces<'_>, StoreError> {
        if let [one] = page[..]
            && one.size > PAGE_BYTES
        {
            // A large part is streamed and not fetched ahead, because it would need much memory.
            let chunks = self.chunks(part(&folder, one.number), key, one.number);
            return Ok(self.cut(one.number, chunks));
        }
        let limit = usize::try_from(PAGE_BYTES).unwrap_or(usize::MAX);
        let bodies = try_join_all(page.iter().map(async |listed| {
            let path = part(&folder, listed.number);
            let object = self.requests.get(&path, limit, self.requests.deadline());
            let object = object.await?.ok_or_else(|| missing(&key, listed.number))?;
            Ok::<_, StoreError>((listed.number, object.body))
        }));
        let bodies = stream::iter(bodies.await?);
        Ok(bodies
            .flat_map(|(number, body)| self.cut(number, steps(body)))
            .boxed())
    }

    fn chunks(&self, path: Path, key: StoreKey, number: u64) -> Chunks<'_> {
        let open = async move {
            let chunks = self.requests.stream(&path).await?;
            chunks.ok_or_else(|| missing(&key, number))
        };
        stream::once(open).try_flatten().boxed()
    }

    /// Returns the pieces of a part.
    fn cut<'a>(&self, number: u64, chunks: Chunks<'a>) -> Pieces<'a> {
        let reader = Reader::new(number, self.line_limit);
        stream::try_unfold((reader, chunks), next_pieces)
            .map_ok(|pieces| stream::iter(pieces.into_iter().map(Ok)))
            .try_flatten()
            .boxed()
    }
}

/// Groups the parts into pages. The parts of a page are fetched together. Each large part has a separate page.
fn pages(parts: Vec<Listed>) -> Vec<Vec<Listed>> {
    let mut pages: Vec<Vec<Listed>> = Vec::new();
    let mut bytes = 0_u64;
    for listed in parts {
        bytes = bytes.saturating_add(listed.size);
        match pages.last_mut() {
            Some(page) if page.len() < PAGE_PARTS && bytes <= PAGE_BYTES => page.push(listed),
            _ => {
                bytes = listed.size;
                pages.push(vec![listed]);
            }
        }
    }
    pages
}

fn steps(body: Bytes) -> Chunks<'static> {
    let steps = (0..body.len()).step_by(STEP);
    stream::iter(steps.map(move |at| Ok(body.slice(at..body.len().min(at + STEP))))).boxed()
}

async fn next_pieces(
    (mut reader, mut chunks): (Reader, Chunks<'_>),
) -> Result<Option<(Vec<Piece>, (Reader, Chunks<'_>))>, StoreError> {
    let Some(chunk) = chunks.try_next().await? else {
        reader.finish()?;
        return Ok(None);
    };
    Ok(Some((reader.push(&chunk)?, (reader, chunks))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_fetched_together_is_little() {
        let sizes = [1, 2, PAGE_BYTES, 1, PAGE_BYTES - 1, PAGE_BYTES + 1, 1];
        let small = std::iter::repeat_n(1, 20);
        let sizes = sizes.into_iter().chain(small);
        let parts = sizes.zip(0..).map(|(size, number)| Listed {
            number,
            size,
            modified: 0,
        });
        let pages = pages(parts.collect());
        let counts: Vec<_> = pages.iter().map(Vec::len).collect();
        assert_eq!(counts, [2, 1, 2, 1, 12, 9]);
        assert!(pages.concat().iter().map(|part| part.number).eq(0..27));
    }
}

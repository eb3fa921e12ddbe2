//! Loads the lines of a transcript. Fetches some parts ahead.

use claw_store::{StoreError, StoreKey, StoredLine};
use futures::stream::{self, BoxStream, StreamExt as _, TryStreamExt as _};

use crate::Store;
use crate::chain::{Chain, counted};
use crate::part::{Piece, length};
use crate::uuids::Uuids;

/// A load in progress.
struct Load<'a> {
    pieces: BoxStream<'a, Result<Piece, StoreError>>,
    /// The state of the transcript when the load began, as its newest part contains it. The UUIDs are those of the
    /// lines that were read so far.
    chain: Chain,
    position: u64,
    /// The length of the lines that were read so far.
    bytes: u64,
}

impl Store {
    pub(crate) fn load_lines<'a>(
        &'a self,
        key: &'a StoreKey,
    ) -> BoxStream<'a, Result<StoredLine, StoreError>> {
        let lines = stream::once(self.begin_load(key)).map_ok(move |load| {
            stream::try_unfold(load, move |load| async move {
                match load {
                    Some(load) => self.next_line(key, load).await,
                    None => Ok(None),
                }
            })
        });
        lines.try_flatten().boxed()
    }

    /// Begins a load. Returns `None` if the transcript does not exist.
    async fn begin_load<'a>(&'a self, key: &'a StoreKey) -> Result<Option<Load<'a>>, StoreError> {
        let deadline = self.requests.deadline();
        let folder = self.paths.transcript(key)?;
        let listed = self.list_parts(&folder, deadline).await?;
        let mut chain = self.open_chain(&folder, &listed, deadline).await?;
        if chain.head.lines == 0 {
            return Ok(None);
        }
        let parts = counted(key, &chain, listed)?;
        chain.uuids = Some(Uuids::default());
        Ok(Some(Load {
            pieces: self.pieces(&folder, key, parts),
            chain,
            position: 0,
            bytes: 0,
        }))
    }

    async fn next_line<'a>(
        &'a self,
        key: &'a StoreKey,
        mut load: Load<'a>,
    ) -> Result<Option<(StoredLine, Option<Load<'a>>)>, StoreError> {
        let lines = load.chain.head.lines;
        let missing = |position: u64| StoreError::Incomplete {
            key: key.clone(),
            what: format!("line {position} of {lines} is missing"),
        };
        while let Some(piece) = load.pieces.try_next().await? {
            match piece {
                Piece::Header(_, header) if header.first > load.position => {
                    return Err(missing(load.position));
                }
                Piece::Header(number, header) if header.first < load.position => {
                    return Err(StoreError::corrupt(format!(
                        "part {number} begins with line {}, which was before it",
                        header.first
                    )));
                }
                Piece::Header(..) => {}
                Piece::Line(line) => {
                    load.chain.take_line(&line);
                    load.bytes += length(&line);
                    // The UUIDs need more memory than the whole cache may use, so they are not collected any further.
                    if load.chain.bytes() > self.cache.limit() {
                        load.chain.uuids = None;
                    }
                    let stored = StoredLine::new(load.position, line);
                    load.position += 1;
                    return Ok(Some((stored, Some(load))));
                }
            }
        }
        if load.position != lines {
            return Err(missing(load.position));
        }
        load.chain.head.bytes = Some(load.bytes);
        self.remember(key, load.chain);
        Ok(None)
    }

    /// Caches the state that a load has read, so that the next append does not read the transcript again.
    fn remember(&self, key: &StoreKey, loaded: Chain) {
        if let Some(mut taken) = self.cache.try_take(key) {
            let is_better = taken.as_ref().is_none_or(|known| {
                known.next < loaded.next || (known.next == loaded.next && known.uuids.is_none())
            });
            if is_better {
                *taken = Some(loaded);
            }
        }
    }
}

//! Appends lines to transcripts.

use claw_store::adapter::Deadline;
use claw_store::{Appended, Batch, Epoch, Planned, StoreError, StoreKey, WriterId};
use futures::TryStreamExt as _;
use object_store::path::Path;

use crate::Store;
use crate::chain::{Chain, counted};
use crate::part::{Header, Piece, length};
use crate::uuids::Uuids;

impl Store {
    pub(crate) async fn append_lines(
        &self,
        key: &StoreKey,
        batch: Batch<'_>,
    ) -> Result<Appended, StoreError> {
        batch.check_lengths(self.line_limit)?;
        let deadline = self.requests.deadline();
        let mut taken = self.cache.take(key, deadline).await?;
        let append = Append {
            store: self,
            folder: self.paths.transcript(key)?,
            key,
            batch,
            deadline,
        };
        append.run(&mut taken).await
    }

    pub(crate) async fn writer_next(
        &self,
        key: &StoreKey,
        writer: &WriterId,
    ) -> Result<u64, StoreError> {
        let deadline = self.requests.deadline();
        let mut taken = self.cache.take(key, deadline).await?;
        let folder = self.paths.transcript(key)?;
        let (chain, is_current) = self.known(&mut taken, &folder, deadline).await?;
        if !is_current {
            self.catch_up(&folder, key, chain, deadline).await?;
        }
        let next = chain.head.writers.get(writer.as_str());
        Ok(next.copied().unwrap_or(0))
    }

    /// Returns the state of a transcript from the cache. If the cache does not have the state, reads it from the
    /// bucket. The flag is true if the state was read from the bucket.
    pub(crate) async fn known<'a>(
        &self,
        chain: &'a mut Option<Chain>,
        folder: &Path,
        deadline: Deadline,
    ) -> Result<(&'a mut Chain, bool), StoreError> {
        if let Some(chain) = chain {
            return Ok((chain, false));
        }
        let opened = self.reopen(folder, deadline).await?;
        Ok((chain.insert(opened), true))
    }
}

/// An append in progress.
struct Append<'a> {
    store: &'a Store,
    folder: Path,
    key: &'a StoreKey,
    batch: Batch<'a>,
    deadline: Deadline,
}

impl Append<'_> {
    async fn run(&self, chain: &mut Option<Chain>) -> Result<Appended, StoreError> {
        let Self {
            store,
            folder,
            batch,
            deadline,
            ..
        } = self;
        let (chain, mut is_current) = store.known(chain, folder, *deadline).await?;
        loop {
            let planned = self.plan(chain);
            let Ok(Some(mut planned)) = planned else {
                // According to the known state, the batch contains nothing new, or is refused. A cached state may be
                // out of date, so this result is final only if the state was read just now.
                if is_current {
                    return planned.map(|_| Appended::new(0, chain.head.lines));
                }
                self.catch_up(chain).await?;
                is_current = true;
                continue;
            };
            if !chain.is_registered {
                self.register(chain).await?;
            }
            if chain.uuids.is_none() && batch.lines.iter().any(|line| line.uuid().is_some()) {
                self.read_uuids(chain).await?;
            }
            if let Some(uuids) = &chain.uuids {
                planned.without(|uuid| uuids.contains(uuid));
            }
            let is_main = self.key.subpath().is_none();
            let header = Header::append(&chain.head, chain.next, batch.writer, &planned, is_main);
            let appended = Appended::new(header.count, header.head.lines);
            let put = store.put_next(folder, chain, header, &planned.lines, *deadline);
            if put.await? {
                return Ok(appended);
            }
            self.catch_up(chain)
                .await
                .map_err(StoreError::maybe_stored)?;
            is_current = true;
        }
    }

    async fn catch_up(&self, chain: &mut Chain) -> Result<(), StoreError> {
        let (store, folder) = (self.store, &self.folder);
        store.catch_up(folder, self.key, chain, self.deadline).await
    }

    /// Returns the lines of the batch that the writer has not stored yet.
    fn plan(&self, chain: &Chain) -> Result<Option<Planned<'_>>, StoreError> {
        if let Some(epoch) = self.batch.epoch {
            check(chain, epoch)?;
        }
        let next = chain.head.writers.get(self.batch.writer.as_str());
        self.batch.plan(next.copied().unwrap_or(0))
    }

    /// Registers the transcript in the session's object. A new claim closes each registered transcript to older epochs.
    async fn register(&self, chain: &mut Chain) -> Result<(), StoreError> {
        let (store, epoch) = (self.store, self.batch.epoch);
        let registered = store.register(self.key, epoch, self.deadline).await;
        // The transcript is registered before its first line is stored, so nothing is stored if the
        // registration fails.
        let fence = registered.map_err(StoreError::nothing_stored)?;
        chain.is_registered = true;
        let known = chain.head.claim.as_ref().map(|claim| claim.epoch);
        if fence.as_ref().map(|fence| fence.epoch) > known {
            chain.head.claim = fence;
        }
        Ok(())
    }

    /// Reads the UUIDs of all stored lines, and their length.
    async fn read_uuids(&self, chain: &mut Chain) -> Result<(), StoreError> {
        let store = self.store;
        let listed = store.list_parts(&self.folder, self.deadline).await?;
        let parts = counted(self.key, chain, listed)?;
        let (mut uuids, mut bytes) = (Uuids::default(), 0);
        let mut pieces = store.pieces(&self.folder, self.key, parts);
        let read = async {
            while let Some(piece) = pieces.try_next().await? {
                let Piece::Line(line) = piece else { continue };
                bytes += length(&line);
                if let Some(uuid) = line.uuid() {
                    uuids.insert(uuid);
                    if uuids.are_too_many() {
                        return Err(StoreError::refused("the transcript has too many UUIDs"));
                    }
                }
            }
            Ok(())
        };
        self.deadline.storing_nothing(read).await?;
        chain.uuids = Some(uuids);
        chain.head.bytes = Some(bytes);
        Ok(())
    }
}

/// Fails if the epoch is not the newest known one.
fn check(chain: &Chain, epoch: Epoch) -> Result<(), StoreError> {
    let claim = chain.head.claim.as_ref();
    let newest = claim.map_or(Epoch(0), |claim| claim.epoch);
    // A transcript that is not registered yet may lack newer claims. So a higher epoch is accepted here, and the
    // registration checks the epoch again.
    if epoch == newest || (epoch > newest && !chain.is_registered) {
        return Ok(());
    }
    Err(StoreError::Superseded {
        epoch,
        newer: newest,
        owner: claim.map(|claim| claim.owner.clone()),
    })
}

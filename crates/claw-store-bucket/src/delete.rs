//! Deletion of sessions and transcripts.

use claw_store::adapter::Deadline;
use claw_store::{SessionRef, StoreError, StoreKey};
use futures::future::FutureExt as _;
use futures::stream::{self, StreamExt as _, TryStreamExt as _};

use crate::Store;
use crate::part::Header;
use crate::paths::part;

/// The maximum number of transcripts that are deleted concurrently.
const AT_ONCE: usize = 8;

impl Store {
    pub(crate) async fn delete_transcripts(&self, key: &StoreKey) -> Result<(), StoreError> {
        let deadline = self.requests.deadline();
        let keys = self.begin_deleting(key, deadline).await?;
        let end = |key| self.end(key, deadline).boxed();
        let ended: Vec<_> = keys.iter().map(end).collect();
        let ended = stream::iter(ended).buffer_unordered(AT_ONCE);
        ended.try_collect::<()>().await?;
        self.end_deleting(key.session(), &keys, deadline).await
    }

    pub(crate) async fn delete_for_good(&self, session: &SessionRef) -> Result<(), StoreError> {
        let deadline = self.requests.deadline();
        self.leave_tombstone(session, deadline).await?;
        // A writer may have registered its transcript before the tombstone was written. This deletion removes that
        // transcript too.
        let deleted = self.delete_transcripts(&session.main()).await;
        deleted.map_err(StoreError::maybe_stored)
    }

    pub(crate) async fn has_tombstone(&self, session: &SessionRef) -> Result<bool, StoreError> {
        let seen = self.seen(session, self.requests.deadline()).await?;
        Ok(seen.record.is_deleted())
    }

    /// Creates a part that marks all earlier parts as deleted, and then deletes those parts. The new part remains. A
    /// host that still knows the old state finds it, and so learns of the deletion.
    pub(crate) async fn end(&self, key: &StoreKey, deadline: Deadline) -> Result<(), StoreError> {
        let mut taken = self.cache.take(key, deadline).await?;
        let folder = self.paths.transcript(key)?;
        let (chain, _) = self.known(&mut taken, &folder, deadline).await?;
        loop {
            // This part is created even if the transcript has no parts, because another writer may be about to create
            // the first one.
            let header = Header::end(&chain.head, chain.next);
            if self.put_next(&folder, chain, header, &[], deadline).await? {
                break;
            }
        }
        let listed = self.list_parts(&folder, deadline).await?;
        let counted = chain.head.from.saturating_sub(1);
        let old = listed.iter().filter(|found| found.number < counted);
        let old = old.map(|found| part(&folder, found.number)).collect();
        self.requests.delete(old, deadline).await
    }
}

//! Deletion of sessions and transcripts.

use std::sync::LazyLock;

use claw_store::adapter::Deadline;
use claw_store::{SessionRef, StoreError, StoreKey, Subpath};
use redis::Script;

use crate::{Store, keys, read};

/// The maximum number of transcripts that one script deletes.
const AT_ONCE: usize = 500;

/// Deletes transcripts. Deletes the main transcript only if the session has no transcripts besides these. Returns the
/// server's time, or 0 if nothing was deleted.
static DELETE: LazyLock<Script> = LazyLock::new(|| {
    Script::new(
        "local there = redis.call('ZCARD', KEYS[1])
        if ARGV[1] ~= '' and there ~= tonumber(ARGV[1]) then return '0' end
        for at = 2, #KEYS do redis.call('UNLINK', KEYS[at]) end
        for at = 2, #ARGV do redis.call('ZREM', KEYS[1], ARGV[at]) end
        local time = redis.call('TIME')
        return string.format('%.0f', time[1] * 1000 + math.floor(time[2] / 1000))",
    )
});

/// Writes the tombstone into the hash of the session's claim, which is never deleted.
static LEAVE: LazyLock<Script> = LazyLock::new(|| {
    Script::new(
        "local time = redis.call('TIME')
        if not redis.call('HGET', KEYS[1], 'deleted') then
            redis.call('HSET', KEYS[1], 'deleted', string.format('%.0f', time[1] * 1000 + math.floor(time[2] / 1000)))
        end
        return 1",
    )
});

static IS_DELETED: LazyLock<Script> =
    LazyLock::new(|| Script::new("return redis.call('HGET', KEYS[1], 'deleted') and 1 or 0"));

impl Store {
    pub(crate) async fn delete_for_good(&self, session: &SessionRef) -> Result<(), StoreError> {
        let mut script = LEAVE.prepare_invoke();
        script.key(self.keys(session).claim());
        self.server.change(self.server.deadline(), &script).await?;
        // From now on, no append stores a line, because the tombstone is written. So this deletion is complete.
        let deleted = self.delete_lines(&session.main()).await;
        deleted.map_err(StoreError::maybe_stored)
    }

    pub(crate) async fn has_tombstone(&self, session: &SessionRef) -> Result<bool, StoreError> {
        let mut script = IS_DELETED.prepare_invoke();
        script.key(self.keys(session).claim());
        read(self.server.ask(self.server.deadline(), &script).await?)
    }

    pub(crate) async fn delete_lines(&self, key: &StoreKey) -> Result<(), StoreError> {
        let deadline = self.server.deadline();
        let session = key.session();
        if let Some(subpath) = key.subpath() {
            let subpaths = std::slice::from_ref(subpath);
            self.delete_some(deadline, session, subpaths, false).await?;
            return Ok(());
        }
        loop {
            let subpaths = self.subkeys_page(deadline, session, None, AT_ONCE).await?;
            let is_all = subpaths.len() < AT_ONCE;
            let done = self.delete_some(deadline, session, &subpaths, is_all);
            if let Some(now) = done.await?.filter(|_| is_all) {
                // If this fails, the session remains in the list. Lists skip it, because it does not exist, and a later
                // list removes it.
                let _ = self
                    .unlist(now, &[keys::member(session).into_bytes()])
                    .await;
                return Ok(());
            }
            if deadline.has_passed() {
                return Err(StoreError::unavailable("others store all the time"));
            }
        }
    }

    /// Deletes these transcripts. Returns the server's time. Returns `None` if nothing was deleted.
    async fn delete_some(
        &self,
        deadline: Deadline,
        session: &SessionRef,
        subpaths: &[Subpath],
        with_main: bool,
    ) -> Result<Option<u64>, StoreError> {
        let keys = self.keys(session);
        let mut script = DELETE.key(keys.subs());
        for subpath in subpaths {
            script.key(&keys.transcript(Some(subpath)).own()[..]);
        }
        if with_main {
            script.key(&keys.transcript(None).own()[..]);
            script.arg(subpaths.len());
        } else {
            script.arg("");
        }
        for subpath in subpaths {
            script.arg(subpath.as_str());
        }
        let now: u64 = read(self.server.change(deadline, &script).await?)?;
        Ok((now > 0).then_some(now))
    }
}

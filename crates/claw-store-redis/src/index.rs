//! The list of all sessions. In a cluster, the list can be in another slot than the sessions.
//!
//! A session is added to the list before it is created. From then on, its writer has ten minutes to create it. A
//! session is removed from the list only if it was added more than ten minutes before it was found not to exist.
//! Therefore, no existing session is missing in the list.

use std::sync::LazyLock;

use claw_store::adapter::Deadline;
use claw_store::{SessionRef, StoreError};
use redis::Script;

use crate::keys::{self, MEMBER_LIMIT};
use crate::{Store, read};

/// The time for which a session that does not exist stays in the list, in milliseconds. This is twice the time that its
/// creation may take.
const KEPT: u64 = 20 * 60 * 1000;

static LIST: LazyLock<Script> = LazyLock::new(|| {
    Script::new(
        "local time = redis.call('TIME')
        local now = string.format('%.0f', time[1] * 1000 + math.floor(time[2] / 1000))
        redis.call('ZSCORE', KEYS[1], ARGV[1])
        redis.call('ZADD', KEYS[2], now, ARGV[1])
        redis.call('ZADD', KEYS[1], 0, ARGV[1])
        return now",
    )
});

/// Reads the server's time and a page of names.
static PAGE: LazyLock<Script> = LazyLock::new(|| {
    Script::new(
        "local time = redis.call('TIME')
        local names = redis.call('ZRANGEBYLEX', KEYS[1], ARGV[1], ARGV[2], 'LIMIT', 0, ARGV[3])
        for at = 1, #names do names[at] = string.sub(names[at], 1, ARGV[4]) end
        return { string.format('%.0f', time[1] * 1000 + math.floor(time[2] / 1000)), names }",
    )
});

/// Removes sessions from the list if they were added before the given time.
static UNLIST: LazyLock<Script> = LazyLock::new(|| {
    Script::new(
        "redis.call('ZCARD', KEYS[1])
        for at = 2, #ARGV do
            local listed = redis.call('ZSCORE', KEYS[2], ARGV[at])
            if not listed or tonumber(listed) < tonumber(ARGV[1]) then
                redis.call('ZREM', KEYS[2], ARGV[at])
                redis.call('ZREM', KEYS[1], ARGV[at])
            end
        end
        return 1",
    )
});

/// A page of the list.
pub(crate) struct Page {
    /// The server's time before the page was read, in milliseconds since 1970.
    pub(crate) now: u64,
    pub(crate) names: Vec<Vec<u8>>,
}

impl Store {
    /// Adds a session to the list. Returns a number that must be passed to the script that creates the session.
    pub(crate) async fn list(
        &self,
        deadline: Deadline,
        session: &SessionRef,
    ) -> Result<u64, StoreError> {
        let mut script = LIST.prepare_invoke();
        script.key(&keys::index(&self.prefix)[..]);
        script.arg(keys::member(session));
        // This script stores no lines. `ask` therefore reports an error as one after which nothing is stored.
        read(self.server.ask(deadline, &script).await?)
    }

    /// Reads a page of at most `most` names. `after` and `end` are the limits of the range, in the server's notation.
    pub(crate) async fn listed_names(
        &self,
        after: &str,
        end: &str,
        most: usize,
    ) -> Result<Page, StoreError> {
        let mut script = PAGE.prepare_invoke();
        script.key(&keys::index(&self.prefix)[..]);
        script.arg(after).arg(end).arg(most).arg(MEMBER_LIMIT + 1);
        let answer = self.server.ask(self.server.deadline(), &script).await?;
        let (now, names) = read(answer)?;
        Ok(Page { now, names })
    }

    /// Removes sessions that did not exist at the time `now`. Sessions that were added recently stay in the list,
    /// because a writer may be creating them.
    pub(crate) async fn unlist(&self, now: u64, names: &[Vec<u8>]) -> Result<(), StoreError> {
        if names.is_empty() {
            return Ok(());
        }
        let mut script = UNLIST.prepare_invoke();
        script.key(&keys::index(&self.prefix)[..]);
        script.arg(now.saturating_sub(KEPT)).arg(names);
        self.server.ask(self.server.deadline(), &script).await?;
        Ok(())
    }
}

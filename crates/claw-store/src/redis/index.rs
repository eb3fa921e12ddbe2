//! The list of sessions, which lies in another slot of a cluster than they do.
//!
//! A session is put into the list before it is made, and has ten minutes from then on to be made. It is taken out of the
//! list only if it was put there more than ten minutes before it was found not to be there. So no session is missing
//! in the list.

use std::sync::LazyLock;

use redis::Script;

use super::keys::{self, MEMBER_LIMIT};
use super::{RedisStore, read};
use crate::deadline::Deadline;
use crate::{SessionRef, StoreError};

/// For how long a session stays in the list that is not there, in milliseconds. Twice as long as it may take to make it.
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

/// The time, and a page of names.
static PAGE: LazyLock<Script> = LazyLock::new(|| {
    Script::new(
        "local time = redis.call('TIME')
        local names = redis.call('ZRANGEBYLEX', KEYS[1], ARGV[1], ARGV[2], 'LIMIT', 0, ARGV[3])
        for at = 1, #names do names[at] = string.sub(names[at], 1, ARGV[4]) end
        return { string.format('%.0f', time[1] * 1000 + math.floor(time[2] / 1000)), names }",
    )
});

/// Takes sessions out of the list that were put there before a time.
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

/// A part of the list.
pub(super) struct Page {
    /// The server's time before it was read, in milliseconds since 1970.
    pub(super) now: u64,
    pub(super) names: Vec<Vec<u8>>,
}

impl RedisStore {
    /// Puts a session into the list. What is returned permits the script that stores to make it.
    pub(super) async fn list(
        &self,
        deadline: Deadline,
        session: &SessionRef,
    ) -> Result<u64, StoreError> {
        let mut script = LIST.prepare_invoke();
        script.key(&keys::index(&self.prefix)[..]);
        script.arg(keys::member(session));
        // No line is stored by it.
        read(self.server.ask(deadline, &script).await?)
    }

    /// The first names behind one, as the server writes the ends of a range.
    pub(super) async fn listed(
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

    /// Takes sessions out of the list that were not there at a time or later. Those that were put into it lately stay,
    /// as somebody may be making them.
    pub(super) async fn unlist(&self, now: u64, names: &[Vec<u8>]) -> Result<(), StoreError> {
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

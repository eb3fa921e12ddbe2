//! Appends lines to transcripts.

use std::collections::HashSet;
use std::sync::LazyLock;

use claw_store::adapter::{Deadline, NewestClaim};
use claw_store::{Appended, Batch, Line, Planned, StoreError, StoreKey, Summary, WriterId};
use redis::{Script, Value};

use crate::claims::read_claim;
use crate::keys::Transcript;
use crate::{Store, Text, number, read};

/// The maximum size of a batch's lines, in bytes. The server would close the connection if it had to buffer a gigabyte.
const BATCH_LIMIT: usize = 256 << 20;

/// Reads the state before an append. Numbers are read as texts, and the texts are cut, because a damaged number may be
/// very long.
static STATE: LazyLock<Script> = LazyLock::new(|| {
    Script::new(
        "local function cut(found)
            for at = 1, #found do found[at] = found[at] and string.sub(found[at], 1, 1024) end
            return found
        end
        local claim = cut(redis.call('HMGET', KEYS[1], 'epoch', 'owner_id', 'owner_name', 'deleted'))
        local meta = cut(redis.call('HMGET', KEYS[2], 'born', 'version', 'lines', 'bytes', 'uuids', 'writers'))
        local next = cut(redis.call('HMGET', KEYS[5], ARGV[1]))
        local size = redis.call('HSTRLEN', KEYS[2], 'summary')
        local summary = false
        if size <= tonumber(ARGV[2]) then summary = redis.call('HGET', KEYS[2], 'summary') end
        local there = { redis.call('LLEN', KEYS[3]), redis.call('SCARD', KEYS[4]), redis.call('HLEN', KEYS[5]) }
        local known = {}
        for at = 3, #ARGV do
            if redis.call('SISMEMBER', KEYS[4], ARGV[at]) == 1 then known[#known + 1] = at - 3 end
        end
        return { claim, meta, next[1], size, summary, there, known }",
    )
});

/// Stores the new lines if nothing has changed since the state was read. The script reads all keys before the first
/// write. So a script that fails has written nothing. It fails, for example, if a key has the wrong type or the memory
/// is full.
static STORE: LazyLock<Script> = LazyLock::new(|| {
    Script::new(
        "local epoch, permit, subpath, writer, next, uuids = unpack(ARGV, 1, 6)
        if epoch ~= '' and redis.call('HGET', KEYS[1], 'epoch') ~= epoch then return 0 end
        if redis.call('HGET', KEYS[1], 'deleted') then return 0 end
        local meta = redis.call('HMGET', KEYS[2], 'born', 'version')
        if (meta[1] or '') ~= ARGV[7] or (meta[2] or '') ~= ARGV[8] then return 0 end
        local there = { redis.call('LLEN', KEYS[3]), redis.call('SCARD', KEYS[4]), redis.call('HLEN', KEYS[5]) }
        if there[1] ~= tonumber(ARGV[9]) or there[2] ~= tonumber(ARGV[10]) or there[3] ~= tonumber(ARGV[11]) then
            return 0
        end
        redis.call('ZCARD', KEYS[6])
        local time = redis.call('TIME')
        local now = time[1] * 1000 + math.floor(time[2] / 1000)
        if permit ~= '' and now - permit > 600000 then return 0 end
        local first_uuid, first_line = 16, 16 + uuids
        for at = first_line, #ARGV, 1000 do
            redis.call('RPUSH', KEYS[3], unpack(ARGV, at, math.min(at + 999, #ARGV)))
        end
        for at = first_uuid, first_line - 1, 1000 do
            redis.call('SADD', KEYS[4], unpack(ARGV, at, math.min(at + 999, first_line - 1)))
        end
        redis.call('HSET', KEYS[5], writer, next)
        redis.call('HSET', KEYS[2], 'born', ARGV[12], 'version', ARGV[13], 'bytes', ARGV[14],
            'lines', redis.call('LLEN', KEYS[3]), 'uuids', redis.call('SCARD', KEYS[4]),
            'writers', redis.call('HLEN', KEYS[5]))
        if ARGV[15] ~= '' then redis.call('HSET', KEYS[2], 'summary', ARGV[15]) end
        if first_line <= #ARGV then redis.call('HSET', KEYS[2], 'modified', string.format('%.0f', now)) end
        if subpath ~= '' then redis.call('ZADD', KEYS[6], 0, subpath) end
        return 1",
    )
});

/// The state that an append reads first.
struct State {
    newest: NewestClaim,
    /// Whether the session has a tombstone.
    is_deleted: bool,
    /// The transcript. `None` if it does not exist.
    transcript: Option<Known>,
    /// The number of lines that this writer has stored.
    next: u64,
    summary: Option<Vec<u8>>,
    /// The indexes of those UUIDs of the batch that are already stored.
    known: Vec<usize>,
}

/// An existing transcript.
struct Known {
    /// The ID of the transcript. If a transcript is deleted and created again, it gets another ID.
    born: String,
    /// The number of changes that the transcript has had.
    version: u64,
    bytes: u64,
    lines: u64,
    uuids: u64,
    writers: u64,
}

impl Store {
    pub(crate) async fn append_lines(
        &self,
        key: &StoreKey,
        batch: Batch<'_>,
    ) -> Result<Appended, StoreError> {
        batch.check_lengths(self.line_limit)?;
        let bytes: usize = batch.lines.iter().map(|line| line.as_str().len()).sum();
        if bytes > BATCH_LIMIT.max(self.line_limit) {
            return Err(StoreError::refused(format!(
                "a batch has {bytes} bytes, and the limit is {BATCH_LIMIT}"
            )));
        }
        let append = Append {
            store: self,
            deadline: self.server.deadline(),
            key,
            keys: self.transcript(key),
            batch: &batch,
        };
        // Another writer may store lines between the script that reads the state and the script that stores. The append
        // is then repeated, until the deadline.
        loop {
            if let Some(appended) = append.attempt().await? {
                return Ok(appended);
            }
            if append.deadline.has_passed() {
                return Err(StoreError::unavailable("others store all the time"));
            }
        }
    }

    pub(crate) async fn writer_next(
        &self,
        key: &StoreKey,
        writer: &WriterId,
    ) -> Result<u64, StoreError> {
        let deadline = self.server.deadline();
        let keys = self.transcript(key);
        Ok(self.state(deadline, key, &keys, writer, &[]).await?.next)
    }

    async fn state(
        &self,
        deadline: Deadline,
        key: &StoreKey,
        keys: &Transcript,
        writer: &WriterId,
        uuids: &[&str],
    ) -> Result<State, StoreError> {
        let mut script = STATE.prepare_invoke();
        script.key(&keys.claim).key(&keys.own()[..]);
        script.arg(writer.as_str()).arg(Summary::LIMIT).arg(uuids);
        State::read(self.server.ask(deadline, &script).await?, key)
    }
}

/// An append in progress.
struct Append<'a> {
    store: &'a Store,
    deadline: Deadline,
    key: &'a StoreKey,
    keys: Transcript,
    batch: &'a Batch<'a>,
}

impl Append<'_> {
    /// Stores the new lines. Returns `None` if the state has changed in the meantime.
    async fn attempt(&self) -> Result<Option<Appended>, StoreError> {
        let uuids: Vec<&str> = self.batch.lines.iter().filter_map(Line::uuid).collect();
        let asked = self.store.state(
            self.deadline,
            self.key,
            &self.keys,
            self.batch.writer,
            &uuids,
        );
        let state = asked.await?;
        if let Some(epoch) = self.batch.epoch {
            state.newest.check(epoch)?;
        }
        if state.is_deleted {
            let session = self.key.session().clone();
            return Err(StoreError::Deleted { session });
        }
        let total = state.transcript.as_ref().map_or(0, |known| known.lines);
        let Some(mut planned) = self.batch.plan(state.next)? else {
            return Ok(Some(Appended::new(0, total)));
        };
        let known = state.known.iter().filter_map(|at| uuids.get(*at).copied());
        let known: HashSet<&str> = known.collect();
        planned.without(|uuid| known.contains(uuid));
        let is_main = self.key.subpath().is_none();
        // The session must be in the list of sessions before its main transcript is created.
        let permit = if is_main && state.transcript.is_none() {
            Some(self.store.list(self.deadline, self.key.session()).await?)
        } else {
            None
        };
        let stored = self.store(&state, &planned, permit).await?;
        let new = planned.lines.len() as u64;
        Ok(stored.then(|| Appended::new(new, total + new)))
    }

    async fn store(
        &self,
        state: &State,
        planned: &Planned<'_>,
        permit: Option<u64>,
    ) -> Result<bool, StoreError> {
        let mut summary = String::new();
        if self.key.subpath().is_none() {
            summary = Summary::text_after(state.summary.as_deref(), &planned.lines)?;
        }
        let bytes: usize = planned.lines.iter().map(|line| line.as_str().len()).sum();
        let uuids: Vec<&str> = planned.uuids().collect();
        let Transcript { claim, subs, .. } = &self.keys;
        let mut script = STORE.prepare_invoke();
        script.key(claim).key(&self.keys.own()[..]).key(subs);
        let or_empty =
            |number: Option<u64>| number.map_or(String::new(), |number| number.to_string());
        script
            .arg(or_empty(self.batch.epoch.map(|epoch| epoch.0)))
            .arg(or_empty(permit))
            .arg(self.key.subpath().map_or("", |path| path.as_str()))
            .arg(self.batch.writer.as_str())
            .arg(planned.next)
            .arg(uuids.len());
        match &state.transcript {
            Some(known) => script
                .arg(&known.born)
                .arg(known.version)
                .arg(&[known.lines, known.uuids, known.writers])
                .arg(&known.born)
                .arg(known.version.wrapping_add(1))
                .arg(known.bytes.saturating_add(bytes as u64)),
            None => script
                .arg(&["", "", "0", "0", "0"])
                .arg(uuid::Uuid::new_v4().to_string())
                .arg(1)
                .arg(bytes),
        };
        script.arg(summary).arg(uuids);
        for line in &planned.lines {
            script.arg(line.as_str());
        }
        let answer = self.store.server.change(self.deadline, &script).await?;
        read(answer)
    }
}

impl State {
    fn read(answer: Value, key: &StoreKey) -> Result<Self, StoreError> {
        type Answer = (
            Vec<Text>,
            [Text; 6],
            Text,
            usize,
            Text,
            [u64; 3],
            Vec<usize>,
        );
        let (claim, meta, next, size, summary, there, known): Answer = read(answer)?;
        if size > Summary::LIMIT {
            return Err(StoreError::corrupt(format!(
                "a summary has {size} bytes, and the limit is {}",
                Summary::LIMIT
            )));
        }
        let counts = meta[1..].iter().map(|count| number(count.as_deref()));
        let counts: Vec<u64> = counts.collect::<Result<_, _>>()?;
        let [version, lines, bytes, uuids, writers] = counts[..] else {
            return Err(StoreError::corrupt("counts of another shape"));
        };
        if there != [lines, uuids, writers] {
            let [has, uuids_there, writers_there] = there;
            return Err(StoreError::Incomplete {
                key: key.clone(),
                what: format!(
                    "{has} lines of {lines}, {uuids_there} UUIDs of {uuids} and {writers_there} writers of {writers} are there"
                ),
            });
        }
        let born = meta[0].as_deref().map(crate::text);
        let [claim @ .., deleted] = &*claim else {
            return Err(StoreError::corrupt("a claim of another shape"));
        };
        Ok(Self {
            newest: read_claim(claim)?,
            is_deleted: deleted.is_some(),
            transcript: born.map(|born| Known {
                born,
                version,
                bytes,
                lines,
                uuids,
                writers,
            }),
            next: number(next.as_deref())?,
            summary,
            known,
        })
    }
}

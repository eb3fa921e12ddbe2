//! Appends lines to transcripts.

use std::collections::HashSet;

use claw_store::adapter::{Deadline, NewestClaim};
use claw_store::{
    Appended, Batch, Line, Planned, SessionRef, StoreError, StoreKey, Summary, WriterId,
};
use futures::future::{join, join3};
use tokio_postgres::types::Type;
use tokio_postgres::{Error, Row};

use crate::claims::read_claim;
use crate::failure::{uncommitted, unreadable};
use crate::pool::Lease;
use crate::{Key, Param, Store, signed, unsigned};

/// The maximum size of a summary, in bytes.
#[expect(clippy::cast_possible_wrap, reason = "it is a constant that fits")]
pub(crate) const SUMMARY_LIMIT: i64 = Summary::LIMIT as i64;

/// Locks the transcript for the rest of the transaction, so that positions are assigned in order.
const LOCK: &str = "
    SELECT FROM {s}.transcripts t JOIN {s}.sessions s ON t.session_id = s.id
    WHERE s.project = $1 AND s.session = $2 AND t.subpath = $3
    FOR UPDATE OF t";

/// Reads the state after the lock. This is a separate statement, because a statement that waits for a lock would read
/// other tables in their state from before the wait.
const STATE: &str = "
    SELECT s.id, s.epoch, left(s.owner_id, 1024), left(s.owner_name, 1024), t.id, t.lines,
        CASE WHEN octet_length(t.summary) <= $6 THEN t.summary END, t.summary IS NULL, w.next,
        ARRAY(
            SELECT u.at FROM unnest($5) WITH ORDINALITY u (uuid, at)
            JOIN {s}.lines l ON l.transcript = t.id AND l.uuid = sha256(u.uuid)
        ),
        s.deleted IS NOT NULL
    FROM {s}.sessions s
    LEFT JOIN {s}.transcripts t ON t.session_id = s.id AND t.subpath = $3
    LEFT JOIN {s}.writers w ON w.transcript = t.id AND w.writer = $4
    WHERE s.project = $1 AND s.session = $2";

const CREATE_SESSION: &str =
    "INSERT INTO {s}.sessions (project, session) VALUES ($1, $2) ON CONFLICT DO NOTHING";

/// Creates the transcript. If another writer has just created it, locks it as [`LOCK`] does.
const CREATE_TRANSCRIPT: &str = "
    INSERT INTO {s}.transcripts AS t (session_id, subpath)
    SELECT id, $3 FROM {s}.sessions WHERE project = $1 AND session = $2
    ON CONFLICT (session_id, subpath) DO UPDATE SET lines = t.lines";

/// Stores the new lines if the session has no tombstone and the epoch is still the newest one. The session's row is
/// locked until the commit, which follows immediately. So no tombstone and no claim can be written in between. If the
/// size of the transcript was measured before, it remains up to date: see [`sizes`](crate::sizes).
const STORE: &str = "
    WITH session AS (SELECT FROM {s}.sessions WHERE id = $1 AND deleted IS NULL {held} FOR SHARE),
    writer AS (
        INSERT INTO {s}.writers (transcript, writer, next) SELECT $2, $3, $4 FROM session
        ON CONFLICT (transcript, writer) DO UPDATE SET next = excluded.next
    ),
    stored AS (
        INSERT INTO {s}.lines (transcript, position, uuid, line)
        SELECT $2, $5 + new.at - 1, sha256(new.uuid), new.line
        FROM session, unnest($6, $7) WITH ORDINALITY new (uuid, line, at)
    )
    UPDATE {s}.transcripts SET
        lines = $5 + cardinality($7),
        sized = CASE WHEN sized = $5 THEN $5 + cardinality($7) ELSE sized END,
        bytes = CASE WHEN sized = $5 THEN bytes + $9 ELSE bytes END,
        summary = $8,
        modified = CASE WHEN cardinality($7) > 0 THEN clock_timestamp() ELSE modified END
    FROM session WHERE id = $2
    RETURNING 1";

/// The state that an append reads first.
#[derive(Default)]
struct State {
    session: i64,
    /// The ID of the transcript's row. `None` if the transcript does not exist.
    transcript: Option<i64>,
    newest: NewestClaim,
    /// Whether the session has a tombstone.
    is_deleted: bool,
    lines: u64,
    next: u64,
    summary: Option<String>,
    /// The indexes of those UUIDs of the batch that are already stored.
    known: Vec<usize>,
}

impl Store {
    pub(crate) async fn append_lines(
        &self,
        key: &StoreKey,
        batch: Batch<'_>,
    ) -> Result<Appended, StoreError> {
        batch.check_lengths(self.line_limit)?;
        let deadline = self.pool.deadline();
        let lease = self.pool.lease(deadline).await?;
        let append = Append {
            store: self,
            lease: &lease,
            deadline,
            session: key.session(),
            key: Key::of(key),
            batch: &batch,
            uuids: batch.lines.iter().filter_map(Line::uuid).collect(),
        };
        let done = append.run().await;
        match &done {
            Ok(_) => lease.keep(),
            Err(error) if refuses_lines(error) => lease.keep(),
            Err(_) => {}
        }
        done
    }

    pub(crate) async fn writer_next(
        &self,
        key: &StoreKey,
        writer: &WriterId,
    ) -> Result<u64, StoreError> {
        let sql = self.schema.sql(
            "SELECT w.next FROM {s}.sessions s
            JOIN {s}.transcripts t ON t.session_id = s.id
            JOIN {s}.writers w ON w.transcript = t.id
            WHERE s.project = $1 AND s.session = $2 AND t.subpath = $3 AND w.writer = $4",
        );
        let key = Key::of(key);
        let writer = writer.as_str().as_bytes();
        let [project, session, subpath] = key.params();
        let params = [project, session, subpath, (&writer as _, Type::BYTEA)];
        let rows = self.pool.read(&sql, &params).await?;
        match rows.first() {
            Some(row) => unsigned(row.try_get(0).map_err(unreadable)?),
            None => Ok(0),
        }
    }
}

/// Whether the error means that the store does not accept the lines.
fn refuses_lines(error: &StoreError) -> bool {
    matches!(error, StoreError::Gap { .. }) || error.is_superseded() || error.is_deleted()
}

/// An append in progress.
struct Append<'a> {
    store: &'a Store,
    lease: &'a Lease<'a>,
    deadline: Deadline,
    session: &'a SessionRef,
    key: Key<'a>,
    batch: &'a Batch<'a>,
    /// The UUIDs of all lines in the batch.
    uuids: Vec<&'a str>,
}

impl Append<'_> {
    /// Runs the append. If this function returns success, or the error that the lines were refused, no transaction is
    /// open.
    async fn run(&self) -> Result<Appended, StoreError> {
        let prepared = self.deadline.storing_nothing(self.prepare()).await;
        let (state, planned) = match prepared {
            Ok((state, Some(planned))) => (state, planned),
            Ok((state, None)) => {
                self.deadline.storing_nothing(self.lease.rollback()).await?;
                return Ok(Appended::new(0, state.lines));
            }
            Err(error) if refuses_lines(&error) => {
                self.deadline.storing_nothing(self.lease.rollback()).await?;
                return Err(error);
            }
            Err(error) => return Err(error),
        };
        self.store(&state, &planned).await
    }

    /// Locks the transcript and determines which lines of the batch are new. If there are new lines, creates a missing
    /// transcript.
    async fn prepare(&self) -> Result<(State, Option<Planned<'_>>), StoreError> {
        let first = async {
            let (locked, state) = join(self.key_query(LOCK), self.state_query()).await;
            Ok((locked?, state?))
        };
        let (locked, state) = self.lease.begin(first).await?;
        let mut state = State::read(&state)?;
        // Another writer may have created the transcript between the two statements. In this case, it is not locked
        // yet.
        if locked.is_empty() && (state.transcript.is_some() || self.plan(&state)?.is_some()) {
            let (session, transcript, made) = join3(
                self.key_query(CREATE_SESSION),
                self.key_query(CREATE_TRANSCRIPT),
                self.state_query(),
            )
            .await;
            session.and(transcript).map_err(uncommitted)?;
            state = State::read(&made.map_err(uncommitted)?)?;
        }
        let planned = self.plan(&state)?;
        Ok((state, planned))
    }

    fn plan(&self, state: &State) -> Result<Option<Planned<'_>>, StoreError> {
        if let Some(epoch) = self.batch.epoch {
            state.newest.check(epoch)?;
        }
        if state.is_deleted {
            return Err(self.deleted());
        }
        let Some(mut planned) = self.batch.plan(state.next)? else {
            return Ok(None);
        };
        let known: HashSet<&str> = state
            .known
            .iter()
            .filter_map(|at| self.uuids.get(*at).copied())
            .collect();
        planned.without(|uuid| known.contains(uuid));
        Ok(Some(planned))
    }

    /// Stores the new lines and commits.
    async fn store(&self, state: &State, planned: &Planned<'_>) -> Result<Appended, StoreError> {
        let new = planned.lines.len() as u64;
        let kept = state.summary.as_deref().map(str::as_bytes);
        let summary = if self.key.is_main() {
            Some(Summary::text_after(kept, &planned.lines)?)
        } else {
            None
        };
        let lines: Vec<&str> = planned.lines.iter().map(|line| line.as_str()).collect();
        let uuids: Vec<Option<&[u8]>> = planned
            .lines
            .iter()
            .map(|line| line.uuid().map(str::as_bytes))
            .collect();
        let writer = self.batch.writer.as_str().as_bytes();
        let (next, first) = (signed(planned.next)?, signed(state.lines)?);
        let bytes: usize = lines.iter().map(|line| line.len()).sum();
        let bytes = i64::try_from(bytes).map_err(StoreError::refused)?;
        let epoch = self.batch.epoch.map(|epoch| signed(epoch.0)).transpose()?;
        let mut params: Vec<Param<'_>> = vec![
            (&state.session, Type::INT8),
            (&state.transcript, Type::INT8),
            (&writer, Type::BYTEA),
            (&next, Type::INT8),
            (&first, Type::INT8),
            (&uuids, Type::BYTEA_ARRAY),
            (&lines, Type::TEXT_ARRAY),
            (&summary, Type::TEXT),
            (&bytes, Type::INT8),
        ];
        let mut held = "";
        if let Some(epoch) = &epoch {
            held = "AND epoch = $10";
            params.push((epoch, Type::INT8));
        }
        let sql = self.store.schema.sql(&STORE.replace("{held}", held));
        let stored = self.lease.commit(self.lease.query(&sql, &params));
        let stored = self.deadline.storing(stored).await?;
        if !stored.is_empty() {
            return Ok(Appended::new(new, state.lines + new));
        }
        // Nothing was stored, because another owner has claimed the session since the plan was made, or because the
        // session was deleted.
        Err(self.refusal().await?)
    }

    /// Returns the error that explains why no line was stored for the session.
    async fn refusal(&self) -> Result<StoreError, StoreError> {
        let question = self.lease.transact(self.state_query());
        let rows = self.deadline.storing_nothing(question).await;
        let state = State::read(&rows.map_err(StoreError::nothing_stored)?)?;
        Ok(match self.batch.epoch {
            Some(epoch) if state.newest.epoch != epoch => state.newest.superseded(epoch),
            _ if state.is_deleted => self.deleted(),
            _ => StoreError::corrupt("a transcript without its session"),
        })
    }

    fn deleted(&self) -> StoreError {
        let session = self.session.clone();
        StoreError::Deleted { session }
    }

    /// Runs a statement whose only parameters are the names of the transcript.
    async fn key_query(&self, sql: &str) -> Result<Vec<Row>, Error> {
        let params = self.key.params();
        // The server refuses a parameter that the statement does not use. So the subpath is passed only if the
        // statement contains `$3`.
        let used = if sql.contains("$3") {
            &params[..]
        } else {
            &params[..2]
        };
        self.lease.query(&self.store.schema.sql(sql), used).await
    }

    async fn state_query(&self) -> Result<Vec<Row>, Error> {
        let [project, session, subpath] = self.key.params();
        let writer = self.batch.writer.as_str().as_bytes();
        let uuids: Vec<&[u8]> = self.uuids.iter().map(|uuid| uuid.as_bytes()).collect();
        let params = [
            project,
            session,
            subpath,
            (&writer as _, Type::BYTEA),
            (&uuids as _, Type::BYTEA_ARRAY),
            (&SUMMARY_LIMIT as _, Type::INT8),
        ];
        self.lease
            .query(&self.store.schema.sql(STATE), &params)
            .await
    }
}

impl State {
    fn read(rows: &[Row]) -> Result<Self, StoreError> {
        let Some(row) = rows.first() else {
            return Ok(Self::default());
        };
        let read = || -> Result<_, Error> {
            let lines: Option<i64> = row.try_get(5)?;
            let next: Option<i64> = row.try_get(8)?;
            let known: Vec<i64> = row.try_get(9)?;
            let summary: Option<String> = row.try_get(6)?;
            Ok((
                row.try_get(0)?,
                row.try_get(4)?,
                lines,
                next,
                known,
                summary,
                row.try_get::<_, bool>(7)?,
                row.try_get(10)?,
            ))
        };
        let (session, transcript, lines, next, known, summary, has_no_summary, is_deleted) =
            read().map_err(unreadable)?;
        if summary.is_none() && !has_no_summary {
            return Err(StoreError::corrupt(format!(
                "a summary has more than {SUMMARY_LIMIT} bytes"
            )));
        }
        Ok(Self {
            session,
            transcript,
            newest: read_claim(row, 1)?,
            is_deleted,
            lines: unsigned(lines.unwrap_or(0))?,
            next: unsigned(next.unwrap_or(0))?,
            summary,
            // The server's indexes begin at 1, so 1 is subtracted.
            known: known
                .into_iter()
                .filter_map(|at| usize::try_from(at).ok()?.checked_sub(1))
                .collect(),
        })
    }
}

//! Lists of sessions and transcripts, and their deletion.

use futures::future::{BoxFuture, FutureExt as _, join3};
use futures::stream::{self, BoxStream, StreamExt as _, TryStreamExt as _};
use tokio_postgres::Row;
use tokio_postgres::types::Type;

use super::append::{SUMMARY_LIMIT, read_summary};
use super::failure::{corrupt, unreadable};
use super::{Key, PostgresStore};
use crate::{
    DeleteSession, ListSessions, ListSubkeys, ListedSession, SessionRef, StoreError, StoreKey,
    Subpath,
};

/// The number of sessions or transcripts in a page.
const PAGE: i64 = 100;

/// The maximum number of transcripts of a session, without the main one.
const MOST_SUBKEYS: usize = 100_000;

/// Names are cut to one byte more than a key allows, so a name that is too long stays too long. A transcript without
/// lines was created for lines that were then refused, and is skipped.
const SESSIONS: &str = "
    SELECT left(s.project, 1025), left(s.session, 1025), (extract(epoch FROM t.modified) * 1000)::bigint,
        CASE WHEN octet_length(t.summary) <= $4 THEN t.summary END, t.summary IS NULL
    FROM {s}.sessions s JOIN {s}.transcripts t ON t.session_id = s.id AND t.subpath = ''
    WHERE (s.project, s.session) > ($1, $2) AND ($3 IS NULL OR s.project = $3) AND t.lines > 0
    ORDER BY s.project, s.session LIMIT $5";

const SUBKEYS: &str = "
    SELECT left(t.subpath, 1025) FROM {s}.sessions s JOIN {s}.transcripts t ON t.session_id = s.id
    WHERE s.project = $1 AND s.session = $2 AND t.subpath > $3 AND t.lines > 0
    ORDER BY t.subpath LIMIT $4";

/// Locks the transcripts to delete, so that no append to them is in progress.
const LOCK: &str = "
    SELECT t.id FROM {s}.transcripts t JOIN {s}.sessions s ON t.session_id = s.id
    WHERE s.project = $1 AND s.session = $2 AND ($3 = '' OR t.subpath = $3)
    ORDER BY t.id FOR UPDATE OF t";

const DELETES: [&str; 3] = [
    "DELETE FROM {s}.lines WHERE transcript = ANY ($1)",
    "DELETE FROM {s}.writers WHERE transcript = ANY ($1)",
    "DELETE FROM {s}.transcripts WHERE id = ANY ($1)",
];

impl PostgresStore {
    /// Reads the sessions after `after`, and returns them and the last of them. Returns `None` at the end.
    async fn sessions_page(
        &self,
        project: Option<&str>,
        after: (String, String),
    ) -> Result<Option<(Vec<ListedSession>, (String, String))>, StoreError> {
        let params = [
            (&after.0 as _, Type::TEXT),
            (&after.1 as _, Type::TEXT),
            (&project as _, Type::TEXT),
            (&SUMMARY_LIMIT as _, Type::INT8),
            (&PAGE as _, Type::INT8),
        ];
        let rows = self.pool.read(&self.schema.sql(SESSIONS), &params).await?;
        let page: Vec<_> = rows.iter().map(read_listed).collect::<Result<_, _>>()?;
        let last = page.last().map(|listed| {
            let session = &listed.session;
            (session.project().to_owned(), session.session().to_owned())
        });
        Ok(last.map(|last| (page, last)))
    }

    async fn subkeys_of(&self, session: &SessionRef) -> Result<Vec<Subpath>, StoreError> {
        let sql = self.schema.sql(SUBKEYS);
        let mut found: Vec<Subpath> = Vec::new();
        loop {
            let (project, name) = (session.project(), session.session());
            // The empty subpath is the main transcript.
            let after = found.last().map_or("", Subpath::as_str).to_owned();
            let params = [
                (&project as _, Type::TEXT),
                (&name as _, Type::TEXT),
                (&after as _, Type::TEXT),
                (&PAGE as _, Type::INT8),
            ];
            let rows = self.pool.read(&sql, &params).await?;
            if rows.is_empty() {
                return Ok(found);
            }
            for row in rows {
                let subpath: &str = row.try_get(0).map_err(unreadable)?;
                found.push(Subpath::new(subpath).map_err(StoreError::corrupt)?);
            }
            if found.len() > MOST_SUBKEYS {
                return Err(corrupt(format!(
                    "a session has more than {MOST_SUBKEYS} transcripts"
                )));
            }
        }
    }

    async fn delete_lines(&self, key: &StoreKey) -> Result<(), StoreError> {
        let deadline = self.pool.deadline();
        let lease = self.pool.lease(deadline).await?;
        let (lock, key) = (self.schema.sql(LOCK), Key::of(key));
        let params = key.params();
        let locked = lease.begin(lease.query(&lock, &params));
        let rows = deadline.storing_nothing(locked).await?;
        let ids = rows.iter().map(|row| row.try_get(0).map_err(unreadable));
        let ids: Vec<i64> = ids.collect::<Result<_, _>>()?;
        let [lines, writers, transcripts] = DELETES.map(|sql| self.schema.sql(sql));
        let params = [(&ids as _, Type::INT8_ARRAY)];
        let deletes = async {
            let (lines, writers, transcripts) = join3(
                lease.query(&lines, &params),
                lease.query(&writers, &params),
                lease.query(&transcripts, &params),
            )
            .await;
            lines.and(writers).and(transcripts)
        };
        deadline.storing(lease.commit(deletes)).await?;
        lease.keep();
        Ok(())
    }
}

fn read_listed(row: &Row) -> Result<ListedSession, StoreError> {
    let (project, session): (&str, &str) = (
        row.try_get(0).map_err(unreadable)?,
        row.try_get(1).map_err(unreadable)?,
    );
    let session = SessionRef::new(project, session).map_err(StoreError::corrupt)?;
    let modified: Option<i64> = row.try_get(2).map_err(unreadable)?;
    let summary: Option<&str> = row.try_get(3).map_err(unreadable)?;
    if summary.is_none() && !row.try_get::<_, bool>(4).map_err(unreadable)? {
        return Err(corrupt(format!(
            "the summary of {session} has more than {SUMMARY_LIMIT} bytes"
        )));
    }
    Ok(ListedSession {
        summary: summary.map(read_summary).transpose()?,
        ..ListedSession::new(session, modified.unwrap_or(0))
    })
}

impl ListSessions for PostgresStore {
    fn sessions<'a>(
        &'a self,
        project: Option<&'a str>,
    ) -> BoxStream<'a, Result<ListedSession, StoreError>> {
        let first = (project.unwrap_or("").to_owned(), String::new());
        let pages = stream::try_unfold(first, move |after| self.sessions_page(project, after));
        pages
            .map_ok(|page| stream::iter(page.into_iter().map(Ok)))
            .try_flatten()
            .boxed()
    }
}

impl ListSubkeys for PostgresStore {
    fn subkeys<'a>(
        &'a self,
        session: &'a SessionRef,
    ) -> BoxFuture<'a, Result<Vec<Subpath>, StoreError>> {
        self.subkeys_of(session).boxed()
    }
}

impl DeleteSession for PostgresStore {
    fn delete<'a>(&'a self, key: &'a StoreKey) -> BoxFuture<'a, Result<(), StoreError>> {
        self.delete_lines(key).boxed()
    }
}

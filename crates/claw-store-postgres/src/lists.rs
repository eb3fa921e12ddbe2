//! Lists of sessions and transcripts, and their deletion.

use claw_store::adapter::{pages, subkeys_in_pages};
use claw_store::{ListedSession, SessionRef, StoreError, StoreKey, Subpath, Summary};
use futures::future::join3;
use futures::stream::BoxStream;
use tokio_postgres::Row;
use tokio_postgres::types::Type;

use crate::append::SUMMARY_LIMIT;
use crate::failure::unreadable;
use crate::sizes::Size;
use crate::{Key, Param, Store};

/// The number of sessions or transcripts in a page.
const PAGE: i64 = 100;

/// Reads list entries. A condition follows. Names are cut to one byte more than a key allows, so that a name that is too long is still
/// recognised. A transcript without lines is skipped: it was created for lines that were then refused. The revision
/// consists of the IDs of all transcripts and of their numbers of lines. An ID is never used again, and a number of
/// lines only grows.
const ENTRIES: &str = "
    SELECT left(s.project, 1025), left(s.session, 1025), (extract(epoch FROM t.modified) * 1000)::bigint,
        CASE WHEN octet_length(t.summary) <= $1 THEN t.summary END, t.summary IS NULL, (
            SELECT encode(sha256(convert_to(string_agg(o.id || ':' || o.lines, ' ' ORDER BY o.id), 'UTF8')), 'hex')
            FROM {s}.transcripts o WHERE o.session_id = s.id
        ), t.id, t.lines, t.sized, t.bytes
    FROM {s}.sessions s JOIN {s}.transcripts t ON t.session_id = s.id AND t.subpath = ''
    WHERE t.lines > 0";

/// The condition for a page of a list.
const OF_PAGE: &str = "
    AND (s.project, s.session) > ($2, $3) AND ($4 IS NULL OR s.project = $4)
    ORDER BY s.project, s.session LIMIT $5";

/// The condition for one session.
const OF_SESSION: &str = " AND s.project = $2 AND s.session = $3";

const SUBKEYS: &str = "
    SELECT left(t.subpath, 1025) FROM {s}.sessions s JOIN {s}.transcripts t ON t.session_id = s.id
    WHERE s.project = $1 AND s.session = $2 AND t.subpath > $3 AND t.lines > 0
    ORDER BY t.subpath LIMIT $4";

/// Locks the transcripts that are to be deleted, so that no append to them is in progress.
const LOCK: &str = "
    SELECT t.id FROM {s}.transcripts t JOIN {s}.sessions s ON t.session_id = s.id
    WHERE s.project = $1 AND s.session = $2 AND ($3 = '' OR t.subpath = $3)
    ORDER BY t.id FOR UPDATE OF t";

const TOMBSTONE: &str = "
    INSERT INTO {s}.sessions AS s (project, session, deleted) VALUES ($1, $2, clock_timestamp())
    ON CONFLICT (project, session) DO UPDATE SET deleted = coalesce(s.deleted, clock_timestamp())";

const IS_DELETED: &str = "
    SELECT FROM {s}.sessions WHERE project = $1 AND session = $2 AND deleted IS NOT NULL";

const DELETES: [&str; 3] = [
    "DELETE FROM {s}.lines WHERE transcript = ANY ($1)",
    "DELETE FROM {s}.writers WHERE transcript = ANY ($1)",
    "DELETE FROM {s}.transcripts WHERE id = ANY ($1)",
];

impl Store {
    /// Reads the list entries for which a condition holds.
    async fn entries(
        &self,
        condition: &str,
        params: &[Param<'_>],
    ) -> Result<Vec<ListedSession>, StoreError> {
        let sql = self.schema.sql(&format!("{ENTRIES}{condition}"));
        let rows = self.pool.read(&sql, params).await?;
        let entries: Vec<_> = rows.iter().map(read_listed).collect::<Result<_, _>>()?;
        let (entries, mut sizes): (Vec<_>, Vec<_>) = entries.into_iter().unzip();
        self.measure(&mut sizes).await;
        let entries = entries.into_iter().zip(&sizes);
        Ok(entries
            .map(|(listed, size)| listed.size(size.total()))
            .collect())
    }

    pub(crate) async fn entry_of(
        &self,
        session: &SessionRef,
    ) -> Result<Option<ListedSession>, StoreError> {
        let (project, name) = (session.project(), session.session());
        let params = [
            (&SUMMARY_LIMIT as _, Type::INT8),
            (&project as _, Type::TEXT),
            (&name as _, Type::TEXT),
        ];
        Ok(self.entries(OF_SESSION, &params).await?.pop())
    }

    /// Reads the sessions that follow `after`. Returns these sessions, and the last of them, from which the next page
    /// continues. Returns `None` at the end.
    async fn sessions_page(
        &self,
        project: Option<&str>,
        after: (String, String),
    ) -> Result<Option<(Vec<ListedSession>, (String, String))>, StoreError> {
        let params = [
            (&SUMMARY_LIMIT as _, Type::INT8),
            (&after.0 as _, Type::TEXT),
            (&after.1 as _, Type::TEXT),
            (&project as _, Type::TEXT),
            (&PAGE as _, Type::INT8),
        ];
        let page = self.entries(OF_PAGE, &params).await?;
        Ok(page.last().map(place).map(|last| (page, last)))
    }

    pub(crate) fn list_sessions<'a>(
        &'a self,
        project: Option<&'a str>,
    ) -> BoxStream<'a, Result<ListedSession, StoreError>> {
        let first = (project.unwrap_or("").to_owned(), String::new());
        pages(first, move |after| self.sessions_page(project, after))
    }

    /// Reads the subpaths that follow `after`. If `after` is empty, reads all subpaths, because the main transcript has
    /// the empty subpath.
    async fn subkeys_page(
        &self,
        session: &SessionRef,
        after: Option<Subpath>,
    ) -> Result<Vec<Subpath>, StoreError> {
        let (project, name) = (session.project(), session.session());
        let after = after.as_ref().map_or("", Subpath::as_str);
        let params = [
            (&project as _, Type::TEXT),
            (&name as _, Type::TEXT),
            (&after as _, Type::TEXT),
            (&PAGE as _, Type::INT8),
        ];
        let rows = self.pool.read(&self.schema.sql(SUBKEYS), &params).await?;
        rows.iter().map(read_subpath).collect()
    }

    pub(crate) async fn subkeys_of(
        &self,
        session: &SessionRef,
    ) -> Result<Vec<Subpath>, StoreError> {
        subkeys_in_pages(|after| self.subkeys_page(session, after)).await
    }

    pub(crate) async fn delete_lines(&self, key: &StoreKey) -> Result<(), StoreError> {
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

    pub(crate) async fn delete_for_good(&self, session: &SessionRef) -> Result<(), StoreError> {
        let deadline = self.pool.deadline();
        let lease = self.pool.lease(deadline).await?;
        // The tombstone is written in a separate transaction, because an append locks its transcript before the
        // session's row. After this transaction, no append stores a line.
        let (sql, main) = (self.schema.sql(TOMBSTONE), session.main());
        let key = Key::of(&main);
        let params = key.params();
        let left = lease.transact(lease.query(&sql, &params[..2]));
        deadline.storing(left).await?;
        lease.keep();
        let deleted = self.delete_lines(&main).await;
        deleted.map_err(StoreError::maybe_stored)
    }

    pub(crate) async fn has_tombstone(&self, session: &SessionRef) -> Result<bool, StoreError> {
        let (sql, main) = (self.schema.sql(IS_DELETED), session.main());
        let rows = self.pool.read(&sql, &Key::of(&main).params()[..2]).await?;
        Ok(!rows.is_empty())
    }
}

/// Returns the project and the ID of a session. Lists are ordered by this pair.
pub(crate) fn place(listed: &ListedSession) -> (String, String) {
    let session = &listed.session;
    (session.project().to_owned(), session.session().to_owned())
}

/// Parses the subpath from a row that has no other column.
pub(crate) fn read_subpath(row: &Row) -> Result<Subpath, StoreError> {
    let subpath: &str = row.try_get(0).map_err(unreadable)?;
    Subpath::new(subpath).map_err(StoreError::corrupt)
}

fn read_listed(row: &Row) -> Result<(ListedSession, Size), StoreError> {
    let (project, session): (&str, &str) = (
        row.try_get(0).map_err(unreadable)?,
        row.try_get(1).map_err(unreadable)?,
    );
    let session = SessionRef::new(project, session).map_err(StoreError::corrupt)?;
    let modified: Option<i64> = row.try_get(2).map_err(unreadable)?;
    let summary: Option<&str> = row.try_get(3).map_err(unreadable)?;
    if summary.is_none() && !row.try_get::<_, bool>(4).map_err(unreadable)? {
        return Err(StoreError::corrupt(format!(
            "the summary of {session} has more than {SUMMARY_LIMIT} bytes"
        )));
    }
    let summary = summary.map(|text| Summary::parse(text.as_bytes()));
    let revision = row.try_get(5).map_err(unreadable)?;
    let listed = ListedSession::new(session, modified.unwrap_or(0)).summary(summary.transpose()?);
    let [id, lines, sized, bytes] =
        [6, 7, 8, 9].map(|column| row.try_get(column).map_err(unreadable));
    let size = Size::new(id?, lines?, sized?, bytes?);
    Ok((listed.revision(revision), size))
}

//! Rows that no session uses.

use claw_store::{Leftover, SessionRef, StoreError};
use tokio_postgres::Row;
use tokio_postgres::types::Type;

use crate::Store;
use crate::failure::unreadable;

/// The maximum number of leftovers of each kind that are named.
const NAMED: i64 = 10_000;

/// Finds the transcripts whose rows `lines` or `writers` has, and `transcripts` has not. Each step of the recursion takes
/// the next transcript from the index, so that the statement does not read all rows. `{table}` stands for the table.
const ROWS: &str = "
    WITH RECURSIVE found (id) AS (
        SELECT min(transcript) FROM {s}.{table}
        UNION ALL
        SELECT (SELECT min(r.transcript) FROM {s}.{table} r WHERE r.transcript > found.id)
        FROM found WHERE found.id IS NOT NULL
    )
    SELECT found.id, (SELECT count(*) FROM {s}.{table} r WHERE r.transcript = found.id)
    FROM found
    WHERE found.id IS NOT NULL AND NOT EXISTS (SELECT FROM {s}.transcripts t WHERE t.id = found.id)
    ORDER BY found.id LIMIT $1";

/// Finds the transcripts without a session.
const TRANSCRIPTS: &str = "
    SELECT t.id, t.lines FROM {s}.transcripts t
    WHERE NOT EXISTS (SELECT FROM {s}.sessions s WHERE s.id = t.session_id)
    ORDER BY t.id LIMIT $1";

/// Finds the sessions that have lines, but none in the main transcript. No list has these sessions.
const SESSIONS: &str = "
    SELECT left(s.project, 1025), left(s.session, 1025), sum(t.lines)::bigint
    FROM {s}.sessions s JOIN {s}.transcripts t ON t.session_id = s.id AND t.lines > 0
    GROUP BY s.id HAVING NOT bool_or(t.subpath = '')
    ORDER BY s.id LIMIT $1";

impl Store {
    pub(crate) async fn find_leftovers(&self) -> Result<Vec<Leftover>, StoreError> {
        let schema = &self.schema.name;
        let mut all = Vec::new();
        for table in ["lines", "writers"] {
            let sql = ROWS.replace("{table}", table);
            for row in self.some(&sql).await? {
                let (id, count) = read_counted(&row)?;
                let place = format!("{schema}.{table}, transcript {id}");
                let what = "the table transcripts has no such transcript";
                all.push(Leftover::unexplained(place, what, "row").of_size(count, None));
            }
        }
        for row in self.some(TRANSCRIPTS).await? {
            let (id, lines) = read_counted(&row)?;
            let place = format!("{schema}.transcripts, id {id}");
            let what = format!(
                "the table sessions has no session of this transcript, which has {lines} lines"
            );
            all.push(Leftover::unexplained(place, what, "row"));
        }
        for row in self.some(SESSIONS).await? {
            let project: &str = row.try_get(0).map_err(unreadable)?;
            let session: &str = row.try_get(1).map_err(unreadable)?;
            let lines: i64 = row.try_get(2).map_err(unreadable)?;
            let session = SessionRef::new(project, session).map_err(StoreError::corrupt)?;
            let what = "lines of a session that has no main transcript";
            let count = u64::try_from(lines).unwrap_or_default();
            let leftover = Leftover::unexplained(session.to_string(), what, "line");
            all.push(leftover.of_size(count, None));
        }
        Ok(all)
    }

    /// Runs a statement that returns at most [`NAMED`] rows.
    async fn some(&self, sql: &str) -> Result<Vec<Row>, StoreError> {
        let params = [(&NAMED as _, Type::INT8)];
        self.pool.read(&self.schema.sql(sql), &params).await
    }
}

/// Reads an ID and a count.
fn read_counted(row: &Row) -> Result<(i64, u64), StoreError> {
    let count: i64 = row.try_get(1).map_err(unreadable)?;
    Ok((
        row.try_get(0).map_err(unreadable)?,
        u64::try_from(count).unwrap_or_default(),
    ))
}

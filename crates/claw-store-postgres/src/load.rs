//! Loads the lines of a transcript in pages.

use claw_store::adapter::pages;
use claw_store::{Line, StoreError, StoreKey, StoredLine};
use futures::stream::BoxStream;
use tokio_postgres::Row;
use tokio_postgres::types::Type;

use crate::failure::unreadable;
use crate::{Key, Store, signed, unsigned};

/// The number of bytes after which a page ends. The line that reaches this number is still part of the page.
const PAGE_BYTES: i64 = 1 << 20;

/// The maximum number of lines in a page.
const PAGE_LINES: i64 = 1000;

const HEAD: &str = "
    SELECT t.id, t.lines FROM {s}.transcripts t JOIN {s}.sessions s ON t.session_id = s.id
    WHERE s.project = $1 AND s.session = $2 AND t.subpath = $3";

/// Reads a page. The column `bytes` contains the length of each line, so the server does not read lines that do not
/// fit.
const PAGE: &str = "
    SELECT position, bytes, CASE WHEN bytes <= $5 THEN line END FROM (
        SELECT position, bytes, line, sum(bytes) OVER (ORDER BY position) - bytes AS before FROM (
            SELECT position, octet_length(line)::bigint AS bytes, line FROM {s}.lines
            WHERE transcript = $1 AND position >= $2 AND position < $3
            ORDER BY position LIMIT $4
        ) lines
    ) sized
    WHERE before < $6 ORDER BY position";

/// The read position of a load.
#[derive(Clone, Copy)]
struct Cursor {
    transcript: i64,
    next: u64,
    /// The number of lines when the load began.
    lines: u64,
}

impl Store {
    pub(crate) fn load_lines<'a>(
        &'a self,
        key: &'a StoreKey,
    ) -> BoxStream<'a, Result<StoredLine, StoreError>> {
        pages(None, move |cursor| self.next_page(key, cursor))
    }

    /// Reads the page at a cursor. Without a cursor, reads the first page. Returns `None` at the end.
    async fn next_page(
        &self,
        key: &StoreKey,
        cursor: Option<Cursor>,
    ) -> Result<Option<(Vec<StoredLine>, Option<Cursor>)>, StoreError> {
        let cursor = match cursor {
            Some(cursor) => Some(cursor),
            None => self.head(key).await?,
        };
        let Some(cursor) = cursor.filter(|cursor| cursor.next < cursor.lines) else {
            return Ok(None);
        };
        let page = self.page(key, cursor).await?;
        let next = cursor.next + page.len() as u64;
        Ok(Some((page, Some(Cursor { next, ..cursor }))))
    }

    async fn head(&self, key: &StoreKey) -> Result<Option<Cursor>, StoreError> {
        let rows = self
            .pool
            .read(&self.schema.sql(HEAD), &Key::of(key).params())
            .await?;
        let Some(row) = rows.first() else {
            return Ok(None);
        };
        Ok(Some(Cursor {
            transcript: row.try_get(0).map_err(unreadable)?,
            next: 0,
            lines: unsigned(row.try_get(1).map_err(unreadable)?)?,
        }))
    }

    /// Reads the lines from the cursor on. A page contains at least one line.
    async fn page(&self, key: &StoreKey, cursor: Cursor) -> Result<Vec<StoredLine>, StoreError> {
        let (from, to) = (signed(cursor.next)?, signed(cursor.lines)?);
        let limit = i64::try_from(self.line_limit).unwrap_or(i64::MAX);
        let params = [
            (&cursor.transcript as _, Type::INT8),
            (&from as _, Type::INT8),
            (&to as _, Type::INT8),
            (&PAGE_LINES as _, Type::INT8),
            (&limit as _, Type::INT8),
            (&PAGE_BYTES as _, Type::INT8),
        ];
        let rows = self.pool.read(&self.schema.sql(PAGE), &params).await?;
        let missing = |position| StoreError::Incomplete {
            key: key.clone(),
            what: format!("line {position} of {} is missing", cursor.lines),
        };
        if rows.is_empty() {
            return Err(missing(cursor.next));
        }
        let lines = rows.into_iter().zip(cursor.next..).map(|(row, expected)| {
            if read_position(&row)? != expected {
                return Err(missing(expected));
            }
            Ok(StoredLine::new(expected, self.read_line(&row, expected)?))
        });
        lines.collect()
    }

    fn read_line(&self, row: &Row, position: u64) -> Result<Line, StoreError> {
        let bytes: i64 = row.try_get(1).map_err(unreadable)?;
        let text: Option<&str> = row.try_get(2).map_err(unreadable)?;
        let text = text.ok_or_else(|| {
            StoreError::corrupt(format!(
                "line {position} has {bytes} bytes, and the limit is {}",
                self.line_limit
            ))
        })?;
        Line::new(text).map_err(|error| StoreError::corrupt(format!("line {position}: {error}")))
    }
}

fn read_position(row: &Row) -> Result<u64, StoreError> {
    unsigned(row.try_get(0).map_err(unreadable)?)
}

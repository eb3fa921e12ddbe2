//! Tables that the example adapters of the official SDKs have written.

use std::fmt;

use claw_store::adapter::{MOST_SUBKEYS, ReadAdapter, check_subkeys, pages};
use claw_store::{Line, ListedSession, SessionRef, StoreError, StoreKey, StoredLine, Subpath};
use claw_types::{Json, Map};
use futures::stream::BoxStream;
use tokio_postgres::tls::{MakeTlsConnect, TlsConnect};
use tokio_postgres::types::Type;
use tokio_postgres::{NoTls, Row, Socket};

use crate::failure::unreadable;
use crate::lists::{place, read_subpath};
use crate::pool::Pool;
use crate::{Builder, Key};

/// The number of bytes after which a page ends. The entry that reaches this number is still part of the page. The
/// server counts the stored bytes, which are fewer than the bytes of the text.
const PAGE_BYTES: i64 = 256 << 10;

/// The maximum number of entries, sessions or transcripts in a page.
const PAGE: i64 = 1000;

/// A table that the Postgres example adapter of an official SDK writes. The adapters of the TypeScript SDK and the
/// Python SDK need different tables, so one table never has data of both.
#[derive(Debug, Clone)]
pub struct ForeignTable {
    layout: Layout,
    name: String,
}

#[derive(Debug, Clone, Copy)]
enum Layout {
    TypeScript,
    Python,
}

/// A store that reads the sessions of a [`ForeignTable`]. [`copy_session`](claw_store::copy_session) can copy them to
/// another store.
///
/// This store is read-only. The table keeps JSON values, not text: an entry comes back with its fields in another order,
/// `type` first. The table does not number entries, so entries that were removed or stored twice cannot be detected.
pub struct ForeignStore {
    pool: Pool,
    table: Table,
    line_limit: usize,
}

/// The parts of the statements that depend on the table.
struct Table {
    /// The name of the table as it is written in statements.
    name: String,
    /// The column by which entries are ordered.
    order: &'static str,
    /// The expression for the time at which an entry was stored, in milliseconds.
    stored: &'static str,
    /// The condition for entries of the main transcript.
    is_main: &'static str,
}

impl ForeignTable {
    /// The table of the TypeScript SDK's example: `claude_session_entries`.
    pub fn typescript() -> Self {
        Self {
            layout: Layout::TypeScript,
            name: "claude_session_entries".to_owned(),
        }
    }

    /// The table of the Python SDK's example: `claude_session_store`.
    pub fn python() -> Self {
        Self {
            layout: Layout::Python,
            name: "claude_session_store".to_owned(),
        }
    }

    /// Sets the name of the table, such as `schema.table`, in place of the default name.
    #[must_use]
    pub fn named(mut self, name: impl Into<String>) -> Self {
        self.name = name.into();
        self
    }

    fn table(&self) -> Result<Table, StoreError> {
        // The examples write the name without quotes, so the server converts it to lower case. The same is done here.
        let name = self.name.to_ascii_lowercase();
        let parts: Vec<_> = name.split('.').collect();
        let fits = parts.len() <= 2
            && parts.iter().all(|part| {
                part.starts_with(|char: char| char.is_ascii_lowercase() || char == '_')
                    && part
                        .bytes()
                        .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
            });
        if !fits {
            return Err(StoreError::refused("the name of the table is none"));
        }
        let name = parts.join("\".\"");
        Ok(match self.layout {
            Layout::TypeScript => Table {
                name: format!("\"{name}\""),
                order: "id",
                stored: "(extract(epoch FROM created_at) * 1000)::bigint",
                is_main: "subpath IS NULL",
            },
            Layout::Python => Table {
                name: format!("\"{name}\""),
                order: "seq",
                stored: "mtime",
                is_main: "subpath = ''",
            },
        })
    }
}

impl Table {
    fn sql(&self, text: &str) -> String {
        text.replace("{table}", &self.name)
            .replace("{order}", self.order)
            .replace("{stored}", self.stored)
            .replace("{is_main}", self.is_main)
    }
}

impl ForeignStore {
    /// Connects with the settings of a builder, as [`Builder::connect`] does. The settings `schema` and `migrate` have no
    /// effect here.
    ///
    /// # Errors
    ///
    /// Fails with the same errors as [`Builder::connect`]. Also fails with [`StoreError::Refused`] if the
    /// table does not exist.
    pub async fn connect(settings: Builder, table: ForeignTable) -> Result<Self, StoreError> {
        #[cfg(feature = "tls")]
        if let Some(tls) = settings.connector()? {
            return Self::connect_with(settings, table, tls).await;
        }
        Self::connect_with(settings, table, NoTls).await
    }

    /// Connects through a connector of your program, as [`Builder::connect_with`] does.
    ///
    /// # Errors
    ///
    /// Fails with the same errors as [`connect`](Self::connect).
    pub async fn connect_with<T>(
        settings: Builder,
        table: ForeignTable,
        tls: T,
    ) -> Result<Self, StoreError>
    where
        T: MakeTlsConnect<Socket> + Clone + Send + Sync + 'static,
        T::Stream: Send + 'static,
        T::TlsConnect: Send,
        <T::TlsConnect as TlsConnect<Socket>>::Future: Send,
    {
        let store = Self {
            pool: settings.pool(tls)?,
            table: table.table()?,
            line_limit: settings.line_limit,
        };
        let columns = "
            SELECT {order}, project_key, session_id, subpath, entry, {stored} FROM {table} LIMIT 0";
        store.pool.read(&store.table.sql(columns), &[]).await?;
        Ok(store)
    }

    /// Reads the entries that follow `after` in the table's order. `position` is the position of the first of these
    /// entries.
    async fn page(
        &self,
        key: &StoreKey,
        (after, position): (i64, u64),
    ) -> Result<Option<(Vec<StoredLine>, (i64, u64))>, StoreError> {
        let which = match key.subpath() {
            None => "{is_main}",
            Some(_) => "subpath = $3",
        };
        let sql = "
            SELECT place, bytes, CASE WHEN bytes <= $7 THEN text END FROM (
                SELECT place, octet_length(text)::bigint AS bytes, text FROM (
                    SELECT place, entry::text AS text FROM (
                        SELECT {order}::bigint AS place, entry,
                            sum(pg_column_size(entry)) OVER (ORDER BY {order}) - pg_column_size(entry) AS before
                        FROM (
                            SELECT {order}, entry FROM {table}
                            WHERE project_key = $1 AND session_id = $2 AND {which}
                                AND {order} > $4
                            ORDER BY {order} LIMIT $5
                        ) rows
                    ) sized
                    WHERE before < $6 OFFSET 0
                ) texts
            ) measured
            ORDER BY place";
        let sql = self.table.sql(&sql.replace("{which}", which));
        let limit = i64::try_from(self.line_limit).unwrap_or(i64::MAX);
        let of = Key::of(key);
        let [project, session, subpath] = of.params();
        let params = [
            project,
            session,
            subpath,
            (&after as _, Type::INT8),
            (&PAGE as _, Type::INT8),
            (&PAGE_BYTES as _, Type::INT8),
            (&limit as _, Type::INT8),
        ];
        let rows = self.pool.read(&sql, &params).await?;
        let Some(last) = rows.last() else {
            return Ok(None);
        };
        let last: i64 = last.try_get(0).map_err(unreadable)?;
        let lines = rows
            .iter()
            .zip(position..)
            .map(|(row, position)| Ok(StoredLine::new(position, self.read_line(row, position)?)));
        let lines: Vec<_> = lines.collect::<Result<_, StoreError>>()?;
        let next = position + lines.len() as u64;
        Ok(Some((lines, (last, next))))
    }

    fn read_line(&self, row: &Row, position: u64) -> Result<Line, StoreError> {
        let bytes: i64 = row.try_get(1).map_err(unreadable)?;
        let text: Option<&str> = row.try_get(2).map_err(unreadable)?;
        let text = text.ok_or_else(|| {
            StoreError::corrupt(format!(
                "entry {position} has {bytes} bytes, and the limit is {}",
                self.line_limit
            ))
        })?;
        let line = as_line(text).and_then(|text| Line::new(text).ok());
        line.ok_or_else(|| StoreError::corrupt(format!("entry {position} is not a JSON object")))
    }

    /// Reads the sessions that follow `after`.
    async fn sessions_page(
        &self,
        project: Option<&str>,
        after: (String, String),
    ) -> Result<Option<(Vec<ListedSession>, (String, String))>, StoreError> {
        let sql = self.table.sql(
            "SELECT left(project_key, 1025), left(session_id, 1025), max({stored}) FROM {table}
            WHERE {is_main} AND (project_key, session_id) > ($1, $2) AND ($3 IS NULL OR project_key = $3)
            GROUP BY project_key, session_id ORDER BY project_key, session_id LIMIT $4",
        );
        let params = [
            (&after.0 as _, Type::TEXT),
            (&after.1 as _, Type::TEXT),
            (&project as _, Type::TEXT),
            (&PAGE as _, Type::INT8),
        ];
        let rows = self.pool.read(&sql, &params).await?;
        let page: Vec<_> = rows.iter().map(read_listed).collect::<Result<_, _>>()?;
        Ok(page.last().map(place).map(|last| (page, last)))
    }
}

fn read_listed(row: &Row) -> Result<ListedSession, StoreError> {
    let project: &str = row.try_get(0).map_err(unreadable)?;
    let session: &str = row.try_get(1).map_err(unreadable)?;
    let modified: Option<i64> = row.try_get(2).map_err(unreadable)?;
    let session = SessionRef::new(project, session).map_err(StoreError::corrupt)?;
    Ok(ListedSession::new(session, modified.unwrap_or(0)))
}

/// Converts an entry to the form in which the CLI writes it. There are no spaces between values, and the field `type`
/// comes first, because readers expect that.
fn as_line(text: &str) -> Option<String> {
    let mut compact = String::with_capacity(text.len());
    let (mut in_string, mut is_escaped) = (false, false);
    for char in text.chars() {
        if in_string {
            in_string = is_escaped || char != '"';
            is_escaped = char == '\\' && !is_escaped;
        } else if char.is_ascii_whitespace() {
            continue;
        } else {
            in_string = char == '"';
        }
        compact.push(char);
    }
    let fields: Map<Json> = serde_json::from_str(&compact).ok()?;
    let mut fields: Vec<_> = fields.iter().collect();
    fields.sort_by_key(|(name, _)| *name != "type");
    let mut line = String::with_capacity(compact.len());
    for (name, value) in fields {
        line.push(if line.is_empty() { '{' } else { ',' });
        line.push_str(&serde_json::to_string(name).ok()?);
        line.push(':');
        line.push_str(value.as_raw());
    }
    line.push_str(if line.is_empty() { "{}" } else { "}" });
    Some(line)
}

impl fmt::Debug for ForeignStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ForeignStore")
            .field("table", &self.table.name)
            .finish_non_exhaustive()
    }
}

impl ReadAdapter for ForeignStore {
    fn load<'a>(&'a self, key: &'a StoreKey) -> BoxStream<'a, Result<StoredLine, StoreError>> {
        pages((i64::MIN, 0), move |cursor| self.page(key, cursor))
    }

    fn sessions<'a>(
        &'a self,
        project: Option<&'a str>,
    ) -> BoxStream<'a, Result<ListedSession, StoreError>> {
        let first = (project.unwrap_or("").to_owned(), String::new());
        pages(first, move |after| self.sessions_page(project, after))
    }

    async fn subkeys(&self, session: &SessionRef) -> Result<Vec<Subpath>, StoreError> {
        let sql = self.table.sql(
            "SELECT DISTINCT left(subpath, 1025) FROM {table}
            WHERE project_key = $1 AND session_id = $2 AND NOT ({is_main}) LIMIT $3",
        );
        let (project, name) = (session.project(), session.session());
        let most = i64::try_from(MOST_SUBKEYS).unwrap_or(i64::MAX);
        let more = most.saturating_add(1);
        let params = [
            (&project as _, Type::TEXT),
            (&name as _, Type::TEXT),
            (&more as _, Type::INT8),
        ];
        let rows = self.pool.read(&sql, &params).await?;
        check_subkeys(rows.len())?;
        rows.iter().map(read_subpath).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_is_written_as_the_cli_writes_it() {
        let text = r#"{"a": [1, {"b": " , \" : \\"}], "n": 1.0000000000000000001, "type": "user"}"#;
        let line = r#"{"type":"user","a":[1,{"b":" , \" : \\"}],"n":1.0000000000000000001}"#;
        assert_eq!(as_line(text).as_deref(), Some(line));
        assert_eq!(as_line("{}").as_deref(), Some("{}"));
        assert_eq!(as_line("[1]"), None);
        assert_eq!(as_line("7"), None);
    }
}

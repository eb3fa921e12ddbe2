//! Redis servers that the example adapters of the official SDKs have written to.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::LazyLock;

use claw_store::adapter::{ReadAdapter, items, pages};
use claw_store::{ListedSession, SessionRef, StoreError, StoreKey, StoredLine, Subpath};
use futures::stream::BoxStream;
use redis::{Cmd, Script, Value};

use crate::load::{PAGE_BYTES, PAGE_LINES, READ, read_line};
use crate::server::Server;
use crate::{Builder, read};

/// The maximum number of projects, sessions or transcripts in a list.
const MOST: usize = 100_000;

/// Reads lines from a position.
static PAGE: LazyLock<Script> = LazyLock::new(|| {
    Script::new(&format!(
        "{READ}
        return read(KEYS[1], tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4]))"
    ))
});

/// A store for sessions that the Redis example adapter of an official SDK has written into a Redis server.
/// [`copy_session`](claw_store::copy_session) can copy these sessions to another store. The adapters of both official SDKs
/// keep the lines of a transcript in a list under `PREFIX:PROJECT:SESSION[:SUBPATH]`.
///
/// This store is read-only. Lines that were removed or stored twice cannot be detected.
pub struct ForeignStore {
    server: Server,
    /// The prefix of the keys, with a colon at its end. Empty if the keys have no prefix.
    prefix: String,
    line_limit: usize,
}

impl ForeignStore {
    /// Creates a store with the settings of a builder. An empty prefix means keys without a prefix. The first call
    /// connects to the server.
    ///
    /// # Errors
    ///
    /// Fails with [`StoreError::Refused`] for an invalid URL.
    pub fn new(settings: &Builder) -> Result<Self, StoreError> {
        let prefix = settings.prefix.trim_end_matches(':');
        Ok(Self {
            server: settings.server()?,
            prefix: if prefix.is_empty() {
                String::new()
            } else {
                format!("{prefix}:")
            },
            line_limit: settings.line_limit,
        })
    }

    fn key(&self, session: &SessionRef, behind: Option<&str>) -> String {
        let Self { prefix, .. } = self;
        let (project, id) = (session.project(), session.session());
        match behind {
            None => format!("{prefix}{project}:{id}"),
            Some(behind) => format!("{prefix}{project}:{id}:{behind}"),
        }
    }

    /// Reads the lines from a position on. Returns these lines and the next position. Returns `None` at the end.
    async fn page(
        &self,
        key: &StoreKey,
        from: u64,
    ) -> Result<Option<(Vec<StoredLine>, u64)>, StoreError> {
        let list = self.key(key.session(), key.subpath().map(Subpath::as_str));
        let mut script = PAGE.key(list);
        script
            .arg(from)
            .arg(from + PAGE_LINES)
            .arg(PAGE_BYTES)
            .arg(self.line_limit);
        let answer = self.server.ask(self.server.deadline(), &script).await?;
        let found: Vec<Value> = read(answer)?;
        if found.is_empty() {
            return Ok(None);
        }
        let lines: Vec<_> = found
            .into_iter()
            .zip(from..)
            .map(|(found, at)| Ok(StoredLine::new(at, read_line(found, at, self.line_limit)?)))
            .collect::<Result<_, StoreError>>()?;
        let next = from + lines.len() as u64;
        Ok(Some((lines, next)))
    }

    /// Runs a command that takes a cursor, until there are no further results. Returns each item once.
    async fn scan(&self, command: impl Fn(&str) -> Cmd) -> Result<BTreeSet<String>, StoreError> {
        let mut found = BTreeSet::new();
        let mut cursor = "0".to_owned();
        loop {
            let deadline = self.server.deadline();
            let answer = self.server.command(deadline, &command(&cursor)).await?;
            let (next, names): (String, Vec<String>) = read(answer)?;
            found.extend(names);
            if found.len() > MOST {
                return Err(StoreError::corrupt(format!(
                    "a list has more than {MOST} names"
                )));
            }
            if next == "0" {
                return Ok(found);
            }
            cursor = next;
        }
    }

    async fn projects(&self) -> Result<Vec<String>, StoreError> {
        let pattern = format!("{}*:__sessions", glob(&self.prefix));
        let keys = self.scan(|cursor| {
            let mut scan = redis::cmd("SCAN");
            scan.arg(cursor).arg("MATCH").arg(&pattern);
            scan.arg("COUNT").arg(1000);
            scan
        });
        let keys = keys.await?.into_iter();
        let projects = keys.filter_map(|key| {
            let project = key.strip_prefix(&self.prefix)?;
            Some(project.strip_suffix(":__sessions")?.to_owned())
        });
        Ok(projects.collect())
    }

    async fn sessions_of(&self, project: &str) -> Result<Vec<ListedSession>, StoreError> {
        let mut range = redis::cmd("ZRANGE");
        range.arg(format!("{}{project}:__sessions", self.prefix));
        range.arg(0).arg(MOST).arg("WITHSCORES");
        let answer = self.server.command(self.server.deadline(), &range).await?;
        let found: Vec<(String, f64)> = read(answer)?;
        if found.len() > MOST {
            return Err(StoreError::corrupt(format!(
                "the project {project:?} has more than {MOST} sessions"
            )));
        }
        let listed = found.into_iter().map(|(id, modified)| {
            let session = SessionRef::new(project, id).map_err(StoreError::corrupt)?;
            #[expect(clippy::cast_possible_truncation, reason = "a time")]
            let modified = modified as i64;
            Ok(ListedSession::new(session, modified))
        });
        listed.collect()
    }

    async fn all_sessions(&self, project: Option<&str>) -> Result<Vec<ListedSession>, StoreError> {
        let projects = match project {
            Some(project) => vec![project.to_owned()],
            None => self.projects().await?,
        };
        let mut all = Vec::new();
        for project in projects {
            all.extend(self.sessions_of(&project).await?);
        }
        Ok(all)
    }
}

/// Returns a pattern that matches this text and no other.
pub(crate) fn glob(text: &str) -> String {
    let mut pattern = String::new();
    for char in text.chars() {
        if "*?[]^\\".contains(char) {
            pattern.push('\\');
        }
        pattern.push(char);
    }
    pattern
}

impl fmt::Debug for ForeignStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ForeignStore")
            .field("prefix", &self.prefix)
            .finish_non_exhaustive()
    }
}

impl ReadAdapter for ForeignStore {
    fn load<'a>(&'a self, key: &'a StoreKey) -> BoxStream<'a, Result<StoredLine, StoreError>> {
        pages(0, move |from| self.page(key, from))
    }

    fn sessions<'a>(
        &'a self,
        project: Option<&'a str>,
    ) -> BoxStream<'a, Result<ListedSession, StoreError>> {
        items(self.all_sessions(project))
    }

    async fn subkeys(&self, session: &SessionRef) -> Result<Vec<Subpath>, StoreError> {
        let key = self.key(session, Some("__subkeys"));
        let names = self.scan(|cursor| {
            let mut scan = redis::cmd("SSCAN");
            scan.arg(&key).arg(cursor).arg("COUNT").arg(1000);
            scan
        });
        let names = names.await?;
        let subpaths = names
            .iter()
            .map(|name| Subpath::new(name).map_err(StoreError::corrupt));
        subpaths.collect()
    }
}

//! Buckets that the example adapters of the official SDKs have written.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use bytes::Bytes;
use claw_store::adapter::{ReadAdapter, check_subkeys, items, pages};
use claw_store::{Line, ListedSession, SessionRef, StoreError, StoreKey, StoredLine, Subpath};
use futures::future::ready;
use futures::stream::{self, BoxStream, StreamExt as _, TryStreamExt as _};
use object_store::path::Path;

use crate::Builder;
use crate::lines::Lines;
use crate::requests::{Requests, milliseconds};

/// The maximum number of objects that are read for a session.
const MOST_PARTS: usize = 100_000;

/// The maximum number of sessions in a list.
const MOST_SESSIONS: usize = 1_000_000;

/// The number of objects that are opened before they are needed.
const AHEAD: usize = 8;

/// A store for sessions that the S3 example adapter of an official SDK has written into a bucket.
/// [`copy_session`](claw_store::copy_session) can copy these sessions to another store. The adapters of both official SDKs
/// name objects `PREFIX/PROJECT/SESSION/[SUBPATH/]part-MILLISECONDS-RANDOM.jsonl`.
///
/// This store is read-only. The order of the objects depends on the clocks of the hosts that wrote them. Objects that
/// were removed or stored twice cannot be detected.
pub struct ForeignStore {
    requests: Requests,
    prefix: Path,
    line_limit: usize,
}

/// The read position in an object.
struct Cursor {
    chunks: BoxStream<'static, Result<Bytes, StoreError>>,
    lines: Lines,
}

impl ForeignStore {
    /// Creates a store with the settings of a builder. An empty prefix means the whole bucket.
    ///
    /// # Errors
    ///
    /// Fails with [`StoreError::Refused`] for an invalid prefix.
    pub fn new(settings: Builder) -> Result<Self, StoreError> {
        let prefix = settings.prefix.trim_end_matches('/');
        Ok(Self {
            prefix: Path::parse(prefix).map_err(StoreError::refused)?,
            line_limit: settings.line_limit,
            requests: Requests::new(settings.objects, settings.timeout),
        })
    }

    /// Returns the path of the folder with these names, below the prefix. Empty names are left out.
    fn folder(&self, names: &[&str]) -> Result<Path, StoreError> {
        let names = [self.prefix.as_ref()]
            .into_iter()
            .chain(names.iter().copied());
        let path: Vec<_> = names.filter(|name| !name.is_empty()).collect();
        Path::parse(path.join("/")).map_err(StoreError::refused)
    }

    /// Lists the objects of a folder. Each item has the path between the folder and the object's name, the object's
    /// path, and the time at which the object was written.
    fn parts(&self, folder: Path) -> BoxStream<'static, Result<(String, Path, i64), StoreError>> {
        let listed = self.requests.list(&folder);
        let parts = listed.try_filter_map(move |meta| {
            let path = meta.location.as_ref();
            let inner = path.strip_prefix(folder.as_ref()).unwrap_or(path);
            let (between, name) = inner
                .trim_start_matches('/')
                .rsplit_once('/')
                .unwrap_or(("", inner.trim_start_matches('/')));
            let part = name
                .strip_prefix("part-")
                .and_then(|name| name.strip_suffix(".jsonl"));
            let found = part.map(|part| {
                let time = part.split('-').next().and_then(|time| time.parse().ok());
                let time = time.unwrap_or_else(|| milliseconds(&meta));
                (between.to_owned(), meta.location.clone(), time)
            });
            ready(Ok(found))
        });
        parts.boxed()
    }

    /// Begins to read the lines of a transcript.
    async fn begin(
        &self,
        key: &StoreKey,
    ) -> Result<BoxStream<'_, Result<Line, StoreError>>, StoreError> {
        let subpath = key.subpath().map_or("", Subpath::as_str);
        let session = key.session();
        let folder = self.folder(&[session.project(), session.session(), subpath])?;
        let mut parts = self.parts(folder);
        let mut paths = Vec::new();
        while let Some((between, path, _)) = parts.try_next().await? {
            // Objects in deeper folders belong to other transcripts, so they are skipped.
            if between.is_empty() {
                paths.push(path);
            }
            if paths.len() > MOST_PARTS {
                return Err(StoreError::corrupt(format!(
                    "a transcript has more than {MOST_PARTS} objects"
                )));
            }
        }
        // The names begin with the time, so sorting the paths restores the order in which the objects were written.
        paths.sort_unstable();
        let key = key.clone();
        let opened = stream::iter(paths).map(move |path| self.open(key.clone(), path));
        Ok(opened.buffered(AHEAD).try_flatten().boxed())
    }

    async fn open(
        &self,
        key: StoreKey,
        path: Path,
    ) -> Result<BoxStream<'_, Result<Line, StoreError>>, StoreError> {
        let chunks = self.requests.stream(&path).await?;
        let chunks = chunks.ok_or_else(|| StoreError::Incomplete {
            key,
            what: format!("{path} was deleted while it was read"),
        })?;
        let cursor = Cursor {
            chunks,
            lines: Lines::default(),
        };
        Ok(pages(Some(cursor), |cursor| self.next_lines(cursor)))
    }

    async fn next_lines(
        &self,
        cursor: Option<Cursor>,
    ) -> Result<Option<(Vec<Line>, Option<Cursor>)>, StoreError> {
        let Some(mut cursor) = cursor else {
            return Ok(None);
        };
        let mut lines = Vec::new();
        let Some(chunk) = cursor.chunks.try_next().await? else {
            lines.extend(line(cursor.lines.rest())?);
            return Ok(Some((lines, None)));
        };
        cursor.lines.push(&chunk);
        let next = |lines: &mut Lines| lines.next(self.line_limit).map_err(StoreError::corrupt);
        while let Some(text) = next(&mut cursor.lines)? {
            lines.extend(line(&text)?);
        }
        Ok(Some((lines, Some(cursor))))
    }

    async fn all_sessions(&self, project: Option<&str>) -> Result<Vec<ListedSession>, StoreError> {
        let mut parts = self.parts(self.folder(&[project.unwrap_or_default()])?);
        let mut found = BTreeMap::<SessionRef, i64>::new();
        while let Some((between, _, modified)) = parts.try_next().await? {
            let names = match project {
                Some(project) => Some((project, &*between)),
                None => between.split_once('/'),
            };
            // Objects in deeper folders belong to the session's other transcripts, so they are skipped.
            let names = names.filter(|(_, session)| !session.contains('/'));
            let Some((project, session)) = names else {
                continue;
            };
            let session = SessionRef::new(project, session).map_err(StoreError::corrupt)?;
            let newest = found.entry(session).or_default();
            *newest = modified.max(*newest);
            if found.len() > MOST_SESSIONS {
                return Err(StoreError::corrupt(format!(
                    "there are more than {MOST_SESSIONS} sessions"
                )));
            }
        }
        let listed = found.into_iter();
        Ok(listed
            .map(|(session, modified)| ListedSession::new(session, modified))
            .collect())
    }
}

/// Parses a line. Returns `None` if the line contains no entry.
fn line(text: &[u8]) -> Result<Option<Line>, StoreError> {
    let text = text.trim_ascii();
    if text.is_empty() {
        return Ok(None);
    }
    Line::from_bytes(text)
        .map(Some)
        .map_err(StoreError::corrupt)
}

impl fmt::Debug for ForeignStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ForeignStore")
            .field("prefix", &self.prefix.as_ref())
            .finish_non_exhaustive()
    }
}

impl ReadAdapter for ForeignStore {
    fn load<'a>(&'a self, key: &'a StoreKey) -> BoxStream<'a, Result<StoredLine, StoreError>> {
        let lines = stream::once(self.begin(key)).try_flatten().enumerate();
        lines
            .map(|(at, line)| Ok(StoredLine::new(at as u64, line?)))
            .boxed()
    }

    fn sessions<'a>(
        &'a self,
        project: Option<&'a str>,
    ) -> BoxStream<'a, Result<ListedSession, StoreError>> {
        items(self.all_sessions(project))
    }

    async fn subkeys(&self, session: &SessionRef) -> Result<Vec<Subpath>, StoreError> {
        let folder = self.folder(&[session.project(), session.session()])?;
        let mut parts = self.parts(folder);
        let mut found = BTreeSet::new();
        while let Some((between, ..)) = parts.try_next().await? {
            if !between.is_empty() {
                found.insert(Subpath::new(&between).map_err(StoreError::corrupt)?);
            }
            check_subkeys(found.len())?;
        }
        Ok(found.into_iter().collect())
    }
}

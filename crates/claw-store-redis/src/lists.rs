//! Lists of sessions and transcripts.

use std::sync::LazyLock;

use claw_store::adapter::{Deadline, pages, subkeys_in_pages};
use claw_store::{ListedSession, SessionRef, StoreError, Subpath, Summary};
use futures::stream::{self, BoxStream, StreamExt as _, TryStreamExt as _};
use redis::Script;

use crate::keys;
use crate::{Store, Text, number, read};

/// The number of sessions or transcripts in a page.
const PAGE: usize = 100;

/// The number of sessions of a page that are read concurrently.
const AT_ONCE: usize = 16;

/// Reads the list entry of a session.
static SHOWN: LazyLock<Script> = LazyLock::new(|| {
    Script::new(
        "local meta = redis.call('HMGET', KEYS[1], 'lines', 'modified', 'born', 'version', 'bytes')
        for at = 1, 5 do meta[at] = meta[at] and string.sub(meta[at], 1, 1024) end
        local size = redis.call('HSTRLEN', KEYS[1], 'summary')
        local summary = false
        if size <= tonumber(ARGV[1]) then summary = redis.call('HGET', KEYS[1], 'summary') end
        local beside = #redis.call('ZRANGEBYLEX', KEYS[2], '-', '+', 'LIMIT', 0, 1)
        return { { meta[1], meta[5] }, meta[2], size, summary, { meta[3], meta[4] }, beside }",
    )
});

/// Reads the ID and the version of each of these transcripts. Each append changes the version. A transcript that is
/// created again gets a new ID.
static VERSIONS: LazyLock<Script> = LazyLock::new(|| {
    Script::new(
        "local found = {}
        for at = 1, #KEYS do
            found[at] = redis.call('HMGET', KEYS[at], 'born', 'version')
            for part = 1, 2 do found[at][part] = found[at][part] and string.sub(found[at][part], 1, 1024) end
        end
        return found",
    )
});

/// The maximum number of transcripts of a session for which a revision is computed. A session with more has no
/// revision.
const VERSIONED: usize = 1000;

/// Reads the subpaths of a session. Names are cut to one byte more than a key allows, so that a name that is too long
/// is still recognised.
static SUBKEYS: LazyLock<Script> = LazyLock::new(|| {
    Script::new(
        "local names = redis.call('ZRANGEBYLEX', KEYS[1], ARGV[1], '+', 'LIMIT', 0, ARGV[2])
        for at = 1, #names do names[at] = string.sub(names[at], 1, 1025) end
        return names",
    )
});

/// The response of [`SHOWN`]. It contains the numbers of lines and bytes, the time, the size of the summary, the
/// summary, the ID and version of the main transcript, and 1 if the session has other transcripts.
type Shown = ([Text; 2], Text, usize, Text, [Text; 2], usize);

impl Store {
    /// Reads the page of the list that begins at a name. Returns those of its sessions that exist, and the name at
    /// which the next page begins. Returns `None` at the end.
    async fn sessions_page(
        &self,
        from: String,
        end: &str,
    ) -> Result<Option<(Vec<ListedSession>, String)>, StoreError> {
        let page = self.listed_names(&from, end, PAGE).await?;
        let Some(last) = page.names.last() else {
            return Ok(None);
        };
        let sessions = page.names.iter().map(|name| keys::session(name));
        let sessions: Vec<_> = sessions.collect::<Result<_, _>>()?;
        let next = format!("({}", crate::text(last));
        let shown = sessions.into_iter().map(|session| self.entry_of(session));
        let shown: Vec<_> = stream::iter(shown).buffered(AT_ONCE).try_collect().await?;
        let gone = page.names.iter().zip(&shown);
        let gone = gone.filter(|(_, shown)| shown.is_none());
        let gone: Vec<_> = gone.map(|(name, _)| name.clone()).collect();
        // An error is ignored, because a user without the permission to write must be able to list.
        let _ = self.unlist(page.now, &gone).await;
        Ok(Some((shown.into_iter().flatten().collect(), next)))
    }

    /// Reads the list entry of a session. Returns `None` if the session does not exist.
    pub(crate) async fn entry_of(
        &self,
        session: SessionRef,
    ) -> Result<Option<ListedSession>, StoreError> {
        let keys = self.keys(&session);
        let mut script = SHOWN.key(keys.transcript(None).meta);
        script.key(keys.subs()).arg(Summary::LIMIT);
        let answer = self.server.ask(self.server.deadline(), &script).await?;
        let ([lines, bytes], modified, size, summary, main, beside): Shown = read(answer)?;
        if lines.is_none() {
            return Ok(None);
        }
        // The server stores lines without line feeds, so one byte is added for each line.
        let lines = number(lines.as_deref())?;
        let bytes = number(bytes.as_deref())?.checked_add(lines);
        if size > Summary::LIMIT {
            return Err(StoreError::corrupt(format!(
                "the summary of {session} has {size} bytes, and the limit is {}",
                Summary::LIMIT
            )));
        }
        let modified = i64::try_from(number(modified.as_deref())?).unwrap_or(i64::MAX);
        let summary = summary.as_deref().map(Summary::parse).transpose()?;
        let revision = self.revision(&session, &main, beside).await?;
        let listed = ListedSession::new(session, modified).summary(summary);
        Ok(Some(listed.revision(revision).size(bytes)))
    }

    /// Returns the revision of a session: the IDs and versions of its transcripts. `beside` is zero if the session has
    /// only the main transcript. Returns `None` if the session has too many transcripts.
    async fn revision(
        &self,
        session: &SessionRef,
        main: &[Text; 2],
        beside: usize,
    ) -> Result<Option<String>, StoreError> {
        let mut revision = vec![version(main)];
        if beside > 0 {
            let subpaths = self.subkeys_of(session).await?;
            if subpaths.len() > VERSIONED {
                return Ok(None);
            }
            let keys = self.keys(session);
            let mut script = VERSIONS.prepare_invoke();
            for subpath in &subpaths {
                script.key(keys.transcript(Some(subpath)).meta);
            }
            let answer = self.server.ask(self.server.deadline(), &script).await?;
            let versions: Vec<[Text; 2]> = read(answer)?;
            let versions = subpaths.iter().zip(&versions);
            let versions = versions.map(|(subpath, found)| format!("{subpath}:{}", version(found)));
            revision.extend(versions);
        }
        Ok(Some(revision.join(" ")))
    }

    /// Reads the subpaths of a session's transcripts without the main one. The page begins with the first subpath after
    /// `after`.
    pub(crate) async fn subkeys_page(
        &self,
        deadline: Deadline,
        session: &SessionRef,
        after: Option<&Subpath>,
        most: usize,
    ) -> Result<Vec<Subpath>, StoreError> {
        let from = after.map_or_else(|| "-".to_owned(), |after| format!("({after}"));
        let mut script = SUBKEYS.key(self.keys(session).subs());
        script.arg(from).arg(most);
        let names: Vec<Vec<u8>> = read(self.server.ask(deadline, &script).await?)?;
        let subpaths = names.iter().map(|name| {
            let name =
                str::from_utf8(name).map_err(|_| StoreError::corrupt("a subpath is not UTF-8"))?;
            Subpath::new(name).map_err(StoreError::corrupt)
        });
        subpaths.collect()
    }

    pub(crate) async fn subkeys_of(
        &self,
        session: &SessionRef,
    ) -> Result<Vec<Subpath>, StoreError> {
        subkeys_in_pages(async |after| {
            let deadline = self.server.deadline();
            self.subkeys_page(deadline, session, after.as_ref(), PAGE)
                .await
        })
        .await
    }

    pub(crate) fn list_sessions<'a>(
        &'a self,
        project: Option<&'a str>,
    ) -> BoxStream<'a, Result<ListedSession, StoreError>> {
        let (from, end) = match project {
            None => ("-".to_owned(), "+".to_owned()),
            Some(project) => {
                let start = keys::project_start(project);
                // The names of a project's sessions begin with the project and a slash. `0` is the character after the
                // slash, so it ends the range.
                let end = format!("({}0", start.trim_end_matches('/'));
                (format!("[{start}"), end)
            }
        };
        pages((from, end), async move |(from, end)| {
            let page = self.sessions_page(from, &end).await?;
            Ok(page.map(|(sessions, next)| (sessions, (next, end))))
        })
    }
}

/// Returns the ID and the version of a transcript as a text.
fn version([born, version]: &[Text; 2]) -> String {
    let part = |part: &Text| part.as_deref().map(crate::text).unwrap_or_default();
    format!("{}.{}", part(born), part(version))
}

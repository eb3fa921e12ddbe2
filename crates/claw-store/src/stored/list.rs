//! Lists of the sessions in a store.

use std::pin::pin;

use claw_types::SessionId;
use claw_types::store::SessionInfo;
use futures::{StreamExt as _, TryStreamExt as _, stream};

use super::lines::{Allowance, Loading};
use super::{StoredError, StoredSessions};
use crate::{ListedSession, SessionRef, StoreError, Summary};

/// The number of transcripts that are read concurrently for a list, if the store keeps no summaries.
const READS: usize = 4;

/// A session of a store, as an entry of a list.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct StoredSession {
    /// The session.
    pub session: SessionRef,
    /// The time at which the session's main transcript was last written to, by the store's clock, in milliseconds since
    /// 1970.
    pub modified: i64,
    /// The list entry of the session, with its title and more. `None` for the session of a sub-agent, and for a session
    /// without anything to show. The CLI's own lists leave out both.
    pub info: Option<SessionInfo>,
    /// Whether the conversation ends with a deferred tool use, which waits for its permission.
    pub is_deferred: bool,
    /// The [revision](ListedSession::revision) of the session. `None` if the store does not report it.
    pub revision: Option<String>,
    /// The [size](ListedSession::size) of the session's main transcript, in bytes. `None` if the store does not report it.
    pub size: Option<u64>,
}

/// The sessions of a store, returned by [`StoredSessions::list`].
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct StoredListing {
    /// The sessions, ordered by the time at which they were last written to, the latest first.
    pub sessions: Vec<StoredSession>,
    /// The sessions that could not be read, each with the error. They are not in `sessions`.
    pub problems: Vec<(SessionRef, StoredError)>,
}

impl StoredSessions {
    /// Lists the sessions of one project, or of all projects if `project` is `None`.
    ///
    /// If the store keeps no summaries, this call reads each session's main transcript to its end.
    ///
    /// # Errors
    ///
    /// Fails with [`StoredError::Lacks`] if the store cannot list sessions, and with [`StoredError::Store`] if the
    /// store returns an error or has more sessions than [`Limits::sessions`](crate::Limits::sessions).
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: the call changes nothing.
    pub async fn list(&self, project: Option<&str>) -> Result<StoredListing, StoredError> {
        let mut listing = StoredListing::default();
        let found = self.listed(project).await?;
        let infos = stream::iter(found).map(|listed| self.with_info(listed));
        let mut infos = pin!(infos.buffer_unordered(READS));
        while let Some((session, shown)) = infos.next().await {
            match shown {
                Ok(shown) => listing.sessions.push(shown),
                Err(error) => listing.problems.push((session, error)),
            }
        }
        let newest_first = |one: &StoredSession, other: &StoredSession| {
            let newer = other.modified.cmp(&one.modified);
            newer.then_with(|| one.session.cmp(&other.session))
        };
        listing.sessions.sort_by(newest_first);
        Ok(listing)
    }

    /// Whether the store has a session. A session exists if its main transcript has at least one line.
    ///
    /// # Errors
    ///
    /// Fails with [`StoredError::Store`] for any error of the store.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: the call changes nothing.
    pub async fn has(&self, session: &SessionRef) -> Result<bool, StoredError> {
        let key = session.main();
        Ok(self.store.load(&key).next().await.transpose()?.is_some())
    }

    /// Finds a session by its ID, or by the beginning of its ID if that is unique. Searches one project, or all
    /// projects if `project` is `None`. If the project is given and the ID is a complete UUID, the other sessions are
    /// not listed.
    ///
    /// # Errors
    ///
    /// Fails with [`StoredError::NotFound`] if no session matches, and with [`StoredError::Ambiguous`] if several
    /// match. Also fails with the same errors as [`list`](Self::list).
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: the call changes nothing.
    pub async fn find(&self, project: Option<&str>, id: &str) -> Result<SessionRef, StoredError> {
        if let (Some(project), Ok(_)) = (project, uuid::Uuid::try_parse(id)) {
            let session = SessionRef::new(project, id).map_err(StoreError::from)?;
            if !self.has(&session).await? {
                return Err(StoredError::not_found(&session));
            }
            return Ok(session);
        }
        let mut found = self.listed(project).await?;
        found.retain(|listed| listed.session.session().starts_with(id));
        // If the text is the complete ID of a session, IDs that only begin with the text are ignored.
        if found.iter().any(|listed| listed.session.session() == id) {
            found.retain(|listed| listed.session.session() == id);
        }
        match &*found {
            [only] => Ok(only.session.clone()),
            [] => Err(StoredError::NotFound {
                session: format!("{}/{id}", project.unwrap_or("*")),
            }),
            several => Err(StoredError::Ambiguous {
                id: id.to_owned(),
                count: several.len(),
            }),
        }
    }

    pub(super) async fn listed(
        &self,
        project: Option<&str>,
    ) -> Result<Vec<ListedSession>, StoredError> {
        let lists = self.store.lists();
        let lists = lists.ok_or(StoredError::Lacks("list sessions"))?;
        let mut listed = lists.sessions(project);
        let mut found = Vec::new();
        let most = self.limits.sessions;
        while let Some(session) = listed.try_next().await? {
            if found.len() as u64 == most {
                let why = format!("it has more than {most} sessions");
                return Err(StoreError::refused(why).into());
            }
            found.push(session);
        }
        Ok(found)
    }

    /// Returns the time at which a session's main transcript was last written to. Returns `None` if the list of its
    /// project does not contain the session.
    pub(super) async fn modified(&self, session: &SessionRef) -> Result<Option<i64>, StoredError> {
        let lists = self.store.lists();
        let lists = lists.ok_or(StoredError::Lacks("list sessions"))?;
        let listed = lists.listed(session).await?;
        Ok(listed.map(|listed| listed.modified))
    }

    async fn with_info(
        &self,
        listed: ListedSession,
    ) -> (SessionRef, Result<StoredSession, StoredError>) {
        let ListedSession {
            session,
            modified,
            summary,
            revision,
            size,
        } = listed;
        let summary = match summary {
            Some(summary) => summary,
            None => match self.summary(&session).await {
                Ok(summary) => summary,
                Err(error) => return (session, Err(error)),
            },
        };
        let info = summary.info(&SessionId::from(session.session()), modified);
        let shown = StoredSession {
            session: session.clone(),
            modified,
            info,
            is_deferred: summary.is_deferred(),
            revision,
            size,
        };
        (session, Ok(shown))
    }

    /// Computes the summary of a session from the lines of its main transcript.
    async fn summary(&self, session: &SessionRef) -> Result<Summary, StoredError> {
        let key = session.main();
        let mut left = Allowance::new(session, self.limits);
        let mut loading = Loading::new(&*self.store, &key);
        let mut summary = Summary::default();
        while let Some(line) = loading.next(&mut left).await? {
            summary.fold(&line);
        }
        Ok(summary)
    }
}

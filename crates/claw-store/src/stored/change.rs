//! Changes to sessions in a store.

use std::path::PathBuf;
use std::time::Duration;

use claw_sessions::Changes;
use claw_types::{MessageUuid, SessionId};

use super::{Import, StoredError, StoredSessions};
use crate::{Batch, Line, Owner, SessionRef, StoreError, WriterId};

/// The time to live of the claim under which a session is deleted.
const DELETION: Duration = Duration::from_mins(1);

impl StoredSessions {
    /// Sets a session's title, its tag, or both, by appending lines to its main transcript. This works even while a
    /// process has claimed the session. A running `claude` does not see the change. It takes effect when the session is
    /// resumed the next time.
    ///
    /// # Errors
    ///
    /// Fails with [`StoredError::Sessions`] if the new title or tag has no visible characters, with
    /// [`StoredError::NotFound`] if the store has no such session, with [`StoredError::Lacks`] if the changes include
    /// [`Changes::archived`], which only sessions on disk have, and with [`StoredError::Store`] for any error of the
    /// store. After an error, nothing was changed. An exception is
    /// [`StoreError::Uncertain`](crate::StoreError::Uncertain): then the change may have been made. Making the same
    /// change twice is harmless.
    ///
    /// # Cancel safety
    ///
    /// If the future is dropped, the change may or may not have been made.
    pub async fn change(&self, session: &SessionRef, changes: &Changes) -> Result<(), StoredError> {
        if changes.has_archived() {
            return Err(StoredError::Lacks("archive sessions"));
        }
        let texts = changes.lines(&SessionId::from(session.session()))?;
        let lines: Result<Vec<_>, _> = texts.into_iter().map(Line::new).collect();
        let lines = lines.map_err(StoreError::refused)?;
        if !self.has(session).await? {
            return Err(StoredError::not_found(session));
        }
        let writer = WriterId::random();
        let batch = Batch {
            writer: &writer,
            number: 0,
            lines: &lines,
            epoch: None,
        };
        self.store.append(&session.main(), batch).await?;
        Ok(())
    }

    /// Deletes a session with all its transcripts, and leaves a tombstone, so that no host can create the session
    /// again. In a store with claims, `owner` first claims the session. So a session is not deleted while another owner
    /// has claimed it. Deleting a session that does not exist is not an error.
    ///
    /// # Errors
    ///
    /// Fails with [`StoredError::Lacks`] if the store cannot delete, and with [`StoredError::Store`] for any error of
    /// the store. If another owner has claimed the session, that error contains
    /// [`StoreError::Held`](crate::StoreError::Held).
    ///
    /// # Cancel safety
    ///
    /// If the future is dropped, the session may or may not have been deleted. If the deletion had claimed the session,
    /// that claim ends after a minute.
    pub async fn delete(&self, session: &SessionRef, owner: &Owner) -> Result<(), StoredError> {
        self.delete_if(session, owner, None).await.map(drop)
    }

    /// Deletes a session as [`delete`](Self::delete) does, unless its main transcript was written to after the time
    /// `modified`. Returns `false` if it was, or if another owner has claimed the session during the comparison, and
    /// changes nothing then. `modified` is the time from an earlier [`list`](Self::list). It is compared after the
    /// claim, directly before the deletion.
    ///
    /// # Errors
    ///
    /// Fails with the same errors as [`delete`](Self::delete), and with [`StoredError::Lacks`] if the store cannot list
    /// sessions.
    ///
    /// # Cancel safety
    ///
    /// If the future is dropped, the session may or may not have been deleted. If the deletion had claimed the session,
    /// that claim ends after a minute.
    pub async fn delete_unchanged(
        &self,
        session: &SessionRef,
        owner: &Owner,
        modified: i64,
    ) -> Result<bool, StoredError> {
        self.delete_if(session, owner, Some(modified)).await
    }

    /// Deletes a session. If `known` is set, only deletes a session that was not written to after this time. Returns
    /// whether the session was deleted.
    async fn delete_if(
        &self,
        session: &SessionRef,
        owner: &Owner,
        known: Option<i64>,
    ) -> Result<bool, StoredError> {
        let can_delete = self.store.deletes();
        let can_delete = can_delete.ok_or(StoredError::Lacks("delete sessions"))?;
        let claims = self.store.claims();
        let claim = match claims {
            Some(claims) => Some((claims, claims.claim(session, owner, DELETION).await?)),
            None => None,
        };
        let deleted = async {
            if let Some(known) = known
                && self.modified(session).await?.is_some_and(|now| now > known)
            {
                return Ok(false);
            }
            // The comparison may have taken longer than the claim lasts. Then another owner may have claimed the session and
            // may have written to it.
            if let (Some(_), Some((claims, claim))) = (known, &claim) {
                match claims.renew(claim, DELETION).await {
                    Err(StoreError::Superseded { .. }) => return Ok(false),
                    renewed => renewed?,
                }
            }
            can_delete.delete_session(session).await?;
            Ok(true)
        };
        let deleted = deleted.await;
        if let Some((claims, claim)) = claim {
            // If the release fails, the claim expires after its time to live.
            let _ = claims.release(&claim).await;
        }
        deleted
    }

    /// Whether a session was deleted and has a tombstone. Returns `false` if the store has no tombstones.
    ///
    /// # Errors
    ///
    /// Fails with [`StoredError::Store`] for any error of the store.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe.
    pub async fn is_deleted(&self, session: &SessionRef) -> Result<bool, StoredError> {
        match self.store.deletes() {
            Some(deletes) => Ok(deletes.is_deleted(session).await?),
            None => Ok(false),
        }
    }

    /// Prepares a fork of a session. A fork is a new session in the same project that begins with the conversation of
    /// the given session. See [`Session::fork`](claw_sessions::Session::fork).
    pub fn fork<'a>(&'a self, session: &'a SessionRef) -> StoredFork<'a> {
        StoredFork {
            stored: self,
            session,
            up_to: None,
            title: None,
            within: std::env::temp_dir(),
        }
    }
}

/// A builder of a fork of a session in a store. Made by [`StoredSessions::fork`].
#[derive(Debug)]
#[must_use = "nothing is forked before `run`"]
pub struct StoredFork<'a> {
    stored: &'a StoredSessions,
    session: &'a SessionRef,
    up_to: Option<MessageUuid>,
    title: Option<String>,
    within: PathBuf,
}

impl StoredFork<'_> {
    /// Sets the last message that the fork contains, by its UUID. By default the fork contains all messages.
    pub fn up_to(mut self, message: impl Into<MessageUuid>) -> Self {
        self.up_to = Some(message.into());
        self
    }

    /// Sets the fork's title. The default is the title of the original session followed by ` (fork)`. If the session
    /// has no title, the default uses the session's first prompt instead.
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.title = Some(title.into());
        self
    }

    /// Sets the folder in which the fork keeps a temporary copy of the original session's files. The default is the
    /// system's folder for temporary files.
    pub fn within(mut self, folder: impl Into<PathBuf>) -> Self {
        self.within = folder.into();
        self
    }

    /// Makes the fork and returns the new session. Loads the original session into a temporary folder, forks it there,
    /// and copies the fork into the store.
    ///
    /// # Errors
    ///
    /// Fails with the same errors as [`checkout`](StoredSessions::checkout), [`Fork::run`](claw_sessions::Fork::run)
    /// and [`Import::run`](crate::Import::run).
    ///
    /// # Cancel safety
    ///
    /// If the future is dropped, no file remains on the disk. The store then contains no part of the fork, or only its
    /// beginning.
    pub async fn run(self) -> Result<SessionRef, StoredError> {
        let Self {
            stored, session, ..
        } = self;
        let checkout = stored.checkout(session, &self.within).await?;
        let source = checkout.session().clone();
        let (up_to, title) = (self.up_to, self.title);
        let made = crate::pool::run(move || {
            let mut fork = source.fork();
            if let Some(message) = up_to {
                fork = fork.up_to(message);
            }
            if let Some(title) = title {
                fork = fork.title(title);
            }
            fork.run()
        });
        let fork = made.await?;
        let to =
            SessionRef::new(session.project(), fork.id().as_str()).map_err(StoreError::from)?;
        Import::new(&fork)
            .to(to.clone())
            .limits(stored.limits)
            .run(&*stored.store)
            .await?;
        checkout.close().await?;
        Ok(to)
    }
}

//! Stores data that earlier processes have left on this disk without storing it.

use std::path::{Path, PathBuf};
use std::time::Duration;
use std::{io, iter};

use claw_sessions::{Session, Sessions};

use super::contents::Contents;
use super::kept::Brought;
use super::temporary::Temporary;
use super::writer::Writer;
use super::{StoredError, StoredSessions};
use crate::{Epoch, Owner, SessionRef, StoreError, pool};

/// A session that an earlier process had not stored completely when it ended. The process had loaded the session from
/// the store into a [`Checkout`](super::Checkout), or the session had begun on this disk
/// ([`LocalSession`](super::LocalSession)).
#[derive(Debug)]
#[non_exhaustive]
pub struct Recovered {
    /// The session.
    pub session: SessionRef,
    /// The outcome for the lines that the process had not stored.
    pub outcome: Outcome,
}

/// The outcome for the lines that a process had not stored.
#[derive(Debug)]
#[non_exhaustive]
pub enum Outcome {
    /// The lines are in the store now. Contains the number of lines that were added.
    Stored(u64),
    /// Another host has continued the session in the meantime. The conversation in the store was not changed, and the
    /// entries became [kept](StoredSessions::kept) entries. Contains the number of these entries.
    Kept(u64),
    /// The session was deleted in the meantime. Its lines were dropped.
    Deleted,
    /// The lines could not be stored now. The next call of [`recover`](StoredSessions::recover) tries again.
    Later(StoredError),
}

impl StoredSessions {
    /// Stores the lines that earlier processes of this host had not stored, and removes the folders of their checkouts.
    /// The call looks for folders of checkouts, and for notes of [`LocalSession`](super::LocalSession), in the folder
    /// `within`. Sessions that began in a checkout's folder, by a fork or after `/clear`, are included. In a store with
    /// claims, `owner` claims each session for `ttl` while its lines are stored. The entries of a session that another
    /// host has continued are [kept](Self::kept) under the name of `owner`: its address, or else its name. That is
    /// also done while another host has claimed the session.
    ///
    /// If this store does not have the session of a folder, the session was loaded from another store, and the folder
    /// is not changed.
    ///
    /// A session whose CLI has not ended yet is not changed either. Its outcome is [`Outcome::Later`] with
    /// [`StoredError::InUse`].
    pub async fn recover(&self, within: &Path, owner: &Owner, ttl: Duration) -> Vec<Recovered> {
        let within = within.to_owned();
        let left = pool::run(move || Temporary::left_behind(&within)).await;
        // Creates a guard for each folder before anything is stored. If the future is dropped, each guard leaves its
        // folder on the disk.
        let unstored = left.unstored.into_iter().map(LeftUnlessDone::new);
        let unstored: Vec<_> = unstored.collect();
        let mut recovered = Vec::new();
        for (session, pid) in sessions_in_use(left.in_use).await {
            let error = match self.is_known(&session).await {
                Ok(true) => StoredError::InUse {
                    session: session.clone(),
                    pid,
                },
                Ok(false) => StoredError::not_found(&session),
                Err(error) => error,
            };
            let outcome = Outcome::Later(error);
            recovered.push(Recovered { session, outcome });
        }
        for folder in unstored {
            let Some((contents, first)) = folder.contents() else {
                continue;
            };
            let outcomes = self
                .recover_folder(&folder, &contents, first, owner, ttl)
                .await;
            recovered.extend(settle(folder, outcomes).await);
        }
        recovered
    }

    /// Recovers one session, as [`recover`](Self::recover) does for all sessions. The caller must have claimed the
    /// session, and `epoch` is the epoch of that claim. `host` is the name under which entries are kept.
    ///
    /// # Errors
    ///
    /// Fails with the errors of [`bring`](Self::bring), and with [`StoredError::InUse`] if a CLI still writes the session.
    /// The folder then stays for a later call.
    ///
    /// # Cancel safety
    ///
    /// If the future is dropped, the folders stay for a later call.
    pub async fn recover_one(
        &self,
        within: &Path,
        session: &SessionRef,
        host: &str,
        epoch: Option<Epoch>,
    ) -> Result<Brought, StoredError> {
        let within = within.to_owned();
        let left = pool::run(move || Temporary::left_behind(&within)).await;
        let unstored = left.unstored.into_iter().map(LeftUnlessDone::new);
        let unstored: Vec<_> = unstored.collect();
        for (in_use, pid) in sessions_in_use(left.in_use).await {
            if in_use == *session {
                let session = in_use;
                return Err(StoredError::InUse { session, pid });
            }
        }
        let mut all = Brought::default();
        for folder in unstored {
            let Some((contents, _)) = folder.contents().filter(|(_, first)| first == session)
            else {
                continue;
            };
            let mains = contents.mains();
            let others = pool::run(move || mains.ids()).await;
            let is_alone = others.iter().all(|id| id == session.session());
            let config = contents.config(folder.path()).to_owned();
            if let Some(here) = found(config, session).await? {
                let brought = self.bring(&here, session, host, epoch).await?;
                all.stored += brought.stored;
                all.kept += brought.kept;
            }
            if is_alone {
                let _ = folder.remove().await;
            }
        }
        Ok(all)
    }

    /// Recovers the sessions of a folder. The folder stays.
    async fn recover_folder(
        &self,
        folder: &LeftUnlessDone,
        contents: &Contents,
        first: SessionRef,
        owner: &Owner,
        ttl: Duration,
    ) -> Vec<Recovered> {
        let config = contents.config(folder.path());
        let mains = contents.mains();
        let others = pool::run(move || mains.ids()).await;
        let others = others.into_iter().filter(|id| id != first.session());
        let others = others.filter_map(|id| SessionRef::new(first.project(), id).ok());
        let sessions = iter::once(first.clone()).chain(others).collect::<Vec<_>>();
        let is_ours = self.is_known(&first).await;
        let mut recovered = Vec::new();
        for session in sessions {
            let done = match &is_ours {
                // The session was deleted, and must not be created again. Its lines are dropped, because no later
                // attempt could store them.
                Ok(_) if self.is_deleted(&session).await.is_ok_and(|it| it) => Ok(Outcome::Deleted),
                Ok(true) => self.recover_session(config, &session, owner, ttl).await,
                Ok(false) => Err(StoredError::not_found(&first)),
                Err(error) => Err(StoreError::unavailable(error.to_string()).into()),
            };
            let outcome = done.unwrap_or_else(Outcome::Later);
            recovered.push(Recovered { session, outcome });
        }
        recovered
    }

    /// Whether the store has any transcript of the session, even if it has no line of the conversation.
    async fn is_known(&self, session: &SessionRef) -> Result<bool, StoredError> {
        if self.has(session).await? {
            return Ok(true);
        }
        match self.store.subkeys() {
            Some(subkeys) => Ok(!subkeys.subkeys(session).await?.is_empty()),
            None => Ok(false),
        }
    }

    async fn recover_session(
        &self,
        config: &Path,
        session: &SessionRef,
        owner: &Owner,
        ttl: Duration,
    ) -> Result<Outcome, StoredError> {
        let Some(here) = found(config.to_owned(), session).await? else {
            return Ok(Outcome::Stored(0));
        };
        let host = owner.address.as_deref().unwrap_or(&owner.name);
        // The claim gets a new owner ID. With the ID of the given owner, it would take the claim away from a running
        // session of that owner.
        let own = Owner::new(&*owner.name);
        let claim = match self.store.claims() {
            Some(claims) => match claims.claim(session, &own, ttl).await {
                Ok(claim) => Some(claim),
                // Another owner has claimed the session. Kept entries can be stored without a claim, because they do
                // not change the conversation.
                Err(held) if held.is_held() => {
                    let difference = self.compare(&here, session).await?;
                    if difference.only_there == 0 {
                        return Err(held.into());
                    }
                    let brought = self.bring(&here, session, host, None).await?;
                    return Ok(Outcome::Kept(brought.kept));
                }
                Err(error) => return Err(error.into()),
            },
            None => None,
        };
        let epoch = claim.as_ref().map(|claim| claim.epoch);
        let done = self.bring(&here, session, host, epoch).await;
        if let (Some(claims), Some(claim)) = (self.store.claims(), &claim) {
            // If the release fails, the claim expires after its time to live.
            let _ = claims.release(claim).await;
        }
        Ok(match done? {
            Brought { kept: 0, stored } => Outcome::Stored(stored),
            Brought { kept, .. } => Outcome::Kept(kept),
        })
    }
}

/// Finds the session in a configuration folder. Returns `None` if the session does not exist there. Then nothing was
/// written.
async fn found(config: PathBuf, session: &SessionRef) -> Result<Option<Session>, StoredError> {
    let id = session.session().to_owned();
    match pool::run(move || Sessions::new(config).find(&id)).await {
        Ok(here) => Ok(Some(here)),
        Err(error) if error.is_not_found() => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// Returns the sessions into whose folders a CLI still writes, each with the process ID of that CLI.
async fn sessions_in_use(folders: Vec<(PathBuf, Writer)>) -> Vec<(SessionRef, u32)> {
    pool::run(move || {
        let sessions = folders.into_iter().filter_map(|(folder, writer)| {
            let session = Contents::read(&folder)?.session().ok()?;
            Some((session, writer.pid()))
        });
        sessions.collect()
    })
    .await
}

/// Removes a folder if all its sessions are in the store. Otherwise, the folder remains on the disk.
async fn settle(folder: LeftUnlessDone, mut recovered: Vec<Recovered>) -> Vec<Recovered> {
    let is_later = |found: &Recovered| matches!(found.outcome, Outcome::Later(_));
    if !recovered.iter().any(is_later)
        && let Err(error) = folder.remove().await
        && let Some(last) = recovered.last_mut()
    {
        last.outcome = Outcome::Later(StoreError::refused(error).into());
    }
    recovered
}

/// A guard for a folder. If the guard is dropped, the folder is left for the next attempt, unless it was removed
/// explicitly.
struct LeftUnlessDone(Option<Temporary>);

impl LeftUnlessDone {
    fn new(folder: Temporary) -> Self {
        Self(Some(folder))
    }

    /// Returns the record of the folder, and the session that was checked out into it.
    fn contents(&self) -> Option<(Contents, SessionRef)> {
        let contents = Contents::read(self.path())?;
        let session = contents.session().ok()?;
        Some((contents, session))
    }

    fn path(&self) -> &Path {
        self.0.as_ref().map_or(Path::new(""), Temporary::path)
    }

    async fn remove(mut self) -> io::Result<()> {
        match self.0.take() {
            Some(folder) => pool::run(move || folder.remove()).await,
            None => Ok(()),
        }
    }
}

impl Drop for LeftUnlessDone {
    fn drop(&mut self) {
        if let Some(folder) = self.0.take() {
            folder.leave();
        }
    }
}

#[cfg(test)]
mod tests;

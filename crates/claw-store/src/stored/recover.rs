//! What a killed process has left of sessions that it had taken out of a store.

use std::iter;
use std::path::{Path, PathBuf};
use std::time::Duration;

use claw_sessions::Sessions;

use super::contents::Contents;
use super::temporary::Temporary;
use super::{Import, StoredError, StoredSessions};
use crate::{Owner, SessionRef, StoreError, pool};

/// A session that a process had loaded from the store into a [`Checkout`](super::Checkout) and continued there, before
/// the process was killed.
#[derive(Debug)]
#[non_exhaustive]
pub struct Recovered {
    /// The session.
    pub session: SessionRef,
    /// What happened to the lines that the killed process had not stored.
    pub outcome: Outcome,
}

/// What happened to the lines that a killed process had not stored.
#[derive(Debug)]
#[non_exhaustive]
pub enum Outcome {
    /// The lines are in the store now. The number is the number of lines that were added.
    Stored(u64),
    /// Another host has continued the session in the meantime. The store was not changed, and the lines are kept in
    /// this folder, which is laid out like the CLI's configuration folder. The session in the folder can be forked, and
    /// the fork can then be imported.
    Diverged(PathBuf),
    /// The lines could not be stored now. The next call of [`recover`](StoredSessions::recover) tries again.
    Later(StoredError),
}

impl StoredSessions {
    /// Stores the lines that killed processes of this host had not stored, and removes the folders of their checkouts.
    /// The call looks for folders of checkouts in the folder `within`. Sessions that began in such a folder, by a fork
    /// or after `/clear`, are included. In a store with claims, `owner` claims each session for `ttl` while its lines
    /// are stored.
    ///
    /// If this store does not have the session of a folder, the session was loaded from another store, and the folder
    /// is not changed.
    pub async fn recover(&self, within: &Path, owner: &Owner, ttl: Duration) -> Vec<Recovered> {
        let within = within.to_owned();
        let left = pool::run(move || Temporary::left_behind(&within)).await;
        let mut recovered = Vec::new();
        for folder in left {
            let Some(contents) = Contents::read(folder.path()) else {
                continue;
            };
            let Ok(first) = contents.session() else {
                continue;
            };
            let folder = LeftUnlessDone(Some(folder));
            let outcomes = self
                .recover_folder(&folder, &contents, first, owner, ttl)
                .await;
            recovered.extend(settle(folder, outcomes).await);
        }
        recovered
    }

    /// What becomes of the sessions of a folder. The folder stays.
    async fn recover_folder(
        &self,
        folder: &LeftUnlessDone,
        contents: &Contents,
        first: SessionRef,
        owner: &Owner,
        ttl: Duration,
    ) -> Vec<Recovered> {
        let mains = contents.mains();
        let others = pool::run(move || mains.ids()).await;
        let others = others.into_iter().filter(|id| id != first.session());
        let others = others.filter_map(|id| SessionRef::new(first.project(), id).ok());
        let sessions = iter::once(first.clone()).chain(others).collect::<Vec<_>>();
        let has_first = self.has(&first).await;
        let mut recovered = Vec::new();
        for session in sessions {
            let done = match &has_first {
                Ok(true) => self.recover_one(folder, &session, owner, ttl).await,
                Ok(false) => Err(StoredError::not_found(&first)),
                Err(error) => Err(StoreError::unavailable(error.to_string()).into()),
            };
            let outcome = done.unwrap_or_else(Outcome::Later);
            recovered.push(Recovered { session, outcome });
        }
        recovered
    }

    async fn recover_one(
        &self,
        folder: &LeftUnlessDone,
        session: &SessionRef,
        owner: &Owner,
        ttl: Duration,
    ) -> Result<Outcome, StoredError> {
        let claim = match self.store.claims() {
            Some(claims) => Some(claims.claim(session, owner, ttl).await?),
            None => None,
        };
        let done = async {
            let (sessions, id) = (Sessions::new(folder.path()), session.session().to_owned());
            let here = pool::run(move || sessions.find(&id)).await?;
            if self.compare(&here, session).await?.is_diverged() {
                return Ok(Outcome::Diverged(folder.path().to_owned()));
            }
            let import = Import::new(&here).to(session.clone()).limits(self.limits);
            let import = match &claim {
                Some(claim) => import.epoch(claim.epoch),
                None => import,
            };
            Ok(Outcome::Stored(import.run(&*self.store).await?.new))
        }
        .await;
        if let (Some(claims), Some(claim)) = (self.store.claims(), &claim) {
            // One that is not released ends by itself.
            let _ = claims.release(claim).await;
        }
        done
    }
}

/// Removes a folder whose sessions are all stored, keeps one in which one is diverged, and leaves any other.
async fn settle(folder: LeftUnlessDone, mut recovered: Vec<Recovered>) -> Vec<Recovered> {
    let is = |what: fn(&Outcome) -> bool| recovered.iter().any(|found| what(&found.outcome));
    if is(|outcome| matches!(outcome, Outcome::Later(_))) {
        return recovered;
    }
    let is_kept = is(|outcome| matches!(outcome, Outcome::Diverged(_)));
    let Some(folder) = folder.done() else {
        return recovered;
    };
    if is_kept {
        pool::run(move || folder.keep("projects")).await;
    } else if let Err(error) = pool::run(move || folder.remove()).await
        && let Some(last) = recovered.last_mut()
    {
        last.outcome = Outcome::Later(StoreError::refused(error).into());
    }
    recovered
}

/// A folder that stays for the next time, unless all goes well.
struct LeftUnlessDone(Option<Temporary>);

impl LeftUnlessDone {
    fn path(&self) -> &Path {
        self.0.as_ref().map_or(Path::new(""), Temporary::path)
    }

    fn done(mut self) -> Option<Temporary> {
        self.0.take()
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

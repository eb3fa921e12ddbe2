//! What a killed process has left of sessions that it had taken out of a store.

use std::path::{Path, PathBuf};
use std::time::Duration;

use claw_sessions::Sessions;

use super::contents::Contents;
use super::temporary::Temporary;
use super::{Import, StoredError, StoredSessions};
use crate::{Owner, SessionRef, StoreError, pool};

/// A session that a killed process had taken out of the store, and that had gone on.
#[derive(Debug)]
#[non_exhaustive]
pub struct Recovered {
    /// The session.
    pub session: SessionRef,
    /// What became of what the store lacked.
    pub outcome: Outcome,
}

/// What became of lines that a killed process had not stored.
#[derive(Debug)]
#[non_exhaustive]
pub enum Outcome {
    /// They are in the store now: this many.
    Stored(u64),
    /// Another host went on meanwhile. The store was not changed, and the lines are kept in this folder, which is laid
    /// out as a configuration folder. They can be forked there, and the fork imported.
    Diverged(PathBuf),
    /// It could not be done now. The next call tries again.
    Later(StoredError),
}

impl StoredSessions {
    /// Stores what killed processes of this host had not stored of sessions that they had taken into folders in
    /// `within`, and removes the folders. Each such session is claimed as long as that takes.
    pub async fn recover(&self, within: &Path, owner: &Owner, ttl: Duration) -> Vec<Recovered> {
        let within = within.to_owned();
        let left = pool::run(move || Temporary::left_behind(&within)).await;
        let mut recovered = Vec::new();
        for folder in left {
            let Some(contents) = Contents::read(folder.path()) else {
                continue;
            };
            let Ok(session) = contents.session() else {
                continue;
            };
            let done = self.recover_one(folder, &session, owner, ttl).await;
            let outcome = done.unwrap_or_else(Outcome::Later);
            recovered.push(Recovered { session, outcome });
        }
        recovered
    }

    async fn recover_one(
        &self,
        folder: Temporary,
        session: &SessionRef,
        owner: &Owner,
        ttl: Duration,
    ) -> Result<Outcome, StoredError> {
        let folder = LeftUnlessDone(Some(folder));
        let claim = match self.store.claims() {
            Some(claims) => Some(claims.claim(session, owner, ttl).await?),
            None => None,
        };
        let done = async {
            let (sessions, id) = (Sessions::new(folder.path()), session.session().to_owned());
            let here = pool::run(move || sessions.find(&id)).await?;
            if self.compare(&here, session).await?.is_diverged() {
                return Ok(None);
            }
            let import = Import::new(&here).to(session.clone()).limits(self.limits);
            let import = match &claim {
                Some(claim) => import.epoch(claim.epoch),
                None => import,
            };
            Ok::<_, StoredError>(Some(import.run(&*self.store).await?.new))
        }
        .await;
        if let (Some(claims), Some(claim)) = (self.store.claims(), &claim) {
            // One that is not released ends by itself.
            let _ = claims.release(claim).await;
        }
        let done = done?;
        let Some(folder) = folder.done() else {
            return Ok(Outcome::Stored(0));
        };
        Ok(match done {
            Some(new) => {
                pool::run(move || folder.remove())
                    .await
                    .map_err(StoreError::refused)?;
                Outcome::Stored(new)
            }
            None => Outcome::Diverged(pool::run(move || folder.keep("projects")).await),
        })
    }
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

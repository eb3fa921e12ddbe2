//! The sessions to which a call applies.

use std::path::Path;

use crate::config_dirs::only;
use crate::home::transcripts;
use crate::info::Stat;
use crate::list::stat_of;
use crate::{Error, Session, Sessions};

/// The sessions that were found, most recently changed first, and the files and folders that could not be
/// read. Made by [`Sessions::all`] and [`Sessions::all_in`].
#[derive(Debug)]
#[non_exhaustive]
pub struct Found {
    /// The sessions: all transcripts that are not empty.
    pub sessions: Vec<Session>,
    /// The files and folders that could not be read. Their sessions are missing from `sessions`.
    pub problems: Vec<Error>,
}

/// A session of which only the name, the size and the time were read.
pub(crate) struct Seen {
    pub(crate) session: Session,
    pub(crate) stat: Stat,
    /// Whether the session has a folder beside its transcript.
    #[cfg_attr(
        not(feature = "watch"),
        expect(dead_code, reason = "for those who watch")
    )]
    pub(crate) has_folder: bool,
}

impl Sessions {
    /// Finds every session of all projects. Reads only the names and times of files; [`list`](Self::list) also reads
    /// titles. If two projects have a session with the same ID, both sessions are found.
    ///
    /// # Errors
    ///
    /// Fails with [`Error::Io`] if the folder that contains all projects exists but cannot be read. A configuration folder
    /// that was [named](Sessions::of_config_dirs) and cannot be read is one of the [problems](Found::problems).
    pub fn all(&self) -> Result<Found, Error> {
        self.scope(None)
    }

    /// Finds every session of the project in this directory, and of the other working trees of its repository.
    ///
    /// # Errors
    ///
    /// Fails with the same errors as [`all`](Self::all).
    pub fn all_in(&self, directory: &Path) -> Result<Found, Error> {
        self.scope(Some(directory))
    }

    /// Finds the sessions of a project and of the other working trees of its repository, or of all projects. If two
    /// projects have a session with the same ID, both are returned.
    pub(crate) fn scope(&self, project: Option<&Path>) -> Result<Found, Error> {
        let mut list = self.list();
        if let Some(directory) = project {
            list = list.project(directory);
        }
        let mut scope = list.scope()?;
        let mut found = self.found(scope.folders.iter().map(|folder| &*folder.path));
        found
            .problems
            .splice(..0, std::mem::take(&mut scope.problems));
        if project.is_some() {
            let is_here = |session: &Session| {
                let mut folders = scope.folders.iter();
                let folder = folders.find(|folder| session.transcript().starts_with(&folder.path));
                // An error is ignored here. It is reported when the session itself is read.
                let ends = session.ends().ok();
                !folder
                    .zip(ends)
                    .is_some_and(|(folder, ends)| scope.is_elsewhere(folder, &ends))
            };
            found.sessions.retain(is_here);
        }
        Ok(found)
    }

    /// Finds the sessions in these folders. Reads only names and times.
    pub(crate) fn found<'a>(&self, folders: impl Iterator<Item = &'a Path>) -> Found {
        let (mut seen, problems) = self.seen(folders);
        seen.sort_by(|one, other| {
            let newer = other.stat.modified.cmp(&one.stat.modified);
            let (a, b) = (one.session.id(), other.session.id());
            // The sort is stable, so the copies of a session in several configuration folders stay in the order of the
            // folders.
            newer.then_with(|| b.as_str().cmp(a.as_str()))
        });
        let sessions = seen.into_iter().map(|seen| seen.session).collect();
        Found { sessions, problems }
    }

    /// Finds the sessions in these folders, with their sizes and times, in no particular order.
    pub(crate) fn seen<'a>(
        &self,
        folders: impl Iterator<Item = &'a Path>,
    ) -> (Vec<Seen>, Vec<Error>) {
        let mut problems = Vec::new();
        let mut found = Vec::new();
        for folder in folders {
            let transcripts = match transcripts(folder) {
                Ok(transcripts) => transcripts,
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => continue,
                Err(error) => {
                    problems.push(Error::io("cannot read", folder, error));
                    continue;
                }
            };
            let home = self.containing(folder);
            for transcript in transcripts {
                match stat_of(&transcript.entry) {
                    Ok(stat) => found.push(Seen {
                        session: Session::at(&home, transcript.id, transcript.entry.path()),
                        stat,
                        has_folder: transcript.has_folder,
                    }),
                    Err(error) => problems.extend(error),
                }
            }
        }
        (found, problems)
    }

    /// Finds the session whose ID begins with this text, in any project.
    ///
    /// # Errors
    ///
    /// Fails with [`Error::InvalidId`] for an empty text, with [`Error::NotFound`] if no session matches, with
    /// [`Error::Ambiguous`] if several sessions match, with [`Error::InSeveral`] if several configuration folders have
    /// the matching session, and with [`Error::Io`] if the folder that contains all projects cannot be read.
    pub fn find_by_prefix(&self, prefix: &str) -> Result<Session, Error> {
        if prefix.is_empty() {
            let id = String::new();
            return Err(Error::InvalidId { id });
        }
        let lower = prefix.to_ascii_lowercase();
        let Found {
            sessions: mut found,
            problems,
        } = self.scope(None)?;
        let begins = |id: &str| id.to_ascii_lowercase().starts_with(&lower);
        found.retain(|session| begins(session.id().as_str()));
        let mut ids: Vec<_> = found.iter().map(|session| session.id().as_str()).collect();
        ids.sort_unstable();
        ids.dedup();
        if ids.len() > 1 {
            let count = ids.len();
            let ids = ids.into_iter().take(10).map(ToOwned::to_owned).collect();
            let prefix = prefix.to_owned();
            return Err(Error::Ambiguous { prefix, count, ids });
        }
        let id = ids.first().map_or(prefix, |id| *id).to_owned();
        // If two projects have the session, the one that was changed last is returned.
        let mut of_each: Vec<Session> = Vec::new();
        for session in found {
            let is_same = |known: &Session| known.config_dir() == session.config_dir();
            if !of_each.iter().any(is_same) {
                of_each.push(session);
            }
        }
        // An error names the folders in the order in which they were given.
        of_each.sort_by_key(|session| self.number_of(session.config_dir()));
        if let Some(session) = only(&id, of_each)? {
            return Ok(session);
        }
        // The session may be in a configuration folder that cannot be read.
        let unread = self.has_several().then(|| problems.into_iter().next());
        Err(unread.flatten().unwrap_or_else(|| Error::NotFound {
            id,
            searched: self.each().map(|home| home.projects()).collect(),
        }))
    }
}

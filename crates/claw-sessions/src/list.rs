//! A list of sessions.

use std::cmp::Reverse;
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use claw_types::SessionId;
use claw_types::store::SessionInfo;

use crate::ends::Ends;
use crate::home::{names, transcripts};
use crate::info::{Stat, info};
use crate::{Error, Sessions, file};

/// Which sessions to list: [`Sessions::list`].
#[derive(Debug, Clone)]
#[must_use = "nothing is read before `run`"]
pub struct List<'a> {
    sessions: &'a Sessions,
    project: Option<PathBuf>,
    limit: Option<usize>,
    offset: usize,
}

/// The sessions that were asked for, newest first, and what could not be read.
#[derive(Debug)]
#[non_exhaustive]
pub struct Listing {
    /// The sessions.
    pub sessions: Vec<SessionInfo>,
    /// Files and folders that could not be read. They are no reason for the rest not to be listed.
    pub problems: Vec<Error>,
}

impl Sessions {
    /// Lists sessions, newest first: those of all projects, unless one is named.
    pub fn list(&self) -> List<'_> {
        List {
            sessions: self,
            project: None,
            limit: None,
            offset: 0,
        }
    }
}

struct Candidate {
    id: SessionId,
    path: PathBuf,
    stat: Stat,
}

impl List<'_> {
    /// Sets the directory whose sessions are listed.
    pub fn project(mut self, directory: impl Into<PathBuf>) -> Self {
        self.project = Some(directory.into());
        self
    }

    /// Sets how many are listed at most.
    pub fn limit(mut self, sessions: usize) -> Self {
        self.limit = Some(sessions);
        self
    }

    /// Sets how many of the newest are passed over.
    pub fn offset(mut self, sessions: usize) -> Self {
        self.offset = sessions;
        self
    }

    /// Reads the list: the names and times of all files, and both ends of those that are shown.
    ///
    /// # Errors
    ///
    /// [`Error::Io`] where the folder of all projects is there and cannot be read. A project's folder, or a
    /// session, that cannot be read is a [problem](Listing::problems).
    pub fn run(self) -> Result<Listing, Error> {
        let mut problems = Vec::new();
        let mut candidates = Vec::new();
        for folder in self.folders()? {
            match transcripts(&folder) {
                Ok(found) => {
                    candidates.extend(found.into_iter().filter_map(|(id, path)| {
                        let stat = stat(&path).map_err(|error| problems.extend(error)).ok()?;
                        Some(Candidate { id, path, stat })
                    }));
                }
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
                Err(error) => problems.push(Error::io("cannot read", folder, error)),
            }
        }
        candidates.sort_by(|a, b| {
            let key = |candidate: &Candidate| {
                Reverse((candidate.stat.modified, candidate.id.as_str().to_owned()))
            };
            key(a).cmp(&key(b))
        });
        let mut seen = HashSet::new();
        candidates.retain(|candidate| seen.insert(candidate.id.clone()));

        let mut ends = Ends::default();
        let mut sessions = Vec::new();
        let mut passed = 0;
        for candidate in candidates {
            if self.limit.is_some_and(|limit| sessions.len() >= limit) {
                break;
            }
            match self.read(&candidate, &mut ends) {
                Ok(Some(_)) if passed < self.offset => passed += 1,
                Ok(Some(info)) => sessions.push(info),
                Ok(None) => {}
                Err(error) => problems.extend(error),
            }
        }
        Ok(Listing { sessions, problems })
    }

    fn folders(&self) -> Result<Vec<PathBuf>, Error> {
        if let Some(directory) = &self.project {
            return Ok(self.sessions.folders_of(directory));
        }
        let projects = self.sessions.projects();
        match names(&projects) {
            Ok(names) => Ok(names
                .iter()
                .map(|name| projects.join(name))
                .filter(|folder| folder.is_dir())
                .collect()),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Vec::new()),
            Err(error) => Err(Error::io("cannot read", projects, error)),
        }
    }

    fn read(
        &self,
        candidate: &Candidate,
        ends: &mut Ends,
    ) -> Result<Option<SessionInfo>, Option<Error>> {
        let Candidate { id, path, stat } = candidate;
        let mut file = file::open(path).map_err(|error| problem(path, error))?;
        ends.read(&mut file, stat.length)
            .map_err(|error| problem(path, error))?;
        Ok(info(
            id,
            ends,
            stat,
            &path.with_extension(""),
            self.project.as_deref(),
        ))
    }
}

/// `Err(None)`: it is no session, or is gone.
pub(crate) fn stat(path: &Path) -> Result<Stat, Option<Error>> {
    let stat = path
        .symlink_metadata()
        .map_err(|error| problem(path, error))?;
    if !stat.is_file() || stat.len() == 0 {
        return Err(None);
    }
    let modified = stat.modified().map_err(|error| problem(path, error))?;
    let modified = match modified.duration_since(UNIX_EPOCH) {
        Ok(since) => i64::try_from(since.as_millis()).unwrap_or(i64::MAX),
        Err(before) => -i64::try_from(before.duration().as_millis()).unwrap_or(i64::MAX),
    };
    Ok(Stat {
        length: stat.len(),
        modified,
    })
}

/// What went wrong with a file, unless it is only gone, or was never a session.
fn problem(path: &Path, error: std::io::Error) -> Option<Error> {
    use std::io::ErrorKind::{InvalidInput, NotFound};
    let is_none = matches!(error.kind(), NotFound | InvalidInput);
    (!is_none).then(|| Error::io("cannot read", path, error))
}

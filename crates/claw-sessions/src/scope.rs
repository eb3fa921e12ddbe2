//! Which sessions something is asked of.

use std::cmp::Reverse;
use std::path::Path;

use crate::home::{names, transcripts};
use crate::list::stat;
use crate::{Error, Session, Sessions};

/// All sessions of a scope, the last changed first, and what could not be looked at.
pub(crate) struct Found {
    pub(crate) sessions: Vec<Session>,
    pub(crate) problems: Vec<Error>,
}

impl Sessions {
    /// The sessions of a project, or of all. Reads names and times alone. An id that two projects have is there
    /// twice.
    pub(crate) fn scope(&self, project: Option<&Path>) -> Result<Found, Error> {
        let mut problems = Vec::new();
        let mut found = Vec::new();
        let folders = match project {
            Some(directory) => self.folders_of(directory),
            None => {
                let projects = self.projects();
                let names = match names(&projects) {
                    Err(error) if error.kind() == std::io::ErrorKind::NotFound => Vec::new(),
                    names => names.map_err(|error| Error::io("cannot read", &projects, error))?,
                };
                let folders = names.iter().map(|name| projects.join(name));
                folders.filter(|folder| folder.is_dir()).collect()
            }
        };
        for folder in folders {
            let transcripts = match transcripts(&folder) {
                Ok(transcripts) => transcripts,
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => continue,
                Err(error) => {
                    problems.push(Error::io("cannot read", folder, error));
                    continue;
                }
            };
            for (id, path) in transcripts {
                match stat(&path) {
                    Ok(stat) => found.push((stat.modified, Session::at(self, id, path))),
                    Err(error) => problems.extend(error),
                }
            }
        }
        found.sort_by(|(a, one), (b, other)| {
            let ids = || (one.id().as_str(), other.id().as_str());
            Reverse(a)
                .cmp(&Reverse(b))
                .then_with(|| ids().1.cmp(ids().0))
        });
        let sessions = found.into_iter().map(|(_, session)| session).collect();
        Ok(Found { sessions, problems })
    }

    /// Finds the one session whose id begins so, in any project.
    ///
    /// # Errors
    ///
    /// [`Error::NotFound`] where there is none, [`Error::Ambiguous`] where there are several, [`Error::Io`] where
    /// the folder of all projects cannot be read.
    pub fn find_by_prefix(&self, prefix: &str) -> Result<Session, Error> {
        let lower = prefix.to_ascii_lowercase();
        let mut found = self.scope(None)?.sessions;
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
        // Of one that two projects have, the one that was changed last.
        found.into_iter().next().ok_or_else(|| Error::NotFound {
            id: prefix.to_owned(),
            looked_in: self.projects(),
        })
    }
}

//! A session on disk.

use std::path::{Path, PathBuf};

use claw_types::SessionId;
use claw_types::store::SessionInfo;

use crate::config_dirs::only;
use crate::head_tail::HeadTail;
use crate::home::is_session_id;
use crate::info::{Stat, cwd, info};
use crate::list::stat;
use crate::members::quoted;
use crate::running::processes;
use crate::worktrees::worktrees;
use crate::{Error, Sessions, file};

/// A session on disk. Made by [`Sessions::find`].
///
/// This value holds the path of the transcript, and no open file. Other programs may change or delete the session at
/// any time, so each call reads the disk.
#[derive(Debug, Clone)]
pub struct Session {
    sessions: Sessions,
    id: SessionId,
    transcript: PathBuf,
    /// The directory by which the session was found.
    directory: Option<PathBuf>,
}

impl Sessions {
    /// Finds a session in any project. A folder of a project that is a symbolic link is not searched, as in a
    /// [list](Self::list).
    ///
    /// # Errors
    ///
    /// Fails with [`Error::InvalidId`] for an ID that is not a UUID, with [`Error::NotFound`] if no project has a
    /// non-empty transcript of this ID, with [`Error::InSeveral`] if several configuration folders have such a
    /// transcript, and with [`Error::Io`] if the folder that contains all projects cannot be read. With several
    /// configuration folders, the last error is only reported if the other folders do not have the session.
    pub fn find(&self, id: &str) -> Result<Session, Error> {
        self.find_by(id, |home| {
            let folders = match home.project_folders() {
                Ok(folders) => folders,
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => Vec::new(),
                Err(error) => return Err(Error::io("cannot read", home.projects(), error)),
            };
            Ok(home.find_among(id, &folders))
        })
    }

    /// Finds a session of the project in this directory, or in another working tree of its git repository.
    ///
    /// # Errors
    ///
    /// Fails with the same errors as [`find`](Self::find).
    pub fn find_in(&self, directory: &Path, id: &str) -> Result<Session, Error> {
        let found = self.find_by(id, |home| {
            Ok(home.find_among(id, &home.folders_of(directory)))
        });
        let found = match found {
            // Git runs only now, because most sessions are found in the first folder.
            Err(error) if error.is_not_found() => {
                let trees = worktrees(directory);
                self.find_by(id, |home| {
                    let folders = trees.iter().flat_map(|tree| home.folders_of(tree));
                    Ok(home.find_among(id, &folders.collect::<Vec<_>>()))
                })
            }
            found => found,
        };
        found.map(|session| Session {
            directory: Some(directory.to_owned()),
            ..session
        })
    }

    /// Finds a session in one of the configuration folders. `find` searches one configuration folder.
    fn find_by(
        &self,
        id: &str,
        find: impl Fn(&Self) -> Result<Option<Session>, Error>,
    ) -> Result<Session, Error> {
        if !is_session_id(id) {
            return Err(Error::InvalidId { id: id.to_owned() });
        }
        let (mut found, mut failed, mut searched) = (Vec::new(), None, Vec::new());
        for home in self.each() {
            match find(&home) {
                Ok(session) => found.extend(session),
                Err(error) => failed = failed.or(Some(error)),
            }
            searched.push(home.projects());
        }
        if let Some(session) = only(id, found)? {
            return Ok(session);
        }
        // The session may be in the configuration folder that cannot be read.
        let failed = failed.or_else(|| self.problems().into_iter().next());
        Err(failed.unwrap_or_else(|| Error::NotFound {
            id: id.to_owned(),
            searched,
        }))
    }

    fn find_among(&self, id: &str, folders: &[PathBuf]) -> Option<Session> {
        let mut transcripts = folders
            .iter()
            .map(|folder| folder.join(format!("{id}.jsonl")));
        let found = transcripts.find(|path| stat(path).is_ok());
        found.map(|transcript| Session::at(self, SessionId::from(id), transcript))
    }
}

impl Session {
    /// Creates a session whose transcript was found at this path in this configuration folder.
    pub(crate) fn at(sessions: &Sessions, id: SessionId, transcript: PathBuf) -> Self {
        let sessions = sessions.clone();
        Self {
            sessions,
            id,
            transcript,
            directory: None,
        }
    }

    /// Returns the session's ID.
    pub fn id(&self) -> &SessionId {
        &self.id
    }

    /// Returns the path of the session's transcript.
    pub fn transcript(&self) -> &Path {
        &self.transcript
    }

    /// Returns the folder of the session's other files, such as the transcripts of its sub-agents. It may not exist.
    pub fn folder(&self) -> PathBuf {
        self.transcript.with_extension("")
    }

    /// Returns the configuration folder in which this session was found.
    pub fn sessions(&self) -> &Sessions {
        &self.sessions
    }

    /// Reads the session's list entry: its title, times and more. Returns `None` for a session without anything to
    /// show, and for a sub-agent's session.
    ///
    /// # Errors
    ///
    /// Fails with [`Error::Io`] if the transcript cannot be read, for example because it was deleted meanwhile.
    pub fn info(&self) -> Result<Option<SessionInfo>, Error> {
        let (stat, ends) = self.read_ends()?;
        Ok(info(
            &self.id,
            &ends,
            &stat,
            &self.folder(),
            self.directory.as_deref(),
        ))
    }

    /// Reads the working directory of the session. Returns `None` if the transcript does not contain it.
    ///
    /// # Errors
    ///
    /// Fails with [`Error::Io`] if the transcript cannot be read.
    pub fn directory(&self) -> Result<Option<PathBuf>, Error> {
        Ok(cwd(&self.ends()?).map(PathBuf::from))
    }

    /// Returns the ID of the process of a running `claude` that uses the session. A process of another machine or
    /// container may have ended.
    ///
    /// # Errors
    ///
    /// Fails with [`Error::Io`] if the list of running processes cannot be read.
    pub fn running_process(&self) -> Result<Option<u32>, Error> {
        let config = self.config_dir();
        let running = processes(config)
            .map_err(|error| Error::io("cannot read", config.join("sessions"), error))?;
        Ok(running.get(self.id.as_str()).copied())
    }

    /// Appends a note to the transcript that the session belongs to this directory, unless it already does. Use this
    /// method for a transcript that another machine has written. The CLI writes the same note when a person moves a
    /// running session.
    ///
    /// # Errors
    ///
    /// Fails with [`Error::Io`] if the transcript cannot be read or written, and with [`Error::NotFound`] if the
    /// transcript was deleted meanwhile.
    pub fn note_directory(&self, directory: &Path) -> Result<(), Error> {
        let directory = directory.to_string_lossy();
        let now = cwd(&self.ends()?);
        // A session that names no directory belongs to the directory of the folder that contains it.
        if now.is_none_or(|now| now == directory) {
            return Ok(());
        }
        let text = |text: &str| String::from_utf8_lossy(&quoted(text)).into_owned();
        self.append(&format!(
            r#"{{"type":"relocated","sessionId":{},"relocatedCwd":{}}}"#,
            text(self.id.as_str()),
            text(&directory)
        ))
    }

    /// Reads both ends of the transcript.
    pub(crate) fn ends(&self) -> Result<HeadTail, Error> {
        self.read_ends().map(|(_, ends)| ends)
    }

    fn read_ends(&self) -> Result<(Stat, HeadTail), Error> {
        let path = &self.transcript;
        let io = |error| Error::io("cannot read", path, error);
        let stat = stat(path).map_err(|error| error.unwrap_or_else(|| self.not_found()))?;
        let mut ends = HeadTail::default();
        let mut file = file::open(path).map_err(io)?;
        ends.read(&mut file, stat.length).map_err(io)?;
        Ok((stat, ends))
    }

    /// Creates a session in the same folder. The session is known to exist, because it was just created.
    pub(crate) fn beside(&self, id: SessionId) -> Self {
        let name = format!("{}.jsonl", id.as_str());
        Self {
            sessions: self.sessions.clone(),
            transcript: self.transcript.with_file_name(name),
            id,
            directory: self.directory.clone(),
        }
    }

    pub(crate) fn not_found(&self) -> Error {
        Error::NotFound {
            id: self.id.as_str().to_owned(),
            searched: self
                .transcript
                .parent()
                .map(Path::to_owned)
                .into_iter()
                .collect(),
        }
    }
}

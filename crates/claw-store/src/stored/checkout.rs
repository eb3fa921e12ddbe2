//! A temporary copy of a stored session on this disk.

use std::fs::File;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use claw_sessions::{Session, Sessions};
use claw_types::{Json, Map};

use super::contents::Contents;
use super::lines::{Allowance, Loading};
use super::private::{make_file, make_folder, make_folders};
use super::temporary::Temporary;
use super::{StoredError, StoredSessions};
use crate::adapter::names;
use crate::{KeyError, Line, SessionRef, StoreError, StoreKey, Subpath, pool};

/// The number of bytes that are collected before they are written.
const CHUNK: usize = 256 << 10;

/// A copy of a store's session, with all its transcripts, in a separate folder on this disk. The folder has the layout
/// of the CLI's configuration folder. Made by [`StoredSessions::checkout`].
///
/// Changes in the folder do not change the store. An [`Import`](crate::Import) stores the lines that were added in the
/// folder.
///
/// # Drop
///
/// Dropping the checkout removes the folder with everything in it. [`close`](Self::close) does the same and reports an
/// error. If the process is killed, the next checkout with the same `within` removes the folder. But if a session was
/// continued in the folder, its transcripts stay for [`StoredSessions::recover`].
#[derive(Debug)]
pub struct Checkout {
    folder: Temporary,
    session: Session,
    transcripts: Vec<CheckedOut>,
}

/// A transcript of a [`Checkout`].
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct CheckedOut {
    /// The transcript's key in the store.
    pub key: StoreKey,
    /// The transcript's file on this disk.
    pub path: PathBuf,
    /// The number of lines that the transcript had in the store. The file has the same lines, except the lines of type
    /// `agent_metadata`. The last line of that type is written to a separate file, as the CLI does.
    pub lines: u64,
}

impl StoredSessions {
    /// Loads a session with all its transcripts into a new folder inside the folder `within`, which must exist. The
    /// new folder contains a project folder, which has the name of the session's project in the store.
    ///
    /// Only the current user can access the new files and folders. Only a few lines are held in memory at a time.
    ///
    /// # Errors
    ///
    /// - [`StoredError::NotFound`]: the store has no such session.
    /// - [`StoredError::LimitExceeded`]: the session is larger than the [limits](Self::limits) allow.
    /// - [`StoredError::Io`]: a file or folder cannot be written.
    /// - [`StoredError::Sessions`]: the session's ID is not a UUID.
    /// - [`StoredError::Store`]: the store returned an error, or lines of another session.
    ///
    /// After an error, the new folder is removed.
    ///
    /// # Cancel safety
    ///
    /// If the future is dropped, the new folder is removed.
    pub async fn checkout(
        &self,
        session: &SessionRef,
        within: &Path,
    ) -> Result<Checkout, StoredError> {
        self.checkout_as(session, within, session.project()).await
    }

    /// Loads a session as [`checkout`](Self::checkout) does, but gives the new project folder the name `project`. For
    /// example, this can be the [`slug`](claw_sessions::slug) of the directory in which the session will be continued.
    ///
    /// # Errors
    ///
    /// Fails with the same errors as [`checkout`](Self::checkout).
    ///
    /// # Cancel safety
    ///
    /// If the future is dropped, the new folder is removed.
    pub async fn checkout_as(
        &self,
        session: &SessionRef,
        within: &Path,
        project: &str,
    ) -> Result<Checkout, StoredError> {
        let id = session.session();
        if uuid::Uuid::try_parse(id).is_err() || id.len() != 36 {
            let id = id.to_owned();
            return Err(claw_sessions::Error::InvalidId { id }.into());
        }
        let project = file_name("project", project)?;
        let within = within.to_owned();
        let made = pool::run(move || {
            let folder = Temporary::create(&within)
                .map_err(|error| StoredError::io("cannot make a folder in", within, error))?;
            let projects = folder.path().join("projects");
            let path = projects.join(project);
            make_folder(&projects)
                .and_then(|()| make_folder(&path))
                .map_err(|error| StoredError::io("cannot make", &path, error))?;
            Ok::<_, StoredError>((folder, path))
        });
        let (folder, project) = made.await?;

        let mut left = Allowance::new(session, self.limits);
        let main = session.main();
        let path = project.join(format!("{id}.jsonl"));
        let mut transcripts = Vec::new();
        // A writer may create transcripts while this function runs. The list of the other transcripts is read first, so
        // a main transcript that is created after the list is still loaded together with the transcripts in the list.
        // Other transcripts that are created later are not part of this copy.
        let beside = self.beside(session, &left).await?;
        transcripts.extend(self.write(main, path, &mut left).await?);
        if transcripts.is_empty() {
            return Err(StoredError::not_found(session));
        }
        for subpath in beside {
            let path = path_of(&project.join(id), &subpath)?;
            let written = self.write(session.at(subpath), path, &mut left).await?;
            transcripts.extend(written);
        }
        let (from, id) = (session.clone(), id.to_owned());
        let found = pool::run(move || {
            let path = folder.path();
            Contents::write(path, &from, transcripts.iter().map(|found| &found.path))
                .map_err(|error| StoredError::io("cannot write into", path, error))?;
            let session = Sessions::new(path).find(&id)?;
            Ok::<_, StoredError>(Checkout {
                folder,
                session,
                transcripts,
            })
        });
        found.await
    }

    /// Returns the subpaths of the transcripts other than the main one, sorted. The list is empty if the store cannot
    /// list them. Transcripts in which programs store their own records are left out.
    pub(super) async fn beside(
        &self,
        session: &SessionRef,
        left: &Allowance,
    ) -> Result<Vec<Subpath>, StoredError> {
        let Some(subkeys) = self.store.subkeys() else {
            return Ok(Vec::new());
        };
        let mut beside = subkeys.subkeys(session).await?;
        let most = self.limits.transcripts;
        if beside.len() as u64 > most {
            return Err(left.exceeded("transcripts", most));
        }
        beside.retain(|path| !path.as_str().starts_with(OWN));
        beside.sort();
        beside.dedup();
        Ok(beside)
    }

    /// Writes a transcript into a new file. Returns `None` if the store has no line of the transcript.
    async fn write(
        &self,
        key: StoreKey,
        path: PathBuf,
        left: &mut Allowance,
    ) -> Result<Option<CheckedOut>, StoredError> {
        let mut metadata = None;
        let mut file = Writing::new(path);
        let mut loading = Loading::new(&*self.store, &key);
        while let Some(line) = loading.next(left).await? {
            let is_metadata = key.subpath().is_some() && is_agent_metadata(&line);
            if is_metadata {
                metadata = Some(line);
            } else {
                file.add(line.as_str()).await?;
            }
        }
        let lines = loading.lines;
        drop(loading);
        if lines == 0 {
            return Ok(None);
        }
        let path = file.end().await?;
        if let Some(line) = metadata {
            let mut file = Writing::new(path.with_extension("meta.json"));
            file.add(&without_type(&line)).await?;
            file.end().await?;
        }
        Ok(Some(CheckedOut { key, path, lines }))
    }
}

impl Checkout {
    /// Returns the folder of the checkout, which has the layout of the CLI's configuration folder.
    pub fn config(&self) -> &Path {
        self.folder.path()
    }

    /// Returns the copy of the session in the checkout's folder, for the functions of claw-sessions.
    pub fn session(&self) -> &Session {
        &self.session
    }

    /// Returns the transcripts of the session. The main transcript comes first.
    pub fn transcripts(&self) -> &[CheckedOut] {
        &self.transcripts
    }

    /// Records the process ID of the CLI that writes into the checkout. If this process is killed, no later call uses
    /// or removes the folder before the CLI has ended. This call blocks.
    ///
    /// # Errors
    ///
    /// Fails with the error of the file system if the record cannot be written.
    pub fn written_by(&self, pid: u32) -> io::Result<()> {
        self.folder.written_by(pid)
    }

    /// Removes the checkout's folder with everything in it. If a program still writes there, waits briefly.
    ///
    /// # Errors
    ///
    /// Fails with [`StoredError::Io`] if something in the folder could not be removed.
    pub async fn close(self) -> Result<(), StoredError> {
        let Self { folder, .. } = self;
        pool::run(move || {
            let path = folder.path().to_owned();
            folder
                .remove()
                .map_err(|error| StoredError::io("cannot remove", path, error))
        })
        .await
    }
}

impl Checkout {
    /// Leaves the checkout's transcripts on disk, so that [`StoredSessions::recover`] can store them. Removes
    /// everything else, such as credentials. This call blocks.
    pub fn leave(self) {
        self.folder.leave_only(&["projects", Contents::NAME]);
    }

    /// Leaves the folder in the state in which a killed process leaves it.
    #[cfg(test)]
    pub(super) fn kill(self) {
        self.folder.leave();
    }

    /// Leaves the checkout's transcripts on disk, so that an [`Import`](crate::Import) can store them. Removes
    /// everything else, such as credentials. No later checkout removes the folder with the transcripts. Returns that
    /// folder.
    pub async fn keep(self) -> PathBuf {
        let Self { folder, .. } = self;
        pool::run(move || folder.keep("projects")).await
    }
}

/// The prefix of the subpaths under which programs store their own records. For example, a server stores the prompts
/// that it has accepted.
const OWN: &str = "claw/";

/// A file that is written in chunks. The first chunk creates the file.
struct Writing {
    path: Arc<Path>,
    file: Option<File>,
    text: Vec<u8>,
}

impl Writing {
    fn new(path: PathBuf) -> Self {
        Self {
            path: path.into(),
            file: None,
            text: Vec::new(),
        }
    }

    async fn add(&mut self, line: &str) -> Result<(), StoredError> {
        self.text.extend_from_slice(line.as_bytes());
        self.text.push(b'\n');
        if self.text.len() >= CHUNK {
            self.flush().await?;
        }
        Ok(())
    }

    async fn flush(&mut self) -> Result<(), StoredError> {
        let (path, file) = (Arc::clone(&self.path), self.file.take());
        let mut text = std::mem::take(&mut self.text);
        let written = pool::run(move || {
            let file = match file {
                Some(file) => Ok(file),
                None => path
                    .parent()
                    .map_or(Ok(()), make_folders)
                    .and_then(|()| make_file(&path)),
            };
            let written = file.and_then(|mut file| file.write_all(&text).map(|()| file));
            text.clear();
            written
                .map(|file| (file, text))
                .map_err(|error| StoredError::io("cannot write", &*path, error))
        });
        let (file, text) = written.await?;
        self.file = Some(file);
        self.text = text;
        self.text.shrink_to(2 * CHUNK);
        Ok(())
    }

    async fn end(mut self) -> Result<PathBuf, StoredError> {
        if self.file.is_none() || !self.text.is_empty() {
            self.flush().await?;
        }
        Ok(self.path.to_path_buf())
    }
}

/// Returns the file of a transcript other than the main one.
pub(super) fn path_of(folder: &Path, subpath: &Subpath) -> Result<PathBuf, StoredError> {
    let mut path = folder.to_owned();
    for segment in subpath.as_str().split('/') {
        path.push(file_name("subpath", segment)?);
    }
    path.as_mut_os_string().push(".jsonl");
    Ok(path)
}

fn file_name(part: &'static str, text: &str) -> Result<String, StoredError> {
    let name = names::escaped(text).map(std::borrow::Cow::into_owned);
    name.ok_or_else(|| {
        let reason = "is too long for the name of a file";
        StoreError::from(KeyError::new(part, text, reason)).into()
    })
}

/// Whether the line contains the data of the `.meta.json` file beside a sub-agent's transcript.
pub(super) fn is_agent_metadata(line: &Line) -> bool {
    line.as_str().contains("agent_metadata")
        && line
            .json()
            .get("type")
            .as_ref()
            .and_then(Json::as_str)
            .as_deref()
            == Some("agent_metadata")
}

/// Returns the contents of the `.meta.json` file beside a sub-agent's transcript: the line without its `type`.
pub(super) fn without_type(line: &Line) -> String {
    let members: Map<Json> = line.json().parse().unwrap_or_default();
    let members = members.into_iter().filter(|(name, _)| name != "type");
    let members: Map<Json> = members.collect();
    serde_json::to_string(&members).unwrap_or_default()
}

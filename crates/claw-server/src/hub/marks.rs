//! Marks of accepted prompts. What a server leaves behind says which prompts it has not answered.
//!
//! A mark is a file with the prompt, which is on disk before the prompt's sender is told that it was accepted. It is
//! renamed before the prompt is given to claude, and removed when the prompt is answered. So each prompt of a server that
//! is gone is known to be one that claude never got, or one that claude may have got.
//!
//! Each server has a folder of its own, beside a file that it keeps locked. The system releases the lock with the
//! server's end, however it ends. The next server takes the marks over.

use std::borrow::Cow;
use std::collections::HashMap;
use std::fs::{self, File, TryLockError};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use claw_client::transport::create_private_file;
use claw_sessions::Sessions;
use claw_types::api::{Content, ContentBlock};
use claw_types::message::UserMessage;
use claw_types::{MessageUuid, SessionId};
use serde::{Deserialize, Serialize};

/// How the names of marks end: of prompts that claude never got, and of those that it may have got.
const ACCEPTED: &str = "accepted";
const SENT: &str = "sent";
/// How the name of the file ends that a server keeps locked.
const LOCK: &str = ".lock";
/// How much of a prompt stands for a title, in characters.
const LONGEST_TITLE: usize = 200;

/// The marks of one configuration folder.
#[derive(Debug)]
pub(crate) struct Marks {
    root: PathBuf,
    own: Mutex<Option<Own>>,
    /// What earlier servers have left behind, by session, oldest first.
    cut: Mutex<HashMap<SessionId, Vec<Cut>>>,
}

/// The folder of this server.
#[derive(Debug)]
struct Own {
    folder: PathBuf,
    lock: PathBuf,
    _locked: File,
}

/// The mark of a prompt. Its file stays when this is dropped: then the prompt was not answered.
#[derive(Debug)]
pub(crate) struct Mark {
    path: PathBuf,
}

/// What a mark's file says.
#[derive(Debug, Serialize, Deserialize)]
struct Record<'a> {
    session: SessionId,
    /// The folder of the session's project.
    folder: Cow<'a, Path>,
    /// When the prompt was accepted, in microseconds since 1970.
    at: u64,
    prompt: Cow<'a, UserMessage>,
}

/// A prompt that an earlier server has not answered.
#[derive(Debug)]
struct Cut {
    path: PathBuf,
    folder: PathBuf,
    uuid: Option<MessageUuid>,
    title: String,
    at: u64,
}

/// A session with prompts that an earlier server has not answered.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct CutSession {
    pub(crate) id: SessionId,
    /// The folder of its project.
    pub(crate) folder: PathBuf,
    /// The beginning of the first of the prompts.
    pub(crate) title: String,
    /// When the last of them was accepted, in milliseconds since 1970.
    pub(crate) at: i64,
}

/// A prompt that an earlier server has not answered.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct CutPrompt {
    pub(crate) prompt: UserMessage,
    /// Whether claude may have got it.
    pub(crate) is_sent: bool,
}

impl Marks {
    /// Takes over what servers have left behind that are gone, of those folders that are a project's of this server.
    /// `newest` says under which ID a session goes on.
    pub(crate) fn of(
        sessions: &Sessions,
        is_own: impl Fn(&Path) -> bool,
        newest: impl Fn(&SessionId) -> SessionId,
    ) -> io::Result<Self> {
        let root = sessions.projects().with_file_name("claw").join("prompts");
        let marks = Self {
            root,
            own: Mutex::default(),
            cut: Mutex::default(),
        };
        for path in entries(&marks.root)? {
            let name = path.file_name().and_then(|name| name.to_str());
            if let Some(server) = name.and_then(|name| name.strip_suffix(LOCK)) {
                let folder = marks.root.join(server);
                marks.take_over(&path, &folder, &is_own, &newest)?;
            }
        }
        for cut in lock(&marks.cut).values_mut() {
            cut.sort_by_key(|cut| cut.at);
        }
        Ok(marks)
    }

    fn take_over(
        &self,
        locked: &Path,
        folder: &Path,
        is_own: &impl Fn(&Path) -> bool,
        newest: &impl Fn(&SessionId) -> SessionId,
    ) -> io::Result<()> {
        let Ok(lock_file) = File::options().read(true).write(true).open(locked) else {
            // Another server has taken its marks over at this moment.
            return Ok(());
        };
        if let Err(TryLockError::WouldBlock) = lock_file.try_lock() {
            return Ok(());
        }
        for path in entries(folder)? {
            let Some(record) = read(&path)? else {
                // Its server ended while it wrote it: nobody was told that the prompt was accepted.
                remove(&path);
                continue;
            };
            if !is_own(&record.folder) {
                continue;
            }
            let (Some(name), own) = (path.file_name(), self.own()?) else {
                continue;
            };
            let path_now = own.join(name);
            fs::rename(&path, &path_now)?;
            let cut = Cut {
                path: path_now,
                folder: record.folder.into_owned(),
                uuid: record.prompt.uuid.clone(),
                title: title(&record.prompt),
                at: record.at,
            };
            let session = newest(&record.session);
            lock(&self.cut).entry(session).or_default().push(cut);
        }
        let is_gone = match fs::remove_dir(folder) {
            Ok(()) => true,
            // With the marks of other projects, for another server.
            Err(error) => error.kind() == io::ErrorKind::NotFound,
        };
        if is_gone {
            fs::remove_file(locked)?;
        }
        Ok(())
    }

    /// The folder of this server, which is made with its first mark.
    fn own(&self) -> io::Result<PathBuf> {
        let mut own = lock(&self.own);
        if let Some(own) = &*own {
            return Ok(own.folder.clone());
        }
        let is_new = !self.root.exists();
        fs::create_dir_all(&self.root)?;
        loop {
            let name = uuid::Uuid::new_v4().to_string();
            let path = self.root.join(format!("{name}{LOCK}"));
            let file = create_private_file(&path)?;
            match file.try_lock() {
                Ok(()) => {}
                // A server that starts at this moment takes it for one that was left behind.
                Err(TryLockError::WouldBlock) => continue,
                Err(TryLockError::Error(error)) => {
                    tracing::warn!(%error, "marks of prompts cannot be locked: let one server use the folder");
                }
            }
            if !path.exists() {
                continue;
            }
            let folder = self.root.join(name);
            if let Err(error) = fs::create_dir(&folder) {
                let _ = fs::remove_file(&path);
                return Err(error);
            }
            // `claw/prompts` and the folder that has it, where these are new.
            let changed = if is_new { 3 } else { 1 };
            self.root.ancestors().take(changed).try_for_each(sync)?;
            *own = Some(Own {
                folder: folder.clone(),
                lock: path,
                _locked: file,
            });
            return Ok(folder);
        }
    }

    /// Marks a prompt as accepted. The mark is on disk, whatever happens to the machine then. Blocks.
    pub(crate) fn accept(
        &self,
        session: &SessionId,
        folder: &Path,
        prompt: &UserMessage,
    ) -> io::Result<Mark> {
        let at = SystemTime::now().duration_since(UNIX_EPOCH);
        let record = Record {
            session: session.clone(),
            folder: folder.into(),
            at: at.map_or(0, |at| u64::try_from(at.as_micros()).unwrap_or(u64::MAX)),
            prompt: Cow::Borrowed(prompt),
        };
        let text = serde_json::to_vec(&record)?;
        let own = self.own()?;
        let name = uuid::Uuid::new_v4();
        let path = own.join(format!("{name}.{ACCEPTED}"));
        let written = create_private_file(&path).and_then(|mut file| {
            file.write_all(&text)?;
            file.sync_all()?;
            sync(&own)
        });
        if let Err(error) = written {
            let _ = fs::remove_file(&path);
            return Err(error);
        }
        if let Some(uuid) = &prompt.uuid {
            // It was cut, and is sent again.
            self.settle_if(session, |cut| cut.uuid.as_ref() == Some(uuid));
        }
        Ok(Mark { path })
    }

    /// Leaves what is still marked to the next server. Blocks.
    pub(crate) fn release(&self) {
        if let Some(own) = lock(&self.own).take()
            && fs::remove_dir(&own.folder).is_ok()
        {
            remove(&own.lock);
        }
    }

    /// Whether an earlier server has left prompts of a session unanswered.
    pub(crate) fn is_cut(&self, session: &SessionId) -> bool {
        lock(&self.cut).contains_key(session)
    }

    /// The sessions of which an earlier server has left prompts unanswered.
    pub(crate) fn cut_sessions(&self) -> Vec<CutSession> {
        let cut = lock(&self.cut);
        let sessions = cut.iter().filter_map(|(id, cut)| {
            let (first, last) = (cut.first()?, cut.last()?);
            Some(CutSession {
                id: id.clone(),
                folder: first.folder.clone(),
                title: first.title.clone(),
                at: i64::try_from(last.at / 1000).unwrap_or(i64::MAX),
            })
        });
        sessions.collect()
    }

    /// The session, if it has prompts that an earlier server has not answered, and these, oldest first. Blocks.
    pub(crate) fn cut(&self, session: &SessionId) -> io::Result<Option<(PathBuf, Vec<CutPrompt>)>> {
        let cut = lock(&self.cut);
        let Some(cut) = cut.get(session) else {
            return Ok(None);
        };
        let mut prompts = Vec::new();
        for cut in cut {
            if let Some(record) = read(&cut.path)? {
                prompts.push(CutPrompt {
                    prompt: record.prompt.into_owned(),
                    is_sent: is_sent(&cut.path),
                });
            }
        }
        let folder = cut.first().map(|cut| cut.folder.clone());
        Ok(folder.map(|folder| (folder, prompts)))
    }

    /// Lets go of what earlier servers have left of a session: it has gone on. Blocks.
    pub(crate) fn settle(&self, session: &SessionId) {
        self.settle_if(session, |_| true);
    }

    fn settle_if(&self, session: &SessionId, is_over: impl Fn(&Cut) -> bool) {
        let mut all = lock(&self.cut);
        if let Some(cut) = all.get_mut(session) {
            for over in cut.extract_if(.., |cut| is_over(cut)) {
                remove(&over.path);
            }
            if cut.is_empty() {
                all.remove(session);
            }
        }
    }
}

impl Drop for Marks {
    fn drop(&mut self) {
        self.release();
    }
}

impl Mark {
    /// The prompt is given to claude from now on. Blocks.
    pub(crate) fn sent(&mut self) -> io::Result<()> {
        let sent = self.path.with_extension(SENT);
        fs::rename(&self.path, &sent)?;
        self.path = sent;
        self.path.parent().map_or(Ok(()), sync)
    }

    /// The prompt is answered, or its sender knows that it will not be. Blocks.
    pub(crate) fn end(self) {
        remove(&self.path);
    }
}

/// What a folder has. Nothing, if it is not there.
fn entries(folder: &Path) -> io::Result<Vec<PathBuf>> {
    match fs::read_dir(folder) {
        Ok(entries) => entries.map(|entry| Ok(entry?.path())).collect(),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        Err(error) => Err(error),
    }
}

/// What a mark says. `None` if it was not written to its end, or is gone.
fn read(path: &Path) -> io::Result<Option<Record<'static>>> {
    match fs::read(path) {
        Ok(text) => Ok(serde_json::from_slice(&text).ok()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

fn is_sent(path: &Path) -> bool {
    path.extension().is_some_and(|end| end == SENT)
}

fn remove(path: &Path) {
    if let Err(error) = fs::remove_file(path) {
        tracing::warn!(%error, "the mark of a prompt that is over stays");
    }
}

/// Has the names in a folder written to the disk.
#[cfg(unix)]
fn sync(folder: &Path) -> io::Result<()> {
    File::open(folder)?.sync_all()
}

/// Folders cannot be opened as files are, and their names are written with the files.
#[cfg(not(unix))]
#[expect(clippy::unnecessary_wraps, reason = "it can fail on Unix")]
fn sync(_: &Path) -> io::Result<()> {
    Ok(())
}

/// The beginning of a prompt.
fn title(prompt: &UserMessage) -> String {
    let text = match &prompt.message.content {
        Content::Text(text) => Some(&**text),
        Content::Blocks(blocks) => blocks.iter().find_map(|block| match block {
            ContentBlock::Text(text) => Some(&*text.text),
            _ => None,
        }),
    };
    let text = text.unwrap_or_default().trim();
    text.chars().take(LONGEST_TITLE).collect()
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

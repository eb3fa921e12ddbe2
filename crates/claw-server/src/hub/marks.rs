//! Marks: the records on disk of accepted prompts. The marks that a server leaves show which prompts it has not
//! answered.
//!
//! A mark is a file that contains the prompt. It is on disk before the sender is notified that the prompt was accepted.
//! The mark is renamed before the prompt is sent to claude, and removed when the prompt is answered. So, for each
//! prompt of a server that has ended, the mark shows whether claude may have received the prompt.
//!
//! Each server has its own folder, beside a file that it keeps locked. The operating system releases the lock when the
//! server ends, for any reason. A server that starts later takes over the marks.

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

/// The file extension of a mark whose prompt claude has not received.
const ACCEPTED: &str = "accepted";
/// The file extension of a mark whose prompt claude may have received.
const SENT: &str = "sent";
/// The suffix of a lock file, which a server keeps locked while it runs.
const LOCK: &str = ".lock";
/// Maximum length of the part of a prompt that is used as a title, in characters.
const LONGEST_TITLE: usize = 200;

/// The marks in one configuration folder. A mark is a file that records an accepted and unanswered prompt.
#[derive(Debug)]
pub(crate) struct Marks {
    root: PathBuf,
    own: Mutex<Option<Own>>,
    /// For each session, the prompts that earlier servers have not answered, oldest first.
    cut: Mutex<HashMap<SessionId, Vec<Cut>>>,
}

/// The folder in which this server records accepted prompts, and the lock file of the folder.
#[derive(Debug)]
struct Own {
    folder: PathBuf,
    lock: PathBuf,
    _locked: File,
}

/// The file that records an accepted and unanswered prompt. If this value is dropped, the file remains, and a restarted
/// server finds the prompt unanswered.
#[derive(Debug)]
pub(crate) struct Mark {
    path: PathBuf,
}

/// The contents of the file that records an accepted prompt.
#[derive(Debug, Serialize, Deserialize)]
struct Record<'a> {
    session: SessionId,
    /// The folder of the session's project.
    folder: Cow<'a, Path>,
    /// The session's configuration folder, if the server uses several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    config_dir: Option<Cow<'a, Path>>,
    /// The time at which the prompt was accepted, in microseconds since 1970.
    at: u64,
    prompt: Cow<'a, UserMessage>,
}

/// A prompt that an earlier server has not answered.
#[derive(Debug)]
struct Cut {
    path: PathBuf,
    folder: PathBuf,
    config_dir: Option<PathBuf>,
    uuid: Option<MessageUuid>,
    title: String,
    at: u64,
}

/// A session with prompts that an earlier server has not answered.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct CutSession {
    pub(crate) id: SessionId,
    /// The folder of the session's project.
    pub(crate) folder: PathBuf,
    /// The session's configuration folder, if it is recorded.
    pub(crate) config_dir: Option<PathBuf>,
    /// The beginning of the first of these prompts.
    pub(crate) title: String,
    /// The time at which the last of these prompts was accepted, in milliseconds since 1970.
    pub(crate) at: i64,
}

/// The prompts that an earlier server has not answered in a session.
#[derive(Debug)]
pub(crate) struct CutPrompts {
    /// The folder of the session's project.
    pub(crate) folder: PathBuf,
    /// The session's configuration folder, if it is recorded.
    pub(crate) config_dir: Option<PathBuf>,
    /// The prompts, oldest first.
    pub(crate) prompts: Vec<CutPrompt>,
}

/// A prompt that an earlier server has not answered.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct CutPrompt {
    pub(crate) prompt: UserMessage,
    /// Whether claude may have received the prompt.
    pub(crate) is_sent: bool,
}

impl Marks {
    /// Takes over the marks (the records of unanswered prompts) of servers that have ended. `is_own` is called with the
    /// project's folder and the configuration folder of a mark. It returns whether this server has the project and uses the
    /// configuration folder. `newest` returns the ID under which a session now continues.
    pub(crate) fn of(
        sessions: &Sessions,
        is_own: impl Fn(&Path, Option<&Path>) -> bool,
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
                marks.adopt(&path, &folder, &is_own, &newest)?;
            }
        }
        for cut in lock(&marks.cut).values_mut() {
            cut.sort_by_key(|cut| cut.at);
        }
        Ok(marks)
    }

    fn adopt(
        &self,
        locked: &Path,
        folder: &Path,
        is_own: &impl Fn(&Path, Option<&Path>) -> bool,
        newest: &impl Fn(&SessionId) -> SessionId,
    ) -> io::Result<()> {
        let Ok(lock_file) = File::options().read(true).write(true).open(locked) else {
            // The lock file cannot be opened, because another server has taken over the marks and has removed the file.
            return Ok(());
        };
        if let Err(TryLockError::WouldBlock) = lock_file.try_lock() {
            return Ok(());
        }
        for path in entries(folder)? {
            let Some(record) = read(&path)? else {
                // The mark is incomplete, because the server ended while it wrote the mark. The prompt was not reported
                // as accepted.
                remove(&path);
                continue;
            };
            if !is_own(&record.folder, record.config_dir.as_deref()) {
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
                config_dir: record.config_dir.map(Cow::into_owned),
                uuid: record.prompt.uuid.clone(),
                title: title(&record.prompt),
                at: record.at,
            };
            let session = newest(&record.session);
            lock(&self.cut).entry(session).or_default().push(cut);
        }
        let is_gone = match fs::remove_dir(folder) {
            Ok(()) => true,
            // The folder still contains marks of projects that this server does not have. It stays, so that another server can
            // take over these marks.
            Err(error) => error.kind() == io::ErrorKind::NotFound,
        };
        if is_gone {
            fs::remove_file(locked)?;
        }
        Ok(())
    }

    /// Returns the folder in which this server records accepted prompts. Creates the folder when the first prompt is
    /// recorded.
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
                // Another server, which is just starting, has locked this file and treats it as the file of a server that
                // has ended. So this server tries another name.
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
            // If `claw/prompts` is new, its parent folders have new entries, and must be synced too.
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

    /// Writes the file that records an accepted prompt. The file is on disk when the call returns, and survives a crash of
    /// the machine. Blocks.
    pub(crate) fn accept(
        &self,
        session: &SessionId,
        folder: &Path,
        config_dir: Option<&Path>,
        prompt: &UserMessage,
    ) -> io::Result<Mark> {
        let at = SystemTime::now().duration_since(UNIX_EPOCH);
        let record = Record {
            session: session.clone(),
            folder: folder.into(),
            config_dir: config_dir.map(Cow::Borrowed),
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
            // This prompt may be one that an earlier server left unanswered. The new mark then replaces that server's mark.
            self.settle_if(session, |cut| cut.uuid.as_ref() == Some(uuid));
        }
        Ok(Mark { path })
    }

    /// Releases the folder of this server's marks. If it still contains marks, a server that starts later takes them over.
    /// Blocks.
    pub(crate) fn release(&self) {
        if let Some(own) = lock(&self.own).take()
            && fs::remove_dir(&own.folder).is_ok()
        {
            remove(&own.lock);
        }
    }

    /// Whether an earlier server has left prompts of the session unanswered.
    pub(crate) fn is_cut(&self, session: &SessionId) -> bool {
        lock(&self.cut).contains_key(session)
    }

    /// Returns the sessions with prompts that an earlier server has left unanswered.
    pub(crate) fn cut_sessions(&self) -> Vec<CutSession> {
        let cut = lock(&self.cut);
        let sessions = cut.iter().filter_map(|(id, cut)| {
            let (first, last) = (cut.first()?, cut.last()?);
            Some(CutSession {
                id: id.clone(),
                folder: first.folder.clone(),
                config_dir: first.config_dir.clone(),
                title: first.title.clone(),
                at: i64::try_from(last.at / 1000).unwrap_or(i64::MAX),
            })
        });
        sessions.collect()
    }

    /// Returns the prompts that an earlier server has left unanswered in a session. Returns `None` if there are none.
    /// Blocks.
    pub(crate) fn cut(&self, session: &SessionId) -> io::Result<Option<CutPrompts>> {
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
        Ok(cut.first().map(|first| CutPrompts {
            folder: first.folder.clone(),
            config_dir: first.config_dir.clone(),
            prompts,
        }))
    }

    /// Removes the marks (the records of unanswered prompts) that earlier servers have left in a session, for the prompts
    /// for which `has_ended` returns `true`. Blocks.
    pub(crate) fn settle(&self, session: &SessionId, has_ended: impl Fn(&MessageUuid) -> bool) {
        self.settle_if(session, |cut| cut.uuid.as_ref().is_none_or(&has_ended));
    }

    fn settle_if(&self, session: &SessionId, has_ended: impl Fn(&Cut) -> bool) {
        let mut all = lock(&self.cut);
        if let Some(cut) = all.get_mut(session) {
            for ended in cut.extract_if(.., |cut| has_ended(cut)) {
                remove(&ended.path);
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
    /// Renames the file that records the prompt, because the prompt is now sent to claude. Blocks.
    pub(crate) fn sent(&mut self) -> io::Result<()> {
        let sent = self.path.with_extension(SENT);
        fs::rename(&self.path, &sent)?;
        self.path = sent;
        self.path.parent().map_or(Ok(()), sync)
    }

    /// Removes the file that records the prompt. The prompt is answered, or its sender was notified that it will not be
    /// answered. Blocks.
    pub(crate) fn end(self) {
        remove(&self.path);
    }
}

/// Returns the paths in a folder. Returns none if the folder does not exist.
fn entries(folder: &Path) -> io::Result<Vec<PathBuf>> {
    match fs::read_dir(folder) {
        Ok(entries) => entries.map(|entry| Ok(entry?.path())).collect(),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        Err(error) => Err(error),
    }
}

/// Reads the file of a mark. Returns `None` if the file was not written completely, or does not exist.
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

/// Writes the names in a folder to the disk, so that they survive a crash of the machine.
#[cfg(unix)]
fn sync(folder: &Path) -> io::Result<()> {
    File::open(folder)?.sync_all()
}

/// Does nothing. On Windows, folders cannot be opened like files, and names are written together with the files.
#[cfg(not(unix))]
#[expect(clippy::unnecessary_wraps, reason = "it can fail on Unix")]
fn sync(_: &Path) -> io::Result<()> {
    Ok(())
}

/// Returns the beginning of a prompt's text, as a title.
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

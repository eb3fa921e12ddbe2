//! A session that is locked, so that only the current call can write to it.

use std::fs::{self, DirBuilder, File, OpenOptions, TryLockError};
use std::hash::{BuildHasher as _, RandomState};
use std::io::{self, ErrorKind, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use claw_sessions::Entries;

use super::cache::{Cache, Known};
use super::paths::Paths;
use super::state::{Record, State, digest, digest_of, head, read_json, sync_folder, write_json};
use crate::{Appended, Batch, Line, SessionRef, StoreError, StoreKey, Summary};

/// The number of mutexes. So this process can write at most this number of sessions at once.
const STRIPES: usize = 64;

/// The folder of a store and its settings.
pub(super) struct Inner {
    pub(super) root: PathBuf,
    pub(super) is_synced: bool,
    pub(super) timeout: Duration,
    stripes: [Mutex<()>; STRIPES],
    hasher: RandomState,
    cache: Mutex<Cache>,
}

/// Holds the lock of a session. The lock is released when this value is dropped.
pub(super) struct Locked<'a> {
    inner: &'a Inner,
    pub(super) paths: Paths,
    /// The file that holds the operating system's lock. This lock excludes other processes.
    _file: File,
    /// The lock that excludes other threads of this process. Because of it, waiting threads do not poll the operating
    /// system's lock.
    _stripe: MutexGuard<'a, ()>,
}

/// A transcript from which an incomplete append was removed.
pub(super) struct Settled {
    id: String,
    /// The state from the state file. If another program has written to the transcript, the transcript is longer.
    pub(super) state: State,
    /// The length of the transcript, in bytes.
    pub(super) length: u64,
}

impl Inner {
    pub(super) fn new(root: PathBuf) -> Self {
        Self {
            root,
            is_synced: true,
            timeout: Duration::from_secs(30),
            stripes: std::array::from_fn(|_| Mutex::new(())),
            hasher: RandomState::new(),
            cache: Mutex::default(),
        }
    }

    /// Whether the transcript exists. Does not wait for the lock.
    pub(super) fn has(&self, key: &StoreKey) -> Result<bool, StoreError> {
        let paths = Paths::of(&self.root, key.session())?;
        let is_deleted = paths.deleting().exists();
        let found = length(&paths.transcript(key)?)?;
        Ok(!is_deleted && found.is_some())
    }

    /// Whether any file or folder of the session exists.
    pub(super) fn has_any(&self, session: &SessionRef) -> Result<bool, StoreError> {
        let paths = Paths::of(&self.root, session)?;
        let mut all = [&paths.main, &paths.beside, &paths.state].into_iter();
        Ok(all.any(|path| path.symlink_metadata().is_ok()))
    }

    /// Whether the session has a tombstone.
    pub(super) fn is_deleted(&self, session: &SessionRef) -> Result<bool, StoreError> {
        Paths::of(&self.root, session)?.is_deleted()
    }

    /// Locks the session. Waits until no other call or process has the lock.
    pub(super) fn lock(&self, session: &SessionRef) -> Result<Locked<'_>, StoreError> {
        let paths = Paths::of(&self.root, session)?;
        let stripe = usize::try_from(self.hasher.hash_one(session) % STRIPES as u64).unwrap_or(0);
        let stripe = self.stripes[stripe]
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        make_folders(&paths.state).map_err(StoreError::unavailable)?;
        let mut options = OpenOptions::new();
        let file = for_user(options.write(true).create(true).truncate(false))
            .open(paths.lock())
            .map_err(StoreError::unavailable)?;
        let until = Instant::now() + self.timeout;
        let mut pause = Duration::from_millis(1);
        loop {
            match file.try_lock() {
                Ok(()) => break,
                Err(TryLockError::WouldBlock) if Instant::now() < until => {
                    thread::sleep(pause);
                    pause = (2 * pause).min(Duration::from_millis(50));
                }
                Err(TryLockError::WouldBlock) => {
                    let what = "another process writes the session";
                    return Err(StoreError::unavailable(what));
                }
                // The file system supports no locks. Without a lock, two processes could write at the same time.
                Err(TryLockError::Error(error)) => return Err(StoreError::refused(error)),
            }
        }
        let locked = Locked {
            inner: self,
            paths,
            _file: file,
            _stripe: stripe,
        };
        if locked.paths.deleting().exists() {
            locked.finish_delete().map_err(StoreError::unavailable)?;
        }
        Ok(locked)
    }

    fn cache(&self) -> MutexGuard<'_, Cache> {
        self.cache.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Locked<'_> {
    /// Removes the lines of an append that was interrupted. Returns `None` if the transcript does not exist.
    pub(super) fn settle(&self, key: &StoreKey) -> Result<Option<Settled>, StoreError> {
        let (path, state) = (self.paths.transcript(key)?, self.paths.state_of(key)?);
        let Some(mut length) = length(&path)? else {
            // The transcript was deleted, or its first append was interrupted before it wrote a line. In both cases,
            // its state file is no longer needed.
            unless_gone(fs::remove_file(&state)).map_err(StoreError::unavailable)?;
            return Ok(None);
        };
        let Some(record) = read_json::<Record>(&state)? else {
            let id = uuid::Uuid::new_v4().to_string();
            let state = State::default();
            return Ok(Some(Settled { id, state, length }));
        };
        let to = record.after.length;
        let io = StoreError::unavailable;
        let mut options = OpenOptions::new();
        let mut file = options.read(true).write(true).open(&path).map_err(io)?;
        let incomplete = |what: String| StoreError::Incomplete {
            key: key.clone(),
            what,
        };
        if length < record.from {
            let from = record.from;
            return Err(incomplete(format!("its file has {length} of {from} bytes")));
        }
        let state = if length < to {
            // The append was interrupted before it returned. Its caller does not know that any line is stored, so the
            // lines can be removed.
            file.set_len(record.from).map_err(io)?;
            length = record.from;
            record.before
        } else if self.is_known(key, &record.id, to)
            || digest_of(&mut file, record.from, to).map_err(io)? == record.digest
        {
            record.after
        } else {
            return Err(incomplete("lines of its file were changed".to_owned()));
        };
        if !state.has_head(&mut file).map_err(io)? {
            return Err(incomplete("its file has another beginning".to_owned()));
        }
        Ok(Some(Settled {
            id: record.id,
            state,
            length,
        }))
    }

    /// Whether this process already knows that the last append is complete, so that its digest need not be checked.
    fn is_known(&self, key: &StoreKey, id: &str, length: u64) -> bool {
        let mut cache = self.inner.cache();
        let Some(known) = cache.take(key) else {
            return false;
        };
        let is_known = known.id == id && known.length == length;
        cache.put(key, known);
        is_known
    }

    pub(super) fn append(&self, key: &StoreKey, batch: &Batch<'_>) -> Result<Appended, StoreError> {
        if let Some(epoch) = batch.epoch {
            self.check(epoch)?;
        }
        if self.paths.is_deleted()? {
            let session = key.session().clone();
            return Err(StoreError::Deleted { session });
        }
        let found = self.settle(key)?;
        let is_new = found.is_none();
        let Settled { id, state, length } = found.unwrap_or_else(|| Settled {
            id: uuid::Uuid::new_v4().to_string(),
            state: State::default(),
            length: 0,
        });
        let mut state = state;
        let next = state.next(batch.writer);
        let planned = batch.plan(next)?;
        if planned.is_none() && state.length == length {
            return Ok(Appended::new(0, state.lines));
        }
        let path = self.paths.transcript(key)?;
        let known = self.inner.cache().take(key);
        let known = known.filter(|known| known.id == id && known.length <= state.length);
        let mut known = known.unwrap_or_else(|| Known::new(&id));
        Self::read(key, &path, &mut known, &mut state, is_new)?;
        let Some(mut planned) = planned else {
            let lines = state.lines;
            self.inner.cache().put(key, known);
            return Ok(Appended::new(0, lines));
        };
        planned.without(|uuid| known.has(uuid));

        let mut after = state.clone();
        let writer = batch.writer.as_str().to_owned();
        after.writers.insert(writer, planned.next);
        after.lines += planned.lines.len() as u64;
        let mut text = Vec::new();
        if length > 0 && !planned.lines.is_empty() && !ends_a_line(&path)? {
            text.push(b'\n');
        }
        for line in &planned.lines {
            text.extend_from_slice(line.as_str().as_bytes());
            text.push(b'\n');
        }
        if key.subpath().is_none() {
            fold(&mut after, planned.lines.iter().copied());
        }
        after.length = length + text.len() as u64;
        if length == 0 {
            after.remember_head(&text);
        }
        let lines = after.lines;
        let record = Record {
            id,
            before: state,
            from: length,
            digest: digest(&text),
            after,
        };
        let io = StoreError::unavailable;
        write_json(&self.paths.state_of(key)?, &record, self.inner.is_synced).map_err(io)?;
        self.write(&path, length, &text)?;
        for uuid in planned.uuids() {
            known.add(uuid);
        }
        known.length = record.after.length;
        self.inner.cache().put(key, known);
        Ok(Appended::new(planned.lines.len() as u64, lines))
    }

    /// Reads the part of a transcript that is not cached. Collects the UUIDs, and the lines that other programs have
    /// written.
    fn read(
        key: &StoreKey,
        path: &Path,
        known: &mut Known,
        state: &mut State,
        is_new: bool,
    ) -> Result<(), StoreError> {
        if is_new {
            return Ok(());
        }
        let stored = state.length;
        let entries = Entries::open_at(path, known.length, 0).map_err(StoreError::unavailable)?;
        for entry in entries {
            let entry = entry.map_err(StoreError::unavailable)?;
            let line = entry.raw().and_then(|raw| line(raw).ok());
            let end = entry.next_offset();
            if line.is_none() && !entry.is_ended() {
                // The line has no end: another program is still writing it, or was interrupted. It is not part of the
                // transcript yet.
                break;
            }
            if let Some(line) = line {
                if let Some(uuid) = line.uuid() {
                    known.add(uuid);
                }
                if entry.offset() >= stored {
                    state.lines += 1;
                    if key.subpath().is_none() {
                        fold(state, std::iter::once(&line));
                    }
                }
            }
            known.length = end;
            state.length = state.length.max(end);
        }
        if state.head.is_none() {
            let start = File::open(path).and_then(|mut file| head(&mut file));
            let start = start.map_err(StoreError::unavailable)?;
            let whole = usize::try_from(state.length).unwrap_or(start.len());
            state.remember_head(&start[..start.len().min(whole)]);
        }
        Ok(())
    }

    /// Appends the text at the end of the file. If that fails, tries to remove what was written.
    fn write(&self, path: &Path, length: u64, text: &[u8]) -> Result<(), StoreError> {
        if text.is_empty() {
            return Ok(());
        }
        let open = || {
            if length == 0 {
                path.parent().map_or(Ok(()), make_folders)?;
            }
            let mut options = OpenOptions::new();
            for_user(options.append(true).create(length == 0)).open(path)
        };
        let mut file = open().map_err(StoreError::unavailable)?;
        let written = file.write_all(text).and_then(|()| {
            if !self.inner.is_synced {
                return Ok(());
            }
            file.sync_data()?;
            match path.parent() {
                Some(folder) if length == 0 => sync_folder(folder),
                _ => Ok(()),
            }
        });
        written.map_err(|error| match file.set_len(length) {
            Ok(()) => StoreError::unavailable(error),
            Err(_) => StoreError::uncertain(error),
        })
    }

    /// Writes the tombstone of the session. It survives a crash of the machine.
    pub(super) fn leave_tombstone(&self) -> Result<(), StoreError> {
        let written = File::create(self.paths.tombstone()).and_then(|file| {
            file.sync_all()?;
            sync_folder(&self.paths.state)
        });
        written.map_err(StoreError::uncertain)
    }

    pub(super) fn delete(&self, key: &StoreKey) -> Result<(), StoreError> {
        self.inner.cache().take(key);
        let io = StoreError::uncertain;
        if key.subpath().is_some() {
            unless_gone(fs::remove_file(self.paths.transcript(key)?)).map_err(io)?;
            return unless_gone(fs::remove_file(self.paths.state_of(key)?)).map_err(io);
        }
        File::create(self.paths.deleting()).map_err(StoreError::unavailable)?;
        self.finish_delete().map_err(io)
    }

    /// Deletes the remaining files of a session after its deletion has begun. Does not delete the claim, the lock and
    /// the tombstone.
    fn finish_delete(&self) -> io::Result<()> {
        unless_gone(fs::remove_file(&self.paths.main))?;
        unless_gone(fs::remove_dir_all(&self.paths.beside))?;
        for entry in fs::read_dir(&self.paths.state)? {
            let path = entry?.path();
            if path.extension().is_some_and(|end| end == "json") {
                unless_gone(fs::remove_file(path))?;
            }
        }
        unless_gone(fs::remove_file(self.paths.deleting()))
    }
}

/// Parses a line that was read from a file.
pub(super) fn line(raw: &[u8]) -> Result<Line, crate::LineError> {
    Line::from_bytes(raw.strip_suffix(b"\r").unwrap_or(raw))
}

fn fold<'a>(state: &mut State, lines: impl Iterator<Item = &'a Line>) {
    let mut summary = Summary::from_data(std::mem::take(&mut state.summary));
    lines.for_each(|line| summary.fold(line));
    state.summary = summary.data().clone();
}

/// Returns the length of a file. Returns `None` if the file does not exist. Fails if it is not a regular file, because
/// a link may lead out of the folder.
pub(super) fn length(path: &Path) -> Result<Option<u64>, StoreError> {
    match path.symlink_metadata() {
        Ok(found) if found.is_file() => Ok(Some(found.len())),
        Ok(_) => Err(StoreError::refused(format!(
            "{} is not a regular file",
            path.display()
        ))),
        Err(error) => match error.kind() {
            ErrorKind::NotFound | ErrorKind::NotADirectory => Ok(None),
            _ => Err(StoreError::unavailable(error)),
        },
    }
}

fn ends_a_line(path: &Path) -> Result<bool, StoreError> {
    let mut last = [0];
    let read = File::open(path).and_then(|mut file| {
        file.seek(SeekFrom::End(-1))?;
        file.read_exact(&mut last)
    });
    read.map_err(StoreError::unavailable)?;
    Ok(last == *b"\n")
}

fn for_user(options: &mut OpenOptions) -> &mut OpenOptions {
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(options, 0o600);
    options
}

fn make_folders(path: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.recursive(true).create(path)
}

fn unless_gone(done: io::Result<()>) -> io::Result<()> {
    match done {
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            Ok(())
        }
        done => done,
    }
}

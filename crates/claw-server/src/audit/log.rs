//! The file of the audit log.

use std::fmt;
use std::fs::{File, OpenOptions};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::mem;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};

use tokio::sync::{Semaphore, oneshot};
use tokio::task::spawn_blocking;

use super::action::Action;
use super::entry::{AuditEntry, AuditSender};
use crate::hub::Activity;

/// Maximum number of refused requests without valid credentials that get a separate entry in one [`PERIOD`]. Without
/// this limit, a client without credentials could fill the disk.
const MOST: u32 = 60;
/// Maximum number of actions that are carried out at a time, including those whose clients have closed their connections.
/// It applies to the requests of each route, and to all `WebSocket` messages and calls of JSON-RPC together. A
/// connection has one action at a time, and this is the maximum number of connections. So an action waits or is refused only
/// if the clients of others have left.
pub(super) const MOST_RUNNING: usize = 4096;
/// The period in which refused requests without valid credentials are counted.
const PERIOD: Duration = Duration::from_mins(1);

/// An audit log: a file to which a server appends JSON lines. Each line is an [`AuditEntry`]. Clones share the same
/// file.
///
/// An entry is on the disk before its action is carried out. If the entry cannot be written, the action is refused. The
/// file is opened for each entry. If a program such as logrotate has moved the file, the next entry creates a new file.
/// Several servers of one machine may use the same file.
#[derive(Clone)]
pub struct Audit {
    log: Arc<Log>,
    host: Option<Arc<str>>,
    /// The token of the server, which no entry may contain.
    token: Option<Arc<str>>,
    /// Counts the entries that cannot be written.
    activity: Option<Arc<Activity>>,
    /// Limits the number of messages and calls to [`MOST_RUNNING`].
    pub(super) running: Arc<Semaphore>,
}

struct Log {
    path: PathBuf,
    unknown: Mutex<Unknown>,
    queue: Mutex<Queue>,
}

/// The entries that are not written yet.
#[derive(Default)]
struct Queue {
    entries: Vec<Queued>,
    /// The writer holds the strong reference until the queue is empty. Without a strong reference, there is no writer.
    writer: Weak<()>,
}

/// An entry that is not written yet.
struct Queued {
    entry: AuditEntry,
    /// Sends the result to the request that waits until the entry is on the disk.
    written: oneshot::Sender<io::Result<()>>,
}

/// Counts the requests that were refused because they had no valid credentials.
#[derive(Default)]
struct Unknown {
    /// The start of the current period.
    since: Option<Instant>,
    /// The number of requests in the current period.
    count: u32,
    /// The number of requests without a separate entry since the last [`Action::LeftOut`] entry.
    left_out: u64,
}

impl Audit {
    /// Opens a log. Creates the file if it does not exist, with permissions that allow only its owner to read it.
    ///
    /// # Errors
    ///
    /// Fails if the file cannot be created, read, written or locked, if it is no regular file, or if other users of the
    /// machine can write it.
    pub fn open(path: impl Into<PathBuf>) -> io::Result<Self> {
        let path = path.into();
        open(&path)?;
        Ok(Self {
            log: Arc::new(Log {
                path,
                unknown: Mutex::default(),
                queue: Mutex::default(),
            }),
            host: None,
            token: None,
            activity: None,
            running: Arc::new(Semaphore::new(MOST_RUNNING)),
        })
    }

    /// Sets the token of the server, the address of this host, and the counters of its hub. `host` is `None` if the server
    /// is not one of several hosts.
    pub(crate) fn of_server(
        mut self,
        host: Option<String>,
        token: &str,
        activity: Arc<Activity>,
    ) -> Self {
        self.host = host.map(Into::into);
        self.token = Some(token.into());
        self.activity = Some(activity);
        self
    }

    /// Replaces the token of the server in a text by `***`. A person may have written the token into a prompt.
    pub(super) fn without_token(&self, text: String) -> String {
        match &self.token {
            Some(token) if text.contains(&**token) => text.replace(&**token, "***"),
            _ => text,
        }
    }

    /// Appends an entry, and waits until it is on the disk. While entries are written, further ones queue up. They are
    /// then written together, so that many entries need one thread and one sync.
    ///
    /// # Cancel safety
    ///
    /// The entry is written even if the future is dropped.
    pub(super) async fn write(&self, mut entry: AuditEntry) -> io::Result<()> {
        entry.host = self.host.as_deref().map(str::to_owned);
        let (sender, written) = oneshot::channel();
        let writer = self.log.queue().push(Queued {
            entry,
            written: sender,
        });
        if let Some(writer) = writer {
            let log = self.log.clone();
            spawn_blocking(move || {
                log.write_queue();
                drop(writer);
            });
        }
        let lost = |_| Err(io::Error::other("the writer has ended"));
        let written = written.await.unwrap_or_else(lost);
        if let (Err(_), Some(activity)) = (&written, &self.activity) {
            activity.counts.change(|totals| totals.unrecorded += 1);
        }
        written
    }
}

impl fmt::Debug for Audit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Audit")
            .field("file", &self.log.path)
            .finish_non_exhaustive()
    }
}

impl Queue {
    /// Adds an entry. Returns the strong reference for a new writer if there is none.
    fn push(&mut self, entry: Queued) -> Option<Arc<()>> {
        self.entries.push(entry);
        if self.writer.strong_count() > 0 {
            return None;
        }
        let writer = Arc::new(());
        self.writer = Arc::downgrade(&writer);
        Some(writer)
    }

    /// Takes all entries for the writer. If there are none, the next entry gets a new writer.
    fn take(&mut self) -> Option<Vec<Queued>> {
        if self.entries.is_empty() {
            self.writer = Weak::new();
            return None;
        }
        Some(mem::take(&mut self.entries))
    }
}

impl Log {
    fn queue(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Writes the entries of the queue until it is empty, and sends the results to the requests.
    fn write_queue(&self) {
        // A separate statement, so that the lock is released before the entries are written.
        while let Some(queued) = { self.queue().take() } {
            let result = self.write(queued.iter().map(|queued| &queued.entry));
            for queued in queued {
                let result = match &result {
                    Ok(()) => Ok(()),
                    Err(error) => Err(io::Error::new(error.kind(), error.to_string())),
                };
                // This fails if the request was dropped.
                let _ = queued.written.send(result);
            }
        }
    }

    fn write<'a>(&self, entries: impl Iterator<Item = &'a AuditEntry>) -> io::Result<()> {
        let mut unknown = self.unknown.lock().unwrap_or_else(PoisonError::into_inner);
        let mut lines = Vec::new();
        let mut counted = 0;
        for entry in entries {
            let is_of_unknown = entry.by == AuditSender::Unknown && entry.refused.is_some();
            if is_of_unknown && !unknown.admits(Instant::now()) {
                continue;
            }
            let count = mem::take(&mut unknown.left_out);
            if count > 0 {
                counted += count;
                serde_json::to_writer(&mut lines, &left_out(count, entry.host.clone()))?;
                lines.push(b'\n');
            }
            serde_json::to_writer(&mut lines, entry)?;
            lines.push(b'\n');
        }
        if lines.is_empty() {
            return Ok(());
        }
        let written = append(&self.path, &lines);
        if written.is_err() {
            unknown.left_out += counted;
        }
        written
    }
}

impl Unknown {
    /// Counts a request, and returns whether the request gets a separate entry.
    fn admits(&mut self, now: Instant) -> bool {
        let has_ended = |since: Instant| now.saturating_duration_since(since) >= PERIOD;
        if self.since.is_none_or(has_ended) {
            (self.since, self.count) = (Some(now), 0);
        }
        if self.count == MOST {
            self.left_out += 1;
            return false;
        }
        self.count += 1;
        true
    }
}

/// Creates the entry that contains the number of requests without a separate entry.
fn left_out(count: u64, host: Option<String>) -> AuditEntry {
    let mut entry = AuditEntry::new(AuditSender::Unknown, Action::LeftOut);
    entry.host = host;
    entry.what = Some(format!(
        "{count} refused requests without valid credentials"
    ));
    entry
}

/// Opens the file, and checks that no other user of the machine can change it.
fn open(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.append(true).read(true).create(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt as _;
        options.mode(0o600);
    }
    let file = options.open(path)?;
    let metadata = file.metadata()?;
    if !metadata.is_file() {
        return Err(io::Error::other("it is no regular file"));
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        if metadata.permissions().mode() & 0o022 != 0 {
            let text = "other users of this machine can write it: chmod 600 it first";
            return Err(io::Error::new(io::ErrorKind::PermissionDenied, text));
        }
    }
    file.lock()?;
    Ok(file)
}

/// Appends lines. If writing fails, the file is shortened to its previous length.
fn append(path: &Path, lines: &[u8]) -> io::Result<()> {
    let mut file = open(path)?;
    let before = file.seek(SeekFrom::End(0))?;
    let written = is_ended(&mut file, before).and_then(|is_ended| {
        if !is_ended {
            file.write_all(b"\n")?;
        }
        file.write_all(lines)?;
        file.sync_data()
    });
    if written.is_err() {
        // Removes a line that was only partly written. If this fails too, the next entry begins with a line break.
        let _ = file.set_len(before);
    }
    written
}

/// Returns whether a file of this length ends with a line break. Returns `true` if the file is empty.
fn is_ended(file: &mut File, length: u64) -> io::Result<bool> {
    if length == 0 {
        return Ok(true);
    }
    let mut last = [0];
    file.seek(SeekFrom::Start(length - 1))?;
    file.read_exact(&mut last)?;
    Ok(last == *b"\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::audit::AuditRefusal;

    fn entry(by: AuditSender) -> AuditEntry {
        let mut entry = AuditEntry::new(by, Action::Access);
        entry.refused = Some(AuditRefusal {
            kind: "unauthorized".to_owned(),
            message: String::new(),
        });
        entry
    }

    fn write(audit: &Audit, entry: &AuditEntry) -> io::Result<()> {
        audit.log.write(std::iter::once(entry))
    }

    fn entries(path: &Path) -> Vec<AuditEntry> {
        let text = std::fs::read_to_string(path).unwrap();
        let lines = text.lines();
        lines
            .map(|line| serde_json::from_str(line).unwrap())
            .collect()
    }

    #[test]
    fn requests_without_credentials_do_not_fill_the_disk_and_are_counted() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("audit");
        let audit = Audit::open(&path).unwrap();
        for _ in 0..MOST + 7 {
            write(&audit, &entry(AuditSender::Unknown)).unwrap();
        }
        assert_eq!(entries(&path).len(), MOST as usize);
        for _ in 0..MOST + 7 {
            write(&audit, &entry(AuditSender::User)).unwrap();
        }
        let all = entries(&path);
        assert_eq!(all.len(), 2 * MOST as usize + 8);
        let counted: Vec<_> = all.iter().filter(|it| it.action == "leftOut").collect();
        let [counted] = counted[..] else {
            panic!("{counted:?}");
        };
        assert!(counted.what.as_ref().unwrap().starts_with("7 refused"));
        let mut unknown = Unknown::default();
        let now = Instant::now();
        assert!((0..MOST).all(|_| unknown.admits(now)));
        assert!(!unknown.admits(now + PERIOD / 2));
        assert!(unknown.admits(now + PERIOD));
    }

    /// Another program holds the lock of the file while many requests wait for their entries.
    #[test]
    fn entries_that_wait_for_the_file_take_one_thread_and_keep_their_order() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("audit");
        let audit = Audit::open(&path).unwrap();
        let runtime = tokio::runtime::Builder::new_current_thread()
            .max_blocking_threads(2)
            .enable_all()
            .build()
            .unwrap();
        runtime.block_on(async {
            let lock = open(&path).unwrap();
            let mut writes = tokio::task::JoinSet::new();
            for number in 0..20 {
                let mut entry = entry(AuditSender::User);
                entry.what = Some(number.to_string());
                let audit = audit.clone();
                writes.spawn(async move { audit.write(entry).await });
            }
            // The requests are polled first. Then one thread waits for the lock, and the other is free.
            tokio::task::yield_now().await;
            let free = tokio::time::timeout(Duration::from_secs(20), spawn_blocking(|| ()));
            free.await.unwrap().unwrap();
            assert_eq!(entries(&path).len(), 0);
            // An entry is written even if nobody waits for it.
            writes.detach_all();
            drop(lock);
            audit.write(entry(AuditSender::Token)).await.unwrap();
        });
        let all = entries(&path);
        let numbers: Vec<_> = all
            .iter()
            .filter_map(|entry| entry.what.as_deref())
            .collect();
        let expected: Vec<_> = (0..20).map(|number| number.to_string()).collect();
        assert_eq!(numbers, expected);
        assert_eq!(all.len(), 21);
    }

    #[test]
    fn a_line_that_was_cut_off_is_ended_and_one_that_fails_does_not_stay() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("audit");
        std::fs::write(&path, "{\"time\":").unwrap();
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            let mode = |mode| std::fs::Permissions::from_mode(mode);
            std::fs::set_permissions(&path, mode(0o620)).unwrap();
            assert!(Audit::open(&path).is_err());
            std::fs::set_permissions(&path, mode(0o600)).unwrap();
        }
        append(&path, b"{}\n").unwrap();
        append(&path, b"{}\n").unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        assert_eq!(text, "{\"time\":\n{}\n{}\n");
        assert!(Audit::open(folder.path()).is_err());
    }
}

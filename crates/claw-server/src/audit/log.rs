//! The file of the audit log.

use std::fmt;
use std::fs::{File, OpenOptions};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use claw_sessions::on_pool;

use super::action::Action;
use super::entry::{AuditEntry, AuditSender};

/// Maximum number of refused requests without valid credentials that get a separate entry in one [`PERIOD`]. Without
/// this limit, a client without credentials could fill the disk.
const MOST: u32 = 60;
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
}

struct Log {
    path: PathBuf,
    unknown: Mutex<Unknown>,
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
            }),
            host: None,
            token: None,
        })
    }

    /// Sets the token of the server, and the address of this host. `host` is `None` if the server is not one of several
    /// hosts.
    pub(crate) fn of_server(mut self, host: Option<String>, token: &str) -> Self {
        self.host = host.map(Into::into);
        self.token = Some(token.into());
        self
    }

    /// Replaces the token of the server in a text by `***`. A person may have written the token into a prompt.
    pub(super) fn without_token(&self, text: String) -> String {
        match &self.token {
            Some(token) if text.contains(&**token) => text.replace(&**token, "***"),
            _ => text,
        }
    }

    /// Appends an entry, and waits until it is on the disk.
    pub(super) async fn write(&self, mut entry: AuditEntry) -> io::Result<()> {
        entry.host = self.host.as_deref().map(str::to_owned);
        let log = self.log.clone();
        on_pool::run(move || log.write(&entry)).await
    }
}

impl fmt::Debug for Audit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Audit")
            .field("file", &self.log.path)
            .finish_non_exhaustive()
    }
}

impl Log {
    fn write(&self, entry: &AuditEntry) -> io::Result<()> {
        let mut unknown = self.unknown.lock().unwrap_or_else(PoisonError::into_inner);
        let is_of_unknown = entry.by == AuditSender::Unknown && entry.refused.is_some();
        if is_of_unknown && !unknown.admits(Instant::now()) {
            return Ok(());
        }
        let mut lines = Vec::new();
        if unknown.left_out > 0 {
            serde_json::to_writer(&mut lines, &left_out(unknown.left_out, entry.host.clone()))?;
            lines.push(b'\n');
        }
        serde_json::to_writer(&mut lines, entry)?;
        lines.push(b'\n');
        append(&self.path, &lines)?;
        unknown.left_out = 0;
        Ok(())
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
            audit.log.write(&entry(AuditSender::Unknown)).unwrap();
        }
        assert_eq!(entries(&path).len(), MOST as usize);
        for _ in 0..MOST + 7 {
            audit.log.write(&entry(AuditSender::User)).unwrap();
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

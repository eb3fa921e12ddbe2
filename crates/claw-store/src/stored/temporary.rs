//! Temporary folders. If a process is killed, a later process removes its temporary folders.

use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use tempfile::Builder;

use super::contents::Contents;
use super::private::make_folder;
use super::writer::Writer;
use crate::pool;

const START: &str = "claw-checkout-";
const END: &str = ".lock";

/// A folder that only the current user can access.
///
/// Next to the folder is a lock file with the folder's name and the ending `.lock`. The file is locked while the folder
/// is in use. If the file is not locked, a killed process left the folder behind. The next [`create`](Self::create)
/// then removes both. If the file [records](Self::written_by) a process that writes into the folder, both are removed
/// only after that process has ended.
#[derive(Debug)]
pub(super) struct Temporary(Option<Parts>);

#[derive(Debug)]
struct Parts {
    folder: PathBuf,
    lock: PathBuf,
    /// The lock file. While it is locked, the folder is in use.
    file: File,
}

impl Temporary {
    /// Creates a temporary folder in an existing folder. Blocks on the disk.
    pub(super) fn create(within: &Path) -> io::Result<Self> {
        let left = sweep(within);
        left.unstored.into_iter().for_each(Self::leave);
        loop {
            let file = Builder::new()
                .prefix(START)
                .suffix(END)
                .tempfile_in(within)?;
            // If the file system supports no locks, this call fails. That does no harm, because `sweep` then removes no
            // folders.
            let _ = file.as_file().lock();
            // Another process may have removed the file before it was locked. Then another file is created.
            if fs::symlink_metadata(file.path()).is_err() {
                continue;
            }
            let folder = file.path().with_extension("");
            match make_folder(&folder) {
                Err(error) if error.kind() == ErrorKind::AlreadyExists => continue,
                made => made?,
            }
            let (file, lock) = file.keep()?;
            let parts = Parts { folder, lock, file };
            return Ok(Self(Some(parts)));
        }
    }

    pub(super) fn path(&self) -> &Path {
        self.0
            .as_ref()
            .map_or_else(|| Path::new(""), |parts| &parts.folder)
    }

    /// Returns the folders that were left behind. Blocks on the disk.
    pub(super) fn left_behind(within: &Path) -> LeftBehind {
        sweep(within)
    }

    /// Records the process that writes into the folder. If this process is killed, the folder is not removed before the
    /// recorded process has ended too. Blocks on the disk.
    pub(super) fn written_by(&self, pid: u32) -> io::Result<()> {
        let parts = self.0.as_ref();
        parts.map_or(Ok(()), |parts| Writer::of(pid).record(&parts.file))
    }

    /// Leaves the folder on the disk. The next call of [`left_behind`](Self::left_behind) returns it.
    pub(super) fn leave(mut self) {
        self.0 = None;
    }

    /// Leaves the folder on the disk as [`leave`](Self::leave) does, but first removes everything in it except these
    /// names. Blocks on the disk.
    pub(super) fn leave_only(self, names: &[&str]) {
        remove_all_but(self.path(), names);
        self.leave();
    }

    /// Leaves one subfolder on the disk, and removes everything else. No later call removes the subfolder. Blocks on
    /// the disk.
    pub(super) fn keep(mut self, name: &str) -> PathBuf {
        let Some(parts) = self.0.take() else {
            return PathBuf::new();
        };
        remove_all_but(&parts.folder, &[name]);
        // No process regards a folder without a lock file as left behind.
        let _ = fs::remove_file(&parts.lock);
        parts.folder
    }

    /// Removes the folder. If a program still writes there, waits for it briefly. Blocks on the disk.
    pub(super) fn remove(mut self) -> io::Result<()> {
        self.0.take().map_or(Ok(()), |parts| parts.remove(5))
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        let Some(parts) = self.0.take() else { return };
        if remove_folder(&parts.folder).is_ok() {
            let _ = fs::remove_file(&parts.lock);
            return;
        }
        // Removes the folder on another thread, so that the caller does not wait.
        drop(pool::spawn(move || parts.remove(5)));
    }
}

impl Parts {
    fn remove(self, tries: u32) -> io::Result<()> {
        let mut done = remove_folder(&self.folder);
        for again in 1..tries {
            if done.is_ok() {
                break;
            }
            thread::sleep(Duration::from_millis(50) * again);
            done = remove_folder(&self.folder);
        }
        done?;
        let removed = fs::remove_file(&self.lock);
        drop(self.file);
        removed
    }
}

/// The folders that killed processes have left, and that must not be removed yet.
#[derive(Debug, Default)]
pub(super) struct LeftBehind {
    /// The folders that may contain data that is stored nowhere else.
    pub(super) unstored: Vec<Temporary>,
    /// The folders into which a process still writes.
    pub(super) in_use: Vec<(PathBuf, Writer)>,
}

fn remove_all_but(folder: &Path, names: &[&str]) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        if names.iter().any(|name| entry.file_name() == *name) {
            continue;
        }
        let _ = match entry.file_type() {
            Ok(kind) if kind.is_dir() => fs::remove_dir_all(entry.path()),
            _ => fs::remove_file(entry.path()),
        };
    }
}

/// Removes the folders that killed processes have left. If a folder cannot be removed, the next call tries again. If
/// the conversation in a folder has continued, the folder is returned, and everything else in it is removed. Nothing is
/// removed from a folder into which a process still writes.
fn sweep(within: &Path) -> LeftBehind {
    let mut left = LeftBehind::default();
    let own = Builder::new().tempfile_in(within);
    let Some(own) = own.ok().and_then(|own| own.as_file().metadata().ok()) else {
        return left;
    };
    let entries = fs::read_dir(within).into_iter().flatten().flatten();
    for entry in entries {
        let name = entry.file_name();
        let is_ours = |name: &str| name.starts_with(START) && name.ends_with(END);
        let is_file = entry.file_type().is_ok_and(|kind| kind.is_file());
        if !is_file || !name.to_str().is_some_and(is_ours) {
            continue;
        }
        // Every user may write to some folders for temporary files. The files of other users are skipped, because they
        // must not be stored.
        if !entry
            .metadata()
            .is_ok_and(|found| is_same_owner(&found, &own))
        {
            continue;
        }
        let lock = entry.path();
        let Ok(file) = OpenOptions::new().read(true).write(true).open(&lock) else {
            continue;
        };
        if file.try_lock().is_err() {
            continue;
        }
        let folder = lock.with_extension("");
        let found = fs::symlink_metadata(&folder);
        if found.is_ok_and(|found| !found.is_dir() || !is_same_owner(&found, &own)) {
            continue;
        }
        if let Some(writer) = Writer::recorded(&file).filter(Writer::is_running) {
            left.in_use.push((folder, writer));
            continue;
        }
        if Contents::is_changed(&folder) {
            remove_all_but(&folder, &["projects", Contents::NAME]);
            let parts = Parts { folder, lock, file };
            left.unstored.push(Temporary(Some(parts)));
            continue;
        }
        // The lock file is removed after the folder, so that a folder that remains still has its lock file.
        if remove_folder(&folder).is_ok() {
            let _ = fs::remove_file(&lock);
        }
    }
    left
}

#[cfg(unix)]
fn is_same_owner(one: &fs::Metadata, other: &fs::Metadata) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    one.uid() == other.uid()
}

/// On this system, the folder for temporary files belongs to the user, so every file in it counts
/// as the user's own.
#[cfg(not(unix))]
fn is_same_owner(_: &fs::Metadata, _: &fs::Metadata) -> bool {
    true
}

fn remove_folder(path: &Path) -> io::Result<()> {
    match fs::remove_dir_all(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
        done => done,
    }
}

#[cfg(test)]
mod tests {
    use super::super::private::{make_file, make_folders};
    use super::*;

    fn names(within: &Path) -> usize {
        fs::read_dir(within).unwrap().count()
    }

    #[test]
    fn nothing_is_left_of_a_folder() {
        let within = tempfile::tempdir().unwrap();
        let one = Temporary::create(within.path()).unwrap();
        let other = Temporary::create(within.path()).unwrap();
        make_folders(&one.path().join("a/b")).unwrap();
        make_file(&one.path().join("a/b/c")).unwrap();
        assert_eq!(names(within.path()), 4);
        drop(one);
        assert_eq!(names(within.path()), 2);
        other.remove().unwrap();
        assert_eq!(names(within.path()), 0);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_folder_into_which_a_process_writes_is_not_swept_before_the_process_has_ended() {
        let within = tempfile::tempdir().unwrap();
        let mut cli = std::process::Command::new("cat")
            .stdin(std::process::Stdio::piped())
            .spawn()
            .unwrap();
        let left = Temporary::create(within.path()).unwrap();
        left.written_by(cli.id()).unwrap();
        let folder = left.path().to_owned();
        left.leave();
        let swept = Temporary::left_behind(within.path());
        let [(path, writer)] = &*swept.in_use else {
            panic!("{swept:?}");
        };
        assert_eq!((path, writer.pid()), (&folder, cli.id()));
        assert!(folder.is_dir());
        cli.kill().unwrap();
        cli.wait().unwrap();
        let swept = Temporary::left_behind(within.path());
        assert!(swept.in_use.is_empty());
        assert_eq!(names(within.path()), 0);
    }

    #[test]
    fn what_nobody_holds_is_swept_and_what_is_held_is_not() {
        let within = tempfile::tempdir().unwrap();
        let held = Temporary::create(within.path()).unwrap();
        let left = within.path().join("claw-checkout-left");
        fs::create_dir_all(left.join("projects")).unwrap();
        fs::write(left.with_extension("lock"), "").unwrap();
        let second = Temporary::create(within.path()).unwrap();
        assert!(!left.exists() && !left.with_extension("lock").exists());
        assert!(held.path().is_dir() && second.path().is_dir());
        assert_eq!(names(within.path()), 4);
    }
}

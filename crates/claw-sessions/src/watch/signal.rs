//! Decides when to scan the disk again.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

use notify::{Event, RecommendedWatcher, RecursiveMode, Watcher as _};

/// The minimum time between the starts of two scans. Changes within this time cause only one scan.
const PAUSE: Duration = Duration::from_millis(20);

/// The minimum time between the starts of two scans, as a multiple of the duration of the last scan. A scan of many
/// sessions takes long.
const REST: u32 = 10;

/// The minimum interval of scans without a reported change. Systems lose change reports, and some file systems report
/// none.
const RESCAN: Duration = Duration::from_secs(2);

/// The interval of scans without a reported change, as a multiple of the duration of the last scan, if that is longer.
/// While nothing changes, scans take at most one percent of a processor.
const RESCAN_REST: u32 = 100;

/// Receives the system's change reports. A report only wakes the watch, and several reports before a scan wake it once.
/// The scan determines the changes.
pub(super) struct ChangeSignal {
    notifier: Arc<Notifier>,
    /// `None` if the system does not report changes.
    watcher: Option<RecommendedWatcher>,
    folders: Vec<Folder>,
    scanned: Option<Instant>,
    /// The duration of the last scan.
    took: Duration,
}

struct Folder {
    path: PathBuf,
    is_deep: bool,
    is_watched: bool,
}

#[derive(Default)]
pub(super) struct Notifier {
    rang: Mutex<bool>,
    rings: Condvar,
}

impl Notifier {
    pub(super) fn notify(&self) {
        *self.rang.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.rings.notify_all();
    }

    /// Waits until a notification arrives, at most this long. Returns whether a notification arrived.
    fn wait(&self, most: Duration) -> bool {
        let rang = self.rang.lock().unwrap_or_else(PoisonError::into_inner);
        let waited = self.rings.wait_timeout_while(rang, most, |rang| !*rang);
        let (mut rang, _) = waited.unwrap_or_else(PoisonError::into_inner);
        std::mem::take(&mut *rang)
    }
}

impl ChangeSignal {
    /// Creates a signal for changes in these folders. If the flag of a folder is set, the folders below it are
    /// included. The folders need not exist yet.
    pub(super) fn new(folders: impl IntoIterator<Item = (PathBuf, bool)>) -> Self {
        let notifier = Arc::new(Notifier::default());
        let ring = Arc::clone(&notifier);
        let watcher = notify::recommended_watcher(move |report: notify::Result<Event>| {
            // A scan opens folders, and Linux reports that, so such reports are ignored. An error notifies too, because
            // a report may be lost.
            if !report.is_ok_and(|event| event.kind.is_access()) {
                ring.notify();
            }
        });
        let watcher = watcher.ok();
        let folders = folders.into_iter().map(|(path, is_deep)| Folder {
            path,
            is_deep,
            is_watched: false,
        });
        Self {
            notifier,
            watcher,
            folders: folders.collect(),
            scanned: None,
            took: Duration::ZERO,
        }
    }

    /// Returns the notifier, with which a program can simulate a report of the system.
    pub(super) fn notifier(&self) -> Arc<Notifier> {
        Arc::clone(&self.notifier)
    }

    /// Records the end of the scan that [`wait`](Self::wait) started.
    pub(super) fn done(&mut self) {
        self.took = self
            .scanned
            .map_or(Duration::ZERO, |scanned| scanned.elapsed());
    }

    /// Waits until the next scan is due, or until the deadline. Returns whether a scan is due. The first scan is due
    /// immediately.
    pub(super) fn wait(&mut self, deadline: Instant) -> bool {
        let Some(scanned) = self.scanned else {
            self.start_scan();
            return true;
        };
        let now = Instant::now();
        let next = scanned + RESCAN.max(self.took * RESCAN_REST);
        if now < next
            && !self
                .notifier
                .wait(next.min(deadline).saturating_duration_since(now))
        {
            if Instant::now() < next {
                return false;
            }
        } else {
            // Further changes are likely to follow, so this waits until they are part of the same
            // scan.
            let ready = scanned + PAUSE.max(self.took * REST);
            std::thread::sleep(
                ready
                    .min(deadline)
                    .saturating_duration_since(Instant::now()),
            );
            if ready > deadline {
                self.notifier.notify();
                return false;
            }
            // The scan includes all changes that were reported meanwhile.
            self.notifier.wait(Duration::ZERO);
        }
        self.start_scan();
        true
    }

    /// Starts to watch the folders that exist now. Later changes are reported.
    fn start_scan(&mut self) {
        self.scanned = Some(Instant::now());
        let Some(watcher) = &mut self.watcher else {
            return;
        };
        for folder in &mut self.folders {
            let is_there = is_folder(&folder.path);
            if is_there && !folder.is_watched {
                let mode = if folder.is_deep {
                    RecursiveMode::Recursive
                } else {
                    RecursiveMode::NonRecursive
                };
                // If this call fails, only the scans at intervals remain.
                folder.is_watched = watcher.watch(&folder.path, mode).is_ok();
            } else if !is_there && folder.is_watched {
                // If the folder is created again, it must be watched again.
                let _ = watcher.unwatch(&folder.path);
                folder.is_watched = false;
            }
        }
    }
}

fn is_folder(path: &Path) -> bool {
    path.symlink_metadata()
        .is_ok_and(|metadata| metadata.is_dir())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_that_is_read_is_not_scanned_again() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        std::fs::write(&file, "").unwrap();
        let mut signal = ChangeSignal::new([(folder.path().to_owned(), true)]);
        assert!(signal.wait(Instant::now()));
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
        assert_eq!(std::fs::read(&file).unwrap(), b"");
        assert!(!signal.notifier.wait(Duration::from_millis(300)));
        std::fs::write(&file, "changed").unwrap();
        assert!(signal.notifier.wait(Duration::from_mins(1)));
    }

    #[test]
    fn long_scans_are_rare_while_nothing_changes() {
        for (took, is_due) in [(Duration::ZERO, true), (Duration::from_mins(1), false)] {
            let mut signal = ChangeSignal::new([]);
            assert!(signal.wait(Instant::now()));
            signal.scanned = Instant::now().checked_sub(RESCAN);
            signal.took = took;
            assert_eq!(signal.wait(Instant::now()), is_due, "{took:?}");
        }
    }
}

//! When to look at the disk again.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

use notify::{RecommendedWatcher, RecursiveMode, Watcher as _};

/// How long nothing is looked at, however much is told. Many changes at once are one look.
const PAUSE: Duration = Duration::from_millis(20);

/// How many times as long as a look took nothing is looked at after it. A look at many sessions takes its time.
const REST: u32 = 10;

/// After how long everything is looked at though nothing was told: systems lose news, and some have none to tell.
const RESCAN: Duration = Duration::from_secs(2);

/// Is told by the system that something has changed. What it was is found by looking: news is a bell here, and rings
/// once, however often it is pulled.
pub(super) struct ChangeSignal {
    notifier: Arc<Notifier>,
    /// `None` where the system tells nothing.
    watcher: Option<RecommendedWatcher>,
    folders: Vec<Folder>,
    scanned: Option<Instant>,
    /// How long the last look took.
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

    /// Waits until it rings, at most this long. Whether it did.
    fn wait(&self, most: Duration) -> bool {
        let rang = self.rang.lock().unwrap_or_else(PoisonError::into_inner);
        let waited = self.rings.wait_timeout_while(rang, most, |rang| !*rang);
        let (mut rang, _) = waited.unwrap_or_else(PoisonError::into_inner);
        std::mem::take(&mut *rang)
    }
}

impl ChangeSignal {
    /// For changes in these folders, and below those that are deep. They need not be there yet.
    pub(super) fn new(folders: impl IntoIterator<Item = (PathBuf, bool)>) -> Self {
        let notifier = Arc::new(Notifier::default());
        let ring = Arc::clone(&notifier);
        // An error is news as well: something was lost.
        let watcher = notify::recommended_watcher(move |_| ring.notify()).ok();
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

    /// What rings as if the system had told something.
    pub(super) fn notifier(&self) -> Arc<Notifier> {
        Arc::clone(&self.notifier)
    }

    /// Says that the look is done which [`wait`](Self::wait) began.
    pub(super) fn done(&mut self) {
        self.took = self
            .scanned
            .map_or(Duration::ZERO, |scanned| scanned.elapsed());
    }

    /// Waits until it is time to look, at most until the deadline. Whether it is. At first it is at once.
    pub(super) fn wait(&mut self, deadline: Instant) -> bool {
        let Some(scanned) = self.scanned else {
            self.start_scan();
            return true;
        };
        let now = Instant::now();
        let next = scanned + RESCAN;
        if now < next
            && !self
                .notifier
                .wait(next.min(deadline).saturating_duration_since(now))
        {
            if Instant::now() < next {
                return false;
            }
        } else {
            // More is likely to come.
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
            // What was told meanwhile is seen by this look.
            self.notifier.wait(Duration::ZERO);
        }
        self.start_scan();
        true
    }

    /// From now on, whatever happens is told.
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
                // Where that fails, looks by the clock are left.
                folder.is_watched = watcher.watch(&folder.path, mode).is_ok();
            } else if !is_there && folder.is_watched {
                // One that is made anew is another one.
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

//! What the operating system says of the processes of workers.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::thread::JoinHandle;
use std::time::Duration;

use claw_testkit::processes::session;
use tokio::time::sleep;

/// The processes whose environment names something in the folder.
pub(crate) fn processes(folder: &Path) -> BTreeSet<u32> {
    let name = format!("{}/", folder.display()).into_bytes();
    let all = fs::read_dir("/proc").unwrap().flatten();
    let ours = all.filter(|entry| {
        let environ = fs::read(entry.path().join("environ")).unwrap_or_default();
        environ
            .windows(name.len())
            .any(|part| part == name.as_slice())
    });
    ours.filter_map(|entry| entry.file_name().to_str()?.parse().ok())
        .collect()
}

/// Waits until something is so.
pub(crate) async fn until(what: &str, mut is: impl FnMut() -> bool) {
    for _ in 0..600 {
        if is() {
            return;
        }
        sleep(Duration::from_millis(50)).await;
    }
    panic!("{what}: not within 30 s");
}

/// What was seen of the processes of all workers.
#[derive(Debug, Default)]
pub(crate) struct Seen {
    pub(crate) looks: usize,
    /// The sessions that had a process.
    pub(crate) sessions: BTreeSet<String>,
    /// The sessions that had two at once.
    pub(crate) doubles: BTreeSet<String>,
}

/// Looks at the processes below a folder again and again, until it ends.
pub(crate) fn watch(folder: &Path, ends: &Arc<AtomicBool>) -> JoinHandle<Seen> {
    let (folder, ends) = (folder.to_owned(), ends.clone());
    std::thread::spawn(move || {
        let mut seen = Seen::default();
        while !ends.load(Relaxed) {
            let mut now = BTreeSet::new();
            for session in processes(&folder).into_iter().filter_map(session) {
                if !now.insert(session.clone()) {
                    seen.doubles.insert(session);
                }
            }
            seen.sessions.extend(now);
            seen.looks += 1;
            std::thread::sleep(Duration::from_millis(20));
        }
        seen
    })
}

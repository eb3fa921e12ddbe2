//! What the operating system says of the processes of workers.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::thread::JoinHandle;
use std::time::Duration;

use claw_testkit::processes::arguments;
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

/// The session that a CLI's command line names.
fn session_of(process: u32) -> Option<String> {
    let args = arguments(process);
    let of = args.iter().find_map(|arg| {
        arg.strip_prefix("--resume=")
            .or_else(|| arg.strip_prefix("--session-id="))
    });
    let next = args
        .windows(2)
        .find(|two| ["--resume", "--session-id"].contains(&&*two[0]));
    of.or_else(|| next.map(|two| &*two[1])).map(str::to_owned)
}

/// The process that has started a process.
fn parent(process: u32) -> Option<u32> {
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // The name of the program is in parentheses, and may have any characters.
    let (_, rest) = stat.rsplit_once(") ")?;
    rest.split(' ').nth(1)?.parse().ok()
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
            let running: BTreeMap<_, _> = processes(&folder)
                .into_iter()
                .filter_map(|process| Some((process, session_of(process)?)))
                .collect();
            let mut now = BTreeSet::new();
            for (process, session) in &running {
                // A process that the CLI starts is a copy of it until it becomes another program.
                let is_child =
                    parent(*process).is_some_and(|parent| running.get(&parent) == Some(session));
                if !is_child && !now.insert(session) {
                    seen.doubles.insert(session.clone());
                }
            }
            seen.sessions.extend(now.into_iter().cloned());
            seen.looks += 1;
            std::thread::sleep(Duration::from_millis(20));
        }
        seen
    })
}

//! Measures the resident memory of process trees, from Linux's `/proc`.

use std::collections::HashMap;
use std::fs;
use std::path::Path;
use std::sync::Weak;
use std::time::Duration;

use super::Inner;

/// Interval between two measurements.
const EVERY: Duration = Duration::from_secs(1);

/// Reports the memory use of the pool's processes to the scheduler until the pool is dropped.
pub(super) async fn watch(pool: Weak<Inner>) {
    let mut ticks = tokio::time::interval(EVERY);
    loop {
        ticks.tick().await;
        let Some(inner) = pool.upgrade() else {
            return;
        };
        let live: Vec<_> = {
            let state = inner.lock();
            let live = state.live.iter();
            let live = live.filter_map(|(member, (generation, session))| {
                Some((*member, *generation, session.process().pid()?))
            });
            let spares = state.spare_processes.iter();
            // A spare has only one process, so its generation is 1.
            let spares = spares.filter_map(|(spare, spare_process)| {
                Some((*spare, 1, spare_process.process().pid()?))
            });
            live.chain(spares).collect()
        };
        drop(inner);
        if live.is_empty() {
            continue;
        }
        let measured = tokio::task::spawn_blocking(move || {
            let trees = ProcessTable::read(Path::new("/proc"));
            let bytes = live
                .into_iter()
                .map(|(member, generation, pid)| (member, generation, trees.bytes(pid)));
            bytes.collect::<Vec<_>>()
        });
        if let (Ok(measured), Some(inner)) = (measured.await, pool.upgrade()) {
            inner.update(|state, now| state.scheduler.measured(now, measured));
        }
    }
}

/// The processes of the machine at one moment.
struct ProcessTable {
    resident: HashMap<u32, u64>,
    children: HashMap<u32, Vec<u32>>,
}

impl ProcessTable {
    fn read(proc: &Path) -> Self {
        let mut trees = Self {
            resident: HashMap::new(),
            children: HashMap::new(),
        };
        for entry in fs::read_dir(proc).into_iter().flatten().flatten() {
            let name = entry.file_name();
            let Some(pid) = name.to_str().and_then(|name| name.parse().ok()) else {
                continue;
            };
            // A process that has ended in the meantime uses no memory.
            let stat = fs::read_to_string(entry.path().join("stat")).ok();
            if let Some((parent, pages)) = stat.as_deref().and_then(parent_and_pages) {
                trees.resident.insert(pid, pages * page_size());
                trees.children.entry(parent).or_default().push(pid);
            }
        }
        trees
    }

    /// Returns the resident bytes of a process and all its descendants.
    fn bytes(&self, root: u32) -> u64 {
        let mut bytes = 0;
        let mut left = vec![root];
        while let Some(pid) = left.pop() {
            bytes += self.resident.get(&pid).copied().unwrap_or_default();
            left.extend(self.children.get(&pid).into_iter().flatten());
        }
        bytes
    }
}

/// Parses a line of `/proc/<pid>/stat`. The process name in it can contain any characters, including brackets, so
/// parsing begins after the last closing bracket.
fn parent_and_pages(stat: &str) -> Option<(u32, u64)> {
    let (_, rest) = stat.rsplit_once(") ")?;
    let mut fields = rest.split(' ');
    // The remaining fields begin with `state` and `ppid`, which have the numbers 3 and 4. `rss` has the number 24.
    let parent = fields.nth(1)?.parse().ok()?;
    let pages = fields.nth(19)?.parse().ok()?;
    Some((parent, pages))
}

fn page_size() -> u64 {
    u64::try_from(rustix::param::page_size()).unwrap_or(4096)
}

/// Returns the memory limit of this process's control group, in bytes.
pub(super) fn cgroup_limit() -> Option<u64> {
    let groups = fs::read_to_string("/proc/self/cgroup").ok()?;
    let group = groups.lines().find_map(|line| line.strip_prefix("0::"))?;
    let root = Path::new("/sys/fs/cgroup");
    let group = root.join(group.trim_start_matches('/'));
    // The limits of the parent groups apply too, so the lowest limit is returned.
    let limits = group
        .ancestors()
        .take_while(|folder| folder.starts_with(root))
        .filter_map(|folder| {
            let limit = fs::read_to_string(folder.join("memory.max")).ok()?;
            limit.trim().parse().ok()
        });
    limits.min()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_with_brackets_is_skipped() {
        let stat = "12 (a) b) S 7 1 1 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 5 1000 33 99";
        assert_eq!(parent_and_pages(stat), Some((7, 33)));
        assert_eq!(parent_and_pages("12 (a"), None);
    }

    #[test]
    fn this_process_takes_memory_and_its_parent_takes_more() {
        let trees = ProcessTable::read(Path::new("/proc"));
        let own = trees.bytes(std::process::id());
        assert!(own > 100_000, "{own}");
        assert!(trees.bytes(1) >= own);
    }
}

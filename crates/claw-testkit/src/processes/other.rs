//! Processes on Windows and macOS, with the crate sysinfo.

use std::ffi::OsString;
use std::sync::Once;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use sysinfo::{
    Pid, Process, ProcessRefreshKind, ProcessStatus, ProcessesToUpdate, System, UpdateKind,
};

/// The interval at which the memory use is read to find its maximum.
const PEAK_INTERVAL: Duration = Duration::from_millis(5);

/// The console process that Windows starts as a child of a program without a window.
const CONSOLE: &str = "conhost.exe";

/// Reads these properties of a process from the system.
fn of<T>(pid: u32, what: ProcessRefreshKind, get: impl Fn(&Process) -> T) -> Option<T> {
    let pid = Pid::from_u32(pid);
    let mut system = System::new();
    system.refresh_processes_specifics(ProcessesToUpdate::Some(&[pid]), true, what);
    system.process(pid).map(get)
}

fn kind() -> ProcessRefreshKind {
    ProcessRefreshKind::nothing().without_tasks()
}

pub(super) fn environment(pid: u32) -> Vec<String> {
    let what = kind().with_environ(UpdateKind::Always);
    of(pid, what, |process| texts(process.environ())).unwrap_or_default()
}

pub(super) fn arguments(pid: u32) -> Vec<String> {
    let what = kind().with_cmd(UpdateKind::Always);
    of(pid, what, |process| texts(process.cmd())).unwrap_or_default()
}

fn texts(texts: &[OsString]) -> Vec<String> {
    let texts = texts.iter();
    texts
        .map(|text| text.to_string_lossy().into_owned())
        .collect()
}

pub(super) fn with_variable(variable: &str) -> Vec<u32> {
    let what = kind().with_environ(UpdateKind::Always);
    let mut system = System::new();
    system.refresh_processes_specifics(ProcessesToUpdate::All, true, what);
    let processes = system.processes().iter();
    let with = processes.filter(|(_, process)| {
        is_running(process)
            && process.name() != CONSOLE
            && process.environ().iter().any(|pair| pair == variable)
    });
    with.map(|(pid, _)| pid.as_u32()).collect()
}

pub(super) fn is_alive(pid: u32) -> bool {
    of(pid, kind(), is_running).unwrap_or(false)
}

fn is_running(process: &Process) -> bool {
    #[cfg(windows)]
    if !super::windows::is_running(process.pid().as_u32()) {
        return false;
    }
    process.exists()
        && !matches!(
            process.status(),
            ProcessStatus::Zombie | ProcessStatus::Dead
        )
}

/// Always returns `true`, because the system does not report whether a process has executed its own program.
pub(super) fn has_executed(_: u32) -> bool {
    true
}

pub(super) fn children() -> Vec<u32> {
    let mut system = System::new();
    system.refresh_processes_specifics(ProcessesToUpdate::All, true, kind());
    let own = Some(Pid::from_u32(std::process::id()));
    let processes = system.processes().iter();
    let children = processes.filter(|(_, process)| {
        process.parent() == own && process.name() != CONSOLE && is_running(process)
    });
    children.map(|(pid, _)| pid.as_u32()).collect()
}

pub(super) fn memory() -> usize {
    let memory = of(std::process::id(), kind().with_memory(), Process::memory);
    usize::try_from(memory.unwrap_or(0) / 1024).unwrap_or(usize::MAX)
}

pub(super) fn peak_memory() -> usize {
    static STARTED: Once = Once::new();
    static PEAK: AtomicUsize = AtomicUsize::new(0);
    let record = || PEAK.fetch_max(memory(), Ordering::Relaxed);
    STARTED.call_once(|| {
        std::thread::spawn(move || {
            loop {
                record();
                std::thread::sleep(PEAK_INTERVAL);
            }
        });
    });
    record().max(PEAK.load(Ordering::Relaxed))
}

pub(super) fn descriptors() -> usize {
    of(std::process::id(), kind(), Process::open_files)
        .flatten()
        .unwrap_or(0)
}

#[cfg(windows)]
pub(super) fn threads() -> Option<usize> {
    super::windows::threads()
}

#[cfg(not(windows))]
pub(super) fn threads() -> Option<usize> {
    None
}

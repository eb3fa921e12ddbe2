//! What the operating system says: processes, descriptors, memory.

use std::time::{Duration, Instant};

use claw_client::transport::Exit;
pub(crate) use claw_testkit::processes::{
    children, descriptors, memory, peak_memory, threads, with_variable as marked,
};

/// Waits until the system's state is as wanted.
pub(crate) fn wait_until(what: &str, mut done: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !done() {
        assert!(
            begun.elapsed() < Duration::from_mins(1),
            "{what}: it takes too long"
        );
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// Waits likewise, and lets tasks go on meanwhile.
pub(crate) async fn come_true(what: &str, mut done: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !done() {
        assert!(
            begun.elapsed() < Duration::from_mins(1),
            "{what}: it takes too long"
        );
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

/// Ends a process with SIGKILL.
pub(crate) fn kill(pid: u32) {
    claw_testkit::processes::kill(pid).unwrap();
}

/// Whether this signal has ended a process. Windows has none: who is terminated has exit code 1, and a scripted agent
/// that ends itself 128 and the signal's number.
pub(crate) fn is_ended_by(exit: Exit, signal: i32) -> bool {
    if cfg!(windows) {
        exit.code() == Some(1) || exit.code() == Some(128 + signal)
    } else {
        exit.signal() == Some(signal)
    }
}

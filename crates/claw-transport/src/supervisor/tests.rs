use std::process::Command;

use super::*;
use crate::stderr::Stderr;

/// A process as the thread has it.
#[expect(clippy::unwrap_used, reason = "helpers of tests fail like tests")]
fn session(script: &str) -> Session {
    let mut command = Command::new("/bin/sh");
    command.args(["-c", script]);
    let (notifier, _waiter) = sys::notifier().unwrap();
    let (child, shared, _stdin, _stdout) =
        sys::Child::spawn(command, false, &notifier, Stderr::default()).unwrap();
    Session {
        child,
        shared,
        mark: String::new(),
        leave_orphans: false,
        forced: false,
        cut_short: false,
        dropped: false,
        steps: None,
    }
}

#[test]
fn a_thread_that_panics_leaves_nobody_waiting() {
    let session = session("exec sleep 1000");
    let supervisor = Supervisor::get().unwrap();
    let process = Process::supervised(session.shared.clone(), supervisor, 0, None);
    let thread = std::thread::spawn(move || {
        let _session = session;
        std::panic::resume_unwind(Box::new("as if a subscriber had panicked"));
    });
    assert!(thread.join().is_err());
    let exit = futures::executor::block_on(process.exited());
    assert_eq!((exit.status(), exit.is_forced()), (None, true));
    let pid = rustix::process::Pid::from_raw(process.pid().unwrap().cast_signed()).unwrap();
    let status = rustix::process::waitpid(Some(pid), rustix::process::WaitOptions::empty());
    assert_eq!(status.unwrap().unwrap().1.terminating_signal(), Some(9));
}

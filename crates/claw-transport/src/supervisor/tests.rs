use std::process::Command;
use std::sync::mpsc;

use super::*;
use crate::stderr::Stderr;

/// Starts a process and returns it in the form in which the supervisor's thread stores it.
fn session(step: &str) -> Session {
    let mut command = Command::new(claw_testkit::processes::program().unwrap());
    command.arg(step);
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
    let session = session("wait");
    let supervisor = Supervisor::get().unwrap();
    let process = Process::supervised(session.shared.clone(), supervisor, 0, None);
    let thread = std::thread::spawn(move || {
        let _session = session;
        std::panic::resume_unwind(Box::new("as if a subscriber had panicked"));
    });
    assert!(thread.join().is_err());
    let exit = futures::executor::block_on(process.exited());
    assert_eq!((exit.status(), exit.is_forced()), (None, true));
    let pid = process.pid().unwrap();
    #[cfg(unix)]
    {
        let pid = rustix::process::Pid::from_raw(pid.cast_signed()).unwrap();
        let status = rustix::process::waitpid(Some(pid), rustix::process::WaitOptions::empty());
        assert_eq!(status.unwrap().unwrap().1.terminating_signal(), Some(9));
    }
    let begun = Instant::now();
    while claw_testkit::processes::is_alive(pid) {
        assert!(begun.elapsed() < Duration::from_mins(1), "it is left");
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn the_bell_wakes_and_is_silent_again() {
    let (notifier, mut poller) = sys::notifier().unwrap();
    for _ in 0..100_000 {
        notifier.notify();
    }
    let (sender, receiver) = mpsc::channel();
    let sleeper = std::thread::spawn(move || {
        poller.wait(std::iter::empty(), None);
        sender.send("first").unwrap();
        poller.wait(std::iter::empty(), None);
        sender.send("second").unwrap();
    });
    assert_eq!(receiver.recv_timeout(Duration::from_mins(1)), Ok("first"));
    assert!(receiver.try_recv().is_err());
    notifier.notify();
    assert_eq!(receiver.recv_timeout(Duration::from_mins(1)), Ok("second"));
    sleeper.join().unwrap();
}

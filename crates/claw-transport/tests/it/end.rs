//! How a process and what it has started come to an end.

use std::time::{Duration, Instant};

use claw_testkit::processes;
use claw_testkit::processes::is_alive;
use claw_transport::{CommandSpec, Parts, Process, Shutdown, Transport, wait_for_dropped};

use crate::support::{
    INSIDE, Started, end, is_ended_by, is_inside, line, lines, mark, process, run, soon, succeeds,
    this_test_alone, until, until_none_has,
};

/// Ignores SIGTERM, and so do its descendants: a child, and one that has cut itself loose.
const STUBBORN: [&str; 5] = [
    "ignore-terminate",
    "daemon=ignore-terminate;wait",
    "spawn=ignore-terminate;say=child;wait",
    "say=ready",
    "wait",
];

async fn stubborn() -> (Parts, String) {
    let mut parts = run(&STUBBORN).await;
    assert_eq!(lines(&mut parts, 2).await, ["child", "ready"]);
    let mark = mark(&parts.process);
    until("all of them are there", || {
        processes::with_variable(&mark).len() >= 3
    });
    (parts, mark)
}

/// A process that starts another one, which is no child of it and holds none of its pipes, and then takes these steps
/// when it is sent a line. Gives the ID of the other one.
pub(crate) async fn leaving_one(steps: &[&str], leave_orphans: bool) -> (Parts, u32) {
    let steps = [&["daemon=wait", "say=ready", "read"], steps].concat();
    let command = process(&steps).leave_orphans(leave_orphans);
    let mut parts = Started(command).open().await.unwrap().into_parts();
    assert_eq!(line(&mut parts).await, "ready");
    let (mark, own) = (mark(&parts.process), parts.process.pid());
    let mut left = Vec::new();
    until("the other one is there", || {
        left = processes::with_variable(&mark);
        left.retain(|pid| Some(*pid) != own);
        !left.is_empty()
    });
    parts.outgoing.send("go".into()).await.unwrap();
    (parts, left[0])
}

/// Has the supervisor look through the system after all that was asked of it before.
pub(crate) async fn sweep_of_another_session() {
    let (_parts, left) = leaving_one(&["signal=9"], false).await;
    until("the other session's orphan is gone", || !is_alive(left));
}

#[tokio::test]
async fn a_session_dropped_in_a_runtime_is_ended() {
    let mut parts = run(&["say=ready", "wait"]).await;
    line(&mut parts).await;
    let (mark, exited) = (mark(&parts.process), parts.process.exited());
    drop(parts);
    let exit = soon(exited).await;
    assert!(is_ended_by(exit, 15), "{exit}");
    until_none_has(&mark);
}

#[tokio::test]
async fn a_host_can_wait_until_what_it_has_dropped_has_ended() {
    let (parts, mark) = stubborn().await;
    let other = run(&["wait"]).await;
    drop(parts);
    soon(wait_for_dropped()).await;
    // Neither SIGTERM nor the end of their stdin ends them.
    assert_eq!(processes::with_variable(&mark), [] as [u32; 0]);
    // It does not wait for others.
    assert!(is_alive(other.process.pid().unwrap()));
}

#[tokio::test]
async fn a_wait_for_dropped_processes_includes_those_whose_start_was_dropped() {
    const NAME: &str = "CLAW_TEST_NAME";
    const VALUE: &str = "a-start-that-was-dropped";
    for _ in 0..20 {
        let command = process(&["wait"]).env(NAME, VALUE);
        let mut start = Box::pin(Started(command).open());
        let _ = futures::poll!(&mut start);
        drop(start);
    }
    soon(wait_for_dropped()).await;
    let left = processes::with_variable(&format!("{NAME}={VALUE}"));
    assert_eq!(left, [] as [u32; 0]);
}

#[test]
fn a_session_dropped_outside_of_a_runtime_is_ended() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let parts = runtime.block_on(run(&["wait"]));
    let mark = mark(&parts.process);
    drop(runtime);
    drop(parts);
    until_none_has(&mark);
}

#[test]
fn a_session_whose_runtime_goes_away_is_ended() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let (sender, receiver) = std::sync::mpsc::channel();
    runtime.spawn(async move {
        let parts = run(&["wait"]).await;
        sender.send(mark(&parts.process)).unwrap();
        parts.process.exited().await;
    });
    let mark = receiver.recv().unwrap();
    drop(runtime);
    until_none_has(&mark);
}

#[test]
fn a_session_outlives_the_thread_that_started_it() {
    let start = || {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap();
        runtime.block_on(run(&["wait"])).process
    };
    let process = std::thread::spawn(start).join().unwrap();
    let exit = futures::executor::block_on(process.shutdown(Shutdown::now())).unwrap();
    // Had it got a signal when its thread ended, it would be gone unforced.
    assert!(is_ended_by(exit, 15), "{exit}");
}

#[tokio::test]
async fn the_last_handle_counts() {
    let parts = run(&["cat"]).await;
    let other = parts.process.clone();
    drop(parts.process);
    assert_eq!(other.exit(), None);
    let exited = other.exited();
    drop(other);
    assert!(soon(exited).await.is_forced());
}

#[tokio::test]
async fn a_shutdown_of_one_that_ignores_sigterm_leaves_nothing() {
    let (parts, mark) = stubborn().await;
    let start = Instant::now();
    let steps = Shutdown::default()
        .grace(Duration::from_millis(50))
        .terminate(Duration::from_millis(100));
    let exit = soon(parts.process.shutdown(steps)).await.unwrap();
    let least = if cfg!(unix) { 150 } else { 50 };
    assert!(start.elapsed() >= Duration::from_millis(least));
    assert!(is_ended_by(exit, 9), "{exit}");
    until_none_has(&mark);
}

#[tokio::test]
async fn a_dropped_one_that_ignores_sigterm_leaves_nothing() {
    let (parts, mark) = stubborn().await;
    drop(parts);
    until_none_has(&mark);
}

#[tokio::test]
async fn kill_leaves_nothing() {
    let (parts, mark) = stubborn().await;
    parts.process.kill();
    let exit = soon(parts.process.exited()).await;
    assert!(is_ended_by(exit, 9), "{exit}");
    until_none_has(&mark);
}

#[tokio::test]
async fn a_shutdown_goes_on_when_nobody_waits() {
    let parts = run(&["wait"]).await;
    let steps = Shutdown::default().grace(Duration::from_millis(20));
    assert!(futures::poll!(std::pin::pin!(parts.process.shutdown(steps))).is_pending());
    let exit = soon(parts.process.exited()).await;
    assert!(is_ended_by(exit, 15), "{exit}");
}

#[tokio::test]
async fn the_sooner_of_two_shutdowns_counts() {
    let parts = run(&["wait"]).await;
    let patient = parts
        .process
        .shutdown(Shutdown::default().grace(Duration::from_secs(1000)));
    let (first, second) = soon(futures::future::join(
        patient,
        parts.process.shutdown(Shutdown::now()),
    ))
    .await;
    assert_eq!(first.unwrap(), second.unwrap());
}

#[tokio::test]
async fn what_one_that_is_terminated_leaves_is_ended() {
    let (parts, left) = leaving_one(&["wait"], false).await;
    parts.process.terminate();
    let exit = soon(parts.process.exited()).await;
    assert!(is_ended_by(exit, 15), "{exit}");
    until("the orphan is gone", || !is_alive(left));
}

#[tokio::test]
async fn what_a_crash_leaves_is_ended() {
    for crash in ["signal=9", "exit=134"] {
        let (parts, left) = leaving_one(&[crash], false).await;
        let exit = soon(parts.process.exited()).await;
        assert!(!exit.is_clean() && !exit.is_forced(), "{exit}");
        until("the orphan is gone", || !is_alive(left));
    }
}

#[tokio::test]
async fn orphans_are_left_if_that_is_wanted() {
    let (parts, left) = leaving_one(&["signal=9"], true).await;
    assert!(!soon(parts.process.exited()).await.is_clean());
    drop(parts);
    sweep_of_another_session().await;
    assert!(is_alive(left));
    end(left);
}

#[tokio::test]
async fn orphans_are_left_of_one_that_is_terminated_if_that_is_wanted() {
    let (parts, left) = leaving_one(&["wait"], true).await;
    parts.process.terminate();
    let exit = soon(parts.process.exited()).await;
    assert!(is_ended_by(exit, 15), "{exit}");
    drop(parts);
    sweep_of_another_session().await;
    assert!(is_alive(left));
    end(left);
}

#[tokio::test]
async fn a_clean_exit_leaves_a_daemon_alone() {
    for exit in ["exit=0", "exit=1"] {
        let (parts, daemon) = leaving_one(&[exit], false).await;
        assert!(
            soon(parts.process.shutdown(Shutdown::default()))
                .await
                .unwrap()
                .is_clean()
        );
        drop(parts);
        sweep_of_another_session().await;
        assert!(is_alive(daemon));
        end(daemon);
    }
}

#[tokio::test]
async fn a_sweep_ends_what_a_clean_exit_has_left() {
    let (parts, left) = leaving_one(&["exit=0"], false).await;
    assert!(soon(parts.process.exited()).await.is_clean());
    assert!(is_alive(left));
    soon(parts.process.sweep()).await;
    until("the orphan is gone", || !is_alive(left));
}

#[tokio::test]
async fn a_sweep_that_comes_before_the_end_counts_at_the_end() {
    let (parts, left) = leaving_one(&["read", "exit=0"], false).await;
    soon(parts.process.sweep()).await;
    assert!(is_alive(left) && parts.process.exit().is_none());
    drop(parts.outgoing);
    assert!(soon(parts.process.exited()).await.is_clean());
    until("the orphan is gone", || !is_alive(left));
}

#[tokio::test]
async fn a_sweep_leaves_orphans_that_are_wanted() {
    let (parts, left) = leaving_one(&["exit=0"], true).await;
    soon(parts.process.exited()).await;
    soon(parts.process.sweep()).await;
    sweep_of_another_session().await;
    assert!(is_alive(left));
    end(left);
}

#[tokio::test]
async fn any_number_may_wait_for_the_exit() {
    let mut parts = run(&["read", "exit=7"]).await;
    let waiting: Vec<_> = (0..3)
        .map(|_| tokio::spawn(parts.process.exited()))
        .collect();
    parts.outgoing.send("go".into()).await.unwrap();
    for poller in waiting {
        assert_eq!(soon(poller).await.unwrap().code(), Some(7));
    }
    assert_eq!(soon(parts.process.exited()).await.code(), Some(7));
}

#[tokio::test]
async fn a_detached_process_ends_when_it_is_told() {
    let process = Process::detached();
    let mut exited = std::pin::pin!(process.exited());
    assert!(futures::poll!(&mut exited).is_pending());
    let exit = soon(process.shutdown(Shutdown::default())).await.unwrap();
    assert_eq!((soon(exited).await, exit.status()), (exit, None));
}

#[test]
fn sessions_give_their_descriptors_back() {
    const NAME: &str = "end::sessions_give_their_descriptors_back";
    const SESSIONS: usize = 20;
    if !is_inside(NAME) {
        succeeds(&mut this_test_alone(NAME));
        return;
    }
    // Building it takes descriptors, which are not to be counted.
    processes::program().unwrap();
    let open = processes::descriptors;
    let runtime = tokio::runtime::Runtime::new().unwrap();
    // The first starts what stays: the supervisor's notifier, the runtime's own. It is kept, so that
    // nothing is being closed while the others are counted.
    let first = runtime.block_on(run(&["wait"]));
    let before = open();
    let mut sessions = Vec::new();
    for _ in 0..SESSIONS {
        sessions.push(runtime.block_on(run(&["wait"])));
    }
    let taken = open() - before;
    println!("{SESSIONS} sessions take {taken}");
    if cfg!(target_os = "linux") {
        assert_eq!(taken, SESSIONS * 4);
    } else {
        assert!(taken >= SESSIONS * 3, "{taken}");
    }
    drop(sessions);
    // Fewer on Windows, where what the runtime's threads have open comes and goes.
    until("all are closed", || open() <= before);
    drop(first);
    until("the first is closed too", || open() <= before - 3);
}

#[tokio::test]
async fn of_sessions_in_one_another_each_ends_only_its_own() {
    // Each has a process that has cut itself loose, and starts the next one in its environment.
    let mut sessions: Vec<(Parts, String)> = Vec::new();
    for depth in 1..=4 {
        let mut command = process(&["daemon=wait", "say=ready", "wait"]);
        if let Some((_, outer)) = sessions.last() {
            let (name, marks) = outer.split_once('=').unwrap();
            command = command.env(name, marks);
        }
        let mut parts = Started(command).open().await.unwrap().into_parts();
        assert_eq!(line(&mut parts).await, "ready");
        let mark = mark(&parts.process);
        assert_eq!(mark.split(':').count(), depth, "{mark}");
        until("its daemon is there", || {
            processes::with_variable(&mark).len() == 2
        });
        sessions.push((parts, mark));
    }
    // From the innermost out: each takes its own with it, and nobody else.
    while let Some((parts, mark)) = sessions.pop() {
        parts.process.kill();
        soon(parts.process.exited()).await;
        until_none_has(&mark);
        sweep_of_another_session().await;
        for (outer, mark) in &sessions {
            assert_eq!(processes::with_variable(mark).len(), 2);
            assert!(outer.process.exit().is_none());
        }
    }
}

/// Linux finds it by its parents, Windows in the job.
#[tokio::test]
async fn a_descendant_without_the_mark_is_found_by_its_parents() {
    let steps = [
        "ignore-terminate",
        "unmarked=ignore-terminate;pid;wait",
        "wait",
    ];
    let mut parts = run(&steps).await;
    let descendant: u32 = line(&mut parts).await.parse().unwrap();
    let mark = mark(&parts.process);
    assert_eq!(
        processes::with_variable(&mark),
        [parts.process.pid().unwrap()]
    );
    parts.process.kill();
    until("the descendant is gone", || !is_alive(descendant));
}

/// The process of the outer session is a host too.
#[tokio::test]
async fn a_session_takes_those_inside_of_it_with_it() {
    const NAME: &str = "end::a_session_takes_those_inside_of_it_with_it";
    if is_inside(NAME) {
        let inner = run(&["daemon=wait", "wait"]).await;
        let mark = mark(&inner.process);
        until("its daemon is there", || {
            processes::with_variable(&mark).len() == 2
        });
        println!("\n{mark}");
        return std::future::pending().await;
    }
    let host = CommandSpec::new(std::env::current_exe().unwrap())
        .args(["--exact", NAME, "--nocapture"])
        .env(INSIDE, NAME);
    let mut outer = Started(host).open().await.unwrap().into_parts();
    let inner = loop {
        let line = line(&mut outer).await;
        if line.starts_with("CLAW_SESSION=") {
            break line;
        }
    };
    until("it and its daemon are found", || {
        processes::with_variable(&inner).len() == 2
    });
    outer.process.kill();
    until_none_has(&inner);
    #[cfg(target_os = "linux")]
    crate::end_linux::a_session_takes_those_of_its_own_host_with_it().await;
}

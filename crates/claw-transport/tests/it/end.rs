use std::time::{Duration, Instant};

use claw_transport::{Parts, Process, Shutdown, Transport, wait_for_dropped};

use crate::support::{
    Sh, carriers, end, is_alive, is_inside, line, lines, mark, marks, run, sh, soon, succeeds,
    this_test_alone, until, until_none_carries,
};

/// Ignores SIGTERM, and so do its descendants: a child in a session of its own, and one that has
/// cut itself loose.
const STUBBORN: &str = r"
    trap '' TERM
    setsid sh -c 'echo child; sleep 1000' &
    (setsid sh -c 'echo orphan; sleep 1000' &)
    echo ready
    while :; do sleep 1000; done
";

/// A script that starts a process in a session of its own, which holds none of the pipes, and then
/// ends like this. Gives the process's number.
async fn leaving_one(end: &str, leave_orphans: bool) -> (Parts, u32) {
    let start = "setsid sh -c 'echo $$; exec sleep 1000 <&- >/dev/null 2>&1' & read go";
    let command = sh(&format!("{start}; {end}")).leave_orphans(leave_orphans);
    let mut parts = Sh(command).open().await.unwrap().into_parts();
    let left = line(&mut parts).await.parse().unwrap();
    parts.outgoing.send("go".into()).await.unwrap();
    (parts, left)
}

async fn stubborn() -> (Parts, String) {
    let mut parts = run(STUBBORN).await;
    assert_eq!(lines(&mut parts, 3).await, ["child", "orphan", "ready"]);
    let mark = mark(&parts.process);
    until("all of them are there", || carriers(&mark).len() >= 4);
    (parts, mark)
}

#[tokio::test]
async fn a_session_dropped_in_a_runtime_is_ended() {
    let mut parts = run("echo ready; exec sleep 1000").await;
    line(&mut parts).await;
    let (mark, exited) = (mark(&parts.process), parts.process.exited());
    drop(parts);
    let exit = soon(exited).await;
    assert!(exit.is_forced() && !exit.is_clean());
    assert_eq!(exit.signal(), Some(15));
    until_none_carries(&mark);
}

#[tokio::test]
async fn a_host_can_wait_until_what_it_has_dropped_has_ended() {
    let (parts, mark) = stubborn().await;
    let mut other = run("echo $$; exec sleep 1000").await;
    let pid = line(&mut other).await.parse().unwrap();
    drop(parts);
    soon(wait_for_dropped()).await;
    // Neither SIGTERM nor the end of their stdin ends them.
    assert_eq!(carriers(&mark), [] as [u32; 0]);
    // It does not wait for others.
    assert!(is_alive(pid));
}

#[tokio::test]
async fn a_wait_for_dropped_processes_includes_those_whose_start_was_dropped() {
    const NAME: &str = "a-start-that-was-dropped";
    for _ in 0..20 {
        let command = sh("exec sleep 1000").env("CLAW_TEST_NAME", NAME);
        let mut start = Box::pin(Sh(command).open());
        let _ = futures::poll!(&mut start);
        drop(start);
    }
    soon(wait_for_dropped()).await;
    assert_eq!(carriers(NAME), [] as [u32; 0]);
}

#[test]
fn a_session_dropped_outside_of_a_runtime_is_ended() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let parts = runtime.block_on(run("exec sleep 1000"));
    let mark = mark(&parts.process);
    drop(runtime);
    drop(parts);
    until_none_carries(&mark);
}

#[test]
fn a_session_whose_runtime_goes_away_is_ended() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let (sender, receiver) = std::sync::mpsc::channel();
    runtime.spawn(async move {
        let parts = run("exec sleep 1000").await;
        sender.send(mark(&parts.process)).unwrap();
        parts.process.exited().await;
    });
    let mark = receiver.recv().unwrap();
    drop(runtime);
    until_none_carries(&mark);
}

#[test]
fn a_session_outlives_the_thread_that_started_it() {
    let start = || {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap();
        runtime.block_on(run("exec sleep 1000")).process
    };
    let process = std::thread::spawn(start).join().unwrap();
    let exit = futures::executor::block_on(process.shutdown(Shutdown::now())).unwrap();
    // Had it got a signal when its thread ended, it would be gone unforced.
    assert!(exit.is_forced());
    assert_eq!(exit.signal(), Some(15));
}

#[tokio::test]
async fn the_last_handle_counts() {
    let parts = run("cat").await;
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
    assert!(start.elapsed() >= Duration::from_millis(150));
    assert_eq!(exit.signal(), Some(9));
    until_none_carries(&mark);
}

#[tokio::test]
async fn a_dropped_one_that_ignores_sigterm_leaves_nothing() {
    let (parts, mark) = stubborn().await;
    drop(parts);
    until_none_carries(&mark);
}

#[tokio::test]
async fn kill_leaves_nothing() {
    let (parts, mark) = stubborn().await;
    parts.process.kill();
    assert_eq!(soon(parts.process.exited()).await.signal(), Some(9));
    until_none_carries(&mark);
}

#[tokio::test]
async fn a_shutdown_goes_on_when_nobody_waits() {
    let parts = run("exec sleep 1000").await;
    let steps = Shutdown::default().grace(Duration::from_millis(20));
    assert!(futures::poll!(std::pin::pin!(parts.process.shutdown(steps))).is_pending());
    assert_eq!(soon(parts.process.exited()).await.signal(), Some(15));
}

#[tokio::test]
async fn the_sooner_of_two_shutdowns_counts() {
    let parts = run("exec sleep 1000").await;
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
async fn a_descendant_without_the_mark_is_found_by_its_parents() {
    let script = "trap '' TERM; env -u CLAW_SESSION setsid sh -c 'echo $$; exec sleep 1000'; wait";
    let mut parts = run(script).await;
    let descendant: u32 = line(&mut parts).await.parse().unwrap();
    parts.process.kill();
    until("the descendant is gone", || !is_alive(descendant));
}

#[tokio::test]
async fn what_one_that_obeys_sigterm_leaves_is_ended() {
    let (parts, left) = leaving_one("exec sleep 1000", false).await;
    parts.process.terminate();
    assert_eq!(soon(parts.process.exited()).await.signal(), Some(15));
    until("the orphan is gone", || !is_alive(left));
}

#[tokio::test]
async fn what_a_crash_leaves_is_ended() {
    for crash in ["kill -9 $$", "exit 134"] {
        let (parts, left) = leaving_one(crash, false).await;
        let exit = soon(parts.process.exited()).await;
        assert!(!exit.is_clean() && !exit.is_forced(), "{exit}");
        until("the orphan is gone", || !is_alive(left));
    }
}

#[tokio::test]
async fn orphans_are_left_if_that_is_wanted() {
    let (parts, left) = leaving_one("kill -9 $$", true).await;
    assert!(!soon(parts.process.exited()).await.is_clean());
    sweep_of_another_session().await;
    assert!(is_alive(left));
    end(left);
}

#[tokio::test]
async fn a_clean_exit_leaves_a_daemon_alone() {
    for exit in ["exit 0", "exit 1"] {
        let (parts, daemon) = leaving_one(exit, false).await;
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
    let (parts, left) = leaving_one("exit 0", false).await;
    assert!(soon(parts.process.exited()).await.is_clean());
    assert!(is_alive(left));
    soon(parts.process.sweep()).await;
    until("the orphan is gone", || !is_alive(left));
}

#[tokio::test]
async fn a_sweep_that_comes_before_the_end_counts_at_the_end() {
    let (parts, left) = leaving_one("read on; exit 0", false).await;
    soon(parts.process.sweep()).await;
    assert!(is_alive(left) && parts.process.exit().is_none());
    drop(parts.outgoing);
    assert!(soon(parts.process.exited()).await.is_clean());
    until("the orphan is gone", || !is_alive(left));
}

#[tokio::test]
async fn a_sweep_leaves_orphans_that_are_wanted() {
    let (parts, left) = leaving_one("exit 0", true).await;
    soon(parts.process.exited()).await;
    soon(parts.process.sweep()).await;
    sweep_of_another_session().await;
    assert!(is_alive(left));
    end(left);
}

/// Has the supervisor look through the system after all that was asked of it before.
async fn sweep_of_another_session() {
    let (_parts, left) = leaving_one("kill -9 $$", false).await;
    until("the other session's orphan is gone", || !is_alive(left));
}

#[tokio::test]
async fn any_number_may_wait_for_the_exit() {
    let mut parts = run("read line; exit 7").await;
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

/// As in a frozen container, or with a laptop's lid.
#[test]
fn the_time_in_which_host_and_cli_are_stopped_does_not_count() {
    const NAME: &str = "end::the_time_in_which_host_and_cli_are_stopped_does_not_count";
    const GRACE: Duration = Duration::from_secs(3);
    if !is_inside(NAME) {
        succeeds(&mut this_test_alone(NAME));
        return;
    }
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(async {
        let mut parts = run("echo ready; read end; exit 7").await;
        line(&mut parts).await;
        let pids = format!("{} {}", std::process::id(), parts.process.pid().unwrap());
        let ends = tokio::spawn(parts.process.shutdown(Shutdown::default().grace(GRACE)));
        // The CLI goes on a moment later.
        let script = format!(
            "kill -STOP {pids}; sleep {}; kill -CONT {}; sleep 0.3; kill -CONT {pids}",
            2 * GRACE.as_secs(),
            std::process::id()
        );
        let mut stop = tokio::process::Command::new("sh");
        let stopped = stop.args(["-c", &script]).status().await;
        assert!(stopped.unwrap().success());
        drop(parts.outgoing);
        let exit = soon(ends).await.unwrap().unwrap();
        assert_eq!((exit.code(), exit.is_forced()), (Some(7), false));
    });
}

#[test]
fn sessions_take_four_descriptors_and_give_them_back() {
    const NAME: &str = "end::sessions_take_four_descriptors_and_give_them_back";
    if !is_inside(NAME) {
        let output = this_test_alone(NAME).output().unwrap();
        assert!(
            output.status.success(),
            "{}",
            String::from_utf8_lossy(&output.stdout)
        );
        return;
    }
    let open = || std::fs::read_dir("/proc/self/fd").unwrap().count();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    // The first starts what stays: the supervisor's bell, the runtime's own. It is kept, so that
    // nothing is being closed while the others are counted.
    let first = runtime.block_on(run("exec sleep 1000"));
    let before = open();
    let mut sessions = Vec::new();
    for _ in 0..20 {
        sessions.push(runtime.block_on(run("exec sleep 1000")));
    }
    assert_eq!(open(), before + 20 * 4);
    drop(sessions);
    until("all are closed", || open() == before);
    drop(first);
    until("the first is closed too", || open() == before - 4);
}

#[tokio::test]
async fn of_sessions_in_one_another_each_ends_only_its_own() {
    // Each has a process that has cut itself loose, and starts the next one in its environment.
    let mut sessions: Vec<(Parts, u32)> = Vec::new();
    for _ in 0..4 {
        let script =
            "(setsid sh -c 'echo $$; exec sleep 1000 <&- >/dev/null 2>&1' &) ; exec sleep 1000";
        let mut command = sh(script);
        if let Some((outer, _)) = sessions.last() {
            command = command.env("CLAW_SESSION", marks(&outer.process));
        }
        let mut parts = Sh(command).open().await.unwrap().into_parts();
        let orphan = line(&mut parts).await.parse().unwrap();
        mark(&parts.process);
        sessions.push((parts, orphan));
    }
    let innermost = marks(&sessions[3].0.process);
    assert_eq!(innermost.split(':').count(), 4, "{innermost}");
    // From the innermost out: each takes its own with it, and nobody else.
    while let Some((parts, orphan)) = sessions.pop() {
        parts.process.kill();
        soon(parts.process.exited()).await;
        until("its orphan is gone", || !is_alive(orphan));
        sweep_of_another_session().await;
        for (outer, orphan) in &sessions {
            assert!(is_alive(*orphan) && outer.process.exit().is_none());
        }
    }
}

#[tokio::test]
async fn a_session_takes_those_inside_of_it_with_it() {
    let mut outer = run("echo ready; exec sleep 1000").await;
    line(&mut outer).await;
    let inner = sh("echo ready; exec sleep 1000").env("CLAW_SESSION", marks(&outer.process));
    let mut inner = Sh(inner).open().await.unwrap().into_parts();
    line(&mut inner).await;
    outer.process.kill();
    let exit = soon(inner.process.exited()).await;
    assert_eq!((exit.signal(), exit.is_forced()), (Some(9), false));
}

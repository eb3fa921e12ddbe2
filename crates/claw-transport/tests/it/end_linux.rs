//! Ends of which only Linux knows: what is found by its mark alone, and processes that are stopped.

use std::time::Duration;

use claw_transport::{Shutdown, Transport};

use crate::shell::{run, sh};
use crate::support::{
    Started, is_inside, line, marks, soon, succeeds, this_test_alone, until_none_has,
};

/// As in a frozen container, or with a laptop's lid.
#[test]
fn the_time_in_which_host_and_cli_are_stopped_does_not_count() {
    const NAME: &str = "end_linux::the_time_in_which_host_and_cli_are_stopped_does_not_count";
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

/// Only its marks say of a session that it is inside of another one, which is of the same host.
pub(crate) async fn a_session_takes_those_of_its_own_host_with_it() {
    let mut outer = run("echo ready; exec sleep 1000").await;
    line(&mut outer).await;
    let inner = sh("echo ready; exec sleep 1000").env("CLAW_SESSION", marks(&outer.process));
    let mut inner = Started(inner).open().await.unwrap().into_parts();
    line(&mut inner).await;
    outer.process.kill();
    let exit = soon(inner.process.exited()).await;
    assert_eq!((exit.signal(), exit.is_forced()), (Some(9), false));
}

/// Marks the processes of a test, in their environment.
const MARK: &str = "STARTED_FOR_TEST";

#[test]
fn no_stopped_process_is_left_by_a_host_that_exits_while_it_kills_one() {
    const NAME: &str =
        "end_linux::no_stopped_process_is_left_by_a_host_that_exits_while_it_kills_one";
    if is_inside(NAME) {
        tokio::runtime::Runtime::new().unwrap().block_on(async {
            let mut parts = run("echo ready; exec sleep 1000").await;
            line(&mut parts).await;
            parts.process.kill();
            // Lets the supervisor begin, so that some of the hosts exit during its search.
            std::thread::yield_now();
            std::process::exit(0);
        });
    }
    let mark = std::process::id().to_string();
    for _ in 0..50 {
        let mut host = this_test_alone(NAME);
        assert!(host.env(MARK, &mark).status().unwrap().success());
    }
    until_none_has(&format!("{MARK}={mark}"));
}

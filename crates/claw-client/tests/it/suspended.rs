//! A host that is stopped and goes on: no session is ended for the time in which the host could not
//! read.

use std::path::Path;
use std::time::Duration;

use claw_client::types::control::{PermissionResult, SetModel};
use claw_client::{Session, Turn};
use claw_testkit::agent::{Script, Step};
use claw_testkit::{Block, Gates};
use futures::future::join_all;
use serde_json::json;
use tokio::sync::watch;

use crate::agent::soon;
use crate::process::options;

/// Half of them wait in a turn and for a call, the others for a permission.
const SESSIONS: usize = 20;

/// The limit of everything that waits.
const LIMIT: Duration = Duration::from_secs(5);

/// The length of the stop: 6 s, or as many as `CLAW_TEST_STOP` says.
fn length() -> Duration {
    let named = std::env::var("CLAW_TEST_STOP").ok();
    Duration::from_secs(named.map_or(6, |seconds| seconds.parse().unwrap()))
}

/// A session in a folder of its own, in which its gates are.
async fn session(folder: &Path, may: watch::Receiver<bool>, asks: bool) -> (Session, Gates) {
    std::fs::create_dir(folder).unwrap();
    let call = Block::tool_use("Bash", json!({"command": "true"}));
    let steps = if asks {
        vec![Step::Turn(vec![
            Step::gate("waits"),
            Step::message([call]),
            Step::permission([], []),
        ])]
    } else {
        vec![Step::Turn(vec![
            Step::expect_request("set_model"),
            Step::gate("waits"),
            Step::gate("go"),
            Step::Reply(json!({"model": "opus"})),
            Step::message([Block::text("Here I am.")]),
        ])]
    };
    let mut options = options(folder, &Script::new(steps));
    let env = options.env.get_or_insert_default();
    env.insert("CLAW_AGENT_GATES", Some(folder.display().to_string()));
    let builder = Session::builder(options)
        .stall_timeout(LIMIT)
        .call_timeout(LIMIT)
        .callback_timeout(LIMIT)
        .can_use_tool(move |_| {
            let mut may = may.clone();
            async move {
                may.wait_for(|may| *may).await.unwrap();
                PermissionResult::allow()
            }
        });
    let session = soon(builder.connect()).await.unwrap();
    (session, Gates::in_folder(folder))
}

/// Stops this process with `more` for a while, opens the gates `go` in the folder before or after,
/// and returns when this process goes on.
#[cfg(target_os = "linux")]
async fn stop(folder: &Path, more: &str, open_first: bool) {
    let open = format!(
        "for folder in '{}'/*/; do : > \"$folder/go.open\"; done",
        folder.display()
    );
    let (first, last) = if open_first {
        (&*open, "")
    } else {
        ("", &*open)
    };
    let all = format!("{} {more}", std::process::id());
    let script = format!(
        "kill -STOP {all}\n{first}\nsleep {}\nkill -CONT {all}\n{last}",
        length().as_secs()
    );
    let begun = std::time::Instant::now();
    let stopped = tokio::process::Command::new("sh")
        .args(["-c", &script])
        .status()
        .await;
    assert!(stopped.unwrap().success());
    assert!(begun.elapsed() >= length());
}

/// What is stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stopped {
    #[cfg(target_os = "linux")]
    Host,
    #[cfg(target_os = "linux")]
    HostAndClis,
    /// The runtime's only thread, by something else.
    Runtime,
}

async fn no_session_ends(stopped: Stopped) {
    let folder = tempfile::tempdir().unwrap();
    let (allow, may) = watch::channel(false);
    let begin = |number: usize| {
        let folder = folder.path().join(number.to_string());
        let may = may.clone();
        async move { session(&folder, may, number.is_multiple_of(2)).await }
    };
    let sessions = join_all((0..SESSIONS).map(begin)).await;
    let turn = async |(number, (session, gates)): (usize, &(Session, Gates))| -> Turn {
        let turn = session.send("Go").await.unwrap();
        if number.is_multiple_of(2) {
            gates.open("waits");
        }
        turn
    };
    let turns = join_all(sessions.iter().enumerate().map(turn)).await;
    let calls = sessions.iter().skip(1).step_by(2);
    let calls: Vec<_> = calls
        .map(|(session, gates)| {
            let call = tokio::spawn(session.call(SetModel::new().model("opus")));
            gates.open("waits");
            call
        })
        .collect();
    join_all(
        sessions
            .iter()
            .map(|(_, gates)| soon(gates.reached("waits"))),
    )
    .await;

    match stopped {
        #[cfg(target_os = "linux")]
        Stopped::Host => stop(folder.path(), "", true).await,
        #[cfg(target_os = "linux")]
        Stopped::HostAndClis => {
            let pids = sessions.iter().map(|(session, _)| session.process().pid());
            let pids: Vec<_> = pids.map(|pid| pid.unwrap().to_string()).collect();
            stop(folder.path(), &pids.join(" "), false).await;
        }
        Stopped::Runtime => {
            for (_, gates) in &sessions {
                gates.open("go");
            }
            std::thread::sleep(length());
        }
    }
    allow.send(true).unwrap();

    for call in calls {
        soon(call).await.unwrap().unwrap();
    }
    for turn in turns {
        let result = soon(turn.result()).await.unwrap();
        assert!(!result.is_error(), "{result:?}");
    }
    for (session, _) in sessions {
        assert!(soon(session.close()).await.unwrap().is_success());
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_stopped_host_reads_what_is_there_before_a_deadline_counts() {
    if claw_testkit::alone("suspended::a_stopped_host_reads_what_is_there_before_a_deadline_counts")
    {
        in_a_runtime(no_session_ends(Stopped::Host));
    }
}

#[cfg(target_os = "linux")]
#[test]
fn the_time_in_which_host_and_cli_are_stopped_does_not_count() {
    if claw_testkit::alone("suspended::the_time_in_which_host_and_cli_are_stopped_does_not_count") {
        in_a_runtime(no_session_ends(Stopped::HostAndClis));
    }
}

/// As with a `current_thread` runtime, in which an application does something that takes long.
#[tokio::test]
async fn a_runtime_that_is_not_polled_reads_what_is_there_before_a_deadline_counts() {
    no_session_ends(Stopped::Runtime).await;
}

#[cfg(target_os = "linux")]
fn in_a_runtime(test: impl Future<Output = ()>) {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(test);
}

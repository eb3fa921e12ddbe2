//! SIGKILL, whatever goes on: by claw, and by somebody else.

use claw_client::types::control::PermissionResult;
use claw_client::{Error, Session};
use claw_testkit::agent::{Child, Script, Step};
use claw_testkit::{Block, Gates};
use futures::FutureExt;
use serde_json::json;

use crate::agent::soon;
use crate::proc::{come_true, is_ended_by, kill, marked};
use crate::process::options;
use crate::slow::Nothing;

/// What goes on when the signal comes, and whether a prompt was sent for it.
fn situations() -> Vec<(&'static str, bool, Vec<Step>)> {
    let held = Block::text("one two three").hold(2, "now");
    let call = || Step::message([Block::tool_use("Bash", json!({"command": "sleep 1000"}))]);
    let turn = |steps: Vec<Step>| vec![Step::Turn(steps)];
    vec![
        ("idle", false, vec![Step::gate("now")]),
        ("in mid-turn", true, turn(vec![Step::message([held])])),
        (
            "in mid-line",
            true,
            turn(vec![
                Step::Raw(r#"{"type":"result","user_mess"#.into()),
                Step::gate("now"),
            ]),
        ),
        (
            "with a permission open",
            true,
            turn(vec![call(), Step::permission([], [])]),
        ),
        (
            "with a child",
            true,
            turn(vec![call(), Step::Child(Child::new()), Step::gate("now")]),
        ),
        (
            "with a shell in the background, in a session of its own",
            true,
            turn(vec![
                Step::Child(Child::new().daemon()),
                Step::Child(Child::new().daemon().holds_stdout()),
                Step::gate("now"),
            ]),
        ),
    ]
}

fn is_sigkill(error: &Error) -> bool {
    let exited = error.exited();
    exited.is_some_and(|exited| is_ended_by(exited.exit, 9) && exited.pid.is_some())
}

async fn show(name: &str, prompted: bool, mut steps: Vec<Step>, by_claw: bool) {
    // The request is taken, and never answered.
    steps.insert(0, Step::expect_request("nothing"));
    steps.push(Step::gate("never"));
    let folder = tempfile::tempdir().unwrap();
    let mut options = options(folder.path(), &Script::new(steps));
    let gates = folder.path().display().to_string();
    let env = options.env.as_mut().unwrap();
    env.insert("CLAW_AGENT_GATES", Some(gates.clone()));
    let mark = format!("CLAW_AGENT_GATES={gates}");
    let gates = Gates::in_folder(gates);
    let (asks, mut asked) = tokio::sync::mpsc::unbounded_channel();
    let builder = Session::builder(options).can_use_tool(move |_| {
        let asks = asks.clone();
        async move {
            asks.send(()).unwrap();
            std::future::pending::<PermissionResult>().await
        }
    });
    let session = soon(builder.connect()).await.unwrap();
    let pending = session.call(Nothing).fuse();
    let mut pending = std::pin::pin!(pending);
    assert!(futures::poll!(&mut pending).is_pending());
    let turn = if prompted {
        Some(session.send("Go").await.unwrap())
    } else {
        None
    };
    if name.contains("permission") {
        soon(asked.recv()).await.unwrap();
    } else {
        soon(gates.reached("now")).await;
    }
    let pid = session.process().pid().unwrap();
    if by_claw {
        session.process().kill();
    } else {
        kill(pid);
    }
    let error = soon(pending).await.unwrap_err();
    assert!(is_sigkill(&error), "{name}: {error:?}");
    assert!(error.to_string().contains(&pid.to_string()), "{error}");
    if let Some(turn) = turn {
        let error = soon(turn.result()).await.unwrap_err();
        assert!(is_sigkill(&error), "{name}: {error:?}");
    }
    let exit = session.process().exit().unwrap();
    assert_eq!(exit.is_forced(), by_claw, "{name}");
    assert!(is_sigkill(&soon(session.close()).await.unwrap_err()));
    // The callback is gone with its last sender.
    drop(session);
    assert_eq!(soon(asked.recv()).await, None, "{name}");
    come_true(name, || marked(&mark).is_empty()).await;
}

#[tokio::test]
async fn from_outside() {
    let all = situations()
        .into_iter()
        .map(|(name, prompted, steps)| show(name, prompted, steps, false));
    futures::future::join_all(all).await;
}

#[tokio::test]
async fn by_claw() {
    let all = situations()
        .into_iter()
        .map(|(name, prompted, steps)| show(name, prompted, steps, true));
    futures::future::join_all(all).await;
}

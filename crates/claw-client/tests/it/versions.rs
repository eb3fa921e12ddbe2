//! CLIs of other versions.

use claw_client::{Error, OLDEST_CLI};
use claw_testkit::Block;
use claw_testkit::agent::{Script, Step};
use futures::StreamExt;
use serde_json::json;

use crate::agent::{Agent, builder, connect, query, soon};

fn init(version: &str) -> Step {
    Step::Turn(vec![
        Step::Line(json!({"type": "system", "subtype": "init", "claude_code_version": version})),
        Step::gate("never"),
    ])
}

fn is_too_old(error: &Error, version: &str) {
    assert!(error.is_cli_too_old(), "{error}");
    let text = error.to_string();
    let needed = format!("claude {version} is too old, {OLDEST_CLI} or newer is needed");
    assert!(
        text.contains(&needed) && text.contains("claude update"),
        "{text}"
    );
}

#[tokio::test]
async fn one_that_is_too_old_says_so_when_its_turn_begins() {
    // The first line that the agent writes of a turn is one of its own, and of today.
    let (session, _agent) = connect(Script::new([init("2.1.199")])).await;
    let turn = session.send("Go").await.unwrap();
    is_too_old(&soon(turn.result()).await.unwrap_err(), "2.1.199");
    is_too_old(&soon(session.interrupt()).await.unwrap_err(), "2.1.199");
    let (messages, _agent) = query(Script::new([init("1.0.128")])).await;
    let mut items: Vec<_> = soon(messages.collect()).await;
    is_too_old(&items.pop().unwrap().unwrap_err(), "1.0.128");
}

/// A turn that is answered at once: its result stands right behind the line that tells the version.
#[tokio::test]
async fn one_that_is_too_old_has_no_result_however_fast_it_is() {
    let init = json!({"type": "system", "subtype": "init", "claude_code_version": "2.1.199"});
    let result = json!({"type": "result", "subtype": "success", "result": "4"});
    for _ in 0..20 {
        let lines = format!("{init}\n{result}\n");
        let script = Script::new([Step::Turn(vec![Step::Raw(lines)])]);
        let (session, _agent) = connect(script.clone()).await;
        let turn = session.send("Go").await.unwrap();
        is_too_old(&soon(turn.result()).await.unwrap_err(), "2.1.199");
        let (messages, _agent) = query(script).await;
        let mut items: Vec<_> = soon(messages.collect()).await;
        is_too_old(&items.pop().unwrap().unwrap_err(), "2.1.199");
    }
}

#[tokio::test]
async fn one_that_is_too_old_may_say_so_before() {
    let info = json!({
        "commands": [], "agents": [], "output_style": "", "available_output_styles": [],
        "models": [], "account": {}, "claude_code_version": "2.1.7"
    });
    let script = Script::new([Step::expect_initialize(), Step::Reply(info)]);
    let (pipe, _agent) = Agent::start(script);
    let error = soon(builder().transport(pipe).connect()).await.unwrap_err();
    is_too_old(&error, "2.1.7");
}

#[tokio::test]
async fn a_newer_one_is_never_refused() {
    for version in ["2.1.1000", "3.0.0", "99.0.0-alpha", "one of tomorrow"] {
        let step = Step::Turn(vec![
            Step::Line(
                json!({"type": "system", "subtype": "init", "claude_code_version": version}),
            ),
            Step::message([Block::text("fine")]),
        ]);
        let (session, _agent) = connect(Script::new([step])).await;
        let turn = session.send("Go").await.unwrap();
        assert!(!soon(turn.result()).await.unwrap().is_error(), "{version}");
    }
}

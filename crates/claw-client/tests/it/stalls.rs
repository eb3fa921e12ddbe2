//! A CLI that is alive and silent: the scripted agent as a process, and a real CLI that is stopped.

use std::time::Duration;

use claw_client::Session;
use claw_testkit::Block;
use claw_testkit::agent::{Script, Step};
use futures::future::join3;
use serde_json::json;

use crate::agent::soon;
use crate::process::options;

/// So long that only an agent that says nothing is silent for it.
const SILENCE: Duration = Duration::from_secs(5);

/// The reason for which a turn by this script fails.
async fn stalled(turn: Vec<Step>) -> String {
    let folder = tempfile::tempdir().unwrap();
    let options = options(folder.path(), &Script::new([Step::Turn(turn)]));
    let builder = Session::builder(options).stall_timeout(SILENCE);
    let session = soon(builder.connect()).await.unwrap();
    let error = soon(session.ask("Go")).await.unwrap_err();
    assert!(error.is_stalled(), "{error}");
    // It is told at the limit, and not when the silent process has been ended.
    assert_eq!(session.process().exit(), None);
    assert!(session.ask("Once more").await.unwrap_err().is_stalled());
    assert!(session.interrupt().await.unwrap_err().is_stalled());
    soon(session.process().exited()).await;
    error.to_string()
}

#[tokio::test]
async fn silence_is_told_wherever_it_begins() {
    let call = Block::tool_use("Bash", json!({"command": "sleep 1000"}));
    let (at_once, in_mid_answer, in_a_tool) = Box::pin(join3(
        stalled(vec![Step::Hang]),
        stalled(vec![Step::message([Block::text("Half")]), Step::Hang]),
        stalled(vec![Step::message([call]), Step::Hang]),
    ))
    .await;
    assert!(at_once.contains("silent for 5"), "{at_once}");
    assert!(
        in_mid_answer.contains("after a line of type"),
        "{in_mid_answer}"
    );
    assert!(in_a_tool.contains("after a line of type"), "{in_a_tool}");
}

#[tokio::test]
async fn silence_before_the_start_is_over_is_the_starts_own_deadline() {
    let folder = tempfile::tempdir().unwrap();
    let options = options(
        folder.path(),
        &Script::new([Step::expect_request("initialize"), Step::Hang]),
    );
    let builder = Session::builder(options).stall_timeout(Duration::from_millis(500));
    let builder = builder.initialize_timeout(Duration::from_secs(2));
    let error = soon(builder.connect()).await.unwrap_err();
    assert!(error.is_timeout(), "{error}");
}

#[tokio::test]
async fn a_tool_that_gives_signs_of_life_is_not_silent() {
    let heartbeat = Step::Line(
        json!({"type": "tool_progress", "tool_use_id": "t-heartbeat-0", "tool_name": "Bash",
        "parent_tool_use_id": "t", "elapsed_time_seconds": 30, "heartbeat": true,
        "uuid": "$uuid", "session_id": "$session_id"}),
    );
    // Forty words, one each 300 ms, and a heartbeat between them: longer than may be silent.
    let words = Block::text("word ".repeat(10));
    let turn = Step::Turn(vec![Step::repeat(4, [Step::message([words]), heartbeat])]);
    let mut script = Script::new([turn]);
    script.pace_ms = 300;
    let folder = tempfile::tempdir().unwrap();
    let builder = Session::builder(options(folder.path(), &script)).stall_timeout(SILENCE);
    let session = soon(builder.connect()).await.unwrap();
    let begun = std::time::Instant::now();
    soon(session.ask("Go")).await.unwrap();
    assert!(
        begun.elapsed() > 2 * SILENCE,
        "it took {:?}",
        begun.elapsed()
    );
    soon(session.close()).await.unwrap();
}

//! The end of a server: its processes end before it does.

use std::time::Duration;

use claw_testkit::Block;
use claw_testkit::agent::{Script, Step};
use serde_json::Value;
use tokio::net::TcpListener;
use tokio::sync::oneshot;

use crate::client::{Running, soon};

/// Answers a prompt. When it is to end, it waits at the gate `written`, as a CLI that still has to write its transcript.
fn slow_to_end() -> Script {
    Script::new([
        Step::Turn(vec![Step::message([Block::text("Hi.")])]),
        Step::expect_request("end_session"),
        Step::Gate("written".to_owned()),
        Step::Exit(0),
    ])
}

/// A server with such a process, which has answered a prompt.
async fn answered() -> (Running, String) {
    let running = Running::start(slow_to_end()).await;
    let session = running.session().await;
    let mut events = running.events(&session, None).await;
    running.prompt(&session, "Hello").await;
    let is_over = |state: &Value| state["phase"] == "idle" && state["costUsd"] != 0.0;
    events.until("state", is_over).await;
    (running, session)
}

/// The server ends when its process does, and not before.
async fn ends_after_its_process(mut running: Running) {
    running.stop();
    soon(running.agent.gates().reached("written")).await;
    let early = tokio::time::timeout(Duration::from_millis(500), running.ended()).await;
    assert!(early.is_err(), "it left its process behind");
    running.agent.gates().open("written");
    soon(running.ended()).await;
}

#[tokio::test]
async fn a_server_waits_for_what_claude_has_to_write() {
    let (running, _) = answered().await;
    ends_after_its_process(running).await;
}

#[tokio::test]
async fn a_session_that_was_closed_a_moment_ago_is_waited_for_too() {
    let (running, session) = answered().await;
    let close = format!("/api/sessions/{session}/close");
    assert_eq!(running.ask("POST", &close, &Value::Null).await.status, 204);
    soon(running.agent.gates().reached("written")).await;
    ends_after_its_process(running).await;
}

#[tokio::test]
async fn a_program_with_a_router_of_its_own_ends_its_sessions_itself() {
    let (mut running, session) = answered().await;
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    running.address = listener.local_addr().unwrap();
    let server = running.server.clone();
    let (stop, stopped) = oneshot::channel::<()>();
    let shutdown = async move {
        let _ = stopped.await;
        server.end(Duration::from_secs(20)).await;
    };
    let router = running.server.router();
    let mut serving = tokio::spawn(async move {
        let serving = axum::serve(listener, router);
        serving.with_graceful_shutdown(shutdown).await
    });
    let mut events = running.events(&session, None).await;
    drop(stop);
    // A viewer holds nothing up.
    events.until("closed", |_| true).await;
    soon(running.agent.gates().reached("written")).await;
    let early = tokio::time::timeout(Duration::from_millis(500), &mut serving).await;
    assert!(early.is_err(), "it left its process behind");
    running.agent.gates().open("written");
    soon(serving).await.unwrap().unwrap();
    running.end().await;
}

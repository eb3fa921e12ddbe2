//! What goes on, and what does not, while a `current_thread` runtime is not polled.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use claw_client::types::QueryOptions;
use claw_client::types::control::PermissionResult;
use claw_client::{Session, ToolPermissionRequest};
use claw_testkit::agent::{Script, Step};
use claw_testkit::{Block, Gates};
use futures::FutureExt;
use serde_json::json;
use tokio::runtime::{Builder, Runtime};

use crate::agent::soon;
use crate::proc::{marked, wait_until};
use crate::process::options;

fn runtime() -> Runtime {
    Builder::new_current_thread().enable_all().build().unwrap()
}

/// The agent in a process of its own, so that it goes on while nothing here does.
fn gated(folder: &Path, steps: Vec<Step>) -> (QueryOptions, Gates) {
    let mut options = options(folder, &Script::new(steps));
    let env = options.env.get_or_insert_default();
    env.insert("CLAW_AGENT_GATES", Some(folder.display().to_string()));
    (options, Gates::in_folder(folder))
}

/// Waits for the agent, and lets nothing of claw's go on meanwhile.
fn without_a_poll(gates: &Gates, name: &str) {
    runtime().block_on(soon(gates.reached(name)));
}

#[test]
fn a_callback_runs_when_the_runtime_is_polled_again() {
    let folder = tempfile::tempdir().unwrap();
    let question = json!({
        "type": "control_request", "request_id": "asked",
        "request": {"subtype": "can_use_tool", "tool_name": "Bash", "tool_use_id": "toolu_0001",
            "input": {"command": "true"}}
    });
    let (options, gates) = gated(
        folder.path(),
        vec![Step::Turn(vec![
            Step::message([Block::text("I look.")]),
            Step::gate("before"),
            Step::Line(question),
            Step::gate("asked"),
        ])],
    );
    let asked = Arc::new(AtomicUsize::new(0));
    let count = asked.clone();
    let runtime = runtime();
    let turn = runtime.block_on(async {
        let builder = Session::builder(options).can_use_tool(move |_: ToolPermissionRequest| {
            count.fetch_add(1, Ordering::SeqCst);
            async { PermissionResult::allow() }
        });
        let session = soon(builder.connect()).await.unwrap();
        let turn = session.send("Go").await.unwrap();
        soon(gates.reached("before")).await;
        turn
    });
    gates.open("before");
    without_a_poll(&gates, "asked");
    // It stands in the pipe.
    assert_eq!(asked.load(Ordering::SeqCst), 0);
    let called = async {
        while asked.load(Ordering::SeqCst) == 0 {
            tokio::task::yield_now().await;
        }
    };
    runtime.block_on(soon(called));
    gates.open("asked");
    let result = runtime.block_on(soon(turn.result())).unwrap();
    assert!(!result.is_error());
}

#[test]
fn an_answer_that_came_in_time_counts_although_nobody_polled() {
    const LIMIT: Duration = Duration::from_secs(5);
    let folder = tempfile::tempdir().unwrap();
    let (options, gates) = gated(
        folder.path(),
        vec![
            Step::expect_request("set_model"),
            Step::gate("got"),
            Step::Reply(json!({"model": "opus"})),
            Step::gate("answered"),
        ],
    );
    let runtime = runtime();
    let session = runtime.block_on(soon(Session::builder(options).connect()));
    let mut call = Box::pin(session.unwrap().set_model("opus").timeout(LIMIT));
    runtime.block_on(async {
        assert!(call.as_mut().now_or_never().is_none());
        soon(gates.reached("got")).await;
    });
    // The call started earlier, so its timeout has elapsed at this time.
    let over = Instant::now() + LIMIT + LIMIT / 10;
    gates.open("got");
    without_a_poll(&gates, "answered");
    thread::sleep(over.saturating_duration_since(Instant::now()));
    runtime.block_on(soon(call)).unwrap();
}

#[test]
fn a_drop_ends_the_process_without_a_poll() {
    let folder = tempfile::tempdir().unwrap();
    let (options, _) = gated(folder.path(), Vec::new());
    let mark = format!("CLAW_AGENT_GATES={}", folder.path().display());
    let runtime = runtime();
    let session = runtime.block_on(soon(Session::builder(options).connect()));
    wait_until("the process", || marked(&mark).len() == 1);
    drop(session);
    wait_until("the end of the process", || marked(&mark).is_empty());
    drop(runtime);
}

//! A permission request that waits without a process, and is answered on another host.

use std::future::pending;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use claw_client::store::{
    DeferredAnswer, Leases, MemoryStore, StoreOptions, StoredSessions, can_defer, defer,
};
use claw_client::types::{Json, Message};
use claw_client::{PermissionResult, Session};
use claw_testkit::api::{Api, scenarios};
use futures::TryStreamExt as _;
use serde_json::Value;
use tokio::sync::mpsc;

use super::cli::Cli;
use super::stores::PROJECT;
use crate::agent::soon;

fn host(store: &Arc<MemoryStore>) -> (StoreOptions, Leases) {
    let options = StoreOptions::from(store.clone()).project(PROJECT);
    let leases = Leases::new(&options);
    (options.leases(leases.clone()), leases)
}

/// An input, with a path within the folder of a host as the path from there.
fn within(host: &Cli, input: &Json) -> Value {
    let mut input = input.to_value().unwrap();
    let path = input["file_path"].as_str().map(Path::new);
    if let Some(path) = path.and_then(|path| path.strip_prefix(host.folder()).ok()) {
        input["file_path"] = path.display().to_string().into();
    }
    input
}

async fn is_answered_on_another_host(result: PermissionResult) {
    // Claude Code has Bash on Windows only where Git Bash is.
    let scenario = if cfg!(unix) {
        scenarios::bash()
    } else {
        scenarios::write()
    };
    let api = Api::start(scenario).await.unwrap();
    let store = Arc::new(MemoryStore::new());
    let stored = StoredSessions::new(store.clone());
    let (one, other) = (Cli::new(&api), Cli::new(&api));
    let (options, leases) = host(&store);
    let (asks, mut asked) = mpsc::unbounded_channel();
    let session = Session::builder(one.options())
        .can_use_tool(move |request| {
            asks.send(request.body).unwrap();
            pending::<PermissionResult>()
        })
        .store(options)
        .connect();
    let session = soon(session).await.unwrap();
    let turn = session.send("Write hello.").await.unwrap();
    let request = soon(asked.recv()).await.unwrap();
    let of = session.mirror().unwrap().session();
    let lease = leases.claim(&of).await.unwrap();
    assert!(soon(can_defer(&session, &lease, &request)).await.unwrap());
    let deferred = soon(defer(&session, &lease, "r-1", &request))
        .await
        .unwrap();
    assert!(deferred.is_waiting(lease.epoch()));
    assert!(session.process().exit().is_some(), "it has no process");
    soon(turn.result()).await.unwrap_err();
    drop((lease, session));
    soon(leases.released(Duration::from_secs(5))).await;

    let (options, leases) = host(&store);
    let lease = leases.claim(&of).await.unwrap();
    let waits = stored.deferred(&of).await.unwrap();
    assert_eq!(waits, [deferred]);
    for (name, counts) in [("Ada", "Ada"), ("Bob", "Ada")] {
        let answer = DeferredAnswer::new(name, "decided", lease.epoch());
        let first = stored.answer_deferred(&of, "r-1", answer).await.unwrap();
        assert_eq!(first.by, counts);
    }
    let answered = stored.deferred(&of).await.unwrap();
    assert!(!answered[0].is_waiting(lease.epoch()));
    let (asks, mut asked) = mpsc::unbounded_channel();
    let answer = result.clone();
    let session = Session::builder(other.options().resume(of.session()))
        .can_use_tool(move |request| {
            asks.send(request.body).unwrap();
            let answer = answer.clone();
            async { answer }
        })
        .store(options)
        .connect();
    let session = soon(session).await.unwrap();
    let again = soon(asked.recv()).await.unwrap();
    assert_eq!(
        (
            again.tool_use_id,
            again.tool_name,
            within(&other, &again.input)
        ),
        (
            request.tool_use_id,
            request.tool_name,
            within(&one, &request.input)
        )
    );
    let mut messages = session.messages().unwrap();
    let ended = async {
        while let Some(message) = messages.try_next().await.unwrap() {
            if let Some(Message::ResultSuccess(_)) = message.message() {
                return;
            }
        }
        panic!("the turn has no result");
    };
    soon(ended).await;
    let told = api.requests().last().unwrap().body.to_string();
    let is_allowed = matches!(result, PermissionResult::Allow(_));
    assert_eq!(told.contains("No, says Ada."), !is_allowed, "{told}");
    let written = other.folder().join("work/greeting.txt");
    assert_eq!(written.exists(), is_allowed);
    assert!(!one.folder().join("work/greeting.txt").exists());
    soon(session.close()).await.unwrap();
    assert!(stored.deferred(&of).await.unwrap()[0].has_continued);
}

#[tokio::test]
async fn a_deferred_tool_runs_on_the_host_where_it_is_allowed() {
    is_answered_on_another_host(PermissionResult::allow()).await;
}

#[tokio::test]
async fn a_deferred_tool_that_is_denied_does_not_run() {
    is_answered_on_another_host(PermissionResult::deny("No, says Ada.")).await;
}

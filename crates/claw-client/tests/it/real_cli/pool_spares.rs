//! Spares of a pool on the real CLI. CI runs this on the pinned version and on the oldest.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use claw_client::hook::PreToolUse;
use claw_client::pool::{Pool, PoolStats};
use claw_client::types::control::{GetContextUsage, PermissionResult};
use claw_client::types::hook::SyncHookOutput;
use claw_client::types::options::PermissionMode;
use claw_client::{QueryOptions, Session, SessionBuilder};
use claw_testkit::api::Api;
use serde_json::json;

use super::cli::Cli;
use super::decisions::{says, scenario, uses, writes_outside};
use super::pool::end_all;
use crate::agent::soon;
use crate::proc::come_true;

fn asking(options: QueryOptions) -> SessionBuilder {
    Session::builder(options).can_use_tool(|_| async { PermissionResult::deny("a spare") })
}

async fn reaches(pool: &Pool, what: &str, is_so: impl Fn(PoolStats) -> bool) {
    come_true(what, || is_so(pool.stats())).await;
}

fn rules(folder: &Path) -> serde_json::Value {
    json!([
        {"when": {"prompt": "Say"}, "answer": says("Yes.")},
        {"when": {"tool_result": ""}, "answer": says("Done.")},
        {"answer": writes_outside(folder)}
    ])
}

#[tokio::test]
async fn a_session_has_its_own_callbacks_model_mode_and_title_in_a_spare() {
    let folder = tempfile::tempdir().unwrap();
    let api = Api::start(scenario(&rules(folder.path()))).await.unwrap();
    let cli = Cli::in_folder(&api, folder.path());
    let pool = Pool::builder()
        .processes(3)
        .spares(1, cli.options(), asking)
        .build();
    reaches(&pool, "a spare", |stats| stats.spares == 1).await;
    let asked = Arc::new(AtomicUsize::new(0));
    let asks = asked.clone();
    let options = cli
        .options()
        .model("claude-haiku-4-5")
        .permission_mode(PermissionMode::AcceptEdits)
        .title("A title of mine");
    let session = pool.session(options, move |options| {
        let asks = asks.clone();
        Session::builder(options).can_use_tool(move |_| {
            asks.fetch_add(1, Ordering::Relaxed);
            async { PermissionResult::allow() }
        })
    });
    assert_eq!(soon(session.ask("Make it")).await.unwrap(), "Done.");
    let stats = pool.stats();
    assert_eq!((stats.claims, stats.starts), (1, 0), "{stats:?}");
    assert_eq!(asked.load(Ordering::Relaxed), 1);
    let requests = api.requests();
    let last = requests.iter().rev().find(|request| {
        request.is_message() && request.body["messages"].to_string().contains("Make it")
    });
    assert_eq!(last.unwrap().body["model"], "claude-haiku-4-5");
    let usage = soon(session.call(GetContextUsage::new())).await.unwrap();
    assert!(usage.model.contains("haiku"), "{usage:?}");
    // The session's file has the spare's id, which is the session's, and the title.
    let id = session.id().clone();
    end_all((session, pool), &cli).await;
    let projects = std::fs::read_dir(cli.home().join(".claude/projects")).unwrap();
    let file = projects
        .flatten()
        .map(|project| project.path().join(format!("{id}.jsonl")))
        .find(|file| file.is_file());
    let text = std::fs::read_to_string(file.unwrap()).unwrap();
    assert!(text.contains("A title of mine"), "{text}");
}

/// Hooks are registered by the second `initialize`. The oldest CLI does not do that: then the session gets a process of
/// its own, and no session with hooks tries again.
#[tokio::test]
async fn hooks_are_called_whatever_the_cli_makes_of_a_second_initialize() {
    let folder = tempfile::tempdir().unwrap();
    let api = Api::start(scenario(&rules(folder.path()))).await.unwrap();
    let cli = Cli::in_folder(&api, folder.path());
    let pool = Pool::builder()
        .processes(4)
        .spares(1, cli.options(), asking)
        .build();
    for round in 1..=2 {
        reaches(&pool, "a spare", |stats| stats.spares == 1).await;
        let hooked = Arc::new(AtomicUsize::new(0));
        let hooks = hooked.clone();
        let session = pool.session(cli.options(), move |options| {
            let hooks = hooks.clone();
            Session::builder(options)
                .can_use_tool(|_| async { PermissionResult::allow() })
                .hook::<PreToolUse>("Write", move |_, _| {
                    hooks.fetch_add(1, Ordering::Relaxed);
                    async { SyncHookOutput::new() }
                })
        });
        assert_eq!(soon(session.ask("Make it")).await.unwrap(), "Done.");
        assert_eq!(hooked.load(Ordering::Relaxed), 1);
        // What is there has to be read before it is written.
        std::fs::remove_file(folder.path().join("outside.txt")).unwrap();
        let stats = pool.stats();
        let spares = (stats.claims, stats.fallbacks, stats.starts);
        assert!(
            spares == (round, 0, 0) || spares == (0, 1, round),
            "{stats:?}"
        );
    }
    end_all(pool, &cli).await;
}

#[tokio::test]
async fn a_spare_that_is_killed_is_replaced_and_the_next_one_works() {
    let folder = tempfile::tempdir().unwrap();
    let api = Api::start(scenario(&rules(folder.path()))).await.unwrap();
    let cli = Cli::in_folder(&api, folder.path());
    let pool = Pool::builder()
        .processes(2)
        .spares(1, cli.options(), Session::builder)
        .build();
    reaches(&pool, "a spare", |stats| stats.spares == 1).await;
    let home = format!("HOME={}", cli.home().display());
    for pid in crate::proc::marked(&home) {
        // It may have started something that ended with it.
        let _ = claw_testkit::processes::kill(pid);
    }
    reaches(&pool, "its end", |stats| stats.spare_failures == 1).await;
    reaches(&pool, "another", |stats| stats.spares == 1).await;
    let session = pool.session(cli.options(), Session::builder);
    assert_eq!(soon(session.ask("Say")).await.unwrap(), "Yes.");
    let stats = pool.stats();
    assert_eq!((stats.claims, stats.starts), (1, 0), "{stats:?}");
    end_all((session, pool), &cli).await;
}

#[cfg(feature = "mcp")]
#[tokio::test]
async fn an_mcp_server_of_the_session_works_in_the_first_turn_of_a_spare() {
    use crate::mcp::server::Bench;
    let rules = json!([
        {"when": {"tool_result": ""}, "answer": says("Done.")},
        {"answer": uses("mcp__bench__add", &json!({"a": 1, "b": 2}))}
    ]);
    let api = Api::start(scenario(&rules)).await.unwrap();
    let cli = Cli::new(&api);
    let pool = Pool::builder()
        .processes(2)
        .spares(1, cli.options(), asking)
        .build();
    reaches(&pool, "a spare", |stats| stats.spares == 1).await;
    let (bench, mut called) = Bench::new();
    let session = pool.session(cli.options(), move |options| {
        Session::builder(options)
            .can_use_tool(|_| async { PermissionResult::allow() })
            .mcp_server("bench", bench.clone())
    });
    assert_eq!(soon(session.ask("What is 1 + 2?")).await.unwrap(), "Done.");
    assert_eq!(soon(called.recv()).await.unwrap(), "add");
    assert_eq!(pool.stats().claims, 1);
    end_all((session, pool), &cli).await;
}

//! Sessions of a pool on the real CLI: what was there before a process ended is there in the next one.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use claw_client::hook::PreToolUse;
use claw_client::pool::Pool;
use claw_client::types::control::{GetContextUsage, PermissionResult};
use claw_client::types::hook::SyncHookOutput;
use claw_client::types::options::PermissionMode;
use claw_client::{QueryOptions, Session};
use claw_testkit::api::{Api, ApiRequest};
use futures::future;
use serde_json::json;

use super::cli::Cli;
use super::decisions::{says, scenario, uses, writes_outside};
use super::leftovers::mark;
use super::shells::none_left_soon;
use crate::agent::soon;
use crate::proc::marked;

/// The prompts of a conversation, as the model reads it.
fn prompts(request: &ApiRequest) -> String {
    request.body["messages"].to_string()
}

/// Ends the processes of a pool by dropping it, with its sessions. Windows removes no folder in which a process works, and
/// the end of a test would wait for ever to remove it, because the pool's tasks do not run meanwhile.
pub(super) async fn end_all<T>(pool_and_sessions: T, cli: &Cli) {
    drop(pool_and_sessions);
    none_left_soon(cli).await;
}

/// Ends the session's process by giving its place to another session.
async fn evict(pool: &Pool, options: QueryOptions, session: &claw_client::pool::PooledSession) {
    assert!(session.is_live());
    let other = pool.session(options, Session::builder);
    soon(other.ask("Somebody else")).await.unwrap();
    assert!(!session.is_live());
}

#[tokio::test]
async fn twelve_conversations_on_three_processes() {
    let rules = json!([{"answer": says("Yes.")}]);
    let api = Api::start(scenario(&rules)).await.unwrap();
    let cli = Cli::new(&api);
    let pool = Pool::builder().processes(3).build();
    let conversations = (0..12).map(|number| {
        let session = pool.session(cli.options(), Session::builder);
        async move {
            for turn in ["first", "second"] {
                let prompt = format!("Prompt {number}, the {turn}.");
                let asked =
                    tokio::time::timeout(std::time::Duration::from_mins(4), session.ask(prompt))
                        .await;
                assert_eq!(asked.expect("it takes too long").unwrap(), "Yes.");
            }
            session
        }
    });
    let sessions = future::join_all(conversations).await;
    let requests = api.requests();
    for number in 0..12 {
        let second = format!("Prompt {number}, the second.");
        let request = requests
            .iter()
            .find(|request| prompts(request).contains(&second));
        let conversation = prompts(request.expect("the model was asked"));
        assert!(
            conversation.contains(&format!("Prompt {number}, the first.")),
            "{conversation}"
        );
    }
    let stats = pool.stats();
    assert!(stats.starts > 12 && stats.evictions >= 9, "{stats:?}");
    assert_eq!(
        (stats.crashes, stats.failed_starts, stats.refused),
        (0, 0, 0)
    );
    end_all((sessions, pool), &cli).await;
}

#[tokio::test]
async fn callbacks_hooks_model_and_mode_are_there_again() {
    let folder = tempfile::tempdir().unwrap();
    let rules = json!([
        {"when": {"prompt": "Somebody else"}, "answer": says("Me.")},
        {"when": {"prompt": "Before"}, "answer": says("Before.")},
        {"when": {"tool_result": ""}, "answer": says("Done.")},
        {"answer": writes_outside(folder.path())}
    ]);
    let api = Api::start(scenario(&rules)).await.unwrap();
    let cli = Cli::in_folder(&api, folder.path());
    let pool = Pool::builder().processes(1).build();
    let (asked, hooked) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let (asks, hooks) = (asked.clone(), hooked.clone());
    let session = pool.session(cli.options(), move |options| {
        let (asks, hooks) = (asks.clone(), hooks.clone());
        Session::builder(options)
            .can_use_tool(move |_| {
                asks.fetch_add(1, Ordering::Relaxed);
                async { PermissionResult::allow() }
            })
            .hook::<PreToolUse>("Write", move |_, _| {
                hooks.fetch_add(1, Ordering::Relaxed);
                async { SyncHookOutput::new() }
            })
    });
    soon(session.ask("Before")).await.unwrap();
    soon(session.set_model("claude-haiku-4-5")).await.unwrap();
    soon(session.set_permission_mode(PermissionMode::AcceptEdits))
        .await
        .unwrap();
    evict(&pool, cli.options(), &session).await;
    assert_eq!(soon(session.ask("Make it")).await.unwrap(), "Done.");
    assert_eq!(
        (
            asked.load(Ordering::Relaxed),
            hooked.load(Ordering::Relaxed)
        ),
        (1, 1)
    );
    let requests = api.requests();
    let last = requests
        .iter()
        .rev()
        .find(|request| prompts(request).contains("Make it"))
        .unwrap();
    assert!(prompts(last).contains("Before"), "the conversation went on");
    assert_eq!(last.body["model"], "claude-haiku-4-5");
    let usage = soon(session.call(GetContextUsage::new())).await.unwrap();
    assert!(usage.model.contains("haiku"), "{usage:?}");
    // The mode that holds is asked for when the process ends, and set in the next.
    evict(&pool, cli.options(), &session).await;
    let again = soon(session.call(claw_client::types::control::Initialize::new()))
        .await
        .unwrap();
    assert_eq!(
        again.current_permission_mode,
        Some(PermissionMode::AcceptEdits)
    );
    end_all((session, pool), &cli).await;
}

#[tokio::test]
async fn a_process_that_is_killed_in_mid_turn_is_resumed_by_the_next_prompt() {
    let rules = json!([
        {"when": {"prompt": "Slow"}, "answer": {"message": [{"type": "text", "text": "Late.", "hold": [{"before": 0, "gate": "late"}]}]}},
        {"answer": says("Here.")}
    ]);
    let api = Api::start(scenario(&rules)).await.unwrap();
    let cli = Cli::new(&api);
    let pool = Pool::builder().processes(2).build();
    let session = pool.session(cli.options(), Session::builder);
    assert_eq!(soon(session.ask("One")).await.unwrap(), "Here.");
    let turn = soon(session.send("Slow")).await.unwrap();
    soon(api.received(|request| request.is_message() && prompts(request).contains("Slow"))).await;
    turn.session().unwrap().process().kill();
    let error = soon(turn.result()).await.unwrap_err();
    assert!(error.is_exited(), "{error}");
    assert_eq!(soon(session.ask("Two")).await.unwrap(), "Here.");
    let requests = api.requests();
    let last = requests
        .iter()
        .rev()
        .find(|request| prompts(request).contains("Two"))
        .unwrap();
    assert!(prompts(last).contains("One"), "{}", prompts(last));
    end_all((session, pool), &cli).await;
}

/// A server of rmcp in this process is built again with the session, and serves the next process.
#[cfg(feature = "mcp")]
#[tokio::test]
async fn an_mcp_server_in_this_process_works_in_the_next_process() {
    use crate::mcp::server::Bench;
    let rules = json!([
        {"when": {"prompt": "Somebody else"}, "answer": says("Me.")},
        {"when": {"tool_result": ""}, "answer": says("Done.")},
        {"answer": uses("mcp__bench__add", &json!({"a": 1, "b": 2}))}
    ]);
    let api = Api::start(scenario(&rules)).await.unwrap();
    let cli = Cli::new(&api);
    let pool = Pool::builder().processes(1).build();
    let (bench, mut called) = Bench::new();
    let session = pool.session(cli.options(), move |options| {
        Session::builder(options)
            .can_use_tool(|_| async { PermissionResult::allow() })
            .mcp_server("bench", bench.clone())
    });
    for prompt in ["What is 1 + 2?", "And again?"] {
        assert_eq!(soon(session.ask(prompt)).await.unwrap(), "Done.");
        assert_eq!(soon(called.recv()).await.unwrap(), "add");
        evict(&pool, cli.options(), &session).await;
    }
    let requests = api.requests();
    let second = requests
        .iter()
        .find(|request| prompts(request).contains("And again?"));
    let conversation = prompts(second.expect("the model was asked"));
    assert!(conversation.contains("The sum is 3"), "{conversation}");
    end_all((session, pool), &cli).await;
}

/// Two sessions share one process. Each prompt of one evicts the other, and the other's next prompt comes at some
/// moment of that: before, while its process ends, while the new one starts.
#[tokio::test]
async fn a_prompt_in_the_moment_of_an_eviction_is_answered_once() {
    // Under wine a start of the CLI takes five times as long.
    const TRIES: u64 = if cfg!(windows) { 4 } else { 12 };
    // Two pools at once, because each waits for starts of the CLI most of the time.
    let seeds = [0x2545_f491_4f6c_dd1d, 0x9e37_79b9_7f4a_7c15];
    future::join_all(seeds.map(|seed| prompts_meet_evictions(TRIES, seed))).await;
}

async fn prompts_meet_evictions(tries: u64, mut random: u64) {
    let api = Api::start(scenario(&json!([{"answer": says("Yes.")}])))
        .await
        .unwrap();
    let cli = Cli::new(&api);
    let pool = Pool::builder().processes(1).build();
    let first = pool.session(cli.options(), Session::builder);
    let second = pool.session(cli.options(), Session::builder);
    soon(first.ask("First, 0.")).await.unwrap();
    for number in 1..=tries {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        let later = std::time::Duration::from_millis(random % 1_500);
        let evicts = second.ask(format!("Second, {number}."));
        let meets = async {
            tokio::time::sleep(later).await;
            first.ask(format!("First, {number}.")).await
        };
        let (evicted, met) = soon(future::join(evicts, meets)).await;
        assert_eq!(
            (evicted.unwrap().as_str(), met.unwrap().as_str()),
            ("Yes.", "Yes.")
        );
    }
    let stats = pool.stats();
    assert!(stats.evictions > tries, "{stats:?}");
    assert_eq!(
        (stats.crashes, stats.failed_starts, stats.refused),
        (0, 0, 0)
    );
    // The last conversation has every prompt of its session once.
    for (name, session) in [("First", &first), ("Second", &second)] {
        soon(session.ask(format!("{name}, the last.")))
            .await
            .unwrap();
        let requests = api.requests();
        let last = requests
            .iter()
            .rev()
            .find(|request| prompts(request).contains(&format!("{name}, the last.")));
        let conversation = prompts(last.unwrap());
        for number in 1..=tries {
            let prompt = format!("{name}, {number}.");
            assert_eq!(
                conversation.matches(&prompt).count(),
                1,
                "{prompt} {conversation}"
            );
        }
    }
    end_all((first, second, pool), &cli).await;
}

/// As one without a pool does, on a CLI that works on an answer which never comes.
#[tokio::test]
async fn a_session_ends_in_the_middle_of_a_turn_that_nobody_hears() {
    let rules = json!([
        {"answer": {"message": [{"type": "text", "text": "Late.", "hold": [{"before": 0, "gate": "late"}]}]}}
    ]);
    for is_dropped in [true, false] {
        let api = Api::start(scenario(&rules)).await.unwrap();
        let cli = Cli::new(&api);
        let pool = Pool::builder().build();
        let session = pool.session(cli.options(), Session::builder);
        let mut ask = Box::pin(session.ask("Slow"));
        tokio::select! {
            answer = &mut ask => panic!("{answer:?}"),
            _ = soon(api.received(|request| request.is_message() && prompts(request).contains("Slow"))) => {}
        }
        drop(ask);
        assert_eq!(pool.stats().running, 1);
        if is_dropped {
            drop(session);
            assert_eq!(pool.stats().ending, 1);
            soon(pool.wait_for_endings()).await;
        } else {
            soon(session.end_process()).await;
            soon(pool.wait_for_endings()).await;
        }
        assert_eq!(pool.stats().crashes, 0);
        assert!(marked(&mark(&cli)).is_empty());
    }
}

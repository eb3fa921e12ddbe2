//! Hook events that take some doing, on the real CLI.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

use claw_client::Session;
use claw_client::hook::{
    InstructionsLoaded, PostCompact, PostModelSwitch, PreCompact, PreModelSwitch, StopFailure,
    TaskCompleted, TaskCreated, UserPromptExpansion, WorktreeCreate, WorktreeRemove,
};
use claw_client::types::control::PermissionResult;
use claw_client::types::hook::WorktreeCreateOutput;
use claw_testkit::api::Api;
use serde_json::json;

use super::decisions::{says, scenario, uses};
use super::{cli::Cli, patience};
use crate::agent::soon;

/// Registers hooks that note that they were called.
macro_rules! noted {
    ($builder:expr, $seen:expr, $($event:ident)+) => {
        $builder$(.hook::<$event>("", {
            let seen = Arc::clone(&$seen);
            move |_, _| {
                seen.lock().unwrap().insert(stringify!($event));
                async {}
            }
        }))+
    };
}

/// A prompt that is expanded, an API error, tasks that are kept, a conversation that is compacted,
/// another model, instructions that are read.
#[tokio::test]
async fn the_rarer_events_are_heard() {
    let api = Api::start(scenario(&json!([
        {"when": {"prompt": "summary"}, "answer": says("<summary>They said hello.</summary>")},
        {"when": {"prompt": "Fail"}, "answer": {"error":
            {"status": 400, "kind": "invalid_request_error", "message": "No."}}},
        {"when": {"prompt": "List", "tool_result": "Updated task"}, "answer": says("Kept.")},
        {"when": {"prompt": "List", "tool_result": "created"},
            "answer": uses("TaskUpdate", &json!({"taskId": "1", "status": "completed"}))},
        {"when": {"prompt": "List"}, "answer": uses("TaskCreate", &json!(
            {"subject": "Do it", "description": "All of it", "activeForm": "Doing it"}))},
        {"answer": says("Hello.")}
    ])))
    .await
    .unwrap();
    let cli = Cli::new(&api);
    let work = cli.folder().join("work");
    std::fs::create_dir_all(work.join(".claude/commands")).unwrap();
    std::fs::write(
        work.join(".claude/commands/greet.md"),
        "Say hello to $ARGUMENTS.\n",
    )
    .unwrap();
    std::fs::write(work.join("CLAUDE.md"), "Be brief.\n").unwrap();
    let tools = ["Bash", "TaskCreate", "TaskUpdate"].map(str::to_owned);
    let mut options = cli.options().tools(tools.to_vec());
    let env = options.env.get_or_insert_default();
    env.insert("CLAUDE_CODE_ENABLE_TASKS", Some("1".to_owned()));
    let seen = Arc::new(Mutex::new(BTreeSet::new()));
    let builder = Session::builder(options);
    let builder = builder.can_use_tool(|_| async { PermissionResult::allow() });
    let builder = noted!(builder, seen, InstructionsLoaded UserPromptExpansion StopFailure
        TaskCreated TaskCompleted PreCompact PostCompact PreModelSwitch PostModelSwitch);
    let session = soon(builder.connect()).await.unwrap();
    for prompt in ["/greet Ada", "Fail, please.", "List it.", "/compact"] {
        let turn = session.send(prompt).await.unwrap();
        soon(turn.result()).await.unwrap();
    }
    soon(session.set_model("claude-sonnet-5")).await.unwrap();
    soon(session.ask("Hello?")).await.unwrap();
    soon(session.close_with(patience())).await.unwrap();
    let expected = [
        "InstructionsLoaded",
        "PostCompact",
        "PostModelSwitch",
        "PreCompact",
        "PreModelSwitch",
        "StopFailure",
        "TaskCompleted",
        "TaskCreated",
        "UserPromptExpansion",
    ];
    let seen: Vec<_> = seen.lock().unwrap().iter().copied().collect();
    assert_eq!(seen, expected);
}

/// A hook says which folder a worktree is, and hears when it goes.
#[tokio::test]
async fn a_worktree_is_made_and_removed_by_hooks() {
    let api = Api::start(scenario(&json!([
        {"when": {"tool_result": "xited"}, "answer": says("Back.")},
        {"when": {"tool_result": ""}, "answer": uses("ExitWorktree",
            &json!({"action": "remove", "discard_changes": true}))},
        {"answer": uses("EnterWorktree", &json!({"name": "aside"}))}
    ])))
    .await
    .unwrap();
    let cli = Cli::new(&api);
    let aside = cli.folder().join("aside");
    std::fs::create_dir_all(&aside).unwrap();
    let made = aside.display().to_string();
    let removed = Arc::new(Mutex::new(Vec::new()));
    let heard = Arc::clone(&removed);
    let builder = Session::builder(cli.options())
        .can_use_tool(|_| async { PermissionResult::allow() })
        .hook::<WorktreeCreate>("", move |_, _| {
            let made = made.clone();
            async move { WorktreeCreateOutput::new(made) }
        })
        .hook::<WorktreeRemove>("", move |input, _| {
            heard.lock().unwrap().push(input.worktree_path);
            async {}
        });
    let session = soon(builder.connect()).await.unwrap();
    assert_eq!(soon(session.ask("Work aside.")).await.unwrap(), "Back.");
    soon(session.close_with(patience())).await.unwrap();
    assert_eq!(removed.lock().unwrap()[..], [aside.display().to_string()]);
}

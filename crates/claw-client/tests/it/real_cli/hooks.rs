//! Hooks that are closures, on the real CLI.

use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use claw_client::hook::{
    HookFor, MessageDisplay, PermissionRequest, PostToolBatch, PostToolUse, PostToolUseFailure,
    PreSkillShellCommand, PreToolUse, SessionEnd, SessionStart, Stop, SubagentStart, SubagentStop,
    UserPromptSubmit,
};
use claw_client::types::Message;
use claw_client::types::control::{
    PermissionAllow, PermissionDeny, PermissionResult, PermissionUpdate,
};
use claw_client::types::hook::{
    HookDecision, HookPermissionDecision, PreSkillShellCommandInput, PreSkillShellCommandOutput,
    PreToolUseOutput, SkillInvoker, SyncHookOutput,
};
use claw_client::types::tool::QuestionKind;
use claw_client::types::{Json, QueryOptions};
use claw_client::{NamedCall, Session, SessionBuilder};
use claw_testkit::api::{Api, Scenario, scenarios};
use serde_json::json;

use super::decisions::{says, uses};
use super::{cli::Cli, patience};
use crate::agent::{all, soon};

fn scenario(rules: &serde_json::Value) -> Scenario {
    serde_json::from_value(json!({"name": "hooks", "rules": rules})).unwrap()
}

/// One call of a tool, then a text.
fn calls(tool: &str, input: &serde_json::Value) -> Scenario {
    scenario(&json!([
        {"when": {"tool_result": ""}, "answer": says("Done.")},
        {"answer": uses(tool, input)}
    ]))
}

/// A call that writes a file.
fn write(file: &str) -> Scenario {
    calls("Write", &file_input(file))
}

fn file_input(file: &str) -> serde_json::Value {
    json!({"file_path": file, "content": "words\n"})
}

/// One turn, and all its messages.
async fn turn(
    scenario: Scenario,
    build: impl FnOnce(QueryOptions) -> SessionBuilder,
) -> (Vec<Message>, tempfile::TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let api = Api::start(scenario).await.unwrap();
    let cli = Cli::in_folder(&api, folder.path());
    let session = soon(build(cli.options()).connect()).await.unwrap();
    let turn = session.send("Go").await.unwrap();
    let messages = all(turn).await.unwrap();
    soon(session.close_with(patience())).await.unwrap();
    (messages, folder)
}

fn results(messages: &[Message]) -> Vec<String> {
    let results = messages.iter().flat_map(Message::tool_results);
    results
        .map(|result| format!("{:?}", result.content))
        .collect()
}

#[tokio::test]
async fn a_tool_is_refused_or_rewritten_before_anybody_is_asked() {
    let (messages, folder) = turn(write("bad"), |options| {
        Session::builder(options).hook::<PreToolUse>("Write", |input, context| async move {
            assert_eq!(
                (input.tool_name.as_str(), context.token().is_cancelled()),
                ("Write", false)
            );
            PreToolUseOutput::new()
                .permission_decision(HookPermissionDecision::Deny)
                .permission_decision_reason("not in my house")
        })
    })
    .await;
    assert!(
        results(&messages)[0].contains("not in my house"),
        "{:?}",
        results(&messages)
    );
    assert!(!folder.path().join("work/bad").exists());
    let (messages, folder) = turn(write("bad"), |options| {
        Session::builder(options).hook::<PreToolUse>("Wr.*", |_, _| async {
            PreToolUseOutput::new()
                .permission_decision(HookPermissionDecision::Allow)
                .updated_input(Json::from(file_input("better")))
        })
    })
    .await;
    assert!(
        results(&messages)[0].contains("better"),
        "{:?}",
        results(&messages)
    );
    let work = folder.path().join("work");
    assert!(work.join("better").exists() && !work.join("bad").exists());
}

#[tokio::test]
async fn a_hook_that_fails_refuses_and_the_session_lives() {
    for failure in ["error", "panic", "time"] {
        let (messages, folder) = turn(write("bad"), |options| {
            let what = HookFor::all().timeout(Duration::from_secs(1));
            Session::builder(options).hook::<PreToolUse>(what, move |_, _| async move {
                match failure {
                    "error" => Err::<(), _>("no idea"),
                    "panic" => panic!("on purpose"),
                    _ => std::future::pending().await,
                }
            })
        })
        .await;
        let results = results(&messages);
        assert_eq!(results.len(), 1, "{failure}: {results:?}");
        assert!(!folder.path().join("work/bad").exists(), "{failure}");
        assert!(messages.last().unwrap().is_result());
    }
}

#[tokio::test]
async fn a_prompt_is_blocked() {
    let (messages, _) = turn(scenarios::text(), |options| {
        Session::builder(options).hook::<UserPromptSubmit>("", |input, _| async move {
            let output = SyncHookOutput::new().decision(HookDecision::Block);
            output.reason(format!("{} is no word", input.prompt))
        })
    })
    .await;
    let Some(Message::ResultSuccess(result)) = messages.last() else {
        panic!("{messages:?}")
    };
    assert_eq!(result.num_turns.get(), 0);
    assert!(result.result.contains("Go is no word"), "{}", result.result);
}

/// Registers hooks that note that they were called.
macro_rules! noted {
    ($builder:expr, $seen:expr, $($event:ident)+) => {{
        let builder = $builder;
        $(
            let seen = Arc::clone(&$seen);
            let builder = builder.hook::<$event>("", move |_, _| {
                seen.lock().unwrap().insert(stringify!($event));
                async {}
            });
        )+
        builder
    }};
}

#[tokio::test]
async fn every_event_that_can_be_made_to_happen_is_heard() {
    let seen = Arc::new(Mutex::new(std::collections::BTreeSet::new()));
    let fails = calls("Read", &json!({"file_path": "nowhere"}));
    for scenario in [write("fine"), fails, scenarios::subagent()] {
        let (_, _folder) = turn(scenario, |options| {
            let builder = Session::builder(options)
                .can_use_tool(|_| async { PermissionResult::allow() })
                .hook::<PreToolUse>("", |_, _| async {
                    let output = PreToolUseOutput::new();
                    output.permission_decision(HookPermissionDecision::Ask)
                });
            noted!(builder, seen, PostToolUse PostToolUseFailure PostToolBatch PermissionRequest
                Stop SubagentStart SubagentStop UserPromptSubmit MessageDisplay)
        })
        .await;
    }
    // The conversation is compacted, then cleared.
    let folder = tempfile::tempdir().unwrap();
    let api = Api::start(scenarios::compact()).await.unwrap();
    let cli = Cli::in_folder(&api, folder.path());
    let noting = Arc::clone(&seen);
    let builder = Session::builder(cli.options()).hook::<SessionStart>("compact", move |_, _| {
        noting.lock().unwrap().insert("SessionStart");
        async {}
    });
    let noting = Arc::clone(&seen);
    let builder = builder.hook::<SessionEnd>("clear", move |_, _| {
        noting.lock().unwrap().insert("SessionEnd");
        async {}
    });
    let session = soon(builder.connect()).await.unwrap();
    for prompt in ["One", "Two", "/compact", "/clear"] {
        soon(session.ask(prompt)).await.unwrap();
    }
    soon(session.close_with(patience())).await.unwrap();
    let expected = [
        "MessageDisplay",
        "PermissionRequest",
        "PostToolBatch",
        "PostToolUse",
        "PostToolUseFailure",
        "SessionEnd",
        "SessionStart",
        "Stop",
        "SubagentStart",
        "SubagentStop",
        "UserPromptSubmit",
    ];
    let seen: Vec<_> = seen.lock().unwrap().iter().copied().collect();
    assert_eq!(seen, expected);
}

/// Writes a skill whose text runs `touch` with the skill's argument.
fn skill_that_makes(work: &Path) {
    let skill = work.join(".claude/skills/make");
    std::fs::create_dir_all(&skill).unwrap();
    let text = "---\nname: make\ndescription: Makes a file\nallowed-tools: Bash(touch:*)\n---\n\n\
        The file is there: !`touch $ARGUMENTS`\n";
    std::fs::write(skill.join("SKILL.md"), text).unwrap();
}

#[tokio::test]
async fn a_shell_command_of_a_skill_is_stopped() {
    let folder = tempfile::tempdir().unwrap();
    let api = Api::start(scenarios::text()).await.unwrap();
    let cli = Cli::in_folder(&api, folder.path());
    let work = folder.path().join("work");
    skill_that_makes(&work);
    let decide = |input: PreSkillShellCommandInput, _| async move {
        assert_eq!(input.command_name, "make");
        assert_eq!(input.invoked_by, SkillInvoker::User);
        let deny = PreSkillShellCommandOutput::deny("Not this file.");
        input.tool_input.command.contains("stopped").then_some(deny)
    };
    let tools = Arc::new(Mutex::new(0));
    let used = Arc::clone(&tools);
    let builder = Session::builder(cli.options())
        .hook::<PreSkillShellCommand>("Bash", decide)
        .hook::<PreToolUse>("", move |_, _| {
            *used.lock().unwrap() += 1;
            async {}
        });
    let session = soon(builder.connect()).await.unwrap();
    soon(session.ask("/make stopped.txt")).await.unwrap();
    soon(session.ask("/make made.txt")).await.unwrap();
    soon(session.close_with(patience())).await.unwrap();
    assert!(work.join("made.txt").exists() && !work.join("stopped.txt").exists());
    assert_eq!(*tools.lock().unwrap(), 0);
}

#[tokio::test]
async fn a_hook_by_name_stops_a_shell_command_also_when_it_fails() {
    let folder = tempfile::tempdir().unwrap();
    let api = Api::start(scenarios::text()).await.unwrap();
    let cli = Cli::in_folder(&api, folder.path());
    let work = folder.path().join("work");
    skill_that_makes(&work);
    let decide = |input: Json, _| async move {
        let command = input.pointer("/tool_input/command").ok_or("no command")?;
        let command = command.parse::<String>().map_err(|_| "no text")?;
        let output = json!({"hookSpecificOutput": {"hookEventName": "PreSkillShellCommand",
            "permissionDecision": "deny", "permissionDecisionReason": "Not this file."}});
        match &command {
            _ if command.contains("stopped") => Ok(output),
            _ if command.contains("broken") => Err("it broke"),
            _ => Ok(json!({})),
        }
    };
    // The CLI does not know the second event, and starts.
    let builder = Session::builder(cli.options())
        .hook_named("PreSkillShellCommand", "Bash", decide)
        .hook_named("BrandNewEvent", "", |_, _| async { json!({}) })
        .initialize_field("brandNewField", json!({"a": 1}));
    let session = soon(builder.connect()).await.unwrap();
    for file in ["stopped", "broken", "made"] {
        let prompt = format!("/make {file}.txt");
        soon(session.ask(prompt)).await.unwrap();
    }
    let status = soon(session.call(NamedCall::new("mcp_status"))).await;
    assert!(status.unwrap().get("mcpServers").unwrap().is_array());
    let refused = soon(session.call(NamedCall::new("brand_new_call"))).await;
    assert!(refused.unwrap_err().is_refused());
    soon(session.close_with(patience())).await.unwrap();
    let exists = |file: &str| work.join(file).exists();
    assert!(exists("made.txt") && !exists("stopped.txt") && !exists("broken.txt"));
}

#[tokio::test]
async fn permissions_are_given_with_other_input_and_for_the_session() {
    let (messages, folder) = turn(write("one"), |options| {
        Session::builder(options).can_use_tool(|request| async move {
            let updates = request
                .body
                .permission_suggestions
                .clone()
                .unwrap_or_default();
            let session: Vec<PermissionUpdate> = updates
                .into_iter()
                .filter(|update| matches!(update, PermissionUpdate::SetMode(_)))
                .collect();
            let input = Json::from(file_input("two"));
            PermissionResult::from(
                PermissionAllow::new()
                    .updated_input(input)
                    .updated_permissions(session),
            )
        })
    })
    .await;
    assert!(messages.last().unwrap().is_result());
    let work = folder.path().join("work");
    assert!(work.join("two").exists() && !work.join("one").exists());
    assert!(!work.join(".claude").exists());
}

#[tokio::test]
async fn a_no_can_end_the_turn() {
    let (messages, _) = turn(write("one"), |options| {
        Session::builder(options).can_use_tool(|_| async {
            PermissionResult::from(PermissionDeny::new("stop").interrupt(true))
        })
    })
    .await;
    assert!(
        matches!(messages.last(), Some(Message::ResultError(_))),
        "{:?}",
        messages.last()
    );
}

#[tokio::test]
async fn a_question_is_answered() {
    let question = json!({"question": "Which colour?", "header": "Colour", "multiSelect": false,
        "options": [{"label": "Red", "description": "Warm"}, {"label": "Blue", "description": "Cold"}]});
    let scenario = scenario(&json!([
        {"when": {"tool_result": "Blue"}, "answer": {"message": [{"type": "text", "text": "Blue."}]}},
        {"answer": {"message": [{"type": "tool_use", "name": "AskUserQuestion",
            "input": {"questions": [question]}}]}}
    ]));
    let (messages, _) = turn(scenario, |options| {
        Session::builder(options).can_use_tool(|request| async move {
            assert!(request.plan().is_none());
            let asked = request.questions().ok_or("no questions")?;
            let last = asked.questions[0].choices()[1].label.clone();
            Ok::<_, String>(PermissionResult::answers(
                &asked.answer("Which colour?", last),
            ))
        })
    })
    .await;
    let Some(Message::ResultSuccess(result)) = messages.last() else {
        panic!("{messages:?}")
    };
    assert_eq!(result.result, "Blue.");
}

#[tokio::test]
async fn a_question_without_options_is_answered() {
    let questions = json!([
        {"question": "Which name?", "header": "Name", "kind": "text", "placeholder": "sums"},
        {"question": "How wide?", "header": "Width", "kind": "number", "min": 0, "max": 10, "unit": "px"}
    ]);
    let scenario = scenario(&json!([
        {"when": {"tool_result": "adder"}, "answer": {"message": [{"type": "text", "text": "It is done."}]}},
        {"answer": {"message": [{"type": "tool_use", "name": "AskUserQuestion",
            "input": {"title": "Before it is built", "questions": questions}}]}}
    ]));
    let (messages, _) = turn(scenario, |mut options| {
        let env = options.env.get_or_insert_default();
        env.insert("CLAUDE_CODE_ENTRYPOINT", Some("sdk-cli".to_owned()));
        env.insert("CLAUDE_CODE_QUESTION_EXTENDED", Some("1".to_owned()));
        Session::builder(options).can_use_tool(|request| async move {
            let asked = request.questions().ok_or("no questions")?;
            let kinds: Vec<_> = asked.questions.iter().map(|q| q.kind.clone()).collect();
            assert_eq!(
                kinds,
                [Some(QuestionKind::Text), Some(QuestionKind::Number)]
            );
            assert!(asked.questions.iter().all(|q| q.choices().is_empty()));
            assert_eq!(asked.title.as_deref(), Some("Before it is built"));
            let answered = asked
                .answer("Which name?", "adder")
                .answer("How wide?", "4");
            Ok::<_, String>(PermissionResult::answers(&answered))
        })
    })
    .await;
    let Some(Message::ResultSuccess(result)) = messages.last() else {
        panic!("{messages:?}")
    };
    assert_eq!(result.result, "It is done.");
}

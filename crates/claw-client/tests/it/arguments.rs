//! The forms in which people type arguments: each compiles, and does what it says.

use std::collections::HashMap;
use std::num::NonZeroUsize;

use claw_client::hook::{HookFor, PreToolUse, Stop, UserPromptSubmit};
use claw_client::types::control::ElicitationResponse;
use claw_client::types::hook::{
    ElicitationAction, HookPermissionDecision, PreToolUseInput, PreToolUseOutput,
    UserPromptSubmitOutput,
};
use claw_client::types::options::{AgentDefinition, Beta, McpStdioServer, SettingSource};
use claw_client::types::settings::Settings;
use claw_client::{
    CallbackContext, CancellationToken, FirstMatch, Json, Message, PermissionAllow, PermissionDeny,
    PermissionMode, PermissionResult, QueryOptions, SessionBuilder, SessionId, SystemPrompt,
    ToolPermissionRequest,
};
use claw_testkit::Block;
use claw_testkit::agent::{Script, Step};
use serde_json::{Value, json};

use crate::agent::{builder, connect_as, soon};

fn options() -> QueryOptions {
    QueryOptions::default()
}

#[test]
fn lists_are_of_whatever_turns_into_texts() {
    let owned = vec!["Read".to_owned(), "Grep".to_owned()];
    let expected = options().allowed_tools(owned.clone());
    assert_eq!(options().allowed_tools(["Read", "Grep"]), expected);
    assert_eq!(options().allowed_tools(vec!["Read", "Grep"]), expected);
    assert_eq!(options().allowed_tools(&owned), expected);
    assert_eq!(options().allowed_tools(owned.iter()), expected);
    let picked = ["Read", "Grep", "Bash"]
        .into_iter()
        .filter(|name| *name != "Bash");
    assert_eq!(options().allowed_tools(picked), expected);
    assert_eq!(expected.allowed_tools, Some(owned.clone()));

    assert_eq!(
        options().disallowed_tools(["Bash"]).disallowed_tools,
        Some(vec!["Bash".to_owned()])
    );
    let directories = options().additional_directories(["/a", "/b"]);
    assert_eq!(directories.additional_directories.unwrap().len(), 2);
    let betas = options().betas(["context-1m-2025-08-07"]).betas.unwrap();
    assert_eq!(betas, [Beta::from("context-1m-2025-08-07")]);
    // Lists that have a meaning when they are empty, and types of their own.
    assert_eq!(options().setting_sources([]).setting_sources, Some(vec![]));
    assert_eq!(
        options()
            .setting_sources([SettingSource::User])
            .setting_sources,
        Some(vec![SettingSource::User])
    );
    assert_eq!(
        options().tools(["Read"]),
        options().tools(vec!["Read".to_owned()])
    );
    assert_eq!(options().tools([]), options().tools(Vec::new()));
    assert_eq!(
        options().skills(["pdf"]),
        options().skills(vec!["pdf".to_owned()])
    );
}

#[test]
fn maps_are_of_pairs() {
    let expected = options().env([("A".to_owned(), Some("b".to_owned()))]);
    assert_eq!(
        expected.env.as_ref().unwrap().get("A"),
        Some(&Some("b".to_owned()))
    );
    assert_eq!(options().env([("A", "b")]), expected);
    assert_eq!(options().env([("A", "b".to_owned())]), expected);
    assert_eq!(options().env([("A", Some("b"))]), expected);
    assert_eq!(options().env(HashMap::from([("A", "b")])), expected);
    assert_eq!(
        options().env(HashMap::from([("A".to_owned(), "b".to_owned())])),
        expected
    );
    assert_eq!(options().env(expected.env.clone().unwrap()), expected);
    let path = std::env::vars().find(|(name, _)| name == "PATH").unwrap();
    assert_eq!(
        options().env([path.clone()]).env.unwrap().get("PATH"),
        Some(&Some(path.1))
    );
    // One that is taken away.
    let without = options().env([("A", Some("b")), ("B", None)]).env.unwrap();
    assert_eq!(without.get("B"), Some(&None));
    let flags = options()
        .extra_args([("verbose", None::<String>)])
        .extra_args
        .unwrap();
    assert_eq!(flags.get("verbose"), Some(&None));

    let server = McpStdioServer::new("server");
    let servers = options()
        .mcp_servers([("files", server)])
        .mcp_servers
        .unwrap();
    assert!(servers.get("files").is_some());
    let agent = AgentDefinition::new("Reviews code", "You review code.");
    let agents = options().agents([("reviewer", agent)]).agents.unwrap();
    assert_eq!(agents.get("reviewer").unwrap().description, "Reviews code");
    let aliases = options()
        .tool_aliases([("Shell", "Bash")])
        .tool_aliases
        .unwrap();
    assert_eq!(aliases.get("Shell").unwrap(), "Bash");
    let settings = Settings::new().env([("A", "b")]).env.unwrap();
    assert_eq!(settings.get("A").unwrap(), "b");
}

#[test]
fn numbers_are_of_any_type() {
    let expected = options().max_turns(5);
    assert_eq!(expected.max_turns.unwrap(), 5);
    for same in [
        options().max_turns(5_u8),
        options().max_turns(5_u16),
        options().max_turns(5_u32),
        options().max_turns(5_u64),
        options().max_turns(5_usize),
        options().max_turns(5_i32),
        options().max_turns(NonZeroUsize::new(5).unwrap()),
    ] {
        assert_eq!(same, expected);
    }
    let budget = options().max_budget_usd(5);
    assert_eq!(options().max_budget_usd(5_usize), budget);
    assert!((budget.max_budget_usd.unwrap().as_f64() - 5.0).abs() < 1e-9);
    assert!(
        (options()
            .max_budget_usd(0.5)
            .max_budget_usd
            .unwrap()
            .as_f64()
            - 0.5)
            .abs()
            < 1e-9
    );
}

#[test]
fn what_daily_programs_name_is_at_the_root() {
    let options = options()
        .permission_mode(PermissionMode::Plan)
        .system_prompt(SystemPrompt::claude_code())
        .resume(SessionId::from("5e551011-0000-4000-8000-000000000000"));
    assert_eq!(options.permission_mode, Some(PermissionMode::Plan));
    let message: Message = serde_json::from_value(json!({"type": "keep_alive"})).unwrap();
    assert_eq!(message.kind(), "keep_alive");
    assert!(!CancellationToken::new().is_cancelled());
    assert_eq!(Json::null().as_raw(), "null");
}

/// What the CLI gets for an answer when it asks whether `Bash` may be used.
async fn asked(builder: SessionBuilder) -> Value {
    asked_in(builder, Script::demo()).await
}

/// The first answer that the CLI gets until a turn is over.
async fn asked_in(builder: SessionBuilder, script: Script) -> Value {
    let (session, agent) = connect_as(builder, script).await;
    soon(session.send("Go").await.unwrap().result())
        .await
        .unwrap();
    soon(session.close()).await.unwrap();
    let received = agent.received().await;
    let answer = received
        .iter()
        .find(|line| line["type"] == "control_response");
    answer.unwrap()["response"]["response"].clone()
}

/// `?` on an error of the standard library's.
async fn parsed(
    request: ToolPermissionRequest,
) -> Result<PermissionAllow, std::num::ParseIntError> {
    let _: u32 = request.tool_name().parse()?;
    Ok(PermissionAllow::new())
}

async fn boxed(
    request: ToolPermissionRequest,
) -> Result<PermissionResult, Box<dyn std::error::Error>> {
    let _: u32 = request.tool_name().parse()?;
    Ok(PermissionResult::allow())
}

#[tokio::test]
async fn permission_callbacks_give_what_they_have() {
    let allowed = asked(builder().can_use_tool(|_| async { PermissionAllow::new() })).await;
    assert_eq!(allowed["behavior"], "allow");
    let no = builder().can_use_tool(|request| async move {
        PermissionDeny::new(format!("no {}", request.tool_name()))
    });
    assert_eq!(asked(no).await["message"], "no Bash");
    // The context is the question's.
    let seen = builder().can_use_tool(|request| async move {
        let token: &CancellationToken = request.context().token();
        PermissionResult::deny(format!("cancelled: {}", token.is_cancelled()))
    });
    assert_eq!(asked(seen).await["message"], "cancelled: false");
    // Failures are a no, whatever the error is.
    let invalid = "invalid digit found in string";
    assert_eq!(
        asked(builder().can_use_tool(parsed)).await["message"],
        invalid
    );
    assert_eq!(
        asked(builder().can_use_tool(boxed)).await["message"],
        invalid
    );
    let closure = builder().can_use_tool(|request| async move {
        let _: u32 = request.tool_name().parse()?;
        Ok::<_, Box<dyn std::error::Error + Send + Sync>>(PermissionAllow::new())
    });
    assert_eq!(asked(closure).await["message"], invalid);
}

async fn person(_: ToolPermissionRequest) -> PermissionResult {
    PermissionResult::deny("the user said no")
}

#[tokio::test]
async fn rules_are_handed_over_as_they_are() {
    let rules = FirstMatch::new().deny(["Bash"], "no shell");
    assert_eq!(
        asked(builder().permissions(rules)).await["message"],
        "no shell"
    );
    // A person as the last part, with a function that always has an opinion.
    let rules = FirstMatch::new().allow(["Read"]).decide(person);
    assert_eq!(
        asked(builder().permissions(rules)).await["message"],
        "the user said no"
    );
    let rules = FirstMatch::new()
        .decide(|request| async move { (request.tool_name() == "Read").then(PermissionAllow::new) })
        .decide(parsed);
    let no = asked(builder().permissions(rules.clone())).await;
    assert_eq!(no["message"], "invalid digit found in string");
    // In a callback that does more.
    let logged = builder().can_use_tool(move |request| rules.decision(request));
    assert_eq!(asked(logged).await, no);
    assert_eq!(no["behavior"], "deny");
}

/// What the CLI gets for an answer when it asks this.
async fn answered(builder: SessionBuilder, request: &Value) -> Value {
    let script = Script::new([
        Step::Line(json!({"type": "control_request", "request_id": "q", "request": request})),
        serde_json::from_value(json!({"expect": {"type": "control_response"}})).unwrap(),
        Step::Turns(vec![Step::message([Block::text("alive")])]),
    ]);
    asked_in(builder, script).await
}

/// What the first hook says to this.
async fn hooked(builder: SessionBuilder, input: &Value) -> Value {
    let mut request = json!({"subtype": "hook_callback", "callback_id": "hook_0",
        "input": {"session_id": "s", "transcript_path": "/t", "cwd": "/w"}});
    for (key, value) in input.as_object().unwrap() {
        request["input"][key] = value.clone();
    }
    answered(builder, &request).await
}

async fn guard(
    input: PreToolUseInput,
    _: CallbackContext,
) -> Result<Option<PreToolUseOutput>, Box<dyn std::error::Error + Send + Sync>> {
    if input.tool_name == "Read" {
        return Ok(None);
    }
    let number: u32 = input
        .tool_input
        .get("number")
        .ok_or("there is no number")?
        .parse()?;
    let deny = PreToolUseOutput::new().permission_decision(HookPermissionDecision::Deny);
    Ok(Some(
        deny.permission_decision_reason(format!("not {number}")),
    ))
}

#[tokio::test]
async fn hooks_give_what_they_have() {
    let tool = |name: &str, input: Value| {
        json!({"hook_event_name": "PreToolUse", "tool_name": name, "tool_input": input,
            "tool_use_id": "t"})
    };
    let guarded = || builder().hook::<PreToolUse>(HookFor::all(), guard);
    assert_eq!(hooked(guarded(), &tool("Read", json!({}))).await, json!({}));
    let denied = hooked(guarded(), &tool("Bash", json!({"number": 7}))).await;
    let output = &denied["hookSpecificOutput"];
    assert_eq!(output["permissionDecisionReason"], "not 7");
    // An error refuses.
    let failed = hooked(guarded(), &tool("Bash", json!({}))).await;
    assert!(failed.to_string().contains("deny"), "{failed}");

    let prompt = json!({"hook_event_name": "UserPromptSubmit", "prompt": "Hi"});
    let day = |day: Option<&'static str>| {
        builder().hook::<UserPromptSubmit>(HookFor::all(), move |_, _| async move {
            day.map(|day| UserPromptSubmitOutput::new().additional_context(day))
        })
    };
    let said = hooked(day(Some("It is Tuesday.")), &prompt).await;
    assert_eq!(
        said["hookSpecificOutput"]["additionalContext"],
        "It is Tuesday."
    );
    assert_eq!(hooked(day(None), &prompt).await, json!({}));
    let nothing = builder().hook::<Stop>(HookFor::all(), |_, _| async {});
    let stop = json!({"hook_event_name": "Stop", "stop_hook_active": false});
    assert_eq!(hooked(nothing, &stop).await, json!({}));
}

#[tokio::test]
async fn other_callbacks_give_results_too() {
    let builder = builder()
        .on_request("tomorrow", |body, _| async move {
            let day: String = body.get("day").ok_or("there is no day")?.parse()?;
            Ok::<_, Box<dyn std::error::Error + Send + Sync>>(json!({ "after": day }))
        })
        .on_elicitation(|_, _| async {
            Ok::<_, std::fmt::Error>(ElicitationResponse::new(ElicitationAction::Decline))
        });
    let asked = json!({"subtype": "tomorrow", "day": "Monday"});
    let answer = answered(builder, &asked).await;
    assert_eq!(answer, json!({"after": "Monday"}));
}

//! Hooks: what they are told and what they say.

use claw_types::control::{ControlRequestBody, HookCallback};
use claw_types::hook::*;
use claw_types::{Json, Map, StdoutMessage};
use serde_json::{Value, json};

use crate::support::{assert_lossless, stdout};

/// What every event is told.
fn base() -> Value {
    json!({"session_id": "s", "transcript_path": "/home/user/.claude/projects/-work-project/s.jsonl",
        "cwd": "/work/project"})
}

fn joined(base: Value, more: Value) -> Value {
    let (Value::Object(mut all), Value::Object(more)) = (base, more) else {
        panic!("objects")
    };
    all.extend(more);
    all.into()
}

/// An event with all that it can say, and what of that it must say.
struct Sample {
    event: &'static str,
    required: Value,
    optional: Value,
}

fn sample(event: &'static str, required: Value, optional: Value) -> Sample {
    Sample {
        event,
        required,
        optional,
    }
}

fn samples() -> Vec<Sample> {
    let tool = json!({"tool_name": "Bash", "tool_input": {"command": "ls"}, "tool_use_id": "t"});
    let tool_of = |more| joined(tool.clone(), more);
    let server = json!({"name": "calc", "source": "sdk"});
    let background = json!([{"id": "b", "type": "shell", "status": "running", "description": "d",
        "command": "sleep 9", "agent_type": "x", "server": "y", "tool": "z", "name": "n"}]);
    let crons = json!([{"id": "c", "schedule": "* * * * *", "recurring": true, "prompt": "p"}]);
    let switch = json!({"from_model": "a", "to_model": "b", "requested_model": null,
        "source": "sdk", "context_tokens": 3, "prompt_cache_warm": true, "cache_ttl": "5m",
        "estimated_cache_write_usd": 0.5, "pricing": "catalog"});
    let task = json!({"task_id": "1", "task_subject": "s"});
    let task_more = json!({"task_description": "d", "teammate_name": "t", "team_name": "u"});
    vec![
        sample("PreToolUse", tool.clone(), json!({"mcp_server": server})),
        sample(
            "PostToolUse",
            tool_of(json!({"tool_response": {"stdout": "hi"}})),
            json!({"duration_ms": 3, "mcp_server": server}),
        ),
        sample(
            "PostToolUseFailure",
            tool_of(json!({"error": "no"})),
            json!({"is_interrupt": true, "duration_ms": 3, "mcp_server": server}),
        ),
        sample(
            "PostToolBatch",
            json!({"tool_calls": [tool_of(json!({"tool_response": "hi"}))]}),
            json!({}),
        ),
        sample(
            "Notification",
            json!({"message": "m", "notification_type": "idle_prompt"}),
            json!({"title": "t"}),
        ),
        sample(
            "UserPromptSubmit",
            json!({"prompt": "p"}),
            json!({"source": "sdk", "session_title": "t"}),
        ),
        sample(
            "UserPromptExpansion",
            json!({"expansion_type": "slash_command", "command_name": "c", "command_args": "",
                "prompt": "p"}),
            json!({"command_source": "plugin"}),
        ),
        sample(
            "SessionStart",
            json!({"source": "compact"}),
            json!({"model": "m", "session_title": "t", "seconds_since_last_response": 1.5,
                "context_tokens": 5, "prompt_cache_likely_expired": true,
                "estimated_cache_write_usd": 0.25}),
        ),
        sample("SessionEnd", json!({"reason": "other"}), json!({})),
        sample(
            "Stop",
            json!({"stop_hook_active": false}),
            json!({"last_assistant_message": "m", "background_tasks": background,
                "session_crons": crons}),
        ),
        sample(
            "StopFailure",
            json!({"error": "rate_limit"}),
            json!({"error_details": "d", "last_assistant_message": "m"}),
        ),
        sample(
            "SubagentStart",
            json!({"agent_id": "a", "agent_type": "Explore"}),
            json!({}),
        ),
        sample(
            "SubagentStop",
            json!({"agent_id": "a", "agent_type": "", "stop_hook_active": false,
                "agent_transcript_path": "/home/user/a.jsonl"}),
            json!({"last_assistant_message": "m", "background_tasks": [], "session_crons": []}),
        ),
        sample(
            "PreCompact",
            json!({"trigger": "manual", "custom_instructions": null}),
            json!({}),
        ),
        sample(
            "PostCompact",
            json!({"trigger": "auto", "compact_summary": "s"}),
            json!({}),
        ),
        sample("PreModelSwitch", switch.clone(), json!({})),
        sample("PostModelSwitch", switch, json!({})),
        sample(
            "PermissionRequest",
            json!({"tool_name": "Bash", "tool_input": {}}),
            json!({"mcp_server": server, "permission_suggestions":
                [{"type": "setMode", "mode": "acceptEdits", "destination": "session"}]}),
        ),
        sample(
            "PermissionDenied",
            tool_of(json!({"reason": "r"})),
            json!({"mcp_server": server}),
        ),
        sample("Setup", json!({"trigger": "init"}), json!({})),
        sample(
            "TeammateIdle",
            json!({"teammate_name": "t", "team_name": "u"}),
            json!({}),
        ),
        sample("TaskCreated", task.clone(), task_more.clone()),
        sample("TaskCompleted", task, task_more),
        sample(
            "Elicitation",
            json!({"mcp_server_name": "s", "message": "m"}),
            json!({"mode": "form", "url": "https://x.example", "elicitation_id": "e",
                "requested_schema": {"type": "object"}}),
        ),
        sample(
            "ElicitationResult",
            json!({"mcp_server_name": "s", "action": "accept"}),
            json!({"elicitation_id": "e", "mode": "url", "content": {"a": 1}}),
        ),
        sample(
            "ConfigChange",
            json!({"source": "user_settings"}),
            json!({"file_path": "/home/user/.claude/settings.json"}),
        ),
        sample("WorktreeCreate", json!({"name": "n"}), json!({})),
        sample("WorktreeRemove", json!({"worktree_path": "/w"}), json!({})),
        sample(
            "InstructionsLoaded",
            json!({"file_path": "/work/project/CLAUDE.md", "memory_type": "Project",
                "load_reason": "session_start"}),
            json!({"globs": ["*.rs"], "trigger_file_path": "/a", "parent_file_path": "/b"}),
        ),
        sample(
            "CwdChanged",
            json!({"old_cwd": "/a", "new_cwd": "/b"}),
            json!({}),
        ),
        sample(
            "FileChanged",
            json!({"file_path": "/a", "event": "unlink"}),
            json!({}),
        ),
        sample(
            "DirectoryAdded",
            json!({"directory": "/a", "source": "slash_command"}),
            json!({}),
        ),
        sample(
            "MessageDisplay",
            json!({"turn_id": "t", "message_id": "m", "index": 0, "final": true, "delta": "d"}),
            json!({}),
        ),
        sample(
            "PreSkillShellCommand",
            json!({"tool_name": "Bash", "tool_input": {"command": "ls"}, "tool_use_id": "t",
                "command_name": "c", "invoked_by": "claude"}),
            json!({"command_source": "projectSettings"}),
        ),
    ]
}

fn callback(input: &Value) -> String {
    json!({"type": "control_request", "request_id": "r", "request": {"subtype": "hook_callback",
        "callback_id": "hook_0", "input": input, "tool_use_id": "t"}})
    .to_string()
}

fn told(line: &str) -> HookInput {
    let StdoutMessage::ControlRequest(request) = stdout(line) else {
        panic!("{line}")
    };
    let ControlRequestBody::HookCallback(callback) = request.request else {
        panic!("{line}")
    };
    callback.input
}

#[test]
fn every_event_is_read_with_all_that_it_says() {
    let events: Vec<_> = samples().iter().map(|sample| sample.event).collect();
    assert_eq!(events.len(), 34);
    for sample in samples() {
        assert!(HookEvent::from(sample.event).is_known(), "{}", sample.event);
        let tag = json!({"hook_event_name": sample.event});
        let least = joined(joined(base(), tag), sample.required.clone());
        let full = joined(least.clone(), sample.optional);
        let full = joined(
            full,
            json!({"prompt_id": "p", "permission_mode": "default", "effort": {"level": "high"}}),
        );
        for input in [&least, &full] {
            let read = told(&callback(input));
            assert!(
                !matches!(read, HookInput::Unknown(_)),
                "{} is not known",
                sample.event
            );
            let shown = format!("{read:#?}");
            // All keys are fields: wherever `extra` stands, it is empty.
            let filled = shown.matches("extra: {\n").count();
            assert_eq!(filled, 0, "{shown}");
        }
        for key in sample.required.as_object().unwrap().keys() {
            let mut without = least.clone();
            without.as_object_mut().unwrap().remove(key);
            let line = callback(&without);
            let error = claw_types::from_line::<StdoutMessage>(line.as_bytes()).unwrap_err();
            assert!(error.to_string().contains(key), "{error}");
        }
    }
}

#[test]
fn an_event_of_tomorrow_is_kept() {
    let input = joined(base(), json!({"hook_event_name": "Tomorrow", "x": [1]}));
    let HookInput::Unknown(unknown) = told(&callback(&input)) else {
        panic!("it is not known")
    };
    assert_lossless(&unknown, &input.to_string());
}

#[test]
fn what_the_real_cli_tells() {
    let lines = include_str!("hooks.ndjson");
    let mut events = Vec::new();
    for line in lines.lines() {
        let StdoutMessage::ControlRequest(request) = stdout(line) else {
            panic!("{line}")
        };
        let shown = format!("{request:#?}");
        assert!(!shown.contains("extra: {\n"), "{shown}");
        let ControlRequestBody::HookCallback(callback) = &request.request else {
            panic!("{line}")
        };
        assert!(!matches!(callback.input, HookInput::Unknown(_)), "{line}");
        events.push(callback.callback_id.trim_start_matches("hook_").to_owned());
    }
    events.sort();
    let expected = [
        "InstructionsLoaded",
        "MessageDisplay",
        "PermissionRequest",
        "PostCompact",
        "PostModelSwitch",
        "PostToolBatch",
        "PostToolUse",
        "PostToolUseFailure",
        "PreCompact",
        "PreModelSwitch",
        "PreToolUse",
        "SessionStart",
        "Stop",
        "SubagentStart",
        "SubagentStop",
        "UserPromptSubmit",
    ];
    assert_eq!(events, expected);
}

fn written(output: impl Into<HookOutput>) -> Value {
    let output: HookOutput = output.into();
    let written = serde_json::to_value(&output).unwrap();
    let again: HookOutput = serde_json::from_value(written.clone()).unwrap();
    assert_eq!(again, output);
    written
}

#[test]
fn what_hooks_say() {
    assert_eq!(written(HookOutput::none()), json!({}));
    assert_eq!(
        written(AsyncHookOutput::new().async_timeout(5)),
        json!({"async": true, "asyncTimeout": 5})
    );
    let everything = SyncHookOutput::new()
        .continue_turn(false)
        .stop_reason("s")
        .suppress_output(true)
        .decision(HookDecision::Block)
        .reason("r")
        .system_message("m")
        .terminal_sequence("\u{7}");
    assert_eq!(
        written(everything),
        json!({"continue": false, "stopReason": "s", "suppressOutput": true, "decision": "block",
            "reason": "r", "systemMessage": "m", "terminalSequence": "\u{7}"})
    );
    let deny = PreToolUseOutput::new()
        .permission_decision(HookPermissionDecision::Deny)
        .permission_decision_reason("no");
    assert_eq!(
        written(HookSpecificOutput::from(deny)),
        json!({"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "deny",
            "permissionDecisionReason": "no"}})
    );
    let allow = HookPermissionAllow::new().updated_input(Json::empty_object());
    let decided = PermissionRequestOutput::new(allow);
    assert_eq!(
        written(HookSpecificOutput::from(decided)),
        json!({"hookSpecificOutput": {"hookEventName": "PermissionRequest",
            "decision": {"behavior": "allow", "updatedInput": {}}}})
    );
}

#[test]
fn what_is_said_about_each_event() {
    let context = json!({"additionalContext": "c"});
    let all = [
        (
            "PreToolUse",
            json!({"permissionDecision": "ask", "permissionDecisionReason": "r",
                "updatedInput": {}, "additionalContext": "c"}),
        ),
        (
            "PostToolUse",
            json!({"additionalContext": "c", "classifierContext": "d", "updatedToolOutput": [1],
                "updatedMCPToolOutput": "x"}),
        ),
        ("PostToolUseFailure", context.clone()),
        ("PostToolBatch", context.clone()),
        ("Notification", context.clone()),
        ("Setup", context.clone()),
        ("Stop", context.clone()),
        ("SubagentStart", context.clone()),
        ("SubagentStop", context.clone()),
        ("PostModelSwitch", context),
        (
            "UserPromptSubmit",
            json!({"additionalContext": "c", "sessionTitle": "t", "suppressOriginalPrompt": true}),
        ),
        (
            "UserPromptExpansion",
            json!({"additionalContext": "c", "suppressOriginalPrompt": true}),
        ),
        (
            "SessionStart",
            json!({"additionalContext": "c", "initialUserMessage": "m", "sessionTitle": "t",
                "watchPaths": ["/a"], "reloadSkills": true}),
        ),
        (
            "PermissionRequest",
            json!({"decision": {"behavior": "deny", "message": "m", "interrupt": true}}),
        ),
        ("PermissionDenied", json!({"retry": true})),
        (
            "PreModelSwitch",
            json!({"permissionDecision": "deny", "permissionDecisionReason": "r"}),
        ),
        (
            "Elicitation",
            json!({"action": "accept", "content": {"a": 1}}),
        ),
        ("ElicitationResult", json!({"action": "decline"})),
        ("CwdChanged", json!({"watchPaths": ["/a"]})),
        ("FileChanged", json!({"watchPaths": ["/a"]})),
        ("WorktreeCreate", json!({"worktreePath": "/a"})),
        ("MessageDisplay", json!({"displayContent": "d"})),
        (
            "PreSkillShellCommand",
            json!({"permissionDecision": "deny", "permissionDecisionReason": "r", "updatedInput": {}}),
        ),
    ];
    for (event, said) in all {
        let said = joined(json!({"hookEventName": event}), said);
        let text = json!({"hookSpecificOutput": said}).to_string();
        let output: HookOutput = serde_json::from_str(&text).unwrap();
        assert_lossless(&output, &text);
        let shown = format!("{output:#?}");
        assert!(
            !shown.contains("extra: {\n") && !shown.contains("Unknown"),
            "{shown}"
        );
    }
    let tomorrow = r#"{"hookSpecificOutput":{"hookEventName":"Tomorrow","x":1},"y":2}"#;
    let output: HookOutput = serde_json::from_str(tomorrow).unwrap();
    assert_lossless(&output, tomorrow);
}

#[test]
fn a_registration() {
    let matcher = HookMatcher::new(vec!["hook_0".to_owned()])
        .matcher("Write|Edit")
        .timeout(5)
        .on_failure(HookOnFailure::Block);
    let hooks: Map<_> = [(HookEvent::PreToolUse.as_str(), vec![matcher])]
        .into_iter()
        .collect();
    let initialize = claw_types::control::Initialize::new().hooks(hooks);
    assert_eq!(
        serde_json::to_value(&initialize).unwrap(),
        json!({"subtype": "initialize", "hooks": {"PreToolUse": [{"matcher": "Write|Edit",
            "hookCallbackIds": ["hook_0"], "timeout": 5, "onFailure": "block"}]}})
    );
    let null = r#"{"subtype":"initialize","hooks":null}"#;
    let read: claw_types::control::Initialize = serde_json::from_str(null).unwrap();
    assert_lossless(&read, null);
}

#[test]
fn exit_reasons_of_all_times() {
    for reason in [
        "clear",
        "logout",
        "prompt_input_exit",
        "other",
        "bypass_permissions_disabled",
        "resume",
    ] {
        assert!(ExitReason::from(reason).is_known(), "{reason}");
    }
    assert!(!ExitReason::from("tomorrow").is_known());
}

#[test]
fn a_made_up_callback_is_a_line() {
    let input = StopInput::new("s", "/t", "/work/project", false);
    let callback = HookCallback::new("hook_0", input);
    let written = serde_json::to_value(&callback).unwrap();
    assert_eq!(
        written,
        json!({"subtype": "hook_callback", "callback_id": "hook_0", "input": {
            "hook_event_name": "Stop", "session_id": "s", "transcript_path": "/t",
            "cwd": "/work/project", "stop_hook_active": false}})
    );
}

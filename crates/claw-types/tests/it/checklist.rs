//! The verification list of "Message Types, Implementation Plan", an item a test.

use claw_types::api::{
    Content, ContentBlock, StopReason, TextBlock, ThinkingBlock, ToolUseBlock, Usage,
};
use claw_types::control::ControlRequestBody;
use claw_types::hook::{ExitReason, HookEvent};
use claw_types::message::{
    AssistantMessage, AssistantMessageError, CompactBoundary, CompactTrigger, ResultError,
    ResultErrorSubtype, ResultSuccess, SystemInit, UserMessage, UserMessageReplay,
};
use claw_types::options::{PermissionMode, SettingSource, SystemPrompt};
use claw_types::{Message, MessageUuid, QueryOptions, StdinMessage, from_line};
use serde_json::{Value, json};

use crate::kinds::classic;
use crate::support::message;

/// What the plan and the protocol call each kind.
const KINDS: [(&str, &str); 17] = [
    ("AssistantMessage", "assistant"),
    ("UserMessage", "user"),
    ("UserMessageReplay", "user"),
    ("ResultSuccess", "result/success"),
    ("ResultError", "result/error_max_turns"),
    ("SystemInit", "system/init"),
    ("StreamEventMessage", "stream_event"),
    ("CompactBoundary", "system/compact_boundary"),
    ("StatusMessage", "system/status"),
    ("HookStarted", "system/hook_started"),
    ("HookProgress", "system/hook_progress"),
    ("HookResponse", "system/hook_response"),
    ("ToolProgress", "tool_progress"),
    ("AuthStatus", "auth_status"),
    ("TaskNotification", "system/task_notification"),
    ("FilesPersisted", "system/files_persisted"),
    ("ToolUseSummary", "tool_use_summary"),
];

fn value(message: &impl serde::Serialize) -> Value {
    serde_json::to_value(message).unwrap()
}

#[test]
fn type_completeness() {
    let kinds = classic();
    let kinds: Vec<_> = kinds
        .iter()
        .map(|(name, built)| (*name, built.kind()))
        .collect();
    let kinds: Vec<_> = kinds.iter().map(|(name, kind)| (*name, &**kind)).collect();
    assert_eq!(kinds, KINDS);
}

#[test]
fn round_trip_fidelity() {
    for (_, built) in classic() {
        let line = serde_json::to_string(&built).unwrap();
        assert_eq!(message(&line), built);
    }
}

#[test]
fn content_block_clean_marshaling() {
    let keys = |block: ContentBlock| {
        let block = value(&block);
        let mut keys: Vec<_> = block.as_object().unwrap().keys().cloned().collect();
        keys.sort();
        keys.join(" ")
    };
    assert_eq!(keys(TextBlock::new("").into()), "text type");
    let used = ToolUseBlock::new("toolu_1", "Bash", json!({}));
    assert_eq!(keys(used.into()), "id input name type");
    assert_eq!(
        keys(ThinkingBlock::new("", "").into()),
        "signature thinking type"
    );
}

#[test]
fn discriminator_completeness() {
    for ((name, built), (_, kind)) in classic().into_iter().zip(KINDS) {
        let line = value(&built);
        let (tag, sub) = kind.split_once('/').unwrap_or((kind, ""));
        assert_eq!(line["type"], tag, "{name}");
        if !sub.is_empty() {
            assert_eq!(line["subtype"], sub, "{name}");
        }
        // The tags alone say which: nothing else is looked at, and it is not taken for unknown.
        let mut tags = json!({ "type": tag });
        if !sub.is_empty() {
            tags["subtype"] = sub.into();
        }
        let error = from_line::<Message>(tags.to_string().as_bytes()).unwrap_err();
        assert!(
            error.to_string().contains("missing field"),
            "{name}: {error}"
        );
    }
    // What no table has is kept, with its tags.
    let line = r#"{"type":"system","subtype":"of_tomorrow","a":1}"#;
    assert_eq!(message(line).kind(), "system/of_tomorrow");
    assert!(message(r#"{"type":"system"}"#).is_unknown());
}

#[test]
fn user_replay_detection() {
    let prompt = UserMessage::prompt("hi").session_id("s");
    let plain = Message::from(prompt.clone());
    let replay = Message::from(UserMessageReplay::of(prompt, "s"));
    assert_eq!(value(&replay)["isReplay"], true);
    assert!(matches!(
        message(&value(&replay).to_string()),
        Message::UserReplay(_)
    ));
    assert!(matches!(
        message(&value(&plain).to_string()),
        Message::User(_)
    ));
    assert_eq!(replay.uuid(), plain.uuid());
}

#[test]
fn options_completeness() {
    // Every option that the plan's time had, by its name on the wire.
    let all = json!({
        "additionalDirectories": ["/d"], "agent": "a",
        "agents": {"a": {"description": "d", "prompt": "p"}},
        "allowDangerouslySkipPermissions": true, "allowedTools": ["Read"],
        "betas": ["context-1m-2025-08-07"], "continue": true, "cwd": "/w",
        "disallowedTools": ["Bash"], "enableFileCheckpointing": true, "env": {"A": "b"},
        "extraArgs": {"flag": null}, "fallbackModel": "f", "forkSession": true,
        "includePartialMessages": true, "maxBudgetUsd": 1.5, "maxThinkingTokens": 1000,
        "maxTurns": 3, "mcpServers": {"m": {"command": "c"}}, "model": "m",
        "outputFormat": {"type": "json_schema", "schema": {}},
        "pathToClaudeCodeExecutable": "/c", "permissionMode": "delegate",
        "permissionPromptToolName": "t", "persistSession": false,
        "plugins": [{"type": "local", "path": "/p"}], "resume": "s", "resumeSessionAt": "u",
        "sandbox": {"enabled": true, "network": {"allowedDomains": ["a.example"],
            "allowLocalBinding": true, "httpProxyPort": 8080}},
        "sessionId": "s", "settingSources": ["user"],
        "strictMcpConfig": true, "systemPrompt": "s", "thinking": {"type": "adaptive"},
        "effort": "high", "tools": ["Bash"],
    });
    let options: QueryOptions = serde_json::from_value(all.clone()).unwrap();
    assert!(options.extra.is_empty(), "{:?}", options.extra);
    let network = options.sandbox.as_ref().unwrap().network.as_ref().unwrap();
    assert!(network.extra.is_empty(), "{:?}", network.extra);
    assert_eq!(value(&options), all);
    let text: SystemPrompt = "raw".into();
    assert_eq!(value(&text), "raw");
    let preset = json!({"type": "preset", "preset": "claude_code"});
    assert_eq!(value(&SystemPrompt::claude_code()), preset);
}

#[test]
fn enum_coverage() {
    let has = |known: &[&str], all: &[&str]| {
        for one in all {
            assert!(known.contains(one), "{one} is not in {known:?}");
        }
    };
    has(
        PermissionMode::KNOWN,
        &[
            "default",
            "acceptEdits",
            "bypassPermissions",
            "plan",
            "delegate",
            "dontAsk",
        ],
    );
    has(SettingSource::KNOWN, &["user", "project", "local"]);
    has(
        ExitReason::KNOWN,
        &[
            "clear",
            "logout",
            "prompt_input_exit",
            "other",
            "bypass_permissions_disabled",
        ],
    );
    has(
        AssistantMessageError::KNOWN,
        &[
            "authentication_failed",
            "billing_error",
            "rate_limit",
            "invalid_request",
            "server_error",
            "unknown",
        ],
    );
    has(
        ResultErrorSubtype::KNOWN,
        &[
            "error_during_execution",
            "error_max_turns",
            "error_max_budget_usd",
            "error_max_structured_output_retries",
        ],
    );
    has(
        HookEvent::KNOWN,
        &[
            "PreToolUse",
            "PostToolUse",
            "PostToolUseFailure",
            "Notification",
            "UserPromptSubmit",
            "SessionStart",
            "SessionEnd",
            "Stop",
            "SubagentStart",
            "SubagentStop",
            "PreCompact",
            "PermissionRequest",
            "Setup",
            "TeammateIdle",
            "TaskCompleted",
        ],
    );
    has(
        StopReason::KNOWN,
        &["end_turn", "max_tokens", "stop_sequence", "tool_use"],
    );
}

#[test]
fn control_protocol_coverage() {
    for request in [
        json!({"subtype": "initialize"}),
        json!({"subtype": "interrupt"}),
        json!({"subtype": "can_use_tool", "tool_name": "Bash", "input": {}, "tool_use_id": "t"}),
        json!({"subtype": "set_permission_mode", "mode": "plan"}),
        json!({"subtype": "set_model", "model": "m"}),
        json!({"subtype": "set_max_thinking_tokens", "max_thinking_tokens": 1000}),
        json!({"subtype": "mcp_status"}),
        json!({"subtype": "mcp_message", "server_name": "m", "message": {}}),
        json!({"subtype": "mcp_set_servers", "servers": {}}),
        json!({"subtype": "mcp_reconnect", "serverName": "m"}),
        json!({"subtype": "mcp_toggle", "serverName": "m", "enabled": false}),
        json!({"subtype": "hook_callback", "callback_id": "h", "input": {
            "session_id": "s", "transcript_path": "/t", "cwd": "/w", "hook_event_name": "Stop",
            "stop_hook_active": false}}),
        json!({"subtype": "rewind_files", "user_message_id": "u"}),
    ] {
        let subtype = request["subtype"].as_str().unwrap().to_owned();
        let line = json!({"type": "control_request", "request_id": "r", "request": request});
        let StdinMessage::ControlRequest(read) = from_line(line.to_string().as_bytes()).unwrap()
        else {
            panic!("{line}");
        };
        assert!(!read.request.is_unknown(), "{line}");
        assert_eq!(read.request.subtype(), subtype);
        assert_eq!(value(&read), line);
        assert!(!matches!(read.request, ControlRequestBody::Unknown(_)));
    }
    for line in [
        json!({"type": "control_response", "response":
            {"subtype": "success", "request_id": "r", "response": {"a": 1}}}),
        json!({"type": "control_response", "response":
            {"subtype": "error", "request_id": "r", "error": "no"}}),
        json!({"type": "control_cancel_request", "request_id": "r"}),
    ] {
        let read: StdinMessage = from_line(line.to_string().as_bytes()).unwrap();
        assert!(!read.is_unknown());
        assert_eq!(value(&read), line);
    }
}

#[test]
fn null_handling() {
    let answer = AssistantMessage::answer("m", vec![TextBlock::new("").into()], "s");
    let line = value(&answer);
    // Always there, and null; not there; there, and empty.
    assert_eq!(line["parent_tool_use_id"], Value::Null);
    assert!(line.as_object().unwrap().contains_key("parent_tool_use_id"));
    assert!(!line.as_object().unwrap().contains_key("error"));
    assert_eq!(line["message"]["content"][0]["text"], "");
    let zero = value(&ResultSuccess::answer("", "s"));
    assert_eq!(zero["total_cost_usd"], 0);
    assert_eq!(zero["is_error"], false);
    assert_eq!(zero["permission_denials"], json!([]));
}

#[test]
fn uuid_format() {
    let random = MessageUuid::random();
    let uuid = random.as_uuid().unwrap();
    assert_eq!(uuid.get_version_num(), 4);
    assert_eq!(uuid.hyphenated().to_string(), random.as_str());
    // What a client chose itself is kept as it is.
    let odd = UserMessage::prompt("x").uuid("NOT-a-uuid");
    assert_eq!(value(&odd)["uuid"], "NOT-a-uuid");
    assert!(odd.uuid.unwrap().as_uuid().is_none());
}

#[test]
fn usage_invariant() {
    // All four counts are there on what is built, and a count is no fraction and not negative.
    let usage = value(&ResultSuccess::answer("", "s"))["usage"].clone();
    for key in [
        "input_tokens",
        "output_tokens",
        "cache_creation_input_tokens",
        "cache_read_input_tokens",
    ] {
        assert_eq!(usage[key], 0, "{key}");
        for wrong in [json!(-1), json!(0.5), json!("1")] {
            let mut usage = usage.clone();
            usage[key] = wrong;
            assert!(serde_json::from_value::<Usage>(usage).is_err(), "{key}");
        }
    }
}

#[test]
fn model_usage_camel_case() {
    let (_, result) = classic()
        .into_iter()
        .find(|(name, _)| *name == "ResultSuccess")
        .unwrap();
    let usage = &value(&result)["modelUsage"]["claude-opus-5-5"];
    let mut keys: Vec<_> = usage
        .as_object()
        .unwrap()
        .keys()
        .map(String::as_str)
        .collect();
    keys.sort_unstable();
    assert_eq!(
        keys,
        [
            "cacheCreationInputTokens",
            "cacheReadInputTokens",
            "contextWindow",
            "costUSD",
            "inputTokens",
            "outputTokens",
            "webSearchRequests",
        ]
    );
}

#[test]
fn constructor_correctness() {
    let options = QueryOptions::default()
        .model("m")
        .cwd("/w")
        .permission_mode(PermissionMode::Plan);
    let options = options.tools(vec!["Bash".to_owned()]);
    let prompt = UserMessage::prompt("hi").session_id("s");
    let built: [(&str, Message); 6] = [
        (
            "assistant",
            AssistantMessage::answer("m", vec![], "s").into(),
        ),
        ("user", prompt.into()),
        ("result/success", ResultSuccess::answer("Four.", "s").into()),
        (
            "result/error_max_turns",
            ResultError::failure(
                ResultErrorSubtype::ErrorMaxTurns,
                vec!["why".to_owned()],
                "s",
            )
            .into(),
        ),
        (
            "system/init",
            SystemInit::from_options(&options, "2.1.329", "s").into(),
        ),
        (
            "system/compact_boundary",
            CompactBoundary::compacted(CompactTrigger::Manual, 126, "s").into(),
        ),
    ];
    let mut uuids = std::collections::HashSet::new();
    for (kind, built) in &built {
        assert_eq!(built.kind(), *kind);
        assert_eq!(built.session_id().unwrap(), "s", "{kind}");
        assert!(
            uuids.insert(built.uuid().unwrap().as_uuid().unwrap()),
            "{kind}"
        );
        assert_eq!(message(&value(built).to_string()), *built);
    }
    let [_, user, success, error, init, boundary] = built.map(|(_, built)| value(&built));
    assert_eq!(user["message"], json!({"role": "user", "content": "hi"}));
    assert_eq!(success["result"], "Four.");
    assert_eq!(
        (&error["is_error"], &error["errors"]),
        (&json!(true), &json!(["why"]))
    );
    assert_eq!((&init["cwd"], &init["model"]), (&json!("/w"), &json!("m")));
    assert_eq!(
        (&init["permissionMode"], &init["tools"]),
        (&json!("plan"), &json!(["Bash"]))
    );
    assert_eq!(
        boundary["compact_metadata"],
        json!({"trigger": "manual", "pre_tokens": 126})
    );
    assert_eq!(Content::from("hi").text(), "hi");
}

//! Control requests with their answers. The answers are what the real CLI 2.1.329 writes.

use claw_types::control::*;
use claw_types::options::{McpSdkServer, McpServerConfig, PermissionMode, ThinkingDisplay};
use claw_types::{Json, Map, StdinMessage, StdoutMessage, Tri};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::support::{assert_lossless, stdin};

/// A request becomes this, and is read back from a line as what it was.
fn asked(request: impl Into<ControlRequestBody>, wire: &Value) {
    let body: ControlRequestBody = request.into();
    assert_eq!(&serde_json::to_value(&body).unwrap(), wire);
    assert_eq!(body.subtype(), wire["subtype"].as_str().unwrap());
    let line = json!({"type": "control_request", "request_id": "r", "request": wire}).to_string();
    let StdinMessage::ControlRequest(read) = stdin(&line) else {
        panic!("{line}")
    };
    assert_eq!(read.request, body, "{line}");
    assert!(!body.is_unknown());
}

/// An answer is read whole, and sent on as it came.
fn answered<R: Request>(wire: &Value) -> R::Response
where
    R::Response: Serialize + DeserializeOwned + std::fmt::Debug,
{
    let text = wire.to_string();
    let read: R::Response = serde_json::from_str(&text).unwrap();
    assert_lossless(&read, &text);
    let shown = format!("{read:#?}");
    assert!(!shown.contains("extra: {\n"), "{shown}");
    read
}

#[test]
fn permission_mode() {
    asked(
        SetPermissionMode::new(PermissionMode::AcceptEdits),
        &json!({"subtype": "set_permission_mode", "mode": "acceptEdits"}),
    );
    let answer = answered::<SetPermissionMode>(&json!({"mode": "acceptEdits"}));
    assert_eq!(answer.unwrap().mode, Some(PermissionMode::AcceptEdits));
    assert_eq!(
        answered::<SetPermissionMode>(&json!({})).unwrap().mode,
        None
    );
    assert!(answered::<SetPermissionMode>(&Value::Null).is_none());
}

#[test]
fn model() {
    asked(
        SetModel::new().model("haiku"),
        &json!({"subtype": "set_model", "model": "haiku"}),
    );
    asked(SetModel::new(), &json!({"subtype": "set_model"}));
    let mut default = SetModel::new();
    default.model = Tri::Null;
    asked(default, &json!({"subtype": "set_model", "model": null}));
    let answer = answered::<SetModel>(&json!({"model": "claude-haiku-5-5"}));
    assert_eq!(answer.unwrap().model, "claude-haiku-5-5");
}

#[test]
fn max_thinking_tokens() {
    asked(
        SetMaxThinkingTokens::new().max_thinking_tokens(1000),
        &json!({"subtype": "set_max_thinking_tokens", "max_thinking_tokens": 1000}),
    );
    let mut reset = SetMaxThinkingTokens::new().thinking_display(ThinkingDisplay::Omitted);
    reset.max_thinking_tokens = Tri::Null;
    asked(
        reset,
        &json!({"subtype": "set_max_thinking_tokens", "max_thinking_tokens": null,
            "thinking_display": "omitted"}),
    );
    // Its answer carries nothing.
    assert!(answered::<SetMaxThinkingTokens>(&Value::Null).is_none());
}

#[test]
fn interrupt() {
    asked(Interrupt::new(), &json!({"subtype": "interrupt"}));
    let answer = answered::<Interrupt>(&json!({"still_queued": []}));
    assert!(answer.unwrap().still_queued.is_empty());
    let answer = answered::<Interrupt>(&json!({"still_queued": ["a"], "cancelled": ["b"]}));
    assert_eq!(answer.unwrap().cancelled.unwrap().len(), 1);
    assert!(answered::<Interrupt>(&Value::Null).is_none());
}

#[test]
fn mcp_status() {
    asked(McpStatus::new(), &json!({"subtype": "mcp_status"}));
    asked(
        McpStatus::new().live_reply(true),
        &json!({"subtype": "mcp_status", "liveReply": true}),
    );
    let answer = answered::<McpStatus>(&json!({"mcpServers": [
        {"name": "s", "status": "connected", "serverInfo": {"name": "fake", "version": "1"},
         "config": {"type": "stdio", "command": "python3", "args": ["serve.py"]},
         "transport": "stdio", "scope": "dynamic", "source": "dynamic",
         "tools": [{"name": "add", "annotations": {"readOnly": true}}]},
        {"name": "h", "status": "pending", "config": {"type": "http",
            "url": "http://127.0.0.1:1/mcp", "headers": {"X": "y"}}, "transport": "http",
         "scope": "dynamic", "source": "dynamic"},
        {"name": "bad", "status": "failed", "error": "ENOENT", "config": {"type": "stdio",
            "command": "/nowhere", "args": []}, "transport": "stdio", "scope": "dynamic",
         "source": "dynamic"},
        {"name": "off", "status": "disabled"}]}));
    let statuses: Vec<_> = answer
        .mcp_servers
        .iter()
        .map(|server| &server.status)
        .collect();
    assert_eq!(
        statuses,
        [
            &McpConnection::Connected,
            &McpConnection::Pending,
            &McpConnection::Failed,
            &McpConnection::Disabled
        ]
    );
    let tools = answer.mcp_servers[0].tools.as_deref().unwrap();
    assert_eq!(tools[0].annotations.as_ref().unwrap().read_only, Some(true));
}

#[test]
fn mcp_servers_are_set() {
    let servers: Map<McpServerConfig> = [
        ("d", McpServerConfig::stdio("serve", ["-v"])),
        ("k", McpSdkServer::new("k").into()),
    ]
    .into_iter()
    .collect();
    asked(
        McpSetServers::new(servers),
        &json!({"subtype": "mcp_set_servers", "servers": {
            "d": {"command": "serve", "args": ["-v"]}, "k": {"type": "sdk", "name": "k"}}}),
    );
    let answer = answered::<McpSetServers>(
        &json!({"added": ["d", "x"], "removed": [], "errors": {"x": "no"}}),
    );
    assert_eq!(answer.errors.get("x").unwrap(), "no");
}

#[test]
fn mcp_servers_by_name() {
    asked(
        McpReconnect::new("s"),
        &json!({"subtype": "mcp_reconnect", "serverName": "s"}),
    );
    asked(
        McpToggle::new("s", false),
        &json!({"subtype": "mcp_toggle", "serverName": "s", "enabled": false}),
    );
    assert!(answered::<McpReconnect>(&Value::Null).is_none());
    assert!(answered::<McpToggle>(&Value::Null).is_none());
}

#[test]
fn mcp_messages_go_both_ways() {
    let message = json!({"jsonrpc": "2.0", "method": "tools/list", "id": 1});
    let wire = json!({"subtype": "mcp_message", "server_name": "k", "message": message});
    asked(McpMessage::new("k", Json::from(message)), &wire);
    let line = json!({"type": "control_request", "request_id": "r", "request": wire}).to_string();
    let StdoutMessage::ControlRequest(read) = crate::support::stdout(&line) else {
        panic!("{line}")
    };
    assert!(matches!(read.request, ControlRequestBody::McpMessage(_)));
    let reply = json!({"mcp_response": {"jsonrpc": "2.0", "id": 0, "result": {}}});
    assert!(answered::<McpMessage>(&reply).is_some());
    // The CLI's own answer carries nothing.
    assert!(answered::<McpMessage>(&Value::Null).is_none());
}

#[test]
fn files_are_rewound() {
    asked(
        RewindFiles::new("m").dry_run(true),
        &json!({"subtype": "rewind_files", "user_message_id": "m", "dry_run": true}),
    );
    let dry = answered::<RewindFiles>(&json!({"canRewind": true, "filesChanged": ["/a"],
        "insertions": 0, "deletions": 1}));
    assert!(dry.can_rewind);
    let done = answered::<RewindFiles>(&json!({"canRewind": true, "skippedLinks": 0}));
    assert_eq!(done.files_changed, None);
    answered::<RewindFiles>(&json!({"canRewind": false, "error": "no"}));
}

#[test]
fn an_initialize_with_everything() {
    let wire = json!({"subtype": "initialize", "systemPrompt": [""], "appendSystemPrompt": "a",
        "systemPromptSnapshot": true, "excludeDynamicSections": true, "planModeInstructions": "p",
        "toolAliases": {"Bash": "mcp__x__y"},
        "hooks": {"PreToolUse": [{"hookCallbackIds": ["hook_0"], "onFailure": "block"}]},
        "agents": {"a": {"description": "d", "prompt": "p"}}, "title": "t",
        "jsonSchema": {"type": "object"}, "sdkMcpServers": ["k"],
        "sdkMcpServerConfigs": {"k": {"timeout": 2000, "tools": [{"name": "t"}]}},
        "sdkMcpServerManifests": {"k": {"initializeResult": {"protocolVersion": "2025-11-25"},
            "toolsListResult": {"tools": []}}},
        "sdkMcpServerManifestsOrigin": "host_per_send", "skills": ["s"],
        "promptSuggestions": true, "agentProgressSummaries": true, "forwardSubagentText": true,
        "supportedDialogKinds": ["x"], "perTaskStopAffordance": true,
        "plugins": [{"type": "local", "path": "/p"}],
        "mcpServers": {"s": {"command": "serve", "env": {"KEY": "hunter2"}}},
        "settings": {"env": {"KEY": "hunter2"}}, "managedSettings": {"env": {"KEY": "hunter2"}},
        "disallowedTools": ["Bash"]});
    let read: Initialize = serde_json::from_value(wire.clone()).unwrap();
    let shown = format!("{read:#?} {read:?}");
    assert!(!shown.contains("hunter2"), "{shown}");
    assert!(!shown.contains("extra: {\n"), "{shown}");
    asked(read, &wire);
}

#[test]
fn the_answer_to_initialize() {
    let answer = answered::<Initialize>(&json!({
        "commands": [{"name": "compact", "description": "d", "argumentHint": "", "builtin": true}],
        "agents": [{"name": "Explore", "description": "d"}], "output_style": "default",
        "available_output_styles": ["default", "Learning"],
        "user_output_styles_dir": "/home/user/.claude/output-styles",
        "models": [{"value": "default", "resolvedModel": "claude-opus-5-5", "displayName": "Default",
            "description": "d", "supportsEffort": true, "supportedEffortLevels": ["low", "max"],
            "supportsAdaptiveThinking": true, "supportsFastMode": true, "supportsAutoMode": true,
            "supportsThinkingOff": false}],
        "account": {"tokenSource": "none", "apiKeySource": "ANTHROPIC_API_KEY",
            "apiProvider": "firstParty"},
        "pid": 32189, "claude_code_version": "2.1.329", "current_permission_mode": "default",
        "hook_on_failure_supported": true, "hooks_when_unanswered_kept": 0,
        "other_hook_ask_outranks_host": true, "feedback_mode": {"kind": "disabled"},
        "analytics_disabled": true, "remote_control_auto_enable": false,
        "remote_control_auto_connect_default": false, "remote_control_available": false,
        "remote_control_auto_on_by_default": false, "ide_rc_auto_enable_gate": false,
        "fast_mode_state": "off", "fast_mode_disabled_reason": "sdk_opt_in_required",
        "session_state": "idle", "capabilities": ["ui_surface_v1"], "settings_applied": true,
        "disallowed_tools_applied": true, "mcp_servers_applied": true, "plugins_applied": true,
        "managed_settings_applied": true, "hooks_applied": true,
        "sdk_mcp_manifests_parked": {"k": "parked"}}));
    assert_eq!(answer.mcp_servers_applied, Some(true));
    let parked = answer.sdk_mcp_manifests_parked.unwrap();
    assert_eq!(parked.get("k"), Some(&ManifestOutcome::Parked));
}

#[test]
fn an_mcp_server_asks() {
    let wire = json!({"subtype": "elicitation", "mcp_server_name": "s", "message": "m",
        "mode": "form", "url": "https://x.example", "elicitation_id": "e",
        "requested_schema": {"type": "object"}, "property_order": ["a"], "title": "t",
        "display_name": "S", "description": "d"});
    let read: Elicitation = serde_json::from_value(wire.clone()).unwrap();
    assert!(!format!("{read:#?}").contains("extra: {\n"));
    asked(read, &wire);
    let answer = answered::<Elicitation>(&json!({"action": "accept", "content": {"a": 1}}));
    assert!(answer.content.is_some());
    answered::<Elicitation>(&json!({"action": "decline"}));
}

#[test]
fn a_dialog_is_shown() {
    let wire = json!({"subtype": "request_user_dialog", "dialog_kind": "k", "payload": {"a": 1}});
    asked(
        RequestUserDialog::new("k", Json::from(json!({"a": 1}))),
        &wire,
    );
    let done = answered::<RequestUserDialog>(&json!({"behavior": "completed", "result": 3}));
    assert!(matches!(done, UserDialogResponse::Completed(_)));
    let gone = answered::<RequestUserDialog>(&json!({"behavior": "cancelled"}));
    assert_eq!(gone, DialogCancelled::new().into());
}

#[test]
fn tasks_and_prompts_that_wait() {
    asked(
        StopTask::new("t"),
        &json!({"subtype": "stop_task", "task_id": "t"}),
    );
    assert!(answered::<StopTask>(&json!({})).is_some());
    asked(
        BackgroundTasks::new().tool_use_id("t"),
        &json!({"subtype": "background_tasks", "tool_use_id": "t"}),
    );
    let answer = answered::<BackgroundTasks>(&json!({"backgrounded": false}));
    assert_eq!(answer.unwrap().backgrounded, Some(false));
    answered::<BackgroundTasks>(&json!({}));
    asked(
        CancelAsyncMessage::new("m"),
        &json!({"subtype": "cancel_async_message", "message_uuid": "m"}),
    );
    assert!(!answered::<CancelAsyncMessage>(&json!({"cancelled": false})).cancelled);
    answered::<CancelAsyncMessage>(&json!({"cancelled": true, "message_uuid": "m"}));
}

#[test]
fn settings_and_files() {
    let settings = ApplyFlagSettings::new(Json::from(json!({"env": {"KEY": "hunter2"}})));
    assert!(!format!("{settings:?}").contains("hunter2"));
    asked(
        settings,
        &json!({"subtype": "apply_flag_settings", "settings": {"env": {"KEY": "hunter2"}}}),
    );
    assert!(answered::<ApplyFlagSettings>(&Value::Null).is_none());
    asked(
        SeedReadState::new("/a", 1.5),
        &json!({"subtype": "seed_read_state", "path": "/a", "mtime": 1.5}),
    );
    assert!(answered::<SeedReadState>(&Value::Null).is_none());
}

//! Every request that hosts can send beyond the classic ones, built by its constructors, and answers
//! that no recording has.

use claw_types::control::internal::*;
use claw_types::control::*;
use claw_types::message::internal::{PeerScope, PeerSessionClass};
use claw_types::options::{PermissionMode, Plugin};
use claw_types::{Map, Tri};
use serde::Serialize;
use serde_json::{Value, json};

use crate::support::assert_lossless;

/// A request becomes this, and is read back from it.
fn asked(request: impl Into<ControlRequestBody>, wire: &Value) {
    let body = request.into();
    assert_eq!(&serde_json::to_value(&body).unwrap(), wire);
    let read: ControlRequestBody = serde_json::from_value(wire.clone()).unwrap();
    assert_eq!(read, body);
    assert!(!read.is_unknown(), "{wire}");
}

/// An answer is read whole, and sent on as it came.
fn answered<R: Request>(wire: &Value) -> R::Response
where
    R::Response: Serialize + std::fmt::Debug,
{
    let text = wire.to_string();
    let read: R::Response = serde_json::from_str(&text).unwrap();
    assert_lossless(&read, &text);
    let shown = format!("{read:#?}");
    assert!(!shown.contains("extra: {\n"), "{shown}");
    read
}

#[test]
fn those_that_only_ask() {
    let asks: [(ControlRequestBody, &str); 15] = [
        (GetSessionCost::new().into(), "get_session_cost"),
        (ListModels::new().into(), "list_models"),
        (ListPermissionRules::new().into(), "list_permission_rules"),
        (GetHooksListing::new().into(), "get_hooks_listing"),
        (ReloadSkills::new().into(), "reload_skills"),
        (ReloadOutputStyles::new().into(), "reload_output_styles"),
        (GetSettings::new().into(), "get_settings"),
        (GetBinaryVersion::new().into(), "get_binary_version"),
        (PromptDraftActivity::new().into(), "prompt_draft_activity"),
        (GetStatus::new().into(), "get_status"),
        (ExportConversation::new().into(), "export_conversation"),
        (GetSkillsDialog::new().into(), "get_skills_dialog"),
        (GetMemoryDialog::new().into(), "get_memory_dialog"),
        (GetPlan::new().into(), "get_plan"),
        (GetWorkspaceDiff::new().into(), "get_workspace_diff"),
    ];
    for (body, subtype) in asks {
        asked(body, &json!({ "subtype": subtype }));
    }
    asked(
        GetSandboxDialog::new(),
        &json!({"subtype": "get_sandbox_dialog"}),
    );
}

#[test]
fn context_and_usage() {
    asked(
        GetContextUsage::new().detail(ContextDetail::Summary),
        &json!({"subtype": "get_context_usage", "detail": "summary"}),
    );
    asked(
        GetUsage::new().skip_behaviors(true),
        &json!({"subtype": "get_usage", "skip_behaviors": true}),
    );
    let window = json!({"utilization": 12.5, "resets_at": "2026-11-22T00:00:00Z"});
    let period = json!({"request_count": 9, "session_count": 2,
        "behaviors": [{"key": "long_context", "pct": 40, "count": 3}],
        "recommendations": [{"key": "long_context", "pct": 40, "title": "Clear", "detail": "/clear"}],
        "fix": {"keys": ["long_context"], "messages": ["/clear"]},
        "agents": [{"name": "Explore", "pct": 10}], "skills": [], "plugins": [], "mcp_servers": []});
    let usage = answered::<GetUsage>(&json!({
        "session": {"total_cost_usd": 0.5, "total_api_duration_ms": 1, "total_duration_ms": 2,
            "total_lines_added": 3, "total_lines_removed": 4, "model_usage": {}},
        "subscription_type": "max", "rate_limits_available": true,
        "rate_limits": {"five_hour": window, "seven_day": null,
            "model_scoped": [{"display_name": "M", "utilization": null, "resets_at": null}],
            "extra_usage": {"is_enabled": true, "monthly_limit": null, "used_credits": 1.5,
                "utilization": null, "currency": "USD"}},
        "behaviors": {"day": period, "week": period}}));
    let behaviors = usage.behaviors.unwrap();
    assert_eq!(
        behaviors.day.behaviors[0].key,
        UsageBehaviorKey::LongContext
    );
}

#[test]
fn plugins_and_roots() {
    asked(
        ReloadPlugins::new()
            .hold_on_cache_impact(true)
            .add_plugins(vec![Plugin::local("/p")])
            .refuse_if_busy(true),
        &json!({"subtype": "reload_plugins", "hold_on_cache_impact": true,
            "add_plugins": [{"type": "local", "path": "/p"}], "refuse_if_busy": true}),
    );
    let held = answered::<ReloadPlugins>(&json!({"commands": [], "agents": [], "plugins": [],
        "mcpServers": [], "error_count": 0, "held": true, "cache_impact": {
            "mcp_servers_added": ["plugin:p:s"], "mcp_servers_removed": [],
            "lsp_tool_change": "may-add"}}));
    let impact = held.cache_impact.unwrap();
    assert_eq!(impact.lsp_tool_change, Some(LspToolChange::MayAdd));
    asked(
        RegisterRepoRoot::new("/d")
            .reload_claude_md(true)
            .reload_plugins(true)
            .reload_skills(true),
        &json!({"subtype": "register_repo_root", "directory": "/d", "reload_claude_md": true,
            "reload_plugins": true, "reload_skills": true}),
    );
}

#[test]
fn files_and_tasks() {
    asked(
        ReadFile::new("a")
            .max_bytes(3)
            .encoding(FileEncoding::Base64),
        &json!({"subtype": "read_file", "path": "a", "max_bytes": 3, "encoding": "base64"}),
    );
    asked(
        FileSuggestions::new("a"),
        &json!({"subtype": "file_suggestions", "query": "a"}),
    );
    asked(
        GetTaskOutput::new("t"),
        &json!({"subtype": "get_task_output", "task_id": "t"}),
    );
}

#[test]
fn settings_are_written() {
    asked(
        UpdateSettings::new(
            WritableSettings::LocalSettings,
            json!({"outputStyle": "Learning"}),
        ),
        &json!({"subtype": "update_settings", "source": "localSettings",
            "settings": {"outputStyle": "Learning"}}),
    );
}

#[test]
fn mcp_servers_are_used() {
    asked(
        McpCall::new("mcp__s__t")
            .arguments(json!({"a": "{{in:x}}"}))
            .expires_at("2999-01-01T00:00:00Z")
            .timeout_ms(1000)
            .result_not_for_model(true)
            .check_permissions(true)
            .soft_error_result(true)
            .input_files(vec![McpCallInput::new("x", "/x")])
            .output_files(vec![McpCallOutput::new("y", "/y").if_match("e")]),
        &json!({"subtype": "mcp_call", "tool": "mcp__s__t", "arguments": {"a": "{{in:x}}"},
            "expires_at": "2999-01-01T00:00:00Z", "timeout_ms": 1000, "result_not_for_model": true,
            "check_permissions": true, "soft_error_result": true, "input_files": [{"name": "x", "lane_path": "/x"}],
            "output_files": [{"name": "y", "lane_path": "/y", "if_match": "e"}]}),
    );
    let stored = answered::<McpCall>(&json!({"content": "done", "_meta": {"a": 1}, "staging": {
        "ok": true, "outputs": [{"lane_path": "/y", "etag": "e", "bytes": 3}],
        "inputs_used": [{"lane_path": "/x", "etag": "f"}]}}));
    assert_eq!(stored.staging.unwrap().outputs.unwrap()[0].bytes, 3);
    let failed = answered::<McpCall>(&json!({"content": [{"type": "text", "text": "no"}],
        "structuredContent": {"code": 7}, "isError": true}));
    assert_eq!(failed.is_error, Some(true));
    asked(
        McpReadResource::new("s", "ui://a"),
        &json!({"subtype": "mcp_read_resource", "serverName": "s", "uri": "ui://a"}),
    );
    asked(
        SetMcpPermissionModeOverride::new("s")
            .mode(PermissionMode::Default)
            .ask_for_tools(vec![McpToolName::new("t")]),
        &json!({"subtype": "set_mcp_permission_mode_override", "serverName": "s",
            "mode": "default", "askForTools": [{"name": "t"}]}),
    );
    asked(
        SetMcpPermissionModeOverride::new("s"),
        &json!({"subtype": "set_mcp_permission_mode_override", "serverName": "s", "mode": null}),
    );
    asked(
        McpAuthenticate::new("s")
            .redirect_uri("http://x")
            .redirect_uri_only(true),
        &json!({"subtype": "mcp_authenticate", "serverName": "s", "redirectUri": "http://x",
            "redirectUriOnly": true}),
    );
    asked(
        McpClearAuth::new("s"),
        &json!({"subtype": "mcp_clear_auth", "serverName": "s"}),
    );
    let callback = McpOauthCallbackUrl::new("s", "http://x?code=hunter2");
    assert!(!format!("{callback:?}").contains("hunter2"));
    asked(
        callback,
        &json!({"subtype": "mcp_oauth_callback_url", "serverName": "s",
            "callbackUrl": "http://x?code=hunter2"}),
    );
    asked(
        ChannelEnable::new("s"),
        &json!({"subtype": "channel_enable", "serverName": "s"}),
    );
}

#[test]
fn beside_the_conversation() {
    asked(
        SideQuestion::new("q").history(vec![SideAnswer::new("a", "b")]),
        &json!({"subtype": "side_question", "question": "q",
            "history": [{"question": "a", "response": "b"}]}),
    );
    assert!(
        answered::<SideQuestion>(&json!({"response": null}))
            .response
            .is_none()
    );
    asked(
        GenerateSessionTitle::new("d").persist(true),
        &json!({"subtype": "generate_session_title", "description": "d", "persist": true}),
    );
}

#[test]
fn what_hosts_say() {
    asked(
        RenameSession::new("t")
            .source(TitleSource::Host)
            .session_id("s"),
        &json!({"subtype": "rename_session", "title": "t", "source": "host", "session_id": "s"}),
    );
    asked(
        SetColor::new("red"),
        &json!({"subtype": "set_color", "color": "red"}),
    );
    asked(
        SetHasSubscribers::new(),
        &json!({"subtype": "set_has_subscribers", "has_subscribers": null}),
    );
    asked(
        SetHasSubscribers::new().has_subscribers(false),
        &json!({"subtype": "set_has_subscribers", "has_subscribers": false}),
    );
    asked(
        SetPromptSuggestionsPaused::new(true),
        &json!({"subtype": "set_prompt_suggestions_paused", "paused": true}),
    );
    asked(
        SetMessageWaiting::new(true),
        &json!({"subtype": "set_message_waiting", "waiting": true}),
    );
    asked(
        MessageRated::new("m", Sentiment::Negative)
            .surface(RatedSurface::ToolUse)
            .cleared(false),
        &json!({"subtype": "message_rated", "messageUuid": "m", "sentiment": "negative",
            "surface": "tool_use", "cleared": false}),
    );
    asked(
        SubmitFeedback::new("d")
            .kind("idea")
            .attach_transcript(false),
        &json!({"subtype": "submit_feedback", "description": "d", "type": "idea",
            "attach_transcript": false}),
    );
}

#[test]
fn where_the_session_is() {
    asked(
        SetCwd::new("/d")
            .trust_accepted(true)
            .trusted_directory("/d"),
        &json!({"subtype": "set_cwd", "path": "/d", "trust_accepted": true,
            "trusted_directory": "/d"}),
    );
    let claim = ClaimSession::new("/d")
        .env(Map::from_iter([("KEY", "hunter2".to_owned())]))
        .permission_mode(PermissionMode::Plan)
        .workspace_trust(WorkspaceTrust::new(true, "/d"));
    assert!(!format!("{claim:?}").contains("hunter2"));
    asked(
        claim,
        &json!({"subtype": "claim_session", "cwd": "/d", "env": {"KEY": "hunter2"},
            "permission_mode": "plan", "workspace_trust": {"accepted": true, "directory": "/d"}}),
    );
    let plan = answered::<GetPlan>(&json!({"exists": true, "content": "# Plan", "path": "/p.md"}));
    assert_eq!(plan.content.unwrap(), "# Plan");
    let diff = answered::<GetWorkspaceDiff>(&json!({"diff": {
        "stats": {"filesCount": 1, "linesAdded": 1, "linesRemoved": 0},
        "perFileStats": [{"path": "a", "added": 1, "removed": 0, "isBinary": false,
            "isUntracked": true, "status": "added", "uncommittedStatus": "none"}],
        "hunks": [], "lineCapped": ["c"], "uncommittedHunks": [{"path": "c", "added": 1, "removed": 0,
            "hunks": []}], "skippedLarge": ["b"], "restricted": [],
        "source": {"kind": "branch", "baseBranch": "main", "baseRef": "0a"}}}));
    let diff = diff.diff.unwrap();
    assert_eq!(
        diff.per_file_stats[0].uncommitted_status,
        Some(DiffStatus::Unchanged)
    );
    assert!(matches!(diff.source, DiffSource::Branch(_)));
}

#[test]
fn messages_from_other_sessions() {
    asked(
        DecideHeldPeerMessage::new("h", HeldPeerDecision::Deliver).always(PeerDelivery::new(
            PeerScope::Mine,
            PeerSessionClass::Prompting,
        )),
        &json!({"subtype": "decide_held_peer_message", "hold_id": "h", "decision": "deliver",
            "always": {"scope": "mine", "made_in": "prompting"}}),
    );
    let session =
        json!({"scope": "anyone", "made_in": "bypass", "session_id": "s", "paused": false});
    let decided = answered::<DecideHeldPeerMessage>(&json!({"outcome": "not-decidable",
        "always_deliver": {"session": session, "account": false}}));
    assert_eq!(decided.outcome, HeldPeerOutcome::NotDecidable);
    asked(
        SetPeerDelivery::new()
            .shows_held_messages(true)
            .session(SessionPeerDelivery::new(
                PeerScope::Mine,
                PeerSessionClass::Bypass,
                "s",
            ))
            .account(false),
        &json!({"subtype": "set_peer_delivery", "shows_held_messages": true, "account": false,
            "session": {"scope": "mine", "made_in": "bypass", "session_id": "s"}}),
    );
    let mut ended = SetPeerDelivery::new();
    ended.session = Tri::Null;
    asked(
        ended,
        &json!({"subtype": "set_peer_delivery", "session": null}),
    );
    let set =
        answered::<SetPeerDelivery>(&json!({"always_deliver": {"session": null, "account": true}}));
    assert!(set.always_deliver.account);
}

#[test]
fn pages() {
    let memory = answered::<GetMemoryDialog>(&json!({"files": [], "folders": [],
        "memories": [{"name": "n", "path": "/m", "description": null, "type": "user",
            "modified_ms": 1.5}],
        "auto_memory": {"enabled": true, "toggleable": true, "status": "on"},
        "auto_dream": {"shown": false, "enabled": false, "toggleable": true, "status": "off",
            "detail": ""}}));
    assert_eq!(memory.memories.unwrap()[0].kind, Some(MemoryType::User));
    let hooks = answered::<GetHooksListing>(&json!({"events": [], "hooks": [{"event": "Stop",
            "matcher": "", "source": "policySettings", "sourceLabel": "Managed", "type": "command",
            "displayText": "x", "commandText": "x", "contentLabel": "Command", "disabled": true}],
        "eventCatalog": [], "policy": {"disabledByPolicy": true, "managedOnly": false,
            "pluginOnly": false, "allDisabled": true, "policyHookCount": 1,
            "policyUnreadable": true},
        "safeMode": {"managedHooksStillApply": true, "exitHint": "h"}, "bareMode": {"exitHint": "h"},
        "errors": [{"file": "/f", "path": "hooks", "message": "m"}]}));
    assert!(hooks.hooks[0].disabled.is_some());
}

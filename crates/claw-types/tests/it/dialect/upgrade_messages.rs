//! What messages of the conversation become, field by field.

use claw_types::Message;
use claw_types::api::{ContentBlock, StopReason};
use claw_types::dialect::{Dialect, Fill, Today, UpgradeError};
use claw_types::message::{ApiKeySource, CompactTrigger, NonExecutionKind};
use claw_types::options::PermissionMode;
use serde_json::{Value, json};

use super::documents::example;
use super::{MAPPING, REFERENCE, SCHEMA, SPECIFICATION, becomes, fill, read, upgrade};

fn no_usage() -> Value {
    json!({"input_tokens": 0, "output_tokens": 0})
}

/// An answer of the reference: everything but content and role is the fill's.
fn filled_assistant(content: &Value, more: &Value) -> Value {
    let mut line = json!({
        "type": "assistant",
        "message": {
            "type": "message", "id": "msg_fill", "role": "assistant", "model": "fill-model",
            "content": content, "stop_reason": null, "stop_sequence": null, "usage": no_usage()
        },
        "parent_tool_use_id": null, "uuid": "fill-uuid", "session_id": "fill-session"
    });
    for (key, value) in more.as_object().unwrap() {
        line[key] = value.clone();
    }
    line
}

#[test]
fn an_answer_without_uuid_and_parent() {
    becomes(
        SCHEMA,
        "assistant_with_tool_use",
        &[json!({
            "type": "assistant",
            "message": {
                "type": "message", "id": "msg_01ABC", "role": "assistant",
                "model": "claude-opus-4-20250514",
                "content": [
                    {"type": "text", "text": "I'll create that file for you."},
                    {"type": "tool_use", "id": "toolu_01XYZ", "name": "Write",
                     "input": {"file_path": "/path/to/file.txt", "content": "File contents"}}
                ],
                "stop_reason": "tool_use", "stop_sequence": null,
                "usage": {"input_tokens": 4, "cache_creation_input_tokens": 12,
                    "cache_read_input_tokens": 300, "output_tokens": 25, "service_tier": "standard"}
            },
            "parent_tool_use_id": null, "uuid": "fill-uuid", "session_id": "abc-123"
        })],
    );
}

#[test]
fn an_answer_of_the_specification() {
    becomes(
        SPECIFICATION,
        "assistant",
        &[json!({
            "type": "assistant",
            "message": {
                "id": "msg_01", "type": "message", "role": "assistant",
                "content": [
                    {"type": "text", "text": "Let me look."},
                    {"type": "tool_use", "id": "toolu_01", "name": "Read",
                     "input": {"file_path": "/work/project/a.txt"}}
                ],
                "model": "claude-sonnet-4", "stop_reason": "max_tokens", "stop_sequence": null,
                "usage": {"input_tokens": 10, "output_tokens": 20}
            },
            "parent_tool_use_id": null, "uuid": "fill-uuid", "session_id": "sess_123"
        })],
    );
}

#[test]
fn an_answer_that_is_content_alone() {
    let text = "I'll run the test suite now. Running test 5 of 20...";
    becomes(
        SPECIFICATION,
        "claude_code_output",
        &[filled_assistant(
            &json!([{"type": "text", "text": text}]),
            &json!({"session_id": "sess_123"}),
        )],
    );
}

#[test]
fn answers_with_role_content_and_duration() {
    let text = |text: &str| json!({"type": "text", "text": text});
    let bash = json!({"type": "tool_use", "id": "toolu_01ABC", "name": "bash", "input": {"command": "ls -la"}});
    becomes(
        REFERENCE,
        "assistant",
        &[filled_assistant(
            &json!([text("I'll check that for you."), bash]),
            &json!({"duration_ms": 250}),
        )],
    );
    becomes(
        REFERENCE,
        "parsing_example",
        &[filled_assistant(&json!([text("Hello!")]), &json!({}))],
    );
    becomes(
        REFERENCE,
        "assistant_minimal",
        &[filled_assistant(&json!([]), &json!({}))],
    );
    becomes(
        REFERENCE,
        "assistant_nested",
        &[filled_assistant(
            &json!([text("From below.")]),
            &json!({"parent_tool_use_id": "toolu_01ABC"}),
        )],
    );
    let thinking =
        "Let me analyze this request. The user wants to list files, so I should use the bash tool.";
    becomes(
        REFERENCE,
        "wire_thinking",
        &[filled_assistant(
            &json!([
                {"type": "thinking", "thinking": thinking, "signature": ""},
                text("I'll list the files for you.")
            ]),
            &json!({"duration_ms": 234}),
        )],
    );
}

#[test]
fn a_flat_answer_is_put_together() {
    becomes(
        SCHEMA,
        "assistant",
        &[json!({
            "type": "assistant",
            "message": {
                "type": "message", "id": "msg_01ABC", "role": "assistant",
                "model": "claude-opus-4-20250514",
                "content": [
                    {"type": "text", "text": "I'll create that file for you."},
                    {"type": "tool_use", "id": "toolu_01XYZ", "name": "Write",
                     "input": {"file_path": "/path/to/file.txt"}}
                ],
                "stop_reason": "tool_use", "stop_sequence": null,
                "usage": {"input_tokens": 4, "cache_creation_input_tokens": 12,
                    "cache_read_input_tokens": 300, "output_tokens": 25, "service_tier": "standard"}
            },
            "parent_tool_use_id": null, "uuid": "fill-uuid", "session_id": "abc-123"
        })],
    );
    let line = example(SCHEMA, "assistant").value();
    assert!(
        matches!(read(&line), Dialect::FlatAssistant(old) if old.stop_reason.value() == Some(&StopReason::ToolUse))
    );
}

#[test]
fn what_the_user_said() {
    let result = json!({"type": "tool_result", "tool_use_id": "toolu_01XYZ",
        "content": "File created successfully", "is_error": false});
    let user = |content: Value, session: &str| {
        json!({"type": "user", "message": {"role": "user", "content": content},
            "parent_tool_use_id": null, "uuid": "fill-uuid", "session_id": session})
    };
    becomes(
        SCHEMA,
        "user_with_tool_result",
        &[user(json!([result]), "abc-123")],
    );
    becomes(
        SPECIFICATION,
        "user",
        &[user("Run the tests.".into(), "sess_123")],
    );
    let listing = "total 42\ndrwxr-xr-x  5 user staff  160 Jan  1 00:00 .\n-rw-r--r--  1 user staff 1234 Jan  1 00:00 Cargo.toml";
    becomes(
        REFERENCE,
        "user_tool_result",
        &[user(
            json!([{"type": "tool_result", "tool_use_id": "toolu_01ABC", "content": listing, "is_error": false}]),
            "fill-session",
        )],
    );
}

#[test]
fn what_the_user_said_flat() {
    becomes(
        SCHEMA,
        "user",
        &[json!({
            "type": "user",
            "message": {"role": "user", "content": [{"type": "tool_result",
                "tool_use_id": "toolu_01XYZ", "content": "File created successfully",
                "is_error": null}]},
            "parent_tool_use_id": "toolu_01PARENT", "uuid": "fill-uuid", "session_id": "abc-123"
        })],
    );
}

#[test]
fn a_denial_is_a_result_that_failed() {
    let line = example(SCHEMA, "permission_denied").value();
    let today = upgrade(&line, &fill()).unwrap();
    let denied: Vec<_> = today.message().unwrap().tool_results().collect();
    assert_eq!(denied.len(), 1);
    assert_eq!(denied[0].is_error, Some(true));
    assert_eq!(
        denied[0].content.as_ref().unwrap().text(),
        "Permission to use Write has been denied."
    );
    assert_eq!(denied[0].denial(), Some(NonExecutionKind::PermissionRule));
}

#[test]
fn an_envelope_keeps_what_today_does_not_know() {
    becomes(
        MAPPING,
        "message",
        &[json!({
            "id": 11751, "session_id": "uuid", "type": "assistant", "uuid": "message-uuid",
            "timestamp": "2025-12-22T03:14:37.482Z", "git_branch": "main",
            "message": {
                "type": "message", "id": "msg_fill", "model": "claude-opus-4-5-20251101",
                "role": "assistant", "content": [{"type": "text", "text": "All tests pass."}],
                "stop_reason": null, "stop_sequence": null, "usage": no_usage()
            },
            "parent_tool_use_id": null
        })],
    );
    let line = example(MAPPING, "message").value();
    let today = upgrade(&line, &fill()).unwrap();
    let Some(Message::Assistant(answer)) = today.message() else {
        panic!();
    };
    assert_eq!(
        answer.timestamp.as_deref(),
        Some("2025-12-22T03:14:37.482Z")
    );
    assert_eq!(answer.extra.get("id").unwrap().as_raw(), "11751");
    assert_eq!(answer.extra.get("git_branch").unwrap().as_raw(), "\"main\"");
    becomes(
        MAPPING,
        "user_message",
        &[json!({
            "id": 11752, "session_id": "uuid", "type": "user", "uuid": "message-uuid-2",
            "timestamp": "2025-12-22T03:14:39.002Z", "git_branch": "main",
            "message": {"role": "user", "content": [{
                "tool_use_id": "toolu_01WsXSkUTbZZEMNZH8bzDsVy", "type": "tool_result",
                "content": "PASS", "is_error": false
            }]},
            "parent_tool_use_id": null
        })],
    );
    let line = example(MAPPING, "caveat").value();
    let today = upgrade(&line, &fill()).unwrap();
    assert!(
        today
            .message()
            .unwrap()
            .text()
            .starts_with("Caveat: The messages below were generated by the user")
    );
}

#[test]
fn a_summary_of_what_came_before_is_not_the_users() {
    becomes(
        MAPPING,
        "context_compaction",
        &[json!({
            "type": "user", "is_context_compaction": true, "isSynthetic": true,
            "message": {"role": "user",
                "content": [{"type": "text", "text": "Summary of conversation..."}]},
            "parent_tool_use_id": null, "uuid": "fill-uuid", "session_id": "fill-session"
        })],
    );
    // "On a message": an assistant's as well.
    let line = r#"{"type":"assistant","is_context_compaction":true,"message":{"content":[]}}"#;
    assert!(
        matches!(read(line), Dialect::Assistant(old) if old.is_context_compaction == Some(true))
    );
    assert_eq!(
        serde_json::to_value(upgrade(line, &fill()).unwrap()).unwrap(),
        filled_assistant(&json!([]), &json!({"is_context_compaction": true}))
    );
}

#[test]
fn tools_as_objects_become_names() {
    let init = |session: &str, servers: Value| {
        json!({
            "type": "system", "subtype": "init", "session_id": session, "tools": ["bash"],
            "mcp_servers": servers, "cwd": "/work/project/fill", "model": "fill-model",
            "permissionMode": "default", "apiKeySource": "none", "output_style": "default",
            "claude_code_version": "0.0.1-fill", "slash_commands": [], "skills": [], "plugins": [],
            "uuid": "fill-uuid"
        })
    };
    let connected = json!([{"name": "filesystem", "status": "connected"}]);
    becomes(REFERENCE, "init", &[init("sess_abc123", connected)]);
    let mut extra = init(
        "sess_abc123",
        json!([{"name": "filesystem", "version": "1.0.0", "status": "connected"}]),
    );
    extra["cwd"] = "/work/project".into();
    extra["slash_commands"] = json!(["clear"]);
    extra["colour"] = "blue".into();
    becomes(REFERENCE, "init_extra", &[extra]);
}

#[test]
fn an_init_of_few_fields() {
    let expected = |session: &str| {
        json!({
            "type": "system", "subtype": "init", "cwd": "/work/project", "session_id": session,
            "output_style": "default", "claude_code_version": "0.0.1-fill", "slash_commands": [],
            "skills": [], "plugins": [], "uuid": "fill-uuid"
        })
    };
    let mut camel = expected("sess_123");
    camel["tools"] = json!(["Bash", "Read"]);
    camel["mcp_servers"] = json!([{"name": "filesystem", "status": "failed"}]);
    camel["model"] = "claude-sonnet-4".into();
    camel["permissionMode"] = "acceptEdits".into();
    camel["apiKeySource"] = "user".into();
    becomes(SPECIFICATION, "system_init", &[camel]);
    // An SDK's own names and values.
    let mut snake = expected("abc-123");
    snake["tools"] = json!(["Bash", "Write"]);
    snake["mcp_servers"] = json!([{"name": "filesystem", "status": "connected"}]);
    snake["model"] = "claude-opus-4-20250514".into();
    snake["permissionMode"] = "bypassPermissions".into();
    snake["apiKeySource"] = "ANTHROPIC_API_KEY".into();
    becomes(SCHEMA, "system", &[snake]);
}

#[test]
fn the_fill_says_how_a_session_asks() {
    let fill = fill()
        .permission_mode(PermissionMode::Plan)
        .api_key_source(ApiKeySource::Org);
    let today = upgrade(&example(REFERENCE, "init").value(), &fill).unwrap();
    let Some(Message::SystemInit(init)) = today.message() else {
        panic!();
    };
    assert_eq!(init.permission_mode, PermissionMode::Plan);
    assert_eq!(init.api_key_source, ApiKeySource::Org);
    // The line's own word counts for more.
    let today = upgrade(&example(SCHEMA, "system").value(), &fill).unwrap();
    let Some(Message::SystemInit(init)) = today.message() else {
        panic!();
    };
    assert_eq!(init.permission_mode, PermissionMode::BypassPermissions);
}

#[test]
fn a_bare_boundary() {
    for name in ["compact_boundary", "wire_compact_boundary"] {
        becomes(
            REFERENCE,
            name,
            &[json!({
                "type": "system", "subtype": "compact_boundary",
                "compact_metadata": {"trigger": "manual", "pre_tokens": 0},
                "uuid": "fill-uuid", "session_id": "fill-session"
            })],
        );
    }
    let line = example(REFERENCE, "compact_boundary").value();
    let fill = Fill::new("s", "u");
    let error = upgrade(&line, &fill).unwrap_err();
    assert!(matches!(
        error,
        UpgradeError::Missing {
            field: "compact_trigger"
        }
    ));
    assert!(!error.is_no_counterpart());
    assert!(upgrade(&line, &fill.compact_trigger(CompactTrigger::Auto)).is_ok());
}

#[test]
fn an_event_by_name_and_payload() {
    becomes(
        REFERENCE,
        "stream_event",
        &[json!({
            "type": "stream_event",
            "event": {"type": "message_start", "message": {
                "type": "message", "id": "msg_abc123", "role": "assistant", "model": "fill-model",
                "content": [], "stop_reason": null, "stop_sequence": null, "usage": no_usage()
            }},
            "parent_tool_use_id": null, "uuid": "fill-uuid", "session_id": "fill-session"
        })],
    );
    let delta = r#"{"event_type":"content_block_delta","data":{"index":0,"delta":{"type":"text_delta","text":"Hi"}}}"#;
    let Today::Stdout(message) = upgrade(delta, &fill()).unwrap() else {
        panic!();
    };
    let claw_types::StdoutMessage::Message(Message::StreamEvent(event)) = message else {
        panic!();
    };
    assert_eq!(event.text_delta(), Some("Hi"));
    let error = upgrade(r#"{"event_type":"ping","data":7}"#, &fill()).unwrap_err();
    assert!(error.is_no_counterpart());
    assert_eq!(
        error.to_string(),
        "`{event_type, data}` has no counterpart today: its data is no object"
    );
    let error = upgrade(r#"{"event_type":"content_block_stop","data":{}}"#, &fill()).unwrap_err();
    assert!(
        matches!(&error, UpgradeError::Misfit(error) if error.path() == "event"),
        "{error:?}"
    );
    assert!(std::error::Error::source(&error).is_some());
}

#[test]
fn whole_sessions() {
    let start = |session: &str, servers: Value| {
        json!({
            "type": "system", "subtype": "init", "session_id": session, "tools": ["bash"],
            "mcp_servers": servers, "cwd": "/work/project/fill", "model": "fill-model",
            "permissionMode": "default", "apiKeySource": "none", "output_style": "default",
            "claude_code_version": "0.0.1-fill", "slash_commands": [], "skills": [], "plugins": [],
            "uuid": "fill-uuid"
        })
    };
    let end = |result: &str, ms: u64, turns: u64, usage: Value| {
        json!({
            "type": "result", "subtype": "success", "result": result, "duration_ms": ms,
            "duration_api_ms": 0, "is_error": false, "num_turns": turns, "stop_reason": null,
            "total_cost_usd": 0, "usage": usage, "modelUsage": {}, "permission_denials": [],
            "uuid": "fill-uuid", "session_id": "fill-session"
        })
    };
    let text = |text: &str, ms: u64| {
        filled_assistant(
            &json!([{"type": "text", "text": text}]),
            &json!({"duration_ms": ms}),
        )
    };
    becomes(
        REFERENCE,
        "session_simple_query",
        &[
            start("sess_001", json!([])),
            text(
                "Here are the files in the current directory: README.md, Cargo.toml, src/",
                142,
            ),
            end(
                "Listed directory contents successfully",
                156,
                1,
                json!({"input_tokens": 45, "output_tokens": 28}),
            ),
        ],
    );
    let listing =
        "total 42\n-rw-r--r--  1 user staff 1234 Cargo.toml\ndrwxr-xr-x  3 user staff   96 src";
    becomes(
        REFERENCE,
        "session_tool_use",
        &[
            start(
                "sess_002",
                json!([{"name": "filesystem", "status": "connected"}]),
            ),
            filled_assistant(
                &json!([
                    {"type": "text", "text": "Let me check the current directory."},
                    {"type": "tool_use", "id": "toolu_01ABC", "name": "bash", "input": {"command": "ls -la"}}
                ]),
                &json!({"duration_ms": 180}),
            ),
            json!({
                "type": "user",
                "message": {"role": "user", "content": [{"type": "tool_result",
                    "tool_use_id": "toolu_01ABC", "content": listing, "is_error": false}]},
                "parent_tool_use_id": null, "uuid": "fill-uuid", "session_id": "fill-session"
            }),
            text(
                "This is a Rust project with a Cargo.toml and src directory.",
                120,
            ),
            end(
                "Analyzed project structure",
                450,
                2,
                json!({"input_tokens": 200, "output_tokens": 85}),
            ),
        ],
    );
}

#[test]
fn what_the_fill_lacks_is_named() {
    for (name, fill, missing) in [
        ("assistant", Fill::new("s", "u"), "message_id"),
        ("assistant", Fill::new("s", "u").message_id("m"), "model"),
        ("init", Fill::new("s", "u"), "cwd"),
        ("init", Fill::new("s", "u").cwd("/"), "model"),
        (
            "init",
            Fill::new("s", "u").cwd("/").model("m"),
            "claude_code_version",
        ),
        ("wire_can_use_tool", Fill::new("s", "u"), "tool_use_id"),
        ("mcp_message", Fill::new("s", "u"), "request_id"),
    ] {
        let error = upgrade(&example(REFERENCE, name).value(), &fill).unwrap_err();
        assert!(
            matches!(error, UpgradeError::Missing { field } if field == missing),
            "{error:?}"
        );
        assert_eq!(
            error.to_string(),
            format!("neither the line nor the fill says `{missing}`")
        );
    }
}

#[test]
fn tool_uses_without_an_id_are_numbered() {
    let line = r#"{"type":"assistant","message":{"content":[{"type":"tool_use","name":"A","input":{}},
        {"type":"tool_use","id":"own","name":"B","input":{}},{"type":"tool_use","name":"C","input":{}}]}}"#;
    let today = upgrade(line, &fill()).unwrap();
    let ids: Vec<_> = today
        .message()
        .unwrap()
        .tool_uses()
        .map(|tool| tool.id.as_str())
        .collect();
    assert_eq!(ids, ["toolu_fill", "own", "toolu_fill_2"]);
}

#[test]
fn a_field_of_todays_name_must_hold_what_todays_does() {
    let line = r#"{"type":"assistant","message":{"role":"assistant","content":[]},"request_id":7}"#;
    assert!(matches!(read(line), Dialect::Assistant(_)));
    let error = upgrade(line, &fill()).unwrap_err();
    assert!(
        matches!(&error, UpgradeError::Misfit(error) if error.path() == "request_id"),
        "{error:?}"
    );
    assert_eq!(error.to_string(), "the line does not fit today's form");
}

#[test]
fn a_line_in_todays_form_is_its_own() {
    let line = crate::support::seed("assistant_text");
    let old = read(&line);
    let Dialect::Today(today) = &old else {
        panic!()
    };
    assert_eq!(&old.upgrade(&fill()).unwrap(), today);
    assert!(matches!(
        today.message().unwrap().blocks(),
        [ContentBlock::Text(_), ..]
    ));
}

/// Every value that the documents list is one that claw knows.
#[test]
fn values_that_are_listed_are_known() {
    for (reason, known) in [
        ("end_turn", StopReason::EndTurn),
        ("max_tokens", StopReason::MaxTokens),
        ("stop_sequence", StopReason::StopSequence),
        ("tool_use", StopReason::ToolUse),
    ] {
        let line = json!({"type": "assistant", "content": [], "stop_reason": reason});
        let today = upgrade(&line.to_string(), &fill()).unwrap();
        let Some(Message::Assistant(answer)) = today.message() else {
            panic!();
        };
        assert_eq!(answer.message.stop_reason, Some(known));
    }
    for (key, mode, known) in [
        ("permission_mode", "default", PermissionMode::Default),
        (
            "permission_mode",
            "bypass_permissions",
            PermissionMode::BypassPermissions,
        ),
        (
            "permission_mode",
            "accept_edits",
            PermissionMode::AcceptEdits,
        ),
        ("permissionMode", "default", PermissionMode::Default),
        ("permissionMode", "acceptEdits", PermissionMode::AcceptEdits),
        (
            "permissionMode",
            "bypassPermissions",
            PermissionMode::BypassPermissions,
        ),
        ("permissionMode", "plan", PermissionMode::Plan),
    ] {
        let line = json!({"type": "system", "subtype": "init", "session_id": "s", "tools": [],
            "mcp_servers": [], key: mode});
        let today = upgrade(&line.to_string(), &fill()).unwrap();
        let Some(Message::SystemInit(init)) = today.message() else {
            panic!();
        };
        assert_eq!(init.permission_mode, known);
        assert_eq!(init.extra.len(), 0);
    }
}

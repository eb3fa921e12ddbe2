//! What parts of messages become: content blocks, tools, servers, counts.

use claw_types::api::{Content, ContentBlock, Usage};
use claw_types::dialect::{Fill, OldContentBlock, OldMcpServer, OldTool, UpgradeError};
use claw_types::options::{SystemPrompt, SystemPromptObject};
use serde_json::json;

use super::documents::example;
use super::{MAPPING, PLAN, REFERENCE, SCHEMA, SPECIFICATION, fill};

fn old_block(document: &str, name: &str) -> OldContentBlock {
    serde_json::from_str(&example(document, name).value()).unwrap()
}

/// The block, which today is whole.
fn block(document: &str, name: &str) -> ContentBlock {
    let today = old_block(document, name).upgrade(&fill()).unwrap();
    let written = serde_json::to_string(&today).unwrap();
    assert_eq!(
        serde_json::from_str::<ContentBlock>(&written).unwrap(),
        today
    );
    today
}

#[test]
fn text_is_as_it_was() {
    for (document, name, text) in [
        (SCHEMA, "text_content", "Hello."),
        (SPECIFICATION, "text_block", "Hello."),
        (PLAN, "text_block", "Hello."),
        (MAPPING, "text_block", "All tests pass. Here's a summary..."),
        (REFERENCE, "text", "Hello! I can help you with that."),
    ] {
        let ContentBlock::Text(block) = block(document, name) else {
            panic!("{name}");
        };
        assert_eq!(block.text, text);
        assert!(block.extra.is_empty());
    }
}

#[test]
fn tool_uses_are_as_they_were() {
    for (document, name, id, tool, input) in [
        (
            SCHEMA,
            "tool_use_content",
            "toolu_01XYZ",
            "Write",
            json!({"file_path": "/path/to/file.txt"}),
        ),
        (
            SPECIFICATION,
            "tool_use_block",
            "toolu_01",
            "Read",
            json!({}),
        ),
        (PLAN, "tool_use_block", "toolu_01", "Read", json!({})),
        (
            REFERENCE,
            "tool_use",
            "toolu_01XYZ",
            "bash",
            json!({"command": "cat /etc/hostname"}),
        ),
        (
            MAPPING,
            "tool_use_block",
            "toolu_01WsXSkUTbZZEMNZH8bzDsVy",
            "Bash",
            json!({"command": "go test ./...", "description": "Run all tests"}),
        ),
        (
            MAPPING,
            "tool_bash",
            "toolu_1",
            "Bash",
            json!({"command": "go test ./...", "description": "Run all tests"}),
        ),
        (
            MAPPING,
            "tool_read",
            "toolu_2",
            "Read",
            json!({"file_path": "/path/to/file.go", "offset": 10, "limit": 20}),
        ),
        (
            MAPPING,
            "tool_write",
            "toolu_3",
            "Write",
            json!({"file_path": "/path/to/file.go", "content": "package main"}),
        ),
        (
            MAPPING,
            "tool_edit",
            "toolu_4",
            "Edit",
            json!({"file_path": "/path/to/file.go", "old_string": "a", "new_string": "b"}),
        ),
        (
            MAPPING,
            "tool_glob",
            "toolu_5",
            "Glob",
            json!({"pattern": "*.go", "path": "/path/to"}),
        ),
        (
            MAPPING,
            "tool_grep",
            "toolu_6",
            "Grep",
            json!({"pattern": "func main", "path": "/path/to"}),
        ),
        (
            MAPPING,
            "tool_todo_write",
            "toolu_7",
            "TodoWrite",
            json!({"todos": [{"content": "Run the tests", "status": "pending", "activeForm": "Running the tests"}]}),
        ),
    ] {
        let ContentBlock::ToolUse(block) = block(document, name) else {
            panic!("{name}");
        };
        assert_eq!(block.id, id);
        assert_eq!(block.name, tool);
        assert_eq!(block.input.to_value().unwrap(), input);
    }
}

#[test]
fn an_edit_without_an_id_gets_one() {
    let ContentBlock::ToolUse(edit) = block(MAPPING, "edit_tool_use") else {
        panic!();
    };
    assert_eq!(edit.id, "toolu_fill");
    assert_eq!(edit.name, "Edit");
    assert_eq!(
        edit.input.to_value().unwrap(),
        json!({
            "file_path": "/path/to/file.go",
            "old_string": "expectedFields := []string{\"session_id\"}",
            "new_string": "expectedFields := []string{\"session_id\", \"is_meta\"}"
        })
    );
    let error = old_block(MAPPING, "edit_tool_use").upgrade(&Fill::new("s", "u"));
    assert!(matches!(
        error,
        Err(UpgradeError::Missing {
            field: "tool_use_id"
        })
    ));
}

#[test]
fn tool_results_are_text_or_blocks() {
    for (document, name, id, text, is_error) in [
        (
            SCHEMA,
            "tool_result_content",
            "toolu_01XYZ",
            "File created successfully",
            None,
        ),
        (
            MAPPING,
            "tool_result_block",
            "toolu_01WsXSkUTbZZEMNZH8bzDsVy",
            "=== RUN TestSessionMessageJSON\n--- PASS...",
            Some(false),
        ),
        (
            REFERENCE,
            "tool_result",
            "toolu_01XYZ",
            "my-hostname",
            Some(false),
        ),
        // An object becomes its JSON text.
        (
            REFERENCE,
            "tool_result_error",
            "toolu_01XYZ",
            r#"{ "output": "Permission denied" }"#,
            Some(true),
        ),
    ] {
        let ContentBlock::ToolResult(block) = block(document, name) else {
            panic!("{name}");
        };
        assert_eq!(block.tool_use_id, id);
        assert_eq!(
            block.content,
            Some(Content::Text(text.to_owned())),
            "{name}"
        );
        assert_eq!(block.is_error, is_error);
    }
    for (content, expected) in [
        (r#"[{"type":"text","text":"a"}]"#, "a"),
        (r#"[{"output":"b"}]"#, r#"[{"output":"b"}]"#),
        ("[1,2]", "[1,2]"),
        ("7", "7"),
    ] {
        let text = format!(r#"{{"type":"tool_result","tool_use_id":"t","content":{content}}}"#);
        let old: OldContentBlock = serde_json::from_str(&text).unwrap();
        let ContentBlock::ToolResult(today) = old.upgrade(&fill()).unwrap() else {
            panic!();
        };
        assert_eq!(today.content.unwrap().text(), expected);
    }
}

#[test]
fn reasoning_without_proof() {
    let reasoning =
        "Let me analyze this request. The user wants to list files, so I should use the bash tool.";
    for (document, name, thinking, signature) in [
        (
            MAPPING,
            "thinking_block",
            "Let me analyze this code...",
            "base64-signature",
        ),
        (PLAN, "thinking_block", "First the tests.", ""),
        (REFERENCE, "thinking", reasoning, ""),
    ] {
        let ContentBlock::Thinking(block) = block(document, name) else {
            panic!("{name}");
        };
        assert_eq!(block.thinking, thinking);
        assert_eq!(block.signature, signature);
    }
}

#[test]
fn other_blocks_are_todays() {
    let image = r#"{"type":"image","source":{"type":"url","url":"https://example.com/a.png"}}"#;
    let old: OldContentBlock = serde_json::from_str(image).unwrap();
    assert!(matches!(
        &old,
        OldContentBlock::Today(ContentBlock::Image(_))
    ));
    assert!(matches!(old.upgrade(&fill()), Ok(ContentBlock::Image(_))));
    let new: OldContentBlock = serde_json::from_str(r#"{"type":"of_tomorrow","x":1}"#).unwrap();
    assert!(new.is_unknown());
    assert!(matches!(new.upgrade(&fill()), Ok(ContentBlock::Unknown(_))));
}

#[test]
fn tools_and_servers() {
    for name in ["tool_info_minimal", "tool_info_full"] {
        let tool: OldTool = serde_json::from_str(&example(REFERENCE, name).value()).unwrap();
        assert_eq!(tool.name(), "bash");
        let OldTool::Info(info) = tool else { panic!() };
        assert_eq!(info.description.is_some(), name == "tool_info_full");
        assert_eq!(info.input_schema.is_some(), name == "tool_info_full");
    }
    assert_eq!(
        serde_json::from_str::<OldTool>("\"Bash\"").unwrap().name(),
        "Bash"
    );
    assert!(serde_json::from_str::<OldTool>("7").is_err());
    let server: OldMcpServer =
        serde_json::from_str(&example(REFERENCE, "mcp_server_info").value()).unwrap();
    let today = server.upgrade().unwrap();
    assert_eq!(today.name, "filesystem");
    assert_eq!(today.status, "connected");
    assert_eq!(today.extra.get("version").unwrap().as_raw(), "\"1.0.0\"");
}

/// These have not changed.
#[test]
fn usage_and_system_prompts_are_todays() {
    let usage: Usage = serde_json::from_str(&example(REFERENCE, "usage_info").value()).unwrap();
    assert_eq!(usage.input_tokens.value().copied().unwrap(), 1200);
    assert_eq!(usage.output_tokens, 350);
    assert!(usage.extra.is_empty());
    let prompt = |name| serde_json::from_str::<SystemPrompt>(&example(PLAN, name).value()).unwrap();
    assert!(matches!(prompt("system_prompt_raw"), SystemPrompt::Text(text) if text == "Be brief."));
    let SystemPrompt::Object(SystemPromptObject::Preset(preset)) = prompt("system_prompt_preset")
    else {
        panic!();
    };
    assert_eq!(preset.preset, "claude_code");
    assert_eq!(preset.append.as_deref(), Some("Be brief."));
}

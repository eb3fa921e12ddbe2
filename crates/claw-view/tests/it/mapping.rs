//! Tests of each row of the document "Message Type Mapping", with the document's own examples. If an example lacks
//! fields that the CLI sends, the test adds them.

use std::fs;
use std::path::Path;

use claw_view::diff::LineKind;
use claw_view::element::{Content, NoticeLevel, ToolStatus};
use claw_view::{Activity, Change, Element, Input, Timeline, ToolDisplay};
use serde_json::{Value, json};

use crate::sessions::fed;

/// Returns an example of the document, which this project stores in a file.
fn example(name: &str) -> Value {
    let folder = "../claw-types/fixtures/dialect/message_type_mapping";
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let text = fs::read_to_string(path.join(format!("{name}.txt"))).expect("the example is there");
    // Removes the comments of the document, and replaces its ellipses.
    let text: String = text
        .lines()
        .map(|line| line.split(" // ").next().unwrap_or(line).trim_end())
        .map(|line| line.replace("[...]", r#"[{"type":"text","text":"All tests pass."}]"#))
        .collect();
    serde_json::from_str(&text).expect("JSON")
}

/// Returns the document's envelope with this block as its content.
fn envelope(role: &str, block: &Value) -> String {
    let mut line = example("message");
    line["type"] = role.into();
    line["message"]["role"] = role.into();
    line["message"]["content"] = json!([block]);
    line.to_string()
}

fn elements(lines: &[String]) -> Vec<Element> {
    let (elements, ..) = fed(lines.iter().map(String::as_str));
    elements.iter().cloned().collect()
}

fn only(role: &str, block: &str) -> Element {
    let mut elements = elements(&[envelope(role, &example(block))]);
    assert_eq!(elements.len(), 1, "{elements:?}");
    elements.remove(0)
}

#[test]
fn envelope_with_id_timestamp_and_git_branch() {
    let element = &elements(&[example("message").to_string()])[0];
    assert_eq!(element.kind(), "assistantText");
    assert_eq!(
        element.timestamp.as_deref(),
        Some("2025-12-22T03:14:37.482Z")
    );
    assert_eq!(element.message.as_ref().unwrap(), "message-uuid");
}

#[test]
fn text_of_the_assistant_is_assistant_text() {
    let element = only("assistant", "text_block");
    let Content::AssistantText(text) = &element.content else {
        panic!("{element:?}")
    };
    assert_eq!(text.text, "All tests pass. Here's a summary...");
    assert_eq!(element.kind(), "assistantText");
}

#[test]
fn text_of_the_user_is_user_input() {
    let element = only("user", "text_block");
    let Content::UserInput(input) = &element.content else {
        panic!("{element:?}")
    };
    assert_eq!(input.text, "All tests pass. Here's a summary...");
    assert_eq!(element.kind(), "userInput");
}

#[test]
fn thinking_is_thinking() {
    let element = only("assistant", "thinking_block");
    let Content::Thinking(thinking) = &element.content else {
        panic!("{element:?}")
    };
    assert_eq!(thinking.text, "Let me analyze this code...");
    assert_eq!(element.kind(), "thinking");
}

#[test]
fn tool_use_is_a_tool_call() {
    let element = only("assistant", "tool_use_block");
    let Content::ToolCall(call) = &element.content else {
        panic!("{element:?}")
    };
    assert_eq!(call.title, "Bash(go test ./...)");
    assert_eq!(call.description.as_deref(), Some("Run all tests"));
    assert_eq!(call.activity, Activity::Command);
    assert_eq!(element.id.as_str(), "toolu_01WsXSkUTbZZEMNZH8bzDsVy");
    assert_eq!(element.kind(), "toolCall");
}

#[test]
fn tool_use_of_edit_is_an_edit_diff() {
    let element = only("assistant", "tool_edit");
    assert_eq!(element.kind(), "editDiff");
}

#[test]
fn tool_result_is_a_tool_result() {
    let element = only("user", "tool_result_block");
    let Content::ToolResult(result) = &element.content else {
        panic!("{element:?}")
    };
    assert_eq!(result.text, "=== RUN TestSessionMessageJSON\n--- PASS...");
    assert_eq!(result.preview.text, result.text);
    assert!(!result.is_error);
    assert_eq!(element.kind(), "toolResult");
}

#[test]
fn tool_results_appear_in_user_messages() {
    let lines = [
        envelope("assistant", &example("tool_use_block")),
        example("user_message").to_string(),
    ];
    let elements = elements(&lines);
    let Content::ToolResult(result) = &elements[1].content else {
        panic!("{elements:?}")
    };
    assert_eq!(
        (result.text.as_str(), result.tool.as_deref()),
        ("PASS", Some("Bash"))
    );
    let Content::ToolCall(call) = &elements[0].content else {
        panic!("{elements:?}")
    };
    assert_eq!(call.status, ToolStatus::Done);
}

/// Returns the full display of a tool, and the display as it is drawn.
fn display(name: &str) -> (String, String) {
    let block = example(name);
    let display = ToolDisplay::of(
        block["name"].as_str().unwrap(),
        &block["input"].clone().into(),
    );
    let drawn = only("assistant", name);
    let title = match &drawn.content {
        Content::ToolCall(call) => &call.title,
        Content::EditDiff(edit) => &edit.title,
        other => panic!("{other:?}"),
    };
    assert_eq!(*title, display.text());
    (display.full(), display.text())
}

#[test]
fn display_of_bash() {
    assert_eq!(display("tool_bash").1, "Bash(go test ./...)");
}

#[test]
fn display_of_read() {
    assert_eq!(display("tool_read").0, "Read(/path/to/file.go)");
    assert_eq!(display("tool_read").1, "Read(.../file.go)");
}

#[test]
fn display_of_write() {
    assert_eq!(display("tool_write").0, "Write(/path/to/file.go)");
    assert_eq!(display("tool_write").1, "Write(.../file.go)");
}

#[test]
fn display_of_edit_is_a_diff_with_lines_that_go_and_come() {
    let element = only("assistant", "tool_edit");
    let Content::EditDiff(edit) = &element.content else {
        panic!("{element:?}")
    };
    let lines: Vec<_> = edit.diff.hunks[0]
        .lines
        .iter()
        .map(|line| (line.kind, &*line.text))
        .collect();
    assert_eq!(lines, [(LineKind::Removed, "a"), (LineKind::Added, "b")]);
}

#[test]
fn display_of_glob() {
    assert_eq!(display("tool_glob").1, r#"Glob(pattern: "*.go")"#);
}

#[test]
fn display_of_grep() {
    assert_eq!(display("tool_grep").1, r#"Grep(pattern: "func main")"#);
}

#[test]
fn display_of_todo_write() {
    assert_eq!(display("tool_todo_write").1, "TodoWrite(...)");
}

#[test]
fn flow_of_a_tool_execution() {
    let thinking = |text: &str| json!({"type": "thinking", "thinking": text, "signature": "s"});
    let mut lines = vec![
        envelope("assistant", &thinking("Let me run the tests")),
        envelope(
            "assistant",
            &json!({"type": "tool_use", "id": "toolu_1", "name": "Bash", "input": {"command": "go test ./..."}}),
        ),
        envelope(
            "user",
            &json!({"type": "tool_result", "tool_use_id": "toolu_1", "content": "PASS: TestSessionMessageJSON..."}),
        ),
        envelope("assistant", &thinking("All tests pass")),
        envelope(
            "assistant",
            &json!({"type": "text", "text": "Here's a summary of the changes..."}),
        ),
    ];
    // Each line gets a UUID of its own.
    for (number, line) in lines.iter_mut().enumerate() {
        *line = line.replace("message-uuid", &format!("message-uuid-{number}"));
    }
    let kinds: Vec<_> = elements(&lines).iter().map(Element::kind).collect();
    assert_eq!(
        kinds,
        [
            "thinking",
            "toolCall",
            "toolResult",
            "thinking",
            "assistantText"
        ]
    );
}

#[test]
fn git_diff_event_is_a_diff() {
    let changes = Timeline::default().push(Input::GitDiff(
        "diff --git a/file.go b/file.go\n--- a/file.go\n+++ b/file.go\n@@ -1 +1,2 @@\n-a\n+b\n+c\n",
    ));
    let [Change::Added(element)] = &changes[..] else {
        panic!("{changes:?}")
    };
    let Content::Diff(diff) = &element.content else {
        panic!("{element:?}")
    };
    assert_eq!(element.kind(), "diff");
    assert_eq!(diff.summary, "Added 2 lines, removed 1 line");
    assert_eq!(diff.files[0].path, "file.go");
}

#[test]
fn a_line_with_a_git_diff_event_is_a_diff() {
    let diff =
        "diff --git a/file.go b/file.go\n--- a/file.go\n+++ b/file.go\n@@ -1 +1,2 @@\n-a\n+b\n+c\n";
    for line in [
        json!({"type": "git_diff", "session_id": "s", "diff": diff}),
        json!({"type": "git_diff", "payload": {"diff": diff}}),
    ] {
        let elements = elements(&[line.to_string()]);
        let [element] = &elements[..] else {
            panic!("{elements:?}")
        };
        let Content::Diff(diff) = &element.content else {
            panic!("{element:?}")
        };
        assert_eq!(diff.files[0].path, "file.go");
        assert_eq!(diff.summary, "Added 2 lines, removed 1 line");
    }
    let other = json!({"type": "git_diff", "files": []}).to_string();
    assert_eq!(elements(&[other])[0].kind(), "unknown");
}

#[test]
fn interrupt_event_is_interrupted() {
    let mut timeline = Timeline::default();
    let changes = timeline.push(Input::Interruption);
    let [Change::Added(element)] = &changes[..] else {
        panic!("{changes:?}")
    };
    assert_eq!(element.kind(), "interrupted");
    // The CLI reports the same interruption, which updates the same element.
    let line = envelope(
        "user",
        &json!({"type": "text", "text": "[Request interrupted by user]"}),
    );
    let changes = timeline.push(Input::Line(&line));
    assert!(matches!(&changes[..], [Change::Updated(same)] if same.id == element.id));
}

#[test]
fn notice_of_the_host_is_a_warning() {
    let mut timeline = Timeline::default();
    let changes = timeline.push(Input::Notice("Nobody can show it."));
    let [Change::Added(element)] = &changes[..] else {
        panic!("{changes:?}")
    };
    let Content::Notice(notice) = &element.content else {
        panic!("{element:?}")
    };
    assert_eq!(notice.level, NoticeLevel::Warning);
    assert_eq!(notice.text, "Nobody can show it.");
}

#[test]
fn edit_is_shown_with_the_files_own_line_numbers() {
    // The example has no ID, no line number and not all changes of the edit. The line number 238 and the text "Added 16
    // lines" come from the tool's result, so the test adds the result that the CLI sends.
    let mut edit = example("edit_tool_use");
    edit["id"] = "toolu_4".into();
    let old = edit["input"]["old_string"].as_str().unwrap().to_owned();
    let new = edit["input"]["new_string"].as_str().unwrap().to_owned();
    let more: Vec<_> = (0..15).map(|n| format!("+\tline {n}")).collect();
    let mut lines = vec![format!("-{old}"), format!("+{new}")];
    lines.extend(["-\tgone".to_owned()]);
    lines.extend(more);
    let mut result: Value = serde_json::from_str(&envelope(
        "user",
        &json!({"type": "tool_result", "tool_use_id": "toolu_4", "content": "The file has been updated."}),
    ))
    .unwrap();
    result["uuid"] = "message-uuid-2".into();
    result["parent_tool_use_id"] = Value::Null;
    result["tool_use_result"] = json!({
        "filePath": "/path/to/file.go", "oldString": old, "newString": new, "originalFile": null,
        "structuredPatch": [{"oldStart": 238, "oldLines": 2, "newStart": 238, "newLines": 16, "lines": lines}],
        "userModified": false, "replaceAll": false
    });
    let elements = elements(&[envelope("assistant", &edit), result.to_string()]);
    let Content::EditDiff(edit) = &elements[0].content else {
        panic!("{elements:?}")
    };
    let drawn: Vec<_> = edit.lines().take(3).collect();
    assert_eq!(
        drawn,
        [
            "Update(.../file.go)     Added 16 lines, removed 2 lines",
            r#"  238 - expectedFields := []string{"session_id"}"#,
            r#"  238 + expectedFields := []string{"session_id", "is_meta"}"#,
        ]
    );
    assert!(edit.diff.numbered);
}

#[test]
fn edit_without_its_result_is_compared() {
    let mut edit = example("edit_tool_use");
    edit["id"] = "toolu_4".into();
    let elements = elements(&[envelope("assistant", &edit)]);
    let Content::EditDiff(edit) = &elements[0].content else {
        panic!("{elements:?}")
    };
    assert_eq!(edit.title, "Update(.../file.go)");
    assert_eq!(edit.summary, "Added 1 line, removed 1 line");
    assert!(!edit.diff.numbered);
}

#[test]
fn context_compaction_is_context_compaction() {
    let elements = elements(&[example("context_compaction").to_string()]);
    let Content::ContextCompaction(compaction) = &elements[0].content else {
        panic!("{elements:?}")
    };
    assert_eq!(
        compaction.summary.as_deref(),
        Some("Summary of conversation...")
    );
    assert_eq!(elements[0].kind(), "contextCompaction");
}

#[test]
fn caveats_are_not_shown() {
    assert!(elements(&[example("caveat").to_string()]).is_empty());
    let block = json!({"type": "text", "text": "Caveat: The messages below were generated by the user while running local commands."});
    assert!(elements(&[envelope("user", &block)]).is_empty());
}

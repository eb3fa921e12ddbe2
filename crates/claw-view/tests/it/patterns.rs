//! Tests of each flow pattern in the documents of the wrapper protocol: its lines violate no rule, and result in the
//! pattern's elements.

use claw_types::message::NonExecutionKind;
use claw_view::element::Content;
use claw_view::{Element, Flow, Rule, TurnPattern};
use serde_json::{Value, json};

use crate::sessions::fed;

/// Returns the lines of a session. A step is `S` for the init, `R` for the result, or the type of a message with its
/// blocks.
fn session(steps: &[(&str, Value)]) -> Vec<String> {
    let line = |(number, (kind, blocks)): (usize, &(&str, Value))| {
        let mut line = match *kind {
            "S" => {
                json!({"type": "system", "subtype": "init", "cwd": "/work/project", "tools": ["Write"],
                "mcp_servers": [], "model": "claude-opus-4-20250514", "permissionMode": "default",
                "apiKeySource": "none"})
            }
            "R" => {
                json!({"type": "result", "subtype": "success", "is_error": false, "duration_ms": 1,
                "duration_api_ms": 1, "num_turns": 1, "result": said(steps), "total_cost_usd": 0.01})
            }
            kind => json!({"type": kind, "message": {"role": kind, "content": blocks}}),
        };
        line["uuid"] = format!("line-{number}").into();
        line["session_id"] = "abc-123".into();
        line.to_string()
    };
    steps.iter().enumerate().map(line).collect()
}

/// Returns the last text of the session, which the result repeats.
fn said(steps: &[(&str, Value)]) -> String {
    let blocks = steps.iter().filter_map(|(_, blocks)| blocks.as_array());
    let mut texts = blocks.flatten().filter_map(|block| block["text"].as_str());
    texts.next_back().unwrap_or_default().to_owned()
}

fn text(text: &str) -> Value {
    json!({"type": "text", "text": text})
}

fn tool_use(id: &str) -> Value {
    json!({"type": "tool_use", "id": id, "name": "Write",
        "input": {"file_path": "/path/to/file.txt", "content": "File contents"}})
}

fn tool_result(id: &str) -> Value {
    json!({"type": "tool_result", "tool_use_id": id, "content": "File created successfully", "is_error": false})
}

/// Returns the kinds of the elements that the lines result in. Panics if the lines violate a rule.
#[track_caller]
fn kinds(lines: &[String]) -> Vec<&'static str> {
    let found = Flow::check(lines.iter().map(String::as_str));
    assert!(found.is_empty(), "{found:?}");
    let (elements, ..) = fed(lines.iter().map(String::as_str));
    elements.iter().map(Element::kind).collect()
}

/// Returns the patterns of the turns, with the number of turns of each.
#[track_caller]
fn patterns(lines: &[String]) -> Vec<(TurnPattern, u64)> {
    let mut flow = Flow::default();
    for line in lines {
        assert_eq!(flow.push(line), [], "{line}");
    }
    flow.patterns().collect()
}

#[test]
fn simple_query_without_tools() {
    let lines = session(&[
        ("S", json!([])),
        ("assistant", json!([text("Hello.")])),
        ("R", json!([])),
    ]);
    assert_eq!(kinds(&lines), ["assistantText", "turnEnd"]);
    assert_eq!(patterns(&lines), [(TurnPattern::SimpleQuery, 1)]);
}

#[test]
fn tool_usage() {
    let lines = session(&[
        ("S", json!([])),
        ("assistant", json!([text("I'll create that file for you.")])),
        ("assistant", json!([tool_use("toolu_01XYZ...")])),
        ("user", json!([tool_result("toolu_01XYZ...")])),
        ("assistant", json!([text("It is there.")])),
        ("R", json!([])),
    ]);
    assert_eq!(
        kinds(&lines),
        [
            "assistantText",
            "toolCall",
            "toolResult",
            "assistantText",
            "turnEnd"
        ]
    );
    assert_eq!(patterns(&lines), [(TurnPattern::ToolUsage, 1)]);
}

#[test]
fn permission_denial() {
    // The document requires: "Look for specific text pattern in tool_result content; always marked with is_error:
    // true."
    let denied = json!({"type": "tool_result", "tool_use_id": "toolu_01XYZ...", "is_error": true,
        "content": "The user doesn't want to proceed with this tool use."});
    let lines = session(&[
        ("S", json!([])),
        ("assistant", json!([tool_use("toolu_01XYZ...")])),
        ("user", json!([denied])),
        ("assistant", json!([text("I may not.")])),
        ("R", json!([])),
    ]);
    assert_eq!(
        kinds(&lines),
        ["toolCall", "toolResult", "assistantText", "turnEnd"]
    );
    let (elements, ..) = fed(lines.iter().map(String::as_str));
    let denials = elements
        .iter()
        .filter_map(|element| match &element.content {
            Content::ToolResult(result) => result.denial.as_ref(),
            _ => None,
        });
    let denials: Vec<_> = denials.map(|denial| &*denial.kind).collect();
    assert_eq!(denials, [NonExecutionKind::UserRejected.as_str()]);
    assert_eq!(patterns(&lines), [(TurnPattern::PermissionDenial, 1)]);
}

/// A denial whose result has no error flag is a violation. The document requires: "always marked with `is_error:
/// true`".
#[test]
fn a_denial_that_is_no_error_breaks_a_rule() {
    let session_of = |mut result: Value, said: &str, output: Option<Value>| {
        result["content"] = said.into();
        let mut lines = session(&[
            ("S", json!([])),
            ("assistant", json!([tool_use("toolu_1")])),
            ("user", json!([result])),
            ("R", json!([])),
        ]);
        if let Some(output) = output {
            let mut line: Value = serde_json::from_str(&lines[2]).unwrap();
            line["tool_use_result"] = output;
            lines[2] = line.to_string();
        }
        lines
    };
    let result = tool_result("toolu_1");
    let denied = "The user doesn't want to proceed with this tool use. The tool use was rejected.";
    let found = |lines: &[String]| -> Vec<_> {
        let found = Flow::check(lines.iter().map(String::as_str));
        found
            .into_iter()
            .map(|found| (found.line, found.rule))
            .collect()
    };
    let lines = session_of(result.clone(), denied, None);
    assert_eq!(found(&lines), [(3, Rule::DenialShape)]);
    // The output of a tool that ran may contain the words of a denial.
    let ran = Some(json!({"stdout": denied, "stderr": "", "interrupted": false}));
    assert_eq!(found(&session_of(result.clone(), denied, ran)), []);
    assert_eq!(found(&session_of(result, "It is done.", None)), []);
}

#[test]
fn complex_tool_chain() {
    let lines = session(&[
        ("S", json!([])),
        ("assistant", json!([tool_use("toolu_1")])),
        ("user", json!([tool_result("toolu_1")])),
        (
            "assistant",
            json!([text("And another."), tool_use("toolu_2")]),
        ),
        ("user", json!([tool_result("toolu_2")])),
        ("assistant", json!([tool_use("toolu_3")])),
        ("user", json!([tool_result("toolu_3")])),
        ("R", json!([])),
    ]);
    assert_eq!(
        kinds(&lines),
        [
            "toolCall",
            "toolResult",
            "assistantText",
            "toolCall",
            "toolResult",
            "toolCall",
            "toolResult",
            "turnEnd"
        ]
    );
    assert_eq!(patterns(&lines), [(TurnPattern::ToolChain, 1)]);
}

const INIT: &str = r#"{"type":"system","subtype":"init","session_id":"sess_002","tools":[{"name":"bash","description":"Run shell commands","input_schema":{"type":"object","properties":{"command":{"type":"string"}}}}],"mcp_servers":[{"name":"filesystem"}]}"#;

fn lines(lines: &[&str]) -> Vec<String> {
    lines.iter().map(|line| (*line).to_owned()).collect()
}

#[test]
fn complete_session_of_a_simple_query() {
    let lines = lines(&[
        r#"{"type":"system","subtype":"init","session_id":"sess_001","tools":[{"name":"bash","description":"Run shell commands"}],"mcp_servers":[]}"#,
        r#"{"type":"assistant","message":{"role":"assistant","content":[{"type":"text","text":"Here are the files in the current directory: README.md, Cargo.toml, src/"}]},"duration_ms":142}"#,
        r#"{"type":"result","subtype":"success","result":"Listed directory contents successfully","duration_ms":156,"num_turns":1,"usage":{"input_tokens":45,"output_tokens":28}}"#,
    ]);
    assert_eq!(kinds(&lines), ["assistantText", "turnEnd"]);
    let (elements, ..) = fed(lines.iter().map(String::as_str));
    let Some(Content::TurnEnd(end)) = elements.iter().last().map(|element| &element.content) else {
        panic!("no end")
    };
    assert_eq!(end.text, "done: 1 turn, 0.2 s, 45 tokens in, 28 out");
}

#[test]
fn complete_session_of_a_tool_use_cycle() {
    let lines = lines(&[
        INIT,
        r#"{"type":"assistant","message":{"role":"assistant","content":[{"type":"text","text":"Let me check the current directory."},{"type":"tool_use","id":"toolu_01ABC","name":"bash","input":{"command":"ls -la"}}]},"duration_ms":180}"#,
        r#"{"type":"user","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_01ABC","content":"total 42\n-rw-r--r--  1 user staff 1234 Cargo.toml\ndrwxr-xr-x  3 user staff   96 src","is_error":false}]}}"#,
        r#"{"type":"assistant","message":{"role":"assistant","content":[{"type":"text","text":"This is a Rust project with a Cargo.toml and src directory."}]},"duration_ms":120}"#,
        r#"{"type":"result","subtype":"success","result":"Analyzed project structure","duration_ms":450,"num_turns":2,"usage":{"input_tokens":200,"output_tokens":85}}"#,
    ]);
    assert_eq!(
        kinds(&lines),
        [
            "assistantText",
            "toolCall",
            "toolResult",
            "assistantText",
            "turnEnd"
        ]
    );
}

#[test]
fn session_that_ends_with_an_error() {
    let lines = lines(&[
        INIT,
        r#"{"type":"result","subtype":"error","error":"Failed to execute command: permission denied","error_code":"EACCES","exit_code":126}"#,
    ]);
    assert_eq!(kinds(&lines), ["turnEnd"]);
    let (elements, ..) = fed(lines.iter().map(String::as_str));
    let Some(Content::TurnEnd(end)) = elements.iter().last().map(|element| &element.content) else {
        panic!("no end")
    };
    assert!(!end.ok);
    assert_eq!(end.errors, ["Failed to execute command: permission denied"]);
}

#[test]
fn session_that_waits_for_input() {
    let lines = lines(&[INIT, r#"{"type":"result","subtype":"input_required"}"#]);
    assert_eq!(kinds(&lines), ["notice"]);
}

#[test]
fn thinking_content() {
    let lines = lines(&[
        INIT,
        r#"{"type":"assistant","message":{"role":"assistant","content":[{"type":"thinking","thinking":"Let me analyze this request. The user wants to list files, so I should use the bash tool."},{"type":"text","text":"I'll list the files for you."}]},"duration_ms":234}"#,
        r#"{"type":"result","subtype":"success","result":"Done."}"#,
    ]);
    assert_eq!(kinds(&lines), ["thinking", "assistantText", "turnEnd"]);
}

#[test]
fn control_messages_and_compactions_come_at_any_time() {
    let lines = lines(&[
        r#"{"type":"control_request","request_id":"req_001","subtype":"initialize","can_use_tool":true}"#,
        r#"{"type":"control_response","request_id":"req_001","subtype":"success"}"#,
        INIT,
        r#"{"type":"assistant","message":{"role":"assistant","content":[{"type":"tool_use","id":"toolu_1","name":"Bash","input":{"command":"rm -rf /"}}]}}"#,
        r#"{"type":"control_request","request_id":"req_002","subtype":"can_use_tool","tool_name":"Bash","tool_input":{"command":"rm -rf /"}}"#,
        r#"{"type":"control_response","request_id":"req_002","subtype":"success","allowed":false,"reason":"Dangerous command blocked"}"#,
        r#"{"type":"user","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_1","content":{"output":"Permission denied"},"is_error":true}]}}"#,
        r#"{"type":"system","subtype":"compact_boundary"}"#,
        r#"{"type":"result","subtype":"success","result":"Done."}"#,
    ]);
    assert_eq!(
        kinds(&lines),
        [
            "toolCall",
            "toolResult",
            "contextCompaction",
            "assistantText",
            "turnEnd"
        ]
    );
}

//! Built-in tools: what they are given and what they give is typed, lossless, and as the schema says.

use std::collections::{BTreeMap, BTreeSet};

use claw_types::api::{ContentBlock, ToolUseBlock};
use claw_types::control::{CanUseTool, PermissionResult};
use claw_types::hook::PostToolUseInput;
use claw_types::tool::{
    AgentOutput, AskUserQuestionInput, BUILT_IN, ExitPlanModeInput, FileReadOutput, ToolInput,
    ToolOutput, built_in,
};
use claw_types::{Json, Message, from_line, json_equal};
use serde_json::{Value, json};

use crate::extra::extras;
use crate::support::recorded;

#[cfg(feature = "schema")]
mod schema;

/// Recorded inputs that do not fit their tool: the tool, the path, why.
const MISFITS: &[(&str, &str, &str)] = &[(
    "Read",
    "",
    "the scenario unknown_tool: a model that names the file by another key",
)];

/// Tools that are recorded, and that the official package has no types for.
const UNKNOWN: &[&str] = &[
    "Fly",
    "ListAgents",
    "SendMessage",
    "Skill",
    "StructuredOutput",
    "ToolSearch",
];

/// What lands in `extra`: the struct, the key, why it is no field.
const IN_EXTRA: &[(&str, &str, &str)] = &[];

/// One use of a tool, or one half of it.
#[derive(Clone)]
struct Use {
    from: String,
    tool: String,
    input: Option<Value>,
    output: Option<Value>,
}

/// What is recorded, and what is written beside this file.
fn uses() -> Vec<Use> {
    let mut uses = Vec::new();
    let mut names = BTreeMap::new();
    for sample in recorded("stdout.ndjson") {
        let Ok(line) = serde_json::from_str::<Value>(&sample.line) else {
            continue;
        };
        find(&line, &sample.name, &mut names, &mut uses);
    }
    assert!(uses.len() > 150, "{}", uses.len());
    uses.extend(written());
    uses
}

fn written() -> Vec<Use> {
    let lines = include_str!("tools.ndjson").lines().enumerate();
    let of = |(at, line): (usize, &str)| {
        let mut line: Value = serde_json::from_str(line).unwrap();
        Use {
            from: format!("tools.ndjson:{}", at + 1),
            tool: line["tool_name"].as_str().unwrap().to_owned(),
            input: line.get_mut("tool_input").map(Value::take),
            output: line.get_mut("tool_response").map(Value::take),
        }
    };
    lines.map(of).collect()
}

/// Every use in a line, wherever it stands; `names` has the tools of uses seen before.
fn find(value: &Value, from: &str, names: &mut BTreeMap<String, String>, uses: &mut Vec<Use>) {
    let text = |key: &str| value.get(key).and_then(Value::as_str);
    let mut push = |tool: &str, input: Option<&Value>, output: Option<&Value>| {
        uses.push(Use {
            from: from.to_owned(),
            tool: tool.to_owned(),
            input: input.cloned(),
            output: output.cloned(),
        });
    };
    if let (Some("tool_use"), Some(tool), Some(id)) = (text("type"), text("name"), text("id")) {
        names.insert(id.to_owned(), tool.to_owned());
        push(tool, value.get("input"), None);
    }
    if let Some(tool) = text("tool_name") {
        let input = match text("subtype") {
            Some("can_use_tool") => value.get("input"),
            _ => value.get("tool_input"),
        };
        // A batch has what the model is shown.
        let is_raw = text("hook_event_name") == Some("PostToolUse");
        let output = value.get("tool_response").filter(|_| is_raw);
        push(tool, input, output);
    }
    if let Some(output) = value.get("tool_use_result") {
        let id = value["message"]["content"][0]["tool_use_id"].as_str();
        let tool = id.and_then(|id| names.get(id));
        let tool = tool.unwrap_or_else(|| panic!("{from}: the result of no tool"));
        push(&tool.clone(), None, Some(output));
    }
    match value {
        // What a block begins with is empty.
        Value::Object(map) => map
            .iter()
            .filter(|(key, _)| *key != "content_block")
            .for_each(|(_, value)| find(value, from, names, uses)),
        Value::Array(items) => items
            .iter()
            .for_each(|value| find(value, from, names, uses)),
        _ => {}
    }
}

fn input(tool: &str, input: &Value) -> Result<ToolInput, claw_types::DecodeError> {
    ToolInput::of(tool, &Json::from(input.clone()))
}

fn output(tool: &str, output: &Value) -> Result<ToolOutput, claw_types::DecodeError> {
    ToolOutput::of(tool, &Json::from(output.clone()))
}

#[test]
fn every_use_is_typed_and_lossless() {
    let mut misfits = BTreeSet::new();
    let mut unknown = BTreeSet::new();
    let mut kept = BTreeSet::new();
    let same = |from: &str, typed: String, raw: &Value| {
        assert!(
            json_equal(&typed, &raw.to_string()),
            "{from}: {typed}\n{raw}"
        );
    };
    for use_ in uses() {
        let (tool, from) = (use_.tool.as_str(), use_.from.as_str());
        if let Some(raw) = &use_.input {
            match input(tool, raw) {
                Ok(typed) => {
                    same(from, serde_json::to_string(&typed).unwrap(), raw);
                    kept.extend(extras(&typed));
                    if matches!(typed, ToolInput::Unknown(_)) {
                        unknown.insert(use_.tool.clone());
                    }
                }
                Err(error) => _ = misfits.insert((use_.tool.clone(), error.path().to_owned())),
            }
        }
        if let Some(raw) = &use_.output {
            let typed = output(tool, raw).unwrap_or_else(|error| panic!("{from}: {error}\n{raw}"));
            same(from, serde_json::to_string(&typed).unwrap(), raw);
            kept.extend(extras(&typed));
            assert!(
                !matches!(&typed, ToolOutput::Agent(agent) if matches!(**agent, AgentOutput::Unknown(_)))
                    && !matches!(&typed, ToolOutput::Read(read) if matches!(**read, FileReadOutput::Unknown(_))),
                "{from}: {raw}"
            );
        }
    }
    let pairs = |list: &[(&str, &str, &str)]| -> BTreeSet<(String, String)> {
        let owned = |(one, two, _): &(&str, &str, &str)| ((*one).to_owned(), (*two).to_owned());
        list.iter().map(owned).collect()
    };
    assert_eq!(misfits, pairs(MISFITS));
    assert_eq!(kept, pairs(IN_EXTRA));
    assert_eq!(
        unknown,
        UNKNOWN.iter().map(|&tool| tool.to_owned()).collect()
    );
}

/// One use of each tool and set of keys, in the form of the schema.
fn distinct() -> Vec<Value> {
    let mut seen = BTreeSet::new();
    let mut distinct = Vec::new();
    for use_ in uses() {
        for (key, half) in [("tool_input", use_.input), ("tool_response", use_.output)] {
            let Some(half) = half else { continue };
            let keys: Vec<_> = half
                .as_object()
                .map(|o| o.keys().cloned().collect())
                .unwrap_or_default();
            if seen.insert((use_.tool.clone(), key, half["type"].to_string(), keys)) {
                distinct.push(json!({"tool_name": use_.tool, key: half}));
            }
        }
    }
    distinct
}

fn reads(line: &Value) -> bool {
    let tool = line["tool_name"].as_str().unwrap();
    line.get("tool_input")
        .is_none_or(|raw| input(tool, raw).is_ok())
        && line
            .get("tool_response")
            .is_none_or(|raw| output(tool, raw).is_ok())
}

#[test]
fn fields_of_tomorrow_are_kept() {
    fn grow(value: &mut Value) {
        match value {
            Value::Object(map) => {
                map.values_mut().for_each(grow);
                map.insert("brand_new".to_owned(), json!("text"));
            }
            Value::Array(items) => items.iter_mut().for_each(grow),
            _ => {}
        }
    }
    // What has keys of its own choice takes no text among them.
    let maps = ["annotations"];
    for mut line in distinct() {
        let tool = line["tool_name"].as_str().unwrap().to_owned();
        if !reads(&line) || line.to_string().contains(maps[0]) {
            continue;
        }
        for (half, is_input) in [("tool_input", true), ("tool_response", false)] {
            let Some(raw) = line.get_mut(half) else {
                continue;
            };
            grow(raw);
            let typed = if is_input {
                serde_json::to_string(&input(&tool, raw).unwrap()).unwrap()
            } else {
                serde_json::to_string(&output(&tool, raw).unwrap()).unwrap()
            };
            assert!(json_equal(&typed, &raw.to_string()), "{typed}\n{raw}");
        }
    }
}

#[test]
fn names_stand_once_and_lead_to_their_tool() {
    let mut all = BTreeSet::new();
    let examples = written();
    for tool in BUILT_IN {
        let example = examples
            .iter()
            .find(|use_| use_.tool == tool.name && use_.input.is_some());
        let example = example.and_then(|use_| use_.input.clone());
        let example = example.unwrap_or_else(|| json!({}));
        for name in [&tool.name].into_iter().chain(tool.aliases) {
            assert!(all.insert(*name), "{name} stands twice");
            assert_eq!(built_in(name), Some(tool), "{name}");
            // A tool that claw does not know takes any input.
            if let Ok(typed) = input(name, &example) {
                assert_eq!(typed.tool_name(), tool.name, "{name}");
            }
        }
        assert_eq!(tool.to_string(), tool.name);
    }
    for (alias, name) in [
        ("Task", "Agent"),
        ("KillShell", "TaskStop"),
        ("KillBash", "TaskStop"),
    ] {
        assert_eq!(built_in(alias).unwrap().name, name);
    }
    assert_eq!(built_in("mcp__a__b"), None);
}

#[test]
fn tools_of_servers_and_of_tomorrow_are_kept() {
    let raw = json!({"a": 1});
    let ToolInput::Mcp(mcp) = input("mcp__calc__add__all", &raw).unwrap() else {
        panic!("no MCP tool");
    };
    assert_eq!(
        (mcp.server.as_str(), mcp.tool.as_str()),
        ("calc", "add__all")
    );
    assert_eq!(ToolInput::Mcp(mcp).tool_name(), "mcp__calc__add__all");
    for name in ["Tomorrow", "mcp__", "mcp__alone", "bash", ""] {
        for raw in [json!({}), json!(null), json!([1]), json!("x"), json!(7)] {
            let typed = input(name, &raw).unwrap();
            assert!(matches!(&typed, ToolInput::Unknown(unknown) if unknown.tool == name));
            assert_eq!(typed.tool_name(), name);
            assert_eq!(serde_json::to_value(&typed).unwrap(), raw);
            let typed = output(name, &raw).unwrap();
            assert!(matches!(typed, ToolOutput::Unknown(_)));
            assert_eq!(serde_json::to_value(&typed).unwrap(), raw);
        }
    }
    assert!(output("mcp__calc__add", &json!(7)).is_err());
}

#[test]
fn what_does_not_fit_says_where() {
    let todo = json!({"todos": [{"content": "a", "status": "pending", "activeForm": "b"}, {"content": 1}]});
    let question = json!({"questions": [{"question": "q", "header": "h", "multiSelect": false, "options": [{"description": "a"}]}]});
    for (tool, raw, path) in [
        ("Bash", json!({"command": 7}), "command"),
        ("Bash", json!({}), ""),
        ("Bash", json!("ls"), ""),
        ("Bash", json!(null), ""),
        ("TodoWrite", todo, "todos[1].content"),
        ("AskUserQuestion", question, "questions[0].options[0]"),
        (
            "MultiEdit",
            json!({"file_path": "/a", "edits": [[]]}),
            "edits[0]",
        ),
    ] {
        let error = input(tool, &raw).unwrap_err();
        assert_eq!(error.path(), path, "{tool}: {error}");
    }
    let patch = json!({"type": "create", "filePath": "/a", "content": "", "originalFile": null, "structuredPatch": [{"oldStart": "1"}]});
    for (tool, raw, path) in [
        ("Write", patch, "structuredPatch[0].oldStart"),
        (
            "Read",
            json!({"type": "text", "file": {"filePath": 1}}),
            "file.filePath",
        ),
        ("ListMcpResourcesTool", json!([{"uri": 1}]), "[0].uri"),
        (
            "WebSearch",
            json!({"query": "q", "durationSeconds": 1, "results": ["a", {"tool_use_id": "t", "content": [1]}]}),
            "results[1].content[0]",
        ),
        ("Bash", json!([]), ""),
    ] {
        let error = output(tool, &raw).unwrap_err();
        assert_eq!(error.path(), path, "{tool}: {error}");
    }
}

#[test]
fn a_tool_that_failed_gives_text() {
    let failed = output("Bash", &json!("Error: Exit code 1")).unwrap();
    assert_eq!(failed, ToolOutput::Failed("Error: Exit code 1".to_owned()));
    let read = output("Read", &json!({"type": "hologram", "file": {}})).unwrap();
    assert!(matches!(read, ToolOutput::Read(read) if matches!(*read, FileReadOutput::Unknown(_))));
}

#[test]
fn messages_and_hooks_have_the_view() {
    let block = ToolUseBlock::new(
        "toolu_1",
        "Task",
        Json::from(json!({"description": "d", "prompt": "p"})),
    );
    assert_eq!(block.typed_input().unwrap().tool_name(), "Agent");
    let line = br#"{"type":"assistant","message":{"id":"m","type":"message","role":"assistant","model":"x",
        "content":[{"type":"tool_use","id":"toolu_1","name":"Bash","input":{"command":"ls"}}],"stop_reason":null,
        "stop_sequence":null,"usage":{"output_tokens":5}},"parent_tool_use_id":null,"uuid":"u","session_id":"s"}"#;
    let Message::Assistant(message) = from_line(line).unwrap() else {
        panic!("no answer");
    };
    let ContentBlock::ToolUse(block) = &message.message.content[0] else {
        panic!("no tool");
    };
    let ToolInput::Bash(bash) = block.typed_input().unwrap() else {
        panic!("no command");
    };
    assert_eq!(bash.command, "ls");
    let hook = PostToolUseInput::new(
        "s",
        "/t",
        "/w",
        "Glob",
        Json::from(json!({"pattern": "*"})),
        Json::from(json!({"durationMs": 1, "numFiles": 1, "filenames": ["a"], "truncated": false})),
        "toolu_1",
    );
    assert!(matches!(hook.typed_input().unwrap(), ToolInput::Glob(glob) if glob.pattern == "*"));
    assert!(
        matches!(hook.typed_response().unwrap(), ToolOutput::Glob(glob) if glob.filenames == ["a"])
    );
}

#[test]
fn questions_are_answered_with_the_questions() {
    let asked = json!({"questions": [
        {"question": "Which?", "header": "W", "multiSelect": true, "options": []},
        {"question": "How?", "header": "H", "multiSelect": false, "options": []}
    ], "tomorrow": 1});
    let request = CanUseTool::new("AskUserQuestion", Json::from(asked.clone()), "toolu_1");
    let ToolInput::AskUserQuestion(input) = request.typed_input().unwrap() else {
        panic!("no question");
    };
    let answered = input
        .answer("Which?", "A")
        .answer("How?", "Fast")
        .answer("Which?", "B");
    let result = serde_json::to_value(PermissionResult::answers(&answered)).unwrap();
    let mut expected = asked;
    expected["answers"] = json!({"Which?": "A, B", "How?": "Fast"});
    assert_eq!(
        result,
        json!({"behavior": "allow", "updatedInput": expected})
    );
    let none = AskUserQuestionInput::new(Vec::new());
    let result = serde_json::to_value(PermissionResult::answers(&none)).unwrap();
    assert_eq!(result["updatedInput"], json!({"questions": []}));
}

#[test]
fn plans_are_approved_as_they_are_or_edited() {
    let result = serde_json::to_value(PermissionResult::approve_plan()).unwrap();
    assert_eq!(result, json!({"behavior": "allow"}));
    let shown = ExitPlanModeInput::new().plan("1.").plan_file_path("/p.md");
    let edited = PermissionResult::approve_edited_plan(shown, "1.\n2.");
    assert_eq!(
        serde_json::to_value(edited).unwrap(),
        json!({"behavior": "allow", "updatedInput": {"plan": "1.\n2.", "planFilePath": "/p.md"}})
    );
}

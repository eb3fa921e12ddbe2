use claw_types::Json;
use claw_types::tool::BUILT_IN;
use serde_json::json;

use super::*;

fn shown(tool: &str, input: serde_json::Value) -> String {
    ToolDisplay::of(tool, &Json::from(input)).text()
}

#[test]
fn tools_of_mcp_servers_are_a_server_and_a_tool() {
    assert_eq!(
        shown("mcp__calculator__add", json!({"a": 1, "b": "two"})),
        r#"calculator: add(a: 1, b: "two")"#
    );
    assert_eq!(shown("mcp__files__list", json!({})), "files: list");
}

#[test]
fn tools_that_nobody_knows_show_what_they_are_given() {
    assert_eq!(
        shown("Skill", json!({"skill": "greet"})),
        r#"Skill(skill: "greet")"#
    );
    assert_eq!(shown("Whatever", json!({})), "Whatever");
    assert_eq!(shown("Whatever", json!("text")), "Whatever");
}

#[test]
fn a_call_that_does_not_fit_is_shown_as_it_came() {
    assert_eq!(shown("Bash", json!({"cmd": "ls"})), r#"Bash(cmd: "ls")"#);
}

#[test]
fn earlier_names_are_todays() {
    let input = json!({"description": "Count", "prompt": "How many?", "subagent_type": "x"});
    assert_eq!(shown("Task", input), "Agent(Count)");
    assert_eq!(
        shown("KillShell", json!({"shell_id": "b1"})),
        "TaskStop(b1)"
    );
}

#[test]
fn a_long_command_is_one_line_of_bounded_length() {
    let line = shown("Bash", json!({"command": "echo a\n".repeat(1_000)}));
    assert!(line.starts_with("Bash(echo a echo a") && line.ends_with("…)"));
    assert!(line.chars().count() < 100);
}

#[test]
fn a_tool_whose_input_is_not_known_yet_has_its_name() {
    let name = |tool| ToolDisplay::unnamed_input(tool).text();
    assert_eq!(name("Edit"), "Update");
    assert_eq!(name("Bash"), "Bash");
    assert_eq!(name("mcp__calculator__add"), "calculator: add");
}

#[test]
fn every_built_in_tool_has_a_line() {
    for tool in BUILT_IN {
        let name = ToolDisplay::unnamed_input(tool.name);
        assert!(
            !name.text().is_empty() && !name.text().contains('('),
            "{name}"
        );
    }
}

#[test]
fn activities_of_tools() {
    for (activity, tools) in [
        (Activity::FileRead, &["Read"][..]),
        (Activity::FileSearch, &["Glob", "Grep", "LS"]),
        (
            Activity::CodeChange,
            &["Edit", "MultiEdit", "Write", "NotebookEdit"],
        ),
        (
            Activity::Command,
            &["Bash", "Monitor", "TaskStop", "KillShell"],
        ),
        (Activity::Web, &["WebFetch", "WebSearch", "web_search"]),
        (Activity::Agent, &["Agent", "Task", "Workflow"]),
        (
            Activity::Mcp,
            &[
                "mcp__calculator__add",
                "ListMcpResources",
                "ReadMcpResourceTool",
            ],
        ),
        (
            Activity::Other,
            &["TodoWrite", "ExitPlanMode", "AskUserQuestion", "Unheard"],
        ),
    ] {
        for tool in tools {
            assert_eq!(Activity::of(tool), activity, "{tool}");
        }
    }
}

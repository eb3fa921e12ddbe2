//! What scripted agents do for `answers.mjs`, one agent for each project.

use std::path::Path;

use claw_testkit::Block;
use claw_testkit::agent::{Script, Step};
use serde_json::{Value, json};

/// A request with the ID of the tool use that the conversation shows.
fn asks(tool: &str, input: &Value, more: &Value) -> Vec<Step> {
    let block = json!({"type": "tool_use", "id": "toolu_shown", "name": tool, "input": input});
    let block: Block = serde_json::from_value(block).unwrap();
    let mut request = json!({"tool_name": tool, "input": input, "tool_use_id": "toolu_shown"});
    for (name, value) in more.as_object().into_iter().flatten() {
        request[name] = value.clone();
    }
    let says = Step::message([Block::text("It was answered.")]);
    vec![
        Step::message([block]),
        Step::request("can_use_tool", request),
        says,
    ]
}

/// The agents, by the names of their projects. `root` is the folder of the projects.
pub(crate) fn agents(root: &Path) -> Vec<(&'static str, Script)> {
    let rule = |content: &str| {
        json!({"type": "addRules", "behavior": "allow", "destination": "localSettings",
            "rules": [{"toolName": "Bash", "ruleContent": content}]})
    };
    let folder = root.join("always").display().to_string();
    let suggestions = json!({"permission_suggestions": [rule("npm install:*"),
        {"type": "setMode", "mode": "acceptEdits", "destination": "session"},
        {"type": "addDirectories", "directories": [folder], "destination": "session"}]});
    let install = json!({"command": "npm install left-pad"});
    let file = root.join("numbered/clock.txt").display().to_string();
    let edit = json!({"file_path": file, "old_string": "line 41\n", "new_string": "line forty-one\n",
        "replace_all": false});
    let asked = json!({"description": file, "blocked_path": file});
    let long =
        json!({"file_path": file, "old_string": "line 41\n", "new_string": "more\n".repeat(200)});
    let server = json!({"city": "Oslo", "days": [{"date": "2026-12-01", "hours": [9, 12]}],
        "exact": true, "note": "two\nlines: of it"});
    let turns = |turns: Vec<Vec<Step>>| Script::new(turns.into_iter().map(Step::Turn));
    vec![
        (
            "always",
            turns(vec![
                asks("Bash", &install, &suggestions),
                asks("Bash", &install, &suggestions),
            ]),
        ),
        (
            "named",
            turns(vec![
                asks("Edit", &edit, &asked),
                asks("mcp__weather__look", &server, &json!({})),
                asks("Edit", &long, &json!({})),
            ]),
        ),
    ]
}

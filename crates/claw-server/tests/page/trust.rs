//! What scripted agents do for `trust.mjs`: one agent for each project, which begins anew with each session.

use std::path::Path;

use claw_testkit::Block;
use claw_testkit::agent::{Script, Step, ToolOutcome};
use serde_json::{Value, json};

/// The project in whose folder there is a file to change.
const NUMBERED: &str = "numbered";

/// The lines of the file that an agent changes.
pub(crate) fn file() -> String {
    let lines: Vec<_> = (1..=60).map(|line| format!("line {line}\n")).collect();
    lines.concat()
}

fn says(text: &str) -> Step {
    Step::message([Block::text(text)])
}

/// Asks for permission to use a tool, and says which answer it got.
fn asks(tool: &str, input: Value) -> Vec<Step> {
    let allow = vec![Step::tool_result("ok"), says("It was allowed.")];
    let deny = vec![says("It was denied.")];
    vec![
        Step::message([Block::tool_use(tool, input)]),
        Step::permission(allow, deny),
    ]
}

fn bash() -> Vec<Step> {
    asks("Bash", json!({"command": "rm -rf build"}))
}

fn request(tool: &str, input: &Value) -> Step {
    let body = json!({"tool_name": tool, "input": input, "tool_use_id": "toolu_asked"});
    Step::request("can_use_tool", body)
}

fn lines(count: usize) -> String {
    let lines: Vec<_> = (1..=count)
        .map(|line| format!("Line {line}.\n\n"))
        .collect();
    lines.concat()
}

/// What a failing command prints: more than is shown at first, in colours, and the error at the end.
fn failure() -> String {
    let tests: Vec<_> = (1..=40)
        .map(|test| format!("\u{1b}[32mok\u{1b}[0m {test}\n"))
        .collect();
    let tests = tests.concat();
    format!("Exit code 101\n{tests}\u{1b}[1;31merror\u{1b}[0m: the clock is wrong")
}

/// What the CLI tells the model of a sub-agent in the background.
const LAUNCHED: &str = "Async agent launched successfully. (This tool result is internal metadata — never quote or paste \
    any part of it, including the agentId below, into a user-facing reply.)\nagentId: a515428a175e1e3bd (internal ID - do \
    not mention to user. Use SendMessage with to: 'a515428a175e1e3bd', summary: '<5-10 word recap>' to continue this \
    agent.)\nThe agent is working in the background.\nDo not duplicate this agent's work.\noutput_file: /tmp/a.output";

/// The agents, by the names of their projects. `root` is the folder of the projects.
pub(crate) fn agents(root: &Path) -> Vec<(&'static str, Script)> {
    let preview = "```\n+------+\n| dark |\n+------+\n```";
    let questions = json!({"questions": [
        {"question": "Which look?", "header": "Look", "multiSelect": false,
            "options": [{"label": "Dark", "description": "For the night", "preview": preview},
                {"label": "Light", "description": "For the day"}]},
        {"question": "Which name?", "header": "Name", "multiSelect": false,
            "options": [{"label": "Clock", "description": "Short"}, {"label": "Timepiece", "description": "Long"}]}]});
    let plan = |plan: &str| json!({"plan": plan});
    let added = "line forty-two and more\n".repeat(20);
    let edit = json!({"file_path": root.join(NUMBERED).join("clock.txt"),
        "old_string": "line 41\nline 42\n", "new_string": format!("line 41\nline forty-two\n{added}")});
    let launched = json!({"isAsync": true, "status": "async_launched", "agentId": "a515428a175e1e3bd",
        "description": "Count the files", "prompt": "Count them.", "outputFile": "/tmp/a.output",
        "canReadOutputFile": true, "canContinueAgent": true});
    let agent = json!({"description": "Count the files", "prompt": "Count them.", "subagent_type": "Explore",
        "run_in_background": true});
    let mut shown = ToolOutcome::default();
    LAUNCHED.clone_into(&mut shown.content);
    shown.tool_use_result = Some(launched);
    let parallel = |command: &str| {
        let input = json!({"command": command, "dangerouslyDisableSandbox": true});
        Step::Line(
            json!({"type": "control_request", "request_id": "$uuid", "request": {"subtype": "can_use_tool",
            "tool_name": "Bash", "input": input, "tool_use_id": format!("toolu_{}", command.len())}}),
        )
    };
    let both = vec![
        parallel("touch one"),
        parallel("touch another"),
        Step::expect("control_response"),
        Step::expect("control_response"),
        says("Both are answered."),
    ];
    let turns = |turns: Vec<Vec<Step>>| Script::new(turns.into_iter().map(Step::Turn));
    vec![
        ("permission", turns(vec![bash(), bash(), bash()])),
        ("double", turns(vec![both])),
        (
            "plan",
            turns(vec![vec![request("ExitPlanMode", &plan("1. Write it."))]]),
        ),
        (
            "no-plan",
            turns(vec![vec![request("ExitPlanMode", &plan(" "))]]),
        ),
        (
            "question",
            turns(vec![vec![request("AskUserQuestion", &questions)]]),
        ),
        (
            "lost",
            turns(vec![
                vec![says(&lines(120)), Step::gate("lost")],
                vec![says("It had arrived.")],
                vec![says("Now it has.")],
            ]),
        ),
        (
            "stopped",
            turns(vec![vec![says("This takes long."), Step::gate("never")]]),
        ),
        (
            "escape",
            turns(vec![
                bash(),
                vec![says("Until Escape."), Step::gate("never")],
            ]),
        ),
        (
            "scrolled",
            turns(vec![
                [vec![says(&lines(120)), Step::gate("scrolled")], bash()].concat(),
            ]),
        ),
        (
            "shown",
            turns(vec![
                vec![
                    Step::message([Block::tool_use("Bash", json!({"command": "cargo test"}))]),
                    Step::tool_error(failure()),
                    Step::message([Block::tool_use("Agent", agent)]),
                    Step::ToolResult(shown),
                    says("It is under way."),
                ],
                vec![says("I have read them.")],
            ]),
        ),
        (NUMBERED, turns(vec![asks("Edit", edit)])),
    ]
}

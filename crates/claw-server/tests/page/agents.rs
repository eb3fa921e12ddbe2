//! What the scripted agent and the scripted API do for `agents.mjs`.

use claw_testkit::Block;
use claw_testkit::agent::{Script, Step};
use claw_testkit::api::{Answer, Rule};
use serde_json::{Value, json};

/// How many sub-agents work at once in the large turn, and how many lines each of them says.
const MANY: usize = 50;
const LINES: usize = 200;

fn line(kind: &str, subtype: &str, mut body: Value) -> Step {
    body["type"] = kind.into();
    if !subtype.is_empty() {
        body["subtype"] = subtype.into();
    }
    body["uuid"] = "$uuid".into();
    body["session_id"] = "$session_id".into();
    Step::Line(body)
}

fn uses(id: &str, tool: &str, input: &Value) -> Value {
    json!({"type": "tool_use", "id": id, "name": tool, "input": input})
}

/// A message of the model, or of the sub-agent that a tool use has started.
fn message(parent: Option<&str>, id: &str, content: &Value) -> Step {
    line(
        "assistant",
        "",
        json!({"parent_tool_use_id": parent, "timestamp": "$timestamp", "message": {"id": id, "type": "message",
            "role": "assistant", "model": "$model", "content": content, "stop_reason": null, "stop_sequence": null,
            "usage": {"input_tokens": 1, "output_tokens": 2}}}),
    )
}

fn result(id: &str, text: &str) -> Step {
    let content = json!([{"type": "tool_result", "tool_use_id": id, "content": text}]);
    line(
        "user",
        "",
        json!({"parent_tool_use_id": null, "message": {"role": "user", "content": content}}),
    )
}

fn started(task: &str, tool: &str, description: &str, kind: &str) -> Step {
    let is_agent = kind == "local_agent";
    line(
        "system",
        "task_started",
        json!({"task_id": task, "tool_use_id": tool, "description": description, "task_type": kind,
            "subagent_type": is_agent.then_some("Explore"), "is_backgrounded": !is_agent}),
    )
}

fn ended(task: &str, tool: &str, status: &str, summary: &str) -> Step {
    line(
        "system",
        "task_notification",
        json!({"task_id": task, "tool_use_id": tool, "status": status, "output_file": "", "summary": summary,
            "usage": {"total_tokens": 2345, "tool_uses": 3, "duration_ms": 4200}}),
    )
}

fn says(parent: &str, id: &str, text: &str) -> Step {
    message(Some(parent), id, &json!([{"type": "text", "text": text}]))
}

/// The agent of the project `agents`.
pub(crate) fn agents() -> Vec<(&'static str, Script)> {
    let start = |description: &str| json!({"description": description, "prompt": "Go", "subagent_type": "Explore"});
    let two = Step::Turn(vec![
        message(
            None,
            "msg_two",
            &json!([
                uses("toolu_left", "Agent", &start("Search the left")),
                uses("toolu_right", "Agent", &start("Search the right")),
                uses(
                    "toolu_shell",
                    "Bash",
                    &json!({"command": "make all", "run_in_background": true})
                ),
            ]),
        ),
        started("k1", "toolu_left", "Search the left", "local_agent"),
        started("k2", "toolu_right", "Search the right", "local_agent"),
        started("k3", "toolu_shell", "make all", "local_bash"),
        result("toolu_shell", "Command running in background"),
        says("toolu_left", "msg_l1", "Left one."),
        says("toolu_right", "msg_r1", "Right one."),
        says("toolu_left", "msg_l2", "Left two."),
        line(
            "system",
            "task_progress",
            json!({"task_id": "k1", "tool_use_id": "toolu_left", "description": "Reading <b>left</b>.rs",
                "usage": {"total_tokens": 1234, "tool_uses": 2, "duration_ms": 2000}}),
        ),
        Step::gate("agents-ask"),
        Step::request(
            "can_use_tool",
            json!({"tool_name": "Bash", "input": {"command": "ls right"}, "tool_use_id": "toolu_asked", "agent_id": "k2"}),
        ),
        Step::expect_request("stop_task"),
        Step::Reply(json!({})),
        Step::gate("agents-stopped"),
        ended("k2", "toolu_right", "stopped", "Stopped by the user."),
        result("toolu_right", "stopped"),
        says("toolu_left", "msg_l3", "Left three."),
        Step::gate("agents-done"),
        ended(
            "k1",
            "toolu_left",
            "completed",
            "The left has two branches.",
        ),
        result("toolu_left", "The left has two branches."),
        Step::message([Block::text("Both were searched.")]),
    ]);
    let after = [
        Step::gate("shell-done"),
        ended("k3", "toolu_shell", "failed", "make: exit code 2"),
    ];
    vec![(
        "agents",
        Script::new([two].into_iter().chain(after).chain([many()])),
    )]
}

/// Many sub-agents at once, with a long conversation.
fn many() -> Step {
    let tool = |agent: usize| format!("toolu_many_{agent}");
    let mut steps = Vec::new();
    for agent in 0..MANY {
        let input = json!({"description": format!("Part {agent}"), "prompt": "Go"});
        let content = json!([uses(&tool(agent), "Agent", &input)]);
        steps.push(message(None, &format!("msg_many_{agent}"), &content));
        let task = format!("many{agent}");
        steps.push(started(
            &task,
            &tool(agent),
            &format!("Part {agent}"),
            "local_agent",
        ));
    }
    for number in 0..LINES {
        for agent in 0..MANY {
            let text = format!("Part {agent}, line {number}.");
            steps.push(says(&tool(agent), &format!("msg_{agent}_{number}"), &text));
        }
    }
    steps.push(Step::gate("many"));
    for agent in 0..MANY {
        steps.push(ended(
            &format!("many{agent}"),
            &tool(agent),
            "completed",
            "Done.",
        ));
        steps.push(result(&tool(agent), "Done."));
    }
    steps.push(Step::message([Block::text("All parts are done.")]));
    Step::Turn(steps)
}

/// What the API answers the real CLI: two sub-agents side by side, and a command in the background.
pub(crate) fn rules() -> Vec<Rule> {
    let on = |prompt: &str, answer| Rule::new(answer).on_prompt(prompt);
    let agent = |side: &str| {
        let input = json!({"description": format!("Look {side}"), "prompt": format!("Look at the {side} side."),
            "subagent_type": "general-purpose", "run_in_background": false});
        Block::tool_use("Agent", input)
    };
    let shell = json!({"command": "node -e 'setTimeout(() => {}, 600000)'", "description": "Run behind",
        "run_in_background": true});
    let holds = |text: &str, gate: &str| Answer::message([Block::text(text).hold(1, gate)]);
    vec![
        on("left side", holds("Nothing on the left.", "left-seen")),
        on("right side", holds("Nothing on the right.", "right-seen")),
        on(
            "Both sides",
            Answer::message([agent("left"), agent("right")]),
        )
        .times(1),
        on(
            "Both sides",
            Answer::message([Block::text("Both sides are clear.")]),
        ),
        on(
            "Shell behind",
            Answer::message([Block::tool_use("Bash", shell)]),
        )
        .times(1),
        on(
            "Shell behind",
            Answer::message([Block::text("It runs behind.")]),
        ),
    ]
}

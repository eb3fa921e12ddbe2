//! What the scripted agent and the scripted Messages API do on the page.

use claw_testkit::Block;
use claw_testkit::agent::{Script, Step};
use claw_testkit::api::{Answer, Rule, Scenario};
use serde_json::json;

const MARKDOWN: &str = "## Found\n\nOf **20 tests** one *fails*:\n\n1. `parses_dates`\n2. more\n\n- [x] find it\n- [ ] mend it\n\n\
    ```rust\nlet now = Utc::now();\n```\n\n| test | time |\n|---|--:|\n| dates | 0.2 s |\n\n\
    <img src=x onerror=\"window.ran=1\"> [a](javascript:window.ran=1) [docs](https://docs.example/) the end";

const HOSTILE: &str = "\"><img src=x onerror=\"window.ran=1\"><script>window.ran=1</script>\u{202e}' onfocus='window.ran=1' \
    </textarea></template><svg onload=window.ran=1>\u{1b}[2J";

/// Asks for permission to use a tool, and uses it if it is given.
fn asks(tool: &str, input: serde_json::Value) -> [Step; 2] {
    [
        Step::message([Block::tool_use(tool, input)]),
        Step::permission([Step::tool_result("ok")], []),
    ]
}

fn says(text: &str) -> Step {
    Step::message([Block::text(text)])
}

/// A request that a tool's use makes, in all its parts.
fn request(tool: &str, input: &serde_json::Value) -> Step {
    Step::request(
        "can_use_tool",
        json!({"tool_name": tool, "input": input, "tool_use_id": "toolu_asked"}),
    )
}

/// A sub-agent with an ID that later lines know.
fn task() -> Block {
    let task = json!({"type": "tool_use", "id": "toolu_task", "name": "Task",
        "input": {"description": "Look for clocks", "prompt": "Look", "subagent_type": "Explore"}});
    serde_json::from_value(task).unwrap()
}

/// The turns of `page.mjs`, one after the other.
pub(crate) fn conversation() -> Script {
    let test = || json!({"command": "cargo test"});
    let hostile = json!({HOSTILE: HOSTILE, "command": HOSTILE});
    let rule = json!({"type": "addRules", "behavior": "allow", "destination": "session",
        "rules": [{"toolName": HOSTILE, "ruleContent": HOSTILE}]});
    let asked = json!({"tool_name": HOSTILE, "input": hostile, "tool_use_id": "toolu_hostile",
        "description": HOSTILE, "permission_suggestions": [rule]});
    let questions = json!({"questions": [
        {"question": "Which time zone?", "header": "Zone", "multiSelect": false,
            "options": [{"label": "UTC", "description": "As stored"}, {"label": "Local", "description": "As shown"}]},
        {"question": "Which tests?", "header": "Tests", "multiSelect": true,
            "options": [{"label": "Unit", "description": "Fast"}, {"label": "Page", "description": "Slow"}]}]});
    let plan = json!({"plan": "# Mend the clock\n\n1. Use **UTC**\n2. Add a test"});
    let edit = json!({"file_path": "/a/b/clock.rs", "old_string": "one\ntwo\n", "new_string": "one\nthree\n"});
    let todos = json!({"todos": [
        {"content": "Find it", "status": "pending", "activeForm": "Finding it"},
        {"content": "Mend it", "status": "pending", "activeForm": "Mending it"}]});
    let one_by_one = |of: Vec<Vec<Step>>| of.into_iter().flatten().collect::<Vec<_>>();
    let turns = [
        Step::Turn(one_by_one(vec![vec![
            Step::message([
                Block::text("I'll run the test suite now. Running test 5 of 20..."),
                Block::tool_use("Bash", json!({"command": "go test ./..."})),
            ]),
            Step::gate("tests"),
            Step::tool_result("ok"),
            Step::message([Block::tool_use("Edit", edit.clone())]),
            Step::tool_result("Done."),
            Step::gate("edited"),
            says("All 20 tests pass."),
        ]])),
        Step::Turn(vec![
            says("Running test 14 of 20… 15 of 20…"),
            Step::gate("fifteen"),
            Step::message([Block::tool_use("TodoWrite", todos)]),
            Step::tool_error("The list is refused."),
            Step::gate("refused"),
            says("The code-reviewer sub-agent is running test 3 of 9."),
            Step::gate("mentioned"),
            says("That is all."),
        ]),
        Step::Turn(vec![Step::message(
            [Block::text(MARKDOWN).hold(12, "half")],
        )]),
        Step::Turn(one_by_one(vec![
            asks("Bash", test()).into(),
            asks("Bash", test()).into(),
            asks("Edit", edit).into(),
            vec![says("Asked enough.")],
        ])),
        Step::Turn(vec![
            Step::message([
                Block::text(HOSTILE),
                Block::tool_use("Bash", json!({"command": HOSTILE, "description": HOSTILE})),
            ]),
            Step::tool_result(HOSTILE),
            Step::request("can_use_tool", asked),
        ]),
        Step::Turn(vec![request("AskUserQuestion", &questions)]),
        Step::Turn(vec![request("ExitPlanMode", &plan)]),
        Step::Turn(vec![
            Step::message([task()]),
            Step::Line(
                json!({"type": "system", "subtype": "task_started", "task_id": "k1", "tool_use_id": "toolu_task",
                "description": "Look for clocks", "task_type": "local_agent", "uuid": "$uuid", "session_id": "$session_id"}),
            ),
            Step::Line(
                json!({"type": "assistant", "parent_tool_use_id": "toolu_task", "uuid": "$uuid",
                "session_id": "$session_id", "message": {"id": "msg_sub", "type": "message", "role": "assistant",
                "model": "$model", "content": [{"type": "text", "text": "I look at the clocks."}], "stop_reason": null,
                "stop_sequence": null, "usage": {"input_tokens": 1, "output_tokens": 2}}}),
            ),
            Step::gate("looked"),
            Step::tool_result("Two clocks."),
            Step::Line(
                json!({"type": "system", "subtype": "task_notification", "task_id": "k1", "tool_use_id": "toolu_task",
                "status": "completed", "output_file": "", "summary": "Two clocks.", "uuid": "$uuid", "session_id": "$session_id"}),
            ),
            says("There are two clocks."),
        ]),
        Step::Turn(vec![says("I wait."), Step::gate("steered")]),
        Step::Turn(vec![says("The fast ones, then.")]),
        Step::Turn(vec![says("This takes long."), Step::gate("never")]),
        Step::Turn(vec![says("A red dot.")]),
        Step::Turn(asks("Bash", test()).into()),
        Step::Turn(asks("Bash", test()).into()),
        Step::Turn(vec![Step::message([
            Block::text("Half of a word.").hold(2, "word")
        ])]),
        Step::Turn(vec![Step::message([Block::text(
            "Before the sleep, and after it.",
        )
        .hold(3, "slept")])]),
        Step::Turn(asks("Bash", test()).into()),
        Step::Turn(vec![says("Until Escape."), Step::gate("never")]),
    ];
    Script::new(crate::offers::initialized().into_iter().chain(turns))
}

/// What the API answers the real CLI.
pub(crate) fn api(first: Vec<Rule>) -> Scenario {
    let says = |text: &str| Answer::message([Block::text(text)]);
    let uses =
        |name: &str, input: serde_json::Value| Answer::message([Block::tool_use(name, input)]);
    let bash = |command: &str| {
        uses(
            "Bash",
            json!({"command": command, "description": "A command"}),
        )
    };
    let question = json!({"questions": [{"question": "Which colour?", "header": "Colour", "multiSelect": false,
        "options": [{"label": "Red", "description": "A warm one"}, {"label": "Blue", "description": "A cold one"}]}]});
    let agent = json!({"description": "Count the files", "prompt": "How many files are here? Count them.",
        "subagent_type": "general-purpose", "run_in_background": false});
    let background = json!({"description": "Count slowly", "prompt": "Count slowly, one by one.",
        "subagent_type": "general-purpose", "run_in_background": true});
    let on = |prompt: &str, answer| Rule::new(answer).on_prompt(prompt);
    Scenario::new(
        "page",
        first.into_iter().chain([
            on("Make", says("The file is there.")).on_tool_result(""),
            on("Make", bash("touch made")),
            on("Delete", says("Then it stays.")).on_tool_error(true),
            on("Delete", bash("rm made")),
            on("Count lines", says("It has no lines.")).on_tool_result(""),
            on("Count lines", bash("node -e 0")),
            on("Colour", says("Blue it is.")).on_tool_result("Blue"),
            on("Colour", uses("AskUserQuestion", question)),
            on("Plan", says("The plan is made.")).on_tool_result("approved"),
            on(
                "Plan",
                uses("ExitPlanMode", json!({"plan": "1. Write it."})),
            ),
            on("Look around", says("There is one file.")).on_tool_result(""),
            on("Look around", uses("Agent", agent)),
            on("Count them", says("I see one file.")),
            on(
                "Count slowly",
                Answer::message([Block::text("I counted one.").hold(1, "counted")]),
            ),
            on("Two documents", says("Both are read.")),
            on("Count behind", uses("Agent", background)).times(1),
            on("Count behind", says("It counts."))
                .on_tool_result("")
                .times(1),
            on("Count behind", says("It counted one.")),
            on(
                "Wait",
                Answer::message([Block::text("This takes long.").hold(1, "never")]),
            ),
            Rule::new(says("Yes.")),
        ]),
    )
}

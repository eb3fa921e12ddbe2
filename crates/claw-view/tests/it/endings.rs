//! Tests of tools and sub-agents whose end is reported by no line of their own.

use claw_view::element::{Content, TaskState, ToolStatus};
use claw_view::{Element, Elements, Input};

use crate::sessions::{fed, sessions};

fn shown(name: &str) -> Elements {
    let sessions = sessions();
    let session = sessions.iter().find(|session| session.name == name);
    let session = session.unwrap_or_else(|| panic!("no recording {name}"));
    fed(session.stdout.iter().map(String::as_str)).0
}

fn tools(elements: &Elements) -> Vec<(&str, ToolStatus)> {
    let tool = |element: &'_ Element| match &element.content {
        Content::ToolCall(call) => Some(call.status),
        _ => None,
    };
    let tools = elements
        .iter()
        .filter_map(|element| Some((element.id.as_str(), tool(element)?)));
    tools.collect()
}

#[test]
fn a_tool_that_a_limit_kept_from_running_does_not_run_for_ever() {
    let elements = shown("max_budget_tool");
    assert_eq!(tools(&elements), [("toolu_0001", ToolStatus::Interrupted)]);
}

#[test]
fn a_turn_that_was_cut_off_leaves_no_tool_running() {
    let sessions = sessions();
    let session = sessions
        .iter()
        .find(|it| it.name == "bash_allowed")
        .unwrap();
    let lines = session.stdout.iter().map(String::as_str);
    let before = lines.take_while(|line| !line.contains("tool_result"));
    let (mut elements, _, mut timeline) = fed(before);
    assert_eq!(tools(&elements), [("toolu_0001", ToolStatus::Asking)]);
    elements.extend(timeline.push(Input::TurnCut));
    assert_eq!(tools(&elements), [("toolu_0001", ToolStatus::Interrupted)]);
}

#[test]
fn a_tool_at_the_api_that_a_limit_left_open_does_not_run_for_ever() {
    let elements = shown("max_turns_tool");
    assert_eq!(
        tools(&elements),
        [
            ("srvtoolu_0001", ToolStatus::Interrupted),
            ("toolu_0001", ToolStatus::Done),
        ]
    );
}

#[test]
fn tools_at_the_api_end_with_results_of_any_kind() {
    let elements = shown("server_tools_whole");
    assert_eq!(
        tools(&elements),
        [
            ("srvtoolu_0001", ToolStatus::Interrupted),
            ("srvtoolu_0002", ToolStatus::Done),
            ("srvtoolu_0003", ToolStatus::Done),
        ]
    );
    let advice = elements.iter().find_map(|element| match &element.content {
        Content::ToolResult(result) if result.tool_use_id == "srvtoolu_0003" => Some(result),
        _ => None,
    });
    let advice = advice.expect("its result is shown");
    assert_eq!(advice.tool.as_deref(), Some("advisor"));
    assert!(advice.text.contains("Four is right."), "{}", advice.text);
}

#[test]
fn a_forked_command_ends_with_its_turn() {
    let elements = shown("forked_command");
    let agents: Vec<_> = elements
        .iter()
        .filter_map(|element| match &element.content {
            Content::Subagent(agent) => Some((element.id.as_str(), agent.state)),
            _ => None,
        })
        .collect();
    assert!(
        agents.contains(&("forked-command-count.agent", TaskState::Completed)),
        "{agents:?}"
    );
    assert!(
        agents.iter().all(|agent| agent.1 == TaskState::Completed),
        "{agents:?}"
    );
    // The elements of the forked command have the command as their parent, and its tool use has completed.
    let below = elements.iter().filter(|element| {
        element
            .parent
            .as_ref()
            .is_some_and(|parent| parent.as_str() == "forked-command-count")
    });
    assert!(below.count() >= 3);
    assert_eq!(tools(&elements), [("toolu_0001", ToolStatus::Done)]);
}

#[test]
fn both_results_of_a_turn_within_another_are_turn_ends() {
    let elements = shown("subagent_background_closed");
    let ends = elements
        .iter()
        .filter(|element| matches!(&element.content, Content::TurnEnd(end) if end.ok));
    assert_eq!(ends.count(), 2);
}

#[test]
fn a_deferred_tools_result_is_shown_where_it_comes() {
    let elements = shown("hook_defer_resumed.2");
    let kinds: Vec<_> = elements
        .iter()
        .filter_map(|element| match &element.content {
            Content::ToolResult(result) => Some(("result", result.tool_use_id.as_str())),
            Content::ToolCall(call) => Some(("call", call.tool_use_id.as_str())),
            _ => None,
        })
        .collect();
    assert_eq!(
        kinds,
        [
            ("result", "toolu_0001"),
            ("call", "toolu_0002"),
            ("result", "toolu_0002")
        ]
    );
}

#[test]
fn a_turn_that_was_stopped_is_an_interruption_and_no_error() {
    for name in [
        "interrupt",
        "interrupt_tool",
        "interrupt_permission",
        "interrupt_mcp",
        "deny_interrupt",
    ] {
        let elements = shown(name);
        let end = elements.iter().find_map(|element| match &element.content {
            Content::TurnEnd(end) => Some(end),
            _ => None,
        });
        let end = end.expect("a turn ends");
        assert!(!end.ok && end.interrupted, "{name}");
        assert!(
            end.text.starts_with("interrupted: "),
            "{name}: {}",
            end.text
        );
        // Messages about the CLI's internal state are not shown as errors.
        assert!(end.errors.is_empty(), "{name}: {:?}", end.errors);
    }
    let elements = shown("max_turns");
    let failed = elements.iter().any(
        |element| matches!(&element.content, Content::TurnEnd(end) if !end.ok && !end.interrupted),
    );
    assert!(failed);
}

/// The CLI reports a command that takes long as a task, also if the turn waits for it.
#[test]
fn a_command_for_which_the_turn_waits_is_one_element() {
    let tasks = |elements: &Elements| {
        let is_task = |element: &&Element| matches!(element.content, Content::Task(_));
        elements.iter().filter(is_task).cloned().collect::<Vec<_>>()
    };
    let elements = shown("heartbeat");
    assert_eq!(tools(&elements), [("toolu_0001", ToolStatus::Done)]);
    assert!(tasks(&elements).is_empty());
    // A command that moves to the background no longer blocks the turn.
    let sessions = sessions();
    let session = sessions.iter().find(|it| it.name == "heartbeat").unwrap();
    let lines = session.stdout.iter().map(String::as_str);
    let before = lines.take_while(|line| !line.contains("task_notification"));
    let (mut elements, _, mut timeline) = fed(before);
    assert!(tasks(&elements).is_empty());
    let moved = r#"{"type":"system","subtype":"task_updated","task_id":"b2nrybhpk","patch":{"is_backgrounded":true},"uuid":"m","session_id":"s"}"#;
    elements.extend(timeline.push(Input::Line(moved)));
    let ended = session
        .stdout
        .iter()
        .find(|line| line.contains("task_notification"));
    elements.extend(timeline.push(Input::Line(ended.unwrap())));
    let found = tasks(&elements);
    let [task] = &found[..] else {
        panic!("one task")
    };
    assert!(
        matches!(&task.content, Content::Task(task) if task.state == TaskState::Completed && task.description == "Take long"),
        "{task:?}"
    );
}

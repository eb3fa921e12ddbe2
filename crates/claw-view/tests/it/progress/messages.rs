//! Tests of the progress that each kind of message reports.

use claw_types::{Message, from_line};
use claw_view::Activity;
use claw_view::progress::{Certainty, Progress, Source, State, Tracker};
use serde_json::{Value, json};

/// Parses a message. Adds the fields that every message has.
fn message(mut line: Value) -> Message {
    line["uuid"] = "u".into();
    line["session_id"] = "s".into();
    from_line(line.to_string().as_bytes()).unwrap()
}

fn system(subtype: &str, mut line: Value) -> Message {
    line["type"] = "system".into();
    line["subtype"] = subtype.into();
    message(line)
}

fn said(parent: Option<&str>, block: &Value) -> Message {
    message(json!({
        "type": "assistant", "parent_tool_use_id": parent,
        "message": {
            "id": "msg_1", "type": "message", "role": "assistant", "model": "m", "content": [block],
            "stop_reason": null, "stop_sequence": null, "usage": {"input_tokens": 1, "output_tokens": 1}
        }
    }))
}

fn used(parent: Option<&str>, id: &str, tool: &str, input: &Value) -> Message {
    said(
        parent,
        &json!({"type": "tool_use", "id": id, "name": tool, "input": input}),
    )
}

fn result(parent: Option<&str>, id: &str, content: &str, raw: &Value) -> Message {
    let block = json!({"type": "tool_result", "tool_use_id": id, "content": content});
    message(json!({
        "type": "user", "parent_tool_use_id": parent, "tool_use_result": raw,
        "message": {"role": "user", "content": [block]}
    }))
}

/// Returns the progress that a message reports, except for the start and end of tool uses.
fn found(tracker: &mut Tracker, message: &Message) -> Vec<Progress> {
    let found = tracker.push(message).into_iter();
    found
        .filter(|progress| progress.source != Source::ToolUse)
        .collect()
}

fn one(tracker: &mut Tracker, message: &Message) -> Progress {
    let mut found = found(tracker, message);
    assert_eq!(found.len(), 1, "{found:?}");
    found.remove(0)
}

type Numbers = (Option<u64>, Option<u64>, Option<f64>);

fn numbers(progress: &Progress) -> Numbers {
    (progress.completed, progress.total, progress.percentage)
}

#[test]
fn what_a_command_prints_is_read_when_its_result_comes() {
    let mut tracker = Tracker::new();
    let input = json!({"command": "make", "description": "Build it"});
    assert!(found(&mut tracker, &used(None, "t1", "Bash", &input)).is_empty());
    let raw = json!({
        "stdout": "[ 45%] Building\n[ 50%] Building C object x.o", "stderr": "", "interrupted": false
    });
    let progress = one(&mut tracker, &result(None, "t1", "cut off", &raw));
    assert_eq!(numbers(&progress), (None, None, Some(50.0)));
    assert_eq!(progress.tool_use_id.as_ref().unwrap().as_str(), "t1");
    assert_eq!(
        (progress.source, progress.certainty),
        (Source::CommandOutput, Certainty::Likely)
    );
    assert_eq!(tracker.current(), Some(&progress));
}

#[test]
fn what_a_command_printed_is_read_where_only_the_model_was_told() {
    let mut tracker = Tracker::new();
    tracker.push(&used(None, "t1", "Bash", &json!({"command": "make"})));
    let progress = one(&mut tracker, &result(None, "t1", "45%", &Value::Null));
    assert_eq!(numbers(&progress), (None, None, Some(45.0)));
    assert_eq!(progress.step.as_deref(), Some("make"));
}

#[test]
fn what_the_cli_says_in_the_model_s_place_is_no_progress() {
    let said = |key: &str, value: &str| {
        message(json!({
            "type": "assistant", "parent_tool_use_id": null, (key): value,
            "message": {
                "id": "msg_1", "type": "message", "role": "assistant", "model": "<synthetic>",
                "content": [{"type": "text", "text": "Running test 5 of 20"}], "stop_reason": null,
                "stop_sequence": null, "usage": {"input_tokens": 0, "output_tokens": 0}
            }
        }))
    };
    let mut tracker = Tracker::new();
    assert!(tracker.push(&said("error", "rate_limit")).is_empty());
    assert!(tracker.push(&said("local_command_source", "…")).is_empty());
    assert_eq!(
        tracker
            .push(&said("timestamp", "2026-11-21T00:00:00Z"))
            .len(),
        1
    );
}

#[test]
fn results_of_other_tools_are_not_read() {
    let mut tracker = Tracker::new();
    tracker.push(&used(None, "t1", "Read", &json!({"file_path": "/log"})));
    let result = result(None, "t1", "[3/12] Compiling", &Value::Null);
    assert!(found(&mut tracker, &result).is_empty());
}

#[test]
fn the_use_of_a_tool_is_told_at_its_begin_and_at_its_end() {
    let mut tracker = Tracker::new();
    let begun = tracker.push(&used(None, "t1", "Grep", &json!({"pattern": "fn"})));
    let ended = tracker.push(&result(None, "t1", "no matches", &Value::Null));
    for (found, state) in [(begun, State::Running), (ended, State::Completed)] {
        let [progress] = &found[..] else {
            panic!("{found:?}")
        };
        assert_eq!((progress.source, progress.state), (Source::ToolUse, state));
        assert_eq!(progress.step.as_deref(), Some("Grep(pattern: \"fn\")"));
        assert_eq!(progress.activity, Some(Activity::FileSearch));
    }
    // The progress of a tool use is not the progress of the conversation.
    assert_eq!(tracker.current(), None);
    assert!(
        tracker
            .push(&result(None, "t1", "again", &Value::Null))
            .is_empty()
    );
}

/// The end of a sub-agent's to-do list or tool use is not the end of the sub-agent.
#[test]
fn a_sub_agent_goes_on_when_its_list_is_done() {
    let mut tracker = Tracker::new();
    let started = json!({"task_id": "a1", "tool_use_id": "t1", "description": "Look"});
    tracker.push(&system("task_started", started));
    let todos = json!({"todos": [{"content": "Plan", "status": "completed", "activeForm": ""}]});
    tracker.push(&used(Some("t1"), "t2", "TodoWrite", &todos));
    let list = one(&mut tracker, &result(Some("t1"), "t2", "", &Value::Null));
    assert_eq!(list.state, State::Completed);
    let patch = json!({"task_id": "a1", "patch": {"description": "Look on"}});
    assert_eq!(
        one(&mut tracker, &system("task_updated", patch)).state,
        State::Running
    );
    assert_eq!(
        one(&mut tracker, &system("agents_killed", json!({}))).state,
        State::Stopped
    );
}

#[test]
fn a_list_of_what_is_to_do_is_counted() {
    let todo = |content: &str, status: &str| json!({"content": content, "status": status, "activeForm": format!("{content}ing")});
    let todos = [
        todo("Plan", "completed"),
        todo("Test", "in_progress"),
        todo("Ship", "pending"),
    ];
    let mut tracker = Tracker::new();
    let write = used(None, "t1", "TodoWrite", &json!({"todos": todos}));
    assert!(tracker.push(&write).is_empty());
    let progress = one(&mut tracker, &result(None, "t1", "", &Value::Null));
    assert_eq!(numbers(&progress), (Some(1), Some(3), Some(33.3)));
    assert_eq!(progress.step.as_deref(), Some("Testing"));
    assert_eq!(
        (progress.source, progress.certainty),
        (Source::TodoList, Certainty::Certain)
    );
}

#[test]
fn a_list_that_was_refused_is_not_the_list() {
    let todos = json!({"todos": [{"content": "Plan", "status": "pending", "activeForm": ""}]});
    let mut tracker = Tracker::new();
    tracker.push(&used(None, "t1", "TodoWrite", &todos));
    let refused = message(json!({
        "type": "user", "parent_tool_use_id": null, "message": {"role": "user", "content": [
            {"type": "tool_result", "tool_use_id": "t1", "content": "Not allowed.", "is_error": true}
        ]}
    }));
    assert!(tracker.push(&refused).is_empty());
    assert_eq!(tracker.current(), None);
}

#[test]
fn the_task_list_is_kept_task_by_task() {
    let mut tracker = Tracker::new();
    for (id, subject) in [("1", "Plan"), ("2", "Do")] {
        let input =
            json!({"subject": subject, "description": "", "activeForm": format!("{subject}ing")});
        assert!(
            tracker
                .push(&used(None, "t", "TaskCreate", &input))
                .is_empty()
        );
        let raw = json!({"task": {"id": id, "subject": subject}});
        one(&mut tracker, &result(None, "t", "", &raw));
    }
    let mut update = |input: Value| {
        tracker.push(&used(None, "t", "TaskUpdate", &input));
        let raw = json!({"success": true, "taskId": input["taskId"], "updatedFields": ["status"]});
        one(&mut tracker, &result(None, "t", "", &raw))
    };
    update(json!({"taskId": "1", "status": "completed"}));
    let progress = update(json!({"taskId": "2", "status": "in_progress"}));
    assert_eq!(numbers(&progress), (Some(1), Some(2), Some(50.0)));
    assert_eq!(progress.step.as_deref(), Some("Doing"));

    let statuses =
        json!({"statuses": [{"id": "2", "status": "completed"}, {"id": "9", "status": "pending"}]});
    let progress = one(&mut tracker, &system("task_list_statuses", statuses));
    assert_eq!(
        (numbers(&progress), progress.state),
        ((Some(2), Some(2), Some(100.0)), State::Completed)
    );

    tracker.push(&used(
        None,
        "t",
        "TaskUpdate",
        &json!({"taskId": "2", "status": "deleted"}),
    ));
    let failed = json!({"success": false, "taskId": "2", "updatedFields": []});
    assert!(tracker.push(&result(None, "t", "", &failed)).is_empty());
}

#[test]
fn a_sub_agent_is_followed_from_its_launch_to_its_end() {
    let mut tracker = Tracker::new();
    let input = json!({"description": "Count files", "prompt": "…", "subagent_type": "Explore"});
    let progress = one(&mut tracker, &used(None, "t1", "Task", &input));
    assert_eq!(
        (progress.source, progress.state),
        (Source::Task, State::Running)
    );

    let started = json!({
        "task_id": "a1", "tool_use_id": "t1", "description": "Count files", "task_type": "local_agent"
    });
    one(&mut tracker, &system("task_started", started));
    let usage = json!({"total_tokens": 11, "tool_uses": 1, "duration_ms": 157});
    let progressed = json!({
        "task_id": "a1", "tool_use_id": "t1", "description": "Running Count", "usage": usage
    });
    let progress = one(&mut tracker, &system("task_progress", progressed));
    assert_eq!(progress.step.as_deref(), Some("Running Count"));
    assert_eq!(
        (progress.tokens, progress.tool_uses, progress.elapsed_ms),
        (Some(11), Some(1), Some(157.0))
    );

    // Texts of a sub-agent, and the output of its commands, report the progress of the sub-agent.
    let text = json!({"type": "text", "text": "I've read 3 of 7 files."});
    let progress = one(&mut tracker, &said(Some("t1"), &text));
    let worker = progress.worker.as_ref().unwrap();
    assert_eq!(
        (
            worker.task_id.as_deref(),
            worker.agent_type.as_deref(),
            worker.task_type.as_deref()
        ),
        (Some("a1"), Some("Explore"), Some("local_agent"))
    );
    assert_eq!(numbers(&progress), (Some(3), Some(7), Some(42.9)));
    tracker.push(&used(Some("t1"), "t2", "Bash", &json!({"command": "ls"})));
    let progress = one(
        &mut tracker,
        &result(Some("t1"), "t2", "[4/7] a", &Value::Null),
    );
    assert_eq!(
        progress.worker.as_ref(),
        tracker.workers().next().unwrap().worker.as_ref()
    );

    let ended = json!({
        "task_id": "a1", "tool_use_id": "t1", "status": "completed", "output_file": "", "summary": "Two."
    });
    let progress = one(&mut tracker, &system("task_notification", ended));
    assert_eq!(
        (progress.state, progress.percentage),
        (State::Completed, Some(100.0))
    );
    assert!(
        tracker
            .push(&result(None, "t1", "Two.", &Value::Null))
            .is_empty()
    );
    assert_eq!(tracker.workers().count(), 1);
    assert_eq!(tracker.current(), None);
}

#[test]
fn a_sub_agent_of_an_older_cli_ends_with_its_result() {
    let mut tracker = Tracker::new();
    let input = json!({"description": "Count files", "prompt": "…", "subagent_type": "Explore"});
    one(&mut tracker, &used(None, "t1", "Task", &input));
    let progress = one(&mut tracker, &result(None, "t1", "Two.", &Value::Null));
    assert_eq!(
        (progress.state, progress.step.as_deref()),
        (State::Completed, Some("Count files"))
    );
}

#[test]
fn sub_agents_side_by_side_are_told_apart() {
    let mut tracker = Tracker::new();
    for (task, tool) in [("a1", "t1"), ("a2", "t2")] {
        let started = json!({"task_id": task, "tool_use_id": tool, "description": task});
        one(&mut tracker, &system("task_started", started));
    }
    let text = |parent, text: &str| said(Some(parent), &json!({"type": "text", "text": text}));
    one(&mut tracker, &text("t1", "Fixed 1 of 4 files."));
    one(&mut tracker, &text("t2", "Fixed 2 of 4 files."));
    let done: Vec<_> = tracker
        .workers()
        .map(|progress| progress.completed)
        .collect();
    assert_eq!(done, [Some(1), Some(2)]);

    let updated = json!({"task_id": "a1", "patch": {"status": "killed"}});
    assert_eq!(
        one(&mut tracker, &system("task_updated", updated)).state,
        State::Stopped
    );
    let progress = one(&mut tracker, &system("agents_killed", json!({})));
    assert_eq!(progress.worker.unwrap().task_id.as_deref(), Some("a2"));
}

#[test]
fn a_workflow_counts_its_agents() {
    let part = |state: &str| json!({"type": "workflow_agent", "state": state});
    let progressed = json!({
        "task_id": "w1", "description": "Count: counter",
        "usage": {"total_tokens": 11, "tool_uses": 0, "duration_ms": 104},
        "workflow_progress": [{"type": "workflow_phase", "index": 1}, part("done"), part("running")]
    });
    let progress = one(&mut Tracker::new(), &system("task_progress", progressed));
    assert_eq!(numbers(&progress), (Some(1), Some(2), Some(50.0)));
}

#[test]
fn a_heartbeat_is_about_the_command_that_runs() {
    let mut tracker = Tracker::new();
    tracker.push(&used(
        None,
        "t1",
        "Bash",
        &json!({"command": "make", "description": "Build it"}),
    ));
    let beat = message(json!({
        "type": "tool_progress", "tool_use_id": "t1-heartbeat-0", "tool_name": "Bash",
        "parent_tool_use_id": "t1", "elapsed_time_seconds": 30, "heartbeat": true
    }));
    let progress = one(&mut tracker, &beat);
    assert_eq!(progress.worker, None);
    assert_eq!(progress.tool_use_id.unwrap().as_str(), "t1");
    assert_eq!(
        (progress.step.as_deref(), progress.elapsed_ms),
        (Some("Build it"), Some(30_000.0))
    );
}

#[test]
fn a_retry_of_a_sub_agent_is_its_own() {
    let retry = json!({
        "agent_id": "a1", "attempt": 2, "max_retries": 10, "retry_delay_ms": 500, "error_status": 529,
        "error_category": "overloaded"
    });
    let line = message(json!({
        "type": "tool_progress", "tool_use_id": "x", "tool_name": "Agent", "parent_tool_use_id": "t1",
        "elapsed_time_seconds": 1, "subagent_retry": retry
    }));
    let progress = one(&mut Tracker::new(), &line);
    assert_eq!(
        (progress.source, progress.state),
        (Source::Retry, State::Waiting)
    );
    assert_eq!(progress.step.as_deref(), Some("Retry 2 of 10"));
    assert_eq!(progress.worker.unwrap().tool_use_id.unwrap().as_str(), "t1");
}

#[test]
fn what_the_session_is_busy_with() {
    let rows = [
        (
            system(
                "thinking_tokens",
                json!({"estimated_tokens": 120, "estimated_tokens_delta": 20}),
            ),
            (Source::Thinking, State::Running, Some("Thinking")),
        ),
        (
            system("session_state_changed", json!({"state": "requires_action"})),
            (Source::Session, State::Waiting, None),
        ),
        (
            system("session_state_changed", json!({"state": "idle"})),
            (Source::Session, State::Completed, None),
        ),
        (
            system("status", json!({"status": "requesting"})),
            (
                Source::Session,
                State::Waiting,
                Some("Waiting for the model"),
            ),
        ),
        (
            system("status", json!({"status": "compacting"})),
            (
                Source::Compaction,
                State::Running,
                Some("Compacting the conversation"),
            ),
        ),
        (
            system(
                "status",
                json!({"status": null, "compact_result": "failed"}),
            ),
            (
                Source::Compaction,
                State::Failed,
                Some("Compacting the conversation"),
            ),
        ),
        (
            system(
                "api_retry",
                json!({
                    "attempt": 1, "max_retries": 10, "retry_delay_ms": 5, "error_status": 529,
                    "error": "rate_limit"
                }),
            ),
            (Source::Retry, State::Waiting, Some("Retry 1 of 10")),
        ),
        (
            system("task_summary", json!({"detail": "Fixing the tests"})),
            (Source::Session, State::Running, Some("Fixing the tests")),
        ),
    ];
    let mut tracker = Tracker::new();
    for (message, expected) in rows {
        let progress = one(&mut tracker, &message);
        let found = (progress.source, progress.state, progress.step.as_deref());
        assert_eq!(found, expected);
        // The number of an attempt is not a count of work.
        assert_eq!(numbers(&progress), (None, None, None));
        assert_eq!(progress.certainty, Certainty::Certain);
    }
    let quiet = system("status", json!({"status": null, "permissionMode": "plan"}));
    assert!(tracker.push(&quiet).is_empty());
}

#[test]
fn as_json_what_nobody_said_is_null() {
    let progress = one(
        &mut Tracker::new(),
        &system("session_state_changed", json!({"state": "running"})),
    );
    let expected = json!({
        "worker": null, "toolUseId": null, "step": null, "state": "running", "completed": null,
        "total": null, "percentage": null, "elapsedMs": null, "tokens": null, "toolUses": null,
        "activity": null, "source": "session", "certainty": "certain"
    });
    assert_eq!(serde_json::to_value(&progress).unwrap(), expected);
}

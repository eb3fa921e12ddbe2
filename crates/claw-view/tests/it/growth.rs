//! Tests that twice as much input takes at most twice the work, for input that an attacker repeats, too.

use std::hint::black_box;

use claw_testkit::cost::{self, Row};
use claw_types::Message;
use claw_view::progress::Tracker;
use claw_view::{Flow, Input, Timeline};
use serde_json::{Value, json};

use crate::work::{answer, given, repeated, task};

type Lines = fn(usize) -> Vec<Value>;
type Work = fn(&[String]);

fn show(lines: &[String]) {
    let mut timeline = Timeline::default();
    for line in lines {
        black_box(timeline.push(Input::Line(line)));
    }
}

fn check(lines: &[String]) {
    black_box(Flow::check(lines.iter().map(String::as_str)));
}

fn track(lines: &[String]) {
    let mut tracker = Tracker::new();
    for line in lines {
        let message: Message = claw_types::from_line(line.as_bytes()).expect("a message");
        black_box(tracker.push(&message));
    }
}

fn event(uuid: usize, event: &Value) -> Value {
    json!({
        "type": "stream_event", "event": event, "session_id": "s", "parent_tool_use_id": null,
        "uuid": format!("e-{uuid}")
    })
}

fn system(uuid: usize, subtype: &str, fields: &Value) -> Value {
    let mut line = json!({
        "type": "system", "subtype": subtype, "uuid": format!("s-{uuid}"), "session_id": "s"
    });
    for (key, value) in fields.as_object().expect("fields") {
        line[key] = value.clone();
    }
    line
}

/// Returns a line with a tool use.
fn used(uuid: usize, id: &str, name: &str, input: &Value) -> Value {
    let call = json!([{"type": "tool_use", "id": id, "name": name, "input": input}]);
    answer(uuid, &format!("msg_{uuid}"), &call)
}

/// Returns a line with the result of a tool use.
fn gave(uuid: usize, id: &str, raw: &Value) -> Value {
    let result = json!([{"type": "tool_result", "tool_use_id": id, "content": "done"}]);
    let mut line = given(&format!("g-{uuid}"), &result);
    line["tool_use_result"] = raw.clone();
    line
}

/// Returns a line with a text of the model.
fn said(uuid: usize, id: &str, text: &str) -> Value {
    answer(uuid, id, &json!([{"type": "text", "text": text}]))
}

/// Returns the stream events of one block, which consists of `count` equal deltas.
fn grown(count: usize, block: &Value, delta: &Value) -> Vec<Value> {
    let start = json!({
        "type": "message_start",
        "message": {
            "id": "msg_1", "type": "message", "role": "assistant", "model": "m", "content": [],
            "stop_reason": null, "stop_sequence": null, "usage": {"output_tokens": 1}
        }
    });
    let begins = json!({"type": "content_block_start", "index": 0, "content_block": block});
    let delta = json!({"type": "content_block_delta", "index": 0, "delta": delta});
    let mut lines = vec![event(0, &start), event(1, &begins)];
    lines.extend((0..count).map(|piece| event(piece + 2, &delta)));
    lines
}

fn grown_text(count: usize) -> Vec<Value> {
    let delta = json!({"type": "text_delta", "text": "Running test 5 of 20\n"});
    grown(count, &json!({"type": "text", "text": ""}), &delta)
}

fn grown_input(count: usize) -> Vec<Value> {
    let call = json!({"type": "tool_use", "id": "t", "name": "Bash", "input": {}});
    let delta = json!({"type": "input_json_delta", "partial_json": "\"a\":["});
    grown(count, &call, &delta)
}

/// One message has many results of the same tool use.
fn equal_ids(count: usize) -> Vec<Value> {
    let result = json!({"type": "tool_result", "tool_use_id": "t", "content": ""});
    vec![given("u", &repeated(&result, count))]
}

fn alternating_ids(count: usize) -> Vec<Value> {
    let line = |n: usize| said(n, &format!("msg_{}", n % 2), "a");
    (0..count).map(line).collect()
}

fn many_lines(count: usize) -> Vec<Value> {
    (0..count)
        .map(|n| said(n, &format!("msg_{n}"), "a"))
        .collect()
}

/// All tools are used before the first one has a result.
fn open_tools(count: usize) -> Vec<Value> {
    let id = |n: usize| format!("t{n}");
    let uses = (0..count).map(|n| used(n, &id(n), "Bash", &json!({"command": "ls"})));
    let results = (0..count).rev().map(|n| gave(n, &id(n), &Value::Null));
    uses.chain(results).collect()
}

fn started(n: usize, tool: Option<&str>) -> Value {
    let mut fields = json!({
        "task_id": format!("k{n}"), "description": "Look", "task_type": "local_agent",
        "subagent_type": format!("kind{n}")
    });
    if let Some(tool) = tool {
        fields["tool_use_id"] = tool.into();
    }
    system(n, "task_started", &fields)
}

fn goes_on(n: usize) -> Value {
    let fields = json!({
        "task_id": format!("k{n}"), "description": "On it",
        "usage": {"total_tokens": 1, "tool_uses": 1, "duration_ms": 1}
    });
    system(n, "task_progress", &fields)
}

/// Many tasks start, and then each reports progress.
fn many_tasks(count: usize) -> Vec<Value> {
    let begin = (0..count).map(|n| started(n, None));
    begin.chain((0..count).rev().map(goes_on)).collect()
}

/// Many tasks of one tool use start, and then each reports progress.
fn tasks_of_one_tool(count: usize) -> Vec<Value> {
    let begin = (0..count).map(|n| started(n, Some("t")));
    begin.chain((0..count).map(goes_on)).collect()
}

/// Many tasks start, and texts of the model mention each of them.
fn mentioned_tasks(count: usize) -> Vec<Value> {
    let begin = (0..count).map(|n| started(n, None));
    let words = |n: usize| said(n, "msg", &format!("The kind{n} agent is done."));
    begin.chain((0..count).map(words)).collect()
}

/// Texts of the model mention sub-agents of which no message reports, and then turns end.
fn mentions(count: usize) -> Vec<Value> {
    let words = |n: usize| said(n, "msg", &format!("The kind{n} subagent is working."));
    let results = (0..count).map(|n| {
        json!({
            "type": "result", "subtype": "success", "is_error": false, "duration_ms": 1,
            "duration_api_ms": 1, "num_turns": 1, "result": "", "session_id": "s",
            "total_cost_usd": 0, "stop_reason": "end_turn", "modelUsage": {},
            "usage": {"input_tokens": 1, "output_tokens": 1}, "permission_denials": [],
            "uuid": format!("r-{n}")
        })
    });
    (0..count).map(words).chain(results).collect()
}

/// Many tasks start, and are ended repeatedly.
fn killed_tasks(count: usize) -> Vec<Value> {
    let begin = (0..count).map(|n| started(n, None));
    let kills = (0..count).map(|n| system(n, "agents_killed", &json!({})));
    begin.chain(kills).collect()
}

/// A to-do list grows by one entry at a time. Then each entry is started.
fn task_list(count: usize) -> Vec<Value> {
    let mut lines = Vec::new();
    for n in 0..count {
        let input = json!({"subject": "s", "description": "", "activeForm": "a"});
        let raw = json!({"task": {"id": format!("{n}"), "subject": "s"}});
        lines.extend([used(n, "t", "TaskCreate", &input), gave(n, "t", &raw)]);
    }
    for n in (0..count).rev() {
        let id = format!("{n}");
        let input = json!({"taskId": id, "status": "in_progress"});
        let raw = json!({"success": true, "taskId": id, "updatedFields": ["status"]});
        lines.extend([used(n, "t", "TaskUpdate", &input), gave(n, "t", &raw)]);
    }
    lines
}

/// The status of entries of a list changes repeatedly.
fn statuses(count: usize) -> Vec<Value> {
    let mut lines = task_list(count);
    let status = |n: usize| {
        let entry = json!({"id": format!("{n}"), "status": "completed"});
        system(n, "task_list_statuses", &json!({"statuses": [entry]}))
    };
    lines.extend((0..count).map(status));
    lines
}

/// Sub-agents write texts in turn.
fn speakers(count: usize) -> Vec<Value> {
    let line = |n: usize| {
        let mut line = said(n, &format!("msg_{n}"), "Running test 5 of 20");
        line["parent_tool_use_id"] = format!("t{}", n % 50).into();
        line
    };
    (0..count).map(line).collect()
}

fn long_text(length: usize) -> Vec<Value> {
    vec![said(1, "msg", &"word <b>\u{1b}[31m\\n ".repeat(length))]
}

fn long_edit(length: usize) -> Vec<Value> {
    let side = |word: &str| {
        let lines: Vec<_> = (0..length).map(|n| format!("{word} {n}\n")).collect();
        lines.concat()
    };
    let input = json!({"file_path": "/a", "old_string": side("old"), "new_string": side("new")});
    vec![used(1, "t", "Edit", &input)]
}

#[test]
fn twice_as_much_takes_twice_the_work() {
    let made: [(&str, usize, Lines, &[Work]); 17] = [
        ("a text that grows", 80, grown_text, &[show, track, check]),
        ("an input that grows", 80, grown_input, &[show, check]),
        ("equal ids", 400, equal_ids, &[show, check]),
        (
            "alternating ids",
            80,
            alternating_ids,
            &[show, track, check],
        ),
        ("many lines", 80, many_lines, &[show, check]),
        ("open tools", 40, open_tools, &[show, track, check]),
        ("a task of many steps", 80, task, &[show, track]),
        ("many tasks", 40, many_tasks, &[show, track]),
        ("tasks of one tool", 40, tasks_of_one_tool, &[show, track]),
        ("tasks that words tell of", 40, mentioned_tasks, &[track]),
        ("agents that only words tell of", 40, mentions, &[track]),
        ("tasks that are killed", 40, killed_tasks, &[show, track]),
        ("a list", 20, task_list, &[track]),
        ("a list that changes", 20, statuses, &[track]),
        ("speakers", 80, speakers, &[show, track, check]),
        ("a long text", 500, long_text, &[show, track]),
        // The edit has more lines than the comparison of two texts accepts.
        ("a long edit", 4_400, long_edit, &[show]),
    ];
    let mut rows = Vec::new();
    for (what, size, lines, works) in made {
        rows.extend(works.iter().zip(1..).map(|(&work, number)| {
            Row::new(format!("{what}, work {number}"), size, move |size| {
                let lines: Vec<_> = lines(size).iter().map(Value::to_string).collect();
                Box::new(move || work(&lines))
            })
        }));
    }
    rows.push(Row::new("a diff of many files", 100, |count| {
        let file = "diff --git a/x b/x b/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n";
        let diff = file.repeat(count);
        Box::new(move || _ = black_box(Timeline::default().push(Input::GitDiff(&diff))))
    }));
    cost::is_linear("growth::twice_as_much_takes_twice_the_work", &rows);
}

//! Tests that the size of the output is proportional to the size of the input, for input that an attacker chooses, too.

use claw_types::Message;
use claw_view::progress::Tracker;
use claw_view::{Input, Timeline};
use serde_json::{Value, json};

/// A function that returns the lines of an input of this size.
type Lines<'a> = &'a dyn Fn(usize) -> Vec<Value>;

pub(crate) fn answer(uuid: usize, id: &str, content: &Value) -> Value {
    json!({
        "type": "assistant", "parent_tool_use_id": null, "uuid": format!("u-{uuid}"), "session_id": "s",
        "message": {
            "id": id, "type": "message", "role": "assistant", "model": "m", "content": content,
            "stop_reason": null, "stop_sequence": null, "usage": {"output_tokens": 1}
        }
    })
}

pub(crate) fn given(uuid: &str, content: &Value) -> Value {
    json!({
        "type": "user", "message": {"role": "user", "content": content}, "parent_tool_use_id": null,
        "uuid": uuid, "session_id": "s"
    })
}

/// Returns the size of the changes that a timeline returns for these lines, in bytes.
fn shown(lines: &[Value]) -> usize {
    let mut timeline = Timeline::default();
    let changes = lines
        .iter()
        .flat_map(|line| timeline.push(Input::Line(&line.to_string())));
    changes
        .map(|change| serde_json::to_string(&change).unwrap().len())
        .sum()
}

/// Returns the size of the progress that a tracker returns for these lines, in bytes.
fn tracked(lines: &[Value]) -> usize {
    let mut tracker = Tracker::new();
    let found = lines.iter().flat_map(|line| {
        let message: Message = claw_types::from_line(line.to_string().as_bytes()).unwrap();
        tracker.push(&message)
    });
    found
        .map(|progress| serde_json::to_string(&progress).unwrap().len())
        .sum()
}

fn long(length: usize) -> String {
    "x".repeat(length)
}

pub(crate) fn repeated(block: &Value, count: usize) -> Value {
    std::iter::repeat_n(block, count).cloned().collect()
}

/// Twice as much input results in at most twice as much output, for repeated IDs and for one long ID beside many small
/// blocks, too.
#[test]
fn twice_as_much_is_made_of_twice_as_much() {
    let result = json!({"type": "tool_result", "tool_use_id": "t", "content": ""});
    let text = json!({"type": "text", "text": "a"});
    let shows: [(&str, Lines<'_>); 8] = [
        ("equal ids", &|count| {
            vec![given("u", &repeated(&result, count))]
        }),
        ("ids by turns", &|count| {
            let line = |n: usize| answer(n, &format!("msg_{}", n % 2), &json!([text]));
            (0..count).map(line).collect()
        }),
        ("a long name of a line", &|count| {
            vec![given(&long(20 * count), &repeated(&text, count))]
        }),
        ("a long name of an answer", &|count| {
            vec![answer(1, &long(20 * count), &repeated(&text, count))]
        }),
        ("a long name of a tool", &|count| {
            let image = json!({"type": "image", "source": {"type": "url", "url": "u"}});
            let content = repeated(&image, count);
            let result =
                json!({"type": "tool_result", "tool_use_id": long(20 * count), "content": content});
            vec![given("u", &json!([result]))]
        }),
        ("a long speaker", &|count| {
            let mut line = given("u", &repeated(&text, count));
            line["parent_tool_use_id"] = long(20 * count).into();
            vec![line]
        }),
        ("a long input and many signs of life", &|count| {
            let input = json!({"file_path": "a", "content": long(50 * count)});
            let call = json!([{"type": "tool_use", "id": "t", "name": "Write", "input": input}]);
            let beat = |n: usize| {
                json!({
                    "type": "tool_progress", "tool_use_id": "t", "tool_name": "Write", "session_id": "s",
                    "parent_tool_use_id": null, "elapsed_time_seconds": n, "uuid": format!("p-{n}")
                })
            };
            let mut lines = vec![answer(1, "msg_1", &call)];
            lines.extend((0..count).map(beat));
            lines
        }),
        ("a long description and many steps", &task),
    ];
    for (what, lines) in shows {
        doubles(what, &|count| shown(&lines(count)));
    }
    doubles("tracked: a long description and many steps", &|count| {
        tracked(&task(count))
    });
    let command = |count: usize| {
        let input = json!({"command": long(50 * count)});
        let call = json!([{"type": "tool_use", "id": "t", "name": "Bash", "input": input}]);
        let beat = |n: usize| {
            json!({
                "type": "tool_progress", "tool_use_id": "t", "tool_name": "Bash", "session_id": "s",
                "parent_tool_use_id": null, "elapsed_time_seconds": n, "uuid": format!("p-{n}")
            })
        };
        let mut lines = vec![answer(1, "msg_1", &call)];
        lines.extend((0..count).map(beat));
        tracked(&lines)
    };
    doubles("tracked: a long command and many signs of life", &command);
}

pub(crate) fn task(count: usize) -> Vec<Value> {
    let started = json!({
        "type": "system", "subtype": "task_started", "task_id": "k", "description": long(50 * count),
        "task_type": "local_agent", "subagent_type": long(50 * count), "uuid": "k", "session_id": "s"
    });
    let step = |n: usize| {
        json!({
            "type": "system", "subtype": "task_progress", "task_id": "k", "description": "On it",
            "usage": {"total_tokens": 1, "tool_uses": 1, "duration_ms": 1}, "uuid": format!("k-{n}"),
            "session_id": "s"
        })
    };
    let mut lines = vec![started];
    lines.extend((0..count).map(step));
    lines
}

fn doubles(what: &str, work: &dyn Fn(usize) -> usize) {
    for count in [200, 400, 800] {
        let (once, twice) = (work(count), work(2 * count));
        assert!(
            10 * twice <= 23 * once,
            "{what}: {once} bytes for {count}, {twice} for twice as many"
        );
    }
}

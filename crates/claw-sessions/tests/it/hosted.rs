//! Calls that the host made in the place of the model's, in a session's history.

use claw_sessions::Session;
use serde_json::{Value, json};

use crate::folder::{Folder, uuid};

fn link(kind: &str, number: usize, content: &Value, more: &Value) -> String {
    let parent = number.checked_sub(1).map(uuid);
    let mut line = json!({"type": kind, "uuid": uuid(number), "parentUuid": parent, "sessionId": "s",
        "message": {"role": kind, "content": content}});
    let more = more.as_object().unwrap().clone();
    line.as_object_mut().unwrap().extend(more);
    line.to_string()
}

fn call(id: &str) -> Value {
    json!({"type": "tool_use", "id": id, "name": "Bash", "input": {}})
}

fn result(id: &str) -> Value {
    json!({"type": "tool_result", "tool_use_id": id, "content": "done"})
}

/// A line beside the conversation, in the place of the call `hidden`.
fn row(number: usize, block: &Value) -> String {
    json!({"type": "host-row", "ranByToolUseId": "hidden", "rowUuid": uuid(number), "block": block})
        .to_string()
}

/// Who speaks in each message, and the calls that it makes or answers.
fn shown(lines: &[String]) -> Vec<(String, Vec<String>)> {
    let (_folder, session) = Folder::with(lines);
    let history = Session::messages(&session).read().unwrap();
    assert!(history.problems.is_empty());
    let said = history.messages.iter().map(|message| {
        let said: Value = serde_json::from_str(message.message.as_raw()).unwrap();
        let blocks = said["content"].as_array().into_iter().flatten();
        let calls = blocks.map(|block| {
            let id = block["id"].as_str().or(block["tool_use_id"].as_str());
            id.unwrap_or("text").to_owned()
        });
        (said["role"].as_str().unwrap().to_owned(), calls.collect())
    });
    said.collect()
}

fn of(role: &str, calls: &[&str]) -> (String, Vec<String>) {
    let calls = calls.iter().map(|call| (*call).to_owned());
    (role.to_owned(), calls.collect())
}

#[test]
fn lines_beside_the_conversation_stand_for_the_hidden_call() {
    let hides = json!({"hostHiddenToolUseIds": ["hidden"]});
    let lines = [
        link("user", 0, &json!("Do it."), &json!({})),
        link("assistant", 1, &json!([call("hidden")]), &hides),
        row(10, &call("made")),
        row(11, &result("made")),
        link("user", 2, &json!([result("hidden")]), &json!({})),
        link(
            "assistant",
            3,
            &json!([{"type": "text", "text": "Done."}]),
            &json!({}),
        ),
    ];
    let expected = [
        of("user", &[]),
        of("assistant", &["made"]),
        of("user", &["made"]),
        of("assistant", &["text"]),
    ];
    assert_eq!(shown(&lines), expected);
    // What is withheld is not shown, and the call is hidden all the same.
    let withheld = json!({"type": "host-row", "ranByToolUseId": "hidden", "withheld": true});
    let lines = [&lines[..], &[withheld.to_string()]].concat();
    let expected = [of("user", &[]), of("assistant", &["text"])];
    assert_eq!(shown(&lines), expected);
}

#[test]
fn virtual_lines_of_the_conversation_stand_for_the_hidden_call() {
    let hides = json!({"hostHiddenToolUseIds": ["hidden"]});
    let made = json!({"isVirtual": true, "ranByToolUseId": "hidden"});
    let lines = [
        link("user", 0, &json!("Do it."), &json!({})),
        link(
            "assistant",
            1,
            &json!([call("hidden"), call("own")]),
            &hides,
        ),
        link("assistant", 2, &json!([call("made")]), &made),
        link(
            "user",
            3,
            &json!([result("made")]),
            &json!({"isVirtual": true}),
        ),
        link(
            "user",
            4,
            &json!([result("hidden"), result("own")]),
            &json!({}),
        ),
        link(
            "assistant",
            5,
            &json!([{"type": "text", "text": "Done."}]),
            &json!({}),
        ),
    ];
    let expected = [
        of("user", &[]),
        of("assistant", &["own"]),
        of("assistant", &["made"]),
        of("user", &["made"]),
        of("user", &["own"]),
        of("assistant", &["text"]),
    ];
    assert_eq!(shown(&lines), expected);
}

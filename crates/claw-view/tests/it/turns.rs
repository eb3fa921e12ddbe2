//! Tests of the messages about turns that a wrapper's client gets: ends of turns with their cost, interruptions, errors
//! and compactions.

use std::fs;

use claw_types::{StdoutMessage, from_line};
use claw_view::wrapper::Translator;
use serde_json::{Value, json};

use crate::sessions::folder;

/// Returns the messages about turns and compactions that a wrapper sends for a recording, without the ID of the
/// conversation.
fn sent(recording: &str) -> Vec<Value> {
    let text = fs::read_to_string(folder().join(recording).join("stdout.ndjson")).unwrap();
    let mut translator = Translator::default();
    let mut sent = Vec::new();
    for line in text.lines() {
        let Ok(StdoutMessage::Message(message)) = from_line(line.as_bytes()) else {
            continue;
        };
        for outgoing in translator.message(&message) {
            let mut value = serde_json::to_value(&outgoing.message).unwrap();
            assert_eq!(
                value.as_object_mut().unwrap().remove("conversationId"),
                (value["type"] != "progress_update").then(|| outgoing.session.as_str().into())
            );
            sent.push(value);
        }
    }
    sent.retain(|sent| {
        let kind = sent["type"].as_str().unwrap();
        kind.starts_with("turn_") || kind.starts_with("compaction_")
    });
    sent
}

/// Returns a member of each message of this type.
fn of<'a>(sent: &'a [Value], kind: &str, key: &str) -> Vec<&'a Value> {
    let of = sent.iter().filter(|sent| sent["type"] == kind);
    of.map(|sent| &sent[key]).collect()
}

#[test]
fn a_turn_ends_with_its_outcome_its_cost_and_its_tokens() {
    let sent = sent("queue");
    assert_eq!(of(&sent, "turn_ended", "outcome"), ["completed"; 2]);
    assert_eq!(of(&sent, "turn_ended", "result"), ["success"; 2]);
    // `costUsd` is the cost of the turn, and `sessionCostUsd` the sum for the session.
    let costs = of(&sent, "turn_ended", "costUsd");
    let costs: Vec<_> = costs.iter().map(|cost| cost.as_f64().unwrap()).collect();
    let session = of(&sent, "turn_ended", "sessionCostUsd");
    let session: Vec<_> = session.iter().map(|cost| cost.as_f64().unwrap()).collect();
    assert!(costs.iter().all(|cost| *cost > 0.0), "{costs:?}");
    assert!((costs[0] - session[0]).abs() < 1e-9, "{sent:?}");
    assert!((costs[0] + costs[1] - session[1]).abs() < 1e-9, "{sent:?}");
    assert_eq!(of(&sent, "turn_ended", "inputTokens"), [10, 10]);
    assert_eq!(of(&sent, "turn_ended", "outputTokens"), [12, 12]);
    assert_eq!(of(&sent, "turn_ended", "errors"), [&json!([]); 2]);
}

#[test]
fn an_interrupted_turn_says_so_before_its_end() {
    let kinds = |sent: &[Value]| -> Vec<_> {
        let kinds = sent.iter().map(|sent| sent["type"].as_str().unwrap());
        kinds.map(str::to_owned).collect()
    };
    for (recording, during_tool_use) in [("interrupt", false), ("interrupt_tool", true)] {
        let sent = sent(recording);
        assert_eq!(
            kinds(&sent),
            ["turn_interrupted", "turn_ended"],
            "{recording}"
        );
        assert_eq!(sent[0]["duringToolUse"], during_tool_use, "{recording}");
        assert_eq!(sent[1]["outcome"], "interrupted", "{recording}");
        assert_eq!(sent[1]["errors"], json!([]), "{recording}");
    }
}

#[test]
fn an_error_of_the_api_is_an_error_and_no_response_of_the_model() {
    let sent = sent("server_error");
    assert_eq!(of(&sent, "turn_error", "isRetried"), [true, false]);
    assert_eq!(of(&sent, "turn_error", "kind"), ["server_error"; 2]);
    assert_eq!(
        of(&sent, "turn_error", "message")[0],
        "The API answered with status 500. The CLI sends the request again: retry 1 of 1."
    );
    assert_eq!(of(&sent, "turn_ended", "outcome"), ["failed"]);
    let text = of(&sent, "turn_error", "message")[1].as_str().unwrap();
    let errors = of(&sent, "turn_ended", "errors")[0].as_array().unwrap();
    assert_eq!(errors[0], text);
}

#[test]
fn a_failure_of_the_api_that_passes_is_followed_by_the_end_of_a_good_turn() {
    let sent = sent("overloaded_once");
    assert_eq!(of(&sent, "turn_error", "isRetried"), [true]);
    assert_eq!(of(&sent, "turn_ended", "outcome"), ["completed"]);
}

#[test]
fn a_compaction_is_reported_at_its_start_and_at_its_end() {
    let done = sent("compact");
    let status = of(&done, "compaction_progress", "status");
    assert_eq!(status, ["running", "completed"]);
    let end = done
        .iter()
        .rfind(|sent| sent["type"] == "compaction_progress");
    let end = end.unwrap();
    assert_eq!(
        (&end["trigger"], &end["tokensBefore"], &end["tokensAfter"]),
        (&json!("manual"), &json!(22), &json!(2540))
    );
    let failed = sent("compact_failed");
    let status = of(&failed, "compaction_progress", "status");
    assert_eq!(status, ["running", "failed"]);
}

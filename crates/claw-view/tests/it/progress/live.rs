//! Tests of progress in texts that stream.

use claw_types::{Message, from_line};
use claw_view::progress::{Certainty, Progress, Source, Tracker, in_prose};
use serde_json::{Value, json};

use super::labels;

fn message(mut line: Value) -> Message {
    line["uuid"] = "u".into();
    line["session_id"] = "s".into();
    from_line(line.to_string().as_bytes()).unwrap()
}

fn event(parent: Option<&str>, event: &Value) -> Message {
    message(json!({"type": "stream_event", "event": event, "parent_tool_use_id": parent}))
}

fn answer(id: &str, content: &Value) -> Value {
    json!({
        "id": id, "type": "message", "role": "assistant", "model": "m", "content": content,
        "stop_reason": null, "stop_sequence": null, "usage": {"input_tokens": 1, "output_tokens": 1}
    })
}

fn begun(parent: Option<&str>, id: &str, index: u64) -> [Message; 2] {
    let block = json!({"type": "text", "text": ""});
    [
        event(
            parent,
            &json!({"type": "message_start", "message": answer(id, &json!([]))}),
        ),
        event(
            parent,
            &json!({"type": "content_block_start", "index": index, "content_block": block}),
        ),
    ]
}

fn piece(parent: Option<&str>, index: u64, text: &str) -> Message {
    let delta = json!({"type": "text_delta", "text": text});
    event(
        parent,
        &json!({"type": "content_block_delta", "index": index, "delta": delta}),
    )
}

fn whole(parent: Option<&str>, id: &str, text: &str) -> Message {
    let content = json!([{"type": "text", "text": text}]);
    message(
        json!({"type": "assistant", "message": answer(id, &content), "parent_tool_use_id": parent}),
    )
}

fn places(progress: &[Progress]) -> Vec<Option<u64>> {
    progress.iter().map(|progress| progress.completed).collect()
}

#[test]
fn a_line_tells_when_it_is_complete_and_once() {
    let mut tracker = Tracker::new();
    for start in begun(None, "msg_1", 0) {
        assert_eq!(tracker.push(&start), []);
    }
    let mut push = |text: &str| places(&tracker.push(&piece(None, 0, text)));
    assert_eq!(push("Running test 5 of"), []);
    assert_eq!(push(" 20..."), []);
    assert_eq!(push("\nRunning te"), [Some(5)]);
    assert_eq!(
        push("st 6 of 20...\nRunning test 7 of 20...\n"),
        [Some(6), Some(7)]
    );
    assert_eq!(push("That is slow.\n"), []);
    let text = "Running test 5 of 20...\nRunning test 6 of 20...\nRunning test 7 of 20...\nThat is slow.\n";
    assert_eq!(tracker.push(&whole(None, "msg_1", text)), []);
    assert_eq!(
        tracker.current().and_then(|progress| progress.completed),
        Some(7)
    );
    // The same text in another answer is reported again.
    let again = tracker.push(&whole(None, "msg_2", text));
    assert_eq!(places(&again), [Some(7)]);
}

#[test]
fn what_only_the_whole_text_tells_comes_with_it() {
    let mut tracker = Tracker::new();
    let text = "Running test 1 of 20...\nRunning test 2 of 20...";
    let mut found = Vec::new();
    for message in begun(None, "msg_1", 0)
        .iter()
        .chain([&piece(None, 0, text), &whole(None, "msg_1", text)])
    {
        found.extend(tracker.push(message));
    }
    assert_eq!(places(&found), [Some(1), Some(2)]);
    // `Step 1` is not reported at once, because it may be the first step of a plan.
    for start in begun(None, "msg_2", 0) {
        tracker.push(&start);
    }
    let plan = "Step 1: Move the file.\nStep 2: Run the tests.\n";
    assert_eq!(tracker.push(&piece(None, 0, plan)), []);
    assert_eq!(tracker.push(&whole(None, "msg_2", plan)), []);
}

#[test]
fn answers_side_by_side_and_texts_of_one_answer_are_told_apart() {
    let mut tracker = Tracker::new();
    let (mine, theirs) = ("Running test 5 of 20...\n", "Running test 1 of 2...\n");
    for start in begun(None, "msg_1", 1)
        .iter()
        .chain(&begun(Some("t"), "msg_2", 0))
    {
        tracker.push(start);
    }
    let found = tracker.push(&piece(None, 1, mine));
    assert!(found[0].worker.is_none());
    let found = tracker.push(&piece(Some("t"), 0, theirs));
    assert!(found[0].worker.is_some());
    assert_eq!(tracker.push(&whole(Some("t"), "msg_2", theirs)), []);
    assert_eq!(tracker.push(&whole(None, "msg_1", mine)), []);
    // The second text of the answer is equal to the first one and is reported too.
    assert_eq!(
        places(&tracker.push(&whole(None, "msg_1", mine))),
        [Some(5)]
    );
}

/// Progress in a streaming text equals the progress of the text up to that line, and the last progress equals that of
/// the whole text.
#[test]
fn no_piece_says_what_the_text_does_not() {
    let mut told = 0;
    let none = Progress::new(Source::Turn, Certainty::Certain);
    for text in labels::texts().map(|text| text + "\n") {
        let mut tracker = Tracker::new();
        for start in begun(None, "msg_1", 0) {
            tracker.push(&start);
        }
        let (mut so_far, mut last) = (String::new(), None);
        for c in text.chars() {
            so_far.push(c);
            for progress in tracker.push(&piece(None, 0, c.encode_utf8(&mut [0; 4]))) {
                assert_eq!(Some(&progress), in_prose(&so_far).as_ref(), "{text}");
                last = Some(progress);
                told += 1;
            }
        }
        let end = tracker.push(&whole(None, "msg_1", &text));
        assert!(end.iter().all(|progress| Some(progress) != last.as_ref()));
        // The complete message may report further progress, such as that of sub-agents. It reports the progress of the
        // whole text, unless that was the last report.
        let whole = in_prose(&text);
        assert!(
            end.contains(whole.as_ref().unwrap_or(&none)) || last == whole,
            "{text}"
        );
        let of_text = |progress: &Progress| {
            matches!(
                progress.source,
                Source::AssistantText | Source::SubagentMention
            )
        };
        assert!(end.iter().all(of_text));
    }
    assert!(told > 10, "{told}");
}

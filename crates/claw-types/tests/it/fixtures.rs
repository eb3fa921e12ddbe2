//! What the real CLI wrote and read is typed where its kind is known, and comes back equal.

use claw_types::{Message, StdinMessage, StdoutMessage, from_line};

use crate::support::{Sample, assert_lossless, lossless, recorded};

/// Lines that hold an unpaired surrogate escape, which no text can hold: the one exemption from the
/// round trip.
fn is_exempt(sample: &Sample) -> bool {
    sample.line.contains("\\ud") && serde_json::from_str::<serde_json::Value>(&sample.line).is_err()
}

fn is_typed_kind(line: &str) -> bool {
    let value: serde_json::Value = serde_json::from_str(line).unwrap();
    match value["type"].as_str() {
        Some(
            "assistant"
            | "user"
            | "result"
            | "stream_event"
            | "control_request"
            | "control_response"
            | "control_cancel_request"
            | "keep_alive"
            | "tool_progress"
            | "tool_use_summary"
            | "auth_status",
        ) => true,
        Some("system") => matches!(
            value["subtype"].as_str(),
            Some(
                "init"
                    | "status"
                    | "compact_boundary"
                    | "hook_started"
                    | "hook_progress"
                    | "hook_response"
                    | "task_notification"
                    | "files_persisted"
            )
        ),
        _ => false,
    }
}

#[test]
fn every_recorded_line_is_typed_or_unknown_and_comes_back() {
    let mut typed = 0;
    for sample in recorded("stdout.ndjson") {
        let value: StdoutMessage = from_line(sample.line.as_bytes())
            .unwrap_or_else(|error| panic!("{}: {error}", sample.name));
        if is_exempt(&sample) {
            let written = serde_json::to_string(&value).unwrap();
            assert!(
                !value.is_unknown() || written == sample.line,
                "{}",
                sample.name
            );
            continue;
        }
        assert_eq!(
            value.is_unknown(),
            !is_typed_kind(&sample.line),
            "{}",
            sample.name
        );
        lossless::<StdoutMessage>(&sample.line);
        if value.is_unknown() {
            let written = serde_json::to_string(&value).unwrap();
            assert_eq!(written, sample.line);
        } else {
            typed += 1;
        }
        if let StdoutMessage::Message(message) = &value {
            assert_eq!(&lossless::<Message>(&sample.line), message);
        }
    }
    assert!(typed > 0, "no recorded line is of a typed kind");
}

#[test]
fn every_recorded_prompt_and_answer_comes_back() {
    for sample in recorded("stdin.ndjson") {
        let value: StdinMessage = lossless(&sample.line);
        assert!(!value.is_unknown(), "{}", sample.name);
        assert_lossless(&value, &sample.line);
    }
}

#[test]
fn the_five_kinds_are_recorded() {
    let mut seen = [false; 5];
    for sample in recorded("stdout.ndjson") {
        match from_line(sample.line.as_bytes()) {
            Ok(Message::Assistant(_)) => seen[0] = true,
            Ok(Message::User(_)) => seen[1] = true,
            Ok(Message::ResultSuccess(_) | Message::ResultError(_)) => seen[2] = true,
            Ok(Message::SystemInit(_)) => seen[3] = true,
            Ok(Message::StreamEvent(_)) => seen[4] = true,
            _ => {}
        }
    }
    assert_eq!(
        seen, [true; 5],
        "assistant, user, result, system init, stream_event"
    );
}

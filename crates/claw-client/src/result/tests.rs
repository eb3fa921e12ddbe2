use claw_types::from_line;

use super::*;

/// The result of a recorded session.
fn result(line: &str) -> TurnResult {
    let message: Message = from_line(line.as_bytes()).unwrap();
    message.try_into().unwrap()
}

fn last_result(recording: &str) -> TurnResult {
    let mut line = recording
        .lines()
        .filter(|line| line.contains(r#""type":"result""#));
    result(line.next_back().unwrap())
}

#[test]
fn who_was_interrupted_is_told() {
    for recording in [
        include_str!("../../../../fixtures/interrupt/stdout.ndjson"),
        include_str!("../../../../fixtures/interrupt_tool/stdout.ndjson"),
        include_str!("../../../../fixtures/deny_interrupt/stdout.ndjson"),
    ] {
        let lines = recording.lines();
        let mut results = lines.filter(|line| line.contains(r#""type":"result""#));
        assert!(results.any(|line| {
            let result = result(line);
            result.interrupted() && result.is_error()
        }));
    }
    for recording in [
        include_str!("../../../../fixtures/text/stdout.ndjson"),
        include_str!("../../../../fixtures/max_turns/stdout.ndjson"),
        include_str!("../../../../fixtures/server_error/stdout.ndjson"),
    ] {
        assert!(!last_result(recording).interrupted());
    }
}

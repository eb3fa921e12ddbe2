//! The engine distinguishes a silent CLI from a working one.

use super::*;

fn at(seconds: u64) -> Now {
    SECOND * u32::try_from(seconds).unwrap()
}

/// Creates an engine that allows 60 s of silence.
fn bench(served: Served) -> Bench {
    let limits = Limits {
        stall: Some(at(60)),
        ..Limits::default()
    };
    let mut bench = Bench {
        engine: Engine::new(limits, served),
        number: 0,
    };
    bench.engine.initialize(Duration::ZERO, Box::default());
    let request = written(&bench.outputs()[0]);
    bench.line(
        &json!({"type": "control_response", "response": {"subtype": "success",
        "request_id": request["request_id"], "response": {}}}),
    );
    assert!(!bench.engine.calls.initializing());
    bench
}

/// Advances the time. Returns the kind of the last line if the engine reports a stall.
fn told(bench: &mut Bench, seconds: u64) -> Option<String> {
    bench.engine.tick(at(seconds));
    bench.outputs().into_iter().find_map(|output| match output {
        Output::Stalled { last, .. } => Some(last.unwrap_or_default()),
        _ => None,
    })
}

fn heartbeat() -> Value {
    json!({"type": "tool_progress", "tool_use_id": "t-heartbeat-0", "tool_name": "Bash",
        "parent_tool_use_id": "t", "elapsed_time_seconds": 30, "heartbeat": true})
}

#[test]
fn silence_in_mid_answer_is_told_once_with_the_last_line() {
    let mut bench = bench(Served::default());
    bench.prompt(1, "p");
    bench.line_at(at(1), &init(&json!(["p"])));
    bench.line_at(at(5), &said());
    assert_eq!(told(&mut bench, 64), None);
    assert_eq!(bench.engine.deadline(), Some(at(65)));
    assert_eq!(told(&mut bench, 65).as_deref(), Some("assistant"));
    assert_eq!(told(&mut bench, 600), None);
}

#[test]
fn silence_right_behind_the_prompt_is_told() {
    let mut bench = bench(Served::default());
    bench.engine.note_activity(at(100));
    bench.prompt(1, "p");
    assert_eq!(told(&mut bench, 159), None);
    assert!(told(&mut bench, 160).is_some());
}

#[test]
fn a_tool_with_a_heartbeat_works_and_one_without_is_silent() {
    let mut bench = bench(Served::default());
    bench.prompt(1, "p");
    bench.line_at(at(0), &init(&json!(["p"])));
    for beat in 1..200 {
        assert_eq!(told(&mut bench, beat * 30), None, "at {}", beat * 30);
        bench.line_at(at(beat * 30), &heartbeat());
    }
    assert_eq!(
        told(&mut bench, 199 * 30 + 60).as_deref(),
        Some("tool_progress")
    );
}

#[test]
fn a_request_of_the_host_may_take_for_ever_and_silence_counts_from_its_answer() {
    let mut bench = bench(permissions_served());
    bench.prompt(1, "p");
    bench.line_at(at(0), &init(&json!(["p"])));
    bench.line_at(
        at(1),
        &json!({"type": "control_request", "request_id": "q", "request": {"subtype": "can_use_tool",
            "tool_name": "Bash", "tool_use_id": "t", "input": {}}}),
    );
    assert_eq!(told(&mut bench, 86_400), None);
    bench.engine.note_activity(at(86_400));
    let yes = Ok(Reply::Permission(PermissionResult::allow()));
    bench.engine.decide(&"q".into(), yes, Duration::ZERO);
    bench.outputs();
    assert_eq!(told(&mut bench, 86_459), None);
    assert!(told(&mut bench, 86_460).is_some());
}

#[test]
fn silence_between_turns_and_behind_the_last_is_rest() {
    let mut bench = bench(Served::default());
    assert_eq!(told(&mut bench, 10_000), None);
    bench.engine.note_activity(at(10_000));
    bench.prompt(1, "p");
    bench.line_at(at(10_001), &init(&json!(["p"])));
    assert_eq!(bench.ended(&json!(["p"])), [1]);
    assert_eq!(told(&mut bench, 1_000_000), None);
}

#[test]
fn an_idle_session_keeps_no_buffer_of_the_pipe() {
    let mut bench = bench(Served::default());
    bench.prompt(1, "p");
    bench.line_at(at(1), &init(&json!(["p"])));
    let mut is_kept = |line: &Value| {
        let buffer = Bytes::from(line.to_string());
        let line = LineItem::Line(Line::new(9, buffer.clone()));
        if bench.engine.handle_plain(at(2), &line) {
            drop(line);
        } else {
            bench.engine.line(at(2), line);
        }
        bench.outputs();
        !buffer.is_unique()
    };
    assert!(is_kept(&said()));
    assert!(!is_kept(
        &json!({"type": "result", "user_message_uuids": ["p"]})
    ));
    assert!(!is_kept(&said()));
    // What was said last is still known.
    bench.prompt(2, "q");
    assert_eq!(told(&mut bench, 62).as_deref(), Some("assistant"));
}

fn permissions_served() -> Served {
    Served {
        permissions: true,
        ..Served::default()
    }
}

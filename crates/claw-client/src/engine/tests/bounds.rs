//! The limits of open requests, and the end of a turn.

use super::*;
use crate::outcome::error::Cause;

fn long_permission(id: &str) -> Value {
    request(
        id,
        &json!({"subtype": "can_use_tool", "tool_name": "Write", "tool_use_id": "t",
            "input": {"content": "x".repeat(1 << 20)}}),
    )
}

fn permissions() -> Served {
    Served {
        permissions: true,
        ..Served::default()
    }
}

#[test]
fn requests_are_refused_while_too_many_bytes_of_them_are_open() {
    let mut bench = Bench::serving(permissions());
    let most = request::MOST >> 20;
    for number in 0..most {
        let outputs = bench.line(&long_permission(&format!("q{number}")));
        assert!(matches!(outputs[..], [Output::Request { .. }]), "{number}");
    }
    let outputs = bench.line(&long_permission("one too many"));
    assert_eq!(payload(&outputs[0])["behavior"], "deny");
    // A withdrawn request and an answered one make room for two more.
    bench.line(&json!({"type": "control_cancel_request", "request_id": "q0"}));
    let no = Ok(Reply::Permission(PermissionResult::deny("no")));
    bench.engine.decide(&"q1".into(), no, Duration::ZERO);
    bench.outputs();
    for id in ["r0", "r1"] {
        let outputs = bench.line(&long_permission(id));
        assert!(matches!(outputs[..], [Output::Request { .. }]), "{id}");
    }
    let outputs = bench.line(&long_permission("once more"));
    assert_eq!(payload(&outputs[0])["behavior"], "deny");
    bench.engine.end(Cause::Closed.into());
    assert_eq!(bench.engine.sizes().1, 0);
}

#[test]
fn a_request_with_a_long_id_is_refused_and_its_id_not_remembered() {
    let mut bench = Bench::serving(permissions());
    let id = "i".repeat(1000);
    let permission = request(
        &id,
        &json!({"subtype": "can_use_tool", "tool_name": "Write", "tool_use_id": "t", "input": {}}),
    );
    for _ in 0..2 {
        let outputs = bench.line(&permission);
        assert_eq!(payload(&outputs[0])["behavior"], "deny");
        assert_eq!(written(&outputs[0])["response"]["request_id"], *id);
    }
    assert_eq!(bench.engine.sizes(), (0, 0, 0, 0));
}

#[test]
fn a_turn_is_cut_short_until_its_result_is_there() {
    let mut bench = Bench::new();
    assert!(!bench.engine.is_in_mid_turn());
    bench.prompt(1, "a");
    assert!(bench.engine.is_in_mid_turn());
    bench.line(&init(&json!(["a"])));
    bench.line(&said());
    assert!(bench.engine.is_in_mid_turn());
    bench.ended(&json!(["a"]));
    assert!(!bench.engine.is_in_mid_turn());
    // A turn without a prompt is a turn too.
    bench.line(&init(&json!([])));
    assert!(bench.engine.is_in_mid_turn());
    bench.ended(&json!([]));
    assert!(!bench.engine.is_in_mid_turn());
}

/// The work grows linearly with the number of names in a line and with the number of open requests.
#[cfg(target_os = "linux")]
#[test]
fn twice_as_many_names_take_twice_the_work() {
    use claw_testkit::cost::{Row, is_linear};

    let uuids = |prefix: &str, count: usize| {
        let uuids = (0..count).map(|n| Value::from(format!("{prefix}{n}")));
        uuids.collect::<Value>()
    };
    let prompted = |count: usize| {
        let mut bench = Bench::new();
        (0..count).for_each(|n| bench.prompt(n as u64, &format!("a{n}")));
        bench
    };
    let rows = [
        Row::new("a turn of prompts that nobody sent", 200, |count| {
            let (mut bench, named) = (prompted(count), uuids("b", count));
            Box::new(move || {
                bench.line(&init(&named));
                bench.ended(&named);
            })
        }),
        Row::new("a turn of many prompts", 200, |count| {
            let (mut bench, named) = (prompted(count), uuids("a", count));
            Box::new(move || {
                bench.line(&init(&named));
                assert_eq!(bench.ended(&named).len(), count);
            })
        }),
        Row::new("requests that are taken back", 50, |count| {
            let mut bench = Bench::serving(permissions());
            let permission = json!({"subtype": "can_use_tool", "tool_name": "Write", "tool_use_id": "t",
                "input": {}});
            let requests = (0..count).map(|n| request(&format!("q{n}"), &permission));
            let cancel =
                |n| json!({"type": "control_cancel_request", "request_id": format!("q{n}")});
            let lines: Vec<_> = requests.chain((0..count).map(cancel)).collect();
            Box::new(move || lines.iter().for_each(|line| drop(bench.line(line))))
        }),
    ];
    is_linear(
        "engine::tests::bounds::twice_as_many_names_take_twice_the_work",
        &rows,
    );
}

use claw_codec::Line;
use claw_types::control::{Interrupt, PermissionResult};
use claw_types::hook::{HookEvent, HookOutput, HookSpecificOutput, PreToolUseOutput, StopOutput};
use serde_json::{Value, json};

use super::*;
use crate::outcome::error::Cause;

/// Passes lines to an engine, and collects the engine's outputs.
struct Bench {
    engine: Engine,
    number: u64,
}

const SECOND: Duration = Duration::from_secs(1);

impl Bench {
    fn new() -> Self {
        Self::serving(Served::default())
    }

    fn serving(served: Served) -> Self {
        Self::of(Engine::new(Limits::default(), served))
    }

    fn of(engine: Engine) -> Self {
        Self { engine, number: 0 }
    }

    fn line(&mut self, line: &Value) -> Vec<Output> {
        self.line_at(Duration::ZERO, line)
    }

    fn line_at(&mut self, now: Now, line: &Value) -> Vec<Output> {
        self.number += 1;
        let raw = Bytes::from(line.to_string());
        self.engine
            .line(now, LineItem::Line(Line::new(self.number, raw)));
        self.outputs()
    }

    fn outputs(&mut self) -> Vec<Output> {
        std::iter::from_fn(|| self.engine.output()).collect()
    }

    fn prompt(&mut self, turn: u64, uuid: &str) {
        self.engine
            .prompt(TurnId(turn), uuid, Bytes::from_static(b"{}"));
        assert!(matches!(self.outputs()[..], [Output::Prompt(_)]));
    }

    /// Passes a line to the engine. Returns the turn to which the line belongs.
    fn turn_of(&mut self, line: &Value) -> Option<TurnId> {
        match &self.line(line)[..] {
            [Output::Line { turn, .. }] => *turn,
            other => panic!("{other:?}"),
        }
    }

    fn ended(&mut self, prompts: &Value) -> Vec<u64> {
        let outputs = self.line(&json!({"type": "result", "user_message_uuids": prompts}));
        let ended = outputs.iter().find_map(|output| match output {
            Output::Result { turns, .. } => Some(turns.iter().map(|turn| turn.0).collect()),
            _ => None,
        });
        ended.unwrap()
    }
}

fn state(state: &str) -> Value {
    json!({"type": "system", "subtype": "session_state_changed", "state": state,
        "sdk_host_only": true})
}

fn lifecycle(prompt: &str, state: &str) -> Value {
    json!({"type": "command_lifecycle", "command_uuid": prompt, "state": state})
}

fn init(prompts: &Value) -> Value {
    json!({"type": "system", "subtype": "init", "user_message_uuids": prompts})
}

fn said() -> Value {
    json!({"type": "assistant", "message": {}})
}

fn written(output: &Output) -> Value {
    match output {
        Output::Write(line) | Output::Prompt(line) => serde_json::from_slice(line).unwrap(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn the_handshake_is_the_first_line_and_nothing_waits_for_it() {
    let mut bench = Bench::new();
    bench.engine.initialize(Duration::ZERO, Box::default());
    bench
        .engine
        .prompt(TurnId(0), "p", Bytes::from_static(b"{\"p\":1}"));
    let outputs = bench.outputs();
    assert_eq!(written(&outputs[0])["request"]["subtype"], "initialize");
    assert_eq!(written(&outputs[1]), json!({"p": 1}));
}

#[test]
fn the_same_input_gives_the_same_output() {
    let run = || {
        let mut bench = Bench::new();
        bench.engine.initialize(Duration::ZERO, Box::default());
        for call in 1..20 {
            bench
                .engine
                .call(SECOND, CallId(call), Interrupt::new().into(), None);
        }
        let outputs = bench.outputs();
        outputs.iter().map(written).collect::<Vec<_>>()
    };
    assert_eq!(run(), run());
}

#[test]
fn background_runs_belong_to_nobody() {
    let mut bench = Bench::new();
    bench.prompt(1, "a");
    assert_eq!(bench.turn_of(&init(&json!(["a"]))), Some(TurnId(1)));
    assert_eq!(bench.ended(&json!(["a"])), [1]);
    // A turn without a prompt runs. Meanwhile, a prompt arrives and waits.
    assert_eq!(bench.turn_of(&init(&json!(null))), None);
    bench.prompt(2, "b");
    assert_eq!(bench.turn_of(&said()), None);
    assert_eq!(bench.turn_of(&lifecycle("b", "queued")), Some(TurnId(2)));
    assert_eq!(bench.turn_of(&said()), None);
    assert!(bench.ended(&json!(null)).is_empty());
    assert_eq!(bench.turn_of(&lifecycle("b", "started")), Some(TurnId(2)));
    assert_eq!(bench.turn_of(&said()), Some(TurnId(2)));
    assert_eq!(bench.ended(&json!(["b"])), [2]);
}

#[test]
fn a_turn_that_nobody_prompted_may_run_before_the_prompts_own_has_its_result() {
    for own_is_first in [true, false] {
        let mut bench = Bench::new();
        bench.prompt(1, "a");
        assert_eq!(bench.turn_of(&init(&json!(["a"]))), Some(TurnId(1)));
        assert_eq!(bench.turn_of(&said()), Some(TurnId(1)));
        // Two turns without a prompt begin, one after the other.
        for _ in 0..2 {
            assert_eq!(bench.turn_of(&init(&json!(null))), None);
            assert_eq!(bench.turn_of(&said()), None);
        }
        let results = if own_is_first {
            [json!(["a"]), json!(null), json!(null)]
        } else {
            [json!(null), json!(null), json!(["a"])]
        };
        let ended = results.map(|prompts| bench.ended(&prompts));
        let own: &[u64] = &[1];
        let expected: [&[u64]; 3] = if own_is_first {
            [own, &[], &[]]
        } else {
            [&[], &[], own]
        };
        assert_eq!(ended, expected);
        // The lines of the next turn belong to its prompt, as usual.
        bench.prompt(2, "b");
        assert_eq!(bench.turn_of(&init(&json!(["b"]))), Some(TurnId(2)));
        assert_eq!(bench.turn_of(&said()), Some(TurnId(2)));
        assert_eq!(bench.ended(&json!(["b"])), [2]);
    }
}

#[test]
fn a_turn_goes_on_behind_one_that_ran_within_it() {
    let mut bench = Bench::new();
    bench.prompt(1, "a");
    bench.line(&init(&json!(["a"])));
    assert_eq!(bench.turn_of(&init(&json!(null))), None);
    assert!(bench.ended(&json!(null)).is_empty());
    assert_eq!(bench.turn_of(&said()), Some(TurnId(1)));
    assert_eq!(bench.ended(&json!(["a"])), [1]);
}

fn tool_result() -> Value {
    json!({"type": "user", "parent_tool_use_id": null, "message": {"role": "user", "content":
        [{"tool_use_id": "toolu_1", "type": "tool_result", "content": "done"}]}})
}

#[test]
fn the_turn_of_a_deferred_tool_is_not_the_prompts() {
    for names in [true, false] {
        let mut bench = Bench::new();
        bench.prompt(1, "a");
        let named = if names { json!(["a"]) } else { json!(null) };
        assert_eq!(bench.turn_of(&tool_result()), None);
        assert_eq!(bench.turn_of(&init(&json!(null))), None);
        assert_eq!(bench.turn_of(&said()), None);
        assert!(bench.ended(&json!(null)).is_empty(), "names: {names}");
        assert_eq!(bench.turn_of(&init(&named)), Some(TurnId(1)));
        assert_eq!(bench.turn_of(&said()), Some(TurnId(1)));
        assert_eq!(bench.ended(&named), [1], "names: {names}");
    }
}

#[test]
fn only_the_first_words_of_a_session_can_be_a_deferred_tools() {
    let quoted =
        json!({"type": "user", "message": {"role": "user", "content": tool_result().to_string()}});
    for first in [
        quoted,
        init(&json!(null)),
        json!({"type": "stream_event", "event": {}}),
        said(),
    ] {
        let mut bench = Bench::new();
        bench.prompt(1, "a");
        bench.line(&first);
        if first["type"] != "user" {
            bench.line(&tool_result());
        }
        bench.line(&said());
        assert_eq!(bench.ended(&json!(null)), [1], "{first}");
    }
}

#[test]
fn a_prompt_folded_into_a_running_turn_ends_with_it() {
    let mut bench = Bench::new();
    bench.prompt(1, "a");
    bench.line(&init(&json!(["a"])));
    bench.prompt(2, "b");
    bench.line(&lifecycle("b", "started"));
    assert_eq!(bench.turn_of(&said()), Some(TurnId(1)));
    assert_eq!(bench.ended(&json!(["a", "b"])), [1, 2]);
}

#[test]
fn results_out_of_order_find_their_prompts() {
    let mut bench = Bench::new();
    for (turn, uuid) in [(1, "a"), (2, "b"), (3, "c")] {
        bench.prompt(turn, uuid);
    }
    assert_eq!(bench.ended(&json!(["b"])), [2]);
    assert!(bench.ended(&json!(["b"])).is_empty());
    assert!(bench.ended(&json!(["of another host"])).is_empty());
    assert_eq!(bench.ended(&json!(["c"])), [3]);
    assert_eq!(bench.ended(&json!(["a"])), [1]);
}

#[test]
fn without_names_turns_end_in_order() {
    let mut bench = Bench::new();
    bench.prompt(1, "a");
    bench.prompt(2, "b");
    assert_eq!(bench.turn_of(&init(&json!(null))), Some(TurnId(1)));
    assert_eq!(bench.ended(&json!(null)), [1]);
    assert_eq!(bench.turn_of(&said()), Some(TurnId(2)));
    assert_eq!(bench.ended(&json!(null)), [2]);
    assert!(bench.ended(&json!(null)).is_empty());
}

fn ends(outputs: &[Output]) -> usize {
    outputs
        .iter()
        .filter(|output| matches!(output, Output::RunEnded))
        .count()
}

#[test]
fn a_run_ends_at_rest_or_with_its_result() {
    let result = json!({"type": "result"});
    let mut bench = Bench::new();
    bench.prompt(1, "a");
    assert_eq!(ends(&bench.line(&result)), 1);

    let mut bench = Bench::new();
    bench.prompt(1, "a");
    // The CLI reports that it is idle. No turn has begun yet, so this report ends no run.
    assert_eq!(ends(&bench.line(&state("idle"))), 0);
    assert_eq!(ends(&bench.line(&state("running"))), 0);
    assert_eq!(ends(&bench.line(&result)), 0);
    assert_eq!(ends(&bench.line(&state("requires_action"))), 0);
    assert_eq!(ends(&bench.line(&state("idle"))), 1);
    assert_eq!(ends(&bench.line(&state("idle"))), 0);
    // While another prompt waits for its result, the run does not end.
    bench.prompt(2, "b");
    bench.prompt(3, "c");
    bench.line(&state("running"));
    bench.line(&result);
    assert_eq!(ends(&bench.line(&state("idle"))), 0);
    bench.line(&result);
    assert_eq!(ends(&bench.outputs()), 0);
}

#[test]
fn a_cli_that_never_rests_is_quiet_at_last() {
    let mut bench = Bench::new();
    bench.prompt(1, "a");
    bench.line(&state("running"));
    bench.line_at(SECOND, &json!({"type": "result"}));
    assert_eq!(
        bench.engine.deadline(),
        Some(SECOND + Limits::default().quiet)
    );
    bench.line_at(SECOND * 2, &said());
    let deadline = bench.engine.deadline().unwrap();
    assert_eq!(deadline, SECOND * 2 + Limits::default().quiet);
    bench.engine.tick(Limits::default().quiet);
    assert_eq!(ends(&bench.outputs()), 0);
    bench.engine.tick(deadline);
    assert_eq!(ends(&bench.outputs()), 1);
    assert_eq!(bench.engine.deadline(), None);
}

#[test]
fn a_run_is_not_quiet_while_a_prompt_waits_for_its_result() {
    let mut bench = Bench::new();
    bench.prompt(1, "a");
    bench.prompt(2, "b");
    bench.line(&state("running"));
    assert_eq!(bench.ended(&json!(["a"])), [1]);
    assert_eq!(bench.engine.deadline(), None);
    bench.engine.tick(2 * Limits::default().quiet);
    assert_eq!(ends(&bench.outputs()), 0);
    bench.line(&state("running"));
    assert_eq!(bench.ended(&json!(["b"])), [2]);
    assert!(bench.engine.deadline().is_some());
}

#[test]
fn turns_without_a_result_are_lost_at_rest() {
    let lost = |outputs: &[Output]| -> Vec<u64> {
        let lost = outputs.iter().filter_map(|output| match output {
            Output::Lost(turn) => Some(turn.0),
            _ => None,
        });
        lost.collect()
    };
    let mut bench = Bench::new();
    for (turn, uuid) in [(1, "a"), (2, "b"), (3, "c")] {
        bench.prompt(turn, uuid);
        bench.line(&lifecycle(uuid, "queued"));
    }
    bench.line(&lifecycle("a", "started"));
    bench.line(&lifecycle("b", "cancelled"));
    // The first prompt was running, the second one is cancelled, and the third one still waits.
    assert_eq!(lost(&bench.line(&state("idle"))), [1, 2]);
    assert_eq!(bench.ended(&json!(["c"])), [3]);
}

#[test]
fn backlogged_calls_fail_and_the_session_goes_on() {
    let mut bench = Bench::new();
    bench
        .engine
        .call(SECOND, CallId(1), Interrupt::new().into(), None);
    bench.outputs();
    assert!(bench.engine.is_waiting());
    bench.engine.backlogged();
    let outputs = bench.outputs();
    assert!(matches!(
        &outputs[..],
        [Output::Answered {
            call: CallId(1),
            answer: Err(error)
        }] if error.is_backlogged()
    ));
    assert!(!bench.engine.is_waiting());
    assert_eq!(bench.turn_of(&said()), None);
}

#[test]
fn after_the_end_nothing_is_taken() {
    let mut bench = Bench::new();
    bench
        .engine
        .call(SECOND, CallId(1), Interrupt::new().into(), None);
    bench.engine.end(Cause::Closed.into());
    bench.engine.end(Cause::Closed.into());
    bench
        .engine
        .call(SECOND, CallId(2), Interrupt::new().into(), None);
    let outputs = bench.outputs();
    let failed = |output: &Output| {
        matches!(
            output,
            Output::Answered {
                answer: Err(error),
                ..
            } if error.is_closed()
        )
    };
    assert_eq!(outputs.iter().filter(|output| failed(output)).count(), 2);
    assert!(bench.line(&said()).is_empty());
}

#[test]
fn what_cannot_be_read_of_an_answer_fails_its_call() {
    let mut bench = Bench::new();
    bench
        .engine
        .call(SECOND, CallId(1), Interrupt::new().into(), None);
    bench.outputs();
    let answer = json!({"type": "control_response",
        "response": {"subtype": "maybe", "request_id": "claw-1"}});
    let outputs = bench.line(&answer);
    assert!(matches!(
        &outputs[..],
        [Output::Answered {
            call: CallId(1),
            answer: Err(error)
        }] if error.is_bad_answer()
    ));
    assert!(bench.line(&answer).is_empty());
}

#[test]
fn the_clock_of_the_handshake_stands_while_hooks_run_but_not_for_ever() {
    let mut bench = Bench::new();
    bench.engine.initialize(Duration::ZERO, Box::default());
    bench.outputs();
    assert_eq!(bench.engine.deadline(), Some(60 * SECOND));
    let begun = json!({"type": "system", "subtype": "hook_started", "hook_id": "h", "hook_name": "SessionStart:startup"});
    bench.line_at(10 * SECOND, &begun);
    assert_eq!(bench.engine.deadline(), Some(610 * SECOND));
    let over = json!({"type": "system", "subtype": "hook_response", "hook_id": "h"});
    bench.line_at(20 * SECOND, &over);
    assert_eq!(bench.engine.deadline(), Some(80 * SECOND));
    bench.engine.tick(80 * SECOND);
    let late = bench.outputs();
    assert!(matches!(
        &late[..],
        [Output::Answered {
            call: INITIALIZE,
            answer: Err(error)
        }] if error.is_timeout()
    ));
}

#[test]
fn a_hook_that_delays_the_start_is_reported_and_again_when_its_time_has_doubled() {
    let begun = json!({"type": "system", "subtype": "hook_started", "hook_id": "h", "hook_name": "SessionStart:startup"});
    let over = json!({"type": "system", "subtype": "hook_response", "hook_id": "h"});
    let limits = Limits {
        hook_report: Some(5 * SECOND),
        ..Limits::default()
    };
    let mut engine = Engine::new(limits, Served::default());
    engine.initialize(Duration::ZERO, Box::default());
    let mut bench = Bench::of(engine);
    bench.outputs();
    bench.line_at(10 * SECOND, &begun);
    bench.engine.tick(14 * SECOND);
    assert!(bench.outputs().is_empty());
    // The engine requests ticks at 15, 20 and 30 s. The last tick comes only at 60 s, and still reports the hook.
    for (now, next) in [(15, 20), (20, 30), (60, 90)] {
        assert!(bench.engine.deadline() <= Some(now * SECOND));
        bench.engine.tick(now * SECOND);
        let outputs = bench.outputs();
        let [Output::Delayed(hook)] = &outputs[..] else {
            panic!("{outputs:?}")
        };
        let reported = (&*hook.name, hook.running_for);
        assert_eq!(reported, ("SessionStart:startup", (now - 10) * SECOND));
        assert_eq!(bench.engine.deadline(), Some(next * SECOND));
    }
    bench.line_at(70 * SECOND, &over);
    assert_eq!(bench.engine.deadline(), Some(130 * SECOND));
    bench.engine.tick(129 * SECOND);
    assert!(bench.outputs().is_empty());
}

#[test]
fn a_hook_that_does_not_end_is_named_and_counts_where_it_should() {
    let begun = json!({"type": "system", "subtype": "hook_started", "hook_id": "h", "hook_name": "SessionStart:startup"});
    let over = json!({"type": "system", "subtype": "hook_response", "hook_id": "h"});
    let limits = |stall, counts| Limits {
        stall,
        initialize_with_hooks: counts,
        ..Limits::default()
    };
    // If a limit for the start is set explicitly, it includes the time of hooks.
    let mut engine = Engine::new(limits(None, true), Served::default());
    engine.initialize(Duration::ZERO, Box::default());
    let mut bench = Bench::of(engine);
    bench.outputs();
    bench.line_at(10 * SECOND, &begun);
    assert_eq!(bench.engine.deadline(), Some(60 * SECOND));
    bench.engine.tick(60 * SECOND);
    let [
        Output::Answered {
            answer: Err(error), ..
        },
    ] = &bench.outputs()[..]
    else {
        panic!("the start goes on")
    };
    assert_eq!(error.running_hook(), Some("SessionStart:startup"));
    assert!(
        error
            .to_string()
            .ends_with("within 60s: the hook SessionStart:startup runs"),
        "{error}"
    );

    // The limit for silence also applies while the hook runs.
    let mut engine = Engine::new(limits(Some(5 * SECOND), false), Served::default());
    engine.initialize(Duration::ZERO, Box::default());
    let mut bench = Bench::of(engine);
    bench.outputs();
    assert_eq!(bench.engine.deadline(), Some(60 * SECOND));
    bench.line_at(10 * SECOND, &begun);
    assert_eq!(bench.engine.deadline(), Some(15 * SECOND));
    bench.line_at(12 * SECOND, &over);
    assert_eq!(bench.engine.deadline(), Some(72 * SECOND));
    bench.line_at(20 * SECOND, &begun);
    bench.engine.tick(25 * SECOND);
    let outputs = bench.outputs();
    let [Output::Stalled { silent, hook, .. }] = &outputs[..] else {
        panic!("{outputs:?}")
    };
    assert_eq!(
        (*silent, hook.as_deref()),
        (5 * SECOND, Some("SessionStart:startup"))
    );
}

/// The thread of the callback was blocked, and with it the code that reads the clock.
#[test]
fn an_answer_after_the_deadline_is_a_no_though_nobody_has_looked_at_the_clock() {
    for (waited, is_allowed) in [(SECOND, true), (2 * SECOND, false)] {
        let limits = Limits {
            callback: Some(SECOND),
            ..Limits::default()
        };
        let served = Served {
            permissions: true,
            ..Served::default()
        };
        let mut bench = Bench::of(Engine::new(limits, served));
        let tool = json!({"subtype": "can_use_tool", "tool_name": "Bash", "input": {}, "tool_use_id": "t"});
        bench.line_at(SECOND, &request("q", &tool));
        let allowed = Reply::Permission(PermissionResult::allow());
        bench.engine.decide(&"q".into(), Ok(allowed), waited);
        let outputs = bench.outputs();
        let [Output::Write(line)] = &outputs[..] else {
            panic!("{outputs:?}")
        };
        let line = String::from_utf8_lossy(line);
        assert_eq!(line.contains("\"allow\""), is_allowed, "{line}");
        assert_eq!(
            line.contains("did not answer within 1s"),
            !is_allowed,
            "{line}"
        );
    }
}

#[test]
fn half_a_line_answers_nothing_and_ends_nothing() {
    let answer = r#"{"type":"control_response","response":{"request_id":"claw-1","sub"#;
    let result = r#"{"type":"result","subtype":"success","user_message_uuids":["p"],"resul"#;
    for half in [answer, result] {
        let mut bench = Bench::new();
        bench.prompt(0, "p");
        bench
            .engine
            .call(SECOND, CallId(1), Interrupt::new().into(), None);
        bench.outputs();
        let mut line = Line::new(1, Bytes::from_static(half.as_bytes()));
        line.cut = true;
        bench.engine.line(SECOND, LineItem::Line(line));
        assert!(matches!(bench.outputs()[..], [Output::Half(_)]));
    }
    // A line that lacks only its line end is complete.
    let mut bench = Bench::new();
    bench.prompt(0, "p");
    let whole = r#"{"type":"result","user_message_uuids":["p"]}"#;
    let mut line = Line::new(1, Bytes::from_static(whole.as_bytes()));
    line.cut = true;
    bench.engine.line(SECOND, LineItem::Line(line));
    assert!(matches!(bench.outputs()[0], Output::Result { .. }));
}

fn request(id: &str, body: &Value) -> Value {
    json!({"type": "control_request", "request_id": id, "request": body})
}

fn hook(event: HookEvent, blocks: bool) -> Served {
    let spec = HookSpec {
        event,
        limit: 5 * SECOND,
        blocks,
        by_name: false,
    };
    Served {
        hooks: [("hook_0".to_owned(), spec)].into(),
        ..Served::default()
    }
}

fn hook_callback(id: &str, input: &Value) -> Value {
    request(
        id,
        &json!({"subtype": "hook_callback", "callback_id": "hook_0", "input": input}),
    )
}

fn stop() -> Value {
    json!({"hook_event_name": "Stop", "session_id": "s", "transcript_path": "/t", "cwd": "/c",
        "stop_hook_active": false})
}

/// Returns the payload of an answer, or the error.
fn payload(output: &Output) -> Value {
    let line = written(output);
    assert_eq!(line["type"], "control_response");
    let response = &line["response"];
    match response["subtype"].as_str() {
        Some("success") => response["response"].clone(),
        _ => response["error"].clone(),
    }
}

#[test]
fn a_hook_that_takes_too_long_is_given_up_before_the_cli_gives_up() {
    let mut bench = Bench::serving(hook(HookEvent::Stop, false));
    let outputs = bench.line_at(SECOND, &hook_callback("q", &stop()));
    assert!(matches!(
        outputs[..],
        [Output::Request {
            body: RequestBody::Hook(_),
            ..
        }]
    ));
    assert_eq!(bench.engine.deadline(), Some(6 * SECOND));
    bench.engine.tick(6 * SECOND);
    let outputs = bench.outputs();
    assert!(matches!(&outputs[0], Output::Withdraw(id) if id.as_str() == "q"));
    assert_eq!(payload(&outputs[1]), json!({}));
    // The callback's answer is too late, and the repeated request is not passed to the callback again.
    let late = Ok(Reply::Hook(Json::new(&HookOutput::none())));
    bench.engine.decide(&"q".into(), late, Duration::ZERO);
    assert!(bench.outputs().is_empty());
    assert!(bench.line(&hook_callback("q", &stop())).is_empty());
}

#[test]
fn a_hook_that_fails_refuses_what_can_be_refused() {
    let refusals = [
        (
            HookEvent::PreToolUse,
            "/hookSpecificOutput/permissionDecision",
            "deny",
        ),
        (
            HookEvent::PreModelSwitch,
            "/hookSpecificOutput/permissionDecision",
            "deny",
        ),
        (
            HookEvent::PreSkillShellCommand,
            "/hookSpecificOutput/permissionDecision",
            "deny",
        ),
        (
            HookEvent::PermissionRequest,
            "/hookSpecificOutput/decision/behavior",
            "deny",
        ),
        (HookEvent::UserPromptSubmit, "/decision", "block"),
    ];
    for (event, place, refusal) in refusals {
        // An input that cannot be read is a failure too.
        for blocks in [false, true] {
            let mut bench = Bench::serving(hook(event.clone(), blocks));
            let outputs = bench.line(&hook_callback(
                "q",
                &json!({"hook_event_name": event, "cwd": 7}),
            ));
            let answer = payload(&outputs[0]);
            assert_eq!(answer.pointer(place), Some(&json!(refusal)), "{answer}");
        }
    }
    let mut bench = Bench::serving(hook(HookEvent::Stop, true));
    bench.line(&hook_callback("q", &stop()));
    bench
        .engine
        .decide(&"q".into(), Err("no idea".to_owned()), Duration::ZERO);
    assert_eq!(payload(&bench.outputs()[0]), "no idea");
}

#[test]
fn a_hook_speaks_of_its_own_event_alone() {
    let mut bench = Bench::serving(hook(HookEvent::Stop, false));
    let mut said = |id: &str, output: HookSpecificOutput| {
        bench.line(&hook_callback(id, &stop()));
        let reply = Reply::Hook(Json::new(&HookOutput::from(output)));
        bench.engine.decide(&id.into(), Ok(reply), Duration::ZERO);
        payload(&bench.outputs()[0])
    };
    let own = said("a", StopOutput::new().additional_context("on").into());
    assert_eq!(own["hookSpecificOutput"]["additionalContext"], "on");
    assert_eq!(said("b", PreToolUseOutput::new().into()), json!({}));
}

#[test]
fn what_nobody_answers_gets_what_it_gets() {
    let mut bench = Bench::new();
    let elicitation = json!({"subtype": "elicitation", "mcp_server_name": "s", "message": "?"});
    assert_eq!(
        payload(&bench.line(&request("1", &elicitation))[0]),
        json!({"action": "decline"})
    );
    let refused = bench.line(&request("2", &json!({"subtype": "dance"})));
    assert_eq!(
        written(&refused[0])["response"]["error_code"],
        "unsupported_request"
    );
    let dialog = json!({"subtype": "request_user_dialog", "dialog_kind": "k", "payload": {}});
    assert!(bench.line(&request("3", &dialog)).is_empty());
    assert!(
        bench
            .line(&request("4", &json!({"subtype": "remote_tool_call"})))
            .is_empty()
    );
    // A callback for all dialogs also gets dialogs of kinds that were not declared.
    let mut bench = Bench::serving(Served {
        dialogs: ["pick".to_owned()].into(),
        others: ["request_user_dialog".to_owned()].into(),
        ..Served::default()
    });
    let outputs = bench.line(&request("3", &dialog));
    assert!(
        matches!(&outputs[..], [Output::Request { body: RequestBody::Other(other), .. }] if other.subtype == "request_user_dialog"),
        "{outputs:?}"
    );
    // An application that answers all other kinds gets neither this dialog nor a request for another host.
    let mut bench = Bench::serving(Served {
        all_others: true,
        ..Served::default()
    });
    assert!(bench.line(&request("3", &dialog)).is_empty());
    assert!(
        bench
            .line(&request("4", &json!({"subtype": "remote_tool_call"})))
            .is_empty()
    );
    let outputs = bench.line(&request("5", &json!({"subtype": "dance", "steps": 3})));
    let [
        Output::Request {
            body: RequestBody::Other(other),
            ..
        },
    ] = &outputs[..]
    else {
        panic!("{outputs:?}")
    };
    assert_eq!(
        (
            other.subtype.as_str(),
            other.body.to_value().unwrap()["steps"].clone()
        ),
        ("dance", json!(3))
    );
}

#[test]
fn what_is_answered_elsewhere_is_not_answered_here() {
    let mut bench = Bench::serving(Served {
        permissions: true,
        ..Served::default()
    });
    let tool =
        json!({"subtype": "can_use_tool", "tool_name": "Bash", "input": {}, "tool_use_id": "t"});
    bench.line(&request("q", &tool));
    bench
        .engine
        .decide(&"q".into(), Ok(Reply::Elsewhere), Duration::ZERO);
    assert!(bench.outputs().is_empty());
    assert!(!bench.engine.is_waiting());
    let late = Ok(Reply::Permission(PermissionResult::allow()));
    bench.engine.decide(&"q".into(), late, Duration::ZERO);
    assert!(bench.line(&request("q", &tool)).is_empty());
}

#[test]
fn an_mcp_server_has_as_long_as_it_likes() {
    let mut bench = Bench::serving(Served {
        mcp: true,
        ..Served::default()
    });
    let message = |id: &str, message: Value| {
        let body = json!({"subtype": "mcp_message", "server_name": "s", "message": message});
        request(id, &body)
    };
    let call = json!({"id": 0, "method": "tools/call"});
    bench.line(&message("1", call.clone()));
    assert_eq!(bench.engine.deadline(), None);
    let answer = Reply::Mcp(Some(json!({"id": 0, "result": {}}).into()));
    bench.engine.decide(&"1".into(), Ok(answer), Duration::ZERO);
    let answered = payload(&bench.outputs()[0]);
    assert_eq!(answered["mcp_response"], json!({"id": 0, "result": {}}));
    // A message that was cancelled gets no answer, and nothing of it is stored.
    bench.line(&message("2", call.clone()));
    bench
        .engine
        .decide(&"2".into(), Ok(Reply::Mcp(None)), Duration::ZERO);
    assert!(bench.outputs().is_empty() && !bench.engine.is_waiting());
    // A failed message gets a JSON-RPC error of the server, unless the server must not answer it.
    bench.line(&message("3", call.clone()));
    bench
        .engine
        .decide(&"3".into(), Err("no idea".to_owned()), Duration::ZERO);
    let fault = json!({"code": -32603, "message": "no idea"});
    let failed = json!({"jsonrpc": "2.0", "id": 0, "error": fault});
    assert_eq!(payload(&bench.outputs()[0])["mcp_response"], failed);
    bench.line(&message(
        "4",
        json!({"method": "notifications/initialized"}),
    ));
    bench
        .engine
        .decide(&"4".into(), Err("no idea".to_owned()), Duration::ZERO);
    assert_eq!(payload(&bench.outputs()[0]), "no idea");
    // In the first case, there is no server. In the second case, the application answers MCP messages itself.
    let unserved = Bench::new().line(&message("1", call.clone()));
    let error = &payload(&unserved[0])["mcp_response"]["error"];
    assert_eq!(error["message"], "there is no such MCP server");
    let mut own = Bench::serving(Served {
        mcp: true,
        others: ["mcp_message".to_owned()].into(),
        ..Served::default()
    });
    let outputs = own.line(&message("1", call));
    let [Output::Request { body, .. }] = &outputs[..] else {
        panic!("{outputs:?}")
    };
    assert!(matches!(body, RequestBody::Other(_)));
}

mod bounds;
mod stall;

//! Random sessions: whatever happens in whatever order, everything comes to an end once.

use std::collections::{BTreeMap, BTreeSet};

use claw_codec::Line;
use claw_types::control::Interrupt;
use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;

/// One thing that happens. Numbers pick among what there is.
#[derive(Debug, Clone)]
enum Event {
    Call,
    Prompt,
    /// An answer to one of our questions: well formed, an error, or nothing that can be read.
    Answer(usize, u8),
    /// The CLI asks about a tool, perhaps with an id that it used before.
    Ask(usize, bool),
    Cancel(usize),
    /// A callback decides: yes, no, or by failing.
    Decide(usize, u8),
    /// A callback of a question that is long gone decides.
    DecideLate(usize),
    Init(usize, bool),
    Result(usize, bool),
    Lifecycle(usize, u8),
    State(u8),
    Message,
    Raw(Vec<u8>),
    Backlogged,
    Time(u16),
    End,
}

fn event() -> impl Strategy<Value = Event> {
    let pick = || 0..8_usize;
    prop_oneof![
        4 => Just(Event::Call),
        4 => Just(Event::Prompt),
        6 => (pick(), 0..4_u8).prop_map(|(call, how)| Event::Answer(call, how)),
        4 => (pick(), any::<bool>()).prop_map(|(ask, sound)| Event::Ask(ask, sound)),
        2 => pick().prop_map(Event::Cancel),
        4 => (pick(), 0..3_u8).prop_map(|(ask, how)| Event::Decide(ask, how)),
        1 => pick().prop_map(Event::DecideLate),
        2 => (pick(), any::<bool>()).prop_map(|(turn, named)| Event::Init(turn, named)),
        4 => (pick(), any::<bool>()).prop_map(|(turn, named)| Event::Result(turn, named)),
        3 => (pick(), 0..4_u8).prop_map(|(turn, state)| Event::Lifecycle(turn, state)),
        3 => (0..3_u8).prop_map(Event::State),
        2 => Just(Event::Message),
        1 => vec(any::<u8>(), 0..40).prop_map(Event::Raw),
        1 => Just(Event::Backlogged),
        2 => (0..50_000_u16).prop_map(Event::Time),
        1 => Just(Event::End),
    ]
}

/// What the world knows of the session, apart from the engine.
#[derive(Default)]
struct World {
    now: Now,
    lines: u64,
    made: u64,
    /// Calls that are not over, and the ids that were written for them.
    calls: BTreeSet<CallId>,
    written: Vec<String>,
    prompts: Vec<String>,
    turns: BTreeSet<TurnId>,
    /// Questions whose callbacks run.
    asked: BTreeSet<String>,
    seen: Vec<String>,
    /// Answers that were written, by question.
    answers: BTreeMap<String, Vec<Value>>,
    granted: BTreeSet<String>,
    withdrawn: BTreeSet<String>,
    delivered: u64,
    sent_messages: u64,
}

impl World {
    fn line(&mut self, engine: &mut Engine, line: &Value) {
        self.raw(engine, line.to_string().into_bytes());
    }

    fn raw(&mut self, engine: &mut Engine, raw: Vec<u8>) {
        self.lines += 1;
        engine.line(self.now, LineItem::Line(Line::new(self.lines, raw.into())));
    }

    fn prompt(&self, pick: usize) -> Option<&String> {
        self.prompts.get(pick % self.prompts.len().max(1))
    }

    fn happens(&mut self, engine: &mut Engine, event: Event) {
        match event {
            Event::Call => {
                self.made += 1;
                let call = CallId(self.made);
                self.calls.insert(call);
                engine.call(self.now, call, Interrupt::new().into());
            }
            Event::Prompt => {
                let turn = TurnId(self.prompts.len() as u64);
                let uuid = format!("p{}", turn.0);
                self.turns.insert(turn);
                engine.prompt(turn, &uuid, Bytes::from_static(b"{\"type\":\"user\"}"));
                self.prompts.push(uuid);
            }
            Event::Answer(pick, how) => {
                let Some(id) = self.written.get(pick % self.written.len().max(1)).cloned() else {
                    return;
                };
                let response = match how {
                    0 => json!({"subtype": "success", "request_id": id, "response": {}}),
                    1 => json!({"subtype": "success", "request_id": id}),
                    2 => json!({"subtype": "error", "request_id": id, "error": "no"}),
                    _ => json!({"subtype": 7, "request_id": id}),
                };
                self.line(
                    engine,
                    &json!({"response": response, "type": "control_response"}),
                );
            }
            Event::Ask(pick, sound) => {
                let id = format!("q{pick}");
                let input = if sound {
                    json!({"of": id})
                } else {
                    Value::Null
                };
                let mut request = json!({"subtype": "can_use_tool", "input": input,
                    "tool_use_id": "t", "tool_name": "Bash"});
                if !sound {
                    request["tool_name"] = json!(7);
                }
                self.seen.push(id.clone());
                let line = json!({"type": "control_request", "request_id": id, "request": request});
                self.line(engine, &line);
            }
            Event::Cancel(pick) => {
                let line =
                    json!({"type": "control_cancel_request", "request_id": format!("q{pick}")});
                self.line(engine, &line);
            }
            Event::Decide(pick, how) => {
                let Some(id) = self
                    .asked
                    .iter()
                    .nth(pick % self.asked.len().max(1))
                    .cloned()
                else {
                    return;
                };
                self.asked.remove(&id);
                let decision = match how {
                    0 => {
                        self.granted.insert(id.clone());
                        Ok(PermissionResult::allow())
                    }
                    1 => Ok(PermissionResult::deny("no")),
                    _ => Err("broken".to_owned()),
                };
                engine.decide(&id.as_str().into(), decision);
            }
            Event::DecideLate(pick) => {
                let id = format!("q{pick}");
                if !self.asked.contains(&id) {
                    engine.decide(&id.as_str().into(), Ok(PermissionResult::allow()));
                }
            }
            Event::Init(pick, named) => {
                let prompts: Vec<_> = self
                    .prompt(pick)
                    .filter(|_| named)
                    .cloned()
                    .into_iter()
                    .collect();
                let line =
                    json!({"type": "system", "subtype": "init", "user_message_uuids": prompts});
                self.sent_messages += 1;
                self.line(engine, &line);
            }
            Event::Result(pick, named) => {
                let prompts: Vec<_> = self
                    .prompt(pick)
                    .filter(|_| named)
                    .cloned()
                    .into_iter()
                    .collect();
                self.sent_messages += 1;
                self.line(
                    engine,
                    &json!({"user_message_uuids": prompts, "type": "result"}),
                );
            }
            Event::Lifecycle(pick, state) => {
                let Some(prompt) = self.prompt(pick) else {
                    return;
                };
                let state = ["queued", "started", "completed", "cancelled"][usize::from(state)];
                let line =
                    json!({"type": "command_lifecycle", "command_uuid": prompt, "state": state});
                self.sent_messages += 1;
                self.line(engine, &line);
            }
            Event::State(state) => {
                let state = ["idle", "running", "requires_action"][usize::from(state)];
                self.line(
                    engine,
                    &json!({"type": "system", "state": state,
                    "subtype": "session_state_changed", "sdk_host_only": true}),
                );
            }
            Event::Message => {
                self.sent_messages += 1;
                self.line(
                    engine,
                    &json!({"type": "assistant", "text": "control_request"}),
                );
            }
            Event::Raw(raw) => {
                self.sent_messages += 1;
                self.raw(engine, raw);
            }
            Event::Backlogged => engine.backlogged(),
            Event::Time(milliseconds) => {
                self.now += Duration::from_millis(u64::from(milliseconds));
                engine.tick(self.now);
            }
            Event::End => engine.end(),
        }
    }

    /// Does what the engine wants, and holds it to what it may want.
    fn outputs(&mut self, engine: &mut Engine) {
        while let Some(output) = engine.output() {
            match output {
                Output::Write(line) => self.wrote(&serde_json::from_slice(&line).unwrap()),
                Output::Ask { id, .. } => {
                    assert!(
                        self.asked.insert(id.to_string()),
                        "asked twice at a time: {id}"
                    );
                    assert!(!self.answers.contains_key(id.as_str()), "asked again: {id}");
                }
                Output::Withdraw(id) => {
                    assert!(self.asked.remove(id.as_str()), "nothing to withdraw: {id}");
                    self.withdrawn.insert(id.to_string());
                }
                Output::Answered { call, .. } => {
                    assert!(self.calls.remove(&call), "over twice: {call:?}");
                }
                Output::Line { turn, .. } => {
                    self.delivered += 1;
                    assert!(
                        turn.is_none_or(|turn| self.turns.contains(&turn)),
                        "a closed turn"
                    );
                }
                Output::Result { turns, .. } => {
                    self.delivered += 1;
                    for turn in turns {
                        assert!(self.turns.remove(&turn), "over twice: {turn:?}");
                    }
                }
                Output::Lost(turn) => assert!(self.turns.remove(&turn), "over twice: {turn:?}"),
                Output::TooOld { found } => panic!("{found} is not in the lines"),
                Output::RunEnded => assert!(self.turns.is_empty(), "a turn is open"),
            }
        }
    }

    fn wrote(&mut self, line: &Value) {
        match line["type"].as_str().unwrap() {
            "control_request" => self
                .written
                .push(line["request_id"].as_str().unwrap().to_owned()),
            "control_response" => {
                let response = &line["response"];
                let id = response["request_id"].as_str().unwrap().to_owned();
                assert!(self.seen.contains(&id), "an answer to nothing");
                assert!(
                    !self.withdrawn.contains(&id),
                    "an answer to what was taken back"
                );
                if response["response"]["behavior"] == "allow" {
                    assert!(self.granted.contains(&id), "nobody granted {id}");
                    assert_eq!(response["response"]["updatedInput"]["of"], id.as_str());
                }
                self.answers.entry(id).or_default().push(line.clone());
            }
            "user" => {}
            other => panic!("{other}"),
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, ..ProptestConfig::default() })]

    #[test]
    fn everything_ends_once(events in vec(event(), 0..80)) {
        let mut engine = Engine::new(Limits::default(), true);
        let mut world = World::default();
        for event in events {
            let ended = engine.ended;
            let messages = world.sent_messages;
            world.happens(&mut engine, event);
            world.outputs(&mut engine);
            if ended {
                world.sent_messages = messages;
                // A prompt after the end is refused by whoever holds the engine.
                world.turns.clear();
            }
            if let Some(deadline) = engine.deadline() {
                prop_assert!(deadline <= world.now + engine.limits.quiet);
            }
        }
        // Every message was delivered, at once and in one place.
        prop_assert_eq!(world.delivered, world.sent_messages);
        // Time alone ends every call.
        if !engine.ended {
            engine.tick(world.now + engine.limits.request);
            world.outputs(&mut engine);
            prop_assert!(world.calls.is_empty(), "{:?}", world.calls);
        }
        engine.end();
        world.outputs(&mut engine);
        prop_assert!(world.calls.is_empty() && world.asked.is_empty());
        prop_assert!(!engine.is_waiting());
        for (id, answers) in &world.answers {
            prop_assert!(answers.len() == 1, "{} has {} answers", id, answers.len());
        }
    }
}

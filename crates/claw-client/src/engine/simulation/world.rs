//! The world around an engine, with books of its own.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use claw_codec::Line as Raw;
use claw_types::control::{Initialize, McpStatus, PermissionResult};
use serde_json::{Value, json};

use super::answers::{HOOKS, is_safe, is_said, reply, wrong};
use super::*;

macro_rules! ensure {
    ($holds:expr, $($message:tt)*) => {
        if !$holds {
            return Err(format!($($message)*));
        }
    };
}

type Checked = Result<(), String>;

/// How long anything but a hook may take.
const CALLBACK: Duration = Duration::from_secs(40);

const HOOK: Duration = Duration::from_secs(5);

/// A question of the CLI's, by the books.
#[derive(Debug, Clone)]
struct Question {
    what: Asked,
    deadline: Now,
}

/// What has to come of a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Due {
    /// This, by its callback.
    Said(Decided),
    /// What is safe.
    Safe,
    /// An error, or what is safe.
    Refusal,
}

/// A call of ours, by the books.
#[derive(Debug)]
struct Call {
    id: String,
    deadline: Now,
    initializes: bool,
}

pub(super) struct World {
    engine: Engine,
    now: Now,
    ended: bool,
    lines: u64,
    made: u64,
    calls: BTreeMap<CallId, Call>,
    /// Whose request this id names.
    written: Vec<(String, CallId)>,
    /// A call that was made and not written yet.
    making: Option<(CallId, Duration, bool)>,
    /// The call that the line answers which is being read.
    answering: Option<CallId>,
    prompts: Vec<String>,
    turns: BTreeSet<TurnId>,
    ids: Vec<String>,
    /// Questions whose callbacks run.
    open: BTreeMap<String, Question>,
    /// Questions that were answered or taken back.
    done: BTreeSet<String>,
    /// What has to be written next, by question.
    due: BTreeMap<String, (Asked, Due)>,
    /// Questions that have to be asked next.
    asking: BTreeMap<String, Asked>,
    /// The line that is being read is broken: what becomes of it is the engine's to guess.
    broken: bool,
    sent: u64,
    delivered: u64,
}

/// A line with its type in front, as the CLI mostly writes it.
fn line(kind: &str, rest: &Value) -> Vec<u8> {
    let rest = rest.to_string();
    let comma = if rest == "{}" { "" } else { "," };
    format!(r#"{{"type":"{kind}"{comma}{}"#, &rest[1..]).into_bytes()
}

impl World {
    pub(super) fn new() -> Self {
        let hooks = HOOKS.iter().enumerate().map(|(number, (event, blocks))| {
            let spec = HookSpec {
                event: event.clone(),
                limit: HOOK,
                blocks: *blocks,
            };
            (format!("hook_{number}"), spec)
        });
        let served = Served {
            permissions: true,
            elicitations: true,
            dialogs: ["pick".to_owned()].into(),
            hooks: hooks.collect::<HashMap<_, _>>(),
            mcp: true,
            others: ["refresh".to_owned()].into(),
            all_others: false,
        };
        let limits = Limits {
            callback: Some(CALLBACK),
            ..Limits::default()
        };
        let mut world = Self {
            engine: Engine::new(limits, served),
            now: Duration::ZERO,
            ended: false,
            lines: 0,
            made: 0,
            calls: BTreeMap::new(),
            written: Vec::new(),
            making: None,
            answering: None,
            prompts: Vec::new(),
            turns: BTreeSet::new(),
            ids: Vec::new(),
            open: BTreeMap::new(),
            done: BTreeSet::new(),
            due: BTreeMap::new(),
            asking: BTreeMap::new(),
            broken: false,
            sent: 0,
            delivered: 0,
        };
        world.making = Some((INITIALIZE, limits.initialize, true));
        world.engine.initialize(Duration::ZERO, Box::default());
        world
    }

    /// Something happens, and everything is looked at.
    pub(super) fn happens(&mut self, event: &Event) -> Checked {
        // What was set going before the first event.
        self.outputs()?;
        match event {
            Event::Call => self.call(McpStatus::new().into(), false),
            Event::Initialize => self.call(Initialize::new().into(), true),
            Event::Forget(pick) => {
                let mut calls = self.calls.keys().filter(|call| **call != INITIALIZE);
                if let Some(call) = calls.nth(pick % self.calls.len().max(1)).copied() {
                    self.calls.remove(&call);
                    self.engine.forget(call);
                }
            }
            Event::Prompt => self.prompt(),
            Event::Line(line) => {
                let raw = self.said(line);
                self.read(raw, false);
            }
            Event::Cut(line, length) => self.cut(line, usize::from(*length)),
            Event::Mixed(one, other) => self.mixed(one, other),
            Event::Raw(raw) => {
                self.sent += u64::from(!self.ended);
                self.read(raw.clone(), false);
            }
            Event::Decide(pick, how) => {
                let id = self.open.keys().nth(pick % self.open.len().max(1));
                if let Some(id) = id.cloned() {
                    self.decide(&id, *how);
                }
            }
            Event::DecideLate(pick) => {
                let id = self.ids.get(*pick).cloned().unwrap_or_default();
                if !self.open.contains_key(&id) {
                    let granted = Reply::Permission(PermissionResult::allow());
                    self.engine.decide(&id.as_str().into(), Ok(granted));
                }
            }
            Event::Backlogged => self.engine.backlogged(),
            Event::Time(milliseconds) => {
                self.now += Duration::from_millis(u64::from(*milliseconds));
                self.engine.tick(self.now);
            }
            Event::End => {
                self.ended = true;
                self.engine.end();
            }
        }
        self.outputs()?;
        self.books()
    }

    /// The rest of time, and the end.
    pub(super) fn ends(mut self) -> Checked {
        self.outputs()?;
        if !self.ended {
            self.now += Duration::from_hours(1);
            self.engine.tick(self.now);
            self.outputs()?;
            self.books()?;
            ensure!(self.calls.is_empty(), "for ever: {:?}", self.calls);
            let mut open = self.open.values();
            let only_mcp = open.all(|question| question.what == Asked::Mcp);
            ensure!(only_mcp, "for ever: {:?}", self.open);
        }
        self.ended = true;
        self.engine.end();
        self.outputs()?;
        self.books()
    }

    fn call(&mut self, body: ControlRequestBody, initializes: bool) {
        self.made += 1;
        let call = CallId(self.made);
        let limit = self.engine.limits.request;
        self.making = Some((call, limit, initializes));
        if self.ended {
            // It is never written.
            let id = String::new();
            let deadline = self.now;
            self.calls.insert(
                call,
                Call {
                    id,
                    deadline,
                    initializes,
                },
            );
            self.making = None;
        }
        self.engine.call(self.now, call, body, None);
    }

    fn prompt(&mut self) {
        let turn = TurnId(self.prompts.len() as u64);
        let uuid = format!("p{}", turn.0);
        self.engine
            .prompt(turn, &uuid, Bytes::from_static(b"{\"type\":\"user\"}"));
        // After the end, it is refused by whoever holds the engine.
        if !self.ended {
            self.turns.insert(turn);
        }
        self.prompts.push(uuid);
    }

    fn read(&mut self, raw: Vec<u8>, cut: bool) {
        self.lines += 1;
        let mut line = Raw::new(self.lines, raw.into());
        line.cut = cut;
        let item = LineItem::Line(line);
        let (passes, owner) = (self.engine.passes(self.now, &item), self.engine.owner());
        let before = self.engine.output.len();
        self.engine.line(self.now, item);
        let delivered =
            matches!(self.engine.output.back(), Some(Output::Line { turn, .. }) if *turn == owner);
        assert!(!passes || (delivered && self.engine.output.len() == before + 1));
    }

    /// The start of a line, because the CLI died inside of it.
    fn cut(&mut self, what: &Line, length: usize) {
        // The books hold nothing against half a line.
        let books = (
            self.asking.clone(),
            self.due.clone(),
            self.sent,
            self.answering,
        );
        let raw = self.said(what);
        if length < raw.len() {
            (self.asking, self.due, self.sent, self.answering) = books;
            self.sent += u64::from(!self.ended);
            self.read(raw[..length].to_vec(), true);
        } else {
            self.read(raw, true);
        }
    }

    /// Half a line with a whole one behind it.
    fn mixed(&mut self, one: &Line, other: &Line) {
        let books = (self.asking.clone(), self.due.clone(), self.sent);
        let (one, other) = (self.said(one), self.said(other));
        (self.asking, self.due, self.sent) = books;
        let mixed = [&one[..one.len() / 2], &other].concat();
        self.broken = true;
        self.answering = None;
        self.read(mixed, false);
    }

    /// A line, and what has to come of it by the books.
    fn said(&mut self, what: &Line) -> Vec<u8> {
        let alive = u64::from(!self.ended);
        self.broken = false;
        match what {
            Line::Answer(pick, how) => self.answer(*pick, *how),
            Line::Ask(pick, what) => {
                let id = self.id(*pick);
                line("control_request", &self.ask(&id, *what))
            }
            Line::Cancel(pick) => {
                let id = self.id(*pick);
                // Withdrawn by the engine, which the books see.
                line("control_cancel_request", &json!({"request_id": id}))
            }
            Line::Init(pick, named) => {
                self.sent += alive;
                let prompts = self.named(*pick, *named);
                line(
                    "system",
                    &json!({"subtype": "init", "user_message_uuids": prompts}),
                )
            }
            Line::Result(pick, named) => {
                self.sent += alive;
                let prompts = self.named(*pick, *named);
                line("result", &json!({"user_message_uuids": prompts}))
            }
            Line::Lifecycle(pick, state) => {
                self.sent += alive;
                let prompts = self.named(*pick, true);
                let state = ["queued", "started", "completed", "cancelled"][usize::from(*state)];
                let prompt = prompts.first().cloned().unwrap_or_default();
                line(
                    "command_lifecycle",
                    &json!({"command_uuid": prompt, "state": state}),
                )
            }
            Line::State(state) => {
                let state = ["idle", "running", "requires_action"][usize::from(*state)];
                line(
                    "system",
                    &json!({"state": state, "subtype": "session_state_changed",
                    "sdk_host_only": true}),
                )
            }
            Line::Message => {
                self.sent += alive;
                line("assistant", &json!({"text": "control_request"}))
            }
            Line::KeepAlive => line("keep_alive", &json!({})),
        }
    }

    fn named(&self, pick: usize, named: bool) -> Vec<String> {
        let prompt = self.prompts.get(pick % self.prompts.len().max(1));
        prompt.filter(|_| named).cloned().into_iter().collect()
    }

    /// An id that was used before, or a new one.
    fn id(&mut self, pick: usize) -> String {
        if pick < 3 && !self.ids.is_empty() {
            return self.ids[self.ids.len() - 1 - pick % self.ids.len()].clone();
        }
        let id = format!("q{}", self.ids.len());
        self.ids.push(id.clone());
        id
    }

    fn answer(&mut self, pick: usize, how: Answer) -> Vec<u8> {
        let named = self.written.get(pick % self.written.len().max(1)).cloned();
        let (id, call) = named.unwrap_or_else(|| ("nobody".to_owned(), CallId(u64::MAX)));
        let id = if how == Answer::Nobody {
            "nobody".to_owned()
        } else {
            id
        };
        self.answering = Some(call).filter(|_| how != Answer::Nobody);
        let mut response = match how {
            Answer::Nothing => json!({"subtype": "success"}),
            Answer::Error => json!({"subtype": "error", "error": id}),
            Answer::Unreadable => json!({"subtype": 7}),
            _ => json!({"subtype": "success", "response": {"to": id}}),
        };
        if let Answer::Pending(pick) = how {
            let waits = self.id(pick);
            let counts = self.calls.get(&call).is_some_and(|call| call.initializes);
            let books = (self.asking.clone(), self.due.clone());
            let mut request = self.ask(&waits, Asked::Permission);
            if !counts {
                (self.asking, self.due) = books;
            }
            request["type"] = json!("control_request");
            response["pending_permission_requests"] = json!([request]);
        }
        response["request_id"] = json!(id);
        line("control_response", &json!({"response": response}))
    }

    /// A question's line, and what has to come of it.
    fn ask(&mut self, id: &str, what: Asked) -> Value {
        let fresh = !self.ended && !self.open.contains_key(id) && !self.done.contains(id);
        let mut due = |due| {
            if fresh {
                self.due.insert(id.to_owned(), (what, due));
            }
        };
        match what {
            Asked::BadPermission | Asked::UnknownHook => due(Due::Refusal),
            Asked::BadHook(_) => due(Due::Safe),
            Asked::OtherDialog | Asked::NotOurs => {}
            _ if fresh => drop(self.asking.insert(id.to_owned(), what)),
            _ => {}
        }
        let hook = |number: usize| format!("hook_{}", number % HOOKS.len());
        let request = match what {
            Asked::Permission => json!({"subtype": "can_use_tool", "input": {"of": id},
                "tool_use_id": "t", "tool_name": "Bash"}),
            Asked::BadPermission => json!({"subtype": "can_use_tool", "tool_name": 7}),
            Asked::Hook(number) => json!({"subtype": "hook_callback", "callback_id": hook(number),
                "input": {"hook_event_name": "Tomorrow"}}),
            Asked::BadHook(number) => json!({"subtype": "hook_callback",
                "callback_id": hook(number), "input": 7}),
            Asked::UnknownHook => json!({"subtype": "hook_callback", "callback_id": "hook_99",
                "input": {"hook_event_name": "Tomorrow"}}),
            Asked::Elicitation => json!({"subtype": "elicitation", "mcp_server_name": "s",
                "message": id}),
            Asked::Dialog => json!({"subtype": "request_user_dialog", "dialog_kind": "pick",
                "payload": id}),
            Asked::OtherDialog => json!({"subtype": "request_user_dialog", "dialog_kind": "other",
                "payload": id}),
            Asked::Mcp => json!({"subtype": "mcp_message", "server_name": "s",
                "message": {"id": id, "method": "tools/call"}}),
            Asked::Other => json!({"subtype": "refresh"}),
            Asked::NotOurs => json!({"subtype": "remote_tool_call"}),
        };
        json!({"request_id": id, "request": request})
    }

    fn decide(&mut self, id: &str, how: Decided) {
        let what = self.open[id].what;
        let reply = match how {
            Decided::Failed => Err("broken".to_owned()),
            Decided::Elsewhere => Ok(Reply::Elsewhere),
            Decided::Wrong => Ok(wrong(what)),
            Decided::Yes => Ok(reply(what, id, true)),
            Decided::No => Ok(reply(what, id, false)),
        };
        self.open.remove(id);
        self.done.insert(id.to_owned());
        let due = match how {
            Decided::Failed | Decided::Wrong => Due::Safe,
            Decided::Yes | Decided::No => Due::Said(how),
            Decided::Elsewhere => return self.engine.decide(&id.into(), reply),
        };
        self.due.insert(id.to_owned(), (what, due));
        self.engine.decide(&id.into(), reply);
    }

    /// Does what the engine wants, and holds it to what it may want.
    fn outputs(&mut self) -> Checked {
        while let Some(output) = self.engine.output() {
            self.output(output)?;
        }
        Ok(())
    }

    fn output(&mut self, output: Output) -> Checked {
        match output {
            Output::Write(line) | Output::Prompt(line) => {
                ensure!(!self.ended, "written after the end");
                let line: Value = serde_json::from_slice(&line).map_err(|e| e.to_string())?;
                return self.wrote(&line);
            }
            Output::Ask { id, .. } => {
                let id = id.to_string();
                let what = self.asking.remove(&id);
                let what = what.ok_or_else(|| format!("{id} is asked, and was not to be"))?;
                let limit = match what {
                    Asked::Hook(_) => HOOK,
                    // As long as it likes.
                    Asked::Mcp => Duration::MAX.saturating_sub(self.now),
                    _ => CALLBACK,
                };
                let deadline = self.now + limit;
                let before = self.open.insert(id.clone(), Question { what, deadline });
                ensure!(before.is_none(), "asked twice at a time: {id}");
            }
            Output::Withdraw(id) => {
                let id = id.to_string();
                let question = self.open.remove(&id);
                let question = question.ok_or_else(|| format!("nothing to withdraw: {id}"))?;
                if question.deadline <= self.now && !self.ended {
                    self.due.insert(id.clone(), (question.what, Due::Safe));
                }
                self.done.insert(id);
            }
            Output::Answered { call, answer } => return self.answered(call, answer),
            Output::Line { turn, .. } => {
                self.delivered += 1;
                let open = turn.is_none_or(|turn| self.turns.contains(&turn));
                ensure!(open, "a line for a turn that is over: {turn:?}");
            }
            Output::Result { turns, .. } => {
                self.delivered += 1;
                for turn in turns {
                    ensure!(self.turns.remove(&turn), "over twice: {turn:?}");
                }
            }
            Output::Lost(turn) => ensure!(self.turns.remove(&turn), "over twice: {turn:?}"),
            Output::TooOld { found } => return Err(format!("{found} is not in the lines")),
            Output::RunEnded => ensure!(self.turns.is_empty(), "a turn is open"),
        }
        Ok(())
    }

    fn answered(&mut self, call: CallId, answer: Result<Option<Json>, CallError>) -> Checked {
        let over = self.calls.remove(&call);
        let over = over.ok_or_else(|| format!("over twice, or never made: {call:?}"))?;
        let own = self.answering == Some(call) || self.broken;
        match answer {
            Ok(payload) => {
                ensure!(own, "{call:?} has an answer to something else");
                let to = payload.map(|payload| {
                    payload
                        .to_value()
                        .map_or(Value::Null, |value| value["to"].clone())
                });
                ensure!(to.is_none_or(|to| to == over.id), "not its own answer");
            }
            Err(CallError::Refused { error, .. }) => {
                ensure!(own && error == over.id, "not its own error");
            }
            Err(CallError::Unreadable { .. }) => ensure!(own, "not its own garbage"),
            Err(CallError::Timeout { .. }) => ensure!(over.deadline <= self.now, "too early"),
            Err(CallError::Backlogged) => ensure!(call != INITIALIZE, "the handshake failed"),
            Err(CallError::Ended) => ensure!(self.ended, "it has not ended"),
            Err(other) => return Err(format!("{other:?}")),
        }
        Ok(())
    }

    fn wrote(&mut self, line: &Value) -> Checked {
        let id = |value: &Value| value["request_id"].as_str().unwrap_or_default().to_owned();
        match line["type"].as_str().unwrap_or_default() {
            "control_request" => {
                let made = self.making.take();
                let (call, limit, initializes) = made.ok_or("nobody asked that")?;
                let id = id(line);
                let used = self.written.iter().any(|(written, _)| *written == id);
                ensure!(!used, "an id that was used: {id}");
                self.written.push((id.clone(), call));
                let deadline = self.now + limit;
                self.calls.insert(
                    call,
                    Call {
                        id,
                        deadline,
                        initializes,
                    },
                );
            }
            "control_cancel_request" => {
                let id = id(line);
                let call = self.written.iter().find(|(written, _)| *written == id);
                let over = call.is_some_and(|(_, call)| !self.calls.contains_key(call));
                ensure!(
                    over,
                    "what is cancelled is waited for, or was never asked: {id}"
                );
            }
            "control_response" => return self.responded(&line["response"]),
            "user" => {}
            other => return Err(format!("a line of type {other}")),
        }
        Ok(())
    }

    /// A question was answered.
    fn responded(&mut self, response: &Value) -> Checked {
        let id = response["request_id"]
            .as_str()
            .unwrap_or_default()
            .to_owned();
        ensure!(self.ids.contains(&id), "an answer to nothing: {id}");
        let Some((what, due)) = self.due.remove(&id) else {
            let fresh = !self.open.contains_key(&id) && !self.done.contains(&id);
            ensure!(
                self.broken && fresh,
                "{id} is answered again, or too early: {response}"
            );
            let payload = response["response"].to_string();
            ensure!(
                !payload.contains("allow"),
                "nobody granted that: {response}"
            );
            self.done.insert(id);
            return Ok(());
        };
        self.done.insert(id.clone());
        let payload = &response["response"];
        let holds = match due {
            Due::Said(said) => is_said(what, payload, &id, said == Decided::Yes),
            Due::Safe => is_safe(what, response),
            Due::Refusal => response["subtype"] == "error",
        };
        ensure!(holds, "{what:?} had to get {due:?}, and got {response}");
        Ok(())
    }

    /// What has to hold after every event.
    fn books(&mut self) -> Checked {
        ensure!(self.due.is_empty(), "not answered: {:?}", self.due);
        ensure!(self.asking.is_empty(), "not asked: {:?}", self.asking);
        if self.broken {
            // Whether a broken line is a message is the engine's to guess.
            self.sent = self.delivered;
            self.broken = false;
        }
        let (sent, delivered) = (self.sent, self.delivered);
        ensure!(sent == delivered, "{sent} messages, {delivered} delivered");
        self.answering = None;
        let (calls, questions, remembered, turns) = self.engine.sizes();
        ensure!(
            calls == self.calls.len(),
            "{calls} calls kept: {:?}",
            self.calls
        );
        ensure!(
            questions == self.open.len(),
            "{questions} questions kept: {:?}",
            self.open
        );
        ensure!(remembered <= 1024, "{remembered} ids kept");
        if self.ended {
            ensure!(
                self.calls.is_empty(),
                "they wait for the dead: {:?}",
                self.calls
            );
            ensure!(
                self.open.is_empty(),
                "they work for the dead: {:?}",
                self.open
            );
            ensure!(!self.engine.is_waiting(), "it waits for the dead");
            self.turns.clear();
            return Ok(());
        }
        ensure!(
            turns == self.turns.len(),
            "{turns} turns kept: {:?}",
            self.turns
        );
        let calls = self.calls.values().map(|call| call.deadline);
        let questions = self.open.values().map(|question| question.deadline);
        let questions = questions.filter(|deadline| *deadline < Duration::MAX);
        let first = calls.chain(questions).min();
        if let Some(first) = first {
            let wakes = self.engine.deadline().is_some_and(|wakes| wakes <= first);
            ensure!(
                wakes,
                "it sleeps over {first:?}: {:?}",
                self.engine.deadline()
            );
        }
        Ok(())
    }
}

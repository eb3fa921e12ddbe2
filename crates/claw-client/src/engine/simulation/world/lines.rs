//! The lines of the simulated CLI, and their required effects in the ledger.

use claw_codec::Line as Raw;
use serde_json::{Value, json};

use super::super::answers::HOOKS;
use super::super::*;
use super::{Due, World};

/// Creates a line with its type in front, as the CLI usually writes it.
fn line(kind: &str, rest: &Value) -> Vec<u8> {
    let rest = rest.to_string();
    let comma = if rest == "{}" { "" } else { "," };
    format!(r#"{{"type":"{kind}"{comma}{}"#, &rest[1..]).into_bytes()
}

impl World {
    pub(super) fn read(&mut self, raw: Vec<u8>, cut: bool) {
        self.lines += 1;
        let mut line = Raw::new(self.lines, raw.into());
        line.cut = cut;
        let item = LineItem::Line(line);
        let (passes, owner) = (
            self.engine.handle_plain(self.now, &item),
            self.engine.owner(),
        );
        let before = self.engine.output.len();
        self.engine.line(self.now, item);
        let delivered =
            matches!(self.engine.output.back(), Some(Output::Line { turn, .. }) if *turn == owner);
        assert!(!passes || (delivered && self.engine.output.len() == before + 1));
    }

    /// Sends the start of a line, as a CLI that dies while it writes the line.
    pub(super) fn cut(&mut self, what: &Line, length: usize) {
        // An unfinished line must not change the ledger, so the ledger is restored from this copy.
        let ledger = (
            self.requesting.clone(),
            self.due.clone(),
            self.sent,
            self.answering,
        );
        let turns = (
            self.taken_up.clone(),
            self.perhaps.clone(),
            self.read,
            self.idle,
        );
        let raw = self.create(what);
        if length < raw.len() {
            (self.requesting, self.due, self.sent, self.answering) = ledger;
            (self.taken_up, self.perhaps, self.read, self.idle) = turns;
            self.sent += u64::from(!self.ended);
            self.read(raw[..length].to_vec(), true);
        } else {
            self.read(raw, true);
        }
    }

    /// Sends an unfinished line, directly followed by a whole one.
    pub(super) fn mixed(&mut self, one: &Line, other: &Line) {
        let ledger = (self.requesting.clone(), self.due.clone(), self.sent);
        let turns = (
            self.taken_up.clone(),
            self.perhaps.clone(),
            self.read,
            self.idle,
        );
        let (one, other) = (self.create(one), self.create(other));
        (self.requesting, self.due, self.sent) = ledger;
        (self.taken_up, self.perhaps, self.read, self.idle) = turns;
        let mixed = [&one[..one.len() / 2], &other].concat();
        self.broken = true;
        self.answering = None;
        self.read(mixed, false);
    }

    /// Creates a line and records its required effect in the ledger.
    pub(super) fn create(&mut self, what: &Line) -> Vec<u8> {
        let alive = u64::from(!self.ended);
        self.broken = false;
        match what {
            Line::Answer(pick, how) => self.answer(*pick, *how),
            Line::Request(pick, what) => {
                let id = self.id(*pick);
                line("control_request", &self.request(&id, *what))
            }
            Line::Cancel(pick) => {
                let id = self.id(*pick);
                // No effect is recorded here: the ledger changes when the engine withdraws the request.
                line("control_cancel_request", &json!({"request_id": id}))
            }
            Line::Init(pick, named) => {
                self.sent += alive;
                let prompts = self.named(*pick, *named);
                self.idle = false;
                let named = self.open(&prompts);
                self.taken_up.extend(named);
                self.perhaps.extend(self.turns.keys().next());
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
                let open = self.open(&prompts);
                self.idle &= open.is_none() || *state > 1;
                self.taken_up.extend(open.filter(|_| *state > 0));
                let state = ["queued", "started", "completed", "cancelled"][usize::from(*state)];
                let prompt = prompts.first().cloned().unwrap_or_default();
                line(
                    "command_lifecycle",
                    &json!({"command_uuid": prompt, "state": state}),
                )
            }
            Line::State(state) => {
                self.idle = *state == 0;
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

    /// Returns the open turn of these prompts.
    fn open(&self, prompts: &[String]) -> Option<TurnId> {
        let mut open = self.turns.keys();
        let named = open.find(|turn| prompts.contains(&format!("p{}", turn.0)));
        named.copied()
    }

    fn named(&self, pick: usize, named: bool) -> Vec<String> {
        let prompt = self.prompts.get(pick % self.prompts.len().max(1));
        prompt.filter(|_| named).cloned().into_iter().collect()
    }

    /// Returns an ID that was used before, or a new one.
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
        if let Some(answered) = self.calls.get(&call).filter(|call| call.id == id) {
            self.read = self.read.max(answered.place);
        }
        let mut response = match how {
            Answer::Nothing => json!({"subtype": "success"}),
            Answer::Error => json!({"subtype": "error", "error": id}),
            Answer::Unreadable => json!({"subtype": 7}),
            _ => json!({"subtype": "success", "response": {"to": id}}),
        };
        if let Answer::Pending(pick) = how {
            let waits = self.id(pick);
            let counts = self.calls.get(&call).is_some_and(|call| call.initializes);
            let ledger = (self.requesting.clone(), self.due.clone());
            let mut request = self.request(&waits, Requested::Permission);
            if !counts {
                (self.requesting, self.due) = ledger;
            }
            request["type"] = json!("control_request");
            response["pending_permission_requests"] = json!([request]);
        }
        response["request_id"] = json!(id);
        line("control_response", &json!({"response": response}))
    }

    /// Creates the line of a request and records its required effect.
    fn request(&mut self, id: &str, what: Requested) -> Value {
        let fresh = !self.ended && !self.open.contains_key(id) && !self.done.contains(id);
        let mut due = |due| {
            if fresh {
                self.due.insert(id.to_owned(), (what, due));
            }
        };
        match what {
            Requested::BadPermission | Requested::UnknownHook => due(Due::Refusal),
            Requested::BadHook(_) => due(Due::Safe),
            Requested::OtherDialog | Requested::NotOurs => {}
            _ if fresh => drop(self.requesting.insert(id.to_owned(), what)),
            _ => {}
        }
        let hook = |number: usize| format!("hook_{}", number % HOOKS.len());
        let request = match what {
            Requested::Permission => json!({"subtype": "can_use_tool", "input": {"of": id},
                "tool_use_id": "t", "tool_name": "Bash"}),
            Requested::BadPermission => json!({"subtype": "can_use_tool", "tool_name": 7}),
            Requested::Hook(number) => {
                json!({"subtype": "hook_callback", "callback_id": hook(number),
                "input": {"hook_event_name": "Tomorrow"}})
            }
            Requested::BadHook(number) => json!({"subtype": "hook_callback",
                "callback_id": hook(number), "input": 7}),
            Requested::UnknownHook => json!({"subtype": "hook_callback", "callback_id": "hook_99",
                "input": {"hook_event_name": "Tomorrow"}}),
            Requested::Elicitation => json!({"subtype": "elicitation", "mcp_server_name": "s",
                "message": id}),
            Requested::Dialog => json!({"subtype": "request_user_dialog", "dialog_kind": "pick",
                "payload": id}),
            Requested::OtherDialog => {
                json!({"subtype": "request_user_dialog", "dialog_kind": "other",
                "payload": id})
            }
            Requested::Mcp => json!({"subtype": "mcp_message", "server_name": "s",
                "message": {"id": id, "method": "tools/call"}}),
            Requested::Other => json!({"subtype": "refresh"}),
            Requested::NotOurs => json!({"subtype": "remote_tool_call"}),
        };
        json!({"request_id": id, "request": request})
    }
}

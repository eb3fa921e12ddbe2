//! The ledger: the engine's actions, compared with the allowed ones.

use serde_json::Value;

use super::super::super::idle_probe::ANSWER;
use super::super::answers::{is_expected, is_safe};
use super::super::*;
use super::{CALLBACK, Call, Checked, Due, HOOK, Request, World};
use crate::outcome::error::Cause;

impl World {
    /// Carries out the engine's actions and compares them with the allowed ones.
    pub(super) fn outputs(&mut self) -> Checked {
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
            Output::Request { id, .. } => {
                let id = id.to_string();
                let what = self.requesting.remove(&id);
                let what = what.ok_or_else(|| format!("{id} is handed out, and was not to be"))?;
                let limit = match what {
                    Requested::Hook(_) => HOOK,
                    // Calls of MCP servers have no time limit.
                    Requested::Mcp => Duration::MAX.saturating_sub(self.now),
                    _ => CALLBACK,
                };
                let deadline = self.now + limit;
                let before = self.open.insert(id.clone(), Request { what, deadline });
                ensure!(before.is_none(), "handed out twice at a time: {id}");
            }
            Output::Withdraw(id) => {
                let id = id.to_string();
                let request = self.open.remove(&id);
                let request = request.ok_or_else(|| format!("nothing to withdraw: {id}"))?;
                if request.deadline <= self.now && !self.ended {
                    self.due.insert(id.clone(), (request.what, Due::Safe));
                }
                self.done.insert(id);
            }
            Output::Answered { call, answer } => return self.answered(call, answer),
            Output::Line { turn, .. } => {
                self.delivered += 1;
                let open = turn.is_none_or(|turn| self.turns.contains_key(&turn));
                ensure!(open, "a line for a turn that is over: {turn:?}");
            }
            Output::Half(_) => self.delivered += 1,
            Output::Result { turns, .. } => {
                self.delivered += 1;
                for turn in turns {
                    ensure!(self.turns.remove(&turn).is_some(), "over twice: {turn:?}");
                }
            }
            Output::Lost(turn) => {
                let place = self.turns.remove(&turn);
                let place = place.ok_or_else(|| format!("over twice: {turn:?}"))?;
                ensure!(self.idle, "{turn:?} is given up, and claude works");
                let taken_up = self.taken_up.contains(&turn) || self.perhaps.contains(&turn);
                ensure!(
                    taken_up || place <= self.read,
                    "{turn:?} is given up, and may not have been read"
                );
            }
            Output::Delayed(_) => return Err("no hook was to be reported".to_owned()),
            Output::LimitReset(_) => return Err("no limit was to be reported".to_owned()),
            Output::Stalled { .. } => return Err("no limit was set for silence".to_owned()),
            Output::TooOld { found } => return Err(format!("{found} is not in the lines")),
            Output::RunEnded => ensure!(self.turns.is_empty(), "a turn is open"),
        }
        Ok(())
    }

    fn answered(&mut self, call: CallId, answer: Result<Option<Json>, Error>) -> Checked {
        let ended = self.calls.remove(&call);
        let ended = ended.ok_or_else(|| format!("over twice, or never made: {call:?}"))?;
        let own = self.answering == Some(call) || self.broken;
        if matches!(&answer, Err(error) if error.is_timeout()) && call == PROBE {
            // A CLI that does not respond in time counts as having read its input.
            self.read = self.read.max(ended.place);
        }
        match answer {
            Ok(payload) => {
                ensure!(own, "{call:?} has an answer to something else");
                let to = payload.map(|payload| {
                    payload
                        .to_value()
                        .map_or(Value::Null, |value| value["to"].clone())
                });
                ensure!(to.is_none_or(|to| to == ended.id), "not its own answer");
            }
            Err(error) => match error.cause() {
                Cause::Refused(refused) => {
                    ensure!(own && refused.error == ended.id, "not its own error");
                }
                Cause::BadAnswer { .. } => ensure!(own, "not its own garbage"),
                Cause::Timeout { .. } => ensure!(ended.deadline <= self.now, "too early"),
                Cause::Backlogged => ensure!(call != INITIALIZE, "the handshake failed"),
                Cause::Closed => ensure!(self.ended, "it has not ended"),
                other => return Err(format!("{other:?}")),
            },
        }
        Ok(())
    }

    fn wrote(&mut self, line: &Value) -> Checked {
        let id = |value: &Value| value["request_id"].as_str().unwrap_or_default().to_owned();
        match line["type"].as_str().unwrap_or_default() {
            "control_request" => {
                let probe = (line["request"]["subtype"] == "get_binary_version")
                    .then_some((PROBE, ANSWER, false));
                let made = self.making.take().or(probe);
                let (call, limit, initializes) = made.ok_or("nobody called that")?;
                let id = id(line);
                let used = self.written.iter().any(|(written, _)| *written == id);
                ensure!(!used, "an id that was used: {id}");
                self.written.push((id.clone(), call));
                let deadline = self.now + limit;
                self.places += 1;
                let place = self.places;
                let before = self.calls.insert(
                    call,
                    Call {
                        id,
                        deadline,
                        initializes,
                        place,
                    },
                );
                ensure!(before.is_none(), "called twice at a time: {call:?}");
            }
            "control_cancel_request" => {
                let id = id(line);
                // The engine cancels its earlier probe when it sends another one, so this
                // cancellation is expected.
                if self.calls.get(&PROBE).is_some_and(|probe| probe.id == id) {
                    self.calls.remove(&PROBE);
                }
                let call = self.written.iter().find(|(written, _)| *written == id);
                let is_done = call.is_some_and(|(_, call)| !self.calls.contains_key(call));
                ensure!(
                    is_done,
                    "what is cancelled is waited for, or was never called: {id}"
                );
            }
            "control_response" => return self.responded(&line["response"]),
            "user" => {}
            other => return Err(format!("a line of type {other}")),
        }
        Ok(())
    }

    /// Checks an answer to a request.
    fn responded(&mut self, response: &Value) -> Checked {
        let id = response["request_id"]
            .as_str()
            .unwrap_or_default()
            .to_owned();
        // A line that consists of parts of two lines may have an ID that no request has.
        let has_request = self.ids.contains(&id) || self.broken;
        ensure!(has_request, "an answer to nothing: {id}");
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
            Due::Answered(decided) => is_expected(what, payload, &id, decided == Decided::Yes),
            Due::Safe => is_safe(what, response),
            Due::Refusal => response["subtype"] == "error",
        };
        ensure!(holds, "{what:?} had to get {due:?}, and got {response}");
        Ok(())
    }

    /// Checks that no prompt that the CLI has begun is still open. Called when the CLI has just become idle.
    pub(super) fn settled(&self) -> Checked {
        let open = self.turns.keys().find(|turn| self.taken_up.contains(turn));
        ensure!(open.is_none() || self.ended, "claude is idle: {open:?}");
        Ok(())
    }

    /// Checks the properties that hold after every event.
    pub(super) fn check_ledger(&mut self) -> Checked {
        ensure!(self.due.is_empty(), "not answered: {:?}", self.due);
        ensure!(
            self.requesting.is_empty(),
            "not handed out: {:?}",
            self.requesting
        );
        if self.broken {
            // The engine must guess whether a broken line is a message, so any number of delivered
            // messages is accepted.
            self.sent = self.delivered;
            self.broken = false;
        }
        let (sent, delivered) = (self.sent, self.delivered);
        ensure!(sent == delivered, "{sent} messages, {delivered} delivered");
        self.answering = None;
        let (calls, requests, remembered, turns) = self.engine.sizes();
        ensure!(
            calls == self.calls.len(),
            "{calls} calls kept: {:?}",
            self.calls
        );
        ensure!(
            requests == self.open.len(),
            "{requests} requests kept: {:?}",
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
        let requests = self.open.values().map(|request| request.deadline);
        let requests = requests.filter(|deadline| *deadline < Duration::MAX);
        let first = calls.chain(requests).min();
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

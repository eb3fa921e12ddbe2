//! Calls of the host to the CLI.

use std::collections::HashMap;
use std::time::Duration;

use claw_codec::{FrameItem, LineItem, to_line};
use claw_types::control::{
    ControlCancelRequest, ControlRequest, ControlRequestBody, ControlResponse, ControlResponseBody,
};
use claw_types::{Json, RequestId, StdoutMessage};

use super::turns::Place;
use super::{CallId, INITIALIZE, Now, Output, PROBE};
use crate::outcome::error::{Cause, Error, Refused};

/// A hook of a settings file that runs while the CLI starts. Passed to the callback of
/// [`SessionBuilder::on_start_hook`](crate::SessionBuilder::on_start_hook).
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct RunningHook {
    /// The name of the hook: its event and the matched value, such as `SessionStart:startup`.
    pub name: String,
    /// The time for which the hook has run, since the CLI reported the hook's start.
    pub running_for: Duration,
}

/// Maximum time for hooks that run while the CLI starts.
const HOOKS: Duration = Duration::from_mins(10);

/// The maximum number of running hooks that are recorded.
const MOST_HOOKS: usize = 64;

/// The calls that have no response yet.
#[derive(Debug, Default)]
pub(super) struct Calls {
    waiting: HashMap<RequestId, Call>,
    made: u64,
    /// The running hooks, in the order of their starts.
    hooks: Vec<Hook>,
}

/// A hook of a settings file that runs at the start.
#[derive(Debug)]
struct Hook {
    id: String,
    name: String,
    started: Now,
    /// The run time of the hook at which the application is notified of it next.
    report_after: Duration,
}

#[derive(Debug)]
struct Call {
    id: CallId,
    place: Place,
    subtype: String,
    /// The time until which the response must arrive. `None` while hooks delay the response.
    deadline: Option<Now>,
    limit: Duration,
}

impl Call {
    /// Returns the line that cancels the call in the CLI. `None` for calls that the CLI carries out in any case.
    fn cancel(&self, id: &RequestId) -> Option<Output> {
        let all_the_same = ["initialize", "interrupt", "end_session"];
        if all_the_same.contains(&self.subtype.as_str()) {
            return None;
        }
        let line = to_line(&ControlCancelRequest::new(id.clone()));
        line.ok().map(Output::Write)
    }
}

impl Calls {
    pub(super) fn open(
        &mut self,
        now: Now,
        (id, place): (CallId, Place),
        body: ControlRequestBody,
        limit: Duration,
    ) -> Output {
        self.made += 1;
        let request_id = RequestId::from(format!("claw-{}", self.made));
        let subtype = body.subtype().into_owned();
        match to_line(&ControlRequest::new(request_id.clone(), body)) {
            Ok(line) => {
                let deadline = now.checked_add(limit);
                self.waiting.insert(
                    request_id,
                    Call {
                        id,
                        place,
                        subtype,
                        deadline,
                        limit,
                    },
                );
                Output::Write(line)
            }
            Err(error) => Output::Answered {
                call: id,
                answer: Err(Error::bad_request(subtype, error)),
            },
        }
    }

    /// Handles a response. Returns the position of the completed call in the CLI's input, the output for the caller,
    /// and the pending requests that the response contains. Late, repeated and unknown responses are ignored.
    pub(super) fn answer(
        &mut self,
        id: Option<&RequestId>,
        item: LineItem,
    ) -> Option<(Place, Output, Vec<ControlRequest>)> {
        let Some(call) = id.and_then(|id| self.waiting.remove(id)) else {
            tracing::debug!(line = item.number(), "an answer that nobody waits for");
            return None;
        };
        let unreadable = |reason: String| {
            Err(Error::from(Cause::BadAnswer {
                subtype: call.subtype.clone(),
                reason,
            }))
        };
        let mut pending = Vec::new();
        let answer = match FrameItem::<StdoutMessage>::from(item) {
            FrameItem::Frame(frame) => match frame.into_value() {
                StdoutMessage::ControlResponse(response) => {
                    answer(&call, *response, &mut pending).unwrap_or_else(unreadable)
                }
                _ => unreadable("the line is not a response".to_owned()),
            },
            FrameItem::Malformed(bad) => unreadable(format!("line {}: {}", bad.line, bad.error)),
            FrameItem::TooLong(long) => unreadable(long.to_string()),
        };
        if call.subtype != "initialize" {
            pending.clear();
        }
        let answered = Output::Answered {
            call: call.id,
            answer,
        };
        Some((call.place, answered, pending))
    }

    pub(super) fn initializing(&self) -> bool {
        self.waiting.values().any(|call| call.id == INITIALIZE)
    }

    /// Handles the start or end of a hook of a settings file. `begun` is the hook's name at its start. While a hook
    /// runs, the CLI does not respond to `initialize`. With a `limit`, the deadline of `initialize` is therefore
    /// extended while a hook runs. The extension is limited, because the message about the hook's end may be lost.
    pub(super) fn hook(
        &mut self,
        now: Now,
        id: String,
        begun: Option<String>,
        limit: Option<Duration>,
        report_after: Duration,
    ) {
        self.hooks.retain(|running| running.id != id);
        if let Some(name) = begun
            && self.hooks.len() < MOST_HOOKS
        {
            self.hooks.push(Hook {
                id,
                name,
                started: now,
                report_after,
            });
        }
        let Some(limit) = limit else {
            return;
        };
        let limit = if self.hooks.is_empty() {
            limit
        } else {
            limit.max(HOOKS)
        };
        let deadline = now.checked_add(limit);
        for call in self
            .waiting
            .values_mut()
            .filter(|call| call.id == INITIALIZE)
        {
            call.deadline = deadline;
        }
    }

    /// Returns the name of the hook that has run for the longest time.
    pub(super) fn running_hook(&self) -> Option<String> {
        self.hooks.first().map(|hook| hook.name.clone())
    }

    /// Returns the next time at which a hook that runs while the CLI starts is reported.
    pub(super) fn hook_deadline(&self) -> Option<Now> {
        let due = |hook: &Hook| hook.started.checked_add(hook.report_after);
        let hooks = self.hooks.iter().filter(|_| self.initializing());
        hooks.filter_map(due).min()
    }

    /// Returns the hooks to report now. Each hook is reported again when its run time has doubled.
    pub(super) fn report_hooks(&mut self, now: Now) -> Vec<RunningHook> {
        let mut reports = Vec::new();
        for hook in &mut self.hooks {
            let running_for = now.saturating_sub(hook.started);
            if running_for < hook.report_after {
                continue;
            }
            while hook.report_after <= running_for {
                hook.report_after = hook.report_after.saturating_mul(2);
            }
            reports.push(RunningHook {
                name: hook.name.clone(),
                running_for,
            });
        }
        reports
    }

    #[cfg(any(test, fuzzing))]
    pub(super) fn len(&self) -> usize {
        self.waiting.len()
    }

    pub(super) fn any(&self) -> bool {
        !self.waiting.is_empty()
    }

    pub(super) fn deadline(&self) -> Option<Now> {
        self.waiting.values().filter_map(|call| call.deadline).min()
    }

    pub(super) fn expire(&mut self, now: Now) -> Vec<Output> {
        let late = |call: &Call| call.deadline.is_some_and(|deadline| deadline <= now);
        let mut late: Vec<_> = self.waiting.extract_if(|_, call| late(call)).collect();
        late.sort_by_key(|(_, call)| call.id);
        let mut outputs = Vec::new();
        let running = self.running_hook();
        for (id, call) in late {
            let hook = running.clone().filter(|_| call.id == INITIALIZE);
            let cancel = call.cancel(&id);
            outputs.push(Output::Answered {
                call: call.id,
                answer: Err(Error::from(Cause::Timeout {
                    what: call.subtype,
                    after: call.limit,
                    hook,
                })),
            });
            outputs.extend(cancel);
        }
        outputs
    }

    /// Removes a call whose response is no longer awaited.
    pub(super) fn forget(&mut self, id: CallId) -> Option<Output> {
        let mut forgotten = self.waiting.extract_if(|_, call| call.id == id);
        let (id, call) = forgotten.next()?;
        call.cancel(&id)
    }

    /// Fails all calls of the application. The handshake and the engine's probe remain: no caller waits for them, and
    /// the session cannot continue without their responses.
    pub(super) fn backlogged(&mut self) -> Vec<Output> {
        let own = [INITIALIZE, PROBE];
        let calls = self.waiting.extract_if(|_, call| !own.contains(&call.id));
        calls
            .map(|(_, call)| failed(&call, Cause::Backlogged.into()))
            .collect()
    }

    /// Fails all calls with this error.
    pub(super) fn end(&mut self, why: &Error) -> Vec<Output> {
        let calls = self.waiting.drain();
        calls.map(|(_, call)| failed(&call, why.clone())).collect()
    }
}

fn failed(call: &Call, why: Error) -> Output {
    Output::Answered {
        call: call.id,
        answer: Err(why),
    }
}

/// Returns the payload of a response, or the reason why it cannot be read.
fn answer(
    call: &Call,
    response: ControlResponse,
    pending: &mut Vec<ControlRequest>,
) -> Result<Result<Option<Json>, Error>, String> {
    match response.response {
        ControlResponseBody::Success(success) => {
            pending.extend(success.pending_permission_requests.into_iter().flatten());
            pending.extend(success.pending_user_dialog_requests.into_iter().flatten());
            Ok(Ok(success.response))
        }
        ControlResponseBody::Error(error) => {
            pending.extend(error.pending_permission_requests.into_iter().flatten());
            pending.extend(error.pending_user_dialog_requests.into_iter().flatten());
            Ok(Err(Error::from(Cause::Refused(Refused {
                subtype: call.subtype.clone(),
                error: error.error,
                code: error.error_code,
            }))))
        }
        _ => Err("the response is neither success nor error".to_owned()),
    }
}

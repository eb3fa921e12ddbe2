//! Requests of the CLI to the host.

mod hook;
mod kind;
mod table;

use std::collections::{HashMap, HashSet, VecDeque};
use std::time::Duration;

use claw_codec::{FrameItem, LineItem, to_line};
use claw_types::control::{
    ControlError, ControlRequest, ControlRequestBody, ControlResponse, ElicitationResponse,
    PermissionResult,
};
use claw_types::hook::ElicitationAction;
use claw_types::{Json, RequestId, StdoutMessage};

use super::{Now, Output, fragment};
pub(crate) use hook::HookSpec;
use hook::call_of_any_form;
use kind::{
    Kind, McpCall, OtherKind, OtherRequest, PendingDialog, PendingElicitation, Response, ToolUse,
};
use table::Pending;
pub(crate) use table::{Reply, RequestBody};

/// Requests that a host on another connection answers. An answer from this host would replace that host's answer.
const NOT_OURS: [&str; 4] = [
    "remote_tool_call",
    "remote_plumbing_call",
    "remote_tools_probe",
    "remote_tools_reannounce",
];

/// The highest number of bytes of open requests, and the overhead of each request. Together, they limit the number to
/// about 4,000 requests, more than any CLI sends. The limit protects against a defective CLI.
pub(super) const MOST: usize = 32 << 20;
const OVERHEAD: usize = 8 << 10;

/// The requests that this host answers.
#[derive(Debug, Clone, Default)]
pub(crate) struct Served {
    pub(crate) permissions: bool,
    pub(crate) elicitations: bool,
    /// The kinds of dialogs that this host shows.
    pub(crate) dialogs: HashSet<String>,
    /// The registered hooks. The keys are the IDs of their callbacks.
    pub(crate) hooks: HashMap<String, HookSpec>,
    /// Whether there may be MCP servers in this process.
    pub(crate) mcp: bool,
    /// The subtypes of further requests that this host answers.
    pub(crate) others: HashSet<String>,
    /// Whether this host answers the requests of all other kinds too.
    pub(crate) all_others: bool,
}

/// The answer of a callback, or the reason why the callback gave none.
pub(crate) type Decision = Result<Reply, String>;

/// The requests that callbacks are processing.
#[derive(Debug)]
pub(super) struct OpenRequests {
    served: Served,
    /// The time limit of a request that has no other deadline.
    limit: Option<Duration>,
    open: HashMap<RequestId, Open>,
    /// The number of bytes of all open requests that count toward the limit.
    weight: usize,
    answered: AnsweredIds,
}

#[derive(Debug)]
struct Open {
    pending: Pending,
    weight: usize,
    /// The deadline of the request, and the time limit from which it was computed.
    deadline: Option<(Now, Duration)>,
}

impl OpenRequests {
    pub(super) fn new(served: Served, limit: Option<Duration>) -> Self {
        Self {
            served,
            limit,
            open: HashMap::new(),
            weight: 0,
            answered: AnsweredIds::default(),
        }
    }

    pub(super) fn any(&self) -> bool {
        !self.open.is_empty()
    }

    #[cfg(any(test, fuzzing))]
    pub(super) fn sizes(&self) -> (usize, usize) {
        let weights = self.open.values().map(|open| open.weight);
        assert_eq!(self.weight, weights.sum::<usize>());
        (self.open.len(), self.answered.len())
    }

    /// Handles a request that arrived as a line.
    pub(super) fn read(
        &mut self,
        now: Now,
        id: Option<RequestId>,
        item: LineItem,
    ) -> Option<Output> {
        let number = item.number();
        let length = match &item {
            LineItem::Line(line) => line.raw.len(),
            _ => 0,
        };
        let hook = self.hook_of(&item);
        let reason = match FrameItem::<StdoutMessage>::from(item) {
            FrameItem::Frame(frame) => match frame.into_value() {
                StdoutMessage::ControlRequest(request) => return self.take(now, *request, length),
                _ => "the line is not a request".to_owned(),
            },
            FrameItem::Malformed(bad) => {
                let by_name = hook.as_ref().is_some_and(|hook| hook.by_name);
                if let Some(call) = by_name.then(|| call_of_any_form(&bad.raw)).flatten() {
                    return self.take(now, ControlRequest::new(id?, call), length);
                }
                bad.error.to_string()
            }
            FrameItem::TooLong(long) => long.to_string(),
        };
        let id = self.fresh(id?)?;
        let reason = format!("the request cannot be read: {reason}");
        if let Some(spec) = hook {
            return self.failed(&id, Pending::Hook(spec), reason);
        }
        tracing::warn!(line = number, ?reason, "a request is refused");
        // The CLI treats an error as a denial of the permission.
        self.error(&id, reason, None)
    }

    /// Returns the hook that a line calls, if the beginning of the line shows that. The line is not decoded.
    fn hook_of(&self, item: &LineItem) -> Option<HookSpec> {
        let head = match item {
            LineItem::Line(line) => &line.raw,
            LineItem::TooLong(long) => &long.head,
            _ => return None,
        };
        if self.served.hooks.is_empty() {
            return None;
        }
        let callback = fragment::text_inside(head, "request", "callback_id")?;
        self.served.hooks.get(&callback).cloned()
    }

    /// Handles a request that was delivered again with the response to `initialize`.
    pub(super) fn take_again(&mut self, now: Now, request: ControlRequest) -> Option<Output> {
        let length = to_line(&request).map_or(0, |line| line.len());
        self.take(now, request, length)
    }

    /// Handles a request of this length.
    fn take(&mut self, now: Now, request: ControlRequest, length: usize) -> Option<Output> {
        let id = self.fresh(request.request_id)?;
        let mut limit = self.limit;
        let (pending, body) = match request.request {
            ControlRequestBody::CanUseTool(tool) if self.served.permissions => {
                let tool_use = ToolUse {
                    input: tool.input.clone(),
                    tool_use_id: tool.tool_use_id.clone(),
                };
                (Pending::Permission(tool_use), RequestBody::Permission(tool))
            }
            ControlRequestBody::HookCallback(call) => {
                let Some(spec) = self.served.hooks.get(&call.callback_id) else {
                    return self.error(&id, "no such hook callback is registered".to_owned(), None);
                };
                limit = Some(spec.limit);
                (Pending::Hook(spec.clone()), RequestBody::Hook(call))
            }
            ControlRequestBody::Elicitation(body) if self.served.elicitations => {
                let pending = Pending::Elicitation(PendingElicitation);
                (pending, RequestBody::Elicitation(body))
            }
            ControlRequestBody::RequestUserDialog(dialog)
                if self.served.dialogs.contains(&dialog.dialog_kind) =>
            {
                (Pending::Dialog(PendingDialog), RequestBody::Dialog(dialog))
            }
            // This host shows no dialogs of this kind, and no callback takes dialogs of all kinds. Another host may
            // show the dialog, so no answer is sent.
            ControlRequestBody::RequestUserDialog(_)
                if !self.served.others.contains("request_user_dialog") =>
            {
                return None;
            }
            ControlRequestBody::McpMessage(message)
                if !self.served.others.contains("mcp_message") =>
            {
                // No time limit, because the CLI itself times tools out.
                limit = None;
                let call = McpCall::of(&message);
                if !self.served.mcp {
                    let response = call.safe("there is no such MCP server".to_owned());
                    return self.respond(&id, response);
                }
                (Pending::Mcp(call), RequestBody::Mcp(message))
            }
            body => match self.other(&body) {
                Some(other) => other,
                None => return self.unserved(&id, &body.subtype()),
            },
        };
        if self.weight >= MOST {
            return self.failed(&id, pending, "too many requests are open".to_owned());
        }
        if is_too_long(&id) {
            return self.failed(&id, pending, "the request's id is too long".to_owned());
        }
        let deadline = limit.and_then(|limit| Some((now.checked_add(limit)?, limit)));
        let weight = length + OVERHEAD;
        self.weight += weight;
        let open = Open {
            pending,
            weight,
            deadline,
        };
        self.open.insert(id.clone(), open);
        Some(Output::Request { id, body, weight })
    }

    /// Converts a request of a kind that this module does not handle itself. Returns `None` if this host does not
    /// answer such requests.
    fn other(&self, body: &ControlRequestBody) -> Option<(Pending, RequestBody)> {
        let subtype = body.subtype().into_owned();
        let known = ["can_use_tool", "elicitation"];
        let is_served = self.served.others.contains(&subtype)
            || (self.served.all_others && !known.contains(&subtype.as_str()));
        if !is_served || NOT_OURS.contains(&subtype.as_str()) {
            return None;
        }
        let pending = Pending::Other(OtherKind(subtype.clone()));
        let body = Json::new(body).ok()?;
        let body = RequestBody::Other(Box::new(OtherRequest { subtype, body }));
        Some((pending, body))
    }

    /// Answers a request that no callback of this host handles.
    fn unserved(&mut self, id: &RequestId, subtype: &str) -> Option<Output> {
        tracing::debug!(?subtype, id = ?id.as_str(), "a request that nobody answers");
        match subtype {
            _ if NOT_OURS.contains(&subtype) => None,
            "can_use_tool" => {
                let denied = PermissionResult::deny("there is nobody to ask for permission");
                self.respond(id, Response::success(&denied))
            }
            "elicitation" => {
                let declined = ElicitationResponse::new(ElicitationAction::Decline);
                self.respond(id, Response::success(&declined))
            }
            _ => self.unsupported(id, subtype),
        }
    }

    fn unsupported(&mut self, id: &RequestId, subtype: &str) -> Option<Output> {
        let error = format!("Unsupported control request subtype: {subtype}");
        self.error(id, error, Some("unsupported_request"))
    }

    /// Handles the decision of a callback. `waited` is the time for which the request has waited for it. Returns `None`
    /// if the decision is no longer awaited.
    pub(super) fn decide(
        &mut self,
        id: &RequestId,
        decision: Decision,
        waited: Duration,
    ) -> Option<Output> {
        let Open {
            pending, deadline, ..
        } = self.close(id)?;
        // A late answer is refused, even if the clock was not read between the deadline and the answer.
        if let Some((_, limit)) = deadline.filter(|(_, limit)| waited > *limit) {
            return self.failed(id, pending, unanswered(limit));
        }
        let reply = match decision {
            Ok(reply) => reply,
            Err(reason) => return self.failed(id, pending, reason),
        };
        match pending.response(reply) {
            Ok(response) => self.respond(id, response),
            Err((pending, reason)) => self.failed(id, pending, reason),
        }
    }

    /// Sends the safe answer for a callback that failed: the answer that does the least harm.
    fn failed(&mut self, id: &RequestId, pending: Pending, reason: String) -> Option<Output> {
        let what = pending.name();
        tracing::warn!(id = ?id.as_str(), ?what, ?reason, "a callback failed, so the answer is the safe one");
        self.respond(id, pending.safe(reason))
    }

    /// Fails the requests that have exceeded their time limits.
    pub(super) fn expire(&mut self, now: Now) -> Vec<Output> {
        let late = |open: &Open| open.deadline.is_some_and(|(deadline, _)| deadline <= now);
        let mut late: Vec<_> = self.open.extract_if(|_, open| late(open)).collect();
        late.sort_by(|a, b| a.0.as_str().cmp(b.0.as_str()));
        let mut outputs = Vec::new();
        for (id, open) in late {
            self.weight -= open.weight;
            let Open {
                pending, deadline, ..
            } = open;
            outputs.push(Output::Withdraw(id.clone()));
            let limit = deadline.map_or(Duration::ZERO, |(_, limit)| limit);
            outputs.extend(self.failed(&id, pending, unanswered(limit)));
        }
        outputs
    }

    pub(super) fn deadline(&self) -> Option<Now> {
        let deadlines = self.open.values().filter_map(|open| open.deadline);
        deadlines.map(|(deadline, _)| deadline).min()
    }

    /// Handles the withdrawal of a request: nothing is sent.
    pub(super) fn cancel(&mut self, id: &RequestId) -> Option<Output> {
        self.close(id)?;
        self.answered.insert(id);
        Some(Output::Withdraw(id.clone()))
    }

    fn close(&mut self, id: &RequestId) -> Option<Open> {
        let open = self.open.remove(id)?;
        self.weight -= open.weight;
        Some(open)
    }

    pub(super) fn drop_all(&mut self) -> Vec<Output> {
        self.weight = 0;
        let open = self.open.drain();
        open.map(|(id, _)| Output::Withdraw(id)).collect()
    }

    /// Returns the ID, unless its request is being processed or was already answered.
    fn fresh(&self, id: RequestId) -> Option<RequestId> {
        let known = self.open.contains_key(&id) || self.answered.contains(&id);
        if known {
            tracing::debug!(id = ?id.as_str(), "a request that came before");
        }
        (!known).then_some(id)
    }

    fn respond(&mut self, id: &RequestId, response: Response) -> Option<Output> {
        self.answered.insert(id);
        let payload = match response {
            Response::Success(payload) => payload,
            Response::Error(error) => return self.error(id, error, None),
            Response::Nothing => return None,
        };
        match to_line(&ControlResponse::success(id, payload)) {
            Ok(line) => Some(Output::Write(line)),
            Err(error) => self.error(id, format!("the answer cannot be written: {error}"), None),
        }
    }

    fn error(&mut self, id: &RequestId, error: String, code: Option<&str>) -> Option<Output> {
        self.answered.insert(id);
        let mut body = ControlError::new(id, error);
        body.error_code = code.map(Into::into);
        // A response consists of texts, which can always be serialized, so the result is never `None`.
        to_line(&ControlResponse::new(body)).ok().map(Output::Write)
    }
}

fn unanswered(limit: Duration) -> String {
    format!("the callback did not answer within {limit:?}")
}

/// The number of IDs that are remembered, to recognise repeated requests.
const REMEMBERED: usize = 1024;

/// The longest ID in bytes. The CLI's IDs have 36 bytes.
const LONGEST: usize = 256;

/// Whether an ID is too long to be remembered. A request with such an ID is refused. If the request
/// is repeated, it is refused again without harm.
fn is_too_long(id: &RequestId) -> bool {
    id.as_str().len() > LONGEST
}

/// The IDs of the requests that were answered most recently.
#[derive(Debug, Default)]
struct AnsweredIds {
    ids: HashSet<RequestId>,
    by_age: VecDeque<RequestId>,
}

impl AnsweredIds {
    fn insert(&mut self, id: &RequestId) {
        if is_too_long(id) {
            return;
        }
        if self.ids.insert(id.clone()) {
            self.by_age.push_back(id.clone());
        }
        if self.by_age.len() > REMEMBERED
            && let Some(oldest) = self.by_age.pop_front()
        {
            self.ids.remove(&oldest);
        }
    }

    #[cfg(any(test, fuzzing))]
    fn len(&self) -> usize {
        self.ids.len().max(self.by_age.len())
    }

    fn contains(&self, id: &RequestId) -> bool {
        self.ids.contains(id)
    }
}

//! The CLI's questions to us.

mod answered;
mod hook;
mod mcp;

use std::collections::{HashMap, HashSet};
use std::time::Duration;

use claw_codec::{FrameItem, LineItem, to_line};
use claw_types::control::{
    CanUseTool, ControlError, ControlRequest, ControlRequestBody, ControlResponse, DialogCancelled,
    Elicitation, ElicitationResponse, HookCallback, McpMessage, McpMessageResponse,
    PermissionResult, RequestUserDialog, UserDialogResponse,
};
use claw_types::hook::{ElicitationAction, HookOutput};
use claw_types::{Json, RequestId, StdoutMessage, ToolUseId};
use serde::Serialize;

use super::{Now, Output, fragment};
use answered::Answered;
pub(crate) use hook::HookSpec;

/// Questions that another host answers, one that is not on this pipe. An answer from here would
/// take its place.
const NOT_OURS: [&str; 4] = [
    "remote_tool_call",
    "remote_plumbing_call",
    "remote_tools_probe",
    "remote_tools_reannounce",
];

/// How many bytes of questions may be open, and what each counts for beside its line: some 4,000 of
/// them, which is more than any CLI asks, and a bound for one that has gone mad.
pub(super) const MOST: usize = 32 << 20;
const OVERHEAD: usize = 8 << 10;

/// Which questions somebody here answers.
#[derive(Debug, Clone, Default)]
pub(crate) struct Served {
    pub(crate) permissions: bool,
    pub(crate) elicitations: bool,
    /// The kinds of dialog.
    pub(crate) dialogs: HashSet<String>,
    /// Hooks, by their callback's id.
    pub(crate) hooks: HashMap<String, HookSpec>,
    /// There may be MCP servers in this process.
    pub(crate) mcp: bool,
    /// Questions of other kinds, by subtype.
    pub(crate) others: HashSet<String>,
    /// Every other kind.
    pub(crate) all_others: bool,
}

/// A question that somebody here answers.
#[derive(Debug)]
pub(crate) enum Question {
    Permission(Box<CanUseTool>),
    Hook(Box<HookCallback>),
    Elicitation(Box<Elicitation>),
    Dialog(Box<RequestUserDialog>),
    Mcp(Box<McpMessage>),
    Other { subtype: String, body: Json },
}

/// What was answered.
#[derive(Debug)]
pub(crate) enum Reply {
    Permission(PermissionResult),
    Hook(HookOutput),
    Elicitation(ElicitationResponse),
    Dialog(UserDialogResponse),
    /// What the server answers. Nothing where the call was cancelled.
    Mcp(Option<Json>),
    Other(Json),
    /// Nothing from here: somebody answers it in another way.
    Elsewhere,
}

/// What was answered, or why there is no answer.
pub(crate) type Decision = Result<Reply, String>;

/// The questions that callbacks work on.
#[derive(Debug)]
pub(super) struct Questions {
    served: Served,
    /// How long one without a deadline of its own may take.
    limit: Option<Duration>,
    open: HashMap<RequestId, Open>,
    /// How many bytes they count for.
    weight: usize,
    answered: Answered,
}

#[derive(Debug)]
struct Open {
    kind: Kind,
    weight: usize,
    /// When it is given up, and after how long.
    deadline: Option<(Now, Duration)>,
}

/// What is needed to answer a question.
#[derive(Debug)]
enum Kind {
    Permission {
        /// What an answer has to repeat.
        input: Json,
        tool_use_id: ToolUseId,
    },
    Hook(HookSpec),
    Elicitation,
    Dialog,
    Mcp {
        /// The JSON-RPC id, where the server has to answer.
        call: Option<Json>,
    },
    Other {
        subtype: String,
    },
}

impl Questions {
    pub(super) fn new(served: Served, limit: Option<Duration>) -> Self {
        Self {
            served,
            limit,
            open: HashMap::new(),
            weight: 0,
            answered: Answered::default(),
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

    /// A question came as a line.
    pub(super) fn ask(
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
                _ => "it is no request".to_owned(),
            },
            FrameItem::Malformed(bad) => bad.error.to_string(),
            FrameItem::TooLong(long) => long.to_string(),
        };
        let id = self.fresh(id?)?;
        let reason = format!("the request cannot be read: {reason}");
        if let Some(spec) = hook {
            return self.failed(&id, Kind::Hook(spec), reason);
        }
        tracing::warn!(line = number, ?reason, "a question is refused");
        // An error denies a permission.
        self.error(&id, reason, None)
    }

    /// The hook that a line asks for, as far as it can be told without reading it.
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

    /// A question came again, with the answer to `initialize`.
    pub(super) fn take_again(&mut self, now: Now, request: ControlRequest) -> Option<Output> {
        let length = to_line(&request).map_or(0, |line| line.len());
        self.take(now, request, length)
    }

    /// A question came that is so long.
    fn take(&mut self, now: Now, request: ControlRequest, length: usize) -> Option<Output> {
        let id = self.fresh(request.request_id)?;
        let mut limit = self.limit;
        let (kind, question) = match request.request {
            ControlRequestBody::CanUseTool(ask) if self.served.permissions => {
                let kind = Kind::Permission {
                    input: ask.input.clone(),
                    tool_use_id: ask.tool_use_id.clone(),
                };
                (kind, Question::Permission(ask))
            }
            ControlRequestBody::HookCallback(call) => {
                let Some(spec) = self.served.hooks.get(&call.callback_id) else {
                    return self.error(&id, "there is no such hook callback".to_owned(), None);
                };
                limit = Some(spec.limit);
                (Kind::Hook(spec.clone()), Question::Hook(call))
            }
            ControlRequestBody::Elicitation(ask) if self.served.elicitations => {
                (Kind::Elicitation, Question::Elicitation(ask))
            }
            // Another host may show a kind that nobody here knows.
            ControlRequestBody::RequestUserDialog(ask)
                if !self.served.dialogs.contains(&ask.dialog_kind) =>
            {
                return None;
            }
            ControlRequestBody::RequestUserDialog(ask) => (Kind::Dialog, Question::Dialog(ask)),
            ControlRequestBody::McpMessage(message)
                if !self.served.others.contains("mcp_message") =>
            {
                // As long as it likes: the CLI knows when to give a tool up.
                limit = None;
                let call = mcp::call(&message);
                if !self.served.mcp {
                    return self.no_mcp(&id, call, "there is no such MCP server".to_owned());
                }
                (Kind::Mcp { call }, Question::Mcp(message))
            }
            body => match self.other(&body) {
                Some(other) => other,
                None => return self.unserved(&id, &body.subtype()),
            },
        };
        if self.weight >= MOST {
            return self.failed(&id, kind, "too many questions are open".to_owned());
        }
        if answered::is_too_long(&id) {
            return self.failed(&id, kind, "the request's id is too long".to_owned());
        }
        let deadline = limit.and_then(|limit| Some((now.checked_add(limit)?, limit)));
        let weight = length + OVERHEAD;
        self.weight += weight;
        self.open.insert(
            id.clone(),
            Open {
                kind,
                weight,
                deadline,
            },
        );
        Some(Output::Ask {
            id,
            question,
            weight,
        })
    }

    /// A question of another kind, if somebody here answers it.
    fn other(&self, body: &ControlRequestBody) -> Option<(Kind, Question)> {
        let subtype = body.subtype().into_owned();
        let known = ["can_use_tool", "elicitation"];
        let wanted = self.served.others.contains(&subtype)
            || (self.served.all_others && !known.contains(&subtype.as_str()));
        if !wanted || NOT_OURS.contains(&subtype.as_str()) {
            return None;
        }
        let kind = Kind::Other {
            subtype: subtype.clone(),
        };
        let body = Json::new(body).ok()?;
        Some((kind, Question::Other { subtype, body }))
    }

    /// The answer to a question that nobody here answers.
    fn unserved(&mut self, id: &RequestId, subtype: &str) -> Option<Output> {
        tracing::debug!(?subtype, id = ?id.as_str(), "a question that nobody answers");
        match subtype {
            _ if NOT_OURS.contains(&subtype) => None,
            "can_use_tool" => {
                let denied = PermissionResult::deny("there is nobody to ask for permission");
                self.success(id, &denied)
            }
            "elicitation" => {
                let declined = ElicitationResponse::new(ElicitationAction::Decline);
                self.success(id, &declined)
            }
            _ => self.unsupported(id, subtype),
        }
    }

    fn unsupported(&mut self, id: &RequestId, subtype: &str) -> Option<Output> {
        let error = format!("Unsupported control request subtype: {subtype}");
        self.error(id, error, Some("unsupported_request"))
    }

    /// A callback has decided. `None` if nobody waits for it any more.
    pub(super) fn decide(&mut self, id: &RequestId, decision: Decision) -> Option<Output> {
        let Open { kind, .. } = self.close(id)?;
        let reply = match decision {
            Ok(reply) => reply,
            Err(reason) => return self.failed(id, kind, reason),
        };
        match (kind, reply) {
            (_, Reply::Elsewhere) | (Kind::Mcp { .. }, Reply::Mcp(None)) => {
                self.answered.insert(id);
                None
            }
            (Kind::Permission { input, tool_use_id }, Reply::Permission(decision)) => {
                self.success(id, &complete(decision, input, tool_use_id))
            }
            (Kind::Hook(spec), Reply::Hook(output)) => match spec.objection(&output) {
                None => self.success(id, &output),
                Some(reason) => self.failed(id, Kind::Hook(spec), reason),
            },
            (Kind::Elicitation, Reply::Elicitation(answer)) => self.success(id, &answer),
            (Kind::Dialog, Reply::Dialog(answer)) => self.success(id, &answer),
            (Kind::Mcp { .. }, Reply::Mcp(Some(answer))) => {
                self.success(id, &McpMessageResponse::new(answer))
            }
            (Kind::Other { .. }, Reply::Other(answer)) => self.success(id, &answer),
            (kind, _) => self.failed(id, kind, "it is an answer to something else".to_owned()),
        }
    }

    /// The answer where a callback gave none: the one that does the least harm.
    fn failed(&mut self, id: &RequestId, kind: Kind, reason: String) -> Option<Output> {
        let what = match &kind {
            Kind::Permission { .. } => "can_use_tool",
            Kind::Hook(spec) => spec.event.as_str(),
            Kind::Elicitation => "elicitation",
            Kind::Dialog => "request_user_dialog",
            Kind::Mcp { .. } => "mcp_message",
            Kind::Other { subtype } => subtype,
        };
        tracing::warn!(id = ?id.as_str(), ?what, ?reason, "a callback failed, so the answer is the safe one");
        match kind {
            Kind::Permission { input, tool_use_id } => {
                let denied = complete(PermissionResult::deny(reason), input, tool_use_id);
                self.success(id, &denied)
            }
            Kind::Hook(spec) => match spec.failed(reason) {
                Ok(output) => self.success(id, &output),
                Err(reason) => self.error(id, reason, None),
            },
            Kind::Elicitation => {
                self.success(id, &ElicitationResponse::new(ElicitationAction::Cancel))
            }
            Kind::Dialog => {
                let cancelled = UserDialogResponse::from(DialogCancelled::new());
                self.success(id, &cancelled)
            }
            Kind::Mcp { call } => self.no_mcp(id, call, reason),
            Kind::Other { .. } => self.error(id, reason, None),
        }
    }

    /// Questions that have taken too long fail.
    pub(super) fn expire(&mut self, now: Now) -> Vec<Output> {
        let late = |open: &Open| open.deadline.is_some_and(|(deadline, _)| deadline <= now);
        let mut late: Vec<_> = self.open.extract_if(|_, open| late(open)).collect();
        late.sort_by(|a, b| a.0.as_str().cmp(b.0.as_str()));
        let mut outputs = Vec::new();
        for (id, open) in late {
            self.weight -= open.weight;
            let Open { kind, deadline, .. } = open;
            outputs.push(Output::Withdraw(id.clone()));
            let limit = deadline.map_or(Duration::ZERO, |(_, limit)| limit);
            let reason = format!("the callback did not answer within {limit:?}");
            outputs.extend(self.failed(&id, kind, reason));
        }
        outputs
    }

    pub(super) fn deadline(&self) -> Option<Now> {
        let deadlines = self.open.values().filter_map(|open| open.deadline);
        deadlines.map(|(deadline, _)| deadline).min()
    }

    /// The CLI takes a question back: nothing is sent.
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

    /// The id, unless its question is being worked on or was answered.
    fn fresh(&self, id: RequestId) -> Option<RequestId> {
        let known = self.open.contains_key(&id) || self.answered.contains(&id);
        if known {
            tracing::debug!(id = ?id.as_str(), "a question that came before");
        }
        (!known).then_some(id)
    }

    fn success(&mut self, id: &RequestId, payload: &impl Serialize) -> Option<Output> {
        self.answered.insert(id);
        let payload = Json::new(payload).and_then(|payload| {
            let response = ControlResponse::success(id, payload);
            to_line(&response).map_err(serde::ser::Error::custom)
        });
        match payload {
            Ok(line) => Some(Output::Write(line)),
            Err(error) => self.error(id, format!("the answer cannot be written: {error}"), None),
        }
    }

    fn error(&mut self, id: &RequestId, error: String, code: Option<&str>) -> Option<Output> {
        self.answered.insert(id);
        let mut body = ControlError::new(id, error);
        body.error_code = code.map(Into::into);
        // Text alone can always be written.
        to_line(&ControlResponse::new(body)).ok().map(Output::Write)
    }
}

/// Adds what the CLI wants repeated. Older ones refuse a yes that does not say to what.
fn complete(decision: PermissionResult, input: Json, tool_use: ToolUseId) -> PermissionResult {
    match decision {
        PermissionResult::Allow(mut allow) => {
            allow.updated_input.get_or_insert(input);
            allow.tool_use_id.get_or_insert(tool_use);
            PermissionResult::Allow(allow)
        }
        PermissionResult::Deny(mut deny) => {
            deny.tool_use_id.get_or_insert(tool_use);
            PermissionResult::Deny(deny)
        }
        other => other,
    }
}

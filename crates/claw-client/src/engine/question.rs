//! The CLI's questions to us.

use std::collections::{HashMap, HashSet, VecDeque};

use claw_codec::{FrameItem, LineItem, to_line};
use claw_types::control::{
    CanUseTool, ControlError, ControlRequest, ControlRequestBody, ControlResponse, PermissionResult,
};
use claw_types::{Json, RequestId, StdoutMessage, ToolUseId};
use serde_json::json;

use super::Output;

/// Questions that another host answers, one that is not on this pipe. An answer from here would
/// take its place.
const NOT_OURS: [&str; 5] = [
    "remote_tool_call",
    "remote_plumbing_call",
    "remote_tools_probe",
    "remote_tools_reannounce",
    // Nobody here can show a dialog.
    "request_user_dialog",
];

/// How many ids of answered questions are remembered, to know a repeated one by.
const REMEMBERED: usize = 1024;

/// The questions that callbacks work on.
#[derive(Debug)]
pub(super) struct Questions {
    permissions: bool,
    open: HashMap<RequestId, Asked>,
    answered: Remembered,
}

/// What an answer has to repeat.
#[derive(Debug)]
struct Asked {
    input: Json,
    tool_use_id: ToolUseId,
}

impl Questions {
    pub(super) fn new(permissions: bool) -> Self {
        Self {
            permissions,
            open: HashMap::new(),
            answered: Remembered::default(),
        }
    }

    pub(super) fn any(&self) -> bool {
        !self.open.is_empty()
    }

    /// A question came as a line.
    pub(super) fn ask(&mut self, id: Option<RequestId>, item: LineItem) -> Option<Output> {
        let number = item.number();
        let reason = match FrameItem::<StdoutMessage>::from(item) {
            FrameItem::Frame(frame) => match frame.into_value() {
                StdoutMessage::ControlRequest(request) => return self.take(*request),
                _ => "it is no request".to_owned(),
            },
            FrameItem::Malformed(bad) => bad.error.to_string(),
            FrameItem::TooLong(long) => long.to_string(),
            _ => "it cannot be read".to_owned(),
        };
        tracing::warn!(line = number, %reason, "a question that cannot be read is refused");
        // An error denies, whatever was asked.
        let id = self.fresh(id?)?;
        self.error(&id, format!("the request cannot be read: {reason}"), None)
    }

    /// A question came again, with the answer to `initialize`.
    pub(super) fn redelivered(&mut self, request: ControlRequest) -> Option<Output> {
        self.take(request)
    }

    fn take(&mut self, request: ControlRequest) -> Option<Output> {
        let id = self.fresh(request.request_id)?;
        match request.request {
            ControlRequestBody::CanUseTool(ask) => self.permission(id, ask),
            body => {
                let subtype = body.subtype();
                tracing::debug!(%subtype, %id, "a question");
                self.other(&id, &subtype)
            }
        }
    }

    fn permission(&mut self, id: RequestId, ask: Box<CanUseTool>) -> Option<Output> {
        if !self.permissions {
            let denied = PermissionResult::deny("there is nobody to ask for permission");
            return self.success(&id, &denied);
        }
        let asked = Asked {
            input: ask.input.clone(),
            tool_use_id: ask.tool_use_id.clone(),
        };
        self.open.insert(id.clone(), asked);
        Some(Output::Ask { id, ask })
    }

    fn other(&mut self, id: &RequestId, subtype: &str) -> Option<Output> {
        match subtype {
            _ if NOT_OURS.contains(&subtype) => None,
            "elicitation" => self.success(id, &json!({"action": "decline"})),
            "hook_callback" => self.error(id, "there is no such hook callback".to_owned(), None),
            "mcp_message" => self.error(id, "there is no such MCP server".to_owned(), None),
            _ => {
                let error = format!("Unsupported control request subtype: {subtype}");
                self.error(id, error, Some("unsupported_request"))
            }
        }
    }

    /// A callback has decided. `None` if nobody waits for it any more.
    pub(super) fn decide(
        &mut self,
        id: &RequestId,
        decision: Result<PermissionResult, String>,
    ) -> Option<Output> {
        let asked = self.open.remove(id)?;
        let decision = decision.unwrap_or_else(PermissionResult::deny);
        self.success(id, &complete(decision, asked))
    }

    /// The CLI takes a question back: nothing is sent.
    pub(super) fn cancel(&mut self, id: &RequestId) -> Option<Output> {
        self.open.remove(id)?;
        self.answered.insert(id);
        Some(Output::Withdraw(id.clone()))
    }

    pub(super) fn drop_all(&mut self) -> Vec<Output> {
        self.open
            .drain()
            .map(|(id, _)| Output::Withdraw(id))
            .collect()
    }

    /// The id, unless its question is being worked on or was answered.
    fn fresh(&self, id: RequestId) -> Option<RequestId> {
        let known = self.open.contains_key(&id) || self.answered.contains(&id);
        if known {
            tracing::debug!(%id, "a question that came before");
        }
        (!known).then_some(id)
    }

    fn success(&mut self, id: &RequestId, payload: &impl serde::Serialize) -> Option<Output> {
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
fn complete(decision: PermissionResult, asked: Asked) -> PermissionResult {
    match decision {
        PermissionResult::Allow(mut allow) => {
            allow.updated_input.get_or_insert(asked.input);
            allow.tool_use_id.get_or_insert(asked.tool_use_id);
            PermissionResult::Allow(allow)
        }
        PermissionResult::Deny(mut deny) => {
            deny.tool_use_id.get_or_insert(asked.tool_use_id);
            PermissionResult::Deny(deny)
        }
        other => other,
    }
}

/// The last ids of many.
#[derive(Debug, Default)]
struct Remembered {
    ids: HashSet<RequestId>,
    order: VecDeque<RequestId>,
}

impl Remembered {
    fn insert(&mut self, id: &RequestId) {
        if self.ids.insert(id.clone()) {
            self.order.push_back(id.clone());
        }
        if self.order.len() > REMEMBERED
            && let Some(oldest) = self.order.pop_front()
        {
            self.ids.remove(&oldest);
        }
    }

    fn contains(&self, id: &RequestId) -> bool {
        self.ids.contains(id)
    }
}

//! `control_request` and `control_response` without their inner object: the subtype and its fields
//! stand beside `request_id`.

use super::upgrade::{Draft, Old};
use super::{Fill, Today, UpgradeError};
use crate::control::ControlRequestBody;
use crate::{Extra, Json, RequestId, StdinMessage, StdoutMessage, ToolUseId};

/// To `claude`: begin, with these settings.
#[wire(tag(type = "control_request", subtype = "initialize"))]
pub struct FlatInitialize {
    /// Names the question; its answer carries the same.
    pub request_id: RequestId,
    /// Whether the host answers permission questions. Today a flag on the command line says so; it
    /// stays in the request as a field that claw does not know.
    pub can_use_tool: Option<bool>,
    /// Fields that claw does not know: the settings.
    #[wire(extra)]
    pub extra: Extra,
}

impl Old for FlatInitialize {
    fn upgrade(&self, _: &Fill) -> Result<Today, UpgradeError> {
        nest(Draft::of(self), "request", &["request_id"]).stdin()
    }
}

/// To the host: may this tool be used?
#[wire(tag(type = "control_request", subtype = "can_use_tool"))]
pub struct FlatCanUseTool {
    /// Names the question; its answer carries the same.
    pub request_id: RequestId,
    /// The tool.
    pub tool_name: String,
    /// What it would be given. Today `input`.
    pub tool_input: Json,
    /// The use that is asked about.
    pub tool_use_id: Option<ToolUseId>,
}

impl Old for FlatCanUseTool {
    fn upgrade(&self, fill: &Fill) -> Result<Today, UpgradeError> {
        let mut request = Draft::of(self);
        request.remove("tool_input");
        request.set("input", &self.tool_input);
        let field = "tool_use_id";
        request.need(field, field, fill.tool_use_id.as_ref())?;
        nest(request, "request", &["request_id"]).stdout()
    }
}

/// Any other question. Its subtype says which way it goes; one that claw does not know goes to the
/// host.
#[wire(tag(type = "control_request"))]
pub struct FlatControlRequest {
    /// Names the question; its answer carries the same.
    pub request_id: RequestId,
    /// What is asked.
    pub subtype: String,
    /// Fields that claw does not know: those of the question.
    #[wire(extra)]
    pub extra: Extra,
}

impl Old for FlatControlRequest {
    fn upgrade(&self, _: &Fill) -> Result<Today, UpgradeError> {
        use ControlRequestBody as Body;
        let today = nest(Draft::of(self), "request", &["request_id"]).stdout()?;
        Ok(match today {
            Today::Stdout(StdoutMessage::ControlRequest(question))
                if !matches!(
                    question.request,
                    Body::CanUseTool(_)
                        | Body::HookCallback(_)
                        | Body::McpMessage(_)
                        | Body::Elicitation(_)
                        | Body::RequestUserDialog(_)
                        | Body::Unknown(_)
                ) =>
            {
                Today::Stdin(StdinMessage::ControlRequest(question))
            }
            to_host => to_host,
        })
    }
}

/// The answer to a question: it worked.
#[wire(tag(type = "control_response", subtype = "success"))]
pub struct FlatControlSuccess {
    /// The question.
    pub request_id: RequestId,
    /// On the answer to a permission question: whether the tool may be used.
    pub allowed: Option<bool>,
    /// Why not, in words.
    pub reason: Option<String>,
    /// Fields that claw does not know: what the question asked for.
    #[wire(extra)]
    pub extra: Extra,
}

impl Old for FlatControlSuccess {
    fn upgrade(&self, _: &Fill) -> Result<Today, UpgradeError> {
        let mut payload = Draft::of(self);
        let mut response = Draft::default();
        let mut line = Draft::default();
        payload.give(&["type"], &mut line);
        payload.give(&["subtype", "request_id"], &mut response);
        payload.remove("allowed");
        match self.allowed {
            Some(true) => payload.set("behavior", "allow"),
            Some(false) => {
                payload.set("behavior", "deny");
                payload.rename("reason", "message");
                payload.fill("message", "");
            }
            None => {}
        }
        if !payload.is_empty() {
            response.set("response", &payload);
        }
        line.set("response", &response);
        if self.allowed.is_some() {
            line.stdin()
        } else {
            line.stdout()
        }
    }
}

/// The answer to a question: it did not work.
#[wire(tag(type = "control_response", subtype = "error"))]
pub struct FlatControlError {
    /// The question.
    pub request_id: RequestId,
    /// Why, in words.
    pub error: String,
}

impl Old for FlatControlError {
    fn upgrade(&self, _: &Fill) -> Result<Today, UpgradeError> {
        nest(Draft::of(self), "response", &[]).stdout()
    }
}

/// Puts all but the tag and `outside` into an inner object.
pub(super) fn nest(mut inner: Draft, key: &str, outside: &[&str]) -> Draft {
    let mut line = Draft::default();
    inner.give(&["type"], &mut line);
    inner.give(outside, &mut line);
    line.set(key, &inner);
    line
}

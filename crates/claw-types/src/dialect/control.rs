//! `control_request` and `control_response` lines without an inner object: the subtype and its fields are on the same
//! level as `request_id`.

use super::upgrade::{Draft, Old};
use super::{Fill, Today, UpgradeError};
use crate::control::ControlRequestBody;
use crate::{Extra, Json, RequestId, StdinMessage, StdoutMessage, ToolUseId};

/// An old form of the `initialize` request to `claude`. The session's settings are fields of the line itself, and not
/// of an inner object `request`.
#[wire(tag(type = "control_request", subtype = "initialize"))]
pub struct FlatInitialize {
    /// The ID of the request. The response repeats it.
    pub request_id: RequestId,
    /// Whether the host answers permission requests. Current CLIs have a command-line flag in place of this field. The
    /// upgraded request keeps the field as an unknown field.
    pub can_use_tool: Option<bool>,
    /// All other fields of the line: the session's settings.
    #[wire(extra)]
    pub extra: Extra,
}

impl Old for FlatInitialize {
    fn upgrade(&self, _: &Fill) -> Result<Today, UpgradeError> {
        nest(Draft::of(self), "request", &["request_id"]).stdin()
    }
}

/// An old form of the `can_use_tool` request to the host. The request asks whether a tool may be used.
#[wire(tag(type = "control_request", subtype = "can_use_tool"))]
pub struct FlatCanUseTool {
    /// The ID of the request. The response repeats it.
    pub request_id: RequestId,
    /// The name of the tool.
    pub tool_name: String,
    /// The input of the tool. In the current form, this field is called `input`.
    pub tool_input: Json,
    /// The ID of the tool use.
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

/// An old form of any control request other than `initialize` and `can_use_tool`. The subtype determines whether the
/// request is sent to `claude` or to the host. claw treats a request with an unknown subtype as a request to the host.
#[wire(tag(type = "control_request"))]
pub struct FlatControlRequest {
    /// The ID of the request. The response repeats it.
    pub request_id: RequestId,
    /// The subtype of the request.
    pub subtype: String,
    /// All other fields of the line: the contents of the request.
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

/// An old form of a control response that reports success.
#[wire(tag(type = "control_response", subtype = "success"))]
pub struct FlatControlSuccess {
    /// The ID of the request to which this response belongs.
    pub request_id: RequestId,
    /// Whether the tool may be used. Present only in responses to permission requests.
    pub allowed: Option<bool>,
    /// The reason why the tool may not be used. Present only in responses to permission requests.
    pub reason: Option<String>,
    /// All other fields of the line: the payload of the response.
    #[wire(extra)]
    pub extra: Extra,
}

impl Old for FlatControlSuccess {
    fn upgrade(&self, _: &Fill) -> Result<Today, UpgradeError> {
        let mut payload = Draft::of(self);
        let mut response = Draft::default();
        let mut line = Draft::default();
        payload.move_to(&["type"], &mut line);
        payload.move_to(&["subtype", "request_id"], &mut response);
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

/// An old form of a control response that reports an error.
#[wire(tag(type = "control_response", subtype = "error"))]
pub struct FlatControlError {
    /// The ID of the request to which this response belongs.
    pub request_id: RequestId,
    /// The error message.
    pub error: String,
}

impl Old for FlatControlError {
    fn upgrade(&self, _: &Fill) -> Result<Today, UpgradeError> {
        nest(Draft::of(self), "response", &[]).stdout()
    }
}

/// Moves all fields but the tag and those in `outside` into an inner object.
pub(super) fn nest(mut inner: Draft, key: &str, outside: &[&str]) -> Draft {
    let mut line = Draft::default();
    inner.move_to(&["type"], &mut line);
    inner.move_to(outside, &mut line);
    line.set(key, &inner);
    line
}

//! `mcp_message` and `rate_limit_event` lines in which all fields except `type` can be absent.

use super::control::nest;
use super::identity::OldIdentity;
use super::upgrade::{Draft, Old};
use super::{Fill, Today, UpgradeError};
use crate::{Json, RequestId};

/// An old form of a message to an MCP server that runs in the host. The current form is a control request.
#[wire(tag(type = "mcp_message"))]
pub struct OldMcpMessage {
    /// The name of the MCP server.
    pub server_name: Option<String>,
    /// The JSON-RPC message.
    pub message: Option<Json>,
    /// The ID of the request. Absent for a message that expects no response.
    pub request_id: Option<RequestId>,
}

impl Old for OldMcpMessage {
    fn upgrade(&self, fill: &Fill) -> Result<Today, UpgradeError> {
        if self.server_name.is_none() || self.message.is_none() {
            return Err(UpgradeError::NoCounterpart {
                form: "mcp_message",
                why: "it does not say which server, or what",
            });
        }
        let mut request = Draft::of(self);
        request.set("type", "control_request");
        request.set("subtype", "mcp_message");
        let field = "request_id";
        request.need(field, field, fill.request_id.as_ref())?;
        nest(request, "request", &[field]).stdout()
    }
}

/// An old form of the message about rate limits.
#[wire(tag(type = "rate_limit_event"))]
pub struct OldRateLimitEvent {
    /// The state of the rate limits. A line without this field cannot be upgraded.
    pub rate_limit_info: Option<Json>,
    fields: OldIdentity!(),
}

impl Old for OldRateLimitEvent {
    fn upgrade(&self, fill: &Fill) -> Result<Today, UpgradeError> {
        if self.rate_limit_info.is_none() {
            return Err(UpgradeError::NoCounterpart {
                form: "rate_limit_event",
                why: "it has no `rate_limit_info`",
            });
        }
        let mut line = Draft::of(self);
        line.identify(fill);
        line.stdout()
    }

    /// Whether the message is old: it lacks fields of the current form.
    fn is_old(&self) -> bool {
        self.rate_limit_info.is_none() || self.uuid.is_none() || self.session_id.is_none()
    }
}

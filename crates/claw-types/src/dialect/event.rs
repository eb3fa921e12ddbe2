//! `mcp_message` and `rate_limit_event`: kinds of which no more than the tag is fixed.

use super::control::nest;
use super::identity::OldIdentity;
use super::upgrade::{Draft, Old};
use super::{Fill, Today, UpgradeError};
use crate::{Json, RequestId};

/// Something for an MCP server of the host's. Today it is a question.
#[wire(tag(type = "mcp_message"))]
pub struct OldMcpMessage {
    /// The server.
    pub server_name: Option<String>,
    /// The JSON-RPC message.
    pub message: Option<Json>,
    /// Names the question, where it is one.
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

/// What is left of a rate limit.
#[wire(tag(type = "rate_limit_event"))]
pub struct OldRateLimitEvent {
    /// The limit, where it is in an object of that name, as today.
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

    /// One that has all of today's is today's.
    fn is_old(&self) -> bool {
        self.rate_limit_info.is_none() || self.uuid.is_none() || self.session_id.is_none()
    }
}

//! Permission questions.

use claw_types::control::{CanUseTool, PermissionResult};
use claw_types::{Json, RequestId, ToolUseId};

use crate::Context;
use crate::decide::allow_for_session;

/// A tool that wants to be used, for a permission callback to decide on.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct PermissionRequest {
    /// Names the question.
    pub request_id: RequestId,
    /// All that the CLI says about it.
    pub question: CanUseTool,
    context: Context,
}

impl PermissionRequest {
    pub(crate) fn new(question: CanUseTool, context: Context) -> Self {
        Self {
            request_id: context.request_id().clone(),
            question,
            context,
        }
    }

    /// The tool.
    pub fn tool_name(&self) -> &str {
        &self.question.tool_name
    }

    /// What it would be given.
    pub fn input(&self) -> &Json {
        &self.question.input
    }

    /// The use that is asked about.
    pub fn tool_use_id(&self) -> &ToolUseId {
        &self.question.tool_use_id
    }

    /// Yes, and with what the CLI suggests so that it need not ask again in this session. Nothing of
    /// it is written into a settings file, whatever the CLI suggests: to have that, take
    /// [`permission_suggestions`](CanUseTool::permission_suggestions) as they are.
    pub fn allow_for_session(&self) -> PermissionResult {
        allow_for_session(self.question.permission_suggestions.as_ref())
    }

    /// Whether somebody still waits for the answer, and who.
    pub fn context(&self) -> &Context {
        &self.context
    }
}

//! Permission questions.

use claw_types::control::CanUseTool;
use claw_types::{Json, RequestId, ToolUseId};

use crate::Context;

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

    /// Whether somebody still waits for the answer, and who.
    pub fn context(&self) -> &Context {
        &self.context
    }
}

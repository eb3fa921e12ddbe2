//! Permission questions, and who answers them.

use std::fmt::Display;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use claw_types::control::{CanUseTool, PermissionResult};
use claw_types::{Json, RequestId, ToolUseId};

/// A tool that wants to be used, for a permission callback to decide on.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct PermissionRequest {
    /// Names the question.
    pub request_id: RequestId,
    /// All that the CLI says about it.
    pub question: CanUseTool,
}

impl PermissionRequest {
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
}

/// What a permission callback may give: an answer, or an answer that may have failed. A failure
/// denies, and the model is told its text.
pub trait IntoDecision {
    /// The decision, or why there is none.
    fn into_decision(self) -> Result<PermissionResult, String>;
}

impl IntoDecision for PermissionResult {
    fn into_decision(self) -> Result<PermissionResult, String> {
        Ok(self)
    }
}

impl<E: Display> IntoDecision for Result<PermissionResult, E> {
    fn into_decision(self) -> Result<PermissionResult, String> {
        self.map_err(|error| error.to_string())
    }
}

type Decision = Pin<Box<dyn Future<Output = Result<PermissionResult, String>> + Send>>;

/// A permission callback, its types forgotten.
pub(crate) type CanUseToolFn = Arc<dyn Fn(PermissionRequest) -> Decision + Send + Sync>;

pub(crate) fn callback<F, Fut>(decide: F) -> CanUseToolFn
where
    F: Fn(PermissionRequest) -> Fut + Send + Sync + 'static,
    Fut: Future + Send + 'static,
    Fut::Output: IntoDecision,
{
    let decide = Arc::new(decide);
    Arc::new(move |request| {
        let decide = decide.clone();
        // The call itself may panic too: it is made by the task.
        Box::pin(async move { decide(request).await.into_decision() })
    })
}

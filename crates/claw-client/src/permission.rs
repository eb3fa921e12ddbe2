//! Requests for a tool's permission.

#[cfg(feature = "tools")]
use claw_types::DecodeError;
use claw_types::control::{CanUseTool, PermissionResult};
#[cfg(feature = "tools")]
use claw_types::tool::{AskUserQuestionInput, ExitPlanModeInput, ToolInput};
use claw_types::{Json, RequestId, ToolUseId};

use crate::CallbackContext;
use crate::decide::allow_for_session;

/// A tool that wants to be used, for a permission callback to decide on.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ToolPermissionRequest {
    /// Names the request.
    pub request_id: RequestId,
    /// All that the CLI says about it.
    pub body: CanUseTool,
    context: CallbackContext,
}

impl ToolPermissionRequest {
    pub(crate) fn new(body: CanUseTool, context: CallbackContext) -> Self {
        Self {
            request_id: context.request_id().clone(),
            body,
            context,
        }
    }

    /// The tool.
    pub fn tool_name(&self) -> &str {
        &self.body.tool_name
    }

    /// The input that the tool would get.
    pub fn input(&self) -> &Json {
        &self.body.input
    }

    /// The input, typed: see [`CanUseTool::typed_input`].
    ///
    /// # Errors
    ///
    /// Where the input is not what the tool takes. Deny it then: a guard that looks at one field of a
    /// form that it does not know may look at the wrong one.
    #[cfg(feature = "tools")]
    pub fn typed_input(&self) -> Result<ToolInput, DecodeError> {
        self.body.typed_input()
    }

    /// The use that the request is about.
    pub fn tool_use_id(&self) -> &ToolUseId {
        &self.body.tool_use_id
    }

    /// The questions that a person is asked, where the tool is `AskUserQuestion`. Allowed as it is, it
    /// has no answers: give [`PermissionResult::answers`].
    ///
    /// ```no_run
    /// use claw_client::{PermissionResult, QueryOptions, Session};
    ///
    /// let builder = Session::builder(QueryOptions::default());
    /// let builder = builder.can_use_tool(|request| async move {
    ///     if let Some(mut asked) = request.questions() {
    ///         for question in asked.questions.clone() {
    ///             let first = question.choices().first().map_or("none", |option| &option.label);
    ///             asked = asked.answer(&question.question, first);
    ///         }
    ///         return PermissionResult::answers(&asked);
    ///     }
    ///     if let Some(plan) = request.plan() {
    ///         println!("{}", plan.plan.unwrap_or_default());
    ///         return PermissionResult::approve_plan();
    ///     }
    ///     PermissionResult::deny("only questions here")
    /// });
    /// ```
    #[cfg(feature = "tools")]
    pub fn questions(&self) -> Option<AskUserQuestionInput> {
        match self.typed_input() {
            Ok(ToolInput::AskUserQuestion(asked)) => Some(*asked),
            _ => None,
        }
    }

    /// The plan that a person approves or not, where the tool is `ExitPlanMode`:
    /// [`PermissionResult::approve_plan`], [`approve_edited_plan`](PermissionResult::approve_edited_plan),
    /// or a denial that says what to change.
    #[cfg(feature = "tools")]
    pub fn plan(&self) -> Option<ExitPlanModeInput> {
        match self.typed_input() {
            Ok(ToolInput::ExitPlanMode(plan)) => Some(*plan),
            _ => None,
        }
    }

    /// Yes, and with what the CLI suggests so that it need not ask again in this session. Nothing of
    /// it is written into a settings file, whatever the CLI suggests: to have that, take
    /// [`permission_suggestions`](CanUseTool::permission_suggestions) as they are.
    pub fn allow_for_session(&self) -> PermissionResult {
        allow_for_session(self.body.permission_suggestions.as_ref())
    }

    /// Whether somebody still waits for the answer, and who.
    pub fn context(&self) -> &CallbackContext {
        &self.context
    }
}

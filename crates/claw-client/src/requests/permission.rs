//! Requests for a tool's permission.

#[cfg(feature = "tools")]
use claw_types::DecodeError;
use claw_types::control::{CanUseTool, PermissionAllow, PermissionResult, PermissionUpdate};
#[cfg(feature = "tools")]
use claw_types::tool::ToolInput;
use claw_types::tool::{AskUserQuestionInput, ExitPlanModeInput};
use claw_types::{Json, RequestId, ToolUseId};

use super::context::CallbackContext;

/// A permission request of the CLI for a tool use. A permission callback answers it.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ToolPermissionRequest {
    /// The ID of the request.
    pub request_id: RequestId,
    /// The complete request of the CLI.
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

    /// Returns the name of the tool.
    pub fn tool_name(&self) -> &str {
        &self.body.tool_name
    }

    /// Returns the input that the tool receives if it is allowed without changes.
    pub fn input(&self) -> &Json {
        &self.body.input
    }

    /// Returns the input as the tool's own type: see [`CanUseTool::typed_input`].
    ///
    /// # Errors
    ///
    /// Fails if the input does not have the form of the tool's input type. Deny the tool use in this case: if you
    /// check single fields of an input of unknown form, you may check the wrong field.
    #[cfg(feature = "tools")]
    pub fn typed_input(&self) -> Result<ToolInput, DecodeError> {
        self.body.typed_input()
    }

    /// Returns the ID of the tool use.
    pub fn tool_use_id(&self) -> &ToolUseId {
        &self.body.tool_use_id
    }

    /// Returns the questions for a person, if the tool is `AskUserQuestion`. Allowing the tool use
    /// unchanged gives no answers: return [`PermissionResult::answers`] instead.
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
    pub fn questions(&self) -> Option<AskUserQuestionInput> {
        let is_asking = self.tool_name() == "AskUserQuestion";
        is_asking.then(|| self.input().parse().ok())?
    }

    /// Returns the plan that a person approves or rejects, if the tool is `ExitPlanMode`. Answer
    /// with [`PermissionResult::approve_plan`],
    /// [`approve_edited_plan`](PermissionResult::approve_edited_plan), or a denial that says what
    /// to change.
    pub fn plan(&self) -> Option<ExitPlanModeInput> {
        let is_planning = self.tool_name() == "ExitPlanMode";
        is_planning.then(|| self.input().parse().ok())?
    }

    /// Allows the tool use, and applies the CLI's suggestions for this session, so that similar tool uses need no
    /// further request. Nothing is written to a settings file, even if the CLI suggests it. To apply the CLI's
    /// suggestions to settings files too, use [`permission_suggestions`](CanUseTool::permission_suggestions)
    /// unchanged.
    pub fn allow_for_session(&self) -> PermissionResult {
        let suggested = self.body.permission_suggestions.iter().flatten().cloned();
        let updates: Vec<_> = suggested
            .filter_map(PermissionUpdate::for_session)
            .collect();
        PermissionAllow::new().updated_permissions(updates).into()
    }

    /// Returns the context of the request: the session, and whether the answer is still awaited.
    pub fn context(&self) -> &CallbackContext {
        &self.context
    }
}

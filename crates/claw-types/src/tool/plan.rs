//! `EnterPlanMode` and `ExitPlanMode`: think first, and show the plan.

use crate::Json;
use crate::control::{PermissionAllow, PermissionResult};

/// What `EnterPlanMode` is given: nothing.
#[wire]
pub struct EnterPlanModeInput {}

/// What `EnterPlanMode` gives.
#[wire]
pub struct EnterPlanModeOutput {
    /// That the model is in plan mode now, in words.
    pub message: String,
}

/// What `ExitPlanMode` is given: the plan, which a person approves or not.
///
/// The model writes its plan to a file. When the host is asked
/// ([`CanUseTool`](crate::control::CanUseTool)), the CLI has put what that file holds into `plan`;
/// where there is no such file both keys are absent, whatever the model gave.
/// [`PermissionResult::approve_plan`] and [`PermissionResult::approve_edited_plan`] say yes, a denial
/// says what to change.
///
/// [`PermissionResult::approve_plan`]: crate::control::PermissionResult::approve_plan
/// [`PermissionResult::approve_edited_plan`]: crate::control::PermissionResult::approve_edited_plan
#[wire]
pub struct ExitPlanModeInput {
    /// The plan, in Markdown.
    pub plan: Option<String>,
    /// The file that holds it.
    #[wire(rename = "planFilePath")]
    pub plan_file_path: Option<String>,
    /// No longer used: what the plan would have to be allowed.
    #[wire(rename = "allowedPrompts")]
    pub allowed_prompts: Option<Vec<AllowedPrompt>>,
}

impl PermissionResult {
    /// Yes to `ExitPlanMode`: the plan is good, and the model may begin.
    pub fn approve_plan() -> Self {
        Self::allow()
    }

    /// Yes to `ExitPlanMode`, with another plan: `proposed` is what was asked about. The model is told
    /// that the plan was changed, and the plan's file holds the new one.
    pub fn approve_edited_plan(proposed: ExitPlanModeInput, plan: impl Into<String>) -> Self {
        let edited = proposed.plan(plan.into());
        // An object with text for keys always has a JSON form.
        let input = Json::new(&edited).unwrap_or_else(|_| Json::empty_object());
        PermissionAllow::new().updated_input(input).into()
    }
}

/// Something that a plan would have to be allowed.
#[wire]
pub struct AllowedPrompt {
    /// The tool.
    pub tool: AllowedPromptTool,
    /// What it would be used for, in words.
    pub prompt: String,
}

/// A tool that a plan asks for.
#[wire(open)]
pub enum AllowedPromptTool {
    /// Commands.
    Bash = "Bash",
}

/// What `ExitPlanMode` gives, once the plan is approved.
#[wire(rename_all = "camelCase")]
pub struct ExitPlanModeOutput {
    /// The plan; null where no file holds it.
    #[wire(nullable)]
    pub plan: Option<String>,
    /// It is the plan of a sub-agent.
    pub is_agent: bool,
    /// The file that holds it.
    pub file_path: Option<String>,
    /// The model may use sub-agents.
    pub has_task_tool: Option<bool>,
    /// The person has changed it.
    pub plan_was_edited: Option<bool>,
    /// It is not approved yet: the leader of the team was asked.
    pub awaiting_leader_approval: Option<bool>,
    /// Names that question to the leader.
    pub request_id: Option<String>,
}

//! `EnterPlanMode` and `ExitPlanMode`: let the model make a plan before it acts, and let a person approve the plan.

use crate::Json;
use crate::control::{PermissionAllow, PermissionResult};

/// The input of the `EnterPlanMode` tool, which has no fields.
#[wire]
pub struct EnterPlanModeInput {}

/// The output of the `EnterPlanMode` tool.
#[wire]
pub struct EnterPlanModeOutput {
    /// A confirmation that the session is in plan mode, in words.
    pub message: String,
}

/// The input of the `ExitPlanMode` tool: the plan, which a person approves or rejects.
///
/// The model writes its plan to a file. The CLI sends the host a permission request
/// ([`CanUseTool`](crate::control::CanUseTool)) whose input has the content of this file as `plan`. If there is no such
/// file, `plan` and `planFilePath` are absent, even if the model gave them. If the host rejects the plan, the message
/// of its denial should say what to change. In Rust, [`PermissionResult::approve_plan`] and
/// [`PermissionResult::approve_edited_plan`] approve the plan.
///
/// [`PermissionResult::approve_plan`]: crate::control::PermissionResult::approve_plan
/// [`PermissionResult::approve_edited_plan`]: crate::control::PermissionResult::approve_edited_plan
#[wire]
pub struct ExitPlanModeInput {
    /// The plan, in Markdown.
    pub plan: Option<String>,
    /// The path of the file with the plan.
    #[wire(rename = "planFilePath")]
    pub plan_file_path: Option<String>,
    /// The permissions that the plan needs. Obsolete: no longer used.
    #[wire(rename = "allowedPrompts")]
    pub allowed_prompts: Option<Vec<AllowedPrompt>>,
}

impl PermissionResult {
    /// Creates the permission result that approves the plan of `ExitPlanMode`, so that the model may begin to carry it
    /// out.
    pub fn approve_plan() -> Self {
        Self::allow()
    }

    /// Creates the permission result that approves `ExitPlanMode` with a changed plan. `proposed` is the input in the
    /// permission request. The CLI informs the model that the plan was changed, and the plan's file then holds the new
    /// plan.
    pub fn approve_edited_plan(proposed: ExitPlanModeInput, plan: impl Into<String>) -> Self {
        let edited = proposed.plan(plan.into());
        // An object with string keys always has a JSON form.
        let input = Json::new(&edited).unwrap_or_else(|_| Json::empty_object());
        PermissionAllow::new().updated_input(input).into()
    }
}

/// A permission that a plan needs.
#[wire]
pub struct AllowedPrompt {
    /// The name of the tool.
    pub tool: AllowedPromptTool,
    /// The purpose for which the tool is needed, in words.
    pub prompt: String,
}

/// A tool for which a plan needs permission.
#[wire(open)]
pub enum AllowedPromptTool {
    /// The `Bash` tool.
    Bash = "Bash",
}

/// The output of the `ExitPlanMode` tool, after the plan was approved.
#[wire(rename_all = "camelCase")]
pub struct ExitPlanModeOutput {
    /// The plan. Null if there is no file with the plan.
    #[wire(nullable)]
    pub plan: Option<String>,
    /// Whether a sub-agent, and not the main conversation, made the plan.
    pub is_agent: bool,
    /// The path of the file with the plan.
    pub file_path: Option<String>,
    /// Whether the model may use sub-agents.
    pub has_task_tool: Option<bool>,
    /// Whether the user edited the plan.
    pub plan_was_edited: Option<bool>,
    /// Whether the plan still waits for the approval of the team's leader.
    pub awaiting_leader_approval: Option<bool>,
    /// The ID of the approval request to the team's leader.
    pub request_id: Option<String>,
}

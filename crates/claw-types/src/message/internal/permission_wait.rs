//! Permission checks that take long, and permissions that are granted late: `system` / `permission_check_status`,
//! `permission_retry`, `inherited_asks_settled` and `late_allow_not_run`.

use super::Identity;
use crate::{RequestId, ToolUseId};

/// The progress of an automatic permission check.
#[wire(open)]
pub enum PermissionCheckState {
    /// The check is in progress.
    Checking = "checking",
    /// The check has ended. The result of the tool use shows the outcome of the check.
    Done = "done",
}

/// The progress of an automatic permission check that a tool use waits for.
///
/// The CLI sends this message if the check takes longer than a few seconds, and again when the
/// check is over. The types of the official SDK do not include this message.
#[wire(tag(type = "system", subtype = "permission_check_status"))]
pub struct PermissionCheckStatus {
    /// The ID of the tool use.
    pub tool_use_id: ToolUseId,
    /// Whether the check is still in progress.
    pub status: PermissionCheckState,
    fields: Identity!(),
    /// The ID of the sub-agent that made the tool use. Absent in the main conversation.
    pub agent_id: Option<String>,
}

/// A report that denied commands are retried, because the permission mode has changed and now allows them. The types of
/// the official SDK do not include this message.
#[wire(tag(type = "system", subtype = "permission_retry"))]
pub struct PermissionRetry {
    /// A text that describes the retry.
    pub content: String,
    /// The commands, in the form in which they are displayed.
    pub commands: Vec<String>,
    fields: Identity!(),
}

/// A list of those control requests of an earlier process that the host can still answer.
///
/// A process that takes over a cloud session from an earlier process sends this message before its first turn. All
/// other requests of the earlier process no longer wait for an answer. The types of the official SDK do not include
/// this message.
#[wire(tag(type = "system", subtype = "inherited_asks_settled"))]
pub struct InheritedAsksSettled {
    /// The IDs of the control requests that the host can still answer.
    pub kept_request_ids: Vec<RequestId>,
    fields: Identity!(),
}

/// The reason why a tool use does not run although its permission has now been granted.
#[wire(open)]
pub enum LateAllowReason {
    /// Another turn is running.
    TurnRunning = "turn_running",
    /// The late permission has no effect, because the permission request is still open.
    CardOpen = "card_open",
    /// The tool use no longer exists in the conversation.
    CallGone = "call_gone",
    /// The late answer is invalid.
    InvalidAnswer = "invalid_answer",
    /// The CLI accepted no more late answers, because too many had arrived.
    Limited = "limited",
    /// The session was stopped before an answer came.
    Stopped = "stopped",
    /// The person declined the permission.
    Declined = "declined",
    /// The late permission has no effect, because the CLI has requested the permission again.
    AskedAgain = "asked_again",
    /// The permission request was withdrawn.
    Withdrawn = "withdrawn",
    /// The permission was granted too late.
    Expired = "expired",
    /// The tool use did not run, for a reason that is not reported in detail.
    NotRun = "not_run",
}

/// A report that a tool use does not run although its permission has now been granted.
///
/// The CLI sends this message only in cloud sessions. The message concerns a permission request that was already closed
/// although the host still displayed it. The types of the official SDK do not include this message.
#[wire(tag(type = "system", subtype = "late_allow_not_run"))]
pub struct LateAllowNotRun {
    /// The ID of the permission request, as given in the late answer.
    pub request_id: RequestId,
    /// The ID of the tool use.
    pub tool_use_id: ToolUseId,
    /// The reason why the tool use does not run.
    pub reason: LateAllowReason,
    fields: Identity!(),
}

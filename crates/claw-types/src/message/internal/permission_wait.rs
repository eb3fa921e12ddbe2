//! Permissions that take long or come late: `system` / `permission_check_status`,
//! `permission_retry`, `inherited_asks_settled` and `late_allow_not_run`.

use super::Identity;
use crate::{RequestId, ToolUseId};

/// How far an automatic check has come.
#[wire(open)]
pub enum PermissionCheckState {
    /// It goes on.
    Checking = "checking",
    /// It is over. The tool's result says what came of it.
    Done = "done",
}

/// A tool use waits for the automatic check of whether it may run.
///
/// To hosts, where the check takes longer than some seconds, and again when it is over. In no
/// published type.
#[wire(tag(type = "system", subtype = "permission_check_status"))]
pub struct PermissionCheckStatus {
    /// The tool use.
    pub tool_use_id: ToolUseId,
    /// Whether it still waits.
    pub status: PermissionCheckState,
    fields: Identity!(),
    /// The sub-agent that wants to use it. Absent in the main conversation.
    pub agent_id: Option<String>,
}

/// Commands that were denied are tried again: the permission mode allows them now. In no published
/// type.
#[wire(tag(type = "system", subtype = "permission_retry"))]
pub struct PermissionRetry {
    /// A text that says so.
    pub content: String,
    /// The commands, as they are shown.
    pub commands: Vec<String>,
    fields: Identity!(),
}

/// Which questions of the process before still wait for an answer.
///
/// From a session in the cloud, where another process took it over, before its first turn. Earlier
/// questions that are not named are over. In no published type.
#[wire(tag(type = "system", subtype = "inherited_asks_settled"))]
pub struct InheritedAsksSettled {
    /// The questions that can still be answered.
    pub kept_request_ids: Vec<RequestId>,
    fields: Identity!(),
}

/// Why an answer that came late runs nothing.
#[wire(open)]
pub enum LateAllowReason {
    /// A turn is under way.
    TurnRunning = "turn_running",
    /// The question is still open.
    CardOpen = "card_open",
    /// The tool use is no longer there.
    CallGone = "call_gone",
    /// The answer does not fit.
    InvalidAnswer = "invalid_answer",
    /// There are too many.
    Limited = "limited",
    /// The session was stopped.
    Stopped = "stopped",
    /// The person denied it.
    Declined = "declined",
    /// It is asked anew.
    AskedAgain = "asked_again",
    /// The question was taken back.
    Withdrawn = "withdrawn",
    /// It is too late.
    Expired = "expired",
    /// It did not run.
    NotRun = "not_run",
}

/// A permission that was given late does not run its tool use.
///
/// From a session in the cloud, for a question that a message had closed and that the host still
/// showed. In no published type.
#[wire(tag(type = "system", subtype = "late_allow_not_run"))]
pub struct LateAllowNotRun {
    /// The question, as the answer names it.
    pub request_id: RequestId,
    /// The tool use.
    pub tool_use_id: ToolUseId,
    /// Why.
    pub reason: LateAllowReason,
    fields: Identity!(),
}

//! Requests to `claude` that are not part of the published types, and for which `claw-client` has
//! no method (feature `internal`): the contents of the CLI's own dialogs, and reports of other
//! windows on a session.
//!
//! They may change without notice: a request that does not have the form that claw knows is not an
//! error, but becomes an unknown request. `Session::request` of `claw-client` takes them like all
//! others.

mod claim;
mod memory_dialog;
mod sandbox_dialog;
mod skills_dialog;
mod status;
mod window;

pub use claim::*;
pub use memory_dialog::*;
pub use sandbox_dialog::*;
pub use skills_dialog::*;
pub use status::*;
pub use window::*;

use super::ControlRequestBody;

/// The body of a control request that is not part of the published types.
#[wire(lenient, within = ControlRequestBody, tag = subtype)]
pub enum InternalRequest {
    /// To `claude`: report whether a prompt is on its way.
    SetMessageWaiting(Box<SetMessageWaiting>),
    /// To `claude`: report that the user is writing a prompt.
    PromptDraftActivity(PromptDraftActivity),
    /// To `claude`: report the user's rating of a message.
    MessageRated(Box<MessageRated>),
    /// To `claude`: send feedback to Anthropic.
    SubmitFeedback(Box<SubmitFeedback>),
    /// To `claude`: get the contents of `/status`.
    GetStatus(GetStatus),
    /// To `claude`: get the contents of `/skills`.
    GetSkillsDialog(GetSkillsDialog),
    /// To `claude`: get the contents of `/memory`.
    GetMemoryDialog(GetMemoryDialog),
    /// To `claude`: get the contents of `/sandbox`.
    GetSandboxDialog(GetSandboxDialog),
    /// To `claude` that was started ahead: begin the session.
    ClaimSession(Box<ClaimSession>),
}

//! Requests to `claude` that are in no published type, and that `claw-client` has no method for (feature
//! `internal`): what the CLI's own pages show, and what other windows on a session tell.
//!
//! They may change without notice: a request of another form than the one that claw knows is no error, but
//! an unknown one. `Session::request` of `claw-client` takes them as it takes all others.

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

/// What is asked, where that is in no published type.
#[wire(lenient, within = ControlRequestBody, tag = subtype)]
pub enum InternalRequest {
    /// To `claude`: a prompt is on its way.
    SetMessageWaiting(Box<SetMessageWaiting>),
    /// To `claude`: the user writes a prompt.
    PromptDraftActivity(PromptDraftActivity),
    /// To `claude`: the user likes a message, or does not.
    MessageRated(Box<MessageRated>),
    /// To `claude`: send this to the CLI's makers.
    SubmitFeedback(Box<SubmitFeedback>),
    /// To `claude`: what does `/status` show?
    GetStatus(GetStatus),
    /// To `claude`: what does `/skills` show?
    GetSkillsDialog(GetSkillsDialog),
    /// To `claude`: what does `/memory` show?
    GetMemoryDialog(GetMemoryDialog),
    /// To `claude`: what does `/sandbox` show?
    GetSandboxDialog(GetSandboxDialog),
    /// To `claude`: begin, here.
    ClaimSession(Box<ClaimSession>),
}

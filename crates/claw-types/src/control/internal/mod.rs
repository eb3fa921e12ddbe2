//! Requests to `claude` that are not part of the official SDK's published types, and for which
//! `claw-client` has no method (feature `internal`). The requests get the contents of the CLI's own
//! dialogs, or report what a user does in another window of the session.
//!
//! The requests in this module may change without notice. A request that does not have the form
//! that claw knows is therefore not an error: it is read as an unknown request. To send a request
//! of this module, use `Session::call` of `claw-client`, as for every other request.

mod claim;
mod memory_dialog;
mod peer;
mod sandbox_dialog;
mod skills_dialog;
mod status;
mod window;

pub use claim::*;
pub use memory_dialog::*;
pub use peer::*;
pub use sandbox_dialog::*;
pub use skills_dialog::*;
pub use status::*;
pub use window::*;

use super::ControlRequestBody;

/// The body of a control request that is not part of the official SDK's published types.
#[wire(lenient, within = ControlRequestBody, tag = subtype, requests)]
pub enum InternalRequest {
    /// To `claude`: report whether the host holds back a message until the running turn has ended.
    SetMessageWaiting(Box<SetMessageWaiting>),
    /// To `claude`: report that the user is writing a prompt.
    PromptDraftActivity(PromptDraftActivity),
    /// To `claude`: report how the user rated a message.
    MessageRated(Box<MessageRated>),
    /// To `claude`: send feedback to Anthropic.
    SubmitFeedback(Box<SubmitFeedback>),
    /// To `claude`: get the contents of the CLI's dialog `/status`.
    GetStatus(GetStatus),
    /// To `claude`: get the contents of the CLI's dialog `/skills`.
    GetSkillsDialog(GetSkillsDialog),
    /// To `claude`: get the contents of the CLI's dialog `/memory`.
    GetMemoryDialog(GetMemoryDialog),
    /// To `claude`: get the contents of the CLI's dialog `/sandbox`.
    GetSandboxDialog(GetSandboxDialog),
    /// To `claude`: begin the session, in a process that was started in advance.
    ClaimSession(Box<ClaimSession>),
    /// To `claude`: decide about a held message from another session.
    DecideHeldPeerMessage(Box<DecideHeldPeerMessage>),
    /// To `claude`: set how messages from other sessions are delivered.
    SetPeerDelivery(Box<SetPeerDelivery>),
}

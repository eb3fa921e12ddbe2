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
#[wire(lenient, within = ControlRequestBody, tag = subtype, requests = each_internal_request)]
pub enum InternalRequest {
    /// To `claude`: report whether the host holds back a message until the running turn has ended.
    #[wire(no_method = "a window on the session reports it")]
    SetMessageWaiting(Box<SetMessageWaiting>),
    /// To `claude`: report that the user is writing a prompt.
    #[wire(no_method = "a window on the session reports it")]
    PromptDraftActivity(PromptDraftActivity),
    /// To `claude`: report how the user rated a message.
    #[wire(no_method = "a window on the session reports it")]
    MessageRated(Box<MessageRated>),
    /// To `claude`: send feedback to Anthropic.
    #[wire(no_method = "it sends the conversation to Anthropic, which no short call should do")]
    SubmitFeedback(Box<SubmitFeedback>),
    /// To `claude`: get the contents of the CLI's dialog `/status`.
    #[wire(no_method = "a page of the CLI's own screen")]
    GetStatus(GetStatus),
    /// To `claude`: get the contents of the CLI's dialog `/skills`.
    #[wire(no_method = "a page of the CLI's own screen")]
    GetSkillsDialog(GetSkillsDialog),
    /// To `claude`: get the contents of the CLI's dialog `/memory`.
    #[wire(no_method = "a page of the CLI's own screen")]
    GetMemoryDialog(GetMemoryDialog),
    /// To `claude`: get the contents of the CLI's dialog `/sandbox`.
    #[wire(no_method = "a page of the CLI's own screen")]
    GetSandboxDialog(GetSandboxDialog),
    /// To `claude`: begin the session, in a process that was started in advance.
    #[wire(no_method = "for a CLI that was started before its session; claw starts none")]
    ClaimSession(Box<ClaimSession>),
    /// To `claude`: decide about a held message from another session.
    #[wire(no_method = "the decision of a person, whose fields depend on each other")]
    DecideHeldPeerMessage(Box<DecideHeldPeerMessage>),
    /// To `claude`: set how messages from other sessions are delivered.
    #[wire(no_method = "an absent field and null differ")]
    SetPeerDelivery(Box<SetPeerDelivery>),
}

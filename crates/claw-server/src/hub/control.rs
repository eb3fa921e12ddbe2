//! Commands to a driver, other than prompts.

use claw_client::Error;
use claw_types::MessageUuid;
use claw_types::control::CanUseTool;
use tokio::sync::oneshot;

use crate::conversation::Answered;

/// A command to a driver, other than a prompt.
#[derive(Debug)]
pub(super) enum Control {
    /// Interrupt the turn, and report the outcome.
    Interrupt(oneshot::Sender<Result<bool, Error>>),
    /// Take back a queued prompt, and report whether that was possible.
    TakeBack(MessageUuid, oneshot::Sender<Result<bool, Error>>),
    /// Send no more prompts, interrupt the running turn, and report when no turn runs any more.
    Stop(oneshot::Sender<()>),
    /// Defer the permission request with this ID, if that is possible. The request then waits without a process.
    Defer(String),
    /// Resume the session with the answer to a request that has waited without a process.
    Resume(Box<Resumption>),
}

/// An answered permission request that has waited without a process.
#[derive(Debug)]
pub(super) struct Resumption {
    pub(super) answered: Answered,
    pub(super) body: CanUseTool,
}

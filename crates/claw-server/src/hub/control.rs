//! What a driver is asked to do besides prompts.

use claw_client::Error;
use claw_types::MessageUuid;
use claw_types::control::CanUseTool;
use tokio::sync::oneshot;

use crate::conversation::Answered;

/// What a driver is asked to do besides prompts.
#[derive(Debug)]
pub(super) enum Control {
    /// Interrupt the turn, and report the outcome.
    Interrupt(oneshot::Sender<Result<bool, Error>>),
    /// Take a prompt back that waits, and say whether that was possible.
    TakeBack(MessageUuid, oneshot::Sender<Result<bool, Error>>),
    /// Send no more prompts, interrupt the running turn, and report when no turn runs any more.
    Stop(oneshot::Sender<()>),
    /// Have this request wait without a process, if that is possible.
    Defer(String),
    /// Resume the session, so that it goes on with the answer to a deferred request.
    Resume(Box<Resumption>),
}

/// A deferred request that was answered.
#[derive(Debug)]
pub(super) struct Resumption {
    pub(super) answered: Answered,
    pub(super) body: CanUseTool,
}

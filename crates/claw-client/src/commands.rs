//! The way from a session's handles to its driver.

use std::time::Duration;

use bytes::Bytes;
use claw_transport::{Exit, Shutdown};
use claw_types::control::ControlRequestBody;
use futures::channel::mpsc::{UnboundedReceiver, UnboundedSender, unbounded};
use tokio::sync::oneshot;

use crate::Error;
use crate::calls::Answer;
use crate::engine::{CallId, TurnId};
use crate::room::Taken;

/// How a session's end went.
pub(crate) type Closed = Result<Exit, Error>;

/// A prompt, as a line.
#[derive(Debug)]
pub(crate) struct Written {
    pub(crate) turn: TurnId,
    pub(crate) uuid: String,
    pub(crate) line: Bytes,
}

/// When a prompt goes to the CLI.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum When {
    /// Whatever else is under way.
    AtOnce,
    /// When every prompt before it has had its result, so that its turn is its own.
    InItsTurn,
}

/// What handles tell the driver.
#[derive(Debug)]
pub(crate) enum Command {
    /// Call the CLI.
    Call {
        call: CallId,
        body: Box<ControlRequestBody>,
        /// How long the answer may take, where it is not the usual time.
        limit: Option<Duration>,
        answer: oneshot::Sender<Answer>,
        /// Counts it until the driver has it.
        taken: Taken,
    },
    /// Nobody waits for the answer any more.
    Forget(CallId),
    /// Write a prompt.
    Prompt(Written, When),
    /// Nobody waits for the answer to this prompt: if it has not been written, it need not be.
    TakeBack(TurnId),
    /// No prompt comes any more: the session ends with its run.
    LastPrompt,
    /// End the session.
    Close {
        ladder: Shutdown,
        done: oneshot::Sender<Closed>,
    },
}

/// The handles' side.
#[derive(Debug)]
pub(crate) struct Commands(UnboundedSender<Command>);

/// The driver's side. Dropping it drops every command that was sent, so that whoever waits for an
/// answer learns that none comes. That is why the channel is the one of `futures`: what is sent to
/// tokio's in the very moment in which its receiver is dropped stays in it.
pub(crate) type Orders = UnboundedReceiver<Command>;

/// The session is over.
#[derive(Debug)]
pub(crate) struct Over;

impl Commands {
    pub(crate) fn new() -> (Self, Orders) {
        let (sender, orders) = unbounded();
        (Self(sender), orders)
    }

    pub(crate) fn send(&self, command: Command) -> Result<(), Over> {
        self.0.unbounded_send(command).map_err(|_| Over)
    }
}

#[cfg(test)]
mod tests;

//! The channel from a session's handles to its driver.

use std::time::Duration;

use bytes::Bytes;
use claw_transport::{Exit, Shutdown};
use claw_types::control::ControlRequestBody;
use futures::channel::mpsc::{UnboundedReceiver, UnboundedSender, unbounded};
use tokio::sync::oneshot;

use crate::Error;
use crate::byte_budget::ByteReservation;
use crate::calls::Answer;
use crate::engine::{CallId, TurnId};

/// The outcome of a session's end.
pub(crate) type Closed = Result<Exit, Error>;

/// A prompt as a line.
#[derive(Debug)]
pub(crate) struct PromptLine {
    pub(crate) turn: TurnId,
    pub(crate) uuid: String,
    pub(crate) line: Bytes,
}

/// The time at which a prompt is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PromptTiming {
    /// The prompt is written at once, even if other work is in progress.
    AtOnce,
    /// The prompt is written once every earlier prompt has its result, so that it gets a separate turn.
    InTurn,
}

/// A command of a handle to the driver.
#[derive(Debug)]
pub(crate) enum Command {
    /// Call the CLI.
    Call {
        call: CallId,
        body: Box<ControlRequestBody>,
        /// The timeout of the call, if it is not the default.
        limit: Option<Duration>,
        answer: oneshot::Sender<Answer>,
        /// Counts the bytes of the call until the driver has received it.
        taken: ByteReservation,
    },
    /// Forget a call whose response is no longer awaited.
    Forget(CallId),
    /// Write a prompt.
    Prompt(PromptLine, PromptTiming),
    /// Withdraw a prompt whose answer is no longer awaited, unless it was already written.
    TakeBack(TurnId),
    /// End the session when its current work is done, because no further prompt comes.
    LastPrompt,
    /// End the session.
    Close {
        steps: Shutdown,
        done: oneshot::Sender<Closed>,
    },
}

/// The sender, which the handles own.
#[derive(Debug)]
pub(crate) struct CommandSender(UnboundedSender<Command>);

/// The receiver, which the driver owns. Dropping it drops all commands that were sent, so that waiting callers learn
/// that no answer will come. This is why the channel is from `futures`: with tokio's channel, a command that is sent
/// while the receiver is being dropped stays in the channel.
pub(crate) type CommandReceiver = UnboundedReceiver<Command>;

/// The error that the session has ended.
#[derive(Debug)]
pub(crate) struct SessionEnded;

impl CommandSender {
    pub(crate) fn new() -> (Self, CommandReceiver) {
        let (sender, orders) = unbounded();
        (Self(sender), orders)
    }

    pub(crate) fn send(&self, command: Command) -> Result<(), SessionEnded> {
        self.0.unbounded_send(command).map_err(|_| SessionEnded)
    }
}

#[cfg(test)]
mod tests;

//! The channel from a session's handles to its driver.

use std::time::Duration;

use bytes::Bytes;
use claw_transport::{Exit, Shutdown};
use claw_types::control::ControlRequestBody;
use futures::channel::mpsc::{UnboundedReceiver, UnboundedSender, unbounded};
use tokio::sync::oneshot;

use crate::engine::{CallId, TurnId};
use crate::outcome::error::Error;
use crate::waiting::ByteReservation;
use crate::waiting::calls::Answer;

/// The outcome of a session's end.
pub(crate) type Closed = Result<Exit, Error>;

/// A prompt as a line for the CLI's stdin.
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
mod tests {
    use std::hint::spin_loop;
    use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
    use std::sync::{Arc, mpsc};
    use std::thread;

    use claw_transport::Shutdown;
    use tokio::sync::oneshot::{self, error::TryRecvError};

    use super::*;

    /// A driver ends while a handle makes a call, and the caller receives an error. With a channel of tokio, the
    /// caller would wait forever, within some thousand rounds.
    #[test]
    fn a_call_to_a_driver_that_ends_completes() {
        const ROUNDS: u32 = 20_000;
        let (rounds, drivers) = mpsc::sync_channel::<(CommandReceiver, Arc<AtomicBool>, u32)>(1);
        let (ended, ends) = mpsc::channel();
        let driver = thread::spawn(move || {
            for (orders, begun, delay) in drivers {
                begun.store(true, SeqCst);
                (0..delay).for_each(|_| spin_loop());
                drop(orders);
                ended.send(()).unwrap();
            }
        });
        for round in 0..ROUNDS {
            let (commands, orders) = CommandSender::new();
            let begun = Arc::new(AtomicBool::new(false));
            let (done, mut closed) = oneshot::channel();
            rounds.send((orders, begun.clone(), round % 200)).unwrap();
            while !begun.load(SeqCst) {
                thread::yield_now();
            }
            let steps = Shutdown::default();
            let _ = commands.send(Command::Close { steps, done });
            ends.recv().unwrap();
            assert_eq!(
                closed.try_recv().err(),
                Some(TryRecvError::Closed),
                "round {round}"
            );
        }
        drop(rounds);
        driver.join().unwrap();
    }
}

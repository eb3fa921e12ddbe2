//! The session of a conversation: of its own process, or one that a server runs.

use claw_client::codec::FrameItem;
use claw_client::types::Message;
use claw_client::types::control::SlashCommand;
use claw_client::types::message::UserMessage;
use claw_client::{Error, Session};

use super::SessionMessages;
#[cfg(all(unix, feature = "serve"))]
use super::attached;
use super::sent::{Sending, Sent};
use crate::run::Frames as _;

/// What a conversation needs of its session.
pub(super) enum Link<'a> {
    /// The session is that of a process that this command has started.
    Own(&'a Session),
    /// The session runs in a server, and others see it too.
    #[cfg(all(unix, feature = "serve"))]
    Attached(attached::Handle),
}

impl Link<'_> {
    /// The first line of the conversation.
    pub(super) fn greeting(&self, keys: &str) -> String {
        match self {
            Self::Own(session) => super::greeting(session, keys),
            #[cfg(all(unix, feature = "serve"))]
            Self::Attached(handle) => handle.greeting(keys),
        }
    }

    /// The commands of claude, if they are known.
    pub(super) fn commands(&self) -> Option<Vec<SlashCommand>> {
        match self {
            Self::Own(session) => session.info().map(|info| info.commands.clone()),
            #[cfg(all(unix, feature = "serve"))]
            Self::Attached(handle) => Some(handle.commands()),
        }
    }

    /// Sends a prompt.
    pub(super) fn send(&self, prompt: UserMessage) -> Sending {
        match self {
            Self::Own(session) => {
                let sending = session.send(prompt);
                Box::pin(async { sending.await.map(Sent::Turn) })
            }
            #[cfg(all(unix, feature = "serve"))]
            Self::Attached(handle) => Box::pin(handle.clone().send(prompt)),
        }
    }

    /// Interrupts the turn, without waiting for that.
    pub(super) fn interrupt(&self) {
        match self {
            // Runs in a separate task, because the response comes after messages that the caller must read.
            Self::Own(session) => drop(tokio::spawn(session.interrupt())),
            #[cfg(all(unix, feature = "serve"))]
            Self::Attached(handle) => drop(tokio::spawn(handle.clone().interrupt())),
        }
    }

    /// The session, if it is that of an own process.
    pub(super) fn own(&self) -> Option<&Session> {
        match self {
            Self::Own(session) => Some(session),
            #[cfg(all(unix, feature = "serve"))]
            Self::Attached(_) => None,
        }
    }
}

/// What a session sends.
pub(super) enum Feed<'a> {
    Own(SessionMessages<'a>),
    #[cfg(all(unix, feature = "serve"))]
    Attached(tokio::sync::mpsc::Receiver<attached::Event>),
}

/// The next thing that a session has sent. `None` inside if it has ended.
pub(super) enum Received {
    Frame(Option<Result<FrameItem<Message>, Error>>),
    #[cfg(all(unix, feature = "serve"))]
    Event(Option<attached::Event>),
}

impl Feed<'_> {
    /// Waits for what comes next. Cancel safe.
    pub(super) async fn next(&mut self) -> Received {
        match self {
            Self::Own(messages) => Received::Frame(messages.next().await),
            #[cfg(all(unix, feature = "serve"))]
            Self::Attached(events) => Received::Event(events.recv().await),
        }
    }
}

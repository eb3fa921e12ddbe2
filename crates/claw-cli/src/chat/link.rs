//! The session of a conversation. This command has started its process, or a server runs it.

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

/// The session of a conversation, to which prompts are sent.
pub(super) enum Link<'a> {
    /// This command has started the process of the session.
    Own(&'a Session),
    /// A server runs the session, and other viewers can see it.
    #[cfg(all(unix, feature = "serve"))]
    Attached(attached::Handle),
}

impl Link<'_> {
    /// Returns the first line of the conversation.
    pub(super) fn greeting(&self, keys: &str) -> String {
        match self {
            Self::Own(session) => super::greeting(session, keys),
            #[cfg(all(unix, feature = "serve"))]
            Self::Attached(handle) => handle.greeting(keys),
        }
    }

    /// Returns the commands of claude. Returns `None` if they are not known.
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

    /// Interrupts the turn. Does not wait for the response.
    pub(super) fn interrupt(&self) {
        match self {
            // The response to the interrupt comes after messages that the caller must read first. So the interrupt runs
            // in a separate task.
            Self::Own(session) => drop(tokio::spawn(session.interrupt())),
            #[cfg(all(unix, feature = "serve"))]
            Self::Attached(handle) => drop(tokio::spawn(handle.clone().interrupt())),
        }
    }

    /// Returns the session if this command has started its process.
    pub(super) fn own(&self) -> Option<&Session> {
        match self {
            Self::Own(session) => Some(session),
            #[cfg(all(unix, feature = "serve"))]
            Self::Attached(_) => None,
        }
    }
}

/// The source of the messages or events of a session.
pub(super) enum Feed<'a> {
    Own(SessionMessages<'a>),
    #[cfg(all(unix, feature = "serve"))]
    Attached(tokio::sync::mpsc::Receiver<attached::Event>),
}

/// The next message or event of a session. The inner value is `None` if the session has ended.
pub(super) enum Received {
    Frame(Option<Result<FrameItem<Message>, Error>>),
    #[cfg(all(unix, feature = "serve"))]
    Event(Option<attached::Event>),
}

impl Feed<'_> {
    /// Waits for the next message or event. Cancel safe.
    pub(super) async fn next(&mut self) -> Received {
        match self {
            Self::Own(messages) => Received::Frame(messages.next().await),
            #[cfg(all(unix, feature = "serve"))]
            Self::Attached(events) => Received::Event(events.recv().await),
        }
    }
}

//! The sending of a prompt to its session, and the outcome.

use std::pin::Pin;

use claw_client::{Error, Turn};

/// The outcome of sending a prompt.
pub(super) enum Sent {
    /// The prompt has a turn, which will have a result.
    Turn(Turn),
    /// The server of the session has accepted the prompt. Its turn is in the events of the session.
    #[cfg(all(unix, feature = "serve"))]
    Accepted,
    /// The server of the session does not accept the prompt. The text is the escaped reason.
    #[cfg(all(unix, feature = "serve"))]
    Refused(String),
}

/// A future that sends a prompt.
pub(super) type Sending = Pin<Box<dyn Future<Output = Result<Sent, Error>> + Send>>;

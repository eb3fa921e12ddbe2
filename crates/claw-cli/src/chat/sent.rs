//! A prompt on its way to its session.

use std::pin::Pin;

use claw_client::{Error, Turn};

/// What has become of a prompt that was sent.
pub(super) enum Sent {
    /// It has a turn, which will have a result.
    Turn(Turn),
    /// The server of the session has accepted it, and reports what becomes of it.
    #[cfg(all(unix, feature = "serve"))]
    Accepted,
    /// The server of the session does not accept it, for this reason, which is escaped.
    #[cfg(all(unix, feature = "serve"))]
    Refused(String),
}

/// The sending of a prompt.
pub(super) type Sending = Pin<Box<dyn Future<Output = Result<Sent, Error>> + Send>>;

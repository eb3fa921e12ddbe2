//! A process that is used without a prompt.

use std::fmt;

use super::permit::Permit;
use crate::Session;

/// A process of a session of the pool, in use until this is dropped: for what the CLI does without a prompt, as when it
/// goes on with a tool use that was deferred. Returned by [`PooledSession::process`](super::PooledSession::process).
///
/// # Drop
///
/// The pool may end the process for another session's sake again.
#[must_use = "the pool may end the process once this is dropped"]
pub struct PooledProcess(Permit);

impl PooledProcess {
    pub(super) fn new(permit: Permit) -> Self {
        Self(permit)
    }

    /// The session of the process.
    pub fn session(&self) -> &Session {
        self.0.session()
    }
}

impl fmt::Debug for PooledProcess {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("PooledProcess")
            .field(self.session())
            .finish()
    }
}

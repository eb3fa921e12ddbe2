//! A process that is used without a prompt.

use std::fmt;

use super::permit::Permit;
use crate::Session;

/// The process of a pooled session. The pool does not end the process until this value is dropped. Use it for work that
/// the CLI does without a prompt, such as continuing with a tool use that was deferred. Returned by
/// [`PooledSession::process`](super::PooledSession::process).
///
/// # Drop
///
/// After the drop, the pool may end the process to make room for another session.
#[must_use = "the pool may end the process once this is dropped"]
pub struct PooledProcess(Permit);

impl PooledProcess {
    pub(super) fn new(permit: Permit) -> Self {
        Self(permit)
    }

    /// Returns the session of the process.
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

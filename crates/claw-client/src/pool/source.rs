//! The source from which a new process resumes a conversation.

use claw_types::{QueryOptions, SessionId};
use futures::FutureExt;
use futures::future::BoxFuture;

use crate::Error;

/// The source from which a new process of a pool resumes a session's conversation. Set by
/// [`PooledSessionBuilder::source`](super::PooledSessionBuilder::source).
pub trait ResumeSource: Send + Sync {
    /// Returns the options with which a new process resumes this session. The pool calls this method before each start
    /// of a process for the session, except the first.
    fn resume(
        &self,
        session: &SessionId,
        options: QueryOptions,
    ) -> BoxFuture<'_, Result<QueryOptions, Error>>;
}

/// The session's transcript on this machine.
pub(super) struct LocalDisk;

impl ResumeSource for LocalDisk {
    fn resume(
        &self,
        session: &SessionId,
        mut options: QueryOptions,
    ) -> BoxFuture<'_, Result<QueryOptions, Error>> {
        options.resume = Some(session.clone());
        std::future::ready(Ok(options)).boxed()
    }
}

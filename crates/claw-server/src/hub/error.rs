//! The errors of a hub.

use claw_client::store::{Retry, StoreError, StoredError};

use crate::quota::ReachedLimit;

/// The reason why the hub could not carry out a request.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum HubError {
    /// No project has this name.
    #[error("no project has this name")]
    NoProject,
    /// There is no such session, live or on disk, in a project of this server.
    #[error("there is no such session")]
    NoSession,
    /// The session was deleted.
    #[error("the session was deleted")]
    Deleted,
    /// The session is live, and the request does not ask to close the session first.
    #[error("the session is live: close it first, or delete it with `end=true`")]
    Live,
    /// A value in the request is invalid. The text names it.
    #[error("{0}")]
    BadRequest(String),
    /// The server is busy. The text contains the reason.
    #[error("{0}")]
    Busy(&'static str),
    /// A limit of the user or of the project is reached.
    #[error("{0}")]
    Limit(Box<ReachedLimit>),
    /// No turn is running, so there is nothing to stop.
    #[error("nothing is running")]
    NothingRuns,
    /// The CLI or its process failed.
    #[error(transparent)]
    Claude(#[from] claw_client::Error),
    /// The sessions on disk cannot be read or changed.
    #[error(transparent)]
    Disk(#[from] claw_sessions::Error),
    /// The list of sessions cannot be made, because no thread can be started.
    #[error("the list of sessions cannot be kept: {0}")]
    Index(#[source] std::io::Error),
    /// The prompt was not accepted, because it could not be recorded on disk or in the store.
    #[error("the prompt cannot be kept: {0}")]
    Unkept(#[source] std::io::Error),
    /// The prompt was not accepted, because a file that came with it could not be written.
    #[error("a file of the prompt cannot be written: {0}")]
    Unwritten(#[source] std::io::Error),
    /// The file that marks a session as archived cannot be written.
    #[error("the session cannot be archived: {0}")]
    Unarchived(#[source] std::io::Error),
    /// Another program runs the session.
    #[error("another program has the session: {0}")]
    Elsewhere(Box<claw_client::store::Owner>),
    /// The sessions in the store cannot be read or changed.
    #[error(transparent)]
    Stored(#[from] StoredError),
}

/// A session was closed during a request. A repeated request opens the session again.
pub(super) const CLOSED: HubError =
    HubError::Busy("the session was closed meanwhile: send the request again");

impl From<ReachedLimit> for HubError {
    fn from(limit: ReachedLimit) -> Self {
        Self::Limit(Box::new(limit))
    }
}

impl HubError {
    /// Whether the store could not be reached. The same call may then succeed later.
    pub(crate) fn is_store_away(&self) -> bool {
        let error = match self {
            Self::Claude(error) => error.store(),
            Self::Stored(StoredError::Store(error)) => Some(error),
            Self::Unkept(error) => error.get_ref().and_then(|error| error.downcast_ref()),
            _ => None,
        };
        // If another host holds the session, the request is forwarded to that host. So it is not repeated here.
        error.is_some_and(|error: &StoreError| !error.is_held() && error.retry() != Retry::No)
    }
}

//! The context of a request.

use std::fmt;
use std::future::Future;
use std::sync::Weak;

use claw_types::RequestId;
use tokio_util::sync::CancellationToken;

use crate::handle::Session;
use crate::handle::shared::Shared;

/// The context of a request, which a callback receives. [`Responder::context`](crate::Responder::context) and
/// [`ToolPermissionRequest::context`](crate::ToolPermissionRequest::context) return it too.
#[derive(Clone)]
pub struct CallbackContext {
    id: RequestId,
    cancel: CancellationToken,
    session: Weak<Shared>,
}

impl CallbackContext {
    pub(crate) fn new(id: RequestId, cancel: CancellationToken, session: Weak<Shared>) -> Self {
        Self {
            id,
            cancel,
            session,
        }
    }

    /// Returns the ID of the request.
    pub fn request_id(&self) -> &RequestId {
        &self.id
    }

    /// Returns a token that is cancelled when the answer is no longer awaited: the CLI withdrew the request, it timed
    /// out, or the session ended. The callback itself is then dropped. The token is for work that the callback has
    /// started elsewhere. The token is not cancelled if the request was answered.
    pub fn token(&self) -> &CancellationToken {
        &self.cancel
    }

    /// Completes when the CLI no longer waits for the answer to this request.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe.
    pub fn cancelled(&self) -> impl Future<Output = ()> + Send + use<> {
        self.cancel.clone().cancelled_owned()
    }

    /// Returns the session that the request came from. Returns `None` once the session's last handle was dropped. A
    /// callback can call the CLI through this session. Keeping the returned session keeps the session alive.
    pub fn session(&self) -> Option<Session> {
        let shared = self.session.upgrade()?;
        Some(Session { shared })
    }
}

impl fmt::Debug for CallbackContext {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CallbackContext")
            .field("request_id", &self.id)
            .field("cancelled", &self.cancel.is_cancelled())
            .finish_non_exhaustive()
    }
}

//! What can be done about prompts that were sent: files as they were before one, and taking one back that waits.

use claw_types::MessageUuid;
use claw_types::control::{RewindFiles, RewindFilesResponse};
use tokio::sync::oneshot;

use super::driver::Control;
use super::{HubError, LiveSession};

impl LiveSession {
    /// Restores the files that were changed since a prompt, or says which ones that would be. Starts a process if there
    /// is none.
    ///
    /// # Errors
    ///
    /// [`HubError::Claude`] if they cannot be restored; a dry run says why in its response.
    pub(crate) async fn rewind(
        &self,
        prompt: &MessageUuid,
        is_dry: bool,
    ) -> Result<RewindFilesResponse, HubError> {
        let rewind = RewindFiles::new(prompt.clone()).dry_run(is_dry);
        Ok(self.pooled.call(rewind).await?)
    }

    /// Takes a prompt back that waits. `false` if it does not wait (any more).
    ///
    /// # Errors
    ///
    /// [`HubError::NoSession`] if the session was closed, [`HubError::Claude`].
    pub async fn take_back(&self, prompt: &MessageUuid) -> Result<bool, HubError> {
        let (done, outcome) = oneshot::channel();
        let order = Control::TakeBack(prompt.clone(), done);
        let sent = self.controls.send(order).await;
        sent.map_err(|_| HubError::NoSession)?;
        let outcome = outcome.await.map_err(|_| HubError::NoSession)?;
        Ok(outcome?)
    }
}

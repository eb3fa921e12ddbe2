//! Calls about prompts that were sent. They restore the files from before a prompt, report what has changed since a
//! prompt, or take a queued prompt back.

use std::time::Duration;

use claw_sessions::on_pool;
use claw_types::MessageUuid;
use claw_types::control::{
    GetWorkspaceDiff, GetWorkspaceDiffResponse, RewindFiles, RewindFilesResponse,
};
use tokio::sync::oneshot;
use tokio::time::timeout;

use super::control::Control;
use super::{HubError, LiveSession};
use crate::conversation::Conversation;

/// Maximum time for the CLI to report the changes in the repository.
const PATIENCE: Duration = Duration::from_secs(5);

impl LiveSession {
    /// Restores the files that were changed since a prompt. If `is_dry` is `true`, only returns which files would be
    /// restored. Starts a process if there is none.
    ///
    /// # Errors
    ///
    /// Fails with [`HubError::Claude`] if the files cannot be restored. A dry run does not fail then: its response
    /// contains the reason.
    pub(crate) async fn rewind(
        &self,
        prompt: &MessageUuid,
        is_dry: bool,
    ) -> Result<RewindFilesResponse, HubError> {
        let rewind = RewindFiles::new(prompt.clone()).dry_run(is_dry);
        Ok(self.pooled.call(rewind).await?)
    }

    /// Returns the changes in the repository that the CLI reports. Returns `None` if the session has no process,
    /// because the call does not start one. If the CLI fails or takes too long, the result contains a reason.
    pub(crate) async fn workspace_diff(&self) -> Option<GetWorkspaceDiffResponse> {
        if !self.pooled.has_process() {
            return None;
        }
        let reported = timeout(PATIENCE, self.pooled.call(GetWorkspaceDiff::new())).await;
        let reason = match reported {
            Ok(Ok(reported)) => return Some(reported),
            Ok(Err(error)) => {
                tracing::debug!(%error, "the CLI does not report the changes of a repository");
                "not-reported"
            }
            Err(_) => "timed-out",
        };
        Some(GetWorkspaceDiffResponse::new().no_diff_reason(reason))
    }

    /// Discards a prompt that an earlier server or host accepted and never sent to claude. Returns `false` if there is
    /// no such prompt, or if it was sent in the meantime.
    pub(crate) async fn dismiss(&self, prompt: &MessageUuid) -> bool {
        let _in_order = self.accepting.lock().await;
        if !self.shared.peek(Conversation::unsent).contains(prompt) {
            return false;
        }
        let (shared, of) = (self.shared.clone(), prompt.clone());
        on_pool::run(move || shared.prompts.dismiss(&shared.id(), &of)).await;
        self.shared
            .with(|conversation| conversation.dismiss(prompt))
    }

    /// Cancels a prompt that still waits to be processed. Returns `false` if no such prompt is waiting.
    ///
    /// # Errors
    ///
    /// Fails with [`HubError::Busy`] if the session was closed, and with [`HubError::Claude`] if the CLI fails.
    pub async fn take_back(&self, prompt: &MessageUuid) -> Result<bool, HubError> {
        let (done, outcome) = oneshot::channel();
        let control = Control::TakeBack(prompt.clone(), done);
        let sent = self.controls.send(control).await;
        sent.map_err(|_| self.closed())?;
        let outcome = outcome.await.map_err(|_| self.closed())?;
        Ok(outcome?)
    }
}

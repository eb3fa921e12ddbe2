//! Methods of the protocol that are not stable yet.

use std::sync::Arc;

use agent_client_protocol::Error;
use agent_client_protocol::v1::schema::{
    ArchiveSessionRequest, ArchiveSessionResponse, ForkSessionRequest, ForkSessionResponse,
    SessionArchiveCapabilities, SessionCapabilities, SessionForkCapabilities, SessionId,
    SessionTitleCapabilities, SetSessionTitleRequest, SetSessionTitleResponse,
    UnarchiveSessionRequest, UnarchiveSessionResponse,
};
use claw_client::store::Changes;

use super::Handlers;
use crate::peer::Peer;
use crate::session::LiveSession;

/// Adds the capabilities for the methods of this file to the sessions' capabilities.
pub(super) fn capabilities(sessions: SessionCapabilities) -> SessionCapabilities {
    sessions
        .fork(SessionForkCapabilities::new())
        .archive(SessionArchiveCapabilities::new())
        .title(SessionTitleCapabilities::new())
}

impl Handlers {
    pub(crate) async fn fork(
        &self,
        peer: Peer,
        request: ForkSessionRequest,
    ) -> Result<(ForkSessionResponse, Arc<LiveSession>), Error> {
        let options = self.options(
            &request.cwd,
            &request.additional_directories,
            &request.mcp_servers,
        )?;
        let id = self.stored()?.fork(&request.session_id).await?;
        let live = self.reopen(peer, &id, options).await?;
        let settings = live.settings().clone();
        let response = ForkSessionResponse::new(id)
            .modes(settings.modes())
            .config_options(settings.options());
        Ok((response, live))
    }

    pub(crate) async fn set_title(
        &self,
        _: Peer,
        request: SetSessionTitleRequest,
    ) -> Result<SetSessionTitleResponse, Error> {
        let changes = Changes::new().title(&*request.title);
        self.change(&request.session_id, changes).await?;
        Ok(SetSessionTitleResponse::new(request.title))
    }

    pub(crate) async fn archive(
        &self,
        _: Peer,
        request: ArchiveSessionRequest,
    ) -> Result<ArchiveSessionResponse, Error> {
        let changes = Changes::new().archived(true);
        self.change(&request.session_id, changes).await?;
        Ok(ArchiveSessionResponse::new())
    }

    pub(crate) async fn unarchive(
        &self,
        _: Peer,
        request: UnarchiveSessionRequest,
    ) -> Result<UnarchiveSessionResponse, Error> {
        let changes = Changes::new().archived(false);
        self.change(&request.session_id, changes).await?;
        Ok(UnarchiveSessionResponse::new())
    }

    async fn change(&self, id: &SessionId, changes: Changes) -> Result<(), Error> {
        self.stored()?.change(id, changes).await
    }
}

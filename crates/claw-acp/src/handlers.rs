//! The handlers of the protocol's methods.

use std::future::Future;
use std::path::{Path, PathBuf};
use std::pin::pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use agent_client_protocol::v1::schema::{
    AgentAuthCapabilities, AgentCapabilities, AuthMethod, AuthenticateRequest,
    AuthenticateResponse, CloseSessionRequest, CloseSessionResponse, DeleteSessionRequest,
    DeleteSessionResponse, Implementation, InitializeRequest, InitializeResponse,
    ListSessionsRequest, ListSessionsResponse, LoadSessionRequest, LoadSessionResponse,
    LogoutCapabilities, LogoutRequest, LogoutResponse, McpCapabilities, McpServer,
    NewSessionRequest, NewSessionResponse, PromptCapabilities, PromptRequest, PromptResponse,
    ResumeSessionRequest, ResumeSessionResponse, SessionAdditionalDirectoriesCapabilities,
    SessionCapabilities, SessionCloseCapabilities, SessionDeleteCapabilities, SessionId,
    SessionListCapabilities, SessionResumeCapabilities, SetSessionConfigOptionRequest,
    SetSessionConfigOptionResponse, SetSessionModeRequest, SetSessionModeResponse, StopReason,
};
use agent_client_protocol::{Error, RequestCancellation};
use claw_sessions::{Branches, EntryLine, on_pool};
use claw_types::{MessageUuid, QueryOptions};
use claw_view::{Input, Timeline};
use uuid::Uuid;

use crate::config::Config;
use crate::failure::{failed, invalid, is_not_found};
use crate::offer::Offer;
use crate::outbox::{Disconnected, Outbox};
use crate::peer::{Connection, Peer};
use crate::session::LiveSession;
use crate::sessions::Sessions;
use crate::stored::{Opened, Stored};
use crate::updates::Updates;
use crate::{auth, prompt, start};

mod unstable;

/// The handlers of one connection, and their shared state.
pub(crate) struct Handlers {
    config: Arc<Config>,
    sessions: Sessions,
    outbox: Outbox,
    /// The capabilities that the client offered. Set by `initialize`.
    offer: Mutex<Option<Offer>>,
}

impl Handlers {
    pub(crate) fn new(config: Arc<Config>, outbox: Outbox) -> Self {
        Self {
            config,
            sessions: Sessions::default(),
            outbox,
            offer: Mutex::default(),
        }
    }

    /// Returns the client, with the capabilities that it has offered so far.
    pub(crate) fn peer(&self, connection: impl Into<Connection>) -> Peer {
        let offer = self.offer().clone().unwrap_or_default();
        Peer::new(connection.into(), self.outbox.clone(), offer)
    }

    fn offer(&self) -> MutexGuard<'_, Option<Offer>> {
        self.offer.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Ends all sessions.
    pub(crate) async fn end(&self) {
        self.sessions.close().await;
    }

    fn stored(&self) -> Result<Stored, Error> {
        self.config.stored()
    }

    #[expect(
        clippy::unnecessary_wraps,
        reason = "it is a method of the protocol, as the others are"
    )]
    pub(crate) fn initialize(
        &self,
        request: &InitializeRequest,
    ) -> Result<InitializeResponse, Error> {
        let offer = Offer::from(&request.client_capabilities);
        let login = self.login(&offer);
        // A second `initialize` does not change the capabilities.
        self.offer().get_or_insert(offer);
        let version = agent_client_protocol::schema::ProtocolVersion::V1;
        Ok(InitializeResponse::new(version)
            .agent_capabilities(capabilities())
            .agent_info(implementation())
            .auth_methods(login.into_iter().collect()))
    }

    /// Sets the capabilities that the client offered, and returns the login for the client. A later call replaces the
    /// capabilities.
    #[cfg(feature = "v2-draft")]
    pub(crate) fn set_offer(&self, offer: Offer) -> Option<AuthMethod> {
        let login = self.login(&offer);
        *self.offer() = Some(offer);
        login
    }

    fn login(&self, offer: &Offer) -> Option<AuthMethod> {
        let login = self.config.login.as_deref();
        login.and_then(|arguments| auth::method(offer, arguments))
    }

    /// The login runs in the client's terminal, so there is nothing to do here. Processes that start after the login
    /// use it.
    #[expect(
        clippy::unused_self,
        reason = "it is a method of the protocol, as the others are"
    )]
    pub(crate) fn authenticate(
        &self,
        request: &AuthenticateRequest,
    ) -> Result<AuthenticateResponse, Error> {
        if &*request.method_id.0 == auth::LOGIN {
            return Ok(AuthenticateResponse::new());
        }
        Err(invalid(format!(
            "methodId: there is no login `{}`",
            request.method_id
        )))
    }

    pub(crate) async fn log_out(&self, _: Peer, _: LogoutRequest) -> Result<LogoutResponse, Error> {
        auth::log_out(&self.config.first_options()).await?;
        Ok(LogoutResponse::new())
    }

    pub(crate) async fn new_session(
        &self,
        peer: Peer,
        request: NewSessionRequest,
    ) -> Result<(NewSessionResponse, Arc<LiveSession>), Error> {
        let id = SessionId::new(Uuid::new_v4().to_string());
        let mut options = self.options(
            &request.cwd,
            &request.additional_directories,
            &request.mcp_servers,
        )?;
        options.session_id = Some(id.0.to_string().into());
        let live = self.start(peer, &id, options).await?;
        let settings = live.settings().clone();
        let response = NewSessionResponse::new(id)
            .modes(settings.modes())
            .config_options(settings.options());
        Ok((response, live))
    }

    /// Resumes a session without sending its conversation to the client.
    pub(crate) async fn resume(
        &self,
        peer: Peer,
        request: ResumeSessionRequest,
    ) -> Result<(ResumeSessionResponse, Arc<LiveSession>), Error> {
        let options = self.options(
            &request.cwd,
            &request.additional_directories,
            &request.mcp_servers,
        )?;
        let live = self.reopen(peer, &request.session_id, options).await?;
        let settings = live.settings().clone();
        let response = ResumeSessionResponse::new()
            .modes(settings.modes())
            .config_options(settings.options());
        Ok((response, live))
    }

    /// Loads a session. Its whole conversation is sent before the response.
    pub(crate) async fn load(
        &self,
        peer: Peer,
        request: LoadSessionRequest,
    ) -> Result<(LoadSessionResponse, Arc<LiveSession>), Error> {
        let id = &request.session_id;
        let options = self.options(
            &request.cwd,
            &request.additional_directories,
            &request.mcp_servers,
        )?;
        let opened = self.stored()?.open(id).await?;
        replay(&peer, id, opened).await?;
        let live = self.reopen(peer, id, options).await?;
        let settings = live.settings().clone();
        let response = LoadSessionResponse::new()
            .modes(settings.modes())
            .config_options(settings.options());
        Ok((response, live))
    }

    fn options(
        &self,
        cwd: &Path,
        directories: &[PathBuf],
        servers: &[McpServer],
    ) -> Result<QueryOptions, Error> {
        start::options(&self.config, cwd, directories, servers)
    }

    /// Returns the live session with this ID, or starts a new process that continues the stored session.
    async fn reopen(
        &self,
        peer: Peer,
        id: &SessionId,
        mut options: QueryOptions,
    ) -> Result<Arc<LiveSession>, Error> {
        options.resume = Some(id.0.to_string().into());
        let connect = async || {
            self.config.set_config_dir_of(id, &mut options).await?;
            start::connect(&self.config, peer, id.clone(), options).await
        };
        self.sessions.open(&id.0, connect).await
    }

    async fn start(
        &self,
        peer: Peer,
        id: &SessionId,
        options: QueryOptions,
    ) -> Result<Arc<LiveSession>, Error> {
        let connect = || start::connect(&self.config, peer, id.clone(), options);
        self.sessions.open(&id.0, connect).await
    }

    pub(crate) async fn list(
        &self,
        _: Peer,
        request: ListSessionsRequest,
    ) -> Result<ListSessionsResponse, Error> {
        self.stored()?.list(&request).await
    }

    pub(crate) async fn close(
        &self,
        _: Peer,
        request: CloseSessionRequest,
    ) -> Result<CloseSessionResponse, Error> {
        self.sessions.close_one(&request.session_id.0).await?;
        Ok(CloseSessionResponse::new())
    }

    pub(crate) async fn delete(
        &self,
        _: Peer,
        request: DeleteSessionRequest,
    ) -> Result<DeleteSessionResponse, Error> {
        let id = &request.session_id;
        // The process would write the transcript again, so it is ended before the transcript is deleted.
        let _ = self.sessions.close_one(&id.0).await;
        self.stored()?.delete(id).await?;
        Ok(DeleteSessionResponse::new())
    }

    pub(crate) async fn set_mode(
        &self,
        _: Peer,
        request: SetSessionModeRequest,
    ) -> Result<SetSessionModeResponse, Error> {
        let live = self.sessions.get(&request.session_id.0).await?;
        live.set_mode(&request.mode_id.0).await?;
        Ok(SetSessionModeResponse::new())
    }

    pub(crate) async fn set_option(
        &self,
        _: Peer,
        request: SetSessionConfigOptionRequest,
    ) -> Result<SetSessionConfigOptionResponse, Error> {
        let live = self.sessions.get(&request.session_id.0).await?;
        let value = request.value.as_value_id();
        let value = value.ok_or_else(|| invalid("value: it must be one of the option's values"))?;
        let options = live.set_option(&request.config_id.0, &value.0).await?;
        Ok(SetSessionConfigOptionResponse::new(options))
    }

    /// Returns a future that completes when a prompt is cancelled. Call this method when the prompt arrives, so that no
    /// later cancellation is missed.
    pub(crate) fn cancelled(
        &self,
        id: &SessionId,
        request: RequestCancellation,
    ) -> impl Future<Output = ()> + Send + use<> {
        let cancels = self.sessions.cancels(&id.0);
        async move {
            let of_session = async {
                match cancels {
                    // If the session was closed, its turn has ended too.
                    Some(mut cancels) => drop(cancels.changed().await),
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                () = of_session => {}
                () = request.cancelled() => {}
            }
        }
    }

    pub(crate) async fn prompt(
        &self,
        peer: Peer,
        request: PromptRequest,
        cancelled: impl Future<Output = ()>,
    ) -> Result<PromptResponse, Error> {
        let content = prompt::content(&request.prompt)?;
        let mut cancelled = pin!(cancelled);
        let live = tokio::select! {
            live = self.running(peer, &request.session_id) => live?,
            () = &mut cancelled => return Ok(PromptResponse::new(StopReason::Cancelled)),
        };
        let stop = live
            .prompt(MessageUuid::random(), content, cancelled)
            .await?;
        Ok(PromptResponse::new(stop))
    }

    /// Returns the session with this ID, with a process that accepts prompts. If its process has ended, another process
    /// continues the session.
    pub(crate) async fn running(
        &self,
        peer: Peer,
        id: &SessionId,
    ) -> Result<Arc<LiveSession>, Error> {
        let live = self.sessions.get(&id.0).await?;
        if !live.has_ended() {
            return Ok(live);
        }
        let connect = async || {
            let begun = live.options();
            let mut continued = begun.clone();
            continued.session_id = None;
            continued.resume = Some(live.conversation());
            let connected = start::connect(&self.config, peer.clone(), id.clone(), continued).await;
            match connected {
                // The conversation is still empty, so it is not stored.
                Err(error) if is_not_found(&error) && begun.session_id.is_some() => {
                    start::connect(&self.config, peer, id.clone(), begun).await
                }
                connected => connected,
            }
        };
        self.sessions.open(&id.0, connect).await
    }

    /// Returns the live session with this ID.
    #[cfg(feature = "v2-draft")]
    pub(crate) async fn live(&self, id: &SessionId) -> Option<Arc<LiveSession>> {
        self.sessions.get(&id.0).await.ok()
    }

    /// Sends the title of a session if it has changed. The CLI may change the title in each turn.
    pub(crate) async fn send_title(&self, id: &SessionId) {
        let Ok(live) = self.sessions.get(&id.0).await else {
            return;
        };
        let conversation = SessionId::new(live.conversation().as_str());
        if let Ok(stored) = self.stored()
            && let Some(title) = stored.title(&conversation).await
        {
            live.title(title).await;
        }
    }

    /// Cancels the prompts of a session. Cancelling an unknown session has no effect.
    pub(crate) fn cancel(&self, id: &SessionId) -> impl Future<Output = ()> + Send + use<> {
        let has_prompts = self.sessions.cancel(&id.0);
        let (sessions, id) = (self.sessions.clone(), id.clone());
        async move {
            // Each prompt ends its own turn. A turn without a prompt is interrupted here.
            if !has_prompts && let Ok(live) = sessions.get(&id.0).await {
                live.interrupt().await;
            }
        }
    }
}

/// Sends the conversation of a stored session to the client, without the branches that were rewound. The transcript is
/// read at the pace at which the client receives the updates.
async fn replay(peer: &Peer, id: &SessionId, opened: Opened) -> Result<(), Error> {
    let session = opened.session.clone();
    let read = on_pool::run(move || session.conversation(Branches::Current)).await;
    let items = read.map_err(|error| failed("the transcript cannot be read", &error))?;
    let mut items = on_pool::each(items);
    let mut timeline = Timeline::default();
    let mut updates = Updates::history(peer.offer.clone());
    #[cfg(feature = "v2-draft")]
    let peer = &peer.clone().for_replay();
    while let Some(item) = items.next().await {
        let item = item.map_err(|error| failed("the transcript cannot be read", &error))?;
        let changes = match item.entry() {
            Ok(entry) => timeline.push(Input::Entry(&entry)),
            Err(error) => {
                let number = item.line().map(EntryLine::number);
                tracing::warn!(session = %id, number, %error, "a line of the transcript cannot be read");
                // The timeline can still interpret a line in an older form of the protocol.
                let raw = item.line().and_then(EntryLine::raw).unwrap_or_default();
                timeline.push(Input::Line(&String::from_utf8_lossy(raw)))
            }
        };
        let sent = peer.updates(id, updates.changes(changes)).await;
        sent.map_err(|Disconnected| Error::internal_error())?;
    }
    Ok(())
}

/// Returns the name and the version of this agent.
pub(crate) fn implementation() -> Implementation {
    let agent = Implementation::new("claw", env!("CARGO_PKG_VERSION"));
    agent.title("Claude Code (claw)".to_owned())
}

fn capabilities() -> AgentCapabilities {
    let sessions = SessionCapabilities::new()
        .list(SessionListCapabilities::new())
        .delete(SessionDeleteCapabilities::new())
        .additional_directories(SessionAdditionalDirectoriesCapabilities::new())
        .resume(SessionResumeCapabilities::new())
        .close(SessionCloseCapabilities::new());
    let prompts = PromptCapabilities::new().image(true).embedded_context(true);
    AgentCapabilities::new()
        .load_session(true)
        .prompt_capabilities(prompts)
        .mcp_capabilities(McpCapabilities::new().http(true).sse(true))
        .session_capabilities(unstable::capabilities(sessions))
        .auth(AgentAuthCapabilities::new().logout(LogoutCapabilities::new()))
}

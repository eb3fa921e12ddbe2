//! The methods of the protocol.

use std::future::Future;
use std::path::Path;
use std::sync::{Arc, OnceLock};

use agent_client_protocol::v1::schema::{
    AgentAuthCapabilities, AgentCapabilities, AuthMethod, AuthMethodTerminal, AuthenticateRequest,
    AuthenticateResponse, CancelNotification, CloseSessionRequest, CloseSessionResponse,
    DeleteSessionRequest, DeleteSessionResponse, Implementation, InitializeRequest,
    InitializeResponse, ListSessionsRequest, LoadSessionRequest, LoadSessionResponse,
    McpCapabilities, McpServer, NewSessionRequest, NewSessionResponse, PromptCapabilities,
    PromptRequest, ResumeSessionRequest, ResumeSessionResponse,
    SessionAdditionalDirectoriesCapabilities, SessionCapabilities, SessionCloseCapabilities,
    SessionDeleteCapabilities, SessionId, SessionListCapabilities, SessionResumeCapabilities,
    SetSessionConfigOptionRequest, SetSessionConfigOptionResponse, SetSessionModeRequest,
    SetSessionModeResponse,
};
use agent_client_protocol::v1::{ConnectionTo, Responder};
use agent_client_protocol::{
    Agent as AgentRole, Client, ConnectTo, Error, JsonRpcResponse, on_receive_notification,
    on_receive_request,
};
use claw_client::Session;
use claw_sessions::on_pool;
use claw_types::QueryOptions;
use claw_types::options::{PermissionMode, SettingSource, SystemPrompt};
use uuid::Uuid;

use crate::agent::Config;
use crate::failure::{failed, invalid, of_claude, unknown_session};
use crate::offer::Offer;
use crate::outbox::Outbox;
use crate::peer::Peer;
use crate::session::LiveSession;
use crate::sessions::Sessions;
use crate::settings::Settings;
use crate::{history, mcp, permission, prompt, question};

/// The ID of the login in a terminal.
const LOGIN: &str = "claude-login";

/// The state of one connection.
pub(crate) struct Handlers {
    config: Arc<Config>,
    sessions: Sessions,
    outbox: Outbox,
    /// What the client offered. Set by `initialize`.
    offer: OnceLock<Offer>,
}

/// What a session begins with, besides the agent's own options.
struct Start<'a> {
    cwd: &'a Path,
    directories: &'a [std::path::PathBuf],
    servers: &'a [McpServer],
}

/// Serves the client until it leaves.
pub(crate) async fn serve(
    config: Arc<Config>,
    outbox: Outbox,
    transport: impl ConnectTo<AgentRole> + 'static,
) -> Result<(), Error> {
    let handlers = Arc::new(Handlers {
        config,
        sessions: Sessions::default(),
        outbox: outbox.clone(),
        offer: OnceLock::new(),
    });
    /// A handler for requests of one kind, which runs beside all others.
    macro_rules! on {
        ($method:ident, $request:ty) => {{
            let handlers = handlers.clone();
            async move |request: $request, responder, connection: ConnectionTo<Client>| {
                let handlers = handlers.clone();
                let peer = handlers.peer(&connection);
                let answer = async move { handlers.$method(peer, request).await };
                reply(&connection, responder, answer)
            }
        }};
    }
    let cancelling = handlers.clone();
    let opening = handlers.clone();
    let prompting = handlers.clone();
    let served = AgentRole
        .v1()
        .name("claw")
        .on_receive_request(on!(initialize, InitializeRequest), on_receive_request!())
        .on_receive_request(
            on!(authenticate, AuthenticateRequest),
            on_receive_request!(),
        )
        .on_receive_request(
            async move |request: NewSessionRequest, responder, connection: ConnectionTo<Client>| {
                let handlers = opening.clone();
                let peer = handlers.peer(&connection);
                open(&connection, responder, async move {
                    handlers.new_session(peer, request).await
                })
            },
            on_receive_request!(),
        )
        .on_receive_request(on!(load, LoadSessionRequest), on_receive_request!())
        .on_receive_request(on!(resume, ResumeSessionRequest), on_receive_request!())
        .on_receive_request(on!(list, ListSessionsRequest), on_receive_request!())
        .on_receive_request(on!(close, CloseSessionRequest), on_receive_request!())
        .on_receive_request(on!(delete, DeleteSessionRequest), on_receive_request!())
        .on_receive_request(on!(set_mode, SetSessionModeRequest), on_receive_request!())
        .on_receive_request(
            on!(set_option, SetSessionConfigOptionRequest),
            on_receive_request!(),
        )
        .on_receive_request(
            async move |request: PromptRequest, responder: Responder<_>, connection| {
                let handlers = prompting.clone();
                let cancellation = responder.cancellation();
                let peer = handlers.peer(&connection);
                connection.spawn(async move {
                    let answer = handlers.prompt(peer, request, cancellation).await;
                    responder.respond_with_result(answer)
                })
            },
            on_receive_request!(),
        )
        .on_receive_notification(
            async move |cancel: CancelNotification, connection: ConnectionTo<Client>| {
                let handlers = cancelling.clone();
                connection.spawn(async move {
                    if let Ok(live) = handlers.sessions.get(&cancel.session_id.0).await {
                        live.cancel().await;
                    }
                    Ok(())
                })
            },
            on_receive_notification!(),
        )
        .connect_to(transport)
        .await;
    outbox.close();
    handlers.sessions.close().await;
    served
}

/// Answers a request when its work is done, or at once if the client withdraws it.
fn reply<T: JsonRpcResponse>(
    connection: &ConnectionTo<Client>,
    responder: Responder<T>,
    work: impl Future<Output = Result<T, Error>> + Send + 'static,
) -> Result<(), Error> {
    let cancellation = responder.cancellation();
    connection.spawn(async move {
        let answer = cancellation.run_until_cancelled(work).await;
        responder.respond_with_result(answer)
    })
}

/// Answers a request that opens a session. The updates about it follow the answer: some clients wait for ever for the
/// answer if an update of an unknown session comes before it.
fn open<T: JsonRpcResponse>(
    connection: &ConnectionTo<Client>,
    responder: Responder<T>,
    work: impl Future<Output = Result<(T, Arc<LiveSession>), Error>> + Send + 'static,
) -> Result<(), Error> {
    let cancellation = responder.cancellation();
    connection.spawn(async move {
        match cancellation.run_until_cancelled(work).await {
            Ok((answer, live)) => {
                responder.respond(answer)?;
                live.announce().await;
                Ok(())
            }
            Err(error) => responder.respond_with_error(error),
        }
    })
}

impl Handlers {
    fn peer(&self, connection: &ConnectionTo<Client>) -> Peer {
        let offer = self.offer.get().cloned().unwrap_or_default();
        Peer::new(connection.clone(), self.outbox.clone(), offer)
    }

    async fn initialize(
        &self,
        _: Peer,
        request: InitializeRequest,
    ) -> Result<InitializeResponse, Error> {
        let offer = Offer::from(&request.client_capabilities);
        let has_terminal = offer.terminal_login;
        // A second `initialize` changes nothing.
        let _ = self.offer.set(offer);
        let sessions = SessionCapabilities::new()
            .list(SessionListCapabilities::new())
            .delete(SessionDeleteCapabilities::new())
            .additional_directories(SessionAdditionalDirectoriesCapabilities::new())
            .resume(SessionResumeCapabilities::new())
            .close(SessionCloseCapabilities::new());
        let capabilities = AgentCapabilities::new()
            .load_session(true)
            .prompt_capabilities(PromptCapabilities::new().image(true).embedded_context(true))
            .mcp_capabilities(McpCapabilities::new().http(true).sse(true))
            .session_capabilities(sessions)
            .auth(AgentAuthCapabilities::new());
        let login = self.config.login.as_ref().filter(|_| has_terminal);
        let login = login.map(|arguments| {
            AuthMethod::Terminal(
                AuthMethodTerminal::new(LOGIN, "Log in to Claude")
                    .description("Runs the login of Claude Code in a terminal.".to_owned())
                    .args(arguments.clone()),
            )
        });
        Ok(
            InitializeResponse::new(agent_client_protocol::schema::ProtocolVersion::V1)
                .agent_capabilities(capabilities)
                .agent_info(
                    Implementation::new("claw", env!("CARGO_PKG_VERSION"))
                        .title("Claude Code (claw)".to_owned()),
                )
                .auth_methods(login.into_iter().collect()),
        )
    }

    /// The login runs in the client's terminal. A process that is started afterwards finds it.
    async fn authenticate(
        &self,
        _: Peer,
        request: AuthenticateRequest,
    ) -> Result<AuthenticateResponse, Error> {
        if &*request.method_id.0 == LOGIN {
            return Ok(AuthenticateResponse::new());
        }
        Err(invalid(format!(
            "there is no login `{}`",
            request.method_id
        )))
    }

    async fn new_session(
        &self,
        peer: Peer,
        request: NewSessionRequest,
    ) -> Result<(NewSessionResponse, Arc<LiveSession>), Error> {
        let id = SessionId::new(Uuid::new_v4().to_string());
        let start = Start {
            cwd: &request.cwd,
            directories: &request.additional_directories,
            servers: &request.mcp_servers,
        };
        let mut options = self.options(&start)?;
        options.session_id = Some(id.0.to_string().into());
        let connect = || self.connect(peer, id.clone(), options);
        let live = self.sessions.open(&id.0, connect).await?;
        let settings = live.settings().clone();
        let response = NewSessionResponse::new(id)
            .modes(settings.modes())
            .config_options(settings.options());
        Ok((response, live))
    }

    /// Resumes a session, whose conversation the client does not want to see again.
    async fn resume(
        &self,
        peer: Peer,
        request: ResumeSessionRequest,
    ) -> Result<ResumeSessionResponse, Error> {
        let start = Start {
            cwd: &request.cwd,
            directories: &request.additional_directories,
            servers: &request.mcp_servers,
        };
        let live = self
            .reopen(peer, request.session_id.clone(), &start)
            .await?;
        let settings = live.settings().clone();
        Ok(ResumeSessionResponse::new()
            .modes(settings.modes())
            .config_options(settings.options()))
    }

    /// Loads a session: its whole conversation is sent before the answer.
    async fn load(
        &self,
        peer: Peer,
        request: LoadSessionRequest,
    ) -> Result<LoadSessionResponse, Error> {
        let id = request.session_id.clone();
        let stored = self.find(&id).await?;
        let start = Start {
            cwd: &request.cwd,
            directories: &request.additional_directories,
            servers: &request.mcp_servers,
        };
        history::replay(&peer, &id, stored).await?;
        let live = self.reopen(peer, id, &start).await?;
        let settings = live.settings().clone();
        Ok(LoadSessionResponse::new()
            .modes(settings.modes())
            .config_options(settings.options()))
    }

    /// The live session with this ID, or a new process that continues the stored one.
    async fn reopen(
        &self,
        peer: Peer,
        id: SessionId,
        start: &Start<'_>,
    ) -> Result<Arc<LiveSession>, Error> {
        let mut options = self.options(start)?;
        options.resume = Some(id.0.to_string().into());
        let connect = || self.connect(peer, id.clone(), options);
        self.sessions.open(&id.0, connect).await
    }

    async fn find(&self, id: &SessionId) -> Result<claw_sessions::Session, Error> {
        let sessions = self.stored()?;
        let text = id.0.to_string();
        let found = on_pool::run(move || sessions.find(&text)).await;
        found.map_err(|error| {
            if error.is_not_found() {
                unknown_session(&id.0)
            } else {
                failed("the session cannot be found", &error)
            }
        })
    }

    fn stored(&self) -> Result<claw_sessions::Sessions, Error> {
        let config = &self.config;
        let sessions = config
            .stored
            .clone()
            .map_or_else(claw_sessions::Sessions::of_user, Ok);
        sessions.map_err(|error| failed("the sessions cannot be found", &error))
    }

    async fn list(
        &self,
        _: Peer,
        request: ListSessionsRequest,
    ) -> Result<agent_client_protocol::v1::schema::ListSessionsResponse, Error> {
        history::list(self.stored()?, request).await
    }

    async fn close(
        &self,
        _: Peer,
        request: CloseSessionRequest,
    ) -> Result<CloseSessionResponse, Error> {
        let live = self.sessions.remove(&request.session_id.0).await;
        let live = live.ok_or_else(|| unknown_session(&request.session_id.0))?;
        live.cancel().await;
        live.close().await?;
        Ok(CloseSessionResponse::new())
    }

    async fn delete(
        &self,
        _: Peer,
        request: DeleteSessionRequest,
    ) -> Result<DeleteSessionResponse, Error> {
        let live = self.sessions.remove(&request.session_id.0).await;
        if let Some(live) = live {
            live.close().await?;
        }
        // A session that is not there needs no deletion.
        match self.find(&request.session_id).await {
            Ok(stored) => {
                let deleted = on_pool::run(move || stored.delete()).await;
                deleted.map_err(|error| failed("the session was not deleted", &error))?;
            }
            Err(error) if error == unknown_session(&request.session_id.0) => {}
            Err(error) => return Err(error),
        }
        Ok(DeleteSessionResponse::new())
    }

    async fn set_mode(
        &self,
        _: Peer,
        request: SetSessionModeRequest,
    ) -> Result<SetSessionModeResponse, Error> {
        let live = self.sessions.get(&request.session_id.0).await?;
        live.set_mode(&request.mode_id.0).await?;
        Ok(SetSessionModeResponse::new())
    }

    async fn set_option(
        &self,
        _: Peer,
        request: SetSessionConfigOptionRequest,
    ) -> Result<SetSessionConfigOptionResponse, Error> {
        let live = self.sessions.get(&request.session_id.0).await?;
        let value = request.value.as_value_id();
        let value = value.ok_or_else(|| invalid("the value must be one of the option's values"))?;
        let options = live.set_option(&request.config_id.0, &value.0).await?;
        Ok(SetSessionConfigOptionResponse::new(options))
    }

    async fn prompt(
        &self,
        _: Peer,
        request: PromptRequest,
        cancellation: agent_client_protocol::RequestCancellation,
    ) -> Result<agent_client_protocol::v1::schema::PromptResponse, Error> {
        let content = prompt::content(&request.prompt)?;
        let live = self.sessions.get(&request.session_id.0).await?;
        let answer = live.prompt(content, cancellation).await?;
        self.send_title(&live).await;
        Ok(answer)
    }

    /// Sends the title of a session, which the CLI writes into the transcript.
    async fn send_title(&self, live: &LiveSession) {
        let Ok(stored) = self.find(&live.id).await else {
            return;
        };
        let info = on_pool::run(move || stored.info()).await;
        if let Ok(Some(info)) = info {
            live.title(info.summary).await;
        }
    }

    /// The options of a session.
    fn options(&self, start: &Start<'_>) -> Result<QueryOptions, Error> {
        if !start.cwd.is_absolute() {
            let path = start.cwd.display();
            return Err(invalid(format!("cwd: `{path}` is not an absolute path")));
        }
        let mut options = self.config.options.clone();
        options.cwd = Some(start.cwd.to_owned());
        options.include_partial_messages = Some(true);
        options
            .system_prompt
            .get_or_insert_with(SystemPrompt::claude_code);
        options.setting_sources.get_or_insert_with(|| {
            vec![
                SettingSource::User,
                SettingSource::Project,
                SettingSource::Local,
            ]
        });
        if !start.directories.is_empty() {
            let directories = options.additional_directories.get_or_insert_default();
            directories.extend_from_slice(start.directories);
        }
        if !start.servers.is_empty() {
            let servers = options.mcp_servers.get_or_insert_default();
            for (name, server) in mcp::servers(start.servers)? {
                servers.insert(name, server);
            }
        }
        Ok(options)
    }

    /// Starts the process of a session.
    async fn connect(
        &self,
        peer: Peer,
        id: SessionId,
        options: QueryOptions,
    ) -> Result<Arc<LiveSession>, Error> {
        let asks = options.permission_mode != Some(PermissionMode::DontAsk);
        let begun = options.clone();
        let mut builder = Session::builder(options);
        if let Some(configure) = &self.config.configure {
            builder = configure(builder);
        }
        if asks {
            let (peer, id) = (peer.clone(), id.clone());
            builder = builder.can_use_tool(move |request| {
                let (peer, id) = (peer.clone(), id.clone());
                async move { permission::decide(&peer, &id, request).await }
            });
        }
        if peer.offer.forms || peer.offer.urls {
            let (peer, id) = (peer.clone(), id.clone());
            builder = builder.on_elicitation(move |elicitation, _| {
                let (peer, id) = (peer.clone(), id.clone());
                async move { question::elicit(&peer, &id, elicitation).await }
            });
        }
        let session = builder
            .initialize_timeout(self.config.start_timeout)
            .connect()
            .await;
        let session = session.map_err(|error| of_claude("Claude Code did not start", &error))?;
        let settings = Settings::new(&begun, session.info());
        LiveSession::start(id, session, peer, settings)
    }
}

//! The agent for clients of version 2.

use std::future::Future;
use std::path::PathBuf;
use std::pin::pin;
use std::sync::Arc;

use agent_client_protocol::schema::ProtocolVersion;
use agent_client_protocol::v1::schema as v1;
use agent_client_protocol::v2::schema::{
    AbsolutePath, AvailableCommand, CancelSessionNotification, CloseSessionRequest,
    CloseSessionResponse, DeleteSessionRequest, DeleteSessionResponse, Implementation,
    InitializeRequest, InitializeResponse, ListSessionsRequest, ListSessionsResponse,
    LoginAuthRequest, LoginAuthResponse, LogoutAuthRequest, LogoutAuthResponse, MessageId,
    NewSessionRequest, NewSessionResponse, PromptRequest, PromptResponse, ReplayFrom,
    ResumeSessionRequest, ResumeSessionResponse, SessionConfigOption,
    SetSessionConfigOptionRequest, SetSessionConfigOptionResponse,
};
use agent_client_protocol::v2::{ConnectionTo, Responder};
use agent_client_protocol::{
    Agent, Client, ConnectTo, Error, on_receive_notification, on_receive_request,
};
use claw_types::MessageUuid;

use super::convert::{not_found, v1_session, v2_session};
use super::link::Link;
use super::setup;
use crate::failure::{invalid, is_not_found};
use crate::handlers::{Handlers, implementation};
use crate::peer::{Connection, Peer};
use crate::session::LiveSession;

impl From<Link> for Connection {
    fn from(link: Link) -> Self {
        Self::V2(link)
    }
}

/// Returns the agent for clients of version 2.
pub(crate) fn agent(handlers: &Arc<Handlers>) -> impl ConnectTo<Client> + use<> {
    /// Creates a handler that runs concurrently with all other handlers. The client can cancel the request.
    macro_rules! on {
        ($answer:ident, $request:ty) => {{
            let handlers = handlers.clone();
            async move |request: $request,
                        responder: Responder<_>,
                        connection: ConnectionTo<Client>| {
                let handlers = handlers.clone();
                let peer = handlers.peer(Link::new(&connection));
                let cancellation = responder.cancellation();
                connection.spawn(async move {
                    let work = $answer(&handlers, peer, request);
                    let answer = cancellation.run_until_cancelled(work).await;
                    responder.respond_with_result(answer)
                })
            }
        }};
    }
    let (greeting, logging_in) = (handlers.clone(), handlers.clone());
    let (prompting, cancelling) = (handlers.clone(), handlers.clone());
    Agent
        .v2()
        .name("claw")
        .on_receive_request(
            async move |request: InitializeRequest,
                        responder: Responder<_>,
                        _: ConnectionTo<Client>| {
                responder.respond(initialize(&greeting, &request))
            },
            on_receive_request!(),
        )
        .on_receive_request(
            async move |request: LoginAuthRequest,
                        responder: Responder<_>,
                        _: ConnectionTo<Client>| {
                responder.respond_with_result(log_in(&logging_in, request))
            },
            on_receive_request!(),
        )
        .on_receive_request(on!(log_out, LogoutAuthRequest), on_receive_request!())
        .on_receive_request(on!(new_session, NewSessionRequest), on_receive_request!())
        .on_receive_request(on!(resume, ResumeSessionRequest), on_receive_request!())
        .on_receive_request(on!(list, ListSessionsRequest), on_receive_request!())
        .on_receive_request(on!(close, CloseSessionRequest), on_receive_request!())
        .on_receive_request(on!(delete, DeleteSessionRequest), on_receive_request!())
        .on_receive_request(
            on!(set_option, SetSessionConfigOptionRequest),
            on_receive_request!(),
        )
        .on_receive_request(
            async move |request: PromptRequest,
                        responder: Responder<_>,
                        connection: ConnectionTo<Client>| {
                let handlers = prompting.clone();
                let session = v1_session(&request.session_id);
                let cancelled = handlers.cancelled(&session, responder.cancellation());
                let peer = handlers.peer(Link::new(&connection));
                connection.spawn(async move {
                    prompt(&handlers, peer, request, responder, cancelled).await
                })
            },
            on_receive_request!(),
        )
        .on_receive_notification(
            async move |cancel: CancelSessionNotification, connection: ConnectionTo<Client>| {
                let cancelled = cancelling.cancel(&v1_session(&cancel.session_id));
                connection.spawn(async move {
                    cancelled.await;
                    Ok(())
                })
            },
            on_receive_notification!(),
        )
}

fn initialize(handlers: &Handlers, request: &InitializeRequest) -> InitializeResponse {
    let login = handlers.set_offer(setup::offer(&request.capabilities));
    let agent = implementation();
    let agent = Implementation::new(agent.name, agent.version).title(agent.title);
    let logins = login.and_then(setup::login).into_iter().collect();
    InitializeResponse::new(ProtocolVersion::V2, agent)
        .capabilities(setup::capabilities())
        .auth_methods(logins)
}

fn log_in(handlers: &Handlers, request: LoginAuthRequest) -> Result<LoginAuthResponse, Error> {
    let method = v1::AuthMethodId::new(request.method_id.0);
    handlers.authenticate(&v1::AuthenticateRequest::new(method))?;
    Ok(LoginAuthResponse::new())
}

async fn log_out(
    handlers: &Handlers,
    peer: Peer,
    _: LogoutAuthRequest,
) -> Result<LogoutAuthResponse, Error> {
    handlers.log_out(peer, v1::LogoutRequest::new()).await?;
    Ok(LogoutAuthResponse::new())
}

async fn new_session(
    handlers: &Handlers,
    peer: Peer,
    request: NewSessionRequest,
) -> Result<NewSessionResponse, Error> {
    setup::without_system_prompt(request.system_prompt.as_ref())?;
    let directories = request.additional_directories.into_iter();
    let begun = v1::NewSessionRequest::new(request.cwd.into_inner())
        .additional_directories(directories.map(AbsolutePath::into_inner).collect())
        .mcp_servers(setup::servers(&request.mcp_servers)?);
    let (response, live) = handlers.new_session(peer, begun).await?;
    let (options, commands) = settings(&live);
    Ok(NewSessionResponse::new(v2_session(&response.session_id))
        .config_options(options)
        .available_commands(commands))
}

/// Resumes a session, and sends its conversation before the response if the client requests that.
async fn resume(
    handlers: &Handlers,
    peer: Peer,
    request: ResumeSessionRequest,
) -> Result<ResumeSessionResponse, Error> {
    setup::without_system_prompt(request.system_prompt.as_ref())?;
    let id = v1_session(&request.session_id);
    let cwd = request.cwd.into_inner();
    let directories = request.additional_directories.into_iter();
    let directories: Vec<PathBuf> = directories.map(AbsolutePath::into_inner).collect();
    let servers = setup::servers(&request.mcp_servers)?;
    let live = match request.replay_from {
        None => {
            let resumed = v1::ResumeSessionRequest::new(id.clone(), cwd)
                .additional_directories(directories)
                .mcp_servers(servers);
            handlers.resume(peer, resumed).await.map(|(_, live)| live)
        }
        Some(ReplayFrom::Start(_)) => {
            let loaded = v1::LoadSessionRequest::new(id.clone(), cwd)
                .additional_directories(directories)
                .mcp_servers(servers);
            handlers.load(peer, loaded).await.map(|(_, live)| live)
        }
        Some(_) => return Err(invalid("replayFrom: only `start` is possible")),
    };
    let live = live.map_err(not_found(&request.session_id))?;
    handlers.send_title(&id).await;
    if let Some(work) = live.work() {
        // If the report fails, the client has disconnected, so the response is not needed either.
        let _ = work.report().await;
    }
    let (options, commands) = settings(&live);
    Ok(ResumeSessionResponse::new()
        .config_options(options)
        .available_commands(commands))
}

fn settings(live: &LiveSession) -> (Vec<SessionConfigOption>, Vec<AvailableCommand>) {
    let options = setup::config_options(&live.settings().options());
    let commands = match live.commands() {
        v1::SessionUpdate::AvailableCommandsUpdate(update) => setup::commands(&update),
        _ => Vec::new(),
    };
    (options, commands)
}

async fn list(
    handlers: &Handlers,
    peer: Peer,
    request: ListSessionsRequest,
) -> Result<ListSessionsResponse, Error> {
    let listed = v1::ListSessionsRequest::new()
        .cwd(request.cwd.map(AbsolutePath::into_inner))
        .cursor(request.cursor.map(|cursor| cursor.0.to_string()));
    Ok(setup::listed(handlers.list(peer, listed).await?))
}

/// Closes a session. The end of its work is reported before the response. Closing an unknown session has no effect.
async fn close(
    handlers: &Handlers,
    peer: Peer,
    request: CloseSessionRequest,
) -> Result<CloseSessionResponse, Error> {
    let id = v1_session(&request.session_id);
    let live = handlers.live(&id).await;
    let closed = handlers.close(peer, v1::CloseSessionRequest::new(id)).await;
    if let Some(live) = live {
        live.ended().await;
        if let Some(work) = live.work() {
            let _ = work.close().await;
        }
    }
    match closed {
        Err(error) if !is_not_found(&error) => Err(error),
        _ => Ok(CloseSessionResponse::new()),
    }
}

async fn delete(
    handlers: &Handlers,
    peer: Peer,
    request: DeleteSessionRequest,
) -> Result<DeleteSessionResponse, Error> {
    let id = v1_session(&request.session_id);
    handlers
        .delete(peer, v1::DeleteSessionRequest::new(id))
        .await?;
    Ok(DeleteSessionResponse::new())
}

/// Sets a config option. All options are also sent as an update, so that other connected clients receive them.
async fn set_option(
    handlers: &Handlers,
    peer: Peer,
    request: SetSessionConfigOptionRequest,
) -> Result<SetSessionConfigOptionResponse, Error> {
    let id = v1_session(&request.session_id);
    let option = v1::SessionConfigId::new(request.config_id.0);
    let value = setup::config_value(&request.value)?;
    let set = v1::SetSessionConfigOptionRequest::new(id.clone(), option, value);
    let set = handlers.set_option(peer.clone(), set).await;
    let options = set.map_err(not_found(&request.session_id))?.config_options;
    let update = v1::ConfigOptionUpdate::new(options.clone());
    let update = v1::SessionUpdate::ConfigOptionUpdate(update);
    let _ = peer.update(&id, update).await;
    let options = setup::config_options(&options);
    Ok(SetSessionConfigOptionResponse::new(options))
}

/// Sends a prompt. The response is sent when the prompt becomes part of the conversation. The end of the turn is
/// reported as an update.
async fn prompt(
    handlers: &Handlers,
    peer: Peer,
    request: PromptRequest,
    responder: Responder<PromptResponse>,
    cancelled: impl Future<Output = ()>,
) -> Result<(), Error> {
    let mut cancelled = pin!(cancelled);
    let session = v1_session(&request.session_id);
    let begun = async {
        let blocks = setup::prompt(&request.prompt)?;
        let content = crate::prompt::content(&blocks)?;
        let live = handlers.running(peer, &session).await;
        Ok((content, live.map_err(not_found(&request.session_id))?))
    };
    let begun = tokio::select! {
        begun = begun => begun,
        () = &mut cancelled => Err(Error::request_cancelled()),
    };
    let (content, live) = match begun {
        Ok(begun) => begun,
        Err(error) => return responder.respond_with_error(error),
    };
    let Some(work) = live.work() else {
        return responder.respond_with_error(Error::internal_error());
    };
    let uuid = MessageUuid::random();
    let response = PromptResponse::new(MessageId::new(uuid.as_str()));
    let mut inserted = work.add_prompt(uuid.clone(), request.prompt);
    let mut turn = pin!(live.prompt(uuid.clone(), content, cancelled));
    let (number, outcome) = tokio::select! {
        biased;
        Ok(number) = &mut inserted => {
            responder.respond(response)?;
            (number, turn.await)
        }
        outcome = &mut turn => {
            if work.remove_prompt(&uuid) {
                // The turn ended, but the CLI never reported that it started the prompt.
                let error = match outcome {
                    Ok(v1::StopReason::Cancelled) => Error::request_cancelled(),
                    Ok(_) => Error::new(-32603, "Claude Code did not report that it took the prompt"),
                    Err(error) => error,
                };
                return responder.respond_with_error(error);
            }
            responder.respond(response)?;
            let Ok(number) = inserted.await else {
                return Ok(());
            };
            (number, outcome)
        }
    };
    if work.finish(number, outcome).await.is_ok() {
        handlers.send_title(&session).await;
    }
    Ok(())
}

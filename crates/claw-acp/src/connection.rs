//! The connection to a client: maps methods to handlers, and sends the responses.

use std::future::Future;
use std::sync::Arc;

use agent_client_protocol::v1::schema::{
    ArchiveSessionRequest, AuthenticateRequest, CancelNotification, CloseSessionRequest,
    DeleteSessionRequest, ForkSessionRequest, InitializeRequest, ListSessionsRequest,
    LoadSessionRequest, LogoutRequest, NewSessionRequest, PromptRequest, ResumeSessionRequest,
    SetSessionConfigOptionRequest, SetSessionModeRequest, SetSessionTitleRequest, StopReason,
    UnarchiveSessionRequest,
};
use agent_client_protocol::v1::{ConnectionTo, Responder};
use agent_client_protocol::{
    Agent, Client, ConnectTo, Error, JsonRpcResponse, on_receive_notification, on_receive_request,
};

use crate::config::Config;
use crate::handlers::Handlers;
use crate::outbox::Outbox;
use crate::session::LiveSession;

/// Serves a client until it disconnects. Then all sessions end.
pub(crate) async fn serve(
    config: Arc<Config>,
    outbox: Outbox,
    transport: impl ConnectTo<Agent> + 'static,
) -> Result<(), Error> {
    let handlers = Arc::new(Handlers::new(config, outbox.clone()));
    let agent = agent(&handlers);
    #[cfg(feature = "v2-draft")]
    let agent = Agent
        .protocol_router()
        .with_v1(agent)
        .with_v2(crate::v2::agent(&handlers));
    let served = agent.connect_to(transport).await;
    outbox.close();
    handlers.end().await;
    served
}

/// Returns the agent for clients of version 1.
fn agent(handlers: &Arc<Handlers>) -> impl ConnectTo<Client> {
    /// Creates a handler that runs concurrently with all other handlers. The function `reply` or `open` determines when
    /// the response is sent.
    macro_rules! on {
        ($method:ident, $request:ty) => {
            on!(reply, $method, $request)
        };
        ($answer:ident, $method:ident, $request:ty) => {{
            let handlers = handlers.clone();
            async move |request: $request, responder, connection: ConnectionTo<Client>| {
                let handlers = handlers.clone();
                let peer = handlers.peer(&connection);
                let work = async move { handlers.$method(peer, request).await };
                $answer(&connection, responder, work)
            }
        }};
    }
    /// Creates a handler that responds immediately.
    macro_rules! on_now {
        ($method:ident, $request:ty) => {{
            let handlers = handlers.clone();
            async move |request: $request, responder: Responder<_>, _: ConnectionTo<Client>| {
                responder.respond_with_result(handlers.$method(&request))
            }
        }};
    }
    let (prompting, cancelling) = (handlers.clone(), handlers.clone());
    Agent
        .v1()
        .name("claw")
        .on_receive_request(
            on_now!(initialize, InitializeRequest),
            on_receive_request!(),
        )
        .on_receive_request(
            on_now!(authenticate, AuthenticateRequest),
            on_receive_request!(),
        )
        .on_receive_request(on!(log_out, LogoutRequest), on_receive_request!())
        .on_receive_request(
            on!(open, new_session, NewSessionRequest),
            on_receive_request!(),
        )
        .on_receive_request(on!(open, load, LoadSessionRequest), on_receive_request!())
        .on_receive_request(
            on!(open, resume, ResumeSessionRequest),
            on_receive_request!(),
        )
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
                let session = request.session_id.clone();
                let cancelled = handlers.cancelled(&session, responder.cancellation());
                let peer = handlers.peer(&connection);
                connection.spawn(async move {
                    let answer = handlers.prompt(peer, request, cancelled).await;
                    let stop = answer.as_ref().ok().map(|answer| answer.stop_reason);
                    responder.respond_with_result(answer)?;
                    // No update may follow the response to a cancelled prompt. The title is sent in the next turn.
                    if stop != Some(StopReason::Cancelled) {
                        handlers.send_title(&session).await;
                    }
                    Ok(())
                })
            },
            on_receive_request!(),
        )
        .on_receive_notification(
            async move |cancel: CancelNotification, connection: ConnectionTo<Client>| {
                let cancelled = cancelling.cancel(&cancel.session_id);
                connection.spawn(async move {
                    cancelled.await;
                    Ok(())
                })
            },
            on_receive_notification!(),
        )
        .on_receive_request(on!(open, fork, ForkSessionRequest), on_receive_request!())
        .on_receive_request(
            on!(set_title, SetSessionTitleRequest),
            on_receive_request!(),
        )
        .on_receive_request(on!(archive, ArchiveSessionRequest), on_receive_request!())
        .on_receive_request(
            on!(unarchive, UnarchiveSessionRequest),
            on_receive_request!(),
        )
}

/// Sends the response when `work` is done. If the client cancels the request, the response is sent immediately.
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

/// Responds to a request that opens a session. Updates about the session follow the response, because some clients
/// never see the response if an update of an unknown session precedes it.
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

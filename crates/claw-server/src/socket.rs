//! Serves a session over a WebSocket, with messages of the wrapper protocol in both directions.

use std::sync::Arc;

use axum::extract::ws::rejection::WebSocketUpgradeRejection;
use axum::extract::ws::{CloseFrame, Message, WebSocket, WebSocketUpgrade, close_code};
use axum::extract::{Path, State};
use serde::{Deserialize, Serialize};
use tokio::time::{Duration, timeout};

use crate::actor::Actor;
use crate::api::extract::{ViewerName, YOU};
use crate::api::response::Upgraded;
use crate::api::sessions::{answered, may_answer, may_send, prompted};
use crate::api::{Api, Refusal};
use crate::audit::{Act, Action, Auditor};
use crate::conversation::{
    Answer, Answered, EventKind, Moved, Next, Pending, State as SessionState,
};
use crate::hub::{Hub, LiveSession, NewPrompt};
use crate::object::{self, Object};
use crate::role::Role;

/// Maximum size of a client's message, in bytes. A prompt may contain images.
const LARGEST: usize = 32 << 20;
/// Maximum time for which a client may leave sent data unread.
const STALLED: Duration = Duration::from_secs(30);

/// The actions that the audit log records for the messages of clients.
pub(crate) const ACTIONS: [Action; 3] = [
    Action::SendPrompt,
    Action::AnswerRequest,
    Action::InterruptTurn,
];

/// A message that the client sends.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "type", rename_all = "snake_case")]
#[non_exhaustive]
pub enum SocketRequest {
    /// Sends a prompt.
    Prompt(NewPrompt),
    /// Answers a permission request or a form. Only the first answer is accepted.
    PermissionAnswer(PermissionAnswer),
    /// Stops the running turn.
    Interrupt,
}

/// An answer to a permission request or a form.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[non_exhaustive]
pub struct PermissionAnswer {
    /// The `requestId` of the permission request, or the `id` of the form.
    pub request_id: String,
    /// The answer to the request.
    #[serde(deserialize_with = "object::one")]
    pub answer: Answer,
}

/// A message from the server that is not a `WrapperMessage`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "type", rename_all = "snake_case")]
#[non_exhaustive]
pub enum SocketNotice {
    /// A form, a link to open, or a dialog waits for a person's answer. For a permission request, the server sends a
    /// `WrapperMessage` instead of this notice.
    FormRequest(Box<Pending>),
    /// A permission request or a form was answered. The message contains the answer and its source.
    PermissionResolved(Answered),
    /// The state of the session. The server sends it when the WebSocket opens, and whenever it changes.
    SessionState(Box<SessionState>),
    /// The conversation continues under another ID, and this WebSocket follows it.
    SessionMoved(Moved),
    /// The server could not carry out a message of the client.
    Error(SocketError),
}

/// The reason why the server could not carry out a message of the client.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct SocketError {
    /// The kind of the error, as in the body of an error response, such as `notFound`.
    pub kind: String,
    /// The error in words, for people.
    pub message: String,
}

impl SocketError {
    fn of(refusal: impl Into<Refusal>) -> Self {
        let info = refusal.into().into_info();
        Self {
            kind: info.kind,
            message: info.message,
        }
    }
}

pub(crate) async fn socket(
    State(api): State<Arc<Api>>,
    Path(id): Path<String>,
    name: ViewerName,
    actor: Actor,
    auditor: Auditor,
    upgrade: Result<WebSocketUpgrade, WebSocketUpgradeRejection>,
) -> Result<Upgraded, Refusal> {
    let upgrade = upgrade?;
    let live = api.hub.open(&id).await?;
    let place = api.viewers.acquire(&id)?;
    let upgrade = upgrade.max_message_size(LARGEST).max_frame_size(LARGEST);
    Ok(Upgraded(upgrade.on_upgrade(async move |socket| {
        let client = Arc::new(Client {
            name: name.to_others(),
            hub: api.hub.clone(),
            actor,
            auditor,
        });
        tokio::select! {
            () = serve(socket, live, &client) => {}
            // The user was removed or changed. Dropping the socket ends the connection.
            () = client.actor.gone() => {}
        }
        drop(place);
    })))
}

/// The sender of the messages of a WebSocket.
struct Client {
    /// The name under which other viewers see the client's answers.
    name: String,
    hub: Hub,
    actor: Actor,
    auditor: Auditor,
}

/// Serves the WebSocket until either side closes it.
async fn serve(mut socket: WebSocket, live: LiveSession, client: &Arc<Client>) {
    // The IDs of the requests that this client has answered. An ID is removed when the notice about the answer is sent.
    let mut own = Vec::new();
    // The server first sends the state and the waiting requests. After that, it sends only events that are newer.
    let (newest, state, waiting) = live.read(|conversation| {
        (
            conversation.newest(),
            Box::new(conversation.state().clone()),
            conversation
                .requests()
                .filter_map(|request| match &request.form {
                    Some(_) => {
                        serde_json::to_string(&SocketNotice::FormRequest(Box::new(request.clone())))
                            .ok()
                    }
                    None => conversation.asked(&request.id).map(|text| text.to_string()),
                })
                .collect::<Vec<_>>(),
        )
    });
    let mut viewer = live.viewer(Some(newest));
    if !send_notice(&mut socket, &SocketNotice::SessionState(state)).await {
        return;
    }
    for text in waiting {
        if !send(&mut socket, text).await {
            return;
        }
    }
    loop {
        tokio::select! {
            received = socket.recv() => match received {
                Some(Ok(Message::Text(text))) => {
                    match carry_out(&live, &text, client).await {
                        Ok(answered) => own.extend(answered),
                        Err(error) => if !send_notice(&mut socket, &SocketNotice::Error(error)).await {
                            return;
                        },
                    }
                }
                Some(Ok(Message::Binary(_))) => {
                    let error = SocketError::of(Refusal::bad("a message is text, and no binary frame"));
                    if !send_notice(&mut socket, &SocketNotice::Error(error)).await {
                        return;
                    }
                }
                Some(Ok(Message::Ping(_) | Message::Pong(_))) => {}
                Some(Ok(Message::Close(_)) | Err(_)) | None => return,
            },
            next = viewer.next() => match next {
                Some(next) => if !send_next(&mut socket, next, &mut own).await { return },
                None => break,
            },
        }
    }
    let close = CloseFrame {
        code: close_code::AWAY,
        reason: "the session was closed".into(),
    };
    let _ = timeout(STALLED, socket.send(Message::Close(Some(close)))).await;
}

/// Sends a text. Returns `false` if the client has disconnected, or has not read the text in time.
async fn send(socket: &mut WebSocket, text: String) -> bool {
    let sent = socket.send(Message::Text(text.into()));
    matches!(timeout(STALLED, sent).await, Ok(Ok(())))
}

async fn send_notice(socket: &mut WebSocket, notice: &SocketNotice) -> bool {
    let text = serde_json::to_string(notice).unwrap_or_default();
    send(socket, text).await
}

/// Sends the next events. `own` contains the IDs of the requests that this client has answered. Returns `false` if the
/// client has disconnected, or has not read the events in time.
async fn send_next(socket: &mut WebSocket, next: Next, own: &mut Vec<String>) -> bool {
    let Next::Events(events) = next else {
        own.clear();
        // The client has read so slowly that the log no longer contains its next events. It can read the missed
        // messages through the REST interface.
        let kind = "behind".to_owned();
        let message = "messages were lost: read the session's elements".to_owned();
        return send_notice(socket, &SocketNotice::Error(SocketError { kind, message })).await;
    };
    for event in events {
        let text = match event.kind {
            EventKind::Wrapper => event.data.to_string(),
            EventKind::Request => match form_request(&event.data) {
                Some(text) => text,
                None => continue,
            },
            EventKind::Answered => resolved(&event.data, own),
            EventKind::State => tagged("session_state", &event.data),
            EventKind::Moved => tagged("session_moved", &event.data),
            _ => continue,
        };
        if !send(socket, text).await {
            return false;
        }
    }
    true
}

/// Adds a `type` to a JSON object, before its other fields.
fn tagged(kind: &str, data: &str) -> String {
    let rest = data.strip_prefix('{').unwrap_or_default();
    format!("{{\"type\":\"{kind}\",{rest}")
}

/// Converts the event about a request to the notice about a form. Returns `None` for a permission request.
fn form_request(event: &str) -> Option<String> {
    let pending: Pending = serde_json::from_str(event).ok()?;
    pending
        .form
        .is_some()
        .then(|| tagged("form_request", event))
}

/// Converts the event about an answered request to the notice about the answer.
fn resolved(event: &str, own: &mut Vec<String>) -> String {
    // This cannot fail, because the conversation itself has serialized the answer.
    let mut answered: Answered = match serde_json::from_str(event) {
        Ok(answered) => answered,
        Err(error) => {
            tracing::error!(%error, "an event of a conversation cannot be read");
            return event.to_owned();
        }
    };
    if let Some(at) = own.iter().position(|id| *id == answered.id) {
        own.swap_remove(at);
        YOU.clone_into(&mut answered.by);
    }
    serde_json::to_string(&SocketNotice::PermissionResolved(answered)).unwrap_or_default()
}

/// Carries out a client's message. Returns the ID of the request that it answered, if it was an answer. The caller reads no
/// further message before that. So a connection has one message at a time.
async fn carry_out(
    live: &LiveSession,
    text: &str,
    client: &Arc<Client>,
) -> Result<Option<String>, SocketError> {
    let Object(request) = serde_json::from_str(text)
        .map_err(|error| SocketError::of(Refusal::bad(error.to_string())))?;
    let action = match &request {
        SocketRequest::Prompt(_) => Action::SendPrompt,
        SocketRequest::PermissionAnswer(_) => Action::AnswerRequest,
        SocketRequest::Interrupt => Action::InterruptTurn,
    };
    let act = client.auditor.act(action, &client.hub);
    act.in_live(live);
    let (live, client) = (live.clone(), client.clone());
    let carried_out = act
        .clone()
        .carry_out(async move { carry_out_as(&act, &live, request, &client).await });
    carried_out.await.map_err(SocketError::of)
}

/// Carries out a client's message, and records the action in the audit log with `act`.
async fn carry_out_as(
    act: &Act,
    live: &LiveSession,
    request: SocketRequest,
    Client { name, actor, .. }: &Client,
) -> Result<Option<String>, Refusal> {
    match request {
        SocketRequest::Prompt(prompt) => {
            prompted(act, &prompt);
            may_send(actor, &prompt)?;
            act.record().await?;
            live.prompt_of(actor.payer(), prompt).await?;
        }
        SocketRequest::PermissionAnswer(PermissionAnswer { request_id, answer }) => {
            answered(act, live, &request_id, &answer);
            may_answer(actor, &answer)?;
            act.record().await?;
            live.answer(&request_id, &answer, name)?;
            return Ok(Some(request_id));
        }
        SocketRequest::Interrupt => {
            actor.check(Role::Answer)?;
            act.record().await?;
            live.interrupt().await?;
        }
    }
    Ok(None)
}

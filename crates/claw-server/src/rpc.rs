//! JSON-RPC 2.0: `session/messages`, `session/list`, `session/prompt`.

use std::collections::{HashSet, VecDeque};
use std::sync::Arc;

use axum::extract::State;
use axum::extract::rejection::BytesRejection;
use axum::http::StatusCode;
use claw_sessions::{Branches, EntryLine, Session};
use claw_types::SessionId;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::actor::Actor;
use crate::api::extract::Calls;
use crate::api::response::Responses;
use crate::api::sessions::{may_send, prompted};
use crate::api::table::SessionIn;
use crate::api::{Api, ListQuery, Refusal, Sent, disk, list};
use crate::audit::{Act, Action, Auditor};
use crate::hub::{HubError, NewPrompt, OpenOptions};

/// Maximum number of calls in a batch.
const MOST_CALLS: usize = 16;
/// Maximum and default number of messages in a page.
const MOST_MESSAGES: usize = 500;
const MESSAGES: usize = 50;
/// Maximum size of the messages in a page, as they are in the transcript, in bytes. A page has at least one message even if
/// this message is larger, so that clients make progress.
const PAGE: u64 = 4 << 20;

/// Finds the session of a request, if all calls in its body are about the same session.
pub(crate) const CALLED: SessionIn = SessionIn::Body {
    find: |body| {
        let session = |call: &Value| {
            // A list is about all sessions, and this host alone knows which of them its users may see.
            let method = call.get("method")?.as_str()?;
            if method == "session/list" {
                return None;
            }
            let id = call.get("params")?.get("session_id")?.as_str()?;
            Some(id.to_owned())
        };
        let Some(calls) = body.as_array() else {
            return session(body);
        };
        let mut ids = calls.iter().map(session);
        let first = ids.next()??;
        ids.all(|id| id.as_ref() == Some(&first)).then_some(first)
    },
    example: r#"{"jsonrpc": "2.0", "method": "session/prompt", "params": {"session_id": "{id}"}}"#,
};

/// Why a call has no result. Codes up to -32600 are the specification's, those from -32002 on the server's own.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(crate) struct RpcError {
    /// The code of the error.
    code: i32,
    /// The error in words, for people.
    message: String,
    /// The kind of the error. Absent for errors of JSON-RPC itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    data: Option<ErrorKind>,
}

/// The kind of an error, as in the body of an error response of the REST interface.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "RpcErrorKind"))]
struct ErrorKind {
    /// The kind of the error, for programs.
    kind: String,
}

impl RpcError {
    fn new(code: i32, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            data: None,
        }
    }

    fn invalid_request(message: &str) -> Self {
        Self::new(-32600, message)
    }

    fn invalid_params(message: impl Into<String>) -> Self {
        Self::new(-32602, message)
    }
}

impl From<Refusal> for RpcError {
    fn from(refusal: Refusal) -> Self {
        let code = match refusal.status() {
            StatusCode::BAD_REQUEST => -32602,
            StatusCode::NOT_FOUND => -32001,
            StatusCode::SERVICE_UNAVAILABLE => -32002,
            _ => -32000,
        };
        let info = refusal.into_info();
        Self {
            code,
            message: info.message,
            data: Some(ErrorKind { kind: info.kind }),
        }
    }
}

/// Which messages of a session to read.
#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub(crate) struct MessagesParams {
    /// The ID of the session.
    session_id: String,
    /// How many messages are read at most. Default 50, at most 500.
    limit: Option<usize>,
    /// Read the newest messages before the one with this `id`.
    before: Option<u64>,
    /// Read the oldest messages after the one with this `id`.
    after: Option<u64>,
}

/// Messages of a session, oldest first.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(crate) struct MessagesPage {
    /// The messages, in the order of the transcript.
    messages: VecDeque<Envelope>,
    /// Whether there are more in the direction in which was read.
    has_more: bool,
    /// How many lines that were passed could not be read.
    unreadable: u64,
}

/// A message in its envelope.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "TranscriptMessage"))]
struct Envelope {
    /// The number of the line in the transcript. It grows from message to message, with gaps.
    id: u64,
    /// The ID of the session.
    session_id: String,
    /// The kind of message: `user` or `assistant`.
    #[serde(rename = "type")]
    kind: String,
    /// The UUID of the message.
    uuid: String,
    /// The time at which the message was written, as ISO 8601.
    timestamp: String,
    /// The branch of git at that time. Null if there was none.
    git_branch: Option<String>,
    /// Whether the message was queued while the model worked, and taken up in that turn: a prompt, or the notice of a
    /// background task. Absent if not.
    #[serde(rename = "is_queued_command", skip_serializing_if = "is_false")]
    is_queued: bool,
    /// Whether the message is the summary of a compaction, which replaced the conversation before it. Absent if not.
    #[serde(skip_serializing_if = "is_false")]
    is_context_compaction: bool,
    /// The message, as in the transcript. Its `content` is a list of blocks, also where the transcript has a text.
    #[cfg_attr(feature = "schema", schemars(with = "SpokenMessage"))]
    message: Value,
    #[serde(skip)]
    length: u64,
}

/// A message of a user or of the model. An answer of the model also has its other fields, such as `model`.
#[cfg(feature = "schema")]
#[derive(Serialize, schemars::JsonSchema)]
struct SpokenMessage {
    /// The speaker: `user` or `assistant`.
    role: String,
    /// The content blocks, as in the transcript.
    content: Vec<claw_types::Json>,
}

/// The fields of a queued message's transcript line that a page needs.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct QueuedLine {
    timestamp: String,
    git_branch: Option<String>,
    #[serde(default)]
    is_sidechain: bool,
    uuid: String,
    attachment: Queued,
}

/// A message that was queued while the model worked.
#[derive(Debug, Deserialize)]
struct Queued {
    source_uuid: Option<String>,
    #[serde(default)]
    prompt: Value,
    #[serde(default, rename = "isMeta")]
    is_meta: bool,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it")]
fn is_false(value: &bool) -> bool {
    !value
}

/// The fields of a transcript line that a page needs.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Line {
    #[serde(rename = "type")]
    kind: String,
    uuid: String,
    timestamp: String,
    git_branch: Option<String>,
    #[serde(default)]
    is_sidechain: bool,
    #[serde(default)]
    is_meta: bool,
    #[serde(default)]
    is_compact_summary: bool,
    message: Value,
}

/// The sender of the calls, and the auditor that records their actions in the audit log.
struct Caller {
    actor: Actor,
    auditor: Auditor,
}

/// Handles a call, or the calls of a batch one after another.
pub(crate) async fn rpc(
    State(api): State<Arc<Api>>,
    actor: Actor,
    auditor: Auditor,
    calls: Result<Calls, BytesRejection>,
) -> Result<Responses, Refusal> {
    let Calls(body) = calls?;
    let caller = Caller { actor, auditor };
    let response = match serde_json::from_slice(&body) {
        Err(_) => Some(failed(
            &Value::Null,
            &RpcError::new(-32700, "the body is not JSON"),
        )),
        Ok(Value::Array(calls)) if calls.is_empty() || calls.len() > MOST_CALLS => {
            let text = format!("a batch has 1 to {MOST_CALLS} calls");
            Some(failed(&Value::Null, &RpcError::invalid_request(&text)))
        }
        Ok(Value::Array(calls)) => {
            let mut responses = Vec::new();
            for call in calls {
                responses.extend(respond(&api, &caller, call).await);
            }
            (!responses.is_empty()).then_some(Value::Array(responses))
        }
        Ok(call) => respond(&api, &caller, call).await,
    };
    Ok(Responses(response))
}

fn failed(id: &Value, error: &RpcError) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "error": error})
}

/// Handles a call. Returns `None` if the call is a notification, which has no response.
async fn respond(api: &Arc<Api>, caller: &Caller, call: Value) -> Option<Value> {
    let invalid = |id: Option<Value>, text: &str| {
        let error = RpcError::invalid_request(text);
        Some(failed(&id.unwrap_or_default(), &error))
    };
    let Value::Object(mut call) = call else {
        return invalid(None, "a call is an object");
    };
    let id = call.remove("id");
    if !matches!(
        id,
        None | Some(Value::Null | Value::String(_) | Value::Number(_))
    ) {
        return invalid(None, "an ID is a string, a number or null");
    }
    if call.get("jsonrpc").and_then(Value::as_str) != Some("2.0") {
        return invalid(id, "`jsonrpc` is \"2.0\"");
    }
    let Some(Value::String(method)) = call.remove("method") else {
        return invalid(id, "`method` is a string");
    };
    let outcome = match call.remove("params") {
        None => run(api, caller, &method, Map::new()).await,
        Some(Value::Object(params)) => run(api, caller, &method, params).await,
        Some(Value::Array(_)) => Err(RpcError::invalid_params("parameters have names")),
        Some(_) => return invalid(id, "`params` is an object"),
    };
    let id = id?;
    Some(match outcome {
        Ok(result) => json!({"jsonrpc": "2.0", "id": id, "result": result}),
        Err(error) => failed(&id, &error),
    })
}

async fn run(
    api: &Arc<Api>,
    Caller { actor, auditor }: &Caller,
    method: &str,
    mut params: Map<String, Value>,
) -> Result<Value, RpcError> {
    let sight = actor.sight(api.hub.projects());
    let check_seen = async |id: &str| {
        let seen = sight.check_session(&api.hub, id).await;
        seen.map_err(Refusal::from)
    };
    match method {
        "session/messages" => {
            let params: MessagesParams = read(params)?;
            if params.before.is_some() && params.after.is_some() {
                let text = "`before` and `after` exclude one another";
                return Err(RpcError::invalid_params(text));
            }
            let id = SessionId::from(&*params.session_id);
            check_seen(&params.session_id).await?;
            let taken = api.hub.checkout(&id).await.map_err(Refusal::from)?;
            let taken = taken.map(|(_, checkout)| checkout);
            let page = disk::run(api, move |hub| match taken {
                Some(checkout) => messages(checkout.session(), &params),
                None => messages(&disk::find(hub, &params.session_id)?, &params),
            });
            written(page.await?)
        }
        "session/list" => {
            let query: ListQuery = read(params)?;
            let stored = api.hub.stored().await;
            let page = disk::run(api, move |hub| list::page(hub, &query, &stored, &sight));
            let page = page.await?;
            api.hub.read_trees();
            written(page)
        }
        "session/prompt" => {
            let Some(Value::String(id)) = params.remove("session_id") else {
                return Err(RpcError::invalid_params("`session_id` is a string"));
            };
            let prompt: NewPrompt = read(params)?;
            let act = auditor.act(Action::SendPrompt, &api.hub);
            act.in_session(&id);
            prompted(&act, &prompt);
            let allowed = match may_send(actor, &prompt) {
                Ok(()) => check_seen(&id).await,
                Err(refusal) => Err(refusal),
            };
            let (api, actor) = (api.clone(), actor.clone());
            let sent = act.clone().carry_out(async move {
                allowed?;
                send(&api, &actor, &act, &id, prompt).await
            });
            written(sent.await?)
        }
        _ => Err(RpcError::new(-32601, "there is no such method")),
    }
}

/// Sends a prompt to a session.
async fn send(
    api: &Arc<Api>,
    actor: &Actor,
    act: &Act,
    id: &str,
    prompt: NewPrompt,
) -> Result<Sent, Refusal> {
    let live = api.hub.open_as(id, OpenOptions::of_user(actor)).await?;
    act.in_live(&live);
    act.record().await?;
    let (uuid, _) = live.prompt_of(actor.payer(), prompt).await?;
    Ok(Sent::of(&live, &uuid))
}

fn read<T: DeserializeOwned>(params: Map<String, Value>) -> Result<T, RpcError> {
    let read = serde_json::from_value(Value::Object(params));
    read.map_err(|error| RpcError::invalid_params(error.to_string()))
}

fn written(result: impl Serialize) -> Result<Value, RpcError> {
    serde_json::to_value(result).map_err(|error| RpcError::new(-32603, error.to_string()))
}

/// Reads messages in the order of the transcript. Leaves out messages of sub-agents and of the CLI itself. Blocks.
fn messages(session: &Session, params: &MessagesParams) -> Result<MessagesPage, HubError> {
    let limit = params.limit.unwrap_or(MESSAGES).clamp(1, MOST_MESSAGES);
    let (after, before) = (params.after, params.before.unwrap_or(u64::MAX));
    let mut page = MessagesPage {
        messages: VecDeque::new(),
        has_more: false,
        unreadable: 0,
    };
    let mut bytes = 0;
    let mut queued = HashSet::new();
    // The iterator does not enter sub-agents, so every item is a line.
    for item in session.conversation(Branches::Current)? {
        let Some(line) = item?.into_line() else {
            continue;
        };
        if line.number() >= before {
            break;
        }
        let is_before = after.is_some_and(|after| line.number() <= after);
        let Ok(message) = envelope(&params.session_id, &line, &mut queued) else {
            // A line without a line break is still being written, so it does not count as unreadable.
            page.unreadable += u64::from(line.is_ended() && !is_before);
            continue;
        };
        let Some(message) = message.filter(|_| !is_before) else {
            continue;
        };
        let is_full = |page: &MessagesPage, bytes: u64| {
            page.messages.len() > limit || (bytes > PAGE && page.messages.len() > 1)
        };
        bytes += message.length;
        page.messages.push_back(message);
        while is_full(&page, bytes) {
            page.has_more = true;
            let surplus = if after.is_some() {
                page.messages.pop_back()
            } else {
                page.messages.pop_front()
            };
            bytes -= surplus.map_or(0, |message| message.length);
        }
        if after.is_some() && page.has_more {
            break;
        }
    }
    Ok(page)
}

/// Returns the message in a line. Returns `None` if the line contains no message for people. Several lines may contain
/// the same queued message. It is returned only for the first of them. `queued` contains the UUIDs of the returned
/// messages.
fn envelope(
    session: &str,
    line: &EntryLine,
    queued: &mut HashSet<String>,
) -> Result<Option<Envelope>, serde_json::Error> {
    #[derive(Deserialize)]
    struct Tag {
        #[serde(rename = "type")]
        kind: String,
    }
    let raw = line.raw().unwrap_or_default();
    let Tag { kind } = serde_json::from_slice(raw)?;
    if kind == "attachment" {
        let message = queued_message(session, line, raw)?;
        return Ok(message.filter(|message| queued.insert(message.uuid.clone())));
    }
    if kind != "user" && kind != "assistant" {
        return Ok(None);
    }
    let read: Line = serde_json::from_slice(raw)?;
    if read.is_sidechain || read.is_meta {
        return Ok(None);
    }
    Ok(Some(Envelope {
        id: line.number(),
        session_id: session.to_owned(),
        kind: read.kind,
        uuid: read.uuid,
        timestamp: read.timestamp,
        git_branch: read.git_branch,
        is_queued: false,
        is_context_compaction: read.is_compact_summary,
        message: in_blocks(read.message),
        length: line.length(),
    }))
}

/// Returns the message in an attachment. Returns `None` if the attachment is not a queued message.
fn queued_message(
    session: &str,
    line: &EntryLine,
    raw: &[u8],
) -> Result<Option<Envelope>, serde_json::Error> {
    #[derive(Deserialize)]
    struct Attached {
        attachment: Tag,
    }
    #[derive(Deserialize)]
    struct Tag {
        #[serde(rename = "type")]
        kind: String,
    }
    let Attached { attachment } = serde_json::from_slice(raw)?;
    if attachment.kind != "queued_command" {
        return Ok(None);
    }
    let read: QueuedLine = serde_json::from_slice(raw)?;
    let Queued {
        source_uuid,
        prompt,
        is_meta,
    } = read.attachment;
    if read.is_sidechain || is_meta || prompt.is_null() {
        return Ok(None);
    }
    Ok(Some(Envelope {
        id: line.number(),
        session_id: session.to_owned(),
        kind: "user".to_owned(),
        uuid: source_uuid.unwrap_or(read.uuid),
        timestamp: read.timestamp,
        git_branch: read.git_branch,
        is_queued: true,
        is_context_compaction: false,
        message: in_blocks(json!({"role": "user", "content": prompt})),
        length: line.length(),
    }))
}

/// Converts the content of a message to a list of blocks.
fn in_blocks(mut message: Value) -> Value {
    if let Some(content) = message.get_mut("content")
        && content.is_string()
    {
        *content = json!([{"type": "text", "text": content.take()}]);
    }
    message
}

//! Types that exist only for the document, because their values are sent in pieces or read without serde.
#![expect(dead_code, reason = "they are described, and never made")]

use std::collections::BTreeMap;

use claw_types::Json;
use claw_view::Change;
use claw_view::progress::Progress;
use claw_view::wrapper::WrapperMessage;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::api::{ListQuery, Sent, SessionPage};
use crate::conversation::{Answered, Moved, Pending, Snapshot, State};
use crate::rpc::{MessagesPage, MessagesParams, RpcError};
use crate::{NewPrompt, SocketNotice};

/// Server-sent events of a session: the data of each event by the name of the event. No message is a `SessionEvents`.
#[derive(Serialize, JsonSchema)]
pub(super) struct SessionEvents {
    /// The complete state. It is the first event, and is sent again when events were lost.
    reset: Snapshot<'static>,
    /// A change of the elements, in their order.
    change: Change,
    /// A request that waits for an answer of a person.
    request: Pending,
    /// A request that was answered: by whom, and how.
    answered: Answered,
    /// The new state of the session.
    state: State,
    /// The progress of the work in the session.
    progress: Progress,
    /// The conversation continues under another ID, as after `/clear`. Later events carry the new ID.
    moved: Moved,
    /// The session was closed on the server: the last event.
    closed: BTreeMap<String, Json>,
}

/// A message of the server on a WebSocket.
#[derive(Serialize, JsonSchema)]
#[serde(untagged)]
pub(super) enum SocketMessage {
    Wrapper(WrapperMessage),
    Notice(SocketNotice),
}

/// A call of JSON-RPC 2.0.
#[derive(Deserialize, JsonSchema)]
#[serde(tag = "method")]
pub(super) enum RpcCall {
    /// Reads messages of a session, in the order of its transcript.
    #[serde(rename = "session/messages")]
    Messages {
        /// The version of JSON-RPC.
        jsonrpc: RpcVersion,
        /// The ID of the call. Absent for a notification, which gets no response.
        id: Option<RpcId>,
        /// The parameters, by their names.
        params: MessagesParams,
    },
    /// Lists sessions, live or on disk, newest first.
    #[serde(rename = "session/list")]
    List {
        /// The version of JSON-RPC.
        jsonrpc: RpcVersion,
        /// The ID of the call. Absent for a notification, which gets no response.
        id: Option<RpcId>,
        /// The parameters, by their names. Absent means none.
        params: Option<ListQuery>,
    },
    /// Sends a prompt to a session.
    #[serde(rename = "session/prompt")]
    Prompt {
        /// The version of JSON-RPC.
        jsonrpc: RpcVersion,
        /// The ID of the call. Absent for a notification, which gets no response.
        id: Option<RpcId>,
        /// The parameters, by their names.
        params: PromptParams,
    },
}

/// A prompt, and the session that it is for.
#[derive(Deserialize, JsonSchema)]
pub(super) struct PromptParams {
    /// The ID of the session.
    session_id: String,
    #[serde(flatten)]
    prompt: NewPrompt,
}

/// The version of JSON-RPC.
#[derive(Serialize, Deserialize, JsonSchema)]
pub(super) enum RpcVersion {
    /// JSON-RPC version 2.0.
    #[serde(rename = "2.0")]
    Two,
}

/// The ID of a call, which its response repeats.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub(super) enum RpcId {
    Null,
    Text(String),
    Number(f64),
}

/// A call of JSON-RPC 2.0, or a batch of them, which are carried out in their order.
#[derive(Deserialize, JsonSchema)]
#[serde(untagged)]
pub(super) enum RpcBody {
    Call(RpcCall),
    Batch(#[schemars(length(min = 1, max = 16))] Vec<RpcCall>),
}

/// The response to a call of JSON-RPC 2.0.
#[derive(Serialize, JsonSchema)]
#[serde(untagged)]
pub(super) enum RpcResponse {
    Done(RpcDone),
    Failed(RpcFailed),
}

/// The response to a call that was carried out.
#[derive(Serialize, JsonSchema)]
pub(super) struct RpcDone {
    /// The version of JSON-RPC.
    jsonrpc: RpcVersion,
    /// The ID of the call.
    id: RpcId,
    /// The result of the call, by its method.
    result: RpcResult,
}

/// The response to a call that was not carried out.
#[derive(Serialize, JsonSchema)]
pub(super) struct RpcFailed {
    /// The version of JSON-RPC.
    jsonrpc: RpcVersion,
    /// The ID of the call. Null if it could not be read.
    id: RpcId,
    /// The error of the call: code and message.
    error: RpcError,
}

/// The result of a call, by its method.
#[derive(Serialize, JsonSchema)]
#[serde(untagged)]
pub(super) enum RpcResult {
    /// The result of `session/messages`.
    Messages(MessagesPage),
    /// The result of `session/list`.
    List(SessionPage),
    /// The result of `session/prompt`.
    Prompt(Sent),
}

/// The response to a call, or those to the calls of a batch.
#[derive(Serialize, JsonSchema)]
#[serde(untagged)]
pub(super) enum RpcReply {
    Response(RpcResponse),
    Batch(Vec<RpcResponse>),
}

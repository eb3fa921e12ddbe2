//! `api-request…` entries: the requests to the API, for inspection and replay. These entries make up most of a
//! transcript, and are not mirrored to session stores.

use crate::{Count, Json};

use super::session::Note;

/// A transcript entry with a request to the API. It contains a hash in place of each message of the conversation.
///
/// A field is absent if it does not apply, or if the CLI is too old to send it.
#[wire(tag(type = "api-request"), rename_all = "camelCase")]
pub struct ApiRequestEntry {
    /// The ID of the request. The entries of responses refer to this ID.
    pub id: String,
    /// The time of the request, in ISO 8601.
    pub timestamp: String,
    /// The version of the CLI.
    pub version: Option<String>,
    /// The purpose of the request, such as `sdk` or `agent:…`.
    pub query_source: Option<String>,
    /// The hash of the request's [`ApiRequestShapeEntry`].
    pub shape_hash: Option<String>,
    /// The parameters of the request, in the format of the API. The messages, and the parameters in the
    /// [`ApiRequestShapeEntry`], are left out.
    pub params: Option<Json>,
    /// The part of a conversation that the API keeps between requests, and whether this request creates or continues it:
    /// an object with a `type`, such as `create`.
    pub thread: Option<Json>,
    /// Whether the model sees its earlier tool inputs exactly as they were sent.
    pub echo_wire_tool_inputs: Option<bool>,
    /// A hash of the account that made the request.
    pub account: Option<String>,
    /// The ID of an earlier request. This request begins with messages of that request.
    pub base: Option<String>,
    /// The number of messages at the start of this request that are the same as in the request `base`.
    pub keep: Option<Count>,
    /// The messages of this request that follow the messages kept from the request `base`. Each message is represented
    /// by the hash of its [`ApiRequestBlobEntry`].
    pub tail: Option<Vec<String>>,
    /// The cache breakpoints. Each breakpoint consists of a path in the request, and the value at this path.
    pub cache_control: Option<Vec<Json>>,
    /// A digest of the whole request.
    pub request_digest: Option<String>,
    /// The ID of the sub-agent that made the request. Absent in the main conversation.
    pub agent_id: Option<String>,
    fields: Note!(),
}

/// A transcript entry with the parts that several requests to the API share: the system prompt and the tools.
#[wire(tag(type = "api-request-shape"), rename_all = "camelCase")]
pub struct ApiRequestShapeEntry {
    /// The hash of `shape`. The entries of requests refer to this hash.
    pub shape_hash: String,
    /// The time of the entry, in ISO 8601.
    pub timestamp: String,
    /// The version of the CLI.
    pub version: Option<String>,
    /// The shared parameters, in the form that they have in a request to the Messages API.
    pub shape: Json,
    /// The ID of the sub-agent that made the request. Absent in the main conversation.
    pub agent_id: Option<String>,
    fields: Note!(),
}

/// A transcript entry with one message of a request to the API.
#[wire(tag(type = "api-request-blob"), rename_all = "camelCase")]
pub struct ApiRequestBlobEntry {
    /// The hash of the message. The entries of requests refer to this hash.
    pub hash: String,
    /// The message, in the format of the API.
    pub message: Json,
    /// The ID of the sub-agent that made the request. Absent in the main conversation.
    pub agent_id: Option<String>,
    fields: Note!(),
}

/// A transcript entry that links a paused request to the request that resumed it.
#[wire(tag(type = "api-request-resumed"), rename_all = "camelCase")]
pub struct ApiRequestResumedEntry {
    /// The time of the entry, in ISO 8601.
    pub timestamp: String,
    /// The version of the CLI.
    pub version: Option<String>,
    /// The ID of the response.
    pub message_id: Option<String>,
    /// The ID that the API gave the paused request.
    pub paused_request_id: Option<String>,
    /// The ID that the API gave the resuming request.
    pub resumed_request_id: Option<String>,
    /// The ID of the sub-agent that made the request. Absent in the main conversation.
    pub agent_id: Option<String>,
    fields: Note!(),
}

//! `api-request…`: what the API was sent, so that it can be looked at and sent again. Large: most of
//! a transcript is of these kinds. They are not mirrored.

use crate::{Count, Json};

use super::session::Note;

/// A request to the API: what of the conversation was in it, by reference.
#[wire(tag(type = "api-request"), rename_all = "camelCase")]
pub struct ApiRequestEntry {
    /// Names it; answers refer to it.
    pub id: String,
    /// When, as ISO 8601.
    pub timestamp: String,
    /// The CLI's version.
    pub version: Option<String>,
    /// What it was for, such as `sdk`, `agent:…`.
    pub query_source: Option<String>,
    /// Its [`ApiRequestShapeEntry`].
    pub shape_hash: Option<String>,
    /// Its parameters, as the API takes them, but for those of the shape and the messages.
    pub params: Option<Json>,
    /// The request that it goes on from.
    pub base: Option<String>,
    /// How many messages of that one are in it too.
    pub keep: Option<Count>,
    /// The messages behind them, by the hash of their [`ApiRequestBlobEntry`].
    pub tail: Option<Vec<String>>,
    /// Where parts of it are to be cached: paths, with values.
    pub cache_control: Option<Vec<Json>>,
    /// A digest of the whole.
    pub request_digest: Option<String>,
    /// The sub-agent. Absent in the main conversation.
    pub agent_id: Option<String>,
    fields: Note!(),
}

/// What many requests have in common: system prompt, tools.
#[wire(tag(type = "api-request-shape"), rename_all = "camelCase")]
pub struct ApiRequestShapeEntry {
    /// Names it.
    pub shape_hash: String,
    /// When, as ISO 8601.
    pub timestamp: String,
    /// The CLI's version.
    pub version: Option<String>,
    /// The parameters, as the API takes them.
    pub shape: Json,
    /// The sub-agent. Absent in the main conversation.
    pub agent_id: Option<String>,
    fields: Note!(),
}

/// A message of a request.
#[wire(tag(type = "api-request-blob"), rename_all = "camelCase")]
pub struct ApiRequestBlobEntry {
    /// Names it.
    pub hash: String,
    /// The message, as the API takes it.
    pub message: Json,
    /// The sub-agent. Absent in the main conversation.
    pub agent_id: Option<String>,
    fields: Note!(),
}

/// A request that was paused, and the one that went on from it.
#[wire(tag(type = "api-request-resumed"), rename_all = "camelCase")]
pub struct ApiRequestResumedEntry {
    /// When, as ISO 8601.
    pub timestamp: String,
    /// The CLI's version.
    pub version: Option<String>,
    /// The answer.
    pub message_id: Option<String>,
    /// The request that was paused, as the API names it.
    pub paused_request_id: Option<String>,
    /// The request that went on, as the API names it.
    pub resumed_request_id: Option<String>,
    /// The sub-agent. Absent in the main conversation.
    pub agent_id: Option<String>,
    fields: Note!(),
}

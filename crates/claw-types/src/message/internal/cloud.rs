//! Sessions in Anthropic's cloud: `system` / `session_metadata`, `cloud_session_delta` and
//! `turn_handoff_available`.

use super::Identity;
use crate::{Count, Json, Number, Tri};

/// A change to the metadata that Anthropic's server stores about the session.
///
/// The CLI sends this message only in cloud sessions. The types of the official SDK do not include this message.
#[wire(tag(type = "system", subtype = "session_metadata"))]
pub struct SessionMetadata {
    /// The changed metadata.
    pub metadata: SessionMetadataPatch,
    fields: Identity!(),
}

/// The metadata that Anthropic's server stores about a session. A field that is absent has not changed.
#[wire]
pub struct SessionMetadataPatch {
    /// All artifacts (pages) that the session has published. Null if the session has published none.
    pub artifacts: Tri<Vec<SessionArtifact>>,
}

/// An artifact: a page that a session has published.
#[wire]
pub struct SessionArtifact {
    /// The URL of the page.
    pub url: String,
    /// The kind of the page: always `frame`.
    pub kind: String,
    /// The time of the page's last change.
    pub updated_at: String,
    /// The title of the page.
    pub title: Option<String>,
    /// The icon of the page.
    pub favicon: Option<String>,
}

/// A change to a session in the cloud, made between two of its turns.
///
/// A client of the session sends this message. The contents of each message replace those of the previous message. The
/// types of the official SDK do not include this message.
#[wire(tag(type = "system", subtype = "cloud_session_delta"))]
pub struct CloudSessionDelta {
    /// The sequence number of this change among the client's changes, counted from 1. Ignore a change whose number is
    /// lower than that of an earlier change.
    pub seq: Count,
    /// The keys of `cloud_session` that have changed.
    pub changed: Vec<String>,
    /// The complete state of the session, in a form that neither the types of the official SDK nor claw describe.
    pub cloud_session: Json,
    fields: Identity!(),
}

/// An offer by a process in the cloud to take over a turn that another process has begun.
///
/// The offering process sends this message when it is ready. Each optional flag states a further capability of that
/// process. A flag is `true` or absent. The types of the official SDK do not include this message.
#[wire(tag(type = "system", subtype = "turn_handoff_available"))]
pub struct TurnHandoffAvailable {
    /// The version of this message's form. The value is always 1.
    pub v: Count,
    /// The names of the tools that the offering process has.
    pub tools: Vec<String>,
    /// The number of the offering process among the processes of the session. Each new process gets a new number.
    pub worker_epoch: Number,
    fields: Identity!(),
    /// Whether the offering process starts the tool uses of the turn only after all files that were sent to it earlier
    /// have arrived.
    pub staged_files: Option<bool>,
    /// Whether the offering process first adds some earlier messages to the conversation, and only then runs the turn.
    /// These messages are the ones that start no turn of their own.
    pub no_query_first: Option<bool>,
    /// Whether the offering process can take over a turn in which consecutive assistant messages have the same
    /// `message.id`.
    pub shared_message_id: Option<bool>,
    /// Whether the offering process reads the field `relay_marker` of the request `turn_handoff`, which hands the turn
    /// over. Neither the types of the official SDK nor claw describe this field of the request.
    pub relay_marker: Option<bool>,
    /// Whether the offering process accepts files that belong in the home directory.
    pub home_files: Option<bool>,
    /// Whether the offering process reads the field `file_names` of the request `turn_handoff`, which hands the turn
    /// over.
    pub file_names: Option<bool>,
    /// Whether the offering process writes the files of those `Write` tool uses that were already completed before the
    /// turn was handed over.
    pub carried_writes: Option<bool>,
    /// Whether the offering process restored the session's conversation from the stored transcript before it read any
    /// request.
    pub hydrates_carried_lines: Option<bool>,
    /// Whether the offering process reads the field `requires_rewind_request_id` of the request `turn_handoff`, which
    /// hands the turn over.
    pub requires_rewind_request_id: Option<bool>,
    /// Whether the offering process answers the control request `comparison_fork`, which compares the turn with a
    /// second run of the same turn.
    pub comparison_fork: Option<bool>,
}

//! Sessions in Anthropic's cloud: `system` / `session_metadata`, `cloud_session_delta` and
//! `turn_handoff_available`.

use super::Identity;
use crate::{Count, Json, Number, Tri};

/// What the server of the session keeps about it has changed.
///
/// From a session in the cloud. In no published type.
#[wire(tag(type = "system", subtype = "session_metadata"))]
pub struct SessionMetadata {
    /// What has changed.
    pub metadata: SessionMetadataPatch,
    fields: Identity!(),
}

/// What the server of a session keeps about it. Absent: as it was.
#[wire]
pub struct SessionMetadataPatch {
    /// The pages that the session has published, all of them; null for none.
    pub artifacts: Tri<Vec<SessionArtifact>>,
}

/// A page that a session has published.
#[wire]
pub struct SessionArtifact {
    /// The page.
    pub url: String,
    /// Its kind: `frame`.
    pub kind: String,
    /// When it was last changed.
    pub updated_at: String,
    /// Its title.
    pub title: Option<String>,
    /// Its icon.
    pub favicon: Option<String>,
}

/// Something about a session in the cloud has changed between two turns.
///
/// From a client of such a session. What stands here takes the place of what came before. In no
/// published type.
#[wire(tag(type = "system", subtype = "cloud_session_delta"))]
pub struct CloudSessionDelta {
    /// Which change of this client's it is, from 1. One with a lower number than one before is old.
    pub seq: Count,
    /// The keys of `cloud_session` that have changed.
    pub changed: Vec<String>,
    /// All of it. What it holds is in no published type, and not known.
    pub cloud_session: Json,
    fields: Identity!(),
}

/// A process in the cloud can take over a turn that another one has begun.
///
/// From that process, when it is ready. Each of the flags is `true` or absent, and says what it can
/// do besides. In no published type.
#[wire(tag(type = "system", subtype = "turn_handoff_available"))]
pub struct TurnHandoffAvailable {
    /// The version of this form: 1.
    pub v: Count,
    /// The tools that it has.
    pub tools: Vec<String>,
    /// Which of the session's processes it is.
    pub worker_epoch: Number,
    fields: Identity!(),
    /// It waits for the files that it was sent before.
    pub staged_files: Option<bool>,
    /// It takes up messages that ask for no answer before the turn.
    pub no_query_first: Option<bool>,
    /// Messages in a row may share the name of their answer.
    pub shared_message_id: Option<bool>,
    /// It reads `relay_marker` of a handoff.
    pub relay_marker: Option<bool>,
    /// It takes files for the home folder.
    pub home_files: Option<bool>,
    /// It reads `file_names` of a handoff.
    pub file_names: Option<bool>,
    /// It writes the files of writes that are answered already.
    pub carried_writes: Option<bool>,
    /// It knows the session's conversation, and adds only what that lacks.
    pub hydrates_carried_lines: Option<bool>,
    /// It reads `requires_rewind_request_id` of a handoff.
    pub requires_rewind_request_id: Option<bool>,
    /// It can fork the session for a comparison.
    pub comparison_fork: Option<bool>,
}

//! Files of the session: `system` / `file_snapshot` and `file_attachments_missing`.

use super::Identity;
use crate::{Count, MessageUuid};

/// The session's own files as they are: plan, to-do list.
///
/// Kept so that the session can be rewound. In no published type.
#[wire(tag(type = "system", subtype = "file_snapshot"))]
pub struct FileSnapshot {
    /// A text that says so.
    pub content: String,
    /// The files.
    pub snapshot_files: Vec<SnapshotFile>,
    fields: Identity!(),
}

/// A file of the session's, as it was.
#[wire]
pub struct SnapshotFile {
    /// What it is: `plan`, `todo` ….
    pub key: String,
    /// Where it was.
    pub path: String,
    /// What it held.
    pub content: String,
}

/// Files that a prompt names did not arrive. The model was told.
///
/// To hosts of sessions that get prompts from elsewhere, once or twice a prompt. In no published
/// type.
#[wire(tag(type = "system", subtype = "file_attachments_missing"))]
pub struct FileAttachmentsMissing {
    /// The prompt.
    pub message_uuid: MessageUuid,
    /// How many files it names.
    pub sent_count: Count,
    /// Those that did not arrive.
    pub missing: Vec<MissingFile>,
    fields: Identity!(),
}

/// Why a file did not arrive.
#[wire(open)]
pub enum MissingFileReason {
    /// It could not be fetched.
    Download = "download",
    /// It is too large.
    TooLarge = "too_large",
    /// It is not there, or not for this session.
    NotFound = "not_found",
    /// It could not be written.
    Write = "write",
    /// The disk is full.
    NoSpace = "no_space",
    /// The session has no place for it.
    NoContainer = "no_container",
    /// The session may not fetch it.
    NoToken = "no_token",
    /// Fetching was cut short. It may be there all the same.
    NotFinished = "not_finished",
    /// The prompt names too many.
    CountCap = "count_cap",
}

/// A file that did not arrive.
#[wire]
pub struct MissingFile {
    /// Its name in the prompt.
    pub file_uuid: String,
    /// Why.
    pub reason: MissingFileReason,
}

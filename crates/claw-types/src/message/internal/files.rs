//! Files of the session: `system` / `file_snapshot` and `file_attachments_missing`.

use super::Identity;
use crate::{Count, MessageUuid};

/// A snapshot of the session's own files, such as its plan and to-do list.
///
/// The CLI keeps the snapshot so that the session can later be rewound to the time of the snapshot. The types of the
/// official SDK do not include this message.
#[wire(tag(type = "system", subtype = "file_snapshot"))]
pub struct FileSnapshot {
    /// A text that describes the snapshot.
    pub content: String,
    /// The files of the snapshot.
    pub snapshot_files: Vec<SnapshotFile>,
    fields: Identity!(),
}

/// A file of a session at the time of a snapshot.
#[wire]
pub struct SnapshotFile {
    /// The kind of the file, such as `plan` or `todo`.
    pub key: String,
    /// The path of the file.
    pub path: String,
    /// The contents of the file.
    pub content: String,
}

/// A report that files to which a prompt refers did not arrive. The CLI has informed the model that they are missing.
///
/// The CLI sends this message once or twice per prompt, in sessions whose prompts come from another machine. The types
/// of the official SDK do not include this message.
#[wire(tag(type = "system", subtype = "file_attachments_missing"))]
pub struct FileAttachmentsMissing {
    /// The UUID of the prompt.
    pub message_uuid: MessageUuid,
    /// The number of files that the prompt refers to.
    pub sent_count: Count,
    /// The files that did not arrive.
    pub missing: Vec<MissingFile>,
    fields: Identity!(),
}

/// The reason why a file did not arrive.
#[wire(open)]
pub enum MissingFileReason {
    /// The file could not be downloaded.
    Download = "download",
    /// The file is too large.
    TooLarge = "too_large",
    /// The file does not exist, or is not accessible to this session.
    NotFound = "not_found",
    /// The file could not be written.
    Write = "write",
    /// The disk is full.
    NoSpace = "no_space",
    /// The session has no container in which the file could be stored.
    NoContainer = "no_container",
    /// The session has no permission to fetch the file.
    NoToken = "no_token",
    /// The download was interrupted. The file may have arrived nevertheless.
    NotFinished = "not_finished",
    /// The prompt refers to too many files.
    CountCap = "count_cap",
}

/// A file that did not arrive.
#[wire]
pub struct MissingFile {
    /// The ID by which the prompt refers to the file.
    pub file_uuid: String,
    /// The reason why the file did not arrive.
    pub reason: MissingFileReason,
}

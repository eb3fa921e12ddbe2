//! `rewind_files`: a return of files to an earlier state.

use crate::{Count, MessageUuid};

/// To `claude`: rewind files to their state before a prompt. Only possible if the session keeps
/// checkpoints (`enableFileCheckpointing`).
#[wire(tag(subtype = "rewind_files"), response = RewindFilesResponse)]
pub struct RewindFiles {
    /// The UUID of the prompt.
    pub user_message_id: MessageUuid,
    /// Whether the CLI only lists the changes in the response, and does not change the files.
    pub dry_run: Option<bool>,
}

/// The response to `rewind_files`. If the files cannot be rewound, the CLI responds to a dry run
/// with this, and to any other request with an error.
#[wire(rename_all = "camelCase")]
pub struct RewindFilesResponse {
    /// Whether the files can be rewound, or were rewound.
    pub can_rewind: bool,
    /// The reason why the files cannot be rewound.
    pub error: Option<String>,
    /// The paths of the changed files. Sent only by a dry run.
    pub files_changed: Option<Vec<String>>,
    /// The number of lines that would be inserted. Sent only by a dry run.
    pub insertions: Option<Count>,
    /// The number of lines that would be deleted. Sent only by a dry run.
    pub deletions: Option<Count>,
    /// The number of symbolic links that were skipped.
    pub skipped_links: Option<Count>,
}

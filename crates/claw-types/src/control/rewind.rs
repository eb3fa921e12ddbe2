//! `rewind_files`: restores files to an earlier state.

use crate::{Count, MessageUuid};

/// To `claude`: restore files to the state that they had before a prompt. This is possible only if the session keeps
/// checkpoints (`enableFileCheckpointing`).
#[wire(tag(subtype = "rewind_files"), response = RewindFilesResponse)]
pub struct RewindFiles {
    /// The UUID of the prompt.
    pub user_message_id: MessageUuid,
    /// Whether the CLI only reports the changes in the response, without changing the files (a dry run).
    pub dry_run: Option<bool>,
}

/// The response to `rewind_files`. If the files cannot be rewound, a dry run also receives this response, but any other
/// request receives an error.
#[wire(rename_all = "camelCase")]
pub struct RewindFilesResponse {
    /// Whether the files can be rewound (in the response to a dry run), or were rewound (in any other response).
    pub can_rewind: bool,
    /// The reason why the files cannot be rewound.
    pub error: Option<String>,
    /// The paths of the files that the rewind would change. Sent only in response to a dry run.
    pub files_changed: Option<Vec<String>>,
    /// The number of lines that the rewind would insert. Sent only in response to a dry run.
    pub insertions: Option<Count>,
    /// The number of lines that the rewind would delete. Sent only in response to a dry run.
    pub deletions: Option<Count>,
    /// The number of files that were left unchanged because it was not safe to rewind them, for example because of a
    /// symbolic link. Never sent in response to a dry run.
    pub skipped_links: Option<Count>,
}

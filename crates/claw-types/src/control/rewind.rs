//! `rewind_files`: bring files back.

use crate::{Count, MessageUuid};

/// To `claude`: bring files back to what they were before a prompt. Only where the session keeps
/// copies (`enable_file_checkpointing`).
#[wire(tag(subtype = "rewind_files"), response = RewindFilesResponse)]
pub struct RewindFiles {
    /// The prompt.
    pub user_message_id: MessageUuid,
    /// Only says what would be brought back.
    pub dry_run: Option<bool>,
}

/// The answer to `rewind_files`. What cannot be done is an answer where it was only asked about, and
/// an error where it was to be done.
#[wire(rename_all = "camelCase")]
pub struct RewindFilesResponse {
    /// Whether it can be done, or was.
    pub can_rewind: bool,
    /// Why not.
    pub error: Option<String>,
    /// The files. Only of a dry run, as the next two.
    pub files_changed: Option<Vec<String>>,
    /// How many lines would come back.
    pub insertions: Option<Count>,
    /// How many lines would go.
    pub deletions: Option<Count>,
    /// How many links were left as they are.
    pub skipped_links: Option<Count>,
}

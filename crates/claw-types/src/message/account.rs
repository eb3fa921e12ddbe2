//! `auth_status` and `system` / `files_persisted`: the account and its files.

use super::Identity;

/// A login goes on.
///
/// To hosts. Sent where the CLI signs in while it runs (a helper command, a cloud provider's login):
/// when it begins, when there is something to read, and when it is over.
#[wire(tag(type = "auth_status"))]
pub struct AuthStatus {
    /// Whether it still goes on.
    #[wire(rename = "isAuthenticating")]
    pub is_authenticating: bool,
    /// What a person should read, line by line, all of it so far.
    pub output: Vec<String>,
    fields: Identity!(),
    /// Why it failed. Absent where it did not.
    pub error: Option<String>,
}

/// Files were put into the Files API.
///
/// To hosts, after a turn. Sent only by sessions that keep their files there, as those in Anthropic's
/// cloud do; a session on one's own machine has none.
#[wire(tag(type = "system", subtype = "files_persisted"))]
pub struct FilesPersisted {
    /// Those that are there.
    pub files: Vec<PersistedFile>,
    /// Those that are not.
    pub failed: Vec<FailedFile>,
    /// When that was done, as ISO 8601.
    pub processed_at: String,
    fields: Identity!(),
}

/// A file in the Files API.
#[wire]
pub struct PersistedFile {
    /// Its name.
    pub filename: String,
    /// Its name there.
    pub file_id: String,
}

/// A file that could not be put there.
#[wire]
pub struct FailedFile {
    /// Its name.
    pub filename: String,
    /// Why.
    pub error: String,
}

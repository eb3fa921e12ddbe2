//! `auth_status` and `system` / `files_persisted`: logins during a session, and uploads to the Files API.

use super::Identity;

/// The progress of a login.
///
/// The CLI sends this message when it logs in during a session, with a helper command or through a cloud provider. It
/// sends one message when the login begins, one for each new output of the login, and one when the login ends.
#[wire(tag(type = "auth_status"))]
pub struct AuthStatus {
    /// Whether the login is still in progress.
    #[wire(rename = "isAuthenticating")]
    pub is_authenticating: bool,
    /// The lines that the login has printed so far, for a person to read.
    pub output: Vec<String>,
    fields: Identity!(),
    /// The reason why the login failed. Absent if it did not fail.
    pub error: Option<String>,
}

/// Files that were uploaded to the Files API.
///
/// The CLI sends this message after a turn, but only in sessions that keep their files in the Files API. Sessions in
/// Anthropic's cloud do so, and sessions on the user's own machine never do.
#[wire(tag(type = "system", subtype = "files_persisted"))]
pub struct FilesPersisted {
    /// The files that were uploaded.
    pub files: Vec<PersistedFile>,
    /// The files that could not be uploaded.
    pub failed: Vec<FailedFile>,
    /// The time of the upload, in ISO 8601.
    pub processed_at: String,
    fields: Identity!(),
}

/// A file in the Files API.
#[wire]
pub struct PersistedFile {
    /// The name of the file in the session.
    pub filename: String,
    /// The ID of the file in the Files API.
    pub file_id: String,
}

/// A file that could not be uploaded to the Files API.
#[wire]
pub struct FailedFile {
    /// The name of the file in the session.
    pub filename: String,
    /// The reason why the upload failed.
    pub error: String,
}

//! `read_file`: a file of the session's, for the host.

use crate::Count;

/// To `claude`: what is in this file? What the permission rules do not let it read, and what there
/// is not, is refused.
#[wire(tag(subtype = "read_file"), response = ReadFileResponse)]
pub struct ReadFile {
    /// The file: absolute, or from the working directory.
    pub path: String,
    /// At most so much.
    pub max_bytes: Option<Count>,
    /// In what form; absent for `utf-8`.
    pub encoding: Option<FileEncoding>,
}

/// In what form a file's contents are handed over.
#[wire(open)]
pub enum FileEncoding {
    /// As text. What is no UTF-8 is replaced.
    Utf8 = "utf-8",
    /// As base64.
    Base64 = "base64",
}

/// The answer to `read_file`.
#[wire]
pub struct ReadFileResponse {
    /// What is in it.
    pub contents: String,
    /// Its absolute path.
    #[wire(rename = "absPath")]
    pub abs_path: String,
    /// There is more.
    pub truncated: Option<bool>,
    /// In what form; absent for text.
    pub encoding: Option<FileEncoding>,
    /// Whether bytes that are no UTF-8 were replaced. Absent for base64.
    #[wire(since = "2.1.329")]
    pub lossy: Option<bool>,
    /// The path that was asked for.
    #[wire(since = "2.1.329")]
    pub requested_path: Option<String>,
}

//! `read_file`: the contents of a file of the session.

use crate::Count;

/// To `claude`: read a file. `claude` refuses the request if the permission rules do not allow
/// reading the file, or if the file does not exist.
#[wire(tag(subtype = "read_file"), response = ReadFileResponse)]
pub struct ReadFile {
    /// The path of the file: absolute, or relative to the working directory.
    pub path: String,
    /// The maximum number of bytes that the response contains.
    pub max_bytes: Option<Count>,
    /// The encoding of the contents. Absent means `utf-8`.
    pub encoding: Option<FileEncoding>,
}

/// The encoding of a file's contents.
#[wire(open)]
pub enum FileEncoding {
    /// Text in UTF-8. Invalid bytes are replaced.
    Utf8 = "utf-8",
    /// Bytes in base64.
    Base64 = "base64",
}

/// The response to `read_file`.
#[wire]
pub struct ReadFileResponse {
    /// The contents of the file.
    pub contents: String,
    /// The absolute path of the file.
    #[wire(rename = "absPath")]
    pub abs_path: String,
    /// Whether the contents were truncated.
    pub truncated: Option<bool>,
    /// The encoding of the contents. Absent means `utf-8`.
    pub encoding: Option<FileEncoding>,
    /// Whether bytes that are not valid UTF-8 were replaced. Absent if the encoding is `base64`.
    #[wire(since = "2.1.329")]
    pub lossy: Option<bool>,
    /// The path in the form in which the request contained it.
    #[wire(since = "2.1.329")]
    pub requested_path: Option<String>,
}

//! Where the bytes of a picture or a document are.

use super::Content;

/// Where the bytes of a picture or a document are.
#[wire]
pub enum Source {
    /// Here, in base64.
    Base64(Base64Source),
    /// At an address.
    Url(UrlSource),
    /// In the Files API.
    File(FileSource),
    /// Here, as text.
    Text(TextSource),
    /// Here, as content blocks.
    Content(Box<ContentSource>),
}

/// Bytes in base64.
#[wire(tag(type = "base64"))]
pub struct Base64Source {
    /// What the bytes are, such as `image/png`.
    pub media_type: String,
    /// The bytes.
    pub data: String,
}

/// An address.
#[wire(tag(type = "url"))]
pub struct UrlSource {
    /// The address.
    pub url: String,
}

/// A file in the Files API.
#[wire(tag(type = "file"))]
pub struct FileSource {
    /// The file.
    pub file_id: String,
}

/// Plain text.
#[wire(tag(type = "text"))]
pub struct TextSource {
    /// What the text is, such as `text/plain`.
    pub media_type: String,
    /// The text.
    pub data: String,
}

/// Content blocks.
#[wire(tag(type = "content"))]
pub struct ContentSource {
    /// The content.
    pub content: Content,
}

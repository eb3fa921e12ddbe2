//! The source of an image or a document: where its bytes, text or blocks come from.

use super::Content;

/// The source of an image or a document: where its bytes, text or blocks come from.
#[wire]
pub enum Source {
    /// Bytes in base64, inside the content block.
    Base64(Base64Source),
    /// A URL from which the API fetches the bytes.
    Url(UrlSource),
    /// A file in the Files API.
    File(FileSource),
    /// Plain text, inside the content block.
    Text(TextSource),
    /// Content blocks, inside the document's content block.
    Content(Box<ContentSource>),
}

/// The bytes of an image or document in base64, inside the content block itself.
#[wire(tag(type = "base64"))]
pub struct Base64Source {
    /// The media type of the bytes, such as `image/png`.
    pub media_type: String,
    /// The bytes, in base64.
    pub data: String,
}

/// The URL from which the API fetches an image or document.
#[wire(tag(type = "url"))]
pub struct UrlSource {
    /// The URL from which the API fetches the bytes.
    pub url: String,
}

/// A reference to an image or document that was uploaded to the Files API, the API's store of
/// files.
#[wire(tag(type = "file"))]
pub struct FileSource {
    /// The ID of the file.
    pub file_id: String,
}

/// The plain text of a document, inside the content block itself.
#[wire(tag(type = "text"))]
pub struct TextSource {
    /// The media type of the text, such as `text/plain`.
    pub media_type: String,
    /// The text of the document.
    pub data: String,
}

/// The content blocks of a document, nested inside the document's content block.
#[wire(tag(type = "content"))]
pub struct ContentSource {
    /// The content: plain text or blocks.
    pub content: Content,
}

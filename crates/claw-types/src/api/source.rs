//! Where the bytes of a picture or a document are.

use claw_types_derive::{Wire, WireUnion};

use super::Content;
use crate::{Extra, Unknown};

/// Where the bytes of a picture or a document are.
#[derive(WireUnion, Debug, Clone, PartialEq)]
#[non_exhaustive]
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
    /// A kind that claw does not know.
    #[wire(unknown)]
    Unknown(Unknown),
}

/// Bytes in base64.
#[derive(Wire, Debug, Clone, PartialEq)]
#[wire(tag(type = "base64"))]
#[non_exhaustive]
pub struct Base64Source {
    /// What the bytes are, such as `image/png`.
    pub media_type: String,
    /// The bytes.
    pub data: String,
    /// Fields that claw does not know.
    #[wire(extra)]
    pub extra: Extra,
}

/// An address.
#[derive(Wire, Debug, Clone, PartialEq)]
#[wire(tag(type = "url"))]
#[non_exhaustive]
pub struct UrlSource {
    /// The address.
    pub url: String,
    /// Fields that claw does not know.
    #[wire(extra)]
    pub extra: Extra,
}

/// A file in the Files API.
#[derive(Wire, Debug, Clone, PartialEq)]
#[wire(tag(type = "file"))]
#[non_exhaustive]
pub struct FileSource {
    /// The file.
    pub file_id: String,
    /// Fields that claw does not know.
    #[wire(extra)]
    pub extra: Extra,
}

/// Plain text.
#[derive(Wire, Debug, Clone, PartialEq)]
#[wire(tag(type = "text"))]
#[non_exhaustive]
pub struct TextSource {
    /// What the text is, such as `text/plain`.
    pub media_type: String,
    /// The text.
    pub data: String,
    /// Fields that claw does not know.
    #[wire(extra)]
    pub extra: Extra,
}

/// Content blocks.
#[derive(Wire, Debug, Clone, PartialEq)]
#[wire(tag(type = "content"))]
#[non_exhaustive]
pub struct ContentSource {
    /// The content.
    pub content: Content,
    /// Fields that claw does not know.
    #[wire(extra)]
    pub extra: Extra,
}

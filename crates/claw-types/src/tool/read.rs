//! `Read`: reads a file, whatever it holds.

use claw_types_derive::{Wire, WireUnion};

use crate::open_enum::open_enum;
use crate::{Count, Extra, Json, Number, Unknown};

/// What `Read` is given.
#[derive(Wire, Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct FileReadInput {
    /// The file: an absolute path.
    pub file_path: String,
    /// The line to begin with, from 1.
    pub offset: Option<Count>,
    /// How many lines.
    pub limit: Option<Count>,
    /// The pages of a PDF, such as `1-5` or `3`; at most 20.
    pub pages: Option<String>,
    /// As much of a long text as the model can take in. Absent: what is too long is refused.
    pub allow_large: Option<bool>,
    /// Fields that claw does not know.
    #[wire(extra)]
    pub extra: Extra,
}

/// What `Read` gives, by what the file holds.
#[derive(WireUnion, Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum FileReadOutput {
    /// Text.
    Text(Box<FileReadText>),
    /// A picture.
    Image(Box<FileReadImage>),
    /// A notebook.
    Notebook(Box<FileReadNotebook>),
    /// A PDF, whole.
    Pdf(Box<FileReadPdf>),
    /// Pages of a PDF, as pictures.
    Parts(Box<FileReadParts>),
    /// A form that claw does not know.
    #[wire(unknown)]
    Unknown(Unknown),
}

/// A text was read.
#[derive(Wire, Debug, Clone, PartialEq)]
#[wire(tag(type = "text"))]
#[non_exhaustive]
pub struct FileReadText {
    /// What was read.
    pub file: ReadTextFile,
    /// The artifact whose source it is; that version now counts as seen.
    #[wire(rename = "artifactRead")]
    pub artifact_read: Option<ReadArtifact>,
    /// Fields that claw does not know.
    #[wire(extra)]
    pub extra: Extra,
}

/// A text, or lines of it.
#[derive(Wire, Debug, Clone, PartialEq)]
#[wire(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ReadTextFile {
    /// The file.
    pub file_path: String,
    /// The lines.
    pub content: String,
    /// How many they are.
    pub num_lines: Count,
    /// The first of them, from 1.
    pub start_line: Count,
    /// How many lines the file has.
    pub total_lines: Count,
    /// All were asked for, and these are as many as the model may take in.
    pub truncated_by_token_cap: Option<bool>,
    /// Fields that claw does not know.
    #[wire(extra)]
    pub extra: Extra,
}

/// A version of an artifact.
#[derive(Wire, Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ReadArtifact {
    /// The artifact.
    pub slug: String,
    /// The version.
    pub ver: String,
    /// Fields that claw does not know.
    #[wire(extra)]
    pub extra: Extra,
}

/// A picture was read.
#[derive(Wire, Debug, Clone, PartialEq)]
#[wire(tag(type = "image"))]
#[non_exhaustive]
pub struct FileReadImage {
    /// What was read.
    pub file: ReadImageFile,
    /// Fields that claw does not know.
    #[wire(extra)]
    pub extra: Extra,
}

/// A picture.
#[derive(Wire, Debug, Clone, PartialEq)]
#[wire(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ReadImageFile {
    /// The picture as the model sees it, in base 64.
    pub base64: String,
    /// What it is.
    #[wire(rename = "type")]
    pub media_type: ImageMediaType,
    /// How long the file is, in bytes.
    pub original_size: Count,
    /// How large it is, and how large the model sees it.
    pub dimensions: Option<ImageDimensions>,
    /// Fields that claw does not know.
    #[wire(extra)]
    pub extra: Extra,
}

open_enum! {
    /// What a picture's bytes are.
    ImageMediaType {
        /// JPEG.
        Jpeg = "image/jpeg",
        /// PNG.
        Png = "image/png",
        /// GIF.
        Gif = "image/gif",
        /// WebP.
        Webp = "image/webp",
    }
}

/// How large a picture is, in pixels.
#[derive(Wire, Debug, Clone, PartialEq)]
#[wire(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ImageDimensions {
    /// How wide the file's is.
    pub original_width: Option<Number>,
    /// How high the file's is.
    pub original_height: Option<Number>,
    /// How wide the model sees it.
    pub display_width: Option<Number>,
    /// How high the model sees it.
    pub display_height: Option<Number>,
    /// Fields that claw does not know.
    #[wire(extra)]
    pub extra: Extra,
}

/// A notebook was read.
#[derive(Wire, Debug, Clone, PartialEq)]
#[wire(tag(type = "notebook"))]
#[non_exhaustive]
pub struct FileReadNotebook {
    /// What was read.
    pub file: ReadNotebookFile,
    /// Fields that claw does not know.
    #[wire(extra)]
    pub extra: Extra,
}

/// A notebook.
#[derive(Wire, Debug, Clone, PartialEq)]
#[wire(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ReadNotebookFile {
    /// The file.
    pub file_path: String,
    /// Its cells: their type, source and what running them gave.
    pub cells: Vec<Json>,
    /// Fields that claw does not know.
    #[wire(extra)]
    pub extra: Extra,
}

/// A PDF was read, whole.
#[derive(Wire, Debug, Clone, PartialEq)]
#[wire(tag(type = "pdf"))]
#[non_exhaustive]
pub struct FileReadPdf {
    /// What was read.
    pub file: ReadPdfFile,
    /// Fields that claw does not know.
    #[wire(extra)]
    pub extra: Extra,
}

/// A PDF.
#[derive(Wire, Debug, Clone, PartialEq)]
#[wire(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ReadPdfFile {
    /// The file.
    pub file_path: String,
    /// The file's bytes, in base 64.
    pub base64: String,
    /// How many they are.
    pub original_size: Count,
    /// Fields that claw does not know.
    #[wire(extra)]
    pub extra: Extra,
}

/// Pages of a PDF were read, as pictures.
#[derive(Wire, Debug, Clone, PartialEq)]
#[wire(tag(type = "parts"))]
#[non_exhaustive]
pub struct FileReadParts {
    /// What was read.
    pub file: ReadPartsFile,
    /// The page that the first picture shows, from 1.
    #[wire(rename = "firstPage")]
    pub first_page: Option<Count>,
    /// The pictures. Absent on the wire: there they are in the `tool_result` block alone.
    pub pages: Option<Vec<ReadPage>>,
    /// Fields that claw does not know.
    #[wire(extra)]
    pub extra: Extra,
}

/// A PDF that was taken apart.
#[derive(Wire, Debug, Clone, PartialEq)]
#[wire(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ReadPartsFile {
    /// The file.
    pub file_path: String,
    /// How long it is, in bytes.
    pub original_size: Count,
    /// How many pages were read.
    pub count: Count,
    /// The directory that their pictures were put in.
    pub output_dir: String,
    /// Fields that claw does not know.
    #[wire(extra)]
    pub extra: Extra,
}

/// A page of a PDF, as a picture.
#[derive(Wire, Debug, Clone, PartialEq)]
#[wire(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ReadPage {
    /// The picture, in base 64. Empty where there is none.
    pub base64: String,
    /// What it is.
    pub media_type: ImageMediaType,
    /// Why there is none.
    pub error: Option<String>,
    /// Fields that claw does not know.
    #[wire(extra)]
    pub extra: Extra,
}

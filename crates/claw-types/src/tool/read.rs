//! `Read`: reads a file, whatever it holds.

use crate::{Count, Json, Number};

/// What `Read` is given.
#[wire]
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
}

/// What `Read` gives, by what the file holds.
#[wire]
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
}

/// A text was read.
#[wire(tag(type = "text"))]
pub struct FileReadText {
    /// What was read.
    pub file: ReadTextFile,
    /// The artifact whose source it is; that version now counts as seen.
    #[wire(rename = "artifactRead")]
    pub artifact_read: Option<ReadArtifact>,
}

/// A text, or lines of it.
#[wire(rename_all = "camelCase")]
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
}

/// A version of an artifact.
#[wire]
pub struct ReadArtifact {
    /// The artifact.
    pub slug: String,
    /// The version.
    pub ver: String,
}

/// A picture was read.
#[wire(tag(type = "image"))]
pub struct FileReadImage {
    /// What was read.
    pub file: ReadImageFile,
}

/// A picture.
#[wire(rename_all = "camelCase")]
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
}

/// What a picture's bytes are.
#[wire(open)]
pub enum ImageMediaType {
    /// JPEG.
    Jpeg = "image/jpeg",
    /// PNG.
    Png = "image/png",
    /// GIF.
    Gif = "image/gif",
    /// WebP.
    Webp = "image/webp",
}

/// How large a picture is, in pixels.
#[wire(rename_all = "camelCase")]
pub struct ImageDimensions {
    /// How wide the file's is.
    pub original_width: Option<Number>,
    /// How high the file's is.
    pub original_height: Option<Number>,
    /// How wide the model sees it.
    pub display_width: Option<Number>,
    /// How high the model sees it.
    pub display_height: Option<Number>,
}

/// A notebook was read.
#[wire(tag(type = "notebook"))]
pub struct FileReadNotebook {
    /// What was read.
    pub file: ReadNotebookFile,
}

/// A notebook.
#[wire(rename_all = "camelCase")]
pub struct ReadNotebookFile {
    /// The file.
    pub file_path: String,
    /// Its cells: their type, source and what running them gave.
    pub cells: Vec<Json>,
}

/// A PDF was read, whole.
#[wire(tag(type = "pdf"))]
pub struct FileReadPdf {
    /// What was read.
    pub file: ReadPdfFile,
}

/// A PDF.
#[wire(rename_all = "camelCase")]
pub struct ReadPdfFile {
    /// The file.
    pub file_path: String,
    /// The file's bytes, in base 64.
    pub base64: String,
    /// How many they are.
    pub original_size: Count,
}

/// Pages of a PDF were read, as pictures.
#[wire(tag(type = "parts"))]
pub struct FileReadParts {
    /// What was read.
    pub file: ReadPartsFile,
    /// The page that the first picture shows, from 1.
    #[wire(rename = "firstPage")]
    pub first_page: Option<Count>,
    /// The pictures. Absent on the wire: there they are in the `tool_result` block alone.
    pub pages: Option<Vec<ReadPage>>,
}

/// A PDF that was taken apart.
#[wire(rename_all = "camelCase")]
pub struct ReadPartsFile {
    /// The file.
    pub file_path: String,
    /// How long it is, in bytes.
    pub original_size: Count,
    /// How many pages were read.
    pub count: Count,
    /// The directory that their pictures were put in.
    pub output_dir: String,
}

/// A page of a PDF, as a picture.
#[wire(rename_all = "camelCase")]
pub struct ReadPage {
    /// The picture, in base 64. Empty where there is none.
    pub base64: String,
    /// What it is.
    pub media_type: ImageMediaType,
    /// Why there is none.
    pub error: Option<String>,
}

//! `Read`: reads a file of any kind.

use crate::{Count, Json, Number};

/// The input of the `Read` tool.
#[wire]
pub struct FileReadInput {
    /// The absolute path of the file.
    pub file_path: String,
    /// The first line to read, counted from 1. Absent means 1.
    pub offset: Option<Count>,
    /// The maximum number of lines to read. If absent, the tool's own limit applies.
    pub limit: Option<Count>,
    /// The pages of a PDF to read, such as `1-5` or `3`. At most 20 pages.
    pub pages: Option<String>,
    /// Whether the tool also reads a text that is too long for the model. If `true`, it reads as much of the text as
    /// the model can take in. If absent, it refuses to read the text.
    pub allow_large: Option<bool>,
}

/// The output of the `Read` tool. Each kind of file has its own variant.
#[wire]
pub enum FileReadOutput {
    /// The contents of a text file.
    Text(Box<FileReadText>),
    /// The contents of an image.
    Image(Box<FileReadImage>),
    /// A Jupyter notebook with its cells.
    Notebook(Box<FileReadNotebook>),
    /// The contents of a whole PDF.
    Pdf(Box<FileReadPdf>),
    /// Pages of a PDF, as images.
    Parts(Box<FileReadParts>),
}

/// Output of the `Read` tool for a text file.
#[wire(tag(type = "text"))]
pub struct FileReadText {
    /// The text that was read.
    pub file: ReadTextFile,
    /// The artifact (a published page) of which this file is the source. Absent if the file is not the source of an
    /// artifact. From now on, the CLI treats this version of the artifact as read.
    #[wire(rename = "artifactRead")]
    pub artifact_read: Option<ReadArtifact>,
}

/// The content of a text file, or of a range of its lines.
#[wire(rename_all = "camelCase")]
pub struct ReadTextFile {
    /// The path of the file.
    pub file_path: String,
    /// The lines that were read.
    pub content: String,
    /// The number of lines that were read.
    pub num_lines: Count,
    /// The first line that was read, counted from 1.
    pub start_line: Count,
    /// The total number of lines in the file.
    pub total_lines: Count,
    /// Whether the output was truncated at the token limit although the whole file was requested.
    pub truncated_by_token_cap: Option<bool>,
}

/// A version of an artifact.
#[wire]
pub struct ReadArtifact {
    /// The slug of the artifact.
    pub slug: String,
    /// The version of the artifact.
    pub ver: String,
}

/// Output of the `Read` tool for an image.
#[wire(tag(type = "image"))]
pub struct FileReadImage {
    /// The image that was read.
    pub file: ReadImageFile,
}

/// An image file that was read.
#[wire(rename_all = "camelCase")]
pub struct ReadImageFile {
    /// The image as the model sees it, in base64.
    pub base64: String,
    /// The media type of the image.
    #[wire(rename = "type")]
    pub media_type: ImageMediaType,
    /// The size of the file, in bytes.
    pub original_size: Count,
    /// The dimensions of the image: in the file, and as the model sees the image.
    pub dimensions: Option<ImageDimensions>,
}

/// The media type of an image.
#[wire(open)]
pub enum ImageMediaType {
    /// An image in JPEG format.
    Jpeg = "image/jpeg",
    /// An image in PNG format.
    Png = "image/png",
    /// An image in GIF format.
    Gif = "image/gif",
    /// An image in WebP format.
    Webp = "image/webp",
}

/// The dimensions of an image, in pixels: in the file, and as the model sees the image.
#[wire(rename_all = "camelCase")]
pub struct ImageDimensions {
    /// The width of the image in the file, in pixels.
    pub original_width: Option<Number>,
    /// The height of the image in the file, in pixels.
    pub original_height: Option<Number>,
    /// The width of the image as the model sees it, in pixels.
    pub display_width: Option<Number>,
    /// The height of the image as the model sees it, in pixels.
    pub display_height: Option<Number>,
}

/// Output of the `Read` tool for a Jupyter notebook.
#[wire(tag(type = "notebook"))]
pub struct FileReadNotebook {
    /// The notebook that was read.
    pub file: ReadNotebookFile,
}

/// A Jupyter notebook with its cells.
#[wire(rename_all = "camelCase")]
pub struct ReadNotebookFile {
    /// The path of the file.
    pub file_path: String,
    /// The cells of the notebook: their type, source and outputs.
    pub cells: Vec<Json>,
}

/// Output of the `Read` tool for a whole PDF.
#[wire(tag(type = "pdf"))]
pub struct FileReadPdf {
    /// The PDF that was read.
    pub file: ReadPdfFile,
}

/// A PDF file that was read.
#[wire(rename_all = "camelCase")]
pub struct ReadPdfFile {
    /// The path of the file.
    pub file_path: String,
    /// The content of the file, in base64.
    pub base64: String,
    /// The size of the file, in bytes.
    pub original_size: Count,
}

/// Output of the `Read` tool for pages of a PDF, as images.
#[wire(tag(type = "parts"))]
pub struct FileReadParts {
    /// The PDF that was read.
    pub file: ReadPartsFile,
    /// The page that the first image shows, counted from 1.
    #[wire(rename = "firstPage")]
    pub first_page: Option<Count>,
    /// The images of the pages. The CLI leaves this field out: it sends the images only in the `tool_result` block.
    pub pages: Option<Vec<ReadPage>>,
}

/// A PDF file that was split into images of its pages.
#[wire(rename_all = "camelCase")]
pub struct ReadPartsFile {
    /// The path of the file.
    pub file_path: String,
    /// The size of the file, in bytes.
    pub original_size: Count,
    /// The number of pages that were read.
    pub count: Count,
    /// The directory with the images of the pages.
    pub output_dir: String,
}

/// A page of a PDF, as an image.
#[wire(rename_all = "camelCase")]
pub struct ReadPage {
    /// The image of the page, in base64. Empty if the page could not be rendered.
    pub base64: String,
    /// The media type of the image.
    pub media_type: ImageMediaType,
    /// The reason why the page has no image. Absent if the page has an image.
    pub error: Option<String>,
}

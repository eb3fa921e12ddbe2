//! Content blocks: the parts of an answer or a prompt.

use super::Source;
use crate::{Json, ToolUseId, Tri, wire};

/// A content block, which is a part of an answer or of a prompt.
#[wire]
pub enum ContentBlock {
    /// A block of text.
    Text(TextBlock),
    /// A tool use that the model requests.
    ToolUse(ToolUseBlock),
    /// The result of a tool use.
    ToolResult(ToolResultBlock),
    /// The model's thinking.
    Thinking(ThinkingBlock),
    /// The model's thinking in encrypted form, which hides it from the reader.
    RedactedThinking(RedactedThinkingBlock),
    /// An image. The block contains its bytes or a reference to them.
    Image(Box<ImageBlock>),
    /// A document. The block contains its bytes, text or blocks, or a reference to its bytes.
    Document(Box<DocumentBlock>),
    /// A search result that the model can cite.
    SearchResult(Box<SearchResultBlock>),
    /// A use of a tool that the API itself runs.
    ServerToolUse(Box<ServerToolUseBlock>),
    /// The result of a web search that the API made.
    WebSearchToolResult(Box<WebSearchToolResultBlock>),
    /// The result of a web fetch that the API made.
    WebFetchToolResult(Box<WebFetchToolResultBlock>),
    /// The result of a tool search at the API.
    ToolSearchToolResult(Box<ToolSearchToolResultBlock>),
    /// The result of a run of code at the API.
    CodeExecutionToolResult(Box<CodeExecutionToolResultBlock>),
    /// The result of a run of a shell command at the API.
    BashCodeExecutionToolResult(Box<BashCodeExecutionToolResultBlock>),
    /// The result of a use of the text editor at the API.
    TextEditorCodeExecutionToolResult(Box<TextEditorCodeExecutionToolResultBlock>),
    /// The result of a request to an advisor, which is another model at the API.
    AdvisorToolResult(Box<AdvisorToolResultBlock>),
    /// A tool use for which the API itself calls an MCP server.
    McpToolUse(Box<McpToolUseBlock>),
    /// The result of a tool of an MCP server that the API itself called.
    McpToolResult(Box<McpToolResultBlock>),
    /// A reference to a tool that a tool search found.
    ToolReference(ToolReferenceBlock),
    /// A reference to a file for the container in which the API runs code.
    ContainerUpload(ContainerUploadBlock),
    /// A summary of the earlier conversation, made by the API.
    Compaction(Box<CompactionBlock>),
}

/// A content block of text.
#[wire(tag(type = "text"))]
pub struct TextBlock {
    /// The text of the block.
    pub text: String,
    /// The citations that support the text. Many answers have null in this field.
    pub citations: Tri<Vec<Json>>,
    /// A cache breakpoint: the API may cache the prompt up to this block. If the field is absent, this block is not a
    /// breakpoint.
    pub cache_control: Option<CacheControl>,
}

/// A content block in which the model requests the use of a tool.
#[wire(tag(type = "tool_use"))]
pub struct ToolUseBlock {
    /// The ID of this tool use. The result of the tool use contains it.
    pub id: ToolUseId,
    /// The name of the tool.
    pub name: String,
    /// The input of the tool. Its form depends on the tool.
    pub input: Json,
    /// The caller of the tool: the model itself, or code that the model runs. If absent, the caller is the model
    /// itself.
    pub caller: Option<Json>,
}

/// A content block with the result of a tool use.
#[wire(tag(type = "tool_result"))]
pub struct ToolResultBlock {
    /// The ID of the tool use that this result answers.
    pub tool_use_id: ToolUseId,
    /// The output of the tool. Absent if the tool returned nothing.
    pub content: Option<Content>,
    /// Whether the tool failed. Absent means that the tool did not fail.
    pub is_error: Option<bool>,
    /// A cache breakpoint: the API may cache the prompt up to this block. If the field is absent, this block is not a
    /// breakpoint.
    pub cache_control: Option<CacheControl>,
}

/// A reference to a tool that a tool search found. The block is a part of the search's result, and makes the tool
/// available to the model.
#[wire(tag(type = "tool_reference"))]
pub struct ToolReferenceBlock {
    /// The name of the tool.
    pub tool_name: String,
    /// A cache breakpoint: the API may cache the prompt up to this block. If the field is absent, this block is not a
    /// breakpoint.
    pub cache_control: Option<CacheControl>,
}

/// A content block with the model's thinking.
#[wire(tag(type = "thinking"))]
pub struct ThinkingBlock {
    /// The text of the thinking. It may be empty if the thinking is not displayed.
    pub thinking: String,
    /// The API's signature of the thinking. With it, the API can later verify that the thinking is unchanged.
    pub signature: String,
}

/// A content block with the model's thinking in encrypted form, which hides it from the reader.
#[wire(tag(type = "redacted_thinking"))]
pub struct RedactedThinkingBlock {
    /// The encrypted text of the thinking.
    pub data: String,
}

/// A content block with an image.
#[wire(tag(type = "image"))]
pub struct ImageBlock {
    /// The source from which the image's bytes come.
    pub source: Source,
    /// A cache breakpoint: the API may cache the prompt up to this block. If the field is absent, this block is not a
    /// breakpoint.
    pub cache_control: Option<CacheControl>,
}

/// A content block with a document.
#[wire(tag(type = "document"))]
pub struct DocumentBlock {
    /// The source from which the document's bytes, text or blocks come.
    pub source: Source,
    /// The title of the document. Absent if the document has none.
    pub title: Option<String>,
    /// Context about the document for the model. Absent if there is none.
    pub context: Option<String>,
    /// An object with the settings for citations. With `enabled: true`, the model may cite the document. If the field
    /// is absent, the model may not cite it.
    pub citations: Option<Json>,
    /// A cache breakpoint: the API may cache the prompt up to this block. If the field is absent, this block is not a
    /// breakpoint.
    pub cache_control: Option<CacheControl>,
}

/// A content block with a search result that the model can cite.
#[wire(tag(type = "search_result"))]
pub struct SearchResultBlock {
    /// The content of the search result.
    pub content: Vec<ContentBlock>,
    /// The source of the search result: a URL or another text that identifies the source.
    pub source: String,
    /// The title of the search result.
    pub title: String,
    /// An object with the settings for citations. With `enabled: true`, the model may cite the search result. If the
    /// field is absent, the model may not cite it.
    pub citations: Option<Json>,
    /// A cache breakpoint: the API may cache the prompt up to this block. If the field is absent, this block is not a
    /// breakpoint.
    pub cache_control: Option<CacheControl>,
}

/// A content block in which the model uses a tool that the API itself runs.
#[wire(tag(type = "server_tool_use"))]
pub struct ServerToolUseBlock {
    /// The ID of this tool use. The result of the tool use contains it.
    pub id: ToolUseId,
    /// The name of the tool.
    pub name: String,
    /// The input of the tool.
    pub input: Json,
    /// The caller of the tool: the model itself, or code that the model runs. If absent, the caller is the model
    /// itself.
    pub caller: Option<Json>,
}

/// A content block with the result of a web search that the API made.
#[wire(tag(type = "web_search_tool_result"))]
pub struct WebSearchToolResultBlock {
    /// The ID of the tool use that this result answers.
    pub tool_use_id: ToolUseId,
    /// A list of search results, or an error object.
    pub content: Json,
    /// The caller of the tool: the model itself, or code that the model runs. If absent, the caller is the model
    /// itself.
    pub caller: Option<Json>,
}

/// A content block with the result of a web fetch that the API made.
#[wire(tag(type = "web_fetch_tool_result"))]
pub struct WebFetchToolResultBlock {
    /// The ID of the tool use that this result answers.
    pub tool_use_id: ToolUseId,
    /// The fetched page, or an error object.
    pub content: Json,
    /// The caller of the tool: the model itself, or code that the model runs. If absent, the caller is the model
    /// itself.
    pub caller: Option<Json>,
}

/// A content block with the result of a tool search at the API.
#[wire(tag(type = "tool_search_tool_result"))]
pub struct ToolSearchToolResultBlock {
    /// The ID of the tool use that this result answers.
    pub tool_use_id: ToolUseId,
    /// The tools that were found, or an error object.
    pub content: Json,
}

/// A content block with the result of a run of code at the API.
#[wire(tag(type = "code_execution_tool_result"))]
pub struct CodeExecutionToolResultBlock {
    /// The ID of the tool use that this result answers.
    pub tool_use_id: ToolUseId,
    /// The output of the code, or an error object.
    pub content: Json,
}

/// A content block with the result of a run of a shell command at the API.
#[wire(tag(type = "bash_code_execution_tool_result"))]
pub struct BashCodeExecutionToolResultBlock {
    /// The ID of the tool use that this result answers.
    pub tool_use_id: ToolUseId,
    /// The output of the command, or an error object.
    pub content: Json,
}

/// A content block with the result of a use of the text editor at the API.
#[wire(tag(type = "text_editor_code_execution_tool_result"))]
pub struct TextEditorCodeExecutionToolResultBlock {
    /// The ID of the tool use that this result answers.
    pub tool_use_id: ToolUseId,
    /// The contents or changes of the file, or an error object.
    pub content: Json,
}

/// A content block with the result of a request to an advisor, which is another model at the API.
#[wire(tag(type = "advisor_tool_result"))]
pub struct AdvisorToolResultBlock {
    /// The ID of the tool use that this result answers.
    pub tool_use_id: ToolUseId,
    /// The advice, possibly in encrypted form, or an error object.
    pub content: Json,
}

/// A content block in which the model uses a tool of an MCP server. The API itself calls the server.
#[wire(tag(type = "mcp_tool_use"))]
pub struct McpToolUseBlock {
    /// The ID of this tool use. The result of the tool use contains it.
    pub id: ToolUseId,
    /// The name of the tool.
    pub name: String,
    /// The name of the MCP server.
    pub server_name: String,
    /// The input of the tool.
    pub input: Json,
}

/// A content block with the result of a tool of an MCP server. The API itself called the server.
#[wire(tag(type = "mcp_tool_result"))]
pub struct McpToolResultBlock {
    /// The ID of the tool use that this result answers.
    pub tool_use_id: ToolUseId,
    /// The output of the tool.
    pub content: Option<Content>,
    /// Whether the tool failed. Absent means `false`.
    pub is_error: Option<bool>,
}

/// A content block that refers to a file for the container in which the API runs code.
#[wire(tag(type = "container_upload"))]
pub struct ContainerUploadBlock {
    /// The ID of the file.
    pub file_id: String,
}

/// A content block with a summary of the earlier conversation, made by the API.
#[wire(tag(type = "compaction"))]
pub struct CompactionBlock {
    /// The summary. Null if the API could not make a summary.
    #[wire(nullable)]
    pub content: Option<String>,
    /// The summary in encrypted form.
    pub encrypted_content: Tri<String>,
}

/// A cache breakpoint: the API may cache the prompt up to the block that contains this object.
#[wire]
pub struct CacheControl {
    /// The kind of caching: `ephemeral`.
    #[wire(rename = "type")]
    pub kind: String,
    /// The lifetime of the cache entry: `5m` or `1h`.
    pub ttl: Option<String>,
}

impl ContentBlock {
    /// Returns the ID and the content of a result of one of the API's own tools: the ID of the tool use that the result
    /// answers, and the result in the tool's own form. Returns `None` for all other blocks, such as [`McpToolResult`].
    ///
    /// [`McpToolResult`]: Self::McpToolResult
    pub fn api_tool_result(&self) -> Option<(&ToolUseId, &Json)> {
        Some(match self {
            Self::WebSearchToolResult(block) => (&block.tool_use_id, &block.content),
            Self::WebFetchToolResult(block) => (&block.tool_use_id, &block.content),
            Self::ToolSearchToolResult(block) => (&block.tool_use_id, &block.content),
            Self::CodeExecutionToolResult(block) => (&block.tool_use_id, &block.content),
            Self::BashCodeExecutionToolResult(block) => (&block.tool_use_id, &block.content),
            Self::TextEditorCodeExecutionToolResult(block) => (&block.tool_use_id, &block.content),
            Self::AdvisorToolResult(block) => (&block.tool_use_id, &block.content),
            _ => return None,
        })
    }
}

/// The content of a message or of a tool result: plain text or content blocks.
#[derive(Debug, Clone, PartialEq)]
#[expect(
    clippy::exhaustive_enums,
    reason = "text or a list; anything else is malformed"
)]
pub enum Content {
    /// Plain text. It means the same as a list with one text block.
    Text(String),
    /// A list of content blocks.
    Blocks(Vec<ContentBlock>),
}

impl Content {
    /// Returns the text of all text blocks, concatenated.
    pub fn text(&self) -> String {
        match self {
            Self::Text(text) => text.clone(),
            Self::Blocks(blocks) => text_of(blocks),
        }
    }

    /// Returns the content blocks. The slice is empty if the content is plain text.
    pub fn blocks(&self) -> &[ContentBlock] {
        match self {
            Self::Text(_) => &[],
            Self::Blocks(blocks) => blocks,
        }
    }
}

/// Returns the text of all text blocks, concatenated.
pub(crate) fn text_of(blocks: &[ContentBlock]) -> String {
    let texts = blocks.iter().filter_map(|block| match block {
        ContentBlock::Text(block) => Some(block.text.as_str()),
        _ => None,
    });
    texts.collect()
}

impl From<&str> for Content {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<String> for Content {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<Vec<ContentBlock>> for Content {
    fn from(blocks: Vec<ContentBlock>) -> Self {
        Self::Blocks(blocks)
    }
}

wire::by_text!(Content);

impl wire::Write for Content {
    fn write(&self, writer: &mut wire::Writer<'_>) -> Result<(), wire::Failed> {
        match self {
            Self::Text(text) => text.write(writer),
            Self::Blocks(blocks) => blocks.write(writer),
        }
    }
}

impl wire::Read for Content {
    fn read(parser: &mut wire::Parser<'_>) -> Result<Self, wire::Failed> {
        match parser.peek() {
            b'"' => wire::Read::read(parser).map(Self::Text),
            b'[' => wire::Read::read(parser).map(Self::Blocks),
            _ => Err(parser.mismatch(0, &"text or a list of content blocks")),
        }
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for Content {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Content".into()
    }
    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        let blocks = generator.subschema_for::<Vec<ContentBlock>>();
        schemars::json_schema!({
            "description": "Content as the API takes it: plain text, or blocks.",
            "anyOf": [{ "type": "string" }, blocks]
        })
    }
}

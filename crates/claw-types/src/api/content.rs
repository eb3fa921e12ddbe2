//! Content blocks: what an answer and a prompt are made of.

use super::Source;
use crate::{Json, ToolUseId, Tri, wire};

/// A piece of an answer or of a prompt.
#[wire]
pub enum ContentBlock {
    /// Text.
    Text(TextBlock),
    /// The model wants a tool used.
    ToolUse(ToolUseBlock),
    /// What a tool gave.
    ToolResult(ToolResultBlock),
    /// The model's reasoning.
    Thinking(ThinkingBlock),
    /// Reasoning that is kept from the reader.
    RedactedThinking(RedactedThinkingBlock),
    /// A picture.
    Image(Box<ImageBlock>),
    /// A document.
    Document(Box<DocumentBlock>),
    /// A passage that was searched for, to be cited.
    SearchResult(Box<SearchResultBlock>),
    /// A tool that runs at the API.
    ServerToolUse(Box<ServerToolUseBlock>),
    /// What a web search gave.
    WebSearchToolResult(Box<WebSearchToolResultBlock>),
    /// What fetching a page gave.
    WebFetchToolResult(Box<WebFetchToolResultBlock>),
    /// A tool of an MCP server that the API talks to.
    McpToolUse(Box<McpToolUseBlock>),
    /// What such a tool gave.
    McpToolResult(Box<McpToolResultBlock>),
    /// A tool that a search for tools found.
    ToolReference(ToolReferenceBlock),
    /// A file for the container.
    ContainerUpload(ContainerUploadBlock),
    /// A summary of what came before.
    Compaction(Box<CompactionBlock>),
}

/// Text.
#[wire(tag(type = "text"))]
pub struct TextBlock {
    /// The text.
    pub text: String,
    /// What the text is taken from. Null on many answers.
    pub citations: Tri<Vec<Json>>,
    /// Where the API may cache up to.
    pub cache_control: Option<CacheControl>,
}

/// The model wants a tool used.
#[wire(tag(type = "tool_use"))]
pub struct ToolUseBlock {
    /// Names this use; its result carries the same.
    pub id: ToolUseId,
    /// The tool.
    pub name: String,
    /// What the tool is given; its shape is the tool's own.
    pub input: Json,
    /// Who called: the model itself, or code that it runs.
    pub caller: Option<Json>,
}

/// What a tool gave.
#[wire(tag(type = "tool_result"))]
pub struct ToolResultBlock {
    /// The use that this answers.
    pub tool_use_id: ToolUseId,
    /// What the tool gave. Absent where the tool gave nothing.
    pub content: Option<Content>,
    /// Whether it failed. Absent: it did not.
    pub is_error: Option<bool>,
    /// Where the API may cache up to.
    pub cache_control: Option<CacheControl>,
}

/// A tool that a search for tools found: in the result of that search. The model may use it from now
/// on.
#[wire(tag(type = "tool_reference"))]
pub struct ToolReferenceBlock {
    /// The tool.
    pub tool_name: String,
    /// Where the API may cache up to.
    pub cache_control: Option<CacheControl>,
}

/// The model's reasoning.
#[wire(tag(type = "thinking"))]
pub struct ThinkingBlock {
    /// The reasoning; may be empty where it is not shown.
    pub thinking: String,
    /// The API's proof that the reasoning is its own.
    pub signature: String,
}

/// Reasoning that is kept from the reader.
#[wire(tag(type = "redacted_thinking"))]
pub struct RedactedThinkingBlock {
    /// The reasoning, encrypted.
    pub data: String,
}

/// A picture.
#[wire(tag(type = "image"))]
pub struct ImageBlock {
    /// Where its bytes are.
    pub source: Source,
    /// Where the API may cache up to.
    pub cache_control: Option<CacheControl>,
}

/// A document.
#[wire(tag(type = "document"))]
pub struct DocumentBlock {
    /// Where its bytes are.
    pub source: Source,
    /// Its title.
    pub title: Option<String>,
    /// What the model is told about it.
    pub context: Option<String>,
    /// Whether it may be cited.
    pub citations: Option<Json>,
    /// Where the API may cache up to.
    pub cache_control: Option<CacheControl>,
}

/// A passage that was searched for, to be cited.
#[wire(tag(type = "search_result"))]
pub struct SearchResultBlock {
    /// The passage.
    pub content: Vec<ContentBlock>,
    /// Where it is from.
    pub source: String,
    /// Its title.
    pub title: String,
    /// Whether it may be cited.
    pub citations: Option<Json>,
    /// Where the API may cache up to.
    pub cache_control: Option<CacheControl>,
}

/// A tool that runs at the API.
#[wire(tag(type = "server_tool_use"))]
pub struct ServerToolUseBlock {
    /// Names this use; its result carries the same.
    pub id: ToolUseId,
    /// The tool.
    pub name: String,
    /// What the tool is given.
    pub input: Json,
    /// Who called: the model itself, or code that it runs.
    pub caller: Option<Json>,
}

/// What a web search gave.
#[wire(tag(type = "web_search_tool_result"))]
pub struct WebSearchToolResultBlock {
    /// The use that this answers.
    pub tool_use_id: ToolUseId,
    /// A list of results, or an error object.
    pub content: Json,
    /// Who called: the model itself, or code that it runs.
    pub caller: Option<Json>,
}

/// What fetching a page gave.
#[wire(tag(type = "web_fetch_tool_result"))]
pub struct WebFetchToolResultBlock {
    /// The use that this answers.
    pub tool_use_id: ToolUseId,
    /// The page, or an error object.
    pub content: Json,
    /// Who called: the model itself, or code that it runs.
    pub caller: Option<Json>,
}

/// A tool of an MCP server that the API talks to.
#[wire(tag(type = "mcp_tool_use"))]
pub struct McpToolUseBlock {
    /// Names this use; its result carries the same.
    pub id: ToolUseId,
    /// The tool.
    pub name: String,
    /// The server.
    pub server_name: String,
    /// What the tool is given.
    pub input: Json,
}

/// What a tool of an MCP server gave.
#[wire(tag(type = "mcp_tool_result"))]
pub struct McpToolResultBlock {
    /// The use that this answers.
    pub tool_use_id: ToolUseId,
    /// What the tool gave.
    pub content: Option<Content>,
    /// Whether it failed.
    pub is_error: Option<bool>,
}

/// A file for the container.
#[wire(tag(type = "container_upload"))]
pub struct ContainerUploadBlock {
    /// The file.
    pub file_id: String,
}

/// A summary of what came before, made by the API.
#[wire(tag(type = "compaction"))]
pub struct CompactionBlock {
    /// The summary; null where it could not be made.
    #[wire(nullable)]
    pub content: Option<String>,
    /// The summary, encrypted.
    pub encrypted_content: Tri<String>,
}

/// Where the API may cache up to.
#[wire]
pub struct CacheControl {
    /// `ephemeral`.
    #[wire(rename = "type")]
    pub kind: String,
    /// How long it stays: `5m` or `1h`.
    pub ttl: Option<String>,
}

/// Content as the API takes it: plain text, or blocks.
#[derive(Debug, Clone, PartialEq)]
#[expect(
    clippy::exhaustive_enums,
    reason = "text or a list; anything else is malformed"
)]
pub enum Content {
    /// Plain text, which means one text block.
    Text(String),
    /// Blocks.
    Blocks(Vec<ContentBlock>),
}

impl Content {
    /// The text of all text blocks, put together.
    pub fn text(&self) -> String {
        match self {
            Self::Text(text) => text.clone(),
            Self::Blocks(blocks) => text_of(blocks),
        }
    }

    /// The blocks; none where the content is plain text.
    pub fn blocks(&self) -> &[ContentBlock] {
        match self {
            Self::Text(_) => &[],
            Self::Blocks(blocks) => blocks,
        }
    }
}

/// The text of all text blocks, put together.
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
    fn write(&self, writer: &mut wire::Writer<'_>) -> Result<(), wire::GaveUp> {
        match self {
            Self::Text(text) => text.write(writer),
            Self::Blocks(blocks) => blocks.write(writer),
        }
    }
}

impl wire::Read for Content {
    fn read(parser: &mut wire::Parser<'_>) -> Result<Self, wire::GaveUp> {
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

//! `get_context_usage`: the contents of the context window.

use crate::{Count, Number};

/// To `claude`: get the contents of the context window.
#[wire(tag(subtype = "get_context_usage"), response = GetContextUsageResponse)]
pub struct GetContextUsage {
    /// The precision of the count. Absent means `full`.
    pub detail: Option<ContextDetail>,
}

/// The precision with which the contents of the context window are counted.
#[wire(open)]
pub enum ContextDetail {
    /// The API counts the tokens, with one request per category.
    Full = "full",
    /// The tokens are estimated from the usage of the last answer, without any request.
    Summary = "summary",
}

/// The response to `get_context_usage`.
///
/// A field is absent if it does not apply, or if the CLI is too old to send it.
#[wire(rename_all = "camelCase")]
pub struct GetContextUsageResponse {
    /// The tokens by category, such as tools, messages and free space.
    pub categories: Vec<ContextCategory>,
    /// The number of tokens in use.
    pub total_tokens: Count,
    /// The maximum number of tokens that can be in use.
    pub max_tokens: Count,
    /// The size of the model's context window, in tokens.
    pub raw_max_tokens: Count,
    /// The used share of the context window, in percent.
    pub percentage: Number,
    /// The source of the compaction threshold, such as `model-default`.
    #[wire(since = "2.1.329")]
    pub autocompact_source: Option<String>,
    /// The categories as a picture: rows of squares.
    pub grid_rows: Vec<Vec<ContextSquare>>,
    /// The model whose context window is described.
    pub model: String,
    /// The instruction files in the context window.
    pub memory_files: Vec<ContextMemoryFile>,
    /// The tools of MCP servers in the context window.
    pub mcp_tools: Vec<ContextMcpTool>,
    /// The instructions of MCP servers in the context window.
    #[wire(since = "2.1.329")]
    pub mcp_instructions: Option<Vec<ContextMcpInstructions>>,
    /// The CLI's own tools whose description the model loads on demand.
    pub deferred_builtin_tools: Option<Vec<ContextDeferredTool>>,
    /// The CLI's own tools in the context window.
    pub system_tools: Option<Vec<ContextPart>>,
    /// The sections of the system prompt.
    pub system_prompt_sections: Option<Vec<ContextPart>>,
    /// The sub-agents in the context window, without the CLI's own.
    pub agents: Vec<ContextAgent>,
    /// The slash commands in the context window.
    pub slash_commands: Option<ContextCommands>,
    /// The skills in the context window.
    pub skills: Option<ContextSkills>,
    /// The number of tokens at which the conversation is compacted.
    pub auto_compact_threshold: Option<Count>,
    /// Whether automatic compaction is enabled.
    pub is_auto_compact_enabled: bool,
    /// The tokens of the conversation's messages, by kind.
    pub message_breakdown: Option<ContextMessages>,
    /// The usage of the last answer. Null before the first answer.
    #[wire(nullable)]
    pub api_usage: Option<ContextApiUsage>,
}

/// A category of tokens in the context window.
#[wire(rename_all = "camelCase")]
pub struct ContextCategory {
    /// The ID of the category.
    #[wire(since = "2.1.329")]
    pub id: Option<ContextCategoryId>,
    /// The display name of the category, in English.
    pub name: String,
    /// The number of tokens in the category.
    pub tokens: Count,
    /// The colour of the category, by a name of the CLI's themes.
    pub color: String,
    /// Whether the category's contents are loaded on demand, instead of being in the context
    /// window.
    pub is_deferred: Option<bool>,
    /// The meaning of the category.
    #[wire(since = "2.1.329")]
    pub kind: Option<ContextKind>,
}

/// The ID of a category of tokens in the context window.
#[wire(open)]
pub enum ContextCategoryId {
    /// The system prompt.
    SystemPrompt = "system_prompt",
    /// The CLI's own tools.
    SystemTools = "system_tools",
    /// The tools of MCP servers.
    McpTools = "mcp_tools",
    /// The instructions of MCP servers.
    McpInstructions = "mcp_instructions",
    /// The tools of MCP servers that the model loads on demand.
    McpToolsDeferred = "mcp_tools_deferred",
    /// The CLI's own tools that the model loads on demand.
    SystemToolsDeferred = "system_tools_deferred",
    /// The sub-agents that are not the CLI's own.
    CustomAgents = "custom_agents",
    /// The instruction files.
    MemoryFiles = "memory_files",
    /// The skills of the session.
    Skills = "skills",
    /// The messages of the conversation.
    Messages = "messages",
    /// Space that is kept free for automatic compaction.
    AutocompactBuffer = "autocompact_buffer",
    /// Space that is kept free for compaction on request.
    CompactBuffer = "compact_buffer",
    /// Space that is free.
    FreeSpace = "free_space",
}

/// The meaning of a category of the context window.
#[wire(open)]
pub enum ContextKind {
    /// The tokens are in use.
    Used = "used",
    /// The tokens are free.
    Free = "free",
    /// The tokens are reserved, such as for compaction.
    Buffer = "buffer",
    /// The tokens are not in the context window, but loaded on demand.
    Deferred = "deferred",
}

/// A square in the picture of the context window.
#[wire(rename_all = "camelCase")]
pub struct ContextSquare {
    /// The colour of the square, by a name of the CLI's themes.
    pub color: String,
    /// Whether the square stands for tokens in use.
    pub is_filled: bool,
    /// The name of the category that the square stands for.
    pub category_name: String,
    /// The number of tokens in the square's category.
    pub tokens: Count,
    /// The share of the square's category in the context window, in percent.
    pub percentage: Number,
    /// The filled share of the square, from 0 to 1.
    pub square_fullness: Number,
}

/// An instruction file in the context window.
#[wire]
pub struct ContextMemoryFile {
    /// The path of the file.
    pub path: String,
    /// The display name of the file's scope, such as `User` or `Project`.
    #[wire(rename = "type")]
    pub kind: String,
    /// The number of tokens that the file takes in the context window.
    pub tokens: Count,
}

/// An MCP tool in the context window.
#[wire(rename_all = "camelCase")]
pub struct ContextMcpTool {
    /// The name of the tool, as the model uses it.
    pub name: String,
    /// The name of the MCP server, in the form used in tool names.
    pub server_name: String,
    /// The number of tokens that the tool takes.
    pub tokens: Count,
    /// Whether the model has already loaded the tool. Sent if tools are loaded on demand.
    pub is_loaded: Option<bool>,
}

/// The instructions of an MCP server in the context window.
#[wire(rename_all = "camelCase")]
pub struct ContextMcpInstructions {
    /// The MCP server's own name.
    pub server_name: String,
    /// The estimated number of tokens that the instructions take.
    pub tokens: Count,
}

/// A tool that the model loads on demand.
#[wire(rename_all = "camelCase")]
pub struct ContextDeferredTool {
    /// The name of the tool.
    pub name: String,
    /// The number of tokens that the tool takes when it is loaded.
    pub tokens: Count,
    /// Whether the model has already loaded the tool.
    pub is_loaded: bool,
}

/// A named part of the context window.
#[wire]
pub struct ContextPart {
    /// The name of the part.
    pub name: String,
    /// The number of tokens that the part takes.
    pub tokens: Count,
}

/// A sub-agent in the context window.
#[wire(rename_all = "camelCase")]
pub struct ContextAgent {
    /// The type of the sub-agent.
    pub agent_type: String,
    /// The source of the sub-agent, such as `userSettings`, `projectSettings` or `plugin`.
    pub source: String,
    /// The plugin that provides the sub-agent, with its marketplace.
    #[wire(since = "2.1.329")]
    pub plugin_id: Option<String>,
    /// The path of the sub-agent's file on the CLI's machine.
    #[wire(since = "2.1.329")]
    pub path: Option<String>,
    /// The number of tokens that the sub-agent's definition takes in the context window.
    pub tokens: Count,
}

/// The slash commands in the context window.
#[wire(rename_all = "camelCase")]
pub struct ContextCommands {
    /// The number of slash commands.
    pub total_commands: Count,
    /// The number of slash commands that the model is told about.
    pub included_commands: Count,
    /// The number of tokens that the slash commands take.
    pub tokens: Count,
}

/// The skills in the context window.
#[wire(rename_all = "camelCase")]
pub struct ContextSkills {
    /// The number of skills.
    pub total_skills: Count,
    /// The number of skills that the model is told about.
    pub included_skills: Count,
    /// The number of tokens that the skills take.
    pub tokens: Count,
    /// The skills that the model is told about, one by one.
    pub skill_frontmatter: Vec<ContextSkill>,
}

/// A skill in the context window.
#[wire(rename_all = "camelCase")]
pub struct ContextSkill {
    /// The name of the skill.
    pub name: String,
    /// The source of the skill, such as `built-in`, `userSettings`, `projectSettings` or `plugin`.
    pub source: String,
    /// The name of the plugin that provides the skill. Several marketplaces can have a plugin of
    /// that name.
    #[wire(since = "2.1.329")]
    pub plugin_name: Option<String>,
    /// The plugin that provides the skill, with its marketplace.
    #[wire(since = "2.1.329")]
    pub plugin_id: Option<String>,
    /// The path of the skill's file on the CLI's machine.
    #[wire(since = "2.1.329")]
    pub path: Option<String>,
    /// The number of tokens that the skill takes in the context window.
    pub tokens: Count,
}

/// The tokens of the conversation's messages, by kind.
#[wire(rename_all = "camelCase")]
pub struct ContextMessages {
    /// The number of tokens that tool uses take.
    pub tool_call_tokens: Count,
    /// The number of tokens that tool results take.
    pub tool_result_tokens: Count,
    /// The number of tokens that the CLI's additions to the user's prompts take.
    pub attachment_tokens: Count,
    /// The number of tokens that the model's text takes.
    pub assistant_message_tokens: Count,
    /// The number of tokens that the user's text takes.
    pub user_message_tokens: Count,
    /// The number of tokens of context that was moved elsewhere.
    pub redirected_context_tokens: Count,
    /// The number of tokens of other kinds.
    pub unattributed_tokens: Count,
    /// The tokens of tool uses and results, by tool.
    pub tool_calls_by_type: Vec<ContextToolUse>,
    /// The tokens of attachments, by kind.
    pub attachments_by_type: Vec<ContextPart>,
}

/// The tokens of one tool's uses and results.
#[wire(rename_all = "camelCase")]
pub struct ContextToolUse {
    /// The name of the tool.
    pub name: String,
    /// The number of tokens that the inputs of the tool take.
    pub call_tokens: Count,
    /// The number of tokens that the results of the tool take.
    pub result_tokens: Count,
}

/// The token usage of the last answer to the conversation.
#[wire]
pub struct ContextApiUsage {
    /// The number of input tokens, without those that were read from or written to the cache.
    pub input_tokens: Count,
    /// The number of output tokens.
    pub output_tokens: Count,
    /// The number of input tokens that were written to the cache.
    pub cache_creation_input_tokens: Count,
    /// The number of input tokens that were read from the cache.
    pub cache_read_input_tokens: Count,
}

//! `get_context_usage`: the contents of the context window.

use crate::{Count, Number};

/// To `claude`: get the contents of the context window.
#[wire(tag(subtype = "get_context_usage"), response = GetContextUsageResponse)]
pub struct GetContextUsage {
    /// The precision with which the CLI counts the tokens. Absent means `full`.
    pub detail: Option<ContextDetail>,
}

/// The precision with which the CLI counts the tokens in the context window.
#[wire(open)]
pub enum ContextDetail {
    /// The API counts the tokens exactly. This takes one API request for each category.
    Full = "full",
    /// The CLI estimates the tokens from the usage of the last answer, without an API request.
    Summary = "summary",
}

/// The response to `get_context_usage`.
///
/// A field is absent if it does not apply, or if the CLI is too old to send it.
#[wire(rename_all = "camelCase")]
pub struct GetContextUsageResponse {
    /// The categories of tokens, such as tools, messages and free space, each with its number of tokens.
    pub categories: Vec<ContextCategory>,
    /// The number of tokens of the context window that are in use.
    pub total_tokens: Count,
    /// The maximum number of tokens that the conversation may take in the context window.
    pub max_tokens: Count,
    /// The size of the model's context window, in tokens.
    pub raw_max_tokens: Count,
    /// The used share of the context window, in percent.
    pub percentage: Number,
    /// The source of the threshold for automatic compaction, such as `model-default`.
    #[wire(since = "2.1.329")]
    pub autocompact_source: Option<String>,
    /// A picture of the context window: rows of squares. Each square stands for a category of tokens.
    pub grid_rows: Vec<Vec<ContextSquare>>,
    /// The name of the model to which this context window belongs.
    pub model: String,
    /// The instruction files in the context window.
    pub memory_files: Vec<ContextMemoryFile>,
    /// The tools of MCP servers in the context window.
    pub mcp_tools: Vec<ContextMcpTool>,
    /// The instructions of MCP servers in the context window.
    #[wire(since = "2.1.329")]
    pub mcp_instructions: Option<Vec<ContextMcpInstructions>>,
    /// The CLI's own tools that the model loads on demand. The description of such a tool is in the context window only
    /// after the model has loaded the tool.
    pub deferred_builtin_tools: Option<Vec<ContextDeferredTool>>,
    /// The CLI's own tools in the context window.
    pub system_tools: Option<Vec<ContextPart>>,
    /// The sections of the system prompt.
    pub system_prompt_sections: Option<Vec<ContextPart>>,
    /// The sub-agents whose definitions are in the context window. The CLI's own sub-agents are not included.
    pub agents: Vec<ContextAgent>,
    /// The slash commands in the context window.
    pub slash_commands: Option<ContextCommands>,
    /// The skills in the context window.
    pub skills: Option<ContextSkills>,
    /// The number of tokens at which the CLI compacts the conversation automatically.
    pub auto_compact_threshold: Option<Count>,
    /// Whether automatic compaction is enabled.
    pub is_auto_compact_enabled: bool,
    /// How many tokens the conversation's messages take, by kind of content.
    pub message_breakdown: Option<ContextMessages>,
    /// The token usage of the last answer. Null before the first answer.
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
    /// The colour of the category: the name of a colour in the CLI's themes, such as `promptBorder`.
    pub color: String,
    /// Whether the category's contents are loaded only on demand, and are not in the context window yet.
    pub is_deferred: Option<bool>,
    /// The state of the category's tokens: used, free, reserved or loaded on demand.
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

/// The state of the tokens in a category of the context window: used, free, reserved or loaded on demand.
#[wire(open)]
pub enum ContextKind {
    /// The tokens are in use.
    Used = "used",
    /// The tokens are free.
    Free = "free",
    /// The tokens are reserved, for example for compaction.
    Buffer = "buffer",
    /// The tokens are not in the context window, because their contents are loaded only on demand.
    Deferred = "deferred",
}

/// A square in the picture of the context window.
#[wire(rename_all = "camelCase")]
pub struct ContextSquare {
    /// The colour of the square: the name of a colour in the CLI's themes, such as `promptBorder`.
    pub color: String,
    /// Whether the square stands for tokens in use.
    pub is_filled: bool,
    /// The display name of the category that the square stands for, such as `Free space`.
    pub category_name: String,
    /// The number of tokens in the category that the square stands for.
    pub tokens: Count,
    /// The share of the context window that the square's category takes, in percent.
    pub percentage: Number,
    /// How much of the square is filled, from 0 to 1.
    pub square_fullness: Number,
}

/// An instruction file in the context window.
#[wire]
pub struct ContextMemoryFile {
    /// The path of the file.
    pub path: String,
    /// The display name of the file's scope, which is for example `User` or `Project`.
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
    /// The name of the MCP server, as it appears in the names of its tools.
    pub server_name: String,
    /// The number of tokens that the tool takes in the context window.
    pub tokens: Count,
    /// Whether the model has already loaded the tool. Sent only if the model loads tools on demand.
    pub is_loaded: Option<bool>,
}

/// The instructions of an MCP server in the context window.
#[wire(rename_all = "camelCase")]
pub struct ContextMcpInstructions {
    /// The name of the MCP server, unchanged. In the names of the server's tools, some characters of this name may be
    /// replaced.
    pub server_name: String,
    /// The estimated number of tokens that the instructions take.
    pub tokens: Count,
}

/// A tool that the model loads on demand.
#[wire(rename_all = "camelCase")]
pub struct ContextDeferredTool {
    /// The name of the tool.
    pub name: String,
    /// The number of tokens that the tool takes in the context window once it is loaded.
    pub tokens: Count,
    /// Whether the model has already loaded the tool.
    pub is_loaded: bool,
}

/// A part of the context window, with its name and its size.
#[wire]
pub struct ContextPart {
    /// The name of the part, for example of a tool or of a section of the system prompt.
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
    /// The plugin that provides the sub-agent, and the plugin's marketplace, as `name@marketplace`.
    #[wire(since = "2.1.329")]
    pub plugin_id: Option<String>,
    /// The path of the sub-agent's file on the CLI's machine.
    #[wire(since = "2.1.329")]
    pub path: Option<String>,
    /// The number of tokens that the sub-agent's definition takes in the context window.
    pub tokens: Count,
}

/// How much of the context window the slash commands take.
#[wire(rename_all = "camelCase")]
pub struct ContextCommands {
    /// The number of slash commands.
    pub total_commands: Count,
    /// The number of slash commands in the list that the model receives.
    pub included_commands: Count,
    /// The number of tokens that the slash commands take.
    pub tokens: Count,
}

/// How much of the context window the skills take.
#[wire(rename_all = "camelCase")]
pub struct ContextSkills {
    /// The number of skills.
    pub total_skills: Count,
    /// The number of skills in the list that the model receives.
    pub included_skills: Count,
    /// The number of tokens that the skills take.
    pub tokens: Count,
    /// The skills in the list that the model receives.
    pub skill_frontmatter: Vec<ContextSkill>,
}

/// A skill in the context window.
#[wire(rename_all = "camelCase")]
pub struct ContextSkill {
    /// The name of the skill.
    pub name: String,
    /// The source of the skill, such as `built-in`, `userSettings`, `projectSettings` or `plugin`.
    pub source: String,
    /// The name of the plugin that provides the skill. Plugins of different marketplaces can have the same name.
    #[wire(since = "2.1.329")]
    pub plugin_name: Option<String>,
    /// The plugin that provides the skill, and the plugin's marketplace, as `name@marketplace`.
    #[wire(since = "2.1.329")]
    pub plugin_id: Option<String>,
    /// The path of the skill's file on the CLI's machine.
    #[wire(since = "2.1.329")]
    pub path: Option<String>,
    /// The number of tokens that the skill takes in the context window.
    pub tokens: Count,
}

/// How many tokens the conversation's messages take, by kind of content.
#[wire(rename_all = "camelCase")]
pub struct ContextMessages {
    /// The number of tokens that tool uses take.
    pub tool_call_tokens: Count,
    /// The number of tokens that tool results take.
    pub tool_result_tokens: Count,
    /// The number of tokens that attachments take. Attachments are what the CLI adds to the user's prompts.
    pub attachment_tokens: Count,
    /// The number of tokens that the model's text takes.
    pub assistant_message_tokens: Count,
    /// The number of tokens that the user's text takes.
    pub user_message_tokens: Count,
    /// The number of tokens of context that the CLI moved out of the system prompt.
    pub redirected_context_tokens: Count,
    /// The number of tokens that belong to no other kind of content.
    pub unattributed_tokens: Count,
    /// How many tokens the uses and the results of each tool take.
    pub tool_calls_by_type: Vec<ContextToolUse>,
    /// How many tokens each kind of attachment takes. Attachments are what the CLI adds to the user's prompts.
    pub attachments_by_type: Vec<ContextPart>,
}

/// How many tokens the uses and the results of one tool take.
#[wire(rename_all = "camelCase")]
pub struct ContextToolUse {
    /// The name of the tool.
    pub name: String,
    /// The number of tokens that the inputs of the tool take.
    pub call_tokens: Count,
    /// The number of tokens that the results of the tool take.
    pub result_tokens: Count,
}

/// The token usage of the last answer in the conversation.
#[wire]
pub struct ContextApiUsage {
    /// The number of input tokens, without the tokens that were read from or written to the cache.
    pub input_tokens: Count,
    /// The number of output tokens.
    pub output_tokens: Count,
    /// The number of input tokens that were written to the cache.
    pub cache_creation_input_tokens: Count,
    /// The number of input tokens that were read from the cache.
    pub cache_read_input_tokens: Count,
}

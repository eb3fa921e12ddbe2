//! `get_context_usage`: what the context window is full of.

use crate::{Count, Number};

/// To `claude`: what is the context window full of?
#[wire(tag(subtype = "get_context_usage"), response = GetContextUsageResponse)]
pub struct GetContextUsage {
    /// How exactly it is counted; absent for `full`.
    pub detail: Option<ContextDetail>,
}

/// How exactly the context window's contents are counted.
#[wire(open)]
pub enum ContextDetail {
    /// By the API, one request a category.
    Full = "full",
    /// From the last answer's usage and estimates, without any request.
    Summary = "summary",
}

/// The answer to `get_context_usage`.
#[wire(rename_all = "camelCase")]
pub struct GetContextUsageResponse {
    /// What takes how much, what is free and what is kept free.
    pub categories: Vec<ContextCategory>,
    /// Tokens in use.
    pub total_tokens: Count,
    /// Tokens that can be in use.
    pub max_tokens: Count,
    /// Tokens that the model's window holds.
    pub raw_max_tokens: Count,
    /// How full the window is, in percent.
    pub percentage: Number,
    /// Where the point at which the conversation is compacted comes from, such as `model-default`.
    #[wire(since = "2.1.329")]
    pub autocompact_source: Option<String>,
    /// The same as a picture: rows of squares.
    pub grid_rows: Vec<Vec<ContextSquare>>,
    /// The model whose window it is.
    pub model: String,
    /// Files of instructions.
    pub memory_files: Vec<ContextMemoryFile>,
    /// Tools of MCP servers.
    pub mcp_tools: Vec<ContextMcpTool>,
    /// Instructions of MCP servers.
    #[wire(since = "2.1.329")]
    pub mcp_instructions: Option<Vec<ContextMcpInstructions>>,
    /// The CLI's own tools that are described to the model only when it looks for them.
    pub deferred_builtin_tools: Option<Vec<ContextDeferredTool>>,
    /// The CLI's own tools.
    pub system_tools: Option<Vec<ContextPart>>,
    /// The parts of the system prompt.
    pub system_prompt_sections: Option<Vec<ContextPart>>,
    /// Sub-agents that are not the CLI's own.
    pub agents: Vec<ContextAgent>,
    /// Slash commands.
    pub slash_commands: Option<ContextCommands>,
    /// Skills.
    pub skills: Option<ContextSkills>,
    /// At how many tokens the conversation is compacted.
    pub auto_compact_threshold: Option<Count>,
    /// Whether it is compacted by itself at all.
    pub is_auto_compact_enabled: bool,
    /// What the conversation's messages are.
    pub message_breakdown: Option<ContextMessages>,
    /// What the last answer's usage said; null before the first.
    #[wire(nullable)]
    pub api_usage: Option<ContextApiUsage>,
}

/// A category of what is in the context window.
#[wire(rename_all = "camelCase")]
pub struct ContextCategory {
    /// Which one.
    #[wire(since = "2.1.329")]
    pub id: Option<ContextCategoryId>,
    /// Its name, in English, to be shown.
    pub name: String,
    /// How much it takes.
    pub tokens: Count,
    /// Its colour: a name of the CLI's themes.
    pub color: String,
    /// It is not in the window: the model finds it when it looks for it.
    pub is_deferred: Option<bool>,
    /// What it means.
    #[wire(since = "2.1.329")]
    pub kind: Option<ContextKind>,
}

/// Which category of what is in the context window.
#[wire(open)]
pub enum ContextCategoryId {
    /// The system prompt.
    SystemPrompt = "system_prompt",
    /// The CLI's own tools.
    SystemTools = "system_tools",
    /// Tools of MCP servers.
    McpTools = "mcp_tools",
    /// Instructions of MCP servers.
    McpInstructions = "mcp_instructions",
    /// Tools of MCP servers that the model has to look for.
    McpToolsDeferred = "mcp_tools_deferred",
    /// Tools of the CLI's that the model has to look for.
    SystemToolsDeferred = "system_tools_deferred",
    /// Sub-agents.
    CustomAgents = "custom_agents",
    /// Files of instructions.
    MemoryFiles = "memory_files",
    /// Skills.
    Skills = "skills",
    /// The conversation.
    Messages = "messages",
    /// Kept free, so that the conversation can be compacted by itself.
    AutocompactBuffer = "autocompact_buffer",
    /// Kept free, so that it can be compacted when asked for.
    CompactBuffer = "compact_buffer",
    /// Free.
    FreeSpace = "free_space",
}

/// What a category of the context window means.
#[wire(open)]
pub enum ContextKind {
    /// It is in the window.
    Used = "used",
    /// It is what is left.
    Free = "free",
    /// It is kept free.
    Buffer = "buffer",
    /// It is not in the window.
    Deferred = "deferred",
}

/// A square of the picture of the context window.
#[wire(rename_all = "camelCase")]
pub struct ContextSquare {
    /// Its colour: a name of the CLI's themes.
    pub color: String,
    /// Whether it stands for something.
    pub is_filled: bool,
    /// What it stands for.
    pub category_name: String,
    /// How much all of that takes.
    pub tokens: Count,
    /// The same, in percent of the window.
    pub percentage: Number,
    /// How much of the square is full, from 0 to 1.
    pub square_fullness: Number,
}

/// A file of instructions in the context window.
#[wire]
pub struct ContextMemoryFile {
    /// The file.
    pub path: String,
    /// Whose it is, to be shown: `User`, `Project` ….
    #[wire(rename = "type")]
    pub kind: String,
    /// How much it takes.
    pub tokens: Count,
}

/// A tool of an MCP server in the context window.
#[wire(rename_all = "camelCase")]
pub struct ContextMcpTool {
    /// Its name, as the model uses it.
    pub name: String,
    /// The server, in the form that tool names have it.
    pub server_name: String,
    /// How much it takes.
    pub tokens: Count,
    /// Whether the model has it already, where tools are looked for.
    pub is_loaded: Option<bool>,
}

/// What an MCP server's instructions take in the context window.
#[wire(rename_all = "camelCase")]
pub struct ContextMcpInstructions {
    /// The server, by its own name.
    pub server_name: String,
    /// How much they take: an estimate.
    pub tokens: Count,
}

/// A tool that the model has to look for.
#[wire(rename_all = "camelCase")]
pub struct ContextDeferredTool {
    /// The tool.
    pub name: String,
    /// How much it takes, or would.
    pub tokens: Count,
    /// Whether the model has it already.
    pub is_loaded: bool,
}

/// A part of the context window, by name.
#[wire]
pub struct ContextPart {
    /// What it is.
    pub name: String,
    /// How much it takes.
    pub tokens: Count,
}

/// A sub-agent in the context window.
#[wire(rename_all = "camelCase")]
pub struct ContextAgent {
    /// Its name.
    pub agent_type: String,
    /// Where it comes from: `userSettings`, `projectSettings`, `plugin` ….
    pub source: String,
    /// The plugin that it comes from, with its marketplace.
    #[wire(since = "2.1.329")]
    pub plugin_id: Option<String>,
    /// Its file, on the machine that the CLI runs on.
    #[wire(since = "2.1.329")]
    pub path: Option<String>,
    /// How much it takes.
    pub tokens: Count,
}

/// Slash commands in the context window.
#[wire(rename_all = "camelCase")]
pub struct ContextCommands {
    /// How many there are.
    pub total_commands: Count,
    /// How many the model is told of.
    pub included_commands: Count,
    /// How much they take.
    pub tokens: Count,
}

/// Skills in the context window.
#[wire(rename_all = "camelCase")]
pub struct ContextSkills {
    /// How many there are.
    pub total_skills: Count,
    /// How many the model is told of.
    pub included_skills: Count,
    /// How much they take.
    pub tokens: Count,
    /// Each of them.
    pub skill_frontmatter: Vec<ContextSkill>,
}

/// A skill in the context window.
#[wire(rename_all = "camelCase")]
pub struct ContextSkill {
    /// Its name.
    pub name: String,
    /// Where it comes from: `built-in`, `userSettings`, `projectSettings`, `plugin` ….
    pub source: String,
    /// The plugin that it comes from. Several marketplaces may have one of that name.
    #[wire(since = "2.1.329")]
    pub plugin_name: Option<String>,
    /// The same with its marketplace.
    #[wire(since = "2.1.329")]
    pub plugin_id: Option<String>,
    /// Its file, on the machine that the CLI runs on.
    #[wire(since = "2.1.329")]
    pub path: Option<String>,
    /// How much it takes.
    pub tokens: Count,
}

/// What the conversation's messages are, by what they take in the context window.
#[wire(rename_all = "camelCase")]
pub struct ContextMessages {
    /// Uses of tools.
    pub tool_call_tokens: Count,
    /// What tools gave back.
    pub tool_result_tokens: Count,
    /// What the CLI put to the user's prompts.
    pub attachment_tokens: Count,
    /// The model's text.
    pub assistant_message_tokens: Count,
    /// The user's text.
    pub user_message_tokens: Count,
    /// Context that was put elsewhere.
    pub redirected_context_tokens: Count,
    /// What is none of these.
    pub unattributed_tokens: Count,
    /// The same by tool.
    pub tool_calls_by_type: Vec<ContextToolUse>,
    /// The same by kind of attachment.
    pub attachments_by_type: Vec<ContextPart>,
}

/// What a tool's uses take in the context window.
#[wire(rename_all = "camelCase")]
pub struct ContextToolUse {
    /// The tool.
    pub name: String,
    /// What it was given.
    pub call_tokens: Count,
    /// What it gave back.
    pub result_tokens: Count,
}

/// The usage of the answer that the context window was last sent for, in tokens.
#[wire]
pub struct ContextApiUsage {
    /// Read, without the cache.
    pub input_tokens: Count,
    /// Written.
    pub output_tokens: Count,
    /// Put into the cache.
    pub cache_creation_input_tokens: Count,
    /// Read from the cache.
    pub cache_read_input_tokens: Count,
}

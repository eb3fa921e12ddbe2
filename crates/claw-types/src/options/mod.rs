//! The options of a query or session, as plain data. Callbacks are not part of the options.

mod agent;
mod mcp;
mod merge;
mod model;
mod permission;
mod sandbox;
mod settings;
mod system_prompt;
mod tools;
mod validate;

pub use agent::*;
pub use mcp::*;
pub use model::*;
pub use permission::*;
pub use sandbox::*;
pub use settings::*;
pub use system_prompt::*;
pub use tools::*;
pub use validate::*;

use std::path::PathBuf;

use crate::settings::Settings;
use crate::{Count, JsonOf, Map, MessageUuid, Number, SessionId};

/// The options of a query or session. All of them are optional. If an option is not set, `claude` uses its own default.
/// The exception is the system prompt, which is empty if it is not set.
///
/// In JSON, the fields have the names that the official TypeScript SDK gives them.
///
/// ```
/// use claw_types::options::{PermissionMode, QueryOptions, SystemPrompt};
///
/// let options = QueryOptions::default()
///     .model("claude-opus-5-5")
///     .permission_mode(PermissionMode::AcceptEdits)
///     .max_turns(3)
///     .system_prompt(SystemPrompt::claude_code());
/// assert_eq!(options.max_turns.unwrap(), 3);
/// ```
#[wire(rename_all = "camelCase")]
pub struct QueryOptions {
    // The process: model, directories, environment.
    /// The model, by name or alias.
    pub model: Option<String>,
    /// The model to use when `model` is overloaded, or several models, separated by commas. The value must differ from
    /// `model`.
    pub fallback_model: Option<String>,
    /// The working directory. Absent means the working directory of the host.
    pub cwd: Option<PathBuf>,
    /// Additional directories that tools may use.
    pub additional_directories: Option<Vec<PathBuf>>,
    /// The absolute path of a trusted checkout, if the working directory is a worktree of this checkout. The CLI reads
    /// project settings, `CLAUDE.md` and `.claude` from this checkout instead of the working directory.
    #[wire(since = "2.1.329")]
    pub project_config_root: Option<PathBuf>,
    /// Environment variables to set for the CLI. The CLI also inherits the environment variables of the host. A null
    /// value removes a variable.
    #[wire(secret)]
    pub env: Option<Map<Option<String>>>,
    /// The path of the `claude` executable. If absent, claw searches for it.
    pub path_to_claude_code_executable: Option<PathBuf>,
    /// Additional command-line flags for the CLI, with their values. Write the flags without leading dashes. Use the
    /// value null for a flag that takes no value.
    #[wire(secret)]
    pub extra_args: Option<Map<Option<String>>>,

    // The context: prompts, agents, skills.
    /// The system prompt. If absent, the system prompt is empty.
    pub system_prompt: Option<SystemPrompt>,
    /// Instructions for the permission mode `plan`, in place of Claude Code's own instructions.
    pub plan_mode_instructions: Option<String>,
    /// The name of the agent that the main conversation runs as. The agent is defined in `agents` or in the settings.
    /// The session uses the agent's system prompt, tools and model.
    pub agent: Option<String>,
    /// Definitions of sub-agents, by name.
    pub agents: Option<Map<AgentDefinition>>,
    /// The skills of the main conversation. The model may use these skills without asking for permission. If absent,
    /// all skills that the CLI finds are available, and the permission rules apply to their use.
    pub skills: Option<Skills>,
    /// Whether prompts are sent verbatim, without processing slash commands and mentions of files.
    #[wire(since = "2.1.248")]
    pub verbatim_prompts: Option<bool>,
    /// The title of the session. If absent, the CLI generates a title.
    pub title: Option<String>,

    // The model's work: thinking, limits, output.
    /// The thinking configuration. This option takes precedence over `maxThinkingTokens`.
    pub thinking: Option<Thinking>,
    /// The thinking budget, in tokens. 0 turns thinking off. This option is outdated: use `thinking` instead.
    pub max_thinking_tokens: Option<Count>,
    /// The effort level of the model.
    pub effort: Option<EffortLevel>,
    /// The maximum number of model responses in a turn.
    pub max_turns: Option<Count>,
    /// The maximum cost of the session, in US dollars. The CLI checks the cost after each turn.
    pub max_budget_usd: Option<Number>,
    /// A token budget. The CLI tells the model the size of the budget, so that the model can plan its work.
    pub task_budget: Option<TaskBudget>,
    /// The required form of the final output.
    pub output_format: Option<OutputFormat>,
    /// Beta features of the API to enable.
    pub betas: Option<Vec<Beta>>,

    // Tools and permissions.
    /// The available built-in tools. `[]` means none. Absent means all.
    pub tools: Option<Tools>,
    /// The tools that the model may use without asking for permission. An entry can be limited to certain uses of a
    /// tool, such as `Bash(git log:*)`.
    pub allowed_tools: Option<Vec<String>>,
    /// The tools that are denied. An entry can be limited to certain uses of a tool, such as `Bash(rm:*)`.
    pub disallowed_tools: Option<Vec<String>>,
    /// Aliases of tools. Each key is the name of a tool that the model may call, and its value is the name of the tool
    /// that runs in its place. An alias of an alias is not resolved.
    pub tool_aliases: Option<Map<String>>,
    /// The configuration of individual tools.
    pub tool_config: Option<ToolConfig>,
    /// The permission mode.
    pub permission_mode: Option<PermissionMode>,
    /// Whether the permission mode `bypassPermissions` is allowed.
    pub allow_dangerously_skip_permissions: Option<bool>,
    /// The name of the MCP tool that answers permission requests instead of the host's callback.
    pub permission_prompt_tool_name: Option<String>,
    /// Whether the host answers permission requests, or nobody does.
    #[wire(since = "2.1.329")]
    pub permission_prompts: Option<PermissionPrompts>,
    /// MCP servers, by name.
    pub mcp_servers: Option<Map<McpServerConfig>>,
    /// Whether the CLI ignores the MCP servers that settings and plugins declare.
    pub strict_mcp_config: Option<bool>,
    /// The plugins to load.
    pub plugins: Option<Vec<Plugin>>,

    // Settings.
    /// Additional settings, which take precedence over settings files.
    #[wire(secret)]
    pub settings: Option<SettingsOrPath>,
    /// The settings of the sandbox in which shell commands run. They take precedence over the sandbox in `settings`.
    pub sandbox: Option<Box<SandboxSettings>>,
    /// Managed settings, which no other settings override. The CLI applies only those managed settings that restrict
    /// what the session may do.
    #[wire(secret)]
    pub managed_settings: Option<JsonOf<Settings>>,
    /// The settings files that the CLI reads. `[]` means no files. Absent means all files.
    pub setting_sources: Option<Vec<SettingSource>>,
    /// The way in which secret or long options are passed to the CLI. Absent means `initialize`. The official SDKs do
    /// not have this option.
    pub delivery: Option<Delivery>,

    // The session.
    /// The session to resume, given by its ID, its title or the path of its file.
    pub resume: Option<SessionId>,
    /// The UUID of the last message to keep when a session is resumed. The resumed session drops all later messages.
    /// This option requires `resume`.
    pub resume_session_at: Option<MessageUuid>,
    /// The UUID of the prompt of the one turn that `resumeSessionAt` is meant to drop. If `resumeSessionAt` would drop
    /// more than this turn, the CLI ends with an error result. This option requires `resumeSessionAt`.
    #[wire(since = "2.1.329")]
    pub resume_drops_turn: Option<MessageUuid>,
    /// Whether the CLI continues the most recent session of the working directory.
    #[wire(rename = "continue")]
    pub continue_session: Option<bool>,
    /// Whether the resumed conversation continues in a new session. If so, the old session stays unchanged.
    pub fork_session: Option<bool>,
    /// The ID of the new session: a UUID that is not in use.
    pub session_id: Option<SessionId>,
    /// Whether the session is stored on disk. If `false`, the session cannot be resumed.
    pub persist_session: Option<bool>,
    /// Whether the CLI also sends the entries of the session's transcript as `transcript_mirror` messages, so that the
    /// host can put them into a session store. The official SDK has no option of this name.
    pub session_mirror: Option<bool>,
    /// Whether the CLI backs up files before they are changed. The request `rewind_files` needs these backups.
    pub enable_file_checkpointing: Option<bool>,

    // Additional output.
    /// Whether `stream_event` messages are sent while a response is generated.
    pub include_partial_messages: Option<bool>,
    /// Whether the CLI sends messages about the hooks of settings files and plugins.
    pub include_hook_events: Option<bool>,
    /// Whether the CLI sends the text and thinking of sub-agents, in addition to their tool uses.
    pub forward_subagent_text: Option<bool>,
    /// Whether the CLI suggests the next prompt after each turn.
    pub prompt_suggestions: Option<bool>,
    /// Whether the CLI sends summaries of the sub-agents' progress about every 30 seconds. A model writes the
    /// summaries.
    pub agent_progress_summaries: Option<bool>,
    /// The kinds of dialogs that the host can show. The host must have a handler for dialog requests.
    pub supported_dialog_kinds: Option<Vec<String>>,
    /// Whether the host can stop single background tasks. If `true`, an interrupt does not stop the background tasks.
    pub per_task_stop_affordance: Option<bool>,
    /// Whether the CLI writes debug logs to stderr.
    pub debug: Option<bool>,
    /// The file to which the CLI writes debug logs, in place of stderr.
    pub debug_file: Option<PathBuf>,
}

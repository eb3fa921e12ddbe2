//! What a query is run with: plain data. Callbacks are set on a session.

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

/// What a query is run with. Everything is optional; what is not set is left to `claude`, but for
/// the system prompt, which is then empty.
///
/// The field names on the wire are those of the official TypeScript SDK.
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
    // What runs, and where.
    /// The model, by name or alias.
    pub model: Option<String>,
    /// The model that answers where the first is overloaded, or several, with commas between. Must
    /// be another one.
    pub fallback_model: Option<String>,
    /// The working directory; absent for the host's.
    pub cwd: Option<PathBuf>,
    /// Directories that tools may also use.
    pub additional_directories: Option<Vec<PathBuf>>,
    /// Where project settings, CLAUDE.md and `.claude` are taken from, in place of the working
    /// directory: the trusted checkout of which that is a worktree. Absolute.
    #[wire(since = "2.1.329")]
    pub project_config_root: Option<PathBuf>,
    /// Variables over the host's environment; null takes one away.
    #[wire(secret)]
    pub env: Option<Map<Option<String>>>,
    /// The `claude` to run; absent to look for it.
    pub path_to_claude_code_executable: Option<PathBuf>,
    /// Flags that claw does not know, without their dashes; null for one without a value.
    #[wire(secret)]
    pub extra_args: Option<Map<Option<String>>>,

    // What the model is told.
    /// The system prompt; absent for an empty one.
    pub system_prompt: Option<SystemPrompt>,
    /// How to plan, in the permission mode `plan`: takes the place of Claude Code's own words.
    pub plan_mode_instructions: Option<String>,
    /// The agent that plays the main part, of `agents` or of the settings: its system prompt, tools
    /// and model are the session's.
    pub agent: Option<String>,
    /// Sub-agents, by name.
    pub agents: Option<Map<AgentDefinition>>,
    /// The skills of the main conversation. They are not asked for. Absent: every one that is found,
    /// under the rules that there are.
    pub skills: Option<Skills>,
    /// Sends prompts word for word: no slash commands, no mentions of files.
    #[wire(since = "2.1.248")]
    pub verbatim_prompts: Option<bool>,
    /// The session's title; absent for one that is made up.
    pub title: Option<String>,

    // How the model works.
    /// Whether and how it thinks. Goes before `max_thinking_tokens`.
    pub thinking: Option<Thinking>,
    /// The older way to say it: a budget in tokens, 0 for none.
    pub max_thinking_tokens: Option<Count>,
    /// How hard it works.
    pub effort: Option<EffortLevel>,
    /// How many answers of the model a turn may take.
    pub max_turns: Option<Count>,
    /// What the session may cost, in US dollars. Looked at after each turn.
    pub max_budget_usd: Option<Number>,
    /// A budget of tokens that the model is told about.
    pub task_budget: Option<TaskBudget>,
    /// The form that the answer has to have.
    pub output_format: Option<OutputFormat>,
    /// Beta features of the API.
    pub betas: Option<Vec<Beta>>,

    // Tools and permissions.
    /// Built-in tools that there are; `[]` for none, absent for all.
    pub tools: Option<Tools>,
    /// Tools, or uses of them such as `Bash(git log:*)`, that are not asked for.
    pub allowed_tools: Option<Vec<String>>,
    /// Tools, or uses of them, that are refused.
    pub disallowed_tools: Option<Vec<String>>,
    /// Other names of tools: what the model calls by the one is given to the other. One step only.
    pub tool_aliases: Option<Map<String>>,
    /// What single tools are told.
    pub tool_config: Option<ToolConfig>,
    /// What is asked for and what is not.
    pub permission_mode: Option<PermissionMode>,
    /// Allows the mode `bypassPermissions`.
    pub allow_dangerously_skip_permissions: Option<bool>,
    /// The MCP tool that answers permission questions, in place of a callback.
    pub permission_prompt_tool_name: Option<String>,
    /// Who answers them at all.
    #[wire(since = "2.1.329")]
    pub permission_prompts: Option<PermissionPrompts>,
    /// MCP servers, by name.
    pub mcp_servers: Option<Map<McpServerConfig>>,
    /// Leaves out the MCP servers of settings and plugins.
    pub strict_mcp_config: Option<bool>,
    /// Plugins to load.
    pub plugins: Option<Vec<Plugin>>,

    // Settings.
    /// Settings over those of the settings files.
    #[wire(secret)]
    pub settings: Option<SettingsOrPath>,
    /// The sandbox; goes over what the settings say about it.
    pub sandbox: Option<Box<SandboxSettings>>,
    /// Settings that nothing goes over, as an organisation's. Only what restricts is taken.
    #[wire(secret)]
    pub managed_settings: Option<JsonOf<Settings>>,
    /// Settings files to read; `[]` for none, absent for all.
    pub setting_sources: Option<Vec<SettingSource>>,
    /// How what is secret or long reaches the CLI; absent for `initialize`. claw's own.
    pub delivery: Option<Delivery>,

    // The session.
    /// Goes on with a session: its id, its title, or the path of its file.
    pub resume: Option<SessionId>,
    /// With `resume`: only up to this message.
    pub resume_session_at: Option<MessageUuid>,
    /// With `resume_session_at`: the prompt of the turn that is dropped so. Where more than that
    /// would be dropped, the CLI ends with an error result.
    #[wire(since = "2.1.329")]
    pub resume_drops_turn: Option<MessageUuid>,
    /// Goes on with the newest session of the working directory.
    #[wire(rename = "continue")]
    pub continue_session: Option<bool>,
    /// With `resume`: goes on in a new session, and leaves the old one as it is.
    pub fork_session: Option<bool>,
    /// Names the new session. A UUID that is not in use.
    pub session_id: Option<SessionId>,
    /// `false`: nothing is kept on disk, and the session cannot be gone on with.
    pub persist_session: Option<bool>,
    /// Sends what is written to the session's file as `transcript_mirror` lines as well. claw's own
    /// name for what a session store needs.
    pub session_mirror: Option<bool>,
    /// Keeps copies of files before they are changed, so that `rewind_files` can bring them back.
    pub enable_file_checkpointing: Option<bool>,

    // What is sent besides.
    /// Sends `stream_event` lines while an answer grows.
    pub include_partial_messages: Option<bool>,
    /// Sends lines about hooks of settings files.
    pub include_hook_events: Option<bool>,
    /// Sends what sub-agents say and think, not only what they do.
    pub forward_subagent_text: Option<bool>,
    /// Sends a guess of the next prompt after each turn.
    pub prompt_suggestions: Option<bool>,
    /// Sends what sub-agents are at, in words of a model, every half minute or so.
    pub agent_progress_summaries: Option<bool>,
    /// Kinds of dialog that the host can show. Needs somebody who answers them.
    pub supported_dialog_kinds: Option<Vec<String>>,
    /// The host can stop single background tasks: an interrupt then leaves them running.
    pub per_task_stop_affordance: Option<bool>,
    /// Writes what the CLI does to stderr.
    pub debug: Option<bool>,
    /// Writes it to this file instead.
    pub debug_file: Option<PathBuf>,
}

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

/// The options for additional output, which are fields of `initialize` as well.
#[wire(fields)]
pub(crate) struct OutputOptions {
    /// Whether the CLI suggests the next prompt after each turn. Absent means `false`.
    #[wire(initialize)]
    pub prompt_suggestions: Option<bool>,
    /// Whether the CLI sends summaries of the sub-agents' progress about every 30 seconds. A model writes the
    /// summaries. Absent means `false`.
    #[wire(initialize)]
    pub agent_progress_summaries: Option<bool>,
    /// Whether the CLI sends the text and thinking of sub-agents, in addition to their tool uses. Absent means `false`.
    #[wire(initialize)]
    pub forward_subagent_text: Option<bool>,
    /// The kinds of dialogs that the host can show. The CLI sends no dialogs of other kinds. Absent means that the host
    /// can show no dialogs. The host must have a handler for dialog requests.
    #[wire(
        initialize,
        way = "initialize. An error if there is no callback for dialogs. `claw run`, `claw chat` and `claw acp` have \
               none, so `supportedDialogKinds` in a file of `--options` is an error there"
    )]
    pub supported_dialog_kinds: Option<Vec<String>>,
    /// Whether the host can stop single background tasks. If `true`, an interrupt does not stop the background tasks.
    /// Absent means `false`.
    #[wire(initialize)]
    pub per_task_stop_affordance: Option<bool>,
}

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
#[wire(rename_all = "camelCase", each = each_option)]
pub struct QueryOptions {
    // Each field declares its way to the CLI. Arguments of the command line have the order of the fields.

    // The model and its work.
    /// The thinking configuration. This option takes precedence over `maxThinkingTokens`.
    #[wire(
        arguments = thinking,
        way = "adaptive, or enabled without a budget: `--thinking=adaptive`. Enabled with a budget: \
               `--max-thinking-tokens=`. Disabled: `--thinking=disabled`. Its display: `--thinking-display=`"
    )]
    pub thinking: Option<Thinking>,
    /// The thinking budget, in tokens. 0 turns thinking off. This option is outdated: use `thinking` instead.
    #[wire(
        way = "`--max-thinking-tokens=`. 0: `--thinking=disabled`. Ignored if `thinking` is set"
    )]
    pub max_thinking_tokens: Option<Count>,
    /// The effort level of the model.
    #[wire(flag = "effort")]
    pub effort: Option<EffortLevel>,
    /// The maximum number of model responses in a turn, at least 1. A turn that would need more fails.
    #[wire(flag = "max-turns")]
    pub max_turns: Option<Count>,
    /// The maximum cost of the session, in US dollars. The CLI checks the cost after each turn.
    #[wire(flag = "max-budget-usd")]
    pub max_budget_usd: Option<Number>,
    /// A token budget. The CLI tells the model the size of the budget, so that the model can plan its work.
    #[wire(arguments = task_budget, way = "`--task-budget=`")]
    pub task_budget: Option<TaskBudget>,
    /// The model, by name or by an alias such as `opus`.
    #[wire(flag = "model")]
    pub model: Option<String>,
    /// The model to use when `model` is overloaded, or several models, separated by commas. The value must differ from
    /// `model`.
    #[wire(flag = "fallback-model")]
    pub fallback_model: Option<String>,
    /// The name of the agent that the main conversation runs as. The agent is defined in `agents` or in the settings.
    /// The session uses the agent's system prompt, tools and model.
    #[wire(flag = "agent")]
    pub agent: Option<String>,
    /// Beta features of the API to enable.
    #[wire(flag = "betas")]
    pub betas: Option<Vec<Beta>>,

    // The context: prompts, agents, skills. The form of the output.
    /// The system prompt. If absent, the system prompt is empty.
    #[wire(
        way = "initialize. A text of your own or its parts (or `custom`): `systemPrompt`. A preset: \
                  `appendSystemPrompt` and `excludeDynamicSections`. `snapshot`: `systemPromptSnapshot`. Not set: an \
                  empty prompt"
    )]
    pub system_prompt: Option<SystemPrompt>,
    /// Instructions for the permission mode `plan`, in place of Claude Code's own instructions.
    #[wire(initialize)]
    pub plan_mode_instructions: Option<String>,
    /// Definitions of sub-agents, by name.
    #[wire(initialize)]
    pub agents: Option<Map<AgentDefinition>>,
    /// The skills of the main conversation. The model may use these skills without asking for permission. If absent,
    /// all skills that the CLI finds are available, and the permission rules apply to their use.
    #[wire(
        way = "a list: initialize, and `Skill(name)` for each in `--allowedTools=`; `all`: `Skill` there; `[]`: \
                  initialize alone"
    )]
    pub skills: Option<Skills>,
    /// Whether prompts are sent verbatim, without processing slash commands and mentions of files.
    #[wire(
        since = "2.1.248",
        way = "`client_composed` on every prompt that does not set it itself"
    )]
    pub verbatim_prompts: Option<bool>,
    /// The title of the session. If absent, the CLI generates a title.
    #[wire(initialize)]
    pub title: Option<String>,
    /// The required form of the final output.
    #[wire(way = "initialize, `jsonSchema`")]
    pub output_format: Option<OutputFormat>,

    // Permissions and tools.
    /// The name of the MCP tool that answers permission requests instead of the host's callback.
    #[wire(
        arguments = permission_prompt_tool,
        way = "`--permission-prompt-tool=`. An error together with a permission callback. `claw run`, `claw chat`, \
               `claw acp` and `claw serve` have such a callback, so `permissionPromptToolName` in a file of `--options` \
               is an error there"
    )]
    pub permission_prompt_tool_name: Option<String>,
    /// The party that answers permission requests. With `none`, the CLI denies them at once.
    #[wire(since = "2.1.329", flag = "permission-prompts")]
    pub permission_prompts: Option<PermissionPrompts>,
    /// The permission mode. `bypassPermissions` requires `allowDangerouslySkipPermissions`.
    #[wire(flag = "permission-mode")]
    pub permission_mode: Option<PermissionMode>,
    /// Whether the permission mode `bypassPermissions` is allowed.
    #[wire(flag = "allow-dangerously-skip-permissions")]
    pub allow_dangerously_skip_permissions: Option<bool>,
    /// The available built-in tools. `[]` means none. Absent means all.
    #[wire(arguments = tools, way = "`--tools=A,B`. `[]`: `--tools=`. The preset: `--tools=default`")]
    pub tools: Option<Tools>,
    /// The tools that the model may use without asking for permission. An entry can be limited to certain uses of a
    /// tool, such as `Bash(git log:*)`.
    #[wire(arguments = allowed_tools, way = "`--allowedTools=A,B`. `[]` sends nothing")]
    pub allowed_tools: Option<Vec<String>>,
    /// The tools that are denied. An entry can be limited to certain uses of a tool, such as `Bash(rm:*)`.
    #[wire(launch, way = "launch. `[]` sends nothing")]
    pub disallowed_tools: Option<Vec<String>>,
    /// Aliases of tools. Each key is the name of a tool that the model may call, and its value is the name of the tool
    /// that runs in its place. An alias of an alias is not resolved.
    #[wire(initialize)]
    pub tool_aliases: Option<Map<String>>,
    /// Whether the CLI backs up files before they are changed. The request `rewind_files` needs these backups.
    #[wire(variable = "CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING")]
    pub enable_file_checkpointing: Option<bool>,
    /// The configuration of individual tools.
    #[wire(variable = "CLAUDE_CODE_QUESTION_PREVIEW_FORMAT")]
    pub tool_config: Option<ToolConfig>,
    /// MCP servers, by name.
    #[wire(
        launch,
        way = "launch. Servers in the host's own process (`sdk`) are an error here: give them to \
               `SessionBuilder::mcp_server`"
    )]
    pub mcp_servers: Option<Map<McpServerConfig>>,
    /// The plugins to load.
    #[wire(launch)]
    pub plugins: Option<Vec<Plugin>>,
    /// The way in which secret or long options are passed to the CLI. Absent means `initialize`. The official SDKs do
    /// not have this option.
    #[wire(arguments = launch, way = "how launch values are sent ([below](#what-is-secret-or-long))")]
    pub delivery: Option<Delivery>,
    /// Whether the CLI ignores the MCP servers that settings and plugins declare.
    #[wire(flag = "strict-mcp-config")]
    pub strict_mcp_config: Option<bool>,

    // Settings and directories.
    /// Additional settings, which take precedence over settings files.
    #[wire(
        secret,
        arguments = settings,
        way = "an object: launch. A path: `--settings=`. An object as text is an error"
    )]
    pub settings: Option<SettingsOrPath>,
    /// The settings of the sandbox in which shell commands run. They take precedence over the sandbox in `settings`.
    #[wire(
        way = "the key `sandbox` of the settings, merged over the settings' own value: lists of denied things are \
                  joined, and `enabled` sets `failIfUnavailable`. An error if `settings` is a path"
    )]
    pub sandbox: Option<Box<SandboxSettings>>,
    /// Managed settings, which no other settings override. The CLI applies only those managed settings that restrict
    /// what the session may do.
    #[wire(secret, way = "launch")]
    pub managed_settings: Option<JsonOf<Settings>>,
    /// The settings files that the CLI reads. `[]` means no files. Absent means all files.
    #[wire(
        arguments = setting_sources,
        way = "`--setting-sources=user,project`. `[]`: `--setting-sources=`"
    )]
    pub setting_sources: Option<Vec<SettingSource>>,
    /// The absolute path of a trusted checkout, if the working directory is a worktree of this checkout. The CLI reads
    /// project settings, `CLAUDE.md` and `.claude` from this checkout instead of the working directory.
    #[wire(since = "2.1.329", flag = "project-config-root")]
    pub project_config_root: Option<PathBuf>,
    /// Additional directories that tools may use.
    #[wire(flag = "add-dir")]
    pub additional_directories: Option<Vec<PathBuf>>,
    /// The working directory. Absent means the working directory of the host.
    #[wire(way = "the directory that the process starts in")]
    pub cwd: Option<PathBuf>,

    // The session.
    /// Whether the CLI continues the most recent session of the working directory. This option cannot be combined with
    /// `resume`.
    #[wire(rename = "continue", flag = "continue")]
    pub continue_session: Option<bool>,
    /// The session to resume, given by its ID, its title or the path of its file.
    #[wire(
        flag = "resume",
        way = "`--resume=`. The ID of a session that is not kept on this machine is an error before the start"
    )]
    pub resume: Option<SessionId>,
    /// Whether the resumed conversation continues in a new session. If so, the old session stays unchanged.
    #[wire(flag = "fork-session")]
    pub fork_session: Option<bool>,
    /// The UUID of the last message to keep when a session is resumed. The resumed session drops all later messages.
    /// This option requires `resume`.
    #[wire(flag = "resume-session-at")]
    pub resume_session_at: Option<MessageUuid>,
    /// The UUID of the prompt of the one turn that `resumeSessionAt` is meant to drop. If `resumeSessionAt` would drop
    /// more than this turn, the CLI ends with an error result. This option requires `resumeSessionAt`.
    #[wire(
        since = "2.1.329",
        flag = "resume-drops-turn",
        way = "`--resume-drops-turn=`, also if empty"
    )]
    pub resume_drops_turn: Option<MessageUuid>,
    /// The ID of the new session: a UUID that is not in use. Together with `resume` or `continue`, this option requires
    /// `forkSession`.
    #[wire(flag = "session-id")]
    pub session_id: Option<SessionId>,
    /// Whether the session is stored on disk. If `false`, the session cannot be resumed.
    #[wire(arguments = persistence, way = "`false`: `--no-session-persistence`")]
    pub persist_session: Option<bool>,
    /// Whether the CLI also sends the entries of the session's transcript as `transcript_mirror` messages, so that the
    /// host can put them into a session store. The official SDK has no option of this name.
    #[wire(
        flag = "session-mirror",
        way = "`--session-mirror`. In the official SDK, `sessionStore` sets this flag. The messages are \
               `TranscriptMirror`, with the feature `internal`"
    )]
    pub session_mirror: Option<bool>,

    // Additional output.
    /// Whether `stream_event` messages are sent while a response is generated.
    #[wire(flag = "include-partial-messages")]
    pub include_partial_messages: Option<bool>,
    /// Whether the CLI sends messages about the hooks of settings files and plugins.
    #[wire(flag = "include-hook-events")]
    pub include_hook_events: Option<bool>,
    fields: OutputOptions!(),
    /// The file to which the CLI writes debug logs, in place of stderr.
    #[wire(flag = "debug-file")]
    pub debug_file: Option<PathBuf>,
    /// Whether the CLI writes debug logs to stderr.
    #[wire(arguments = debug, way = "`--debug`. Ignored if `debug_file` is set")]
    pub debug: Option<bool>,

    // The process.
    /// The path of the `claude` executable. If absent, claw searches for it.
    #[wire(way = "the program that is run ([below](#which-program))")]
    pub path_to_claude_code_executable: Option<PathBuf>,
    /// Environment variables to set for the CLI. The CLI also inherits the environment variables of the host. A null
    /// value removes a variable.
    #[wire(secret, way = "the environment ([below](#environment))")]
    pub env: Option<Map<Option<String>>>,
    /// Additional command-line flags for the CLI, with their values. Write the flags without leading dashes. Use the
    /// value null for a flag that takes no value.
    #[wire(
        secret,
        arguments = extra_args,
        way = "`--name=value`, or `--name` for null. A name that begins with a dash, or that has `=` or a space in it, \
               is an error"
    )]
    pub extra_args: Option<Map<Option<String>>>,
}

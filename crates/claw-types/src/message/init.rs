//! `system` / `init`: a turn begins.

use crate::options::{EffortLevel, PermissionMode};
use crate::{Json, Map, MessageUuid, SessionId, Tri};

/// Where the API key comes from.
#[wire(open)]
pub enum ApiKeySource {
    /// The variable of that name.
    Environment = "ANTHROPIC_API_KEY",
    /// A helper program.
    Helper = "apiKeyHelper",
    /// A login.
    Login = "/login managed key",
    /// There is none.
    None = "none",
    /// The user's settings.
    User = "user",
    /// The project's settings.
    Project = "project",
    /// The organisation.
    Org = "org",
    /// For this session alone.
    Temporary = "temporary",
    /// A login with OAuth.
    Oauth = "oauth",
}

/// Whether answers are fast.
#[wire(open)]
pub enum FastModeState {
    /// They are not.
    Off = "off",
    /// Not for a while.
    Cooldown = "cooldown",
    /// They are.
    On = "on",
}

/// Why answers are not fast.
#[wire(open)]
pub enum FastModeDisabledReason {
    /// The plan has no fast answers.
    Free = "free",
    /// The user does not want them.
    Preference = "preference",
    /// Use beyond the plan is off.
    ExtraUsageDisabled = "extra_usage_disabled",
    /// The API could not be asked.
    NetworkError = "network_error",
    /// It is not known.
    Unknown = "unknown",
    /// Somebody else's API answers.
    NotFirstParty = "not_first_party",
    /// The environment turns them off.
    DisabledByEnv = "disabled_by_env",
    /// The model has none.
    ModelNotAllowed = "model_not_allowed",
    /// The host did not ask for them.
    SdkOptInRequired = "sdk_opt_in_required",
    /// It is not decided yet.
    Pending = "pending",
}

/// How much of a turn is shown.
#[wire(open)]
pub enum ViewMode {
    /// All of it.
    Default = "default",
    /// The prompt and the last answer: the model knows that no more is seen.
    Focus = "focus",
}

/// A turn begins: what it is run with.
///
/// To hosts. Sent at the start of every turn, after the prompt was written, as a rule before every
/// other line of the turn; never before the first prompt. The first one of a session is where its
/// id becomes known.
///
/// An optional field that is absent has nothing to say, or the CLI is older than it.
#[wire(tag(type = "system", subtype = "init"))]
pub struct SystemInit {
    /// The working directory: an absolute path, its links resolved.
    pub cwd: String,
    /// The session.
    pub session_id: SessionId,
    /// Tools that the model may use. The agent tool is called `Task` here.
    pub tools: Vec<String>,
    /// MCP servers and whether they are connected.
    pub mcp_servers: Vec<McpServerInfo>,
    /// The model that answers, by its full name.
    pub model: String,
    /// What is asked for and what is not.
    #[wire(rename = "permissionMode")]
    pub permission_mode: PermissionMode,
    /// Slash commands, without the slash.
    pub slash_commands: Vec<String>,
    /// Where the API key comes from.
    #[wire(rename = "apiKeySource")]
    pub api_key_source: ApiKeySource,
    /// The CLI's version.
    pub claude_code_version: String,
    /// The output style: `default`, or one of those of the initialize answer.
    pub output_style: String,
    /// Skills.
    pub skills: Vec<String>,
    /// Plugins.
    pub plugins: Vec<PluginInfo>,
    /// Names this line.
    pub uuid: MessageUuid,
    /// Sub-agents.
    pub agents: Option<Vec<String>>,
    /// Beta features in use.
    pub betas: Option<Vec<String>>,
    /// Those of `slash_commands` that need a terminal. Absent: none does.
    #[wire(since = "2.1.329")]
    pub terminal_slash_commands: Option<Vec<String>>,
    /// Plugins, or parts of them, that could not be loaded. Absent: all could.
    pub plugin_errors: Option<Vec<PluginError>>,
    /// What this CLI can do, by name.
    #[wire(since = "2.1.329")]
    pub capabilities: Option<Vec<String>>,
    /// How hard the model thinks: `low` to `max`. Null where the model takes no such setting; absent
    /// where the CLI does not say.
    pub effort: Tri<EffortLevel>,
    /// How much is shown.
    pub view_mode: Option<ViewMode>,
    /// Whether answers are fast.
    pub fast_mode_state: Option<FastModeState>,
    /// Why they are not.
    pub fast_mode_disabled_reason: Option<FastModeDisabledReason>,
    /// Prompts that this turn answers, by the uuids that the host gave them. Absent where they had
    /// none, and on turns that nobody prompted.
    #[wire(since = "2.1.329")]
    pub user_message_uuids: Option<Vec<MessageUuid>>,
    /// Where memory is kept.
    pub memory_paths: Option<MemoryPaths>,
    /// The working directory that the CLI was started in.
    pub original_cwd: Option<String>,
    /// Directories that tools may also use.
    pub additional_directories: Option<Vec<String>>,
    /// Whether usage statistics are off.
    pub analytics_disabled: Option<bool>,
    /// Whether feedback is off.
    pub product_feedback_disabled: Option<bool>,
    /// Whether Anthropic's own API answers.
    pub served_by_anthropic: Option<bool>,
    /// A socket on which the CLI takes messages.
    pub messaging_socket_path: Option<String>,
    /// Whether effort can change from turn to turn.
    pub per_turn_effort_active: Option<bool>,
    /// Whether more thinking can be asked for in the prompt.
    pub ultrathink_available: Option<bool>,
    /// Whether asking for it in the prompt has an effect.
    pub ultrathink_typed_raises: Option<bool>,
    /// How long parts of the start took, by their names. From sessions in the cloud.
    pub startup_timing: Option<Map<Json>>,
    /// What is odd about plugins.
    pub plugin_warnings: Option<Vec<PluginError>>,
    /// MCP servers whose configuration is not valid. They are not in `mcp_servers`.
    pub mcp_server_errors: Option<Vec<McpServerError>>,
}

/// An MCP server.
#[wire]
pub struct McpServerInfo {
    /// Its name.
    pub name: String,
    /// Whether it is connected: `connected`, `failed`, `needs-auth`, `pending`, `disabled` ….
    pub status: String,
    /// Who declared it.
    #[wire(since = "2.1.329")]
    pub source: Option<String>,
}

/// A plugin.
#[wire]
pub struct PluginInfo {
    /// Its name.
    pub name: String,
    /// Where it is; `builtin` for one of the CLI's own.
    pub path: String,
    /// Its version.
    pub version: Option<String>,
    /// Where it was got.
    pub source: Option<String>,
}

/// Where memory is kept.
#[wire]
pub struct MemoryPaths {
    /// What the CLI notes by itself.
    pub auto: Option<String>,
}

/// A plugin that failed.
#[wire]
pub struct PluginError {
    /// The plugin.
    pub plugin: String,
    /// What kind of failure.
    #[wire(rename = "type")]
    pub kind: String,
    /// What went wrong.
    pub message: String,
    /// The file.
    pub path: Option<String>,
    /// The organisation's rule that forbids it.
    pub managed_lock: Option<PluginLock>,
}

/// A rule of the organisation's about a plugin.
#[wire]
pub struct PluginLock {
    /// Whether the plugin must be on.
    pub plugin_enabled: bool,
    /// The plugin.
    pub name: String,
    /// Where it is got.
    pub marketplace: Option<String>,
}

/// An MCP server whose configuration is not valid.
#[wire]
pub struct McpServerError {
    /// The server.
    pub name: String,
    /// What kind of error: `unknown_type`, `url_missing_type`, `invalid_config` ….
    #[wire(rename = "type")]
    pub kind: String,
    /// What is wrong.
    pub message: String,
}

//! `system` / `init`: the start of a turn.

use crate::options::{EffortLevel, PermissionMode, SandboxEnabled};
use crate::{Json, Map, MessageUuid, SessionId, Tri};

/// The source of the API key.
#[wire(open)]
pub enum ApiKeySource {
    /// The key is in the environment variable `ANTHROPIC_API_KEY`.
    Environment = "ANTHROPIC_API_KEY",
    /// A helper program prints the key.
    Helper = "apiKeyHelper",
    /// The CLI obtained the key when the user logged in.
    Login = "/login managed key",
    /// No API key is in use.
    None = "none",
    /// The key comes from the user's settings.
    User = "user",
    /// The key comes from the project's settings.
    Project = "project",
    /// The key comes from the organisation's settings.
    Org = "org",
    /// The key is for this session only.
    Temporary = "temporary",
    /// The user has logged in with OAuth.
    Oauth = "oauth",
}

/// The state of fast mode, in which the model answers faster.
#[wire(open)]
pub enum FastModeState {
    /// Fast mode is off.
    Off = "off",
    /// Fast mode is suspended for a while.
    Cooldown = "cooldown",
    /// Fast mode is on.
    On = "on",
}

/// The reason why fast mode is off.
#[wire(open)]
pub enum FastModeDisabledReason {
    /// The account's plan does not include fast mode.
    Free = "free",
    /// The user has turned fast mode off.
    Preference = "preference",
    /// Paid usage beyond the plan is turned off.
    ExtraUsageDisabled = "extra_usage_disabled",
    /// The API could not be reached.
    NetworkError = "network_error",
    /// The reason is not known.
    Unknown = "unknown",
    /// The API in use is not Anthropic's own.
    NotFirstParty = "not_first_party",
    /// An environment variable turns fast mode off.
    DisabledByEnv = "disabled_by_env",
    /// The model does not support fast mode.
    ModelNotAllowed = "model_not_allowed",
    /// The host did not request fast mode.
    SdkOptInRequired = "sdk_opt_in_required",
    /// The availability of fast mode is not decided yet.
    Pending = "pending",
}

/// How much of a turn is displayed to the person: all of it, or only the prompt and the last answer.
#[wire(open)]
pub enum ViewMode {
    /// All of the turn is displayed.
    Default = "default",
    /// Only the prompt and the last answer are displayed. The CLI informs the model about this mode.
    Focus = "focus",
}

/// The start of a turn, and the configuration with which the turn runs.
///
/// The CLI sends this message at the start of every turn, usually before all other messages of the turn. The first of
/// these messages comes only after the CLI has received the first prompt. It contains the session ID.
///
/// An optional field is absent if it does not apply, or if the CLI is too old to send it.
#[wire(tag(type = "system", subtype = "init"))]
pub struct SystemInit {
    /// The working directory: an absolute path with symbolic links resolved.
    pub cwd: String,
    /// The ID of the session.
    pub session_id: SessionId,
    /// The names of the tools that the model may use. In this list, the tool `Agent` has its older name `Task`.
    pub tools: Vec<String>,
    /// The MCP servers and their connection status.
    pub mcp_servers: Vec<McpServerInfo>,
    /// The full name of the model that answers.
    pub model: String,
    /// The permission mode of the session.
    #[wire(rename = "permissionMode")]
    pub permission_mode: PermissionMode,
    /// The names of the slash commands, without the slash.
    pub slash_commands: Vec<String>,
    /// The source of the API key, if the CLI uses one.
    #[wire(rename = "apiKeySource")]
    pub api_key_source: ApiKeySource,
    /// The version of the CLI.
    pub claude_code_version: String,
    /// The output style: `default`, or a style that the response to `initialize` lists.
    pub output_style: String,
    /// The names of the available skills.
    pub skills: Vec<String>,
    /// The loaded plugins.
    pub plugins: Vec<PluginInfo>,
    /// The UUID of this message.
    pub uuid: MessageUuid,
    /// The names of the available sub-agent types.
    pub agents: Option<Vec<String>>,
    /// The beta features in use.
    pub betas: Option<Vec<String>>,
    /// The names of those `slash_commands` that need a terminal. Absent if no command needs a terminal.
    #[wire(since = "2.1.329")]
    pub terminal_slash_commands: Option<Vec<String>>,
    /// The plugins, or parts of plugins, that could not be loaded. Absent if all were loaded.
    pub plugin_errors: Option<Vec<PluginError>>,
    /// The names of optional features that this CLI supports, such as `interrupt_receipt_v1`.
    #[wire(since = "2.1.329")]
    pub capabilities: Option<Vec<String>>,
    /// The effort level of the model, from `low` to `max`. Null if the model has no effort level. Absent if the CLI
    /// does not report the effort level.
    pub effort: Tri<EffortLevel>,
    /// How much of a turn is displayed to the person: all of it, or only the prompt and the last answer.
    pub view_mode: Option<ViewMode>,
    /// The state of fast mode.
    pub fast_mode_state: Option<FastModeState>,
    /// The reason why fast mode is off.
    pub fast_mode_disabled_reason: Option<FastModeDisabledReason>,
    /// The UUIDs that the host gave to the prompts that this turn answers. Absent if the host gave these prompts no
    /// UUIDs, or if the turn answers no prompt.
    #[wire(since = "2.1.329")]
    pub user_message_uuids: Option<Vec<MessageUuid>>,
    /// The paths at which the CLI keeps its memory.
    pub memory_paths: Option<MemoryPaths>,
    /// The working directory in which the CLI was started.
    pub original_cwd: Option<String>,
    /// Further directories that tools may use. Absent if there are none.
    pub additional_directories: Option<Vec<String>>,
    /// Whether usage statistics are turned off.
    pub analytics_disabled: Option<bool>,
    /// Whether the CLI runs shell commands in its sandbox when it sends this message.
    #[wire(since = "2.1.332")]
    pub sandbox_enabled: Option<SandboxEnabled>,
    /// Whether product feedback is turned off.
    pub product_feedback_disabled: Option<bool>,
    /// Whether the model requests go to Anthropic's own API, and not to the API of another provider.
    pub served_by_anthropic: Option<bool>,
    /// The path of a local socket on which the CLI accepts messages from other sessions.
    pub messaging_socket_path: Option<String>,
    /// Whether the effort level can differ from turn to turn.
    pub per_turn_effort_active: Option<bool>,
    /// Whether the word `ultrathink` in a prompt makes the turn of that prompt run at the effort level `xhigh` or
    /// higher.
    pub ultrathink_available: Option<bool>,
    /// Whether a turn runs at the effort level `xhigh` or higher if the host states that a person typed the word
    /// `ultrathink` into the prompt.
    pub ultrathink_typed_raises: Option<bool>,
    /// The durations of the steps of the CLI's start, by the name of the step. Sent only by sessions in the cloud.
    pub startup_timing: Option<Map<Json>>,
    /// Warnings about plugins.
    pub plugin_warnings: Option<Vec<PluginError>>,
    /// The MCP servers with an invalid configuration. They are not in `mcp_servers`.
    pub mcp_server_errors: Option<Vec<McpServerError>>,
}

/// An MCP server of the session.
#[wire]
pub struct McpServerInfo {
    /// The name of the MCP server.
    pub name: String,
    /// The connection status, such as `connected`, `failed`, `needs-auth`, `pending` or `disabled`.
    pub status: String,
    /// The source of the server's configuration: `sdk` (a server in the host's process), `plugin`, or a scope such as
    /// `user` or `project`.
    #[wire(since = "2.1.329")]
    pub source: Option<String>,
}

impl McpServerInfo {
    /// Whether the server is connected.
    pub fn is_connected(&self) -> bool {
        self.status == "connected"
    }
}

impl SystemInit {
    /// Whether the MCP server of this name is connected when the turn begins. `false` if there is no such server.
    pub fn is_server_connected(&self, name: &str) -> bool {
        let mut servers = self.mcp_servers.iter();
        servers.any(|server| server.name == name && server.is_connected())
    }

    /// Returns the MCP servers that are neither connected nor disabled when the turn begins: those that have failed, that
    /// need a login, or that the CLI still waits for. Servers with an invalid configuration are in `mcp_server_errors`.
    pub fn unconnected_servers(&self) -> impl Iterator<Item = &McpServerInfo> {
        let servers = self.mcp_servers.iter();
        servers.filter(|server| !server.is_connected() && server.status != "disabled")
    }
}

/// A loaded plugin.
#[wire]
pub struct PluginInfo {
    /// The name of the plugin.
    pub name: String,
    /// The path of the plugin. The value is `builtin` for a plugin that belongs to the CLI itself.
    pub path: String,
    /// The version of the plugin. Absent if the plugin does not state it.
    pub version: Option<String>,
    /// The name and the marketplace of the plugin, as `name@marketplace`. For a plugin that came from no marketplace,
    /// the part after `@` names its source, such as `inline` (a command-line flag) or `builtin`.
    pub source: Option<String>,
}

/// The paths at which the CLI keeps its memory.
#[wire]
pub struct MemoryPaths {
    /// The path at which the CLI keeps automatic memory: the notes that it writes by itself.
    pub auto: Option<String>,
}

/// A problem with a plugin.
#[wire]
pub struct PluginError {
    /// The name of the plugin.
    pub plugin: String,
    /// A code for the kind of problem, such as `path-not-found` or `hook-load-failed`.
    #[wire(rename = "type")]
    pub kind: String,
    /// A description of the problem.
    pub message: String,
    /// The path of the plugin that could not be loaded.
    pub path: Option<String>,
    /// The organisation's rule that prevented the plugin from being loaded.
    pub managed_lock: Option<PluginLock>,
}

/// A rule by which the organisation turns a plugin on or off.
#[wire]
pub struct PluginLock {
    /// Whether the rule turns the plugin on. `false` if it turns the plugin off.
    pub plugin_enabled: bool,
    /// The name of the plugin.
    pub name: String,
    /// The name of the plugin's marketplace.
    pub marketplace: Option<String>,
}

/// An MCP server with an invalid configuration.
#[wire]
pub struct McpServerError {
    /// The name of the MCP server.
    pub name: String,
    /// The kind of the error, such as `unknown_type`, `url_missing_type` or `invalid_config`.
    #[wire(rename = "type")]
    pub kind: String,
    /// A description of the error.
    pub message: String,
}

//! The response to `initialize`: the capabilities of this `claude` process.

use crate::message::{FastModeDisabledReason, FastModeState};
use crate::options::{EffortLevel, PermissionMode, SandboxEnabled};
use crate::{Count, Json, Map};

/// The response to `initialize`, with the capabilities of this `claude` process. The response does not contain the
/// session ID. The CLI sends the session ID in `system/init` when a turn begins.
///
/// A field is absent if it does not apply, or if the CLI is too old to send it.
#[wire]
pub struct InitializeResponse {
    /// The available slash commands.
    pub commands: Vec<SlashCommand>,
    /// The available sub-agents.
    pub agents: Vec<AgentInfo>,
    /// The name of the current output style, such as `default`.
    pub output_style: String,
    /// The names of the output styles that can be chosen.
    pub available_output_styles: Vec<String>,
    /// The models that can be chosen.
    pub models: Vec<ModelInfo>,
    /// The account that is logged in.
    pub account: AccountInfo,
    /// The ID of the CLI's process.
    pub pid: Option<Count>,
    /// The version of the CLI.
    pub claude_code_version: Option<String>,
    /// The current permission mode.
    pub current_permission_mode: Option<PermissionMode>,
    /// The state of the session: `idle`, `running` or `requires_action`.
    pub session_state: Option<String>,
    /// The names of optional features that this CLI supports, such as `ui_surface_v1`. This list differs from the one
    /// in `system/init`.
    pub capabilities: Option<Vec<String>>,
    /// Whether the hooks of the `initialize` request were applied.
    pub hooks_applied: Option<bool>,
    /// Whether the CLI supports the field `onFailure` of a hook. With this field, a hook callback that fails can deny
    /// the action for which it was called.
    #[wire(since = "2.1.329")]
    pub hook_on_failure_supported: Option<bool>,
    /// The number of the host's hook matchers whose field `whenUnanswered` the CLI has accepted. Older CLIs do not send
    /// this number.
    #[wire(since = "2.1.329")]
    pub hooks_when_unanswered_kept: Option<Count>,
    /// Whether an `ask` of another hook takes precedence over an `allow` of the host's hook callback.
    #[wire(since = "2.1.329")]
    pub other_hook_ask_outranks_host: Option<bool>,
    /// Whether all plugins in the `initialize` request were loaded. Absent if the request contained no plugins.
    #[wire(since = "2.1.329")]
    pub plugins_applied: Option<bool>,
    /// Whether the CLI accepted the MCP servers in the `initialize` request when it started. The servers need not be
    /// connected yet. Absent if the request contained no MCP servers.
    #[wire(since = "2.1.329")]
    pub mcp_servers_applied: Option<bool>,
    /// Whether the CLI applied the settings in the `initialize` request when it started.
    #[wire(since = "2.1.329")]
    pub settings_applied: Option<bool>,
    /// Whether the CLI applied the managed settings in the `initialize` request when it started.
    #[wire(since = "2.1.329")]
    pub managed_settings_applied: Option<bool>,
    /// Whether the CLI applied the names of denied tools in the `initialize` request when it started.
    #[wire(since = "2.1.329")]
    pub disallowed_tools_applied: Option<bool>,
    /// How the CLI treated the manifests (the handshake results) of the host's own MCP servers, by server name.
    #[wire(since = "2.1.329")]
    pub sdk_mcp_manifests_parked: Option<Map<ManifestOutcome>>,
    /// The way in which the user can send feedback, as an object with the field `kind`, such as `{"kind":"disabled"}`.
    #[wire(since = "2.1.329")]
    pub feedback_mode: Option<Json>,
    /// Whether usage statistics are turned off.
    #[wire(since = "2.1.329")]
    pub analytics_disabled: Option<bool>,
    /// Whether the CLI runs shell commands in its sandbox. The message `system/init` reports the same value for each
    /// turn.
    #[wire(since = "2.1.332")]
    pub sandbox_enabled: Option<SandboxEnabled>,
    /// Whether remote control of the session is available.
    #[wire(since = "2.1.329")]
    pub remote_control_available: Option<bool>,
    /// Whether remote control should be enabled when the session starts.
    #[wire(since = "2.1.329")]
    pub remote_control_auto_enable: Option<bool>,
    /// Whether the organisation's default is that remote control connects automatically. This value does not depend on
    /// explicit settings.
    #[wire(since = "2.1.329")]
    pub remote_control_auto_connect_default: Option<bool>,
    /// Whether remote control is enabled automatically because of a default, and not because of an explicit setting.
    #[wire(since = "2.1.329")]
    pub remote_control_auto_on_by_default: Option<bool>,
    /// Whether an editor that hosts the session may enable remote control automatically.
    #[wire(since = "2.1.329")]
    pub ide_rc_auto_enable_gate: Option<bool>,
    /// Whether the CLI recorded the user's decision about trust in the directory. Sent only in response to a
    /// `claim_session` request that contained the decision.
    #[wire(since = "2.1.329")]
    pub workspace_trust_recorded: Option<bool>,
    /// The path of the directory that contains the user's output styles.
    pub user_output_styles_dir: Option<String>,
    /// The state of fast mode.
    pub fast_mode_state: Option<FastModeState>,
    /// The reason why fast mode is off.
    pub fast_mode_disabled_reason: Option<FastModeDisabledReason>,
}

/// How the CLI treated the manifest (the handshake results) of one of the host's own MCP servers.
#[wire(open)]
pub enum ManifestOutcome {
    /// The CLI uses the manifest in place of a handshake with the server.
    Parked = "parked",
    /// The server was already connected.
    AlreadyConnected = "already_connected",
    /// The server uses another version of MCP.
    ProtocolVersionMismatch = "protocol_version_mismatch",
    /// The manifest could not be parsed.
    Malformed = "malformed",
    /// The CLI does not use the manifest.
    NotHonoured = "not_honoured",
}

/// A slash command of the session.
#[wire(rename_all = "camelCase")]
pub struct SlashCommand {
    /// The name of the command, without the slash.
    pub name: String,
    /// A description of the command.
    pub description: String,
    /// A hint about the command's arguments, such as `[name]`.
    pub argument_hint: String,
    /// Other names of the command. Absent if there are none.
    pub aliases: Option<Vec<String>>,
    /// Whether the command belongs to the CLI itself.
    pub builtin: Option<bool>,
}

/// A sub-agent that the session can use.
#[wire]
pub struct AgentInfo {
    /// The name of the sub-agent.
    pub name: String,
    /// A description of the sub-agent's purpose.
    pub description: String,
    /// The model of the sub-agent. Absent means the model of the session.
    pub model: Option<String>,
}

/// A model that can be chosen.
#[wire(rename_all = "camelCase")]
pub struct ModelInfo {
    /// The value to pass in order to choose the model.
    pub value: String,
    /// The display name of the model.
    pub display_name: String,
    /// A description of the model.
    pub description: String,
    /// The full name of the model, if `value` is an alias.
    pub resolved_model: Option<String>,
    /// Whether the effort level of the model can be set.
    pub supports_effort: Option<bool>,
    /// The effort levels that the model supports.
    pub supported_effort_levels: Option<Vec<EffortLevel>>,
    /// Whether the model supports adaptive thinking, which means that the model itself decides how much to think.
    pub supports_adaptive_thinking: Option<bool>,
    /// Whether the model supports fast mode.
    pub supports_fast_mode: Option<bool>,
    /// Whether the model supports the permission mode `auto`.
    pub supports_auto_mode: Option<bool>,
    /// Whether the model's thinking can be turned off.
    #[wire(since = "2.1.329")]
    pub supports_thinking_off: Option<bool>,
}

/// The provider of the API.
#[wire(open)]
pub enum ApiProvider {
    /// Anthropic's own API.
    FirstParty = "firstParty",
    /// The API of Amazon Bedrock.
    Bedrock = "bedrock",
    /// The API of Google Vertex AI.
    Vertex = "vertex",
    /// The API of Microsoft Foundry.
    Foundry = "foundry",
    /// Anthropic's API on AWS.
    AnthropicAws = "anthropicAws",
    /// Anthropic's API on Google Cloud.
    AnthropicGoogleCloud = "anthropicGoogleCloud",
    /// The API of Amazon Bedrock's Mantle endpoint.
    Mantle = "mantle",
    /// A gateway of the organisation.
    Gateway = "gateway",
}

/// The account that is logged in.
///
/// A field is absent if it does not apply, or if the CLI is too old to send it.
#[wire(rename_all = "camelCase")]
pub struct AccountInfo {
    /// The email address of the account.
    pub email: Option<String>,
    /// The name of the account's organisation.
    pub organization: Option<String>,
    /// The display name of the account's subscription, such as `Claude Max`.
    pub subscription_type: Option<String>,
    /// The source of the authentication token, such as `claude.ai` or `CLAUDE_CODE_OAUTH_TOKEN`. The value is `none` if
    /// there is no token.
    pub token_source: Option<String>,
    /// The source of the API key, such as `ANTHROPIC_API_KEY` or `user`. The value is `none` if there is no key.
    pub api_key_source: Option<String>,
    /// The provider of the API.
    pub api_provider: Option<ApiProvider>,
}

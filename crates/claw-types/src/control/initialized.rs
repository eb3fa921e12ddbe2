//! The answer to `initialize`: what this `claude` has.

use crate::message::{FastModeDisabledReason, FastModeState};
use crate::options::{EffortLevel, PermissionMode};
use crate::{Count, Json, Map};

/// The answer to `initialize`: what this `claude` has. No session id: that comes with
/// `system/init`, when a turn begins.
#[wire]
pub struct InitializeResponse {
    /// Slash commands.
    pub commands: Vec<SlashCommand>,
    /// Sub-agents.
    pub agents: Vec<AgentInfo>,
    /// The output style.
    pub output_style: String,
    /// Output styles to choose from.
    pub available_output_styles: Vec<String>,
    /// Models to choose from.
    pub models: Vec<ModelInfo>,
    /// Who is logged in.
    pub account: AccountInfo,
    /// The process.
    pub pid: Option<Count>,
    /// The CLI's version.
    pub claude_code_version: Option<String>,
    /// What is asked for and what is not.
    pub current_permission_mode: Option<PermissionMode>,
    /// What the session does: `idle`, `running`, `requires_action`.
    pub session_state: Option<String>,
    /// What this CLI can do, by name. Another set than that of `system/init`.
    pub capabilities: Option<Vec<String>>,
    /// Whether hooks were taken.
    pub hooks_applied: Option<bool>,
    /// Whether a hook's callback that fails can refuse what it was called for.
    #[wire(since = "2.1.329")]
    pub hook_on_failure_supported: Option<bool>,
    /// How many callbacks of a host that went away are kept.
    #[wire(since = "2.1.329")]
    pub hooks_when_unanswered_kept: Option<Count>,
    /// Whether another hook's `ask` goes before a callback's `allow`.
    #[wire(since = "2.1.329")]
    pub other_hook_ask_outranks_host: Option<bool>,
    /// Whether the plugins that `initialize` named are all loaded. Absent where it named none.
    #[wire(since = "2.1.329")]
    pub plugins_applied: Option<bool>,
    /// Whether the MCP servers that `initialize` named were taken when the CLI started. Absent where
    /// it named none. Says nothing of whether they are connected.
    #[wire(since = "2.1.329")]
    pub mcp_servers_applied: Option<bool>,
    /// Whether the settings that `initialize` carried were taken when the CLI started.
    #[wire(since = "2.1.329")]
    pub settings_applied: Option<bool>,
    /// Whether the managed settings that `initialize` carried were taken when the CLI started.
    #[wire(since = "2.1.329")]
    pub managed_settings_applied: Option<bool>,
    /// Whether the refused tools that `initialize` named were taken when the CLI started.
    #[wire(since = "2.1.329")]
    pub disallowed_tools_applied: Option<bool>,
    /// What became of what `initialize` said about each of the host's own MCP servers.
    #[wire(since = "2.1.329")]
    pub sdk_mcp_manifests_parked: Option<Map<ManifestOutcome>>,
    /// How the user can send feedback.
    #[wire(since = "2.1.329")]
    pub feedback_mode: Option<Json>,
    /// Usage statistics are off.
    #[wire(since = "2.1.329")]
    pub analytics_disabled: Option<bool>,
    /// The session can be controlled from elsewhere.
    #[wire(since = "2.1.329")]
    pub remote_control_available: Option<bool>,
    /// It will be, without being asked.
    #[wire(since = "2.1.329")]
    pub remote_control_auto_enable: Option<bool>,
    /// It is connected by default.
    #[wire(since = "2.1.329")]
    pub remote_control_auto_connect_default: Option<bool>,
    /// It can be by default.
    #[wire(since = "2.1.329")]
    pub remote_control_auto_on_by_default: Option<bool>,
    /// An editor may turn it on.
    #[wire(since = "2.1.329")]
    pub ide_rc_auto_enable_gate: Option<bool>,
    /// Whether what the user has said about the folder was written down. Only in the answer to
    /// `claim_session`, where that said so.
    #[wire(since = "2.1.329")]
    pub workspace_trust_recorded: Option<bool>,
    /// Where the user's output styles are.
    pub user_output_styles_dir: Option<String>,
    /// Whether answers are fast.
    pub fast_mode_state: Option<FastModeState>,
    /// Why they are not.
    pub fast_mode_disabled_reason: Option<FastModeDisabledReason>,
}

/// What became of what `initialize` said about one of the host's own MCP servers.
#[wire(open)]
pub enum ManifestOutcome {
    /// It is used in place of the server's handshake.
    Parked = "parked",
    /// The server was connected already.
    AlreadyConnected = "already_connected",
    /// The server speaks another version of MCP.
    ProtocolVersionMismatch = "protocol_version_mismatch",
    /// It could not be read.
    Malformed = "malformed",
    /// It is not used.
    NotHonoured = "not_honoured",
}

/// A slash command.
#[wire(rename_all = "camelCase")]
pub struct SlashCommand {
    /// Its name, without the slash.
    pub name: String,
    /// What it does.
    pub description: String,
    /// What it takes.
    pub argument_hint: String,
    /// Other names.
    pub aliases: Option<Vec<String>>,
    /// Whether it is the CLI's own.
    pub builtin: Option<bool>,
}

/// A sub-agent.
#[wire]
pub struct AgentInfo {
    /// Its name.
    pub name: String,
    /// What it is for.
    pub description: String,
    /// Its model; absent for the session's.
    pub model: Option<String>,
}

/// A model to choose.
#[wire(rename_all = "camelCase")]
pub struct ModelInfo {
    /// What to choose it by.
    pub value: String,
    /// What it is called.
    pub display_name: String,
    /// What it is for.
    pub description: String,
    /// The model behind an alias.
    pub resolved_model: Option<String>,
    /// Whether effort can be set.
    pub supports_effort: Option<bool>,
    /// The efforts to choose from.
    pub supported_effort_levels: Option<Vec<EffortLevel>>,
    /// Whether it decides itself how much to think.
    pub supports_adaptive_thinking: Option<bool>,
    /// Whether it can answer fast.
    pub supports_fast_mode: Option<bool>,
    /// Whether the permission mode `auto` works with it.
    pub supports_auto_mode: Option<bool>,
    /// Whether it can be told not to think.
    #[wire(since = "2.1.329")]
    pub supports_thinking_off: Option<bool>,
}

/// Whose API answers.
#[wire(open)]
pub enum ApiProvider {
    /// Anthropic's own.
    FirstParty = "firstParty",
    /// Amazon Bedrock.
    Bedrock = "bedrock",
    /// Google Vertex AI.
    Vertex = "vertex",
    /// Microsoft Foundry.
    Foundry = "foundry",
    /// Anthropic's, on AWS.
    AnthropicAws = "anthropicAws",
    /// Anthropic's, on Google Cloud.
    AnthropicGoogleCloud = "anthropicGoogleCloud",
    /// Mantle.
    Mantle = "mantle",
    /// A gateway of the organisation's.
    Gateway = "gateway",
}

/// Who is logged in.
#[wire(rename_all = "camelCase")]
pub struct AccountInfo {
    /// Mail address.
    pub email: Option<String>,
    /// Organisation.
    pub organization: Option<String>,
    /// Subscription.
    pub subscription_type: Option<String>,
    /// Where the token comes from.
    pub token_source: Option<String>,
    /// Where the key comes from.
    pub api_key_source: Option<String>,
    /// Whose API answers.
    pub api_provider: Option<ApiProvider>,
}

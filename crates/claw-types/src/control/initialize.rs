//! `initialize`: begin, with these settings.

use claw_types_derive::Wire;

use super::Request;
use crate::message::{FastModeDisabledReason, FastModeState};
use crate::open_enum::open_enum;
use crate::options::PermissionMode;
use crate::{Count, Extra, Json, Map};

/// To `claude`: begin, with these settings. The first line that a host writes; prompts may follow
/// without waiting for the answer.
#[derive(Wire, Debug, Clone, PartialEq)]
#[wire(tag(subtype = "initialize"), rename_all = "camelCase")]
#[non_exhaustive]
pub struct Initialize {
    /// The system prompt, in parts. `[""]` for none; absent for Claude Code's own.
    pub system_prompt: Option<Vec<String>>,
    /// What is put behind Claude Code's own system prompt.
    pub append_system_prompt: Option<String>,
    /// Leaves out what changes from run to run (the date, the directory).
    pub exclude_dynamic_sections: Option<bool>,
    /// Hooks: lists of matchers with the ids of callbacks, an event each.
    pub hooks: Option<Json>,
    /// Sub-agents by name.
    pub agents: Option<Map<Json>>,
    /// The session's title.
    pub title: Option<String>,
    /// The JSON Schema of the output that is asked for.
    pub json_schema: Option<Json>,
    /// The host's own MCP servers, by name.
    pub sdk_mcp_servers: Option<Vec<String>>,
    /// Kinds of dialog that the host can show.
    pub supported_dialog_kinds: Option<Vec<String>>,
    /// Skills to offer.
    pub skills: Option<Vec<String>>,
    /// Fields that claw does not know.
    #[wire(extra)]
    pub extra: Extra,
}

impl Request for Initialize {
    type Response = InitializeResponse;
}

/// The answer to `initialize`: what this `claude` has. No session id: that comes with
/// `system/init`, when a turn begins.
#[derive(Wire, Debug, Clone, PartialEq)]
#[non_exhaustive]
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
    /// Whether a hook may block where it fails.
    pub hook_on_failure_supported: Option<bool>,
    /// Where the user's output styles are.
    pub user_output_styles_dir: Option<String>,
    /// Whether answers are fast.
    pub fast_mode_state: Option<FastModeState>,
    /// Why they are not.
    pub fast_mode_disabled_reason: Option<FastModeDisabledReason>,
    /// Fields that claw does not know.
    #[wire(extra)]
    pub extra: Extra,
}

/// A slash command.
#[derive(Wire, Debug, Clone, PartialEq)]
#[wire(rename_all = "camelCase")]
#[non_exhaustive]
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
    /// Fields that claw does not know.
    #[wire(extra)]
    pub extra: Extra,
}

/// A sub-agent.
#[derive(Wire, Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct AgentInfo {
    /// Its name.
    pub name: String,
    /// What it is for.
    pub description: String,
    /// Its model; absent for the session's.
    pub model: Option<String>,
    /// Fields that claw does not know.
    #[wire(extra)]
    pub extra: Extra,
}

/// A model to choose.
#[derive(Wire, Debug, Clone, PartialEq)]
#[wire(rename_all = "camelCase")]
#[non_exhaustive]
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
    pub supported_effort_levels: Option<Vec<String>>,
    /// Whether it decides itself how much to think.
    pub supports_adaptive_thinking: Option<bool>,
    /// Whether it can answer fast.
    pub supports_fast_mode: Option<bool>,
    /// Whether the permission mode `auto` works with it.
    pub supports_auto_mode: Option<bool>,
    /// Fields that claw does not know.
    #[wire(extra)]
    pub extra: Extra,
}

open_enum! {
    /// Whose API answers.
    ApiProvider {
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
}

/// Who is logged in.
#[derive(Wire, Debug, Clone, PartialEq)]
#[wire(rename_all = "camelCase")]
#[non_exhaustive]
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
    /// Fields that claw does not know.
    #[wire(extra)]
    pub extra: Extra,
}

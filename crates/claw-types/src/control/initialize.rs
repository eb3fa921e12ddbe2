//! `initialize`: begin, with these settings.

use super::InitializeResponse;
use crate::hook::HookMatcher;
use crate::options::{AgentDefinition, McpServerConfig, McpToolPolicy, Plugin};
use crate::settings::Settings;
use crate::{Count, Json, JsonOf, Map};

/// To `claude`: begin, with these settings. The first line that a host writes; prompts may follow
/// without waiting for the answer.
///
/// May be sent again: most of it then counts no more, but hooks, the title and the host's own MCP
/// servers do, and the answer brings the questions that wait.
#[wire(tag(subtype = "initialize"), rename_all = "camelCase", response = InitializeResponse)]
pub struct Initialize {
    /// The system prompt, in parts. `[""]` for none; absent for Claude Code's own.
    pub system_prompt: Option<Vec<String>>,
    /// What is put behind Claude Code's own system prompt.
    pub append_system_prompt: Option<String>,
    /// `false`: the system prompt is made anew for every request.
    pub system_prompt_snapshot: Option<bool>,
    /// Leaves out what changes from user to user (the directory, where memory is kept).
    pub exclude_dynamic_sections: Option<bool>,
    /// How to plan, in the permission mode `plan`.
    pub plan_mode_instructions: Option<String>,
    /// Other names of tools.
    pub tool_aliases: Option<Map<String>>,
    /// Hooks of the host's, by event.
    pub hooks: Option<Map<Vec<HookMatcher>>>,
    /// Sub-agents, by name.
    pub agents: Option<Map<AgentDefinition>>,
    /// The session's title.
    pub title: Option<String>,
    /// The JSON Schema of the output that is asked for.
    pub json_schema: Option<Json>,
    /// The host's own MCP servers, by name.
    pub sdk_mcp_servers: Option<Vec<String>>,
    /// What holds for them.
    pub sdk_mcp_server_configs: Option<Map<SdkMcpServerConfig>>,
    /// What they would answer to the handshake, so that they need not be asked.
    pub sdk_mcp_server_manifests: Option<Map<SdkMcpServerManifest>>,
    /// When that was made. Only for hosts that are not on the CLI's stdin.
    pub sdk_mcp_server_manifests_origin: Option<ManifestsOrigin>,
    /// Skills of the main conversation; absent for every one that is found.
    pub skills: Option<Vec<String>>,
    /// Sends a guess of the next prompt after each turn.
    pub prompt_suggestions: Option<bool>,
    /// Sends what sub-agents are at.
    pub agent_progress_summaries: Option<bool>,
    /// Sends what sub-agents say and think.
    pub forward_subagent_text: Option<bool>,
    /// Kinds of dialog that the host can show.
    pub supported_dialog_kinds: Option<Vec<String>>,
    /// The host can stop single background tasks.
    pub per_task_stop_affordance: Option<bool>,
    /// Plugins to load. Read only with `--await-initialize`, as the next are.
    #[wire(since = "2.1.329")]
    pub plugins: Option<Vec<Plugin>>,
    /// MCP servers, by name.
    #[wire(since = "2.1.329")]
    pub mcp_servers: Option<Map<McpServerConfig>>,
    /// Settings. Read only with `--initialize-fields=settings` as well.
    #[wire(since = "2.1.329", secret)]
    pub settings: Option<JsonOf<Settings>>,
    /// Settings that nothing goes over. Read only with `--managed-settings-in-initialize` as well.
    #[wire(since = "2.1.329", secret)]
    pub managed_settings: Option<JsonOf<Settings>>,
    /// Tools that are refused. Read only with `--initialize-fields=disallowedTools` as well.
    #[wire(since = "2.1.329")]
    pub disallowed_tools: Option<Vec<String>>,
}

/// What holds for one of the host's own MCP servers.
#[wire]
pub struct SdkMcpServerConfig {
    /// How long one call may take, in milliseconds; under 1,000 it is ignored.
    pub timeout: Option<Count>,
    /// What holds for single tools.
    pub tools: Option<Vec<McpToolPolicy>>,
}

/// What one of the host's own MCP servers would answer to the handshake. JSON-RPC results, word for
/// word.
#[wire(rename_all = "camelCase")]
pub struct SdkMcpServerManifest {
    /// To MCP's `initialize`.
    pub initialize_result: Json,
    /// To `tools/list`. Absent where it has no tools, or too many for one answer.
    pub tools_list_result: Option<Json>,
}

/// When what is said about the host's own MCP servers was made.
#[wire(open)]
pub enum ManifestsOrigin {
    /// For this request.
    HostPerSend = "host_per_send",
}

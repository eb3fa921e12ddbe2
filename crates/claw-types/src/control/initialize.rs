//! `initialize`: the configuration of a session by its host.

use super::InitializeResponse;
use crate::hook::HookMatcher;
use crate::options::{AgentDefinition, McpServerConfig, McpToolPolicy, Plugin};
use crate::settings::Settings;
use crate::{Count, Json, JsonOf, Map};

/// To `claude`: initialize the session. This is the first line that a host writes. It can write prompts without waiting
/// for the response.
///
/// The host can send the request again. Most fields then have no effect, but the hooks, the title and the host's own
/// MCP servers are applied, and the response contains the pending requests.
#[wire(tag(subtype = "initialize"), rename_all = "camelCase", response = InitializeResponse)]
pub struct Initialize {
    /// The system prompt, in parts. `[""]` means an empty system prompt. Absent means Claude Code's own.
    pub system_prompt: Option<Vec<String>>,
    /// Text to append to Claude Code's own system prompt. Absent: nothing is appended.
    pub append_system_prompt: Option<String>,
    /// Whether the system prompt is created once and then reused. `false`: it is created anew for every request to the
    /// API.
    pub system_prompt_snapshot: Option<bool>,
    /// Whether the sections that differ between users (the working directory, the location of memory) are moved from
    /// the system prompt to the first user message. Absent means `false`.
    pub exclude_dynamic_sections: Option<bool>,
    /// Instructions for planning in the permission mode `plan`. Absent means Claude Code's own instructions.
    pub plan_mode_instructions: Option<String>,
    /// Aliases of tools: the name that the model uses, mapped to the name of the tool that runs. Absent: none.
    pub tool_aliases: Option<Map<String>>,
    /// The hooks of the host, by event. Absent: the host has none.
    pub hooks: Option<Map<Vec<HookMatcher>>>,
    /// The definitions of additional sub-agents, by name. Absent: none are added.
    pub agents: Option<Map<AgentDefinition>>,
    /// The title of the session.
    pub title: Option<String>,
    /// The JSON Schema of the requested structured output. Absent: answers have no structured output.
    pub json_schema: Option<Json>,
    /// The names of the host's own MCP servers. Absent: the host has none.
    pub sdk_mcp_servers: Option<Vec<String>>,
    /// The configurations of the host's own MCP servers, by name. A server without an entry has the defaults.
    pub sdk_mcp_server_configs: Option<Map<SdkMcpServerConfig>>,
    /// The handshake results of the host's own MCP servers, by name, so that the CLI need not ask for them. The CLI
    /// does the handshake with the servers that have no entry.
    pub sdk_mcp_server_manifests: Option<Map<SdkMcpServerManifest>>,
    /// The origin of the handshake results. Required only from hosts that reach the CLI over a remote connection.
    pub sdk_mcp_server_manifests_origin: Option<ManifestsOrigin>,
    /// The names of the skills of the main conversation. Absent means all skills that are found.
    pub skills: Option<Vec<String>>,
    /// Whether the CLI suggests the next prompt after each turn. Absent means `false`.
    pub prompt_suggestions: Option<bool>,
    /// Whether the CLI sends summaries of the progress of sub-agents. Absent means `false`.
    pub agent_progress_summaries: Option<bool>,
    /// Whether the CLI forwards the text and thinking of sub-agents. Absent means `false`.
    pub forward_subagent_text: Option<bool>,
    /// The kinds of dialogs that the host can show. The CLI sends no dialogs of other kinds. Absent means none.
    pub supported_dialog_kinds: Option<Vec<String>>,
    /// Whether the host lets its user stop single background tasks, so that an interrupt need not stop them. Absent
    /// means `false`.
    pub per_task_stop_affordance: Option<bool>,
    /// Plugins to load. The CLI reads them only with the flag `--await-initialize`.
    #[wire(since = "2.1.329")]
    pub plugins: Option<Vec<Plugin>>,
    /// MCP servers to connect, by name. The CLI reads them only with the flag `--await-initialize`.
    #[wire(since = "2.1.329")]
    pub mcp_servers: Option<Map<McpServerConfig>>,
    /// Settings to apply. The CLI reads them only with the flags `--await-initialize` and
    /// `--initialize-fields=settings`.
    #[wire(since = "2.1.329", secret)]
    pub settings: Option<JsonOf<Settings>>,
    /// Managed settings, which no other settings override. The CLI reads them only with the flags `--await-initialize`
    /// and `--managed-settings-in-initialize`.
    #[wire(since = "2.1.329", secret)]
    pub managed_settings: Option<JsonOf<Settings>>,
    /// The names of denied tools. The CLI reads them only with the flags `--await-initialize` and
    /// `--initialize-fields=disallowedTools`.
    #[wire(since = "2.1.329")]
    pub disallowed_tools: Option<Vec<String>>,
}

/// The configuration of one of the host's own MCP servers.
#[wire]
pub struct SdkMcpServerConfig {
    /// The timeout of a tool call, in milliseconds. Values below 1,000 are ignored.
    pub timeout: Option<Count>,
    /// The policies of single tools. A tool without a policy is subject to the permission rules.
    pub tools: Option<Vec<McpToolPolicy>>,
}

/// The handshake results of one of the host's own MCP servers, as unchanged JSON-RPC results.
#[wire(rename_all = "camelCase")]
pub struct SdkMcpServerManifest {
    /// The result of MCP's `initialize`.
    pub initialize_result: Json,
    /// The result of MCP's `tools/list`. Absent if the server has no tools, or too many for one
    /// result.
    pub tools_list_result: Option<Json>,
}

/// The origin of the manifests of the host's own MCP servers.
#[wire(open)]
pub enum ManifestsOrigin {
    /// The host created the manifests for this request, from the current state of its servers.
    HostPerSend = "host_per_send",
}

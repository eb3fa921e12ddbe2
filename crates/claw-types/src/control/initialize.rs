//! `initialize`: the configuration of a session by its host.

use super::InitializeResponse;
use crate::hook::HookMatcher;
use crate::options::{AgentDefinition, McpServerConfig, McpToolPolicy, OutputOptions, Plugin};
use crate::settings::Settings;
use crate::{Count, Json, JsonOf, Map};

/// To `claude`: initialize the session. This is the first line that a host writes. The host can write prompts before it
/// has received the response.
///
/// The host can send the request again later. Most fields then have no effect. The hooks, the title and the host's own
/// MCP servers are applied, and the response contains the pending requests.
#[wire(tag(subtype = "initialize"), rename_all = "camelCase", response = InitializeResponse)]
pub struct Initialize {
    /// The system prompt, in parts. `[""]` means an empty system prompt. Absent means Claude Code's own system prompt.
    pub system_prompt: Option<Vec<String>>,
    /// Text that the CLI appends to Claude Code's own system prompt. If absent, nothing is appended.
    pub append_system_prompt: Option<String>,
    /// Whether the CLI creates the system prompt once and then reuses it. If `false`, the CLI creates the system prompt
    /// again for every request to the API.
    pub system_prompt_snapshot: Option<bool>,
    /// Whether the CLI moves some sections from the system prompt to the first user message. These sections differ
    /// between users, such as the working directory and the location of memory. Absent means `false`.
    pub exclude_dynamic_sections: Option<bool>,
    /// The instructions that the model gets for planning in the permission mode `plan`. Absent means Claude Code's own
    /// instructions.
    pub plan_mode_instructions: Option<String>,
    /// Aliases of tools. Each key is the name of a tool that the model may use, and its value is the name of the tool
    /// that runs in its place. If absent, there are no aliases.
    pub tool_aliases: Option<Map<String>>,
    /// The hooks of the host. Each key is the event for which its hooks are called. If absent, the host has no hooks.
    pub hooks: Option<Map<Vec<HookMatcher>>>,
    /// The definitions of additional sub-agents, by name. If absent, no sub-agents are added.
    pub agents: Option<Map<AgentDefinition>>,
    /// The title of the session.
    pub title: Option<String>,
    /// The JSON Schema for structured output. If absent, answers have no structured output.
    pub json_schema: Option<Json>,
    /// The names of the host's own MCP servers. If absent, the host has no MCP servers.
    pub sdk_mcp_servers: Option<Vec<String>>,
    /// The configurations of the host's own MCP servers, by server name. A server without an entry has the defaults.
    pub sdk_mcp_server_configs: Option<Map<SdkMcpServerConfig>>,
    /// The handshake results of the host's own MCP servers, by server name. The CLI skips the handshake with each
    /// server that has an entry.
    pub sdk_mcp_server_manifests: Option<Map<SdkMcpServerManifest>>,
    /// The origin of the handshake results in `sdk_mcp_server_manifests`. Only hosts that reach the CLI over a remote
    /// connection must set this field.
    pub sdk_mcp_server_manifests_origin: Option<ManifestsOrigin>,
    /// The names of the skills that the main conversation can use. Absent means all skills that the CLI finds.
    pub skills: Option<Vec<String>>,
    fields: OutputOptions!(),
    /// The plugins to load. The CLI reads this field only if it was started with the flag `--await-initialize`.
    #[wire(since = "2.1.329")]
    pub plugins: Option<Vec<Plugin>>,
    /// The MCP servers to connect to, by server name. The CLI reads this field only if it was started with the flag
    /// `--await-initialize`.
    #[wire(since = "2.1.329")]
    pub mcp_servers: Option<Map<McpServerConfig>>,
    /// The settings to apply. The CLI reads this field only if it was started with the flags `--await-initialize` and
    /// `--initialize-fields=settings`.
    #[wire(since = "2.1.329", secret)]
    pub settings: Option<JsonOf<Settings>>,
    /// Managed settings, which no other settings override. The CLI reads this field only if it was started with the
    /// flags `--await-initialize` and `--managed-settings-in-initialize`.
    #[wire(since = "2.1.329", secret)]
    pub managed_settings: Option<JsonOf<Settings>>,
    /// The names of tools that the model may not use. The CLI reads this field only if it was started with the flags
    /// `--await-initialize` and `--initialize-fields=disallowedTools`.
    #[wire(since = "2.1.329")]
    pub disallowed_tools: Option<Vec<String>>,
}

/// The configuration of one of the host's own MCP servers.
#[wire]
pub struct SdkMcpServerConfig {
    /// The timeout of a tool call, in milliseconds. Values below 1,000 are ignored.
    pub timeout: Option<Count>,
    /// The permission policies of single tools. For a tool without a policy, the permission rules decide.
    pub tools: Option<Vec<McpToolPolicy>>,
}

/// The handshake results of one of the host's own MCP servers: the unchanged results of the JSON-RPC requests
/// `initialize` and `tools/list`.
#[wire(rename_all = "camelCase")]
pub struct SdkMcpServerManifest {
    /// The result of MCP's `initialize`.
    pub initialize_result: Json,
    /// The result of MCP's `tools/list`. Absent if the server has no tools, or if it has too many tools for one result.
    pub tools_list_result: Option<Json>,
}

/// The origin of the manifests (the handshake results) of the host's own MCP servers.
#[wire(open)]
pub enum ManifestsOrigin {
    /// The host created the manifests for this request, from the current state of its servers.
    HostPerSend = "host_per_send",
}

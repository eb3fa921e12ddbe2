//! `claim_session`: the start of a session in a CLI process that was started in advance.

use crate::control::InitializeResponse;
use crate::options::{AgentDefinition, PermissionMode};
use crate::{Map, Number, SessionId};

/// To `claude`: begin the session, in a process that was started in advance with `--await-claim`. A process without
/// that flag refuses the request. Not part of the official SDK's published types.
#[wire(tag(subtype = "claim_session"), response = ClaimSessionResponse)]
pub struct ClaimSession {
    /// The working directory of the session.
    pub cwd: String,
    /// The environment variables to set in the process. If absent, none are set.
    #[wire(secret)]
    pub env: Option<Map<String>>,
    /// The directories that tools may use in addition to the working directory. Absent means none.
    pub additional_directories: Option<Vec<String>>,
    /// The permission mode of the session.
    pub permission_mode: Option<PermissionMode>,
    /// The system prompt, in parts.
    pub system_prompt: Option<Vec<String>>,
    /// Text that the CLI appends to the system prompt. If absent, nothing is appended.
    pub append_system_prompt: Option<String>,
    /// The definitions of additional sub-agents, by name. If absent, no sub-agents are added.
    pub agents: Option<Map<AgentDefinition>>,
    /// The title of the session.
    pub title: Option<String>,
    /// The names of the host's own MCP servers. If absent, the host has no MCP servers.
    pub sdk_mcp_servers: Option<Vec<String>>,
    /// Whether the response to this request should also contain the response to `initialize`. Absent means `false`.
    pub include_initialize: Option<bool>,
    /// The user's decision on whether to trust the working directory.
    pub workspace_trust: Option<WorkspaceTrust>,
}

/// The user's decision on whether to trust a directory.
#[wire]
pub struct WorkspaceTrust {
    /// Whether the user trusts the directory.
    pub accepted: bool,
    /// The path of the directory.
    pub directory: String,
}

/// The response to `claim_session`.
#[wire(tag(status = "ok"))]
pub struct ClaimSessionResponse {
    /// The working directory of the session.
    pub cwd: Option<String>,
    /// The ID of the session.
    pub session_id: SessionId,
    /// The time for which the process had waited for the request `claim_session`, in milliseconds.
    pub parked_ms: Option<Number>,
    /// Whether the handshakes with the host's own MCP servers were complete when the request arrived. If they were not,
    /// the first turn waits for them.
    pub sdk_mcp_settled: bool,
    /// The response to `initialize`. Sent only if the request asked for it.
    pub initialize: Option<Box<InitializeResponse>>,
    /// Whether the CLI recorded the user's decision about trust in the directory.
    pub workspace_trust_recorded: Option<bool>,
}

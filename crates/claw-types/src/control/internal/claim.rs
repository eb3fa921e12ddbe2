//! `claim_session`: a CLI that was started ahead begins.

use crate::control::InitializeResponse;
use crate::options::{AgentDefinition, PermissionMode};
use crate::{Map, Number, SessionId};

/// To `claude`, one that was started ahead with `--await-claim`: begin, here. Others refuse it. In no
/// published type.
#[wire(tag(subtype = "claim_session"), response = ClaimSessionResponse)]
pub struct ClaimSession {
    /// The folder to work in.
    pub cwd: String,
    /// Variables.
    #[wire(secret)]
    pub env: Option<Map<String>>,
    /// Folders besides.
    pub additional_directories: Option<Vec<String>>,
    /// What is asked for and what is not.
    pub permission_mode: Option<PermissionMode>,
    /// The system prompt, in parts.
    pub system_prompt: Option<Vec<String>>,
    /// What is put to it.
    pub append_system_prompt: Option<String>,
    /// Sub-agents, by name.
    pub agents: Option<Map<AgentDefinition>>,
    /// The session's title.
    pub title: Option<String>,
    /// The host's own MCP servers, by name.
    pub sdk_mcp_servers: Option<Vec<String>>,
    /// Puts what `initialize` is answered with into the answer.
    pub include_initialize: Option<bool>,
    /// What the user has said about the folder.
    pub workspace_trust: Option<WorkspaceTrust>,
}

/// What the user has said about a folder.
#[wire]
pub struct WorkspaceTrust {
    /// It is to be trusted.
    pub accepted: bool,
    /// The folder.
    pub directory: String,
}

/// The answer to `claim_session`.
#[wire(tag(status = "ok"))]
pub struct ClaimSessionResponse {
    /// The folder that it works in.
    pub cwd: Option<String>,
    /// The session.
    pub session_id: SessionId,
    /// How long the process had waited, in milliseconds.
    pub parked_ms: Option<Number>,
    /// Whether the host's own MCP servers are connected.
    pub sdk_mcp_settled: bool,
    /// What `initialize` is answered with. Only where it was asked for.
    pub initialize: Option<Box<InitializeResponse>>,
    /// Whether what the user said about the folder was written down.
    pub workspace_trust_recorded: Option<bool>,
}

//! Requests about what the session works on. In no published type.

use super::InitializeResponse;
use crate::options::{AgentDefinition, PermissionMode};
use crate::{Map, Number, SessionId};

/// To `claude`: what is the plan? In no published type.
#[wire(tag(subtype = "get_plan"), response = GetPlanResponse)]
pub struct GetPlan {}

/// The answer to `get_plan`.
#[wire]
pub struct GetPlanResponse {
    /// Whether there is one.
    pub exists: bool,
    /// The plan, as Markdown.
    pub content: Option<String>,
    /// Its file.
    pub path: Option<String>,
}

/// To `claude`: work in this folder from now on. In no published type.
#[wire(tag(subtype = "set_cwd"), response = SetCwdResponse)]
pub struct SetCwd {
    /// The folder.
    pub path: String,
    /// The user has said that the folder is to be trusted. Needs the next.
    pub trust_accepted: Option<bool>,
    /// The folder that was, as the answer before had it.
    pub trusted_directory: Option<String>,
}

/// The answer to `set_cwd`.
#[wire]
pub enum SetCwdResponse {
    /// It works there now.
    Ok(CwdSet),
    /// The user has to be asked first.
    NeedsTrust(CwdNeedsTrust),
    /// It does not.
    Rejected(CwdRejected),
}

/// The session works in another folder.
#[wire(tag(status = "ok"))]
pub struct CwdSet {
    /// The folder.
    pub cwd: String,
    /// Whether it is another one than before.
    pub changed: bool,
    /// Whether the conversation's file went with it.
    pub transcript_relocated: bool,
}

/// The user has to say first that a folder is to be trusted.
#[wire(tag(status = "needs_trust"))]
pub struct CwdNeedsTrust {
    /// What would be trusted with it.
    pub trust_root: Option<String>,
    /// The folder.
    pub directory: String,
}

/// The session does not go to another folder.
#[wire(tag(status = "rejected"))]
pub struct CwdRejected {
    /// Why.
    pub reason: CwdRejection,
    /// The same in words.
    pub message: String,
}

/// Why a session does not go to another folder.
#[wire(open)]
pub enum CwdRejection {
    /// There is none.
    NotFound = "not_found",
    /// It is none.
    NotADirectory = "not_a_directory",
    /// A permission rule forbids it.
    BlockedByRule = "blocked_by_rule",
    /// The session is at work.
    Busy = "busy",
    /// Its path is not safe.
    UnsafePath = "unsafe_path",
    /// Whoever asks is elsewhere.
    RemoteOrigin = "remote_origin",
}

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

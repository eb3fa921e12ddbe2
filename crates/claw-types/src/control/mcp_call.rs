//! Requests that use MCP servers in the host's name.

use crate::options::PermissionMode;
use crate::{Count, Json, Tri, True};

/// To `claude`: use this tool of an MCP server, without the model. Nothing is asked for, unless
/// `check_permissions` says so. A server that is not connected is connected first. The host's own
/// servers cannot be used so.
#[wire(tag(subtype = "mcp_call"), response = McpCallResponse)]
pub struct McpCall {
    /// The tool: `mcp__server__tool`.
    pub tool: String,
    /// What it is given.
    pub arguments: Option<Json>,
    /// The time after which it is not done any more, as RFC 3339. The answer has `staging` then.
    pub expires_at: Option<String>,
    /// How long it may take, in milliseconds, from 1000 to 600000; absent for 120000. The answer
    /// has `staging` then.
    pub timeout_ms: Option<Count>,
    /// Hands the result over as the server gave it, unbounded, not as a model would get it. Only
    /// CLIs with the capability `mcp_call_result_not_for_model_v1`.
    #[wire(since = "2.1.329")]
    pub result_not_for_model: Option<bool>,
    /// Goes by the permission rules, and asks, as if the model had used the tool. Only CLIs with
    /// the capability `mcp_call_check_permissions_v1`.
    #[wire(since = "2.1.329")]
    pub check_permissions: Option<bool>,
    /// Files that are fetched for it. Only in hosted sessions.
    pub input_files: Option<Vec<McpCallInput>>,
    /// Files that are stored after it. Only in hosted sessions; needs `expires_at`.
    pub output_files: Option<Vec<McpCallOutput>>,
}

/// A file that is fetched for a call: `{{in:NAME}}` in the arguments becomes its path.
#[wire]
pub struct McpCallInput {
    /// The name.
    pub name: String,
    /// The file in the session's store.
    pub lane_path: String,
}

/// A file that is stored after a call: `{{out:NAME}}` in the arguments becomes its path.
#[wire]
pub struct McpCallOutput {
    /// The name.
    pub name: String,
    /// The file in the session's store.
    pub lane_path: String,
    /// Only where the stored file still has this tag.
    pub if_match: Option<String>,
}

/// The answer to `mcp_call`. A tool that fails is an error, with its text.
#[wire(rename_all = "camelCase")]
pub struct McpCallResponse {
    /// The result: text, or a list of content blocks. Absent where nothing was run.
    pub content: Option<Json>,
    /// The result as data.
    pub structured_content: Option<Json>,
    /// What the server says besides.
    #[wire(rename = "_meta")]
    pub meta: Option<Json>,
    /// How it went with files and time. Only where the call had some.
    pub staging: Option<McpCallStaging>,
}

/// How a call went that has a time limit, or files.
#[wire]
pub struct McpCallStaging {
    /// Whether it was done.
    pub ok: bool,
    /// Files that were stored. Only where it was done.
    pub outputs: Option<Vec<McpCallStored>>,
    /// Files that were fetched. Only where it was done.
    pub inputs_used: Option<Vec<McpCallFetched>>,
    /// Why it was not.
    pub error_code: Option<McpCallError>,
    /// The same in words.
    pub detail: Option<String>,
    /// Whether it may work another time.
    pub retryable: Option<bool>,
    /// It was refused too often.
    pub refusal_limit: Option<True>,
}

/// A file that was stored after a call.
#[wire]
pub struct McpCallStored {
    /// The file in the session's store.
    pub lane_path: String,
    /// Its tag now.
    pub etag: String,
    /// Its size.
    pub bytes: Count,
}

/// A file that was fetched for a call.
#[wire]
pub struct McpCallFetched {
    /// The file in the session's store.
    pub lane_path: String,
    /// Its tag.
    pub etag: String,
}

/// Why a call of an MCP server's tool was not done.
#[wire(open)]
pub enum McpCallError {
    /// It came too late.
    Expired = "expired",
    /// A file to be fetched is not there.
    InputMissing = "input_missing",
    /// A file to be stored is too large.
    OutputTooLarge = "output_too_large",
    /// A file to be stored has another tag.
    OutputConflict = "output_conflict",
    /// It took too long.
    Timeout = "timeout",
    /// The tool failed.
    ToolError = "tool_error",
}

/// To `claude`: read this resource of an MCP server, for the host to show. The host's own servers
/// cannot be read so.
#[wire(tag(subtype = "mcp_read_resource"), rename_all = "camelCase", response = McpReadResourceResponse)]
pub struct McpReadResource {
    /// The server.
    pub server_name: String,
    /// The resource. Only addresses that begin with `ui://`.
    pub uri: String,
}

/// The answer to `mcp_read_resource`.
#[wire]
pub struct McpReadResourceResponse {
    /// What is in it. Of somebody else's making: not to be trusted.
    pub contents: Vec<McpResourceContents>,
}

/// A part of an MCP server's resource.
#[wire(rename_all = "camelCase")]
pub struct McpResourceContents {
    /// Its address.
    pub uri: String,
    /// What it is.
    pub mime_type: Option<String>,
    /// The contents, as text.
    pub text: Option<String>,
    /// The contents, as base64.
    pub blob: Option<String>,
    /// What the server says besides.
    #[wire(rename = "_meta")]
    pub meta: Option<Json>,
}

/// To `claude`: another permission mode for the tools of this MCP server. Only such as ask for
/// more: `default` and `auto`. In no published type.
#[wire(tag(subtype = "set_mcp_permission_mode_override"), rename_all = "camelCase", response = Option<SetMcpPermissionModeOverrideResponse>)]
pub struct SetMcpPermissionModeOverride {
    /// The server.
    pub server_name: String,
    /// The mode; null for the session's.
    #[wire(nullable)]
    pub mode: Option<PermissionMode>,
    /// Only for these of its tools.
    #[wire(since = "2.1.329")]
    pub ask_for_tools: Tri<Vec<McpToolName>>,
}

/// A tool of an MCP server, by name.
#[wire]
pub struct McpToolName {
    /// Its name.
    pub name: String,
}

/// The answer to `set_mcp_permission_mode_override`.
#[wire]
pub struct SetMcpPermissionModeOverrideResponse {
    /// What to know about it: that there is no such server yet, for instance.
    pub warning: Option<String>,
}

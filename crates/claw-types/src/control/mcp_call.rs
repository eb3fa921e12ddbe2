//! Requests that use MCP servers on behalf of the host.

use crate::options::PermissionMode;
use crate::{Count, Json, Tri, True};

/// To `claude`: call a tool of an MCP server directly, without the model. The CLI asks for permission only if
/// `check_permissions` is set. If the server is not connected, `claude` connects it first. Tools of the host's own
/// servers cannot be called.
#[wire(tag(subtype = "mcp_call"), response = McpCallResponse)]
pub struct McpCall {
    /// The name of the tool: `mcp__server__tool`.
    pub tool: String,
    /// The arguments of the tool.
    pub arguments: Option<Json>,
    /// The deadline of the call, in RFC 3339. After the deadline, the CLI no longer carries out the call. If this field
    /// is set, the response contains `staging`.
    pub expires_at: Option<String>,
    /// The timeout of the call, in milliseconds, from 1,000 to 600,000. Absent means 120,000. If this field is set, the
    /// response contains `staging`.
    pub timeout_ms: Option<Count>,
    /// Whether the CLI returns the result exactly as the server sent it. Otherwise the CLI limits the size of the
    /// result and prepares it for a model. Requires the capability `mcp_call_result_not_for_model_v1`.
    #[wire(since = "2.1.329")]
    pub result_not_for_model: Option<bool>,
    /// Whether the CLI applies the permission rules and asks for permission, as if the model had called the tool.
    /// Requires the capability `mcp_call_check_permissions_v1`.
    #[wire(since = "2.1.329")]
    pub check_permissions: Option<bool>,
    /// Whether a tool that fails is reported by a success response with `is_error`, and not by an error response with
    /// the tool's error text only. Requires the capability `mcp_call_soft_error_result_v1`.
    #[wire(since = "2.1.331")]
    pub soft_error_result: Option<bool>,
    /// Files that the CLI fetches before the call. This works only in hosted sessions.
    pub input_files: Option<Vec<McpCallInput>>,
    /// Files that the CLI stores after the call. This works only in hosted sessions, and requires `expires_at`.
    pub output_files: Option<Vec<McpCallOutput>>,
}

/// A file that the CLI fetches before a call. In the arguments, the path of the fetched file replaces `{{in:NAME}}`.
#[wire]
pub struct McpCallInput {
    /// The name by which the arguments refer to the file.
    pub name: String,
    /// The path of the file in the file store of the hosted session, such as `/working/.cowork/originals/a.docx`.
    pub lane_path: String,
}

/// A file that the CLI stores after a call. In the arguments, the path of this file replaces `{{out:NAME}}`.
#[wire]
pub struct McpCallOutput {
    /// The name by which the arguments refer to the file.
    pub name: String,
    /// The path of the file in the file store of the hosted session, such as `/working/.cowork/originals/a.docx`.
    pub lane_path: String,
    /// The `ETag` that the stored file must have. If the file has another `ETag`, the CLI does not replace the file.
    pub if_match: Option<String>,
}

/// The response to `mcp_call`. If the tool fails, the CLI sends an error response with the tool's error text instead,
/// unless `soft_error_result` is set.
#[wire(rename_all = "camelCase")]
pub struct McpCallResponse {
    /// The result: text or a list of content blocks. Absent if the call was not carried out.
    pub content: Option<Json>,
    /// The structured content of the result, as JSON. Absent if the tool returned none.
    pub structured_content: Option<Json>,
    /// Whether the tool failed. Sent only if the request set `soft_error_result`. Absent means `false`.
    #[wire(since = "2.1.331")]
    pub is_error: Option<bool>,
    /// Further metadata that the server sent.
    #[wire(rename = "_meta")]
    pub meta: Option<Json>,
    /// Details about the call's deadline, timeout and files. Sent only if the request set at least one of these values.
    pub staging: Option<McpCallStaging>,
}

/// Details about a call with a deadline, a timeout or files.
#[wire]
pub struct McpCallStaging {
    /// Whether the call was carried out.
    pub ok: bool,
    /// The files that were stored. Sent only if the call was carried out.
    pub outputs: Option<Vec<McpCallStored>>,
    /// The files that were fetched. Sent only if the call was carried out.
    pub inputs_used: Option<Vec<McpCallFetched>>,
    /// A code for the reason why the call was not carried out.
    pub error_code: Option<McpCallError>,
    /// The reason why the call was not carried out, in words.
    pub detail: Option<String>,
    /// Whether a retry of the call may succeed.
    pub retryable: Option<bool>,
    /// Whether the CLI refused the call without asking for permission, because too many earlier calls to this server
    /// had been refused.
    pub refusal_limit: Option<True>,
}

/// A file that was stored after a call.
#[wire]
pub struct McpCallStored {
    /// The path of the file in the file store of the hosted session, such as `/working/.cowork/originals/a.docx`.
    pub lane_path: String,
    /// The new `ETag` of the file.
    pub etag: String,
    /// The size of the file, in bytes.
    pub bytes: Count,
}

/// A file that was fetched before a call.
#[wire]
pub struct McpCallFetched {
    /// The path of the file in the file store of the hosted session, such as `/working/.cowork/originals/a.docx`.
    pub lane_path: String,
    /// The `ETag` of the file.
    pub etag: String,
}

/// A code for the reason why a call of an MCP tool was not carried out.
#[wire(open)]
pub enum McpCallError {
    /// The deadline of the call has passed.
    Expired = "expired",
    /// A file to fetch does not exist.
    InputMissing = "input_missing",
    /// A file to store is too large.
    OutputTooLarge = "output_too_large",
    /// A file to store was changed in the meantime: it does not have the expected `ETag`.
    OutputConflict = "output_conflict",
    /// The call exceeded its timeout.
    Timeout = "timeout",
    /// The tool failed.
    ToolError = "tool_error",
}

/// To `claude`: read a resource of an MCP server so that the host can show it. Resources of the host's own servers
/// cannot be read.
#[wire(tag(subtype = "mcp_read_resource"), rename_all = "camelCase", response = McpReadResourceResponse)]
pub struct McpReadResource {
    /// The name of the MCP server.
    pub server_name: String,
    /// The URI of the resource. Only URIs that begin with `ui://` can be read.
    pub uri: String,
}

/// The response to `mcp_read_resource`.
#[wire]
pub struct McpReadResourceResponse {
    /// The contents of the resource. Do not trust the contents, because the MCP server is a third party.
    pub contents: Vec<McpResourceContents>,
}

/// A part of the contents of an MCP resource.
#[wire(rename_all = "camelCase")]
pub struct McpResourceContents {
    /// The URI of the part.
    pub uri: String,
    /// The MIME type of the part.
    pub mime_type: Option<String>,
    /// The contents as text.
    pub text: Option<String>,
    /// The contents as base64.
    pub blob: Option<String>,
    /// Further metadata that the server sent.
    #[wire(rename = "_meta")]
    pub meta: Option<Json>,
}

/// To `claude`: set a permission mode for the tools of one MCP server, in place of the session's mode. `claude` accepts
/// only the modes `default` and `auto`. Not part of the official SDK's published types.
#[wire(tag(subtype = "set_mcp_permission_mode_override"), rename_all = "camelCase", response = Option<SetMcpPermissionModeOverrideResponse>)]
pub struct SetMcpPermissionModeOverride {
    /// The name of the MCP server.
    pub server_name: String,
    /// The permission mode for the tools of the server. Null means the mode of the session.
    #[wire(nullable)]
    pub mode: Option<PermissionMode>,
    /// The tools of the server that always require asking for permission, even if such a tool normally needs no
    /// permission. This field is used with the mode `default`.
    #[wire(since = "2.1.329")]
    pub ask_for_tools: Tri<Vec<McpToolName>>,
}

/// The name of a tool of an MCP server.
#[wire]
pub struct McpToolName {
    /// The name of the tool.
    pub name: String,
}

/// The response to `set_mcp_permission_mode_override`.
#[wire]
pub struct SetMcpPermissionModeOverrideResponse {
    /// A warning, for example that the server does not exist yet.
    pub warning: Option<String>,
}

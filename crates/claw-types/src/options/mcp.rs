//! Declarations of MCP servers.

use std::fmt;

use crate::{Count, Json, Map, Unknown, wire};

/// The configuration of an MCP server.
///
/// The field `type` determines the kind of server. For a stdio server, the field may be omitted.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum McpServerConfig {
    /// A program that the CLI starts.
    Stdio(Box<McpStdioServer>),
    /// Any other kind of server.
    Other(McpOtherServer),
}

/// The configuration of any MCP server other than a program that the CLI starts.
#[wire(no_debug)]
pub enum McpOtherServer {
    /// A server that is reached over HTTP.
    Http(Box<McpHttpServer>),
    /// A server that is reached over HTTP with server-sent events (SSE), the older transport of MCP.
    Sse(Box<McpSseServer>),
    /// A server in the host's process.
    Sdk(Box<McpSdkServer>),
    /// A connector of the user's claude.ai account. This kind occurs only in responses to `mcp_status`.
    Proxy(Box<McpProxyServer>),
    /// A kind of server that this version of claw does not know. If the options contain such a server, claw rejects
    /// them and starts no process.
    #[wire(unknown)]
    Unknown(Unknown),
}

/// The debug output shows only the kind of an unknown server, because all other fields may contain secrets.
impl fmt::Debug for McpOtherServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Http(server) => server.fmt(f),
            Self::Sse(server) => server.fmt(f),
            Self::Sdk(server) => server.fmt(f),
            Self::Proxy(server) => server.fmt(f),
            Self::Unknown(server) => {
                let mut shown = f.debug_struct("Unknown");
                shown.field("type", &server.kind()).finish_non_exhaustive()
            }
        }
    }
}

/// An MCP server that is a program. The program speaks MCP on its stdin and stdout, and the CLI starts and stops it.
#[wire(rename_all = "camelCase")]
pub struct McpStdioServer {
    /// The kind of server: `stdio`, which is also the default.
    #[wire(rename = "type")]
    pub kind: Option<McpStdioKind>,
    /// The program to run.
    pub command: String,
    /// The arguments of the program. Absent means none.
    pub args: Option<Vec<String>>,
    /// Environment variables to set for the program, in addition to the CLI's own environment variables. Absent means
    /// none.
    #[wire(secret)]
    pub env: Option<Map<String>>,
    /// The timeout of one call, in milliseconds. Values under 1,000 are ignored. If absent, the timeout is the value of
    /// the environment variable `MCP_TOOL_TIMEOUT`, or else the CLI's default.
    pub timeout: Option<Count>,
    /// Whether the definitions of the server's tools are always in the context window. If `false`, the model may have
    /// to search for the tools. Absent means `false`.
    pub always_load: Option<bool>,
}

/// The `type` of an MCP server that is a program.
#[wire(open)]
pub enum McpStdioKind {
    /// The program speaks MCP on its stdin and stdout.
    Stdio = "stdio",
}

/// The fields of an MCP server that is reached by its URL.
#[wire(fields)]
struct RemoteServer {
    /// The URL of the server.
    pub url: String,
    /// The HTTP headers of every request. Absent means no additional headers.
    #[wire(secret)]
    pub headers: Option<Map<String>>,
    /// The policies for individual tools. A tool without a policy is subject to the permission rules.
    pub tools: Option<Vec<McpToolPolicy>>,
    /// The timeout of one call, in milliseconds. Values under 1,000 are ignored. If absent, the timeout is the value of
    /// the environment variable `MCP_TOOL_TIMEOUT`, or else the CLI's default.
    pub timeout: Option<Count>,
    /// Whether the definitions of the server's tools are always in the context window. If `false`, the model may have
    /// to search for the tools. Absent means `false`.
    pub always_load: Option<bool>,
}

/// An MCP server that is reached over HTTP (streamable HTTP).
#[wire(tag(type = "http"), rename_all = "camelCase")]
pub struct McpHttpServer {
    fields: RemoteServer!(),
}

/// An MCP server that is reached over HTTP with server-sent events (SSE), the older transport of MCP.
#[wire(tag(type = "sse"), rename_all = "camelCase")]
pub struct McpSseServer {
    fields: RemoteServer!(),
}

/// An MCP server in the host's process. The CLI reaches the server with `mcp_message` requests to the host.
#[wire(tag(type = "sdk"))]
pub struct McpSdkServer {
    /// The name of the server.
    pub name: String,
    /// The timeout of one call, in milliseconds. Values under 1,000 are ignored. If absent, the timeout is the value of
    /// the environment variable `MCP_TOOL_TIMEOUT`, or else the CLI's default.
    pub timeout: Option<Count>,
    /// The policies for individual tools. A tool without a policy is subject to the permission rules.
    pub tools: Option<Vec<McpToolPolicy>>,
}

/// An MCP server that is a connector of the user's account at claude.ai.
#[wire(tag(type = "claudeai-proxy"))]
pub struct McpProxyServer {
    /// The URL of the connector.
    pub url: String,
    /// The ID of the connector at claude.ai.
    pub id: String,
    /// The timeout of one call, in milliseconds.
    pub timeout: Option<Count>,
}

/// The policy for one tool of an MCP server.
#[wire]
pub struct McpToolPolicy {
    /// The name that the MCP server gives the tool.
    pub name: String,
    /// Whether the tool is always allowed, always denied, or allowed only after the user was asked each time. If
    /// absent, the permission rules decide.
    pub permission_policy: Option<McpPermissionPolicy>,
    /// The maximum permission that the organisation grants the tool.
    pub org_max_permission: Option<McpOrgPermission>,
}

/// Whether a tool of an MCP server is always allowed, always denied, or allowed only after the user was asked each
/// time.
#[wire(open)]
pub enum McpPermissionPolicy {
    /// The tool is always allowed without asking.
    AlwaysAllow = "always_allow",
    /// The user is asked before each use of the tool, whatever the permission rules say.
    AlwaysAsk = "always_ask",
    /// The tool is always denied.
    AlwaysDeny = "always_deny",
}

/// The maximum permission that an organisation grants a tool.
#[wire(open)]
pub enum McpOrgPermission {
    /// The tool may be allowed.
    Allow = "allow",
    /// The tool may be used only after the user was asked.
    Ask = "ask",
    /// The tool is blocked.
    Blocked = "blocked",
}

impl McpServerConfig {
    /// Creates the configuration of a stdio server: a program with its arguments.
    pub fn stdio(
        command: impl Into<String>,
        args: impl IntoIterator<Item = impl Into<String>>,
    ) -> Self {
        let args: Vec<String> = args.into_iter().map(Into::into).collect();
        McpStdioServer::new(command).args(args).into()
    }

    /// Creates the configuration of a server that is reached over HTTP.
    pub fn http(url: impl Into<String>) -> Self {
        McpHttpServer::new(url).into()
    }
}

macro_rules! from_other {
    ($($name:ident)+) => {$(
        impl From<$name> for McpServerConfig {
            fn from(server: $name) -> Self {
                Self::Other(server.into())
            }
        }
    )+};
}

from_other! { McpHttpServer McpSseServer McpSdkServer McpProxyServer }

impl From<McpStdioServer> for McpServerConfig {
    fn from(server: McpStdioServer) -> Self {
        Self::Stdio(Box::new(server))
    }
}

wire::by_text!(McpServerConfig);

impl wire::Write for McpServerConfig {
    fn write(&self, writer: &mut wire::Writer<'_>) -> Result<(), wire::Failed> {
        match self {
            Self::Stdio(server) => server.write(writer),
            Self::Other(server) => server.write(writer),
        }
    }
}

impl wire::Read for McpServerConfig {
    fn read(parser: &mut wire::Parser<'_>) -> Result<Self, wire::Failed> {
        let start = parser.start();
        let json = Json::of_raw(parser.raw()?);
        parser.seek(start);
        let kind = json
            .get("type")
            .and_then(|kind| kind.parse::<String>().ok());
        match kind.as_deref() {
            None | Some("stdio") => wire::Read::read(parser).map(Self::Stdio),
            Some(_) => wire::Read::read(parser).map(Self::Other),
        }
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for McpServerConfig {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "McpServerConfig".into()
    }
    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        let members = [
            generator.subschema_for::<McpStdioServer>(),
            generator.subschema_for::<McpOtherServer>(),
        ];
        schemars::json_schema!({ "description": "The configuration of an MCP server.", "anyOf": members })
    }
}

//! MCP servers, as they are declared.

use std::fmt;

use crate::{Count, Json, Map, Unknown, wire};

/// An MCP server.
///
/// Told apart by `type`, which a program's may leave out.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum McpServerConfig {
    /// A program that the CLI runs.
    Stdio(Box<McpStdioServer>),
    /// Any other.
    Other(McpOtherServer),
}

/// An MCP server that is no program of the CLI's.
#[wire(no_debug)]
pub enum McpOtherServer {
    /// One that is reached over HTTP.
    Http(Box<McpHttpServer>),
    /// One that is reached over HTTP, in the older way.
    Sse(Box<McpSseServer>),
    /// The host's own.
    Sdk(Box<McpSdkServer>),
    /// A connector of the user's account. Only in answers to `mcp_status`.
    Proxy(Box<McpProxyServer>),
    /// A kind that claw does not know. Refused in options, before anything is started.
    #[wire(unknown)]
    Unknown(Unknown),
}

/// Of a kind that claw does not know no more than the kind is shown: secrets may stand anywhere.
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

/// A program that speaks MCP on its stdin and stdout. The CLI starts and ends it.
#[wire(rename_all = "camelCase")]
pub struct McpStdioServer {
    /// `stdio`, or absent, which says the same.
    #[wire(rename = "type")]
    pub kind: Option<McpStdioKind>,
    /// The program.
    pub command: String,
    /// Its arguments.
    pub args: Option<Vec<String>>,
    /// Variables over the CLI's environment.
    #[wire(secret)]
    pub env: Option<Map<String>>,
    /// How long one call may take, in milliseconds; under 1,000 it is ignored.
    pub timeout: Option<Count>,
    /// Puts its tools into every prompt, instead of leaving them to be searched for.
    pub always_load: Option<bool>,
}

/// The `type` of a program that speaks MCP.
#[wire(open)]
pub enum McpStdioKind {
    /// It speaks on its stdin and stdout.
    Stdio = "stdio",
}

/// A server that is reached by its address.
#[wire(fields)]
struct RemoteServer {
    /// Where it is.
    pub url: String,
    /// HTTP headers of every request.
    #[wire(secret)]
    pub headers: Option<Map<String>>,
    /// What holds for single tools.
    pub tools: Option<Vec<McpToolPolicy>>,
    /// How long one call may take, in milliseconds; under 1,000 it is ignored.
    pub timeout: Option<Count>,
    /// Puts its tools into every prompt, instead of leaving them to be searched for.
    pub always_load: Option<bool>,
}

/// An MCP server that is reached over HTTP (streamable HTTP).
#[wire(tag(type = "http"), rename_all = "camelCase")]
pub struct McpHttpServer {
    fields: RemoteServer!(),
}

/// An MCP server that is reached over HTTP with server-sent events, the older way.
#[wire(tag(type = "sse"), rename_all = "camelCase")]
pub struct McpSseServer {
    fields: RemoteServer!(),
}

/// An MCP server of the host's own: its messages come as `mcp_message` requests.
#[wire(tag(type = "sdk"))]
pub struct McpSdkServer {
    /// Its name.
    pub name: String,
    /// How long one call may take, in milliseconds; under 1,000 it is ignored.
    pub timeout: Option<Count>,
    /// What holds for single tools.
    pub tools: Option<Vec<McpToolPolicy>>,
}

/// A connector of the user's account at claude.ai.
#[wire(tag(type = "claudeai-proxy"))]
pub struct McpProxyServer {
    /// Where it is.
    pub url: String,
    /// Its id there.
    pub id: String,
    /// How long one call may take, in milliseconds.
    pub timeout: Option<Count>,
}

/// What holds for one tool of an MCP server.
#[wire]
pub struct McpToolPolicy {
    /// The tool, by its name on the server.
    pub name: String,
    /// Whether it is asked for.
    pub permission_policy: Option<McpPermissionPolicy>,
    /// The most that the organisation allows.
    pub org_max_permission: Option<McpOrgPermission>,
}

/// Whether a tool of an MCP server is asked for.
#[wire(open)]
pub enum McpPermissionPolicy {
    /// It is not.
    AlwaysAllow = "always_allow",
    /// It is, each time, whatever the rules say.
    AlwaysAsk = "always_ask",
    /// It is refused.
    AlwaysDeny = "always_deny",
}

/// The most that an organisation allows a tool.
#[wire(open)]
pub enum McpOrgPermission {
    /// To be used.
    Allow = "allow",
    /// To be asked for.
    Ask = "ask",
    /// Nothing.
    Blocked = "blocked",
}

impl McpServerConfig {
    /// A program that speaks MCP, with its arguments.
    pub fn stdio(
        command: impl Into<String>,
        args: impl IntoIterator<Item = impl Into<String>>,
    ) -> Self {
        let args: Vec<String> = args.into_iter().map(Into::into).collect();
        McpStdioServer::new(command).args(args).into()
    }

    /// A server that is reached over HTTP.
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
    fn write(&self, writer: &mut wire::Writer<'_>) -> Result<(), wire::GaveUp> {
        match self {
            Self::Stdio(server) => server.write(writer),
            Self::Other(server) => server.write(writer),
        }
    }
}

impl wire::Read for McpServerConfig {
    fn read(parser: &mut wire::Parser<'_>) -> Result<Self, wire::GaveUp> {
        let start = parser.start();
        let json = Json::of_raw(parser.raw()?);
        parser.go(start);
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
        schemars::json_schema!({ "description": "An MCP server.", "anyOf": members })
    }
}

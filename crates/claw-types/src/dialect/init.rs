//! `system` / `init` with tools as objects, servers without status, or without much of today's.

use super::upgrade::{Draft, Old};
use super::{Fill, Today, UpgradeError};
use crate::by_shape::by_shape;
use crate::message::{ApiKeySource, McpServerInfo};
use crate::options::PermissionMode;
use crate::{Json, MessageUuid, SessionId};

/// A turn begins: what it is run with, as far as the line says.
#[wire(tag(type = "system", subtype = "init"))]
pub struct OldSystemInit {
    /// The session.
    pub session_id: SessionId,
    /// Tools that the model may use.
    pub tools: Vec<OldTool>,
    /// MCP servers.
    pub mcp_servers: Vec<OldMcpServer>,
    /// The working directory.
    pub cwd: Option<String>,
    /// The model.
    pub model: Option<String>,
    /// What is asked for and what is not.
    #[wire(rename = "permissionMode")]
    pub permission_mode: Option<PermissionMode>,
    /// The same under an SDK's own name, with an SDK's own values such as `bypass_permissions`.
    #[wire(rename = "permission_mode")]
    pub permission_mode_snake: Option<PermissionMode>,
    /// Where the API key comes from.
    #[wire(rename = "apiKeySource")]
    pub api_key_source: Option<ApiKeySource>,
    /// The same under an SDK's own name.
    #[wire(rename = "api_key_source")]
    pub api_key_source_snake: Option<ApiKeySource>,
    /// Names this line.
    pub uuid: Option<MessageUuid>,
}

impl Old for OldSystemInit {
    fn upgrade(&self, fill: &Fill) -> Result<Today, UpgradeError> {
        let mut line = Draft::of(self);
        let tools: Vec<_> = self.tools.iter().map(OldTool::name).collect();
        line.set("tools", &tools);
        let servers: Vec<_> = self.mcp_servers.iter().map(OldMcpServer::draft).collect();
        line.set("mcp_servers", &servers);
        line.need("cwd", "cwd", fill.cwd.as_ref())?;
        line.need("model", "model", fill.model.as_ref())?;
        let field = "claude_code_version";
        line.need(field, field, fill.claude_code_version.as_ref())?;
        if let Some(mode) = &self.permission_mode_snake {
            line.set("permission_mode", &todays_mode(mode));
        }
        line.rename("permission_mode", "permissionMode");
        let mode = fill.permission_mode.as_ref();
        line.fill("permissionMode", mode.unwrap_or(&PermissionMode::Default));
        line.rename("api_key_source", "apiKeySource");
        let source = fill.api_key_source.as_ref();
        line.fill("apiKeySource", source.unwrap_or(&ApiKeySource::None));
        line.fill("output_style", "default");
        for list in ["slash_commands", "skills", "plugins"] {
            line.fill(list, &[(); 0]);
        }
        line.identify(fill);
        line.stdout()
    }
}

/// The values of an SDK's own are today's with underscores.
fn todays_mode(mode: &PermissionMode) -> PermissionMode {
    let mut words = mode.as_str().split('_');
    let mut camel = words.next().unwrap_or_default().to_owned();
    for word in words {
        let (first, rest) = word.split_at(word.chars().next().map_or(0, char::len_utf8));
        camel.push_str(&first.to_uppercase());
        camel.push_str(rest);
    }
    camel.into()
}

by_shape! {
    /// A tool: its name, or all about it.
    OldTool, "a tool's name or an object about it" {
        /// Its name.
        text Name(String),
        /// All about it.
        object Info(OldToolInfo),
    }
}

impl OldTool {
    /// Its name, which is all that today's line says of it.
    pub fn name(&self) -> &str {
        match self {
            Self::Name(name) => name,
            Self::Info(info) => &info.name,
        }
    }
}

/// All about a tool.
#[wire]
pub struct OldToolInfo {
    /// Its name.
    pub name: String,
    /// What it is for.
    pub description: Option<String>,
    /// The JSON Schema of its input.
    pub input_schema: Option<Json>,
}

/// An MCP server.
#[wire]
pub struct OldMcpServer {
    /// Its name.
    pub name: String,
    /// Whether it is connected. Absent: only those that are were listed.
    pub status: Option<String>,
}

impl OldMcpServer {
    /// Today's form of the same.
    ///
    /// # Errors
    /// Where it holds a field of one of today's names with other contents.
    pub fn upgrade(&self) -> Result<McpServerInfo, UpgradeError> {
        self.draft().part()
    }

    fn draft(&self) -> Draft {
        let mut draft = Draft::of(self);
        draft.fill("status", "connected");
        draft
    }
}

//! `system` / `init` messages with few fields, with tools as objects, or with MCP servers without a status.

use super::upgrade::{Draft, Old};
use super::{Fill, Today, UpgradeError};
use crate::by_shape::by_shape;
use crate::message::{ApiKeySource, McpServerInfo};
use crate::options::PermissionMode;
use crate::{Json, MessageUuid, SessionId};

/// An old form of the `init` message, which begins a turn and describes the configuration of the session.
#[wire(tag(type = "system", subtype = "init"))]
pub struct OldSystemInit {
    /// The ID of the session.
    pub session_id: SessionId,
    /// The tools that the model may use.
    pub tools: Vec<OldTool>,
    /// The MCP servers.
    pub mcp_servers: Vec<OldMcpServer>,
    /// The working directory.
    pub cwd: Option<String>,
    /// The model that answers.
    pub model: Option<String>,
    /// The permission mode.
    #[wire(rename = "permissionMode")]
    pub permission_mode: Option<PermissionMode>,
    /// The permission mode, in the field `permission_mode` that some SDKs use. The values have underscores, such as
    /// `bypass_permissions`.
    #[wire(rename = "permission_mode")]
    pub permission_mode_snake: Option<PermissionMode>,
    /// The source of the API key.
    #[wire(rename = "apiKeySource")]
    pub api_key_source: Option<ApiKeySource>,
    /// The source of the API key, in the field `api_key_source` that some SDKs use.
    #[wire(rename = "api_key_source")]
    pub api_key_source_snake: Option<ApiKeySource>,
    /// The UUID of the message.
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

/// Converts a value of another SDK, which has underscores, to the current value.
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
    /// A tool in an old `init` message: the tool's name, or an object that describes the tool.
    OldTool, "a tool's name or an object about it" {
        /// The name of the tool.
        text Name(String),
        /// An object that describes the tool.
        object Info(OldToolInfo),
    }
}

impl OldTool {
    /// Returns the name of the tool. The current form of the message contains only this name.
    pub fn name(&self) -> &str {
        match self {
            Self::Name(name) => name,
            Self::Info(info) => &info.name,
        }
    }
}

/// A tool in an old `init` message, as an object.
#[wire]
pub struct OldToolInfo {
    /// The name of the tool.
    pub name: String,
    /// A description of the tool.
    pub description: Option<String>,
    /// The JSON Schema of the tool's input.
    pub input_schema: Option<Json>,
}

/// An MCP server in an old `init` message.
#[wire]
pub struct OldMcpServer {
    /// The name of the MCP server.
    pub name: String,
    /// The connection status, such as `connected`. Absent means connected, because older CLIs listed only connected
    /// servers.
    pub status: Option<String>,
}

impl OldMcpServer {
    /// Returns the equivalent server in the current form.
    ///
    /// # Errors
    /// Fails if the value of a field does not have the type that the field has in the current form.
    pub fn upgrade(&self) -> Result<McpServerInfo, UpgradeError> {
        self.draft().part()
    }

    fn draft(&self) -> Draft {
        let mut draft = Draft::of(self);
        draft.fill("status", "connected");
        draft
    }
}

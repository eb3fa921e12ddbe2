//! The options for tools, skills and plugins, and the configuration of single tools.

use crate::Unknown;
use crate::by_shape::by_shape;

by_shape! {
    /// The available built-in tools: a list of names, or a preset.
    Tools, "a list of texts, or a preset" {
        /// The names of the tools. `[]` means none.
        list List(Vec<String>),
        /// A preset of tools.
        object Preset(ToolsPreset),
    }
}

impl Tools {
    /// Creates the preset that selects the default tools of Claude Code.
    pub fn claude_code() -> Self {
        Self::Preset(ToolsPreset::new("claude_code"))
    }
}

/// A preset of tools.
#[wire(tag(type = "preset"))]
pub struct ToolsPreset {
    /// The name of the preset. `claude_code` is the only one.
    pub preset: String,
}

by_shape! {
    /// The skills of the main conversation: `all`, or a list of names.
    Skills, "`all`, or a list of names" {
        /// A named set of skills.
        text Set(SkillSet),
        /// The names of the skills. `[]` means none.
        list List(Vec<String>),
    }
}

impl Skills {
    /// Creates the value that selects all skills that the CLI finds.
    pub fn all() -> Self {
        Self::Set(SkillSet::All)
    }
}

/// A named set of skills.
#[wire(open)]
pub enum SkillSet {
    /// All skills that the CLI finds.
    All = "all",
}

/// A plugin to load.
#[wire]
pub enum Plugin {
    /// A plugin in a local folder.
    Local(Box<LocalPlugin>),
    /// A kind of plugin that this version of claw does not know. If the options contain such a plugin, claw rejects
    /// them and starts no process.
    #[wire(unknown)]
    Unknown(Unknown),
}

impl Plugin {
    /// Creates a plugin from the local folder at this path.
    pub fn local(path: impl Into<String>) -> Self {
        LocalPlugin::new(path).into()
    }
}

/// A plugin in a local folder.
#[wire(tag(type = "local"), rename_all = "camelCase")]
pub struct LocalPlugin {
    /// The path of the folder: absolute, or relative to the working directory.
    pub path: String,
    /// Whether the CLI ignores the plugin's MCP servers.
    pub skip_mcp_discovery: Option<bool>,
}

/// The configuration of individual tools.
#[wire(rename_all = "camelCase")]
pub struct ToolConfig {
    /// The configuration of `AskUserQuestion`.
    pub ask_user_question: Option<AskUserQuestionConfig>,
}

/// The configuration of `AskUserQuestion`.
#[wire(rename_all = "camelCase")]
pub struct AskUserQuestionConfig {
    /// The format of the previews that the options of a question can have.
    pub preview_format: Option<PreviewFormat>,
}

/// The format of a preview.
#[wire(open)]
pub enum PreviewFormat {
    /// A preview in Markdown.
    Markdown = "markdown",
    /// A preview in HTML.
    Html = "html",
}

macro_rules! list_of_texts {
    ($($list:ident),+) => {$(
        impl<const N: usize> From<[&str; N]> for $list {
            fn from(names: [&str; N]) -> Self {
                Self::List(names.map(str::to_owned).into())
            }
        }
    )+};
}

list_of_texts!(Tools, Skills);

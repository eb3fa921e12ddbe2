//! Tools, skills, plugins, and what single tools are told.

use crate::Unknown;
use crate::by_shape::by_shape;

by_shape! {
    /// The built-in tools that there are: a list, or a known set.
    Tools, "a list of texts, or a preset" {
        /// These; `[]` for none.
        list List(Vec<String>),
        /// A known set.
        object Preset(ToolsPreset),
    }
}

impl Tools {
    /// All that Claude Code has by default.
    pub fn claude_code() -> Self {
        Self::Preset(ToolsPreset::new("claude_code"))
    }
}

/// A known set of tools.
#[wire(tag(type = "preset"))]
pub struct ToolsPreset {
    /// Which: `claude_code` is the only one.
    pub preset: String,
}

by_shape! {
    /// The skills of the main conversation: `all`, or a list of names.
    Skills, "`all`, or a list of names" {
        /// A known set.
        text Set(SkillSet),
        /// These; `[]` for none.
        list List(Vec<String>),
    }
}

impl Skills {
    /// Every skill that is found.
    pub fn all() -> Self {
        Self::Set(SkillSet::All)
    }
}

/// A known set of skills.
#[wire(open)]
pub enum SkillSet {
    /// Every skill that is found.
    All = "all",
}

/// A plugin to load.
#[wire]
pub enum Plugin {
    /// One in a folder.
    Local(Box<LocalPlugin>),
    /// A kind that claw does not know. Refused before anything is started.
    #[wire(unknown)]
    Unknown(Unknown),
}

impl Plugin {
    /// The plugin in a folder.
    pub fn local(path: impl Into<String>) -> Self {
        LocalPlugin::new(path).into()
    }
}

/// A plugin in a folder.
#[wire(tag(type = "local"), rename_all = "camelCase")]
pub struct LocalPlugin {
    /// The folder: absolute, or from the working directory.
    pub path: String,
    /// Leaves its MCP servers out.
    pub skip_mcp_discovery: Option<bool>,
}

/// What single tools are told.
#[wire(rename_all = "camelCase")]
pub struct ToolConfig {
    /// For `AskUserQuestion`.
    pub ask_user_question: Option<AskUserQuestionConfig>,
}

/// What `AskUserQuestion` is told.
#[wire(rename_all = "camelCase")]
pub struct AskUserQuestionConfig {
    /// In what the previews of its options are written.
    pub preview_format: Option<PreviewFormat>,
}

/// In what a preview is written.
#[wire(open)]
pub enum PreviewFormat {
    /// Markdown.
    Markdown = "markdown",
    /// HTML.
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

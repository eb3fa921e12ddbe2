//! The system prompt.

use crate::Unknown;
use crate::by_shape::by_shape;

by_shape! {
    /// The system prompt: a text, its parts, or an object that says more.
    SystemPrompt, "text, a list of texts, or an object" {
        /// A text of one's own.
        text Text(String),
        /// The same, in parts that the API may cache apart.
        list Parts(Vec<String>),
        /// One's own or a known one, with what else is wanted of it.
        object Object(SystemPromptObject),
    }
}

/// A system prompt as an object.
#[wire]
pub enum SystemPromptObject {
    /// One's own.
    Custom(Box<SystemPromptCustom>),
    /// A known one.
    Preset(Box<SystemPromptPreset>),
    /// A form that claw does not know. Refused before anything is started.
    #[wire(unknown)]
    Unknown(Unknown),
}

by_shape! {
    /// The text of a system prompt: whole, or in parts that the API may cache apart.
    PromptText, "text, or a list of texts" {
        /// In one piece.
        text Text(String),
        /// In parts.
        list Parts(Vec<String>),
    }
}

/// A system prompt of one's own.
#[wire(tag(type = "custom"))]
pub struct SystemPromptCustom {
    /// What it says.
    pub prompt: PromptText,
    /// `false`: made anew for every request. Absent or `true`: what the first request said is sent
    /// from then on, also where a later launch says something else, until the conversation is
    /// compacted.
    pub snapshot: Option<bool>,
}

/// A known system prompt.
#[wire(tag(type = "preset"), rename_all = "camelCase")]
pub struct SystemPromptPreset {
    /// Which: `claude_code` is the only one.
    pub preset: String,
    /// What is put behind it.
    pub append: Option<String>,
    /// Leaves out what changes from user to user (the directory, where memory is kept), and says it
    /// in the first message, so that users share a cached prompt.
    pub exclude_dynamic_sections: Option<bool>,
    /// As in [`SystemPromptCustom`].
    pub snapshot: Option<bool>,
}

impl SystemPrompt {
    /// Claude Code's own.
    pub fn claude_code() -> Self {
        SystemPromptPreset::new("claude_code").into()
    }
}

impl From<&str> for SystemPrompt {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<SystemPromptPreset> for SystemPrompt {
    fn from(preset: SystemPromptPreset) -> Self {
        Self::Object(preset.into())
    }
}

impl From<SystemPromptCustom> for SystemPrompt {
    fn from(custom: SystemPromptCustom) -> Self {
        Self::Object(custom.into())
    }
}

impl From<&str> for PromptText {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

//! The system prompt.

use crate::Unknown;
use crate::by_shape::by_shape;

by_shape! {
    /// The system prompt: a text, a list of parts, or an object with further settings.
    SystemPrompt, "text, a list of texts, or an object" {
        /// A custom system prompt.
        text Text(String),
        /// A custom system prompt as a list of parts, which the API may cache separately.
        list Parts(Vec<String>),
        /// A custom or preset system prompt with further settings.
        object Object(SystemPromptObject),
    }
}

/// A system prompt as an object.
#[wire]
pub enum SystemPromptObject {
    /// A custom system prompt.
    Custom(Box<SystemPromptCustom>),
    /// A preset system prompt.
    Preset(Box<SystemPromptPreset>),
    /// A form of system prompt that this version of claw does not know. If the options contain such a form, claw
    /// rejects them and starts no process.
    #[wire(unknown)]
    Unknown(Unknown),
}

by_shape! {
    /// The text of a system prompt: one text, or a list of parts that the API may cache separately.
    PromptText, "text, or a list of texts" {
        /// The system prompt as one text.
        text Text(String),
        /// The parts of the system prompt's text.
        list Parts(Vec<String>),
    }
}

/// A custom system prompt.
#[wire(tag(type = "custom"))]
pub struct SystemPromptCustom {
    /// The text of the system prompt.
    pub prompt: PromptText,
    /// Whether the CLI reuses the system prompt of the session's first request to the API. If absent or `true`, the CLI
    /// sends that prompt until the conversation is compacted, even if the session is later resumed with another system
    /// prompt. If `false`, the CLI creates the prompt anew for every request.
    pub snapshot: Option<bool>,
}

/// A preset system prompt.
#[wire(tag(type = "preset"), rename_all = "camelCase")]
pub struct SystemPromptPreset {
    /// The name of the preset. `claude_code` is the only one.
    pub preset: String,
    /// A text that is appended to the preset. If absent, nothing is appended.
    pub append: Option<String>,
    /// Whether the sections that differ between users are moved to the first message, so that all users can share a
    /// cached system prompt. Examples are the working directory and the memory folder. Absent means `false`.
    pub exclude_dynamic_sections: Option<bool>,
    /// Whether the CLI reuses the system prompt of the session's first request to the API. The values have the same
    /// meaning as those of the field `snapshot` of [`SystemPromptCustom`].
    pub snapshot: Option<bool>,
}

impl SystemPrompt {
    /// Creates the preset that selects Claude Code's own system prompt.
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

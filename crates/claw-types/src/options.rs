//! What a query is run with: plain data. Callbacks are set on a session.

use std::path::PathBuf;

use claw_types_derive::Wire;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::open_enum::open_enum;
use crate::{Count, Extra, Map, Number, SessionId};

open_enum! {
    /// What is asked for, and what is not.
    PermissionMode {
        /// What is dangerous is asked for.
        Default = "default",
        /// Edits of files are not asked for.
        AcceptEdits = "acceptEdits",
        /// Nothing is asked for. Needs `allow_dangerously_skip_permissions`; refused to root.
        BypassPermissions = "bypassPermissions",
        /// Nothing is done: the model plans.
        Plan = "plan",
        /// What would be asked for is refused.
        DontAsk = "dontAsk",
        /// A classifier decides.
        Auto = "auto",
        /// Older CLIs: a team lead that hands work on.
        Delegate = "delegate",
    }
}

open_enum! {
    /// A settings file that the CLI reads.
    SettingSource {
        /// The user's.
        User = "user",
        /// The project's.
        Project = "project",
        /// The project's, of this machine alone.
        Local = "local",
    }
}

/// What a query is run with. Everything is optional; what is not set is left to `claude`, but for
/// the system prompt, which is then empty.
///
/// The field names on the wire are those of the official TypeScript SDK.
///
/// ```
/// use claw_types::options::{PermissionMode, QueryOptions, SystemPrompt};
///
/// let options = QueryOptions::default()
///     .model("claude-opus-5-5")
///     .permission_mode(PermissionMode::AcceptEdits)
///     .max_turns(3)
///     .system_prompt(SystemPrompt::claude_code());
/// assert_eq!(options.max_turns.unwrap(), 3);
/// ```
#[derive(Wire, Clone, PartialEq)]
#[wire(rename_all = "camelCase")]
#[non_exhaustive]
pub struct QueryOptions {
    /// The model, by name or alias.
    pub model: Option<String>,
    /// The model that answers where the first is overloaded. Must be another one.
    pub fallback_model: Option<String>,
    /// The working directory; absent for the host's.
    pub cwd: Option<PathBuf>,
    /// The system prompt; absent for an empty one.
    pub system_prompt: Option<SystemPrompt>,
    /// What is asked for and what is not.
    pub permission_mode: Option<PermissionMode>,
    /// Allows the mode `bypassPermissions`.
    pub allow_dangerously_skip_permissions: Option<bool>,
    /// Tools that there are; `[]` for none, absent for all.
    pub tools: Option<Vec<String>>,
    /// Tools, or uses of them such as `Bash(git log:*)`, that are not asked for.
    pub allowed_tools: Option<Vec<String>>,
    /// Tools, or uses of them, that are refused.
    pub disallowed_tools: Option<Vec<String>>,
    /// How many answers of the model a turn may take.
    pub max_turns: Option<Count>,
    /// What the session may cost, in US dollars. Looked at after each turn.
    pub max_budget_usd: Option<Number>,
    /// Sends `stream_event` lines while an answer grows.
    pub include_partial_messages: Option<bool>,
    /// Settings files to read; `[]` for none, absent for all.
    pub setting_sources: Option<Vec<SettingSource>>,
    /// Directories that tools may also use.
    pub additional_directories: Option<Vec<PathBuf>>,
    /// Goes on with a session.
    pub resume: Option<SessionId>,
    /// Goes on with the newest session of the working directory.
    #[wire(rename = "continue")]
    pub continue_session: Option<bool>,
    /// With `resume`: goes on in a new session, and leaves the old one as it is.
    pub fork_session: Option<bool>,
    /// Names the new session. A UUID that is not in use.
    pub session_id: Option<SessionId>,
    /// Variables over the host's environment; null takes one away.
    #[wire(secret)]
    pub env: Option<Map<Option<String>>>,
    /// The `claude` to run; absent to look for it.
    pub path_to_claude_code_executable: Option<PathBuf>,
    /// Flags that claw does not know, without their dashes; null for one without a value.
    #[wire(secret)]
    pub extra_args: Option<Map<Option<String>>>,
    /// Fields that claw does not know.
    #[wire(extra)]
    pub extra: Extra,
}

/// The system prompt.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum SystemPrompt {
    /// A text of one's own.
    Text(String),
    /// The same, in parts that the API may cache apart.
    Parts(Vec<String>),
    /// A known one.
    Preset(SystemPromptPreset),
}

/// A known system prompt.
#[derive(Wire, Debug, Clone, PartialEq)]
#[wire(tag(type = "preset"), rename_all = "camelCase")]
#[non_exhaustive]
pub struct SystemPromptPreset {
    /// Which: `claude_code`.
    pub preset: String,
    /// What is put behind it.
    pub append: Option<String>,
    /// Leaves out what changes from run to run.
    pub exclude_dynamic_sections: Option<bool>,
    /// Fields that claw does not know.
    #[wire(extra)]
    pub extra: Extra,
}

impl SystemPrompt {
    /// Claude Code's own.
    pub fn claude_code() -> Self {
        Self::Preset(SystemPromptPreset::new("claude_code"))
    }
}

impl From<&str> for SystemPrompt {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<String> for SystemPrompt {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<SystemPromptPreset> for SystemPrompt {
    fn from(preset: SystemPromptPreset) -> Self {
        Self::Preset(preset)
    }
}

impl Serialize for SystemPrompt {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Text(text) => serializer.serialize_str(text),
            Self::Parts(parts) => parts.serialize(serializer),
            Self::Preset(preset) => preset.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for SystemPrompt {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct SystemPromptVisitor;
        impl<'de> serde::de::Visitor<'de> for SystemPromptVisitor {
            type Value = SystemPrompt;
            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("text, a list of texts, or a preset")
            }
            fn visit_str<E>(self, text: &str) -> Result<SystemPrompt, E> {
                Ok(text.into())
            }
            fn visit_seq<A: serde::de::SeqAccess<'de>>(
                self,
                seq: A,
            ) -> Result<SystemPrompt, A::Error> {
                let parts = serde::de::value::SeqAccessDeserializer::new(seq);
                Deserialize::deserialize(parts).map(SystemPrompt::Parts)
            }
            fn visit_map<A: serde::de::MapAccess<'de>>(
                self,
                map: A,
            ) -> Result<SystemPrompt, A::Error> {
                crate::wire::Object::from_map(map, false).map(SystemPrompt::Preset)
            }
        }
        deserializer.deserialize_any(SystemPromptVisitor)
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for SystemPrompt {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "SystemPrompt".into()
    }
    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        let preset = generator.subschema_for::<SystemPromptPreset>();
        schemars::json_schema!({
            "description": "The system prompt: a text, its parts, or a known one.",
            "anyOf": [
                { "type": "string" },
                { "type": "array", "items": { "type": "string" } },
                preset
            ]
        })
    }
}

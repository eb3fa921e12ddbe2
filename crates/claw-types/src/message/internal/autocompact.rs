//! `autocompact_state`: the state of automatic compaction.

use super::Identity;
use crate::Count;

/// The state of automatic compaction: whether it is enabled, and at how many tokens it starts.
///
/// The CLI sends this message when the state of automatic compaction changes. The types of the official SDK do not
/// include this message.
#[wire(tag(type = "autocompact_state"))]
pub struct AutocompactState {
    /// The current state of automatic compaction.
    pub value: Autocompact,
    fields: Identity!(),
}

/// The state of automatic compaction: whether it is enabled, and at how many tokens it starts.
#[wire]
pub struct Autocompact {
    /// Whether automatic compaction is enabled.
    pub enabled: bool,
    /// The number of tokens of the model's context window that the conversation may fill.
    pub effective_window: Count,
    /// The number of tokens at which compaction starts.
    pub threshold: Count,
    /// Whether compaction starts at the threshold. If `false`, compaction starts only when the API rejects a prompt as
    /// too long.
    pub enforced: bool,
    /// The rule or setting that determines `effective_window`.
    pub source: AutocompactSource,
}

/// The rule or setting that determines how many tokens of the context window a conversation may fill.
#[wire(open)]
pub enum AutocompactSource {
    /// An environment variable sets the number.
    Env = "env",
    /// A settings file determines the number.
    Settings = "settings",
    /// Anthropic's server sets the number for this client.
    Clientdata = "clientdata",
    /// An experiment by Anthropic sets the number.
    Experiment = "experiment",
    /// The number is the default for the model.
    ModelDefault = "model-default",
    /// The CLI uses a default number, because it does not know the model.
    UnknownModel = "unknown-model",
    /// The CLI chooses the number.
    Auto = "auto",
}

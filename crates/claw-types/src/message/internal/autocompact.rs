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
    /// Whether compaction starts at the threshold. Otherwise it waits until the API rejects a
    /// prompt as too long.
    pub enforced: bool,
    /// What determines the size of the effective window.
    pub source: AutocompactSource,
}

/// What determines the number of tokens that a conversation may fill.
#[wire(open)]
pub enum AutocompactSource {
    /// An environment variable sets the number.
    Env = "env",
    /// A setting sets the number.
    Settings = "settings",
    /// The server sets the number for this client.
    Clientdata = "clientdata",
    /// An experiment of Anthropic sets the number.
    Experiment = "experiment",
    /// The model determines the number.
    ModelDefault = "model-default",
    /// A default is used because the model is not known.
    UnknownModel = "unknown-model",
    /// The CLI chooses the number.
    Auto = "auto",
}

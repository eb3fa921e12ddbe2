//! `autocompact_state`: whether and when the CLI makes a summary by itself.

use super::Identity;
use crate::Count;

/// Whether and when the CLI makes a summary of the conversation by itself.
///
/// To hosts, when that changes. In no published type.
#[wire(tag(type = "autocompact_state"))]
pub struct AutocompactState {
    /// How it is now.
    pub value: Autocompact,
    fields: Identity!(),
}

/// Whether and when the CLI makes a summary by itself.
#[wire]
pub struct Autocompact {
    /// Whether it may.
    pub enabled: bool,
    /// How many tokens of the model's window the conversation may fill.
    pub effective_window: Count,
    /// At how many tokens it does.
    pub threshold: Count,
    /// Whether it does so at the threshold. Where not, it waits until the API refuses a prompt as too
    /// long.
    pub enforced: bool,
    /// What decides on the window.
    pub source: AutocompactSource,
}

/// What decides how many tokens a conversation may fill.
#[wire(open)]
pub enum AutocompactSource {
    /// A variable of the environment.
    Env = "env",
    /// A setting.
    Settings = "settings",
    /// What the server says of this client.
    Clientdata = "clientdata",
    /// An experiment of Anthropic's.
    Experiment = "experiment",
    /// The model.
    ModelDefault = "model-default",
    /// That the model is not known.
    UnknownModel = "unknown-model",
    /// The CLI.
    Auto = "auto",
}

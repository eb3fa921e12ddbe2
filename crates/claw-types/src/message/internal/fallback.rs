//! `system` / `model_fallback` and `model_consent_fallback`: another model answers.

use super::Identity;
use crate::message::FallbackTrigger;

/// The model is overloaded, and the fallback model answers.
///
/// To hosts, where the options name a fallback model. In no published type.
#[wire(tag(type = "system", subtype = "model_fallback"))]
pub struct ModelFallback {
    /// Why.
    pub trigger: FallbackTrigger,
    /// The model that could not answer.
    pub original_model: String,
    /// The one that does.
    pub fallback_model: String,
    /// A sentence for people.
    pub content: String,
    fields: Identity!(),
}

/// What the person said to a model that costs extra.
#[wire(open)]
pub enum ModelConsentChoice {
    /// To use it. That could not be done.
    Consent = "consent",
    /// Not to use it, from now on.
    SwitchDefault = "switch_default",
    /// Nothing.
    Cancelled = "cancelled",
}

/// The model needs the person's consent and did not get it: another one answers from now on.
///
/// Before the prompt is sent. In no published type.
#[wire(tag(type = "system", subtype = "model_consent_fallback"))]
pub struct ModelConsentFallback {
    /// What the person said.
    pub choice: ModelConsentChoice,
    /// The model that was asked for.
    pub original_model: String,
    /// The model that answers.
    pub fallback_model: String,
    /// Whether that is the default from now on.
    pub persisted_as_default: bool,
    /// A text that says so.
    pub content: String,
    fields: Identity!(),
    /// What to call the model that was asked for.
    pub original_model_name: Option<String>,
}

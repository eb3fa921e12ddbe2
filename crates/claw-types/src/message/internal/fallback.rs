//! `system` / `model_fallback` and `model_consent_fallback`: another model answers.

use super::Identity;
use crate::message::FallbackTrigger;

/// A switch to the fallback model, because the session's model is overloaded.
///
/// The CLI sends this message only if it was started with a fallback model (`--fallback-model`). The types of the
/// official SDK do not include this message.
#[wire(tag(type = "system", subtype = "model_fallback"))]
pub struct ModelFallback {
    /// The reason for the switch to the fallback model.
    pub trigger: FallbackTrigger,
    /// The name of the model that could not answer.
    pub original_model: String,
    /// The name of the fallback model, which answers instead.
    pub fallback_model: String,
    /// A sentence for a person to read, about the switch to the fallback model.
    pub content: String,
    fields: Identity!(),
}

/// The person's decision about a model that costs extra.
#[wire(open)]
pub enum ModelConsentChoice {
    /// The person consented to the model, but it could not be used.
    Consent = "consent",
    /// The person declined the model for this prompt and for all later prompts.
    SwitchDefault = "switch_default",
    /// The person cancelled the question without a decision.
    Cancelled = "cancelled",
}

/// A switch to another model. The requested model needs the person's consent. Either the person did not consent, or the
/// model could not be used in spite of the consent.
///
/// The CLI sends this message before it sends the prompt to the API. The types of the official SDK
/// do not include this message.
#[wire(tag(type = "system", subtype = "model_consent_fallback"))]
pub struct ModelConsentFallback {
    /// The person's decision about the requested model.
    pub choice: ModelConsentChoice,
    /// The name of the model that was requested.
    pub original_model: String,
    /// The name of the fallback model, which answers instead.
    pub fallback_model: String,
    /// Whether the model that answers instead also becomes the default model.
    pub persisted_as_default: bool,
    /// A text for a person to read, about the switch to another model.
    pub content: String,
    fields: Identity!(),
    /// The display name of the model that was requested.
    pub original_model_name: Option<String>,
}

//! `system` / `model_refusal_fallback` and `model_refusal_no_fallback`: another model answers, or none.

use super::Identity;
use crate::{MessageUuid, RequestId, Tri};

/// Why another model answers.
#[wire(open)]
pub enum FallbackTrigger {
    /// The model declined.
    Refusal = "refusal",
    /// The model is overloaded.
    Overloaded = "overloaded",
}

/// What is done with the fallback model.
#[wire(open)]
pub enum FallbackDirection {
    /// The request is tried again with it.
    Retry = "retry",
    /// The session goes back to its own model.
    Revert = "revert",
    /// The session stays with it.
    Sticky = "sticky",
}

/// How far a fallback reaches.
#[wire(open)]
pub enum FallbackScope {
    /// The session.
    Session = "session",
    /// This turn, or this sub-agent.
    Local = "local",
}

/// The model declined, and another one answers.
///
/// To hosts. Sent when the other one is asked. Take away the lines of `retracted_message_uuids`.
#[wire(tag(type = "system", subtype = "model_refusal_fallback"))]
pub struct ModelRefusalFallback {
    /// Why.
    pub trigger: FallbackTrigger,
    /// What is done with the other one.
    pub direction: FallbackDirection,
    /// The model that declined.
    pub original_model: String,
    /// The one that answers.
    pub fallback_model: String,
    /// The API request that was declined; null where it is not known.
    #[wire(nullable)]
    pub request_id: Option<RequestId>,
    /// A sentence for people.
    pub content: String,
    fields: Identity!(),
    /// How far it reaches.
    pub scope: Option<FallbackScope>,
    /// The kind of harm: `cyber`, `bio` ….
    pub api_refusal_category: Tri<String>,
    /// Why, in the API's words.
    pub api_refusal_explanation: Tri<String>,
    /// Lines to take away: what the model had said before it declined.
    pub retracted_message_uuids: Option<Vec<MessageUuid>>,
    /// The prompt that was declined.
    pub refused_user_message_uuid: Tri<MessageUuid>,
    /// `true` where the model declined because of computer security, this time or on the way.
    pub saw_cyber_refusal: Option<bool>,
    /// How far the account is verified for work on computer security.
    pub api_refusal_cyber_verification: Option<CyberVerification>,
}

/// The model declined, and no other one answers.
///
/// To hosts, before the turn's result.
#[wire(tag(type = "system", subtype = "model_refusal_no_fallback"))]
pub struct ModelRefusalNoFallback {
    /// The model that declined.
    pub original_model: String,
    /// The API request that was declined; null where it is not known.
    #[wire(nullable)]
    pub request_id: Option<RequestId>,
    /// A sentence for people; may be empty.
    pub content: String,
    fields: Identity!(),
    /// The kind of harm: `cyber`, `bio` ….
    pub api_refusal_category: Tri<String>,
    /// Why, in the API's words.
    pub api_refusal_explanation: Tri<String>,
    /// The prompt that was declined.
    pub refused_user_message_uuid: Tri<MessageUuid>,
}

/// How far an account is verified for work on computer security.
#[wire]
pub struct CyberVerification {
    /// What is known of it.
    #[wire(rename = "type")]
    pub kind: String,
    /// How far.
    pub tier: Option<String>,
    /// Why no further.
    pub reason: Option<String>,
}

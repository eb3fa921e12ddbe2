//! `system` / `model_refusal_fallback` and `model_refusal_no_fallback`: a refusal of the model,
//! with or without another model that answers.

use super::Identity;
use crate::{MessageUuid, RequestId, Tri};

/// The reason why another model answers.
#[wire(open)]
pub enum FallbackTrigger {
    /// The model refused to answer.
    Refusal = "refusal",
    /// The model is overloaded.
    Overloaded = "overloaded",
}

/// Whether the fallback model retries the request, stays, or is left again.
#[wire(open)]
pub enum FallbackDirection {
    /// The fallback model retries the request.
    Retry = "retry",
    /// The session returns to its own model.
    Revert = "revert",
    /// The session continues with the fallback model.
    Sticky = "sticky",
}

/// The scope of a fallback.
#[wire(open)]
pub enum FallbackScope {
    /// The fallback applies to the whole session.
    Session = "session",
    /// The fallback applies to this turn or this sub-agent only.
    Local = "local",
}

/// A refusal of the model, after which another model answers.
///
/// Sent to hosts when the fallback model is asked. The host removes the messages of
/// `retracted_message_uuids`.
///
/// An absent field does not apply, or the CLI is older than the field.
#[wire(tag(type = "system", subtype = "model_refusal_fallback"))]
pub struct ModelRefusalFallback {
    /// The reason for the fallback.
    pub trigger: FallbackTrigger,
    /// Whether the fallback model retries the request, stays, or is left again.
    pub direction: FallbackDirection,
    /// The model that refused.
    pub original_model: String,
    /// The model that answers instead.
    pub fallback_model: String,
    /// The API's ID of the refused request. Null if it is not known.
    #[wire(nullable)]
    pub request_id: Option<RequestId>,
    /// A sentence about the fallback for a person to read.
    pub content: String,
    fields: Identity!(),
    /// The scope of the fallback.
    pub scope: Option<FallbackScope>,
    /// The category of harm, such as `cyber` or `bio`.
    pub api_refusal_category: Tri<String>,
    /// The reason for the refusal, in the API's words.
    pub api_refusal_explanation: Tri<String>,
    /// The UUIDs of messages that the host removes: what the model wrote before it refused.
    pub retracted_message_uuids: Option<Vec<MessageUuid>>,
    /// The UUID of the prompt that was refused.
    pub refused_user_message_uuid: Tri<MessageUuid>,
    /// Whether a model refused because of computer security at any step of this fallback.
    pub saw_cyber_refusal: Option<bool>,
    /// The account's verification for work on computer security.
    pub api_refusal_cyber_verification: Option<CyberVerification>,
}

/// A refusal of the model that no other model answers.
///
/// Sent to hosts before the result of the turn.
#[wire(tag(type = "system", subtype = "model_refusal_no_fallback"))]
pub struct ModelRefusalNoFallback {
    /// The model that refused.
    pub original_model: String,
    /// The API's ID of the refused request. Null if it is not known.
    #[wire(nullable)]
    pub request_id: Option<RequestId>,
    /// A sentence about the refusal for a person to read. May be empty.
    pub content: String,
    fields: Identity!(),
    /// The category of harm, such as `cyber` or `bio`.
    pub api_refusal_category: Tri<String>,
    /// The reason for the refusal, in the API's words.
    pub api_refusal_explanation: Tri<String>,
    /// The UUID of the prompt that was refused.
    pub refused_user_message_uuid: Tri<MessageUuid>,
}

/// An account's verification for work on computer security.
#[wire]
pub struct CyberVerification {
    /// The state of the verification.
    #[wire(rename = "type")]
    pub kind: String,
    /// The tier of the verification.
    pub tier: Option<String>,
    /// The reason why the account is not verified further.
    pub reason: Option<String>,
}

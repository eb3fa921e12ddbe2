//! `system` / `model_refusal_fallback` and `model_refusal_no_fallback`: the model refused to answer. Either another
//! model answers in its place, or no model does.

use super::Identity;
use crate::{MessageUuid, RequestId, Tri};

/// The reason why the fallback model answers.
#[wire(open)]
pub enum FallbackTrigger {
    /// The model refused to answer.
    Refusal = "refusal",
    /// The model is overloaded.
    Overloaded = "overloaded",
}

/// The step of the fallback: the fallback model retries the request, the session stays with that model, or the session
/// returns to its own model.
#[wire(open)]
pub enum FallbackDirection {
    /// The fallback model retries the request.
    Retry = "retry",
    /// The session returns to its own model.
    Revert = "revert",
    /// The session continues with the fallback model.
    Sticky = "sticky",
}

/// The scope of a fallback to another model: this turn or this sub-agent only, or the whole session.
#[wire(open)]
pub enum FallbackScope {
    /// The fallback applies to the whole session.
    Session = "session",
    /// The fallback applies to this turn or this sub-agent only.
    Local = "local",
}

/// The model's refusal to answer, after which another model answers.
///
/// The CLI sends this message when the model that answers changes because of the refusal. The host must then remove the
/// messages whose UUIDs are in `retracted_message_uuids`.
///
/// A field is absent if it does not apply, or if the CLI is too old to send it.
#[wire(tag(type = "system", subtype = "model_refusal_fallback"))]
pub struct ModelRefusalFallback {
    /// The reason for the fallback.
    pub trigger: FallbackTrigger,
    /// The step of the fallback: the fallback model retries the request, the session stays with that model, or the
    /// session returns to its own model.
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
    /// Whether the fallback applies to the whole session, or only to this turn or this sub-agent.
    pub scope: Option<FallbackScope>,
    /// The category of the harm that was the reason for the refusal, such as `cyber` or `bio`.
    pub api_refusal_category: Tri<String>,
    /// The reason for the refusal, in the API's words.
    pub api_refusal_explanation: Tri<String>,
    /// The UUIDs of the messages that the host must remove. These messages contain the text that the model wrote before
    /// it refused.
    pub retracted_message_uuids: Option<Vec<MessageUuid>>,
    /// The UUID of the prompt that was refused.
    pub refused_user_message_uuid: Tri<MessageUuid>,
    /// Whether a model refused during this fallback because the subject was computer security.
    pub saw_cyber_refusal: Option<bool>,
    /// The verification of the account for work on computer security.
    pub api_refusal_cyber_verification: Option<CyberVerification>,
}

/// The model's refusal to answer a prompt. No other model answers in its place.
///
/// The CLI sends this message before the result of the turn.
#[wire(tag(type = "system", subtype = "model_refusal_no_fallback"))]
pub struct ModelRefusalNoFallback {
    /// The model that refused.
    pub original_model: String,
    /// The API's ID of the refused request. Null if it is not known.
    #[wire(nullable)]
    pub request_id: Option<RequestId>,
    /// A sentence for a person to read, about the refusal. May be empty.
    pub content: String,
    fields: Identity!(),
    /// The category of the harm that was the reason for the refusal, such as `cyber` or `bio`.
    pub api_refusal_category: Tri<String>,
    /// The reason for the refusal, in the API's words.
    pub api_refusal_explanation: Tri<String>,
    /// The UUID of the prompt that was refused.
    pub refused_user_message_uuid: Tri<MessageUuid>,
}

/// The verification of an account for work on computer security.
#[wire]
pub struct CyberVerification {
    /// The status of the verification, as the API reports it. The CLI does not document its values.
    #[wire(rename = "type")]
    pub kind: String,
    /// The tier of the verification, as the API reports it. The CLI does not document its values.
    pub tier: Option<String>,
    /// The reason why the verification is not active.
    pub reason: Option<String>,
}

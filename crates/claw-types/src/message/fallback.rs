//! `system` / `model_refusal_fallback`, `model_refusal_no_fallback` and `model_fallback`: another
//! model answers, or none.

use claw_types_derive::Wire;

use crate::open_enum::open_enum;
use crate::{Extra, MessageUuid, RequestId, SessionId, Tri};

open_enum! {
    /// Why another model answers.
    FallbackTrigger {
        /// The model declined.
        Refusal = "refusal",
        /// The model is overloaded.
        Overloaded = "overloaded",
    }
}

open_enum! {
    /// What is done with the fallback model.
    FallbackDirection {
        /// The request is tried again with it.
        Retry = "retry",
        /// The session goes back to its own model.
        Revert = "revert",
        /// The session stays with it.
        Sticky = "sticky",
    }
}

open_enum! {
    /// How far a fallback reaches.
    FallbackScope {
        /// The session.
        Session = "session",
        /// This turn, or this sub-agent.
        Local = "local",
    }
}

/// The model declined, and another one answers.
///
/// To hosts. Sent when the other one is asked. Take away the lines of `retracted_message_uuids`.
#[derive(Wire, Debug, Clone, PartialEq)]
#[wire(tag(type = "system", subtype = "model_refusal_fallback"))]
#[non_exhaustive]
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
    /// Names this line.
    pub uuid: MessageUuid,
    /// The session.
    pub session_id: SessionId,
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
    /// Fields that claw does not know.
    #[wire(extra)]
    pub extra: Extra,
}

/// The model declined, and no other one answers.
///
/// To hosts, before the turn's result.
#[derive(Wire, Debug, Clone, PartialEq)]
#[wire(tag(type = "system", subtype = "model_refusal_no_fallback"))]
#[non_exhaustive]
pub struct ModelRefusalNoFallback {
    /// The model that declined.
    pub original_model: String,
    /// The API request that was declined; null where it is not known.
    #[wire(nullable)]
    pub request_id: Option<RequestId>,
    /// A sentence for people; may be empty.
    pub content: String,
    /// Names this line.
    pub uuid: MessageUuid,
    /// The session.
    pub session_id: SessionId,
    /// The kind of harm: `cyber`, `bio` ….
    pub api_refusal_category: Tri<String>,
    /// Why, in the API's words.
    pub api_refusal_explanation: Tri<String>,
    /// The prompt that was declined.
    pub refused_user_message_uuid: Tri<MessageUuid>,
    /// Fields that claw does not know.
    #[wire(extra)]
    pub extra: Extra,
}

/// The model is overloaded, and the fallback model answers.
///
/// To hosts, where the options name a fallback model. In no published type.
#[derive(Wire, Debug, Clone, PartialEq)]
#[wire(tag(type = "system", subtype = "model_fallback"))]
#[non_exhaustive]
pub struct ModelFallback {
    /// Why.
    pub trigger: FallbackTrigger,
    /// The model that could not answer.
    pub original_model: String,
    /// The one that does.
    pub fallback_model: String,
    /// A sentence for people.
    pub content: String,
    /// Names this line.
    pub uuid: MessageUuid,
    /// The session.
    pub session_id: SessionId,
    /// Fields that claw does not know.
    #[wire(extra)]
    pub extra: Extra,
}

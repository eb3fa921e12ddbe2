//! Requests that ask the model something beside the conversation. In no published type.

use super::Request;
use crate::Extra;
use claw_types_derive::Wire;

/// To `claude`: ask the model this, with the conversation before it, but outside of it.
/// `control_request_progress` says how it goes. In no published type.
#[derive(Wire, Debug, Clone, PartialEq)]
#[wire(tag(subtype = "side_question"))]
#[non_exhaustive]
pub struct SideQuestion {
    /// The question.
    pub question: String,
    /// Such questions that went before, with their answers.
    pub history: Option<Vec<SideAnswer>>,
    /// Fields that claw does not know.
    #[wire(extra)]
    pub extra: Extra,
}

impl Request for SideQuestion {
    type Response = SideQuestionResponse;
}

/// An earlier question beside the conversation, and its answer.
#[derive(Wire, Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct SideAnswer {
    /// The question.
    pub question: String,
    /// The answer.
    pub response: String,
    /// Fields that claw does not know.
    #[wire(extra)]
    pub extra: Extra,
}

/// The answer to `side_question`.
#[derive(Wire, Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct SideQuestionResponse {
    /// What the model says; null where it was broken off.
    #[wire(nullable)]
    pub response: Option<String>,
    /// Whether the CLI says it, and not the model.
    pub synthetic: Option<bool>,
    /// Fields that claw does not know.
    #[wire(extra)]
    pub extra: Extra,
}

/// To `claude`: let the model find a title. In no published type.
#[derive(Wire, Debug, Clone, PartialEq)]
#[wire(tag(subtype = "generate_session_title"))]
#[non_exhaustive]
pub struct GenerateSessionTitle {
    /// What the session is about.
    pub description: String,
    /// Keeps it as the session's title.
    pub persist: Option<bool>,
    /// Fields that claw does not know.
    #[wire(extra)]
    pub extra: Extra,
}

impl Request for GenerateSessionTitle {
    type Response = GenerateSessionTitleResponse;
}

/// The answer to `generate_session_title`.
#[derive(Wire, Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct GenerateSessionTitleResponse {
    /// The title; null where there is none.
    #[wire(nullable)]
    pub title: Option<String>,
    /// Fields that claw does not know.
    #[wire(extra)]
    pub extra: Extra,
}

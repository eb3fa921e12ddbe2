//! Requests that ask the model something beside the conversation. In no published type.

/// To `claude`: ask the model this, with the conversation before it, but outside of it.
/// `control_request_progress` says how it goes. In no published type.
#[wire(tag(subtype = "side_question"), response = SideQuestionResponse)]
pub struct SideQuestion {
    /// The question.
    pub question: String,
    /// Such questions that went before, with their answers.
    pub history: Option<Vec<SideAnswer>>,
}

/// An earlier question beside the conversation, and its answer.
#[wire]
pub struct SideAnswer {
    /// The question.
    pub question: String,
    /// The answer.
    pub response: String,
}

/// The answer to `side_question`.
#[wire]
pub struct SideQuestionResponse {
    /// What the model says; null where it was broken off.
    #[wire(nullable)]
    pub response: Option<String>,
    /// Whether the CLI says it, and not the model.
    pub synthetic: Option<bool>,
}

/// To `claude`: let the model find a title. In no published type.
#[wire(tag(subtype = "generate_session_title"), response = GenerateSessionTitleResponse)]
pub struct GenerateSessionTitle {
    /// What the session is about.
    pub description: String,
    /// Keeps it as the session's title.
    pub persist: Option<bool>,
}

/// The answer to `generate_session_title`.
#[wire]
pub struct GenerateSessionTitleResponse {
    /// The title; null where there is none.
    #[wire(nullable)]
    pub title: Option<String>,
}

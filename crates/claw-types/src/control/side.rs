//! Requests that ask the model beside the conversation. Not part of the published types.

/// To `claude`: ask the model a question in the context of the conversation, without becoming part
/// of it. `control_request_progress` reports the progress. Not part of the published types.
#[wire(tag(subtype = "side_question"), response = SideQuestionResponse)]
pub struct SideQuestion {
    /// The question for the model.
    pub question: String,
    /// Earlier questions of this kind, with their answers.
    pub history: Option<Vec<SideAnswer>>,
}

/// An earlier question beside the conversation, and its answer.
#[wire]
pub struct SideAnswer {
    /// The question for the model.
    pub question: String,
    /// The answer of the model.
    pub response: String,
}

/// The response to `side_question`.
#[wire]
pub struct SideQuestionResponse {
    /// The answer of the model. Null if it was cancelled.
    #[wire(nullable)]
    pub response: Option<String>,
    /// Whether the CLI wrote the answer, not the model.
    pub synthetic: Option<bool>,
}

/// To `claude`: let the model generate a title. Not part of the published types.
#[wire(tag(subtype = "generate_session_title"), response = GenerateSessionTitleResponse)]
pub struct GenerateSessionTitle {
    /// A description of the session's subject.
    pub description: String,
    /// Whether the title becomes the title of the session.
    pub persist: Option<bool>,
}

/// The response to `generate_session_title`.
#[wire]
pub struct GenerateSessionTitleResponse {
    /// The title. Null if none was generated.
    #[wire(nullable)]
    pub title: Option<String>,
}

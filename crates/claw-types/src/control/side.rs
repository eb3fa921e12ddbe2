//! Requests that ask the model a question outside of the conversation. Not part of the official SDK's published types.

/// To `claude`: ask the model a question about the conversation. The question and the answer do not
/// become part of the conversation. The CLI reports the progress in `control_request_progress`
/// messages. Not part of the official SDK's published types.
#[wire(tag(subtype = "side_question"), response = SideQuestionResponse)]
pub struct SideQuestion {
    /// The question for the model.
    pub question: String,
    /// Earlier side questions, with their answers.
    pub history: Option<Vec<SideAnswer>>,
}

/// An earlier side question with its answer.
#[wire]
pub struct SideAnswer {
    /// The question for the model.
    pub question: String,
    /// The model's answer.
    pub response: String,
}

/// The response to `side_question`.
#[wire]
pub struct SideQuestionResponse {
    /// The model's answer. Null if the question was cancelled.
    #[wire(nullable)]
    pub response: Option<String>,
    /// Whether the CLI itself wrote the answer in place of the model.
    pub synthetic: Option<bool>,
}

/// To `claude`: let the model generate a title for a session. Not part of the official SDK's published types.
#[wire(tag(subtype = "generate_session_title"), response = GenerateSessionTitleResponse)]
pub struct GenerateSessionTitle {
    /// A description of the session's subject.
    pub description: String,
    /// Whether the generated title becomes the title of this session.
    pub persist: Option<bool>,
}

/// The response to `generate_session_title`.
#[wire]
pub struct GenerateSessionTitleResponse {
    /// The title. Null if no title was generated.
    #[wire(nullable)]
    pub title: Option<String>,
}

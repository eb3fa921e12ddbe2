//! `AskUserQuestion`: asks the user to choose between options.

use crate::control::{PermissionAllow, PermissionResult};
use crate::{Count, Json, Map, Number};

/// The input of the `AskUserQuestion` tool: one to four questions.
///
/// The host receives this input in a [`CanUseTool`](crate::control::CanUseTool) request, and asks a person the
/// questions. Then the host allows the tool use, with an input that also contains the answers. In Rust,
/// [`PermissionResult::answers`] creates this response.
///
/// [`PermissionResult::answers`]: crate::control::PermissionResult::answers
#[wire]
pub struct AskUserQuestionInput {
    /// A title to show above the questions. Present only if extended questions are enabled (see [`QuestionKind`]).
    pub title: Option<String>,
    /// The questions. Their texts differ from each other.
    pub questions: Vec<Question>,
    /// The answers, which the host fills in. Each key is the text of a question. Absent in the permission request.
    pub answers: Option<Map<String>>,
    /// Annotations on the answers, which the host fills in. Each key is the text of a question.
    pub annotations: Option<Map<QuestionAnnotation>>,
    /// A text that the user wrote instead of answering the questions. The host fills it in. The model then receives
    /// only this text.
    pub response: Option<String>,
    /// Metadata about the source of the questions.
    pub metadata: Option<QuestionMetadata>,
}

impl AskUserQuestionInput {
    /// Answers a question with one of its options or any other text. If the user chose several options, call this
    /// method once for each option. The chosen options are stored as one text, separated by commas.
    #[must_use]
    pub fn answer(mut self, question: impl Into<String>, answer: impl AsRef<str>) -> Self {
        let answers = self.answers.get_or_insert_default();
        let question = question.into();
        let answer = match answers.get(&question) {
            Some(before) => format!("{before}, {}", answer.as_ref()),
            None => answer.as_ref().to_owned(),
        };
        answers.insert(question, answer);
        self
    }
}

impl PermissionResult {
    /// Creates the permission result that allows the use of the `AskUserQuestion` tool. `answered` is the tool's input
    /// with the answers filled in.
    ///
    /// ```
    /// use claw_types::control::{CanUseTool, PermissionResult};
    /// use claw_types::tool::AskUserQuestionInput;
    ///
    /// # let request: CanUseTool = serde_json::from_str(r#"{"subtype":"can_use_tool",
    /// #   "tool_name":"AskUserQuestion","tool_use_id":"toolu_1","input":{"questions":[{
    /// #   "question":"Which colours?","header":"Colours","multiSelect":true,"options":[
    /// #   {"label":"Red","description":"Warm"},{"label":"Blue","description":"Cold"}]}]}}"#)?;
    /// if request.tool_name == "AskUserQuestion" {
    ///     let asked: AskUserQuestionInput = request.input.parse()?;
    ///     let answered = asked.answer("Which colours?", "Red").answer("Which colours?", "Blue");
    ///     let result = PermissionResult::answers(&answered);
    ///     # assert!(serde_json::to_string(&result)?.contains(r#"{"Which colours?":"Red, Blue"}"#));
    /// }
    /// # Ok::<_, Box<dyn std::error::Error>>(())
    /// ```
    pub fn answers(answered: &AskUserQuestionInput) -> Self {
        // An object with string keys always has a JSON form.
        let input = Json::new(answered).unwrap_or_else(|_| Json::empty_object());
        PermissionAllow::new().updated_input(input).into()
    }
}

/// The way in which a question is answered.
///
/// The model asks questions of other kinds than `choice` only if the host declares that it can show all kinds. The host
/// declares this with `CLAUDE_CODE_QUESTION_EXTENDED=1` in the environment of the CLI. This was tested with CLI
/// 2.1.329.
#[wire(open)]
pub enum QuestionKind {
    /// A choice between two to four options.
    Choice = "choice",
    /// A free text. The question has no options.
    Text = "text",
    /// A number between `min` and `max`. The question has no options.
    Number = "number",
}

/// A question with its options.
#[wire(rename_all = "camelCase")]
pub struct Question {
    /// The text of the question. Answers refer to the question by this text.
    pub question: String,
    /// A label of the question, at most twelve characters long.
    pub header: String,
    /// The way in which the question is answered. Absent means `choice`.
    pub kind: Option<QuestionKind>,
    /// A line of help below the question.
    pub description: Option<String>,
    /// The two to four options. The user may also answer with any other text. Empty or absent for a question that is
    /// not a choice. In Rust, [`choices`](Self::choices) returns an empty list in both cases.
    pub options: Option<Vec<QuestionOption>>,
    /// Whether more than one option may be chosen. Absent means `false`.
    pub multi_select: Option<bool>,
    /// The placeholder of the input field, for a `text` question.
    pub placeholder: Option<String>,
    /// The smallest possible answer to a `number` question.
    pub min: Option<Number>,
    /// The largest possible answer to a `number` question.
    pub max: Option<Number>,
    /// The step between possible answers to a `number` question.
    pub step: Option<Number>,
    /// The default answer to a `number` question.
    pub default_value: Option<Number>,
    /// The unit of the answer to a `number` question, such as `px`.
    pub unit: Option<String>,
}

impl Question {
    /// Returns the options of the question. Empty for a question that is not a choice.
    pub fn choices(&self) -> &[QuestionOption] {
        self.options.as_deref().unwrap_or_default()
    }

    /// Whether more than one option may be chosen.
    pub fn is_multi_select(&self) -> bool {
        self.multi_select == Some(true)
    }
}

/// An option of a question.
#[wire]
pub struct QuestionOption {
    /// The label of the option, which is also the text of the answer.
    pub label: String,
    /// An explanation of the option. Always present, unless the host sets
    /// `CLAUDE_CODE_QUESTION_OPTIONAL_DESCRIPTIONS=1` or enables extended questions (see [`QuestionKind`]).
    pub description: Option<String>,
    /// A preview of the option's result: Markdown, or HTML if the host asked for that
    /// ([`PreviewFormat`](crate::options::PreviewFormat)).
    pub preview: Option<String>,
}

/// Annotations on an answer.
#[wire]
pub struct QuestionAnnotation {
    /// The preview of the option that was chosen.
    pub preview: Option<String>,
    /// A note that the user wrote in addition to the answer. Absent if the user wrote no note.
    pub notes: Option<String>,
    /// The reason why the question has no answer. The model does not receive the reason. Supported by CLIs that have
    /// the capability `ask_user_question_unanswered_v1`.
    pub unanswered: Option<Unanswered>,
}

/// The reason why a question has no answer.
#[wire(open)]
pub enum Unanswered {
    /// The user skipped the question.
    Skipped = "skipped",
    /// The user wrote a message instead.
    RepliedInChat = "replied_in_chat",
    /// The user dismissed the questions.
    Dismissed = "dismissed",
}

/// Metadata about the source of questions.
#[wire]
pub struct QuestionMetadata {
    /// An identifier of the source, such as the name of a slash command.
    pub source: Option<String>,
}

/// The output of the `AskUserQuestion` tool.
#[wire]
pub struct AskUserQuestionOutput {
    /// The questions that the user was asked.
    pub questions: Vec<Question>,
    /// The answers. Each key is the text of a question. The answer to a `number` question is the number in digits.
    pub answers: Map<String>,
    /// A text that the user wrote instead of answering the questions.
    pub response: Option<String>,
    /// Annotations on the answers. Each key is the text of a question.
    pub annotations: Option<Map<QuestionAnnotation>>,
    /// The time in milliseconds after which the CLI continued without an answer. Absent if a person answered.
    #[wire(rename = "afkTimeoutMs")]
    pub afk_timeout_ms: Option<Count>,
    /// Whether the user wants further questions.
    #[wire(rename = "followUp")]
    pub follow_up: Option<bool>,
}

//! `AskUserQuestion`: asks a person to choose.

use crate::control::{PermissionAllow, PermissionResult};
use crate::{Count, Json, Map, Number};

/// What `AskUserQuestion` is given: one to four questions.
///
/// A host sees it in a [`CanUseTool`](crate::control::CanUseTool) request, puts the questions to a
/// person, and allows the use with the answers in it: [`PermissionResult::answers`] makes that of
/// them.
///
/// [`PermissionResult::answers`]: crate::control::PermissionResult::answers
#[wire]
pub struct AskUserQuestionInput {
    /// A line to put above the questions. Only where questions are extended, see [`QuestionKind`].
    pub title: Option<String>,
    /// The questions. No two have the same text.
    pub questions: Vec<Question>,
    /// The answers, by the question's text. The host's to fill in; absent when it is asked.
    pub answers: Option<Map<String>>,
    /// What goes with an answer, by the question's text. The host's to fill in.
    pub annotations: Option<Map<QuestionAnnotation>>,
    /// What a person wrote in place of the answers. The host's to fill in; the model is then told
    /// this alone.
    pub response: Option<String>,
    /// Where the questions come from.
    pub metadata: Option<QuestionMetadata>,
}

impl AskUserQuestionInput {
    /// Answers a question with one of its options, or with any other text. Of several choices each
    /// is a call of its own; the wire has them in one text, with commas between them.
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
    /// Yes to `AskUserQuestion`, with the answers: the questions as they were asked, answered.
    ///
    /// ```
    /// use claw_types::control::{CanUseTool, PermissionResult};
    /// use claw_types::tool::ToolInput;
    ///
    /// # let request: CanUseTool = serde_json::from_str(r#"{"subtype":"can_use_tool",
    /// #   "tool_name":"AskUserQuestion","tool_use_id":"toolu_1","input":{"questions":[{
    /// #   "question":"Which colours?","header":"Colours","multiSelect":true,"options":[
    /// #   {"label":"Red","description":"Warm"},{"label":"Blue","description":"Cold"}]}]}}"#)?;
    /// if let ToolInput::AskUserQuestion(asked) = request.typed_input()? {
    ///     let answered = asked.answer("Which colours?", "Red").answer("Which colours?", "Blue");
    ///     let result = PermissionResult::answers(&answered);
    ///     # assert!(serde_json::to_string(&result)?.contains(r#"{"Which colours?":"Red, Blue"}"#));
    /// }
    /// # Ok::<_, Box<dyn std::error::Error>>(())
    /// ```
    pub fn answers(answered: &AskUserQuestionInput) -> Self {
        // An object with text for keys always has a JSON form.
        let input = Json::new(answered).unwrap_or_else(|_| Json::empty_object());
        PermissionAllow::new().updated_input(input).into()
    }
}

/// How a question is answered.
///
/// The CLI's model chooses it only where the host says that it can show all of them, with
/// `CLAUDE_CODE_QUESTION_EXTENDED=1` in the environment (2.1.329).
#[wire(open)]
pub enum QuestionKind {
    /// By choosing: there are two to four options.
    Choice = "choice",
    /// By writing. There are no options.
    Text = "text",
    /// With a number from `min` to `max`. There are no options.
    Number = "number",
}

/// A question with its options.
#[wire(rename_all = "camelCase")]
pub struct Question {
    /// The question; answers name it by this text.
    pub question: String,
    /// A label of at most twelve characters.
    pub header: String,
    /// How it is answered. Absent: by choosing.
    pub kind: Option<QuestionKind>,
    /// A line of help below the question.
    pub description: Option<String>,
    /// What there is to choose from: two to four options. Any other text is an answer as well. Empty
    /// or absent where it is not answered by choosing: [`choices`](Self::choices) has both in one.
    pub options: Option<Vec<QuestionOption>>,
    /// More than one may be chosen. Absent: `false`.
    pub multi_select: Option<bool>,
    /// Of a `text`: what stands in the box before anything is written.
    pub placeholder: Option<String>,
    /// Of a `number`: the lowest.
    pub min: Option<Number>,
    /// Of a `number`: the highest.
    pub max: Option<Number>,
    /// Of a `number`: from one to the next.
    pub step: Option<Number>,
    /// Of a `number`: where to begin.
    pub default_value: Option<Number>,
    /// Of a `number`: what is counted, such as `px`.
    pub unit: Option<String>,
}

impl Question {
    /// What there is to choose from; empty where it is not answered by choosing.
    pub fn choices(&self) -> &[QuestionOption] {
        self.options.as_deref().unwrap_or_default()
    }

    /// Whether more than one may be chosen.
    pub fn is_multi_select(&self) -> bool {
        self.multi_select == Some(true)
    }
}

/// An option of a question.
#[wire]
pub struct QuestionOption {
    /// What is chosen; the answer is this text.
    pub label: String,
    /// What it means to choose it. Always there, but where the host says that it need not be
    /// (`CLAUDE_CODE_QUESTION_OPTIONAL_DESCRIPTIONS=1`, or extended questions).
    pub description: Option<String>,
    /// What it would look like: Markdown, or HTML where the host asked for that
    /// ([`PreviewFormat`](crate::options::PreviewFormat)).
    pub preview: Option<String>,
}

/// What goes with an answer.
#[wire]
pub struct QuestionAnnotation {
    /// The preview of the option that was chosen.
    pub preview: Option<String>,
    /// What the person wrote beside it.
    pub notes: Option<String>,
    /// Why there is no answer; the model does not read this. Taken by CLIs that name the capability
    /// `ask_user_question_unanswered_v1`.
    pub unanswered: Option<Unanswered>,
}

/// Why a question has no answer.
#[wire(open)]
pub enum Unanswered {
    /// It was left out.
    Skipped = "skipped",
    /// The person wrote a message instead.
    RepliedInChat = "replied_in_chat",
    /// The person closed the questions.
    Dismissed = "dismissed",
}

/// Where questions come from.
#[wire]
pub struct QuestionMetadata {
    /// A name for it, such as that of a slash command.
    pub source: Option<String>,
}

/// What `AskUserQuestion` gives.
#[wire]
pub struct AskUserQuestionOutput {
    /// The questions.
    pub questions: Vec<Question>,
    /// The answers, by the question's text. A `number` is answered with its digits.
    pub answers: Map<String>,
    /// What a person wrote in place of the answers.
    pub response: Option<String>,
    /// What goes with an answer, by the question's text.
    pub annotations: Option<Map<QuestionAnnotation>>,
    /// Nobody answered for these milliseconds, so that it went on without. Absent where a person did.
    #[wire(rename = "afkTimeoutMs")]
    pub afk_timeout_ms: Option<Count>,
    /// `true`: the person wants to be asked more.
    #[wire(rename = "followUp")]
    pub follow_up: Option<bool>,
}

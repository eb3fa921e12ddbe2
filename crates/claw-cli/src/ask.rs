//! Decides whether a tool may be used.

mod question;
mod suggestion;

use std::fmt::Write as _;
use std::io::{IsTerminal as _, stderr, stdin};
use std::sync::Arc;

use claw_client::types::ToolUseId;
use claw_client::types::control::{CanUseTool, PermissionAllow, PermissionDeny, PermissionResult};
use claw_client::types::tool::{AskUserQuestionInput, ExitPlanModeInput, Question};
use claw_client::{RunningHook, ToolPermissionRequest};
use claw_view::{AskedPath, SessionFolders, ToolDisplay, running_hook};
use tokio::sync::{Mutex, mpsc, oneshot};

use self::question::{Use, safe};
use self::suggestion::{Suggestion, chosen, suggestions};
use crate::escape::{escape, one_line};
use crate::input::{Input, InputEvent};
use crate::view::terminal;
use crate::view::terminal_width;

/// The maximum length of a question or an option that is shown, in characters.
const LONG: usize = 400;

/// The source of decisions about tool uses.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Decider {
    /// The user decides, at the terminal. Without a terminal, tool uses are denied.
    Terminal,
    /// A fixed answer.
    Always { allow: bool },
}

/// Texts to show, already escaped. The sender waits until they are dropped.
#[derive(Debug)]
pub(crate) struct Notice {
    pub(crate) text: String,
    /// The tool use and its change to a file. The change is shown after `text`, unless the output already contains it.
    pub(crate) change: Option<(ToolUseId, String)>,
    /// The text after the change.
    pub(crate) rest: String,
    /// Whether the user must read the notice before the run continues.
    pub(crate) is_question: bool,
    /// Receives the answer to a question from the screen of a conversation. Closed when the asker no longer waits for
    /// the answer.
    #[cfg_attr(
        not(feature = "terminal"),
        expect(dead_code, reason = "the screen is of the feature alone")
    )]
    pub(crate) answer: Option<oneshot::Sender<InputEvent>>,
    _shown: oneshot::Sender<()>,
}

/// Creates a channel from askers to the task that shows their notices. The channel holds one notice, and other askers
/// wait. The memory is therefore bounded, even if a peer sends and cancels requests while the terminal is busy.
pub(crate) fn notices() -> (mpsc::Sender<Notice>, mpsc::Receiver<Notice>) {
    mpsc::channel(1)
}

/// Returns a function that shows a hook which delays the start of a session. If another notice waits, the hook is not
/// shown.
pub(crate) fn show_start_hooks(
    notices: mpsc::Sender<Notice>,
) -> impl Fn(&RunningHook) + Send + Sync {
    move |hook| {
        let text = running_hook(&hook.name, hook.running_for);
        let _ = notices.try_send(Notice {
            text: format!("  {}\n", escape(&text)),
            change: None,
            rest: String::new(),
            is_question: false,
            answer: None,
            _shown: oneshot::channel().0,
        });
    }
}

/// Asks the user, and sends the texts to the task that shows them.
#[derive(Debug, Clone)]
pub(crate) struct Asker {
    decider: Decider,
    notices: mpsc::Sender<Notice>,
    /// The user's input. Only one question at a time reads it. `None` before the first question.
    input: Arc<Mutex<Option<Input>>>,
    /// The folders of the session. The messages of the session report them.
    folders: SessionFolders,
}

impl Asker {
    pub(crate) fn new(decider: Decider, notices: mpsc::Sender<Notice>) -> Self {
        Self::with(decider, notices, Arc::default())
    }

    /// Creates an asker that shares its input with other askers. Only one of them reads at a time.
    pub(crate) fn with(
        decider: Decider,
        notices: mpsc::Sender<Notice>,
        input: Arc<Mutex<Option<Input>>>,
    ) -> Self {
        Self {
            decider,
            notices,
            input,
            folders: SessionFolders::default(),
        }
    }

    /// Returns the folders of the session. The reader of the session's messages adds to them.
    pub(crate) fn folders(&self) -> SessionFolders {
        self.folders.clone()
    }

    pub(crate) async fn decide(self, request: ToolPermissionRequest) -> PermissionResult {
        let path = |question: &CanUseTool| self.folders.asked_path(question);
        let result = self.answer_to(&request.body, path).await;
        self.folders.answered(&result);
        result
    }

    /// Decides about a request of a session that runs in a server. `path` is the path that the request needs.
    #[cfg(all(unix, feature = "terminal", feature = "serve"))]
    pub(crate) async fn decide_shared(
        self,
        question: &CanUseTool,
        path: Option<AskedPath>,
    ) -> PermissionResult {
        self.answer_to(question, |_| path).await
    }

    async fn answer_to(
        &self,
        request: &CanUseTool,
        path: impl FnOnce(&CanUseTool) -> Option<AskedPath>,
    ) -> PermissionResult {
        let tool = one_line(&request.tool_name, 60);
        match self.decider {
            // A fixed yes or no does not answer a question of the model.
            Decider::Always { .. } if questions(request).is_some() => {
                self.notify(format!("  ? {tool}: there is nobody to answer\n"), false)
                    .await;
                PermissionResult::deny("There is nobody to answer questions.")
            }
            Decider::Always { allow } => {
                let answer = if allow { "allowed" } else { "denied" };
                self.notify(format!("  ? {tool} asks for permission: {answer}\n"), false)
                    .await;
                answer_of(allow)
            }
            // If stdout is redirected, the question is shown on stderr. Therefore stdin and stderr must be terminals.
            Decider::Terminal if stdin().is_terminal() && stderr().is_terminal() => {
                // The CLI may ask about several tool uses at once, because sub-agents work in parallel.
                let mut input = self.input.lock().await;
                let input = input.get_or_insert_with(Input::plain);
                if let Some(asked) = questions(request) {
                    return self.put(asked, input).await;
                }
                if let Some(plan) = plan(request) {
                    let asked = about_plan(plan.plan.as_deref().unwrap_or_default());
                    let again = QuestionText::text(asked.rest.clone());
                    let choices = "y begins, n denies, and n with words says what to change";
                    let answer = |line: &str| {
                        let yes = is_yes(line).then(|| answer_of(true));
                        yes.or_else(|| denied(line))
                    };
                    return self.decided(asked, &again, choices, answer, input).await;
                }
                let suggested = suggestions(request);
                let path = path(request);
                let asked = QuestionText::about(request, path, &suggested, terminal_width());
                let again = asked.clone();
                let choices = if suggested.is_empty() {
                    "y allows, n denies, and n with words denies for this reason"
                } else {
                    "y or a number allows, n denies, and n with words denies for this reason"
                };
                let answer = |line: &str| match chosen(line, &suggested) {
                    Some(updates) if updates.is_empty() => Some(answer_of(true)),
                    Some(updates) => {
                        Some(PermissionAllow::new().updated_permissions(updates).into())
                    }
                    None => denied(line),
                };
                self.decided(asked, &again, choices, answer, input).await
            }
            Decider::Terminal => {
                let what = ToolDisplay::of(&request.tool_name, &request.input).text();
                let what = one_line(&what, LONG);
                let denied = format!("  ? {what}: denied, there is no terminal to ask on\n");
                self.notify(denied, false).await;
                PermissionResult::deny(
                    "Nobody can be asked: claw has no terminal. Allow the tool with --allowed-tools.",
                )
            }
        }
    }

    /// Asks the user the questions of the model, one after another.
    async fn put(&self, asked: AskUserQuestionInput, input: &mut Input) -> PermissionResult {
        let questions = asked.questions.clone();
        let mut answered = asked;
        for question in questions {
            match self.chosen(&question, input).await {
                Ok(chosen) => {
                    for choice in chosen {
                        answered = answered.answer(&question.question, choice);
                    }
                }
                Err(unanswered) => return unanswered,
            }
        }
        PermissionResult::answers(&answered)
    }

    /// Asks the question until the user types one of the choices, or confirms an answer in other words.
    async fn chosen(
        &self,
        question: &Question,
        input: &mut Input,
    ) -> Result<Vec<String>, PermissionResult> {
        let mut asked = QuestionText::text(put(question));
        // The answer in the user's own words, which waits for a confirmation.
        let mut words: Option<String> = None;
        loop {
            let line = self.answer(asked, input).await?;
            let own = words.take().filter(|_| is_yes(&line));
            if let Some(chosen) = own
                .map(|own| vec![own])
                .or_else(|| choices(question, &line))
            {
                return Ok(chosen);
            }
            let line = line.trim();
            asked = QuestionText::text(put(question)).again(&format!(
                "“{}” is none of the options: y sends it as your own words, or answer again",
                one_line(line, LONG)
            ));
            words = Some(line.to_owned());
        }
    }

    /// Asks until the user types one of the choices, and returns the decision. Any other line repeats the question.
    async fn decided(
        &self,
        first: QuestionText,
        again: &QuestionText,
        choices: &str,
        answer: impl Fn(&str) -> Option<PermissionResult>,
        input: &mut Input,
    ) -> PermissionResult {
        let mut asked = first;
        loop {
            let line = match self.answer(asked, input).await {
                Ok(line) => line,
                Err(unanswered) => return unanswered,
            };
            if let Some(decision) = answer(&line) {
                return decision;
            }
            let line = one_line(line.trim(), LONG);
            let why = format!("“{line}” is none of the choices: {choices}");
            asked = again.clone().again(&why);
        }
    }

    /// Shows the question, and returns the line that the user types after it. Earlier input is not an answer. If the
    /// user types no line, fails with the decision that follows from this.
    async fn answer(
        &self,
        asked: QuestionText,
        input: &mut Input,
    ) -> Result<String, PermissionResult> {
        let typed = if let Input::Screen = input {
            let (answer, typed) = oneshot::channel();
            self.show(asked, true, Some(answer)).await;
            typed.await.unwrap_or(InputEvent::End)
        } else {
            input.keep().await;
            self.show(asked, true, None).await;
            input.answer().await
        };
        match typed {
            InputEvent::Line(line) => Ok(line),
            InputEvent::End | InputEvent::Unreadable(_) => Err(answer_of(false)),
            InputEvent::Interrupt => Err(PermissionDeny::new("The user said no.")
                .interrupt(true)
                .into()),
        }
    }

    async fn notify(&self, text: String, is_question: bool) {
        let notice = QuestionText {
            text,
            ..QuestionText::text(String::new())
        };
        self.show(notice, is_question, None).await;
    }

    /// Shows a notice, and waits until it is shown. The consequences of an answer must appear after the notice.
    async fn show(
        &self,
        asked: QuestionText,
        is_question: bool,
        answer: Option<oneshot::Sender<InputEvent>>,
    ) {
        let (shown, dropped) = oneshot::channel();
        let notice = Notice {
            text: asked.text,
            change: asked.change,
            rest: asked.rest,
            is_question,
            answer,
            _shown: shown,
        };
        // An error means that the run has ended and has dropped the receiver.
        let _ = self.notices.send(notice).await;
        let _ = dropped.await;
    }
}

/// A question. Its texts are already escaped. The last line has no line ending, because the user types the answer after
/// it.
#[derive(Clone)]
struct QuestionText {
    text: String,
    change: Option<(ToolUseId, String)>,
    rest: String,
}

impl QuestionText {
    fn text(rest: String) -> Self {
        Self {
            text: String::new(),
            change: None,
            rest,
        }
    }

    /// Returns the same question with a sentence about why it is repeated. The sentence is before the line with the
    /// keys. The caller has escaped the sentence.
    fn again(self, why: &str) -> Self {
        let (above, keys) = self
            .rest
            .split_at(self.rest.rfind('\n').map_or(0, |end| end + 1));
        let (above, keys) = match keys.rsplit_once(" [") {
            Some((asked, keys)) if !asked.trim().is_empty() => {
                (format!("{above}{asked}\n"), format!("    [{keys}"))
            }
            _ => (above.to_owned(), keys.to_owned()),
        };
        let why = safe(4, &format!("{why}."), terminal_width());
        Self {
            rest: format!("{above}{why}{keys}"),
            ..self
        }
    }

    /// Returns the question whether a tool may be used, with the suggestions as choices.
    fn about(
        question: &CanUseTool,
        path: Option<AskedPath>,
        suggestions: &[Suggestion],
        width: Option<usize>,
    ) -> Self {
        let asked = Use::of(question);
        let text = safe(2, &format!("? May claude use {}?", asked.line), width);
        let mut rest = asked.details(question, path, width);
        let change = asked.change.map(|change| {
            let drawn = terminal::change(&change, width, 4);
            (question.tool_use_id.clone(), drawn)
        });
        let is_one_line = text.matches('\n').count() == 1;
        if is_one_line && rest.is_empty() && change.is_none() && suggestions.is_empty() {
            return Self::text(text.replace('\n', " [y/N] "));
        }
        let mut keys = "y".to_owned();
        if !suggestions.is_empty() {
            rest += "    y. Yes, this once.\n";
            for (number, suggestion) in (1..).zip(suggestions) {
                let choice = format!("{number}. Yes, and {}.", suggestion.text);
                rest += &safe(4, &choice, width);
                // Writing to a String cannot fail.
                let _ = write!(keys, "/{number}");
            }
            rest += &safe(
                4,
                "n is a no, and words behind it are its reason; of numbers there may be several, with commas.",
                width,
            );
        }
        let _ = write!(rest, "    [{keys}/N] ");
        Self { text, change, rest }
    }
}

/// Returns the questions of the model. Returns `None` if the request is not about questions.
fn questions(request: &CanUseTool) -> Option<AskUserQuestionInput> {
    let is_asking = request.tool_name == "AskUserQuestion";
    is_asking.then(|| request.input.parse().ok())?
}

/// Returns the plan that a person must approve or reject. Returns `None` if the request is not about a plan.
fn plan(request: &CanUseTool) -> Option<ExitPlanModeInput> {
    let is_planning = request.tool_name == "ExitPlanMode";
    is_planning.then(|| request.input.parse().ok())?
}

fn answer_of(allow: bool) -> PermissionResult {
    if allow {
        PermissionResult::allow()
    } else {
        PermissionResult::deny("The user said no.")
    }
}

/// Reads a no. The words after it are the reason, which the model receives. Returns `None` if the line is not a no.
fn denied(line: &str) -> Option<PermissionResult> {
    let line = line.trim();
    let first = line.split([' ', ',', ':']).next().unwrap_or_default();
    let is_no = matches!(first.to_lowercase().as_str(), "n" | "no");
    if !is_no && !line.is_empty() {
        return None;
    }
    let reason = line[first.len()..].trim_start_matches([' ', ',', ':']);
    Some(if reason.is_empty() {
        answer_of(false)
    } else {
        PermissionResult::deny(format!("The user said no: {reason}"))
    })
}

/// Returns the question whether claude may carry out its plan. The plan may be empty, because the model writes it to a
/// file.
fn about_plan(plan: &str) -> QuestionText {
    if plan.trim().is_empty() {
        let rest = "  ? claude has written no plan. Shall it begin without one? [y/N, or n and your words] ";
        return QuestionText::text(rest.to_owned());
    }
    QuestionText {
        text: format!("\n{}\n", escape(plan)),
        ..QuestionText::text("  ? Shall claude begin? [y/N, or n and what to change] ".to_owned())
    }
}

/// Returns the text of a question with its numbered options.
fn put(question: &Question) -> String {
    let header = one_line(&question.header, LONG);
    let header = if header.is_empty() {
        header
    } else {
        format!("[{header}] ")
    };
    let mut text = format!("  ? {header}{}\n", one_line(&question.question, LONG));
    for (number, option) in (1..).zip(question.choices()) {
        let label = one_line(&option.label, LONG);
        let description = option.description.as_deref();
        let description = description.map_or_else(String::new, |description| {
            format!(": {}", one_line(description, LONG))
        });
        // Writing to a String cannot fail.
        let _ = writeln!(text, "    {number}. {label}{description}");
        if let Some(preview) = option.preview.as_deref().filter(|text| !text.is_empty()) {
            text += &safe(7, preview.trim_end(), None);
        }
    }
    text.push_str(if question.choices().is_empty() {
        "    Your answer: "
    } else if question.is_multi_select() {
        "    Numbers with commas between them, or words of your own: "
    } else {
        "    A number, or words of your own: "
    });
    text
}

/// Returns the choices in a typed line, which names options by their numbers or labels. Returns an empty list for an
/// empty line. If the question has no options, returns the line itself. Returns `None` if the line names something
/// else.
fn choices(question: &Question, line: &str) -> Option<Vec<String>> {
    let line = line.trim();
    if line.is_empty() {
        return Some(Vec::new());
    }
    let options = question.choices();
    if options.is_empty() {
        return Some(vec![line.to_owned()]);
    }
    let chosen = |text: &str| {
        let text = text.trim();
        let named = |label: &str| label.to_lowercase() == text.to_lowercase();
        let number = text.parse::<usize>().ok();
        let number = number.and_then(|number| options.get(number.checked_sub(1)?));
        let option = number.or_else(|| options.iter().find(|option| named(&option.label)))?;
        Some(option.label.clone())
    };
    if let Some(one) = chosen(line) {
        return Some(vec![one]);
    }
    let is_list = question.is_multi_select();
    is_list.then(|| line.split(',').map(chosen).collect())?
}

/// Returns whether the line is a yes.
fn is_yes(line: &str) -> bool {
    matches!(line.trim().to_lowercase().as_str(), "y" | "yes")
}

#[cfg(test)]
mod tests;

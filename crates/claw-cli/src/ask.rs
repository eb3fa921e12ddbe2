//! Decides whether a tool may be used.

mod question;
mod suggestion;

use std::fmt::Write as _;
use std::io::{IsTerminal as _, stderr, stdin};
use std::sync::Arc;

use claw_client::types::ToolUseId;
use claw_client::types::control::{CanUseTool, PermissionAllow, PermissionDeny, PermissionResult};
use claw_client::types::tool::{AskUserQuestionInput, Question};
use claw_client::{RunningHook, ToolPermissionRequest};
use claw_view::{SessionFolders, ToolDisplay, running_hook};
use tokio::sync::{Mutex, mpsc, oneshot};

use self::question::{Use, safe};
use self::suggestion::{Suggestion, chosen, suggestions};
use crate::escape::{escape, one_line};
use crate::input::{Input, InputEvent};
use crate::view::terminal;
use crate::view::terminal_width;

/// The maximum length of a question or an option that is shown, in characters.
const LONG: usize = 400;

/// The user or the fixed answer that decides.
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
    /// The change that this tool use makes to a file, to be shown after it unless it is already shown above.
    pub(crate) change: Option<(ToolUseId, String)>,
    /// The text that is shown last.
    pub(crate) rest: String,
    /// Whether the user must read it before anything continues.
    pub(crate) is_question: bool,
    /// Takes the answer to a question from the screen of a conversation. Closed when the answer is not awaited any more.
    #[cfg_attr(
        not(feature = "terminal"),
        expect(dead_code, reason = "the screen is of the feature alone")
    )]
    pub(crate) answer: Option<oneshot::Sender<InputEvent>>,
    _shown: oneshot::Sender<()>,
}

/// A channel from askers to the task that shows their notices. It holds one notice, and other askers wait for it. So a
/// peer that asks and cancels its requests while the terminal is busy fills no memory.
pub(crate) fn notices() -> (mpsc::Sender<Notice>, mpsc::Receiver<Notice>) {
    mpsc::channel(1)
}

/// Shows the hooks that delay the start of a session. While another notice waits, none is shown.
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

/// Asks the user, and passes the texts to show.
#[derive(Debug, Clone)]
pub(crate) struct Asker {
    decider: Decider,
    notices: mpsc::Sender<Notice>,
    /// The user's input, for the one question on the terminal. Nothing is read before there is one.
    input: Arc<Mutex<Option<Input>>>,
    /// The folders of the session, which come with its messages.
    folders: SessionFolders,
}

impl Asker {
    pub(crate) fn new(decider: Decider, notices: mpsc::Sender<Notice>) -> Self {
        Self::with(decider, notices, Arc::default())
    }

    /// An asker that shares its input with others. One of them reads at a time.
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

    /// The folders of the session. The reader of the session's messages adds them.
    pub(crate) fn folders(&self) -> SessionFolders {
        self.folders.clone()
    }

    pub(crate) async fn decide(self, request: ToolPermissionRequest) -> PermissionResult {
        let result = self.answer_to(request).await;
        self.folders.answered(&result);
        result
    }

    async fn answer_to(&self, request: ToolPermissionRequest) -> PermissionResult {
        let tool = one_line(request.tool_name(), 60);
        match self.decider {
            // A plain yes does not answer a question.
            Decider::Always { .. } if request.questions().is_some() => {
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
            // On stderr if stdout is redirected, so both are needed.
            Decider::Terminal if stdin().is_terminal() && stderr().is_terminal() => {
                // The CLI may ask about several at once, for sub-agents.
                let mut input = self.input.lock().await;
                let input = input.get_or_insert_with(Input::plain);
                if let Some(asked) = request.questions() {
                    return self.put(asked, input).await;
                }
                if let Some(plan) = request.plan() {
                    let question = about_plan(plan.plan.as_deref().unwrap_or_default());
                    return match self.answer(QuestionText::text(question), input).await {
                        Ok(line) if is_yes(&line) => answer_of(true),
                        Ok(line) => denied(&line),
                        Err(unanswered) => unanswered,
                    };
                }
                let suggested = suggestions(&request.body);
                let asked =
                    QuestionText::about(&request.body, &self.folders, &suggested, terminal_width());
                match self.answer(asked, input).await {
                    Ok(line) => match chosen(&line, &suggested) {
                        Some(updates) if updates.is_empty() => answer_of(true),
                        Some(updates) => PermissionAllow::new().updated_permissions(updates).into(),
                        None => denied(&line),
                    },
                    Err(unanswered) => unanswered,
                }
            }
            Decider::Terminal => {
                let what = ToolDisplay::of(request.tool_name(), request.input()).text();
                let what = one_line(&what, LONG);
                let denied = format!("  ? {what}: denied, there is no terminal to ask on\n");
                self.notify(denied, false).await;
                PermissionResult::deny(
                    "Nobody can be asked: claw has no terminal. Allow the tool with --allowed-tools.",
                )
            }
        }
    }

    /// Asks the user the questions.
    async fn put(&self, asked: AskUserQuestionInput, input: &mut Input) -> PermissionResult {
        let questions = asked.questions.clone();
        let mut answered = asked;
        for question in questions {
            let line = match self.answer(QuestionText::text(put(&question)), input).await {
                Ok(line) => line,
                Err(unanswered) => return unanswered,
            };
            for choice in choices(&question, &line) {
                answered = answered.answer(&question.question, choice);
            }
        }
        PermissionResult::answers(&answered)
    }

    /// The line that is typed after the question is shown; or the result, if none is. Earlier input is not an answer to
    /// it.
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

    /// Waits until the notice is shown, because the answer's consequences are shown after it.
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
        // The receiver is dropped when the run has ended.
        let _ = self.notices.send(notice).await;
        let _ = dropped.await;
    }
}

/// A question, already escaped. Its last line has no line ending: the answer is typed after it.
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

    /// The question whether and how often a tool may be used.
    fn about(
        question: &CanUseTool,
        folders: &SessionFolders,
        suggestions: &[Suggestion],
        width: Option<usize>,
    ) -> Self {
        let asked = Use::of(question);
        let text = safe(2, &format!("? May claude use {}?", asked.line), width);
        let mut rest = asked.details(question, folders, width);
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
                "Anything else is a no, and your words are its reason; of numbers there may be several, with commas.",
                width,
            );
        }
        let _ = write!(rest, "    [{keys}/N] ");
        Self { text, change, rest }
    }
}

fn answer_of(allow: bool) -> PermissionResult {
    if allow {
        PermissionResult::allow()
    } else {
        PermissionResult::deny("The user said no.")
    }
}

/// A no. Words are its reason, which the model reads.
fn denied(line: &str) -> PermissionResult {
    let line = line.trim();
    let is_no = matches!(line.to_lowercase().as_str(), "" | "n" | "no");
    let first = line.split([' ', ',', ':']).next().unwrap_or_default();
    let reason = match first.to_lowercase().as_str() {
        "n" | "no" => line[first.len()..].trim_start_matches([' ', ',', ':']),
        _ => line,
    };
    if is_no || reason.is_empty() {
        answer_of(false)
    } else {
        PermissionResult::deny(format!("The user said no: {reason}"))
    }
}

/// The question whether claude may carry out its plan. There may be none: the plan is a file that the model writes.
fn about_plan(plan: &str) -> String {
    if plan.trim().is_empty() {
        return "  ? claude has written no plan. Shall it begin without one? [y/N, or a no in your words] ".to_owned();
    }
    format!(
        "\n{}\n  ? Shall claude begin? [y/N, or what to change] ",
        escape(plan)
    )
}

/// A question with its options, numbered.
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

/// The choices of a typed line: options by their numbers, or the line itself. Empty for an empty line.
fn choices(question: &Question, line: &str) -> Vec<String> {
    let line = line.trim();
    let label = |number: &str| {
        let number: usize = number.trim().parse().ok()?;
        let option = question.choices().get(number.checked_sub(1)?)?;
        Some(option.label.clone())
    };
    let numbers: Vec<&str> = if question.is_multi_select() {
        line.split(',').collect()
    } else {
        vec![line]
    };
    let labels: Option<Vec<String>> = numbers.into_iter().map(label).collect();
    let own = || Some(line.to_owned()).filter(|line| !line.is_empty());
    labels.unwrap_or_else(|| own().into_iter().collect())
}

/// Whether the line is a yes. Anything else is a no.
fn is_yes(line: &str) -> bool {
    matches!(line.trim().to_lowercase().as_str(), "y" | "yes")
}

#[cfg(test)]
mod tests;

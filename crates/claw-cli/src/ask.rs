//! Who decides whether a tool may be used.

use std::fmt::Write as _;
use std::io::{IsTerminal as _, stderr, stdin};
use std::sync::Arc;

use claw_client::PermissionRequest;
use claw_client::types::control::{PermissionDeny, PermissionResult};
use claw_client::types::tool::{AskUserQuestionInput, Question};
use tokio::sync::mpsc::UnboundedSender;
use tokio::sync::{Mutex, oneshot};

use crate::escape::{escape, escape_json, one_line};
use crate::input::{Input, Typed};

/// How much of a question or an option is shown.
const LONG: usize = 400;

/// Who decides.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Decider {
    /// The person at the terminal; where there is none, nobody may use it.
    Terminal,
    /// Always the same answer.
    Always { allow: bool },
}

/// A text to show. Whoever sent it waits until it is dropped.
#[derive(Debug)]
pub(crate) struct Notice {
    pub(crate) text: String,
    /// Somebody has to read it, or nothing goes on.
    pub(crate) is_question: bool,
    _shown: oneshot::Sender<()>,
}

/// Asks, and tells the one who shows things what to show.
#[derive(Debug, Clone)]
pub(crate) struct Asker {
    decider: Decider,
    notices: UnboundedSender<Notice>,
    /// What the person types, for the one question that stands on the terminal. Nothing is read
    /// before there is one.
    input: Arc<Mutex<Option<Input>>>,
}

impl Asker {
    pub(crate) fn new(decider: Decider, notices: UnboundedSender<Notice>) -> Self {
        Self::with(decider, notices, Arc::default())
    }

    /// One that reads what somebody else reads, too.
    pub(crate) fn with(
        decider: Decider,
        notices: UnboundedSender<Notice>,
        input: Arc<Mutex<Option<Input>>>,
    ) -> Self {
        Self {
            decider,
            notices,
            input,
        }
    }

    pub(crate) async fn decide(self, ask: PermissionRequest) -> PermissionResult {
        let tool = one_line(ask.tool_name(), 60);
        // Whole: nobody should allow what was cut away.
        let what = format!("{tool}({})", escape_json(ask.input().as_str()));
        match self.decider {
            // A yes alone answers nothing.
            Decider::Always { .. } if ask.questions().is_some() => {
                self.tell(format!("  ? {tool}: there is nobody to answer\n"), false)
                    .await;
                PermissionResult::deny("There is nobody to answer questions.")
            }
            Decider::Always { allow } => {
                let answer = if allow { "allowed" } else { "denied" };
                self.tell(format!("  ? {tool} asks for permission: {answer}\n"), false)
                    .await;
                answer_of(allow)
            }
            // On stderr, if stdout goes elsewhere: so it takes both.
            Decider::Terminal if stdin().is_terminal() && stderr().is_terminal() => {
                // It may ask about several at once: for subagents, say.
                let mut input = self.input.lock().await;
                let input = input.get_or_insert_with(Input::plain);
                if let Some(asked) = ask.questions() {
                    return self.put(asked, input).await;
                }
                let question = match ask.plan().and_then(|plan| plan.plan) {
                    Some(plan) => format!("\n{}\n  ? Shall claude begin? [y/N] ", escape(&plan)),
                    None => format!("  ? May claude use {what}? [y/N] "),
                };
                match self.answer(&question, input).await {
                    Ok(line) => answer_of(is_yes(&line)),
                    Err(unanswered) => unanswered,
                }
            }
            Decider::Terminal => {
                let denied = format!("  ? {what}: denied, there is no terminal to ask on\n");
                self.tell(denied, false).await;
                PermissionResult::deny(
                    "Nobody can be asked: claw has no terminal. Allow the tool with --allowed-tools.",
                )
            }
        }
    }

    /// Puts questions to the person.
    async fn put(&self, asked: AskUserQuestionInput, input: &mut Input) -> PermissionResult {
        let questions = asked.questions.clone();
        let mut answered = asked;
        for question in questions {
            let line = match self.answer(&put(&question), input).await {
                Ok(line) => line,
                Err(unanswered) => return unanswered,
            };
            for choice in choices(&question, &line) {
                answered = answered.answer(&question.question, choice);
            }
        }
        PermissionResult::answers(&answered)
    }

    /// What is typed once the question stands there; or the answer, if nothing is. What was typed
    /// before is no answer to it.
    async fn answer(&self, question: &str, input: &mut Input) -> Result<String, PermissionResult> {
        input.forget();
        // Its last line is the editor's, where there is one.
        let last = question.rfind('\n').map_or(0, |end| end + 1);
        let (before, prompt) = question.split_at(last);
        let shown = if input.is_plain() { question } else { before };
        self.tell(shown.to_owned(), true).await;
        match input.answer(prompt).await {
            Typed::Line(line) => Ok(line),
            Typed::End => Err(answer_of(false)),
            Typed::Interrupt => Err(PermissionDeny::new("The user said no.")
                .interrupt(true)
                .into()),
        }
    }

    /// Waits until it is shown: what the answer leads to is shown behind it.
    async fn tell(&self, text: String, is_question: bool) {
        let (shown, dropped) = oneshot::channel();
        // Nobody listens once the run is over.
        let _ = self.notices.send(Notice {
            text,
            is_question,
            _shown: shown,
        });
        let _ = dropped.await;
    }
}

fn answer_of(allow: bool) -> PermissionResult {
    if allow {
        PermissionResult::allow()
    } else {
        PermissionResult::deny("The user said no.")
    }
}

/// A question with its options, numbered.
fn put(question: &Question) -> String {
    let mut text = format!("  ? {}\n", one_line(&question.question, LONG));
    for (number, option) in (1..).zip(question.choices()) {
        let label = one_line(&option.label, LONG);
        let description = option.description.as_deref();
        let description = description.map_or_else(String::new, |description| {
            format!(": {}", one_line(description, LONG))
        });
        // Writing to a String cannot fail.
        let _ = writeln!(text, "    {number}. {label}{description}");
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

/// What a typed line chooses: options by their numbers, or the line itself. Nothing, if it is empty.
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

/// Anything but a yes is a no.
fn is_yes(line: &str) -> bool {
    matches!(line.trim().to_lowercase().as_str(), "y" | "yes")
}

#[cfg(test)]
mod tests;

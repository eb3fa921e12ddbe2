//! Shows messages. They are drawn for people, and printed on stdout for programs.

use std::io::{self, IsTerminal as _, Write, stderr, stdout};
use std::time::{Duration, SystemTime};

use claw_client::types::Message;
use claw_client::types::message::{
    AssistantMessageError, ResultErrorSubtype, SystemInit, TerminalReason,
};
use claw_client::{FinalAnswer, LimitWait, MessageFrame, TurnResult};
use claw_view::{Input, Timeline, unconnected_servers};

use super::held::Held;
use crate::ask::Notice;
use crate::escape::{escape, escape_json, one_line};
use crate::outcome::{Outcome, write_stderr};
use crate::view::terminal::Terminal as Drawing;
use crate::view::{Rendering, terminal_width, width_of};

/// The hint that is shown if claude is not logged in, or if the API has rejected the key.
pub(crate) const LOGIN: &str = "  claude is not logged in, or its key was refused. Run `claude` and type /login, or set \
    ANTHROPIC_API_KEY.\n";

/// The way in which messages are shown.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Shown {
    /// Draws the conversation on stdout.
    Text,
    /// Prints `printed` on stdout, and draws the rest of the conversation on stderr.
    Apart {
        printed: Printed,
        quiet: bool,
        verbose: bool,
    },
}

/// The output on stdout.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Printed {
    /// The answer.
    Answer,
    /// The structured output, as JSON.
    Structured,
    /// The line of the result in the form in which claude writes it.
    Result,
    /// The lines of all messages in the form in which claude writes them.
    Lines,
}

impl Shown {
    pub(super) fn is_verbose(self) -> bool {
        matches!(self, Self::Apart { verbose: true, .. })
    }

    pub(super) fn is_quiet(self) -> bool {
        matches!(self, Self::Apart { quiet: true, .. })
    }

    /// Returns whether stdout gets only the answer, at the end.
    pub(super) fn prints_once(self) -> bool {
        matches!(self, Self::Apart { printed, .. } if printed != Printed::Lines)
    }
}

/// Shows messages: draws the conversation, prints the output for programs on stdout, or does both.
pub(crate) struct View {
    drawn: Option<Box<Drawn>>,
    printed: Option<Printed>,
    is_verbose: bool,
    /// The reason why the API has refused the last request of the turn.
    refusal: Option<AssistantMessageError>,
    /// The whole answer of the turn.
    answer: FinalAnswer,
    is_quiet: bool,
    /// The maximum wait for the reset of a usage limit.
    pub(super) limit_wait: Option<Duration>,
    /// The wait of the prompt whose result was last shown.
    pub(super) limited: Option<LimitWait>,
    /// The sentences about unconnected MCP servers that were last shown.
    servers: String,
}

/// The drawing of the conversation.
struct Drawn {
    timeline: Timeline,
    drawing: Drawing<Box<dyn Write + Send>>,
    is_terminal: bool,
    width: fn() -> Option<usize>,
    /// Holds back the answer that is printed on stdout. `None` if the answer is drawn too.
    held: Option<Held>,
}

fn drawing(
    out: impl Write + Send + 'static,
    width: Option<usize>,
    rendering: Rendering,
) -> Drawing<Box<dyn Write + Send>> {
    let out: Box<dyn Write + Send> = Box::new(out);
    Drawing::live(out, width).with_rendering(rendering)
}

impl View {
    pub(crate) fn new(shown: Shown) -> Self {
        let (drawn, printed) = match shown {
            Shown::Text => (
                Some(Drawn {
                    timeline: Timeline::default(),
                    drawing: drawing(anstream::stdout(), terminal_width(), Rendering::of_stdout()),
                    is_terminal: stdout().is_terminal(),
                    width: terminal_width,
                    held: None,
                }),
                None,
            ),
            Shown::Apart { printed, quiet, .. } => {
                let width = || width_of(stderr());
                // The printed lines contain everything, so nothing is drawn.
                let drawn = (!quiet && printed != Printed::Lines).then(|| Drawn {
                    timeline: Timeline::default(),
                    drawing: drawing(Unread(anstream::stderr()), width(), Rendering::of_stderr()),
                    is_terminal: stderr().is_terminal(),
                    width,
                    held: Some(Held::default()),
                });
                (drawn, Some(printed))
            }
        };
        Self {
            drawn: drawn.map(Box::new),
            printed,
            is_verbose: shown.is_verbose(),
            refusal: None,
            answer: FinalAnswer::default(),
            is_quiet: shown.is_quiet(),
            limit_wait: None,
            limited: None,
            servers: String::new(),
        }
    }

    pub(super) fn notice(&mut self, notice: &Notice) -> io::Result<()> {
        let stands_above =
            |id| matches!(&self.drawn, Some(drawn) if drawn.drawing.has_change_above(id));
        let text = match &notice.change {
            Some((id, _)) if stands_above(id) => [&*notice.text, &notice.rest].concat(),
            Some((_, change)) => [&*notice.text, change, &notice.rest].concat(),
            None => [&*notice.text, &notice.rest].concat(),
        };
        self.write_text(&text, notice.is_question)
    }

    /// Shows an escaped text. A question is never written to a file, because no person would see it there.
    pub(super) fn write_text(&mut self, text: &str, is_question: bool) -> io::Result<()> {
        match &mut self.drawn {
            Some(drawn) if !is_question || drawn.is_terminal || drawn.held.is_some() => {
                drawn.drawing.notice(text)
            }
            _ => {
                write_stderr(text);
                Ok(())
            }
        }
    }

    /// Returns whether the prompt whose result was last shown must wait for the reset of a usage limit.
    pub(super) fn is_limited(&self) -> bool {
        self.limited.is_some()
    }

    /// Shows a message. A result determines the outcome. `reset` is the time at which a usage limit is reset.
    pub(super) fn frame(
        &mut self,
        frame: &MessageFrame,
        reset: Option<SystemTime>,
    ) -> io::Result<Option<Outcome>> {
        let message = frame.value();
        if self.printed == Some(Printed::Lines) {
            print_raw(frame)?;
        }
        if self.is_verbose
            && let Message::SystemInit(init) = message
        {
            self.write_text(&start(init), false)?;
        }
        // The drawing contains these sentences. Without a drawing, they are written here.
        if let Message::SystemInit(init) = message
            && self.drawn.is_none()
            && !self.is_quiet
        {
            let servers = unconnected_servers(init).join("\n  ");
            if !servers.is_empty() && self.servers != servers {
                self.write_text(&format!("  {}\n", escape(&servers)), false)?;
            }
            self.servers = servers;
        }
        // Only the result of the prompt's own turn determines the outcome. Results of background work may follow.
        let result = if message.is_result() {
            let result = self.answer.result(message.clone());
            result.ok().filter(|_| !message.is_background_result())
        } else {
            self.answer.push(message);
            None
        };
        if let Some(result) = &result
            && let Some(drawn) = &mut self.drawn
            && let Some(held) = &mut drawn.held
            && !result.is_error()
        {
            held.answered(&result.text());
        }
        if let Some(drawn) = &mut self.drawn {
            // An incomplete text may be a part of the answer, so it is not drawn.
            let is_part = drawn.held.is_some() && matches!(message, Message::StreamEvent(_));
            if !is_part {
                drawn.push(Input::Message(message))?;
            }
            drawn.progress(message)?;
        }
        if let Message::Assistant(answer) = message {
            self.refusal.clone_from(&answer.error);
            if self.refusal == Some(AssistantMessageError::AuthenticationFailed) {
                self.write_text(LOGIN, true)?;
            }
        }
        let Some(result) = result else {
            return Ok(None);
        };
        let outcome = self.outcome(&result);
        let longest = self.limit_wait;
        self.limited = longest.and_then(|longest| LimitWait::after(&result, reset, longest));
        if self.is_limited() && self.printed == Some(Printed::Result) {
            // The prompt is sent again after the wait, and only the result of the second turn is printed.
            return Ok(Some(outcome));
        }
        self.print(frame, &result, outcome).map(Some)
    }

    /// Returns the outcome of a turn.
    fn outcome(&self, result: &TurnResult) -> Outcome {
        if result.interrupted() {
            return Outcome::Interrupted;
        }
        if !result.is_error() {
            let is_denied = !result.permission_denials().is_empty();
            return if is_denied {
                Outcome::Denied
            } else {
                Outcome::Success
            };
        }
        match &self.refusal {
            Some(
                AssistantMessageError::AuthenticationFailed
                | AssistantMessageError::OauthOrgNotAllowed
                | AssistantMessageError::CloudCredentialError,
            ) => return Outcome::NotLoggedIn,
            Some(AssistantMessageError::RateLimit) => return Outcome::LimitReached,
            _ => {}
        }
        let is_limit = match result {
            TurnResult::Error(error) => matches!(
                error.subtype,
                ResultErrorSubtype::ErrorMaxTurns | ResultErrorSubtype::ErrorMaxBudgetUsd
            ),
            _ => false,
        };
        let is_limit = is_limit
            || result.terminal_reason().is_some_and(|reason| {
                matches!(
                    *reason,
                    TerminalReason::MaxTurns
                        | TerminalReason::BudgetExhausted
                        | TerminalReason::BlockingLimit
                )
            });
        if is_limit {
            Outcome::LimitReached
        } else {
            Outcome::ErrorResult
        }
    }

    /// Prints the result for a program. A result without an answer prints no answer.
    fn print(
        &self,
        frame: &MessageFrame,
        result: &TurnResult,
        outcome: Outcome,
    ) -> io::Result<Outcome> {
        match self.printed {
            Some(Printed::Result) => print_raw(frame)?,
            Some(Printed::Answer) if !result.is_error() => print_text(&result.text())?,
            Some(Printed::Structured) if !result.is_error() => {
                let Some(output) = result.structured_output() else {
                    write_stderr("claw: there is an answer, but not in the form of the schema\n");
                    return Ok(Outcome::ErrorResult);
                };
                print_text(&serde_json::to_string(output)?)?;
            }
            Some(Printed::Answer | Printed::Structured) if self.drawn.is_none() => {
                write_stderr(&format!("claw: {}\n", escape(&result.text())));
            }
            _ => {}
        }
        Ok(outcome)
    }

    /// Handles an interrupt by the user.
    pub(super) fn interrupted(&mut self) -> io::Result<()> {
        self.push(Input::Interruption)
    }

    pub(super) fn push(&mut self, input: Input<'_>) -> io::Result<()> {
        match &mut self.drawn {
            Some(drawn) => drawn.push(input),
            None => Ok(()),
        }
    }

    /// Shows the remaining output at the end.
    pub(super) fn end(&mut self) {
        if let Some(drawn) = &mut self.drawn {
            let rest = drawn.held.as_mut().map(Held::end).unwrap_or_default();
            // If the write fails, the reader has exited and needs no more output.
            let _ = rest
                .into_iter()
                .try_for_each(|rest| drawn.drawing.change(rest));
            let _ = drawn.drawing.finish();
        }
    }

    /// Removes the progress line before something else is written.
    pub(super) fn clear_progress(&mut self) {
        if let Some(drawn) = &mut self.drawn {
            // If writing fails, the next write reports it.
            let cleared = drawn.drawing.clear_progress();
            let _ = cleared.and_then(|()| drawn.drawing.flush());
        }
    }
}

impl Drawn {
    fn push(&mut self, input: Input<'_>) -> io::Result<()> {
        for change in self.timeline.push(input) {
            match &mut self.held {
                None => self.drawing.change(change)?,
                Some(held) => {
                    let mut shown = held.push(change).into_iter();
                    shown.try_for_each(|change| self.drawing.change(change))?;
                }
            }
        }
        self.drawing.flush()
    }

    /// Shows the progress of the session. Does so only on a terminal, because a line in a pipe cannot be replaced.
    fn progress(&mut self, message: &Message) -> io::Result<()> {
        if self.is_terminal {
            let width = (self.width)().unwrap_or(80);
            self.drawing.progress(message, width)?;
        }
        Ok(())
    }
}

/// A stream that ignores write errors, because its reader may have exited.
struct Unread<W>(W);

impl<W: Write> Write for Unread<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let _ = self.0.write_all(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        let _ = self.0.flush();
        Ok(())
    }
}

/// Returns the line about the start of a turn.
fn start(init: &SystemInit) -> String {
    format!(
        "  Session {} · claude {} · {} · {}\n",
        one_line(init.session_id.as_str(), 80),
        one_line(&init.claude_code_version, 40),
        one_line(&init.model, 80),
        one_line(&init.cwd, 400)
    )
}

/// Prints a text, and ends its line. Escapes control characters on a terminal.
fn print_text(text: &str) -> io::Result<()> {
    let mut out = stdout().lock();
    if out.is_terminal() {
        out.write_all(escape(text).as_bytes())?;
    } else {
        out.write_all(text.as_bytes())?;
    }
    if !text.ends_with('\n') {
        out.write_all(b"\n")?;
    }
    out.flush()
}

/// Prints the raw line. Escapes control characters on a terminal.
fn print_raw(frame: &MessageFrame) -> io::Result<()> {
    let mut out = stdout().lock();
    let raw = frame.raw().unwrap_or_default();
    if out.is_terminal() {
        out.write_all(escape_json(&String::from_utf8_lossy(raw)).as_bytes())?;
    } else {
        out.write_all(raw)?;
    }
    out.write_all(b"\n")?;
    out.flush()
}

//! A conversation that is read and written line by line. It is used with pipes, and on terminals that do not support
//! escape sequences.

use std::io::{self, Write as _};
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use claw_client::{Prompt, Session};
use tokio::sync::Mutex;
use tokio::sync::mpsc::Receiver;

use super::{CHANGES, SessionMessages, greeting};
use crate::ask::Notice;
use crate::escape::one_line;
use crate::input::{Input, InputEvent};
use crate::outcome::{Outcome, report};
use crate::run::{Shown, Terminal, View};

/// The input prompt.
const PROMPT: &str = "> ";
/// A text about the keys that interrupt and leave.
const KEYS: &str = "Ctrl-C interrupts, twice it leaves; Ctrl-D leaves.";

/// A conversation that is read and written line by line.
pub(super) struct Chat<'a> {
    input: Arc<Mutex<Option<Input>>>,
    messages: SessionMessages<'a>,
    terminal: Terminal,
    /// The maximum wait for the reset of a usage limit.
    limit_wait: Option<Duration>,
}

impl<'a> Chat<'a> {
    pub(super) fn new(
        input: Arc<Mutex<Option<Input>>>,
        messages: SessionMessages<'a>,
        notices: Receiver<Notice>,
        limit_wait: Option<Duration>,
    ) -> Self {
        Self {
            limit_wait,
            input,
            messages,
            terminal: Terminal::new(View::new(Shown::Text), notices),
        }
    }

    /// Runs until the user leaves. Fails with the outcome if the conversation ends for another reason.
    pub(super) async fn run(mut self, session: &Session) -> Result<(), Outcome> {
        print(&greeting(session, KEYS))?;
        while let Some(prompt) = self.prompt().await? {
            if prompt.trim().strip_prefix('/') == Some(CHANGES) {
                self.terminal.changes(session).await?;
                continue;
            }
            self.terminal.await_limits(self.limit_wait);
            self.answered(session, prompt.clone().into()).await?;
            let Some(wait) = self.terminal.limited() else {
                continue;
            };
            let (terminal, messages) = (&mut self.terminal, &mut self.messages);
            match terminal.wait(session, messages, &wait).await {
                Ok(()) => {
                    terminal.await_limits(None);
                    self.answered(session, prompt.into()).await?;
                }
                Err(Outcome::Interrupted) => print("  The prompt is not sent again.\n")?,
                Err(outcome) => return Err(outcome),
            }
        }
        Ok(())
    }

    /// Sends a prompt, and shows its turn.
    async fn answered(&mut self, session: &Session, prompt: Prompt) -> Result<(), Outcome> {
        let turn = session.send(prompt).await;
        let turn = turn.map_err(|error| report(&error, Outcome::BrokeOff))?;
        // The stream of all messages also contains the messages of the turn and its result, so only
        // the end of the turn is awaited here.
        let result = async { drop(turn.result().await) };
        let (terminal, messages) = (&mut self.terminal, &mut self.messages);
        terminal.follow(session, messages, result).await?;
        Ok(())
    }

    /// Reads the next prompt of the user. Returns `None` if the user leaves.
    async fn prompt(&mut self) -> Result<Option<String>, Outcome> {
        // No questions are shown while the input is locked, so questions of background work wait.
        let mut input = self.input.lock().await;
        let input = input.get_or_insert_with(Input::plain);
        let mut interrupts = 0_u8;
        loop {
            let signals = input.is_piped();
            let typed = tokio::select! {
                typed = input.line(PROMPT) => typed,
                () = self.terminal.interrupts.next(), if signals => InputEvent::Interrupt,
            };
            match typed {
                InputEvent::Line(line) if line.trim().is_empty() => interrupts = 0,
                InputEvent::Line(line) => {
                    self.terminal.interrupts.forget();
                    return Ok(Some(line));
                }
                InputEvent::End => return Ok(None),
                InputEvent::Unreadable(why) => {
                    anstream::eprintln!("claw: stdin: {}", one_line(&why, 200));
                    return Err(Outcome::Unreadable);
                }
                InputEvent::Interrupt if interrupts > 0 => return Err(Outcome::Interrupted),
                InputEvent::Interrupt => {
                    interrupts += 1;
                    print("Once more to leave, or Ctrl-D.\n")?;
                }
            }
        }
    }
}

/// Waits until the session has started, and shows notices about delays.
pub(super) async fn wait<T>(
    connecting: impl Future<Output = T>,
    notices: &mut Receiver<Notice>,
) -> T {
    let mut connecting = pin!(connecting);
    loop {
        tokio::select! {
            biased;
            connected = &mut connecting => return connected,
            Some(notice) = notices.recv() => {
                // If this write fails, the next write of the conversation fails too, and reports the error.
                let _ = print(&notice.text);
            }
        }
    }
}

/// Writes a text to stdout. The caller has escaped it.
pub(super) fn print(text: &str) -> Result<(), Outcome> {
    let mut out = anstream::stdout();
    let written = write!(out, "{text}").and_then(|()| out.flush());
    written.map_err(|error: io::Error| report(&error, Outcome::BrokeOff))
}

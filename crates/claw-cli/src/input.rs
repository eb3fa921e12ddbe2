//! Reads the user's input.

mod prompt;
mod terminal;
mod tty;

use std::collections::VecDeque;
use std::io::{IsTerminal as _, stdin};
use std::thread;

use tokio::sync::mpsc::{Receiver, channel};

pub(crate) use self::prompt::prompt;
use self::prompt::read_line;
pub(crate) use self::terminal::Terminal;
#[cfg(feature = "terminal")]
pub(crate) use self::tty::typed_ahead;

/// A typed line, or another event.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum InputEvent {
    Line(String),
    /// Ctrl-C, if the terminal sends it as a key instead of a signal while a line is read.
    Interrupt,
    /// The end of the input.
    End,
    /// The input failed, for this reason. No more lines can be read.
    Unreadable(String),
}

/// The input. All users of the input share one reader. The reader's thread ends with the process, because not every
/// system can cancel a read.
#[derive(Debug)]
pub(crate) enum Input {
    /// The lines of a pipe or a file.
    Piped(Piped),
    /// The lines of a terminal. Each line is read when it is requested.
    Terminal(Terminal),
    /// The screen of a conversation. It reads all keys, and sends the answers to questions through their notices.
    #[cfg_attr(
        not(feature = "terminal"),
        expect(dead_code, reason = "made by the feature alone")
    )]
    Screen,
}

impl Input {
    /// Creates an input that reads lines from stdin, without a screen.
    pub(crate) fn plain() -> Self {
        if stdin().is_terminal() {
            Self::Terminal(Terminal::new())
        } else {
            Self::Piped(Piped::stdin())
        }
    }

    /// Returns whether this is a pipe or a file. If it is, Ctrl-C is a signal to the process even while a line is read.
    pub(crate) fn is_piped(&self) -> bool {
        matches!(self, Self::Piped(_))
    }

    /// Reads the next line. On a terminal, `prompt` is shown before it.
    pub(crate) async fn line(&mut self, prompt: &str) -> InputEvent {
        match self {
            Self::Piped(piped) => piped.line().await,
            Self::Terminal(terminal) => terminal.line(prompt).await,
            Self::Screen => InputEvent::End,
        }
    }

    /// Reads the next line, which is the answer to the shown question.
    pub(crate) async fn answer(&mut self) -> InputEvent {
        match self {
            Self::Piped(piped) => piped.lines.recv().await.unwrap_or(InputEvent::End),
            Self::Terminal(terminal) => terminal.answer().await,
            Self::Screen => InputEvent::End,
        }
    }

    /// Stores the text that was already typed, for [`line`](Self::line). Called before a question, because this text is
    /// not its answer.
    pub(crate) async fn keep(&mut self) {
        match self {
            Self::Piped(piped) => {
                while let Ok(line) = piped.lines.try_recv() {
                    piped.ahead.push_back(line);
                }
            }
            Self::Terminal(terminal) => terminal.keep().await,
            Self::Screen => {}
        }
    }
}

/// Reads the lines of a pipe or a file. One line is read in advance.
#[derive(Debug)]
pub(crate) struct Piped {
    lines: Receiver<InputEvent>,
    /// Lines that arrived before a question.
    ahead: VecDeque<InputEvent>,
}

impl Piped {
    fn stdin() -> Self {
        let (sender, lines) = channel(1);
        read_in_thread(move || {
            let mut input = stdin().lock();
            loop {
                let typed = match read_line(&mut input) {
                    Ok(Some(line)) => InputEvent::Line(line),
                    Ok(None) => break,
                    Err(error) => InputEvent::Unreadable(error.to_string()),
                };
                let is_last = !matches!(typed, InputEvent::Line(_));
                if sender.blocking_send(typed).is_err() || is_last {
                    break;
                }
            }
        });
        Self::of(lines)
    }

    pub(crate) fn of(lines: Receiver<InputEvent>) -> Self {
        Self {
            lines,
            ahead: VecDeque::new(),
        }
    }

    async fn line(&mut self) -> InputEvent {
        match self.ahead.pop_front() {
            Some(line) => line,
            None => self.lines.recv().await.unwrap_or(InputEvent::End),
        }
    }
}

fn read_in_thread(read: impl FnOnce() + Send + 'static) {
    // If the thread cannot be started, there are no lines. Every question is then answered with no.
    let _ = thread::Builder::new().spawn(read);
}

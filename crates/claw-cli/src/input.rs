//! The user's input.

#[cfg(feature = "edit")]
mod commands;
#[cfg(feature = "edit")]
mod edited;

use std::io::{IsTerminal as _, Write as _, stdin, stdout};
use std::thread;

use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

#[cfg(feature = "edit")]
pub(crate) use self::commands::Commands;
#[cfg(feature = "edit")]
use self::edited::Edited;

/// A typed line, or another event.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Typed {
    Line(String),
    /// Ctrl-C, where it is not a signal: while a line is edited.
    Interrupt,
    /// The end of the input.
    End,
}

/// The input, with one reader for all. Its thread ends with the process, because reading a terminal cannot be
/// cancelled.
#[derive(Debug)]
pub(crate) enum Input {
    /// Lines as they arrive, read ahead: from a pipe, or from a terminal that is used like one.
    Plain(UnboundedReceiver<String>),
    /// Lines that are edited, each when it is requested.
    #[cfg(feature = "edit")]
    Edited(Edited),
}

impl Input {
    /// Input of lines as they arrive.
    pub(crate) fn plain() -> Self {
        let (sender, lines) = unbounded_channel();
        read_in_thread(move || {
            for line in stdin().lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    break;
                }
            }
        });
        Self::Plain(lines)
    }

    /// Input with a line editor that completes these commands, if this is a terminal.
    #[cfg(feature = "edit")]
    pub(crate) fn edited(commands: Commands) -> Self {
        if is_terminal() {
            Self::Edited(Edited::new(commands))
        } else {
            Self::plain()
        }
    }

    /// Whether Ctrl-C is a signal to the process while a line is typed.
    pub(crate) fn is_plain(&self) -> bool {
        matches!(self, Self::Plain(_))
    }

    /// The next line. At a terminal, `prompt` stands before it.
    pub(crate) async fn line(&mut self, prompt: &str) -> Typed {
        match self {
            Self::Plain(lines) => {
                if is_terminal() && !prompt.is_empty() {
                    let mut out = anstream::stdout();
                    // Where nothing can be written any more, the end of the input is near.
                    let _ = write!(out, "{prompt}").and_then(|()| out.flush());
                }
                lines.recv().await.map_or(Typed::End, Typed::Line)
            }
            #[cfg(feature = "edit")]
            Self::Edited(editor) => editor.line(prompt, false).await,
        }
    }

    /// Discards what was typed so far, so that it answers no question. Edited lines do that when they are read.
    pub(crate) fn forget(&mut self) {
        match self {
            Self::Plain(lines) => {
                forget_typed();
                while lines.try_recv().is_ok() {}
            }
            #[cfg(feature = "edit")]
            Self::Edited(_) => {}
        }
    }

    /// The answer to a question. `prompt` is shown before it if lines are edited.
    #[cfg_attr(
        not(feature = "edit"),
        expect(unused_variables, reason = "for the editor")
    )]
    pub(crate) async fn answer(&mut self, prompt: &str) -> Typed {
        match self {
            Self::Plain(_) => self.line("").await,
            #[cfg(feature = "edit")]
            Self::Edited(editor) => editor.line(prompt, true).await,
        }
    }
}

/// Whether a person types, and sees what is said.
fn is_terminal() -> bool {
    stdin().is_terminal() && stdout().is_terminal()
}

/// Discards what was typed before it was requested.
fn forget_typed() {
    #[cfg(unix)]
    {
        use rustix::termios::{QueueSelector, tcflush};
        // Fails without a terminal, in which case nothing was typed.
        let _ = tcflush(stdin(), QueueSelector::IFlush);
    }
}

fn read_in_thread(read: impl FnOnce() + Send + 'static) {
    // Without it there are no lines, which counts as a no.
    let _ = thread::Builder::new().spawn(read);
}

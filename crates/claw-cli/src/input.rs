//! What a person types.

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

/// A line, or what came in its place.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Typed {
    Line(String),
    /// Ctrl-C.
    Interrupt,
    /// Nothing more comes.
    End,
}

/// Lines that are typed, one reader for all. Its thread ends with the process: what reads a terminal
/// cannot be stopped.
#[derive(Debug)]
pub(crate) enum Input {
    /// Lines as they come, read ahead: of a pipe, or of a terminal that is used as one.
    Plain(UnboundedReceiver<String>),
    /// Lines that are edited, each when it is wanted.
    #[cfg(feature = "edit")]
    Edited(Edited),
}

impl Input {
    /// Lines as they come.
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

    /// With a line editor, if this is a terminal, which completes these commands.
    #[cfg(feature = "edit")]
    pub(crate) fn edited(commands: Commands) -> Self {
        if is_terminal() {
            Self::Edited(Edited::new(commands))
        } else {
            Self::plain()
        }
    }

    /// Whether the process has a signal of a Ctrl-C that is pressed while a line is typed.
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

    /// Makes sure that what was typed so far answers no question. Where the lines are edited, that
    /// is done when they are read.
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

    /// The answer to a question. `prompt` is what stands before it, if lines are edited.
    #[cfg_attr(
        not(feature = "edit"),
        expect(unused_variables, reason = "the editor's alone")
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

/// Throws away what was typed before anybody wanted it.
fn forget_typed() {
    #[cfg(unix)]
    {
        use rustix::termios::{QueueSelector, tcflush};
        // Fails where there is no terminal, and then there is nothing in it.
        let _ = tcflush(stdin(), QueueSelector::IFlush);
    }
}

fn read_in_thread(read: impl FnOnce() + Send + 'static) {
    // Without it there are no lines, which is a no.
    let _ = thread::Builder::new().spawn(read);
}

//! The user's input.

use std::io::{IsTerminal as _, stdin, stdout};
use std::thread;

use rustyline::error::ReadlineError;
use rustyline::history::MemHistory;
use rustyline::{Config, Editor};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::sync::oneshot;

use crate::commands::Commands;

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
    Edited(UnboundedSender<Wanted>),
}

/// A request for a line.
#[derive(Debug)]
pub(crate) struct Wanted {
    prompt: String,
    is_question: bool,
    typed: oneshot::Sender<Typed>,
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
    pub(crate) fn edited(commands: Commands) -> Self {
        if !(stdin().is_terminal() && stdout().is_terminal()) {
            return Self::plain();
        }
        let (sender, mut wanted) = unbounded_channel::<Wanted>();
        read_in_thread(move || {
            // No history, because secrets may be typed there.
            let mut editor = editor(Some(commands));
            while let Some(line) = wanted.blocking_recv() {
                let typed = if line.is_question {
                    forget_typed();
                    // A new one has nothing in its buffer either.
                    read(&mut self::editor(None), &line.prompt)
                } else {
                    read(&mut editor, &line.prompt)
                };
                // The requester may be gone.
                let _ = line.typed.send(typed);
            }
        });
        Self::Edited(sender)
    }

    /// Whether Ctrl-C is a signal to the process while a line is typed.
    pub(crate) fn is_plain(&self) -> bool {
        matches!(self, Self::Plain(_))
    }

    /// The next line.
    pub(crate) async fn line(&mut self, prompt: &str) -> Typed {
        match self {
            Self::Plain(lines) => lines.recv().await.map_or(Typed::End, Typed::Line),
            Self::Edited(editor) => edit(editor, prompt, false).await,
        }
    }

    /// Discards what was typed so far, so that it answers no question. Edited lines do that when they are read.
    pub(crate) fn forget(&mut self) {
        if let Self::Plain(lines) = self {
            while lines.try_recv().is_ok() {}
        }
    }

    /// The answer to a question. `prompt` is shown before it if lines are edited.
    pub(crate) async fn answer(&mut self, prompt: &str) -> Typed {
        match self {
            Self::Plain(_) => self.line("").await,
            Self::Edited(editor) => edit(editor, prompt, true).await,
        }
    }
}

async fn edit(editor: &UnboundedSender<Wanted>, prompt: &str, is_question: bool) -> Typed {
    let (typed, line) = oneshot::channel();
    let prompt = prompt.to_owned();
    // Without a thread there are no lines.
    let _ = editor.send(Wanted {
        prompt,
        is_question,
        typed,
    });
    line.await.unwrap_or(Typed::End)
}

type Lines = Editor<Commands, MemHistory>;

fn editor(commands: Option<Commands>) -> Result<Lines, ReadlineError> {
    let config = Config::builder().auto_add_history(true).build();
    let history = MemHistory::with_config(&config);
    let mut editor = Editor::with_history(config, history)?;
    editor.set_helper(commands);
    Ok(editor)
}

fn read(editor: &mut Result<Lines, ReadlineError>, prompt: &str) -> Typed {
    let line = match editor {
        Ok(editor) => editor.readline(prompt),
        Err(_) => return Typed::End,
    };
    match line {
        Ok(line) => Typed::Line(line),
        Err(ReadlineError::Interrupted) => Typed::Interrupt,
        Err(_) => Typed::End,
    }
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

//! Lines that are edited: with history, and completion of the names of slash commands.

use rustyline::error::ReadlineError;
use rustyline::history::MemHistory;
use rustyline::{Config, Editor};
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};
use tokio::sync::oneshot;

use super::{Commands, Typed, forget_typed, read_in_thread};

/// Asks the editor for lines.
#[derive(Debug)]
pub(crate) struct Edited(UnboundedSender<Wanted>);

/// A line that is wanted.
#[derive(Debug)]
struct Wanted {
    prompt: String,
    is_question: bool,
    typed: oneshot::Sender<Typed>,
}

impl Edited {
    /// Starts an editor that completes these commands.
    pub(crate) fn new(commands: Commands) -> Self {
        let (sender, mut wanted) = unbounded_channel::<Wanted>();
        read_in_thread(move || {
            // Nothing of it is kept: who knows what is typed there.
            let mut editor = editor(Some(commands));
            while let Some(line) = wanted.blocking_recv() {
                let typed = if line.is_question {
                    forget_typed();
                    // A fresh one has nothing in its buffer, either.
                    read(&mut self::editor(None), &line.prompt)
                } else {
                    read(&mut editor, &line.prompt)
                };
                // Who wanted it may be gone.
                let _ = line.typed.send(typed);
            }
        });
        Self(sender)
    }

    /// The next line. What was typed before a question stood there is no answer to it.
    pub(crate) async fn line(&self, prompt: &str, is_question: bool) -> Typed {
        let (typed, line) = oneshot::channel();
        let prompt = prompt.to_owned();
        // Without a thread there are no lines.
        let _ = self.0.send(Wanted {
            prompt,
            is_question,
            typed,
        });
        line.await.unwrap_or(Typed::End)
    }
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

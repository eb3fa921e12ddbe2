//! Reads lines from a terminal, without drawing on it.

use std::collections::VecDeque;
use std::io::{PipeReader, PipeWriter, Write as _, pipe};

use tokio::sync::mpsc::{Sender, channel};
use tokio::sync::oneshot;

use super::{InputEvent, read_in_thread, tty};
use crate::escape::escape;

/// Maximum number of requests that wait for the thread. The thread handles them one after another.
const REQUESTS: usize = 16;

/// Requests lines from the thread that reads the terminal.
#[derive(Debug)]
pub(crate) struct Terminal(Sender<Request>);

/// A request to the thread.
#[derive(Debug)]
enum Request {
    /// Read a line.
    Line {
        /// The prompt to show. `None` for the answer to a question.
        prompt: Option<String>,
        typed: oneshot::Sender<InputEvent>,
        /// A pipe that becomes readable when its other end is closed, which means that the line is no longer needed.
        cancelled: PipeReader,
    },
    /// Store the text that the user has already typed, and show it at the next prompt.
    Keep(oneshot::Sender<()>),
}

impl Terminal {
    /// Starts the thread that reads the terminal.
    pub(crate) fn new() -> Self {
        let (sender, mut requests) = channel(REQUESTS);
        read_in_thread(move || {
            let mut reader = Reader::default();
            while let Some(request) = requests.blocking_recv() {
                reader.serve(request);
            }
        });
        Self(sender)
    }

    /// Reads the next line.
    pub(crate) async fn line(&self, prompt: &str) -> InputEvent {
        self.request(Some(prompt.to_owned())).await
    }

    /// Reads the next line, which is the answer to the shown question.
    pub(crate) async fn answer(&self) -> InputEvent {
        self.request(None).await
    }

    /// Stores the text that was already typed, for [`line`](Self::line). Called before a question, because this text is
    /// not its answer.
    pub(crate) async fn keep(&self) {
        let (kept, done) = oneshot::channel();
        let _ = self.0.send(Request::Keep(kept)).await;
        let _ = done.await;
    }

    async fn request(&self, prompt: Option<String>) -> InputEvent {
        let (typed, line) = oneshot::channel();
        let (cancelled, _open): (_, PipeWriter) = match pipe() {
            Ok(ends) => ends,
            Err(error) => return InputEvent::Unreadable(error.to_string()),
        };
        // If the thread has ended, there are no more lines.
        let request = Request::Line {
            prompt,
            typed,
            cancelled,
        };
        let _ = self.0.send(request).await;
        line.await.unwrap_or(InputEvent::End)
    }
}

/// Reads the terminal. It runs in a separate thread.
#[derive(Default)]
struct Reader {
    /// The lines that were typed before a question, or for a dropped request. They are the input for the next prompts.
    ahead: VecDeque<String>,
    /// The beginning of a line that was typed before a question.
    begun: String,
}

impl Reader {
    fn serve(&mut self, request: Request) {
        let (prompt, answer, cancelled) = match request {
            Request::Line {
                prompt,
                typed,
                cancelled,
            } => (prompt, typed, cancelled),
            Request::Keep(kept) => {
                self.keep(&tty::typed_ahead());
                let _ = kept.send(());
                return;
            }
        };
        let typed = match prompt {
            Some(prompt) => self.prompted(&prompt, &cancelled),
            None => tty::line(&cancelled),
        };
        if let Some(typed) = typed
            && let Err(InputEvent::Line(line)) = answer.send(typed)
        {
            // The request was dropped while the user typed the line, so the line is stored for the
            // next prompt.
            self.ahead.push_front(line);
        }
    }

    /// Shows a prompt, and reads the next line after it.
    fn prompted(&mut self, prompt: &str, cancelled: &PipeReader) -> Option<InputEvent> {
        if let Some(line) = self.ahead.pop_front() {
            show(&format!("{prompt}{}\n", escape(&line)));
            return Some(InputEvent::Line(line));
        }
        let begun = std::mem::take(&mut self.begun);
        show(&format!("{prompt}{}", escape(&begun)));
        let typed = tty::line(cancelled);
        Some(match typed {
            Some(InputEvent::Line(line)) => InputEvent::Line(begun + &line),
            Some(typed) => typed,
            None => {
                self.begun = begun;
                return None;
            }
        })
    }

    /// Stores text that was typed before a question.
    fn keep(&mut self, typed: &str) {
        let mut rest = typed;
        while let Some((line, after)) = rest.split_once('\n') {
            self.ahead.push_back(std::mem::take(&mut self.begun) + line);
            rest = after;
        }
        self.begun.push_str(rest);
    }
}

/// Writes an escaped text. Ignores errors of the write, because the input then usually ends too.
fn show(text: &str) {
    let mut out = anstream::stdout();
    let _ = write!(out, "{text}").and_then(|()| out.flush());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_typed_before_a_question_is_the_next_prompts() {
        let mut reader = Reader::default();
        reader.keep("one\n\ntw");
        reader.keep("o\nthr");
        assert_eq!(reader.ahead, ["one", "", "two"]);
        assert_eq!(reader.begun, "thr");
    }
}

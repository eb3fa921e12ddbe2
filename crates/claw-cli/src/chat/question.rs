//! A question of claude that waits for its answer.

use std::time::Duration;

use tokio::sync::oneshot;
use tokio::time::Instant;

use crate::console::Editor;
use crate::input::InputEvent;

/// How long no key must be pressed before the keys are an answer. What is typed while the question appears was not
/// meant for it: it goes on with the prompt.
const PAUSE: Duration = Duration::from_millis(500);

/// The question that stands on the screen.
pub(super) struct Question {
    /// The first line of the question, for the row above the answer.
    pub(super) title: String,
    /// The text in front of the answer.
    pub(super) prompt: String,
    pub(super) editor: Editor,
    answer: oneshot::Sender<InputEvent>,
    /// When keys may become the answer.
    pub(super) opens: Instant,
    /// Whether keys are the answer.
    pub(super) is_open: bool,
}

impl Question {
    /// A question of which the last line is the prompt of the answer. Gives the lines before it as well.
    pub(super) fn new(
        rest: &str,
        answer: oneshot::Sender<InputEvent>,
        text: &str,
    ) -> (Self, String) {
        let (above, prompt) = match rest.rfind('\n') {
            Some(end) => rest.split_at(end + 1),
            None => ("", rest),
        };
        let first = |text: &str| {
            let line = text.lines().find(|line| !line.trim().is_empty());
            line.map(|line| line.trim().to_owned())
        };
        // A question on one line is shown as one, and answered on the next.
        let one_line = (above.is_empty())
            .then(|| prompt.rsplit_once(" ["))
            .flatten();
        let (above, prompt) = match one_line {
            Some((asked, keys)) => (format!("{asked}\n"), format!("    [{keys}")),
            None => (above.to_owned(), prompt.to_owned()),
        };
        let question = Self {
            title: first(text).or_else(|| first(&above)).unwrap_or_default(),
            prompt,
            editor: Editor::of_answer(),
            answer,
            opens: Instant::now() + PAUSE,
            is_open: false,
        };
        (question, above)
    }

    /// A key was pressed that is not for the question.
    pub(super) fn put_off(&mut self) {
        self.opens = Instant::now() + PAUSE;
    }

    /// Waits until the answer is not awaited any more. Cancel safe.
    pub(super) async fn closed(&mut self) {
        self.answer.closed().await;
    }

    pub(super) fn answer(self, event: InputEvent) {
        // The request may have been taken back at this moment.
        let _ = self.answer.send(event);
    }
}

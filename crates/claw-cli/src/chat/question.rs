//! A question of claude that waits for its answer.

use std::future::pending;
use std::time::Duration;

use tokio::sync::oneshot;
use tokio::time::Instant;

use crate::console::Editor;
use crate::input::InputEvent;

/// The keys belong to the answer after this time without a key press. Keys that were pressed while the question
/// appeared belong to the prompt, because the user did not mean the question.
const PAUSE: Duration = Duration::from_millis(500);

/// The question on the screen.
pub(super) struct Question {
    /// The first line of the question. It is shown in a row above the answer.
    pub(super) title: String,
    /// The text in front of the answer.
    pub(super) prompt: String,
    pub(super) editor: Editor,
    answer: oneshot::Sender<InputEvent>,
    /// The earliest time from which keys belong to the answer.
    opens: Instant,
    /// The number of lines that were written since the question began, including later output. The maximum value means
    /// that this number is unknown, because the screen has changed.
    pub(super) lines: usize,
    /// Whether keys belong to the answer.
    pub(super) is_open: bool,
}

impl Question {
    /// Creates a question whose last line is the prompt of the answer. Also returns the lines before it.
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
        // If the question has one line, it is split, so that the answer is typed on the next line.
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
            lines: 0,
            is_open: false,
        };
        (question, above)
    }

    /// Makes keys belong to the prompt again, at least for the duration [`PAUSE`].
    pub(super) fn put_off(&mut self) {
        self.is_open = false;
        self.opens = Instant::now() + PAUSE;
    }

    /// Waits until the answer is no longer needed. Cancel safe.
    async fn closed(&mut self) {
        self.answer.closed().await;
    }

    /// Returns whether the answer is no longer needed.
    #[cfg(all(unix, feature = "serve"))]
    pub(super) fn is_closed(&self) -> bool {
        self.answer.is_closed()
    }

    pub(super) fn answer(self, event: InputEvent) {
        // An error means that the request was withdrawn at this moment.
        let _ = self.answer.send(event);
    }
}

/// A change of a question without a key press.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum QuestionChange {
    /// Keys now belong to the answer.
    Opens,
    /// The answer is no longer needed.
    TakenBack,
}

/// Waits for a change of the question. Keys can begin to belong to the answer only if `may_open` is set: the line of
/// the prompt is empty. Cancel safe.
pub(super) async fn changed(question: &mut Option<Question>, may_open: bool) -> QuestionChange {
    let Some(question) = question else {
        return pending().await;
    };
    let (opens, may_open) = (question.opens, may_open && !question.is_open);
    tokio::select! {
        biased;
        () = question.closed() => QuestionChange::TakenBack,
        () = tokio::time::sleep_until(opens), if may_open => QuestionChange::Opens,
    }
}

#[cfg(test)]
mod tests {
    use futures::FutureExt as _;

    use super::*;

    fn question() -> (Option<Question>, oneshot::Receiver<InputEvent>) {
        let (answer, answered) = oneshot::channel();
        let (question, above) = Question::new("  ? May it? [y/N] ", answer, "");
        assert_eq!(
            (&*question.prompt, &*above),
            ("    [y/N] ", "  ? May it?\n")
        );
        (Some(question), answered)
    }

    #[tokio::test]
    async fn keys_are_the_answer_after_a_pause_without_keys_and_on_an_empty_line_alone() {
        let (mut question, _answered) = question();
        assert_eq!(changed(&mut question, true).now_or_never(), None);
        // The pause has passed.
        question.as_mut().unwrap().opens = Instant::now();
        assert_eq!(changed(&mut question, false).now_or_never(), None);
        assert_eq!(changed(&mut question, true).await, QuestionChange::Opens);
        // A key restarts the pause.
        let before = Instant::now();
        let asked = question.as_mut().unwrap();
        asked.put_off();
        assert!(asked.opens >= before + PAUSE);
        assert_eq!(changed(&mut question, true).now_or_never(), None);
    }

    #[tokio::test]
    async fn a_question_that_is_taken_back_does_not_open() {
        let (mut question, answered) = question();
        question.as_mut().unwrap().opens = Instant::now();
        drop(answered);
        let change = changed(&mut question, true).now_or_never();
        assert_eq!(change, Some(QuestionChange::TakenBack));
    }
}

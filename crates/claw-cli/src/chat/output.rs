//! Draws the messages of the session above the typed line.

use std::io::{self, Write};
use std::sync::{Arc, Mutex, PoisonError};

use claw_client::types::Message;
use claw_client::types::message::AssistantMessageError;
use claw_view::{Input, Timeline};

use crate::progress::CurrentActivity;
use crate::run::LOGIN;
use crate::view::Rendering;
use crate::view::terminal::Terminal;

/// Drawn text that is not on the screen yet.
#[derive(Debug, Clone, Default)]
struct Drawn(Arc<Mutex<Vec<u8>>>);

impl Write for Drawn {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut drawn = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        drawn.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The messages of the session up to now, and their drawing.
pub(super) struct Output {
    timeline: Timeline,
    drawing: Terminal<Drawn>,
    drawn: Drawn,
    activity: CurrentActivity,
}

impl Output {
    pub(super) fn new(width: usize) -> Self {
        let drawn = Drawn::default();
        Self {
            timeline: Timeline::default(),
            drawing: Terminal::live(drawn.clone(), Some(width))
                .with_rendering(Rendering::of_stdout()),
            drawn,
            activity: CurrentActivity::default(),
        }
    }

    pub(super) fn set_width(&mut self, width: usize) {
        self.drawing.set_width(width);
    }

    /// Draws a message.
    pub(super) fn message(&mut self, message: &Message) {
        self.push(Input::Message(message));
        self.activity.push(message);
        if let Message::Assistant(answer) = message
            && answer.error == Some(AssistantMessageError::AuthenticationFailed)
        {
            self.text(LOGIN);
        }
    }

    pub(super) fn push(&mut self, input: Input<'_>) {
        for change in self.timeline.push(input) {
            // Writing to memory cannot fail.
            let _ = self.drawing.change(change);
        }
    }

    /// Draws a change of the elements of a session that a server runs.
    #[cfg(all(unix, feature = "serve"))]
    pub(super) fn change(&mut self, change: claw_view::Change) {
        // Writing to memory cannot fail.
        let _ = self.drawing.change(change);
    }

    /// Shows progress of a session that a server runs.
    #[cfg(all(unix, feature = "serve"))]
    pub(super) fn progress(&mut self, progress: claw_view::progress::Progress) {
        self.activity.take(progress);
    }

    /// Removes the progress, because the session has nothing to do.
    #[cfg(all(unix, feature = "serve"))]
    pub(super) fn rest(&mut self) {
        self.activity = CurrentActivity::default();
    }

    /// Draws a text on separate lines. The text is already escaped.
    pub(super) fn text(&mut self, text: &str) {
        let _ = self.drawing.notice(text);
    }

    /// Draws a question: its text, the change, and the rest. The change is left out if it is already directly above.
    pub(super) fn question(&mut self, notice: &crate::ask::Notice, rest: &str) {
        let change = match &notice.change {
            Some((id, _)) if self.drawing.has_change_above(id) => "",
            Some((_, change)) => change,
            None => "",
        };
        self.text(&[&*notice.text, change, rest].concat());
    }

    /// Draws the remaining output at the end.
    pub(super) fn finish(&mut self) {
        let _ = self.drawing.finish();
    }

    /// Returns whether the last line is a text that is not complete yet.
    pub(super) fn is_open(&self) -> bool {
        self.drawing.is_open()
    }

    /// Returns the current step of the work, escaped.
    pub(super) fn activity(&self, width: usize) -> Option<String> {
        self.activity.line(width)
    }

    /// Returns the end of the incomplete text, which may still change. It is drawn after the result of [`Self::take`].
    pub(super) fn growing(&self) -> String {
        self.drawing.growing()
    }

    /// Removes and returns the text that was drawn since the last call.
    pub(super) fn take(&mut self) -> String {
        let mut drawn = self.drawn.0.lock().unwrap_or_else(PoisonError::into_inner);
        let bytes = std::mem::take(&mut *drawn);
        // The drawing writes only whole characters, so the conversion does not fail.
        String::from_utf8(bytes)
            .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
    }
}

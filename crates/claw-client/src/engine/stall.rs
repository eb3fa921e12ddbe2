//! Detects a CLI that runs and is silent in the middle of a turn.

use std::time::Duration;

use bytes::Bytes;
use claw_codec::LineItem;
use claw_types::Json;

use super::Now;

/// Measures the silence of the CLI. Any line ends the silence: a tool that takes long has a heartbeat (`tool_progress`)
/// every 30 s.
#[derive(Debug, Default)]
pub(super) struct Stall {
    /// The maximum silence. `None` means no limit.
    after: Option<Duration>,
    /// The time at which a line was last received or sent.
    last_activity: Now,
    /// The last line. It is a part of the buffer that it was read into.
    last: Option<Bytes>,
    is_reported: bool,
}

impl Stall {
    pub(super) fn new(after: Option<Duration>) -> Self {
        Self {
            after,
            ..Self::default()
        }
    }

    pub(super) fn note_activity(&mut self, now: Now) {
        self.last_activity = now;
    }

    pub(super) fn on_line(&mut self, now: Now, item: &LineItem) {
        self.last_activity = now;
        if self.after.is_some()
            && let LineItem::Line(line) = item
        {
            self.last = Some(line.raw.clone());
        }
    }

    /// Copies the last line out of the buffer that it was read into, because the buffer may be much larger.
    pub(super) fn release_buffer(&mut self) {
        if let Some(last) = &mut self.last {
            *last = Bytes::copy_from_slice(last);
        }
    }

    /// Returns the time at which the silence is too long. `None` if no line is expected.
    pub(super) fn deadline(&self, is_to_speak: bool) -> Option<Now> {
        let after = self.after.filter(|_| is_to_speak && !self.is_reported)?;
        Some(self.last_activity + after)
    }

    /// Marks the silence as reported. Returns its length, and the kind of the last line.
    pub(super) fn report(&mut self, now: Now) -> (Duration, Option<String>) {
        self.is_reported = true;
        let last = self.last.take().and_then(|line| kind(&line));
        (now.saturating_sub(self.last_activity), last)
    }
}

/// Returns the type of a line, with its subtype.
fn kind(line: &[u8]) -> Option<String> {
    let line = Json::from_text(String::from_utf8_lossy(line).into_owned()).ok()?;
    let text = |key: &str| Some(line.get(key)?.as_str()?.into_owned());
    let kind = text("type")?;
    Some(match text("subtype") {
        Some(subtype) => format!("{kind}/{subtype}"),
        None => kind,
    })
}

//! A CLI that is alive and silent in the middle of a turn.

use std::time::Duration;

use bytes::Bytes;
use claw_codec::LineItem;
use claw_types::Json;

use super::Now;

/// Watches for silence. Any line counts as life: a tool that takes long has a heartbeat (`tool_progress`) every 30 s.
#[derive(Debug, Default)]
pub(super) struct Stall {
    /// How long the CLI may be silent; `None`: for ever.
    after: Option<Duration>,
    /// When something was heard, or said, last.
    last_activity: Now,
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

    /// When the silence is too long, if the CLI is to say something.
    pub(super) fn deadline(&self, is_to_speak: bool) -> Option<Now> {
        let after = self.after.filter(|_| is_to_speak && !self.is_reported)?;
        Some(self.last_activity + after)
    }

    /// The silence is told: how long it has been, and what kind of line was the last.
    pub(super) fn report(&mut self, now: Now) -> (Duration, Option<String>) {
        self.is_reported = true;
        let last = self.last.take().and_then(|line| kind(&line));
        (now.saturating_sub(self.last_activity), last)
    }
}

/// The type of a line, with its subtype.
fn kind(line: &[u8]) -> Option<String> {
    let line = Json::from_text(String::from_utf8_lossy(line).into_owned()).ok()?;
    let text = |key: &str| Some(line.get(key)?.as_str()?.into_owned());
    let kind = text("type")?;
    Some(match text("subtype") {
        Some(subtype) => format!("{kind}/{subtype}"),
        None => kind,
    })
}

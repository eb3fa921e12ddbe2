//! The lines of a recording.

use std::collections::{HashSet, VecDeque};
use std::time::Duration;

use claw_types::MessageUuid;
use serde::de::IgnoredAny;

use super::interleave;
use super::{Damage, DamageKind};

/// The direction of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(clippy::exhaustive_enums, reason = "there are two ends")]
pub enum Direction {
    /// The line went from `claude` to the program that runs `claude`.
    FromClaude,
    /// The line went from the program that runs `claude` to `claude`.
    ToClaude,
}

/// A line of a recording.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct RecordedLine {
    /// The direction of the line.
    pub direction: Direction,
    /// The number of the line in its file, counted from 1, including blank lines. There is one file for each direction.
    pub number: u64,
    /// The time from the start of the recording until the line's last byte was sent. `None` if the file `order.ndjson`
    /// does not cover that byte.
    pub at: Option<Duration>,
    /// The text of the line, without its line ending. Parts that are not valid UTF-8 are replaced.
    pub text: String,
}

/// The lines of a file that were not read yet.
pub(super) struct File {
    name: &'static str,
    lines: VecDeque<(u64, RecordedLine)>,
    length: u64,
    /// The number of bytes of the file that were sent so far, according to the order file.
    passed: u64,
}

impl File {
    /// Creates the list of a file's lines. Adds the defects of the file to `damage`.
    pub(super) fn new(
        direction: Direction,
        name: &'static str,
        bytes: &[u8],
        damage: &mut Vec<Damage>,
    ) -> Self {
        let mut lines = VecDeque::new();
        let mut end = 0;
        for (number, raw) in (1..).zip(bytes.split_inclusive(|&byte| byte == b'\n')) {
            end += raw.len() as u64;
            let line = match number {
                1 => raw.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(raw),
                _ => raw,
            };
            let line = line.trim_ascii();
            if line.is_empty() {
                continue;
            }
            let text = String::from_utf8_lossy(line);
            let wrong = if text.len() != line.len() || text.as_bytes() != line {
                Some(DamageKind::NotUtf8)
            } else if let Err(error) = serde_json::from_slice::<IgnoredAny>(line) {
                Some(if raw.ends_with(b"\n") {
                    DamageKind::NotJson(error.to_string())
                } else {
                    DamageKind::Cut
                })
            } else {
                None
            };
            damage.extend(wrong.map(|kind| Damage::new(name, Some(number), kind)));
            let line = RecordedLine {
                direction,
                number,
                at: None,
                text: text.into_owned(),
            };
            lines.push_back((end, line));
        }
        Self {
            name,
            lines,
            length: bytes.len() as u64,
            passed: 0,
        }
    }

    pub(super) fn name(&self) -> &'static str {
        self.name
    }

    /// Returns the UUIDs of the prompts for which a line reports the start.
    pub(super) fn taken_up(&self) -> HashSet<MessageUuid> {
        let lines = self.lines.iter();
        lines
            .filter_map(|(_, line)| interleave::taken_up(&line.text))
            .collect()
    }

    /// Adds these bytes to the number of bytes that were sent so far.
    pub(super) fn passed(&mut self, bytes: u64) {
        self.passed = self.passed.saturating_add(bytes);
    }

    /// Returns the next line if its last byte was sent already.
    pub(super) fn next_passed(&mut self, at: Option<Duration>) -> Option<RecordedLine> {
        let (end, _) = self.lines.front()?;
        if *end > self.passed {
            return None;
        }
        self.next(at)
    }

    /// Returns the next line.
    pub(super) fn next(&mut self, at: Option<Duration>) -> Option<RecordedLine> {
        let (_, line) = self.lines.pop_front()?;
        Some(RecordedLine { at, ..line })
    }

    /// Returns a defect if the file does not have as many bytes as the order file covers.
    pub(super) fn disagrees(&self) -> Option<(Option<u64>, DamageKind)> {
        if self.passed > self.length {
            let kind = DamageKind::Shorter {
                recorded: self.passed,
                there: self.length,
            };
            return Some((None, kind));
        }
        let (_, first) = self.lines.front()?;
        Some((Some(first.number), DamageKind::Unordered))
    }
}

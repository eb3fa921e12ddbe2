//! Damage of a recording.

use std::fmt;

/// A defect of a recording and its place. The rest of the recording is read nevertheless.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Damage {
    /// The name of the file: [`STDOUT`](super::Recording::STDOUT), [`STDIN`](super::Recording::STDIN) or
    /// [`ORDER`](super::Recording::ORDER).
    pub file: &'static str,
    /// The number of the line, counted from 1, blank lines included. `None` if the defect concerns the whole file.
    pub line: Option<u64>,
    /// The kind of defect.
    pub kind: DamageKind,
}

/// The kind of a recording's defect.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum DamageKind {
    /// The order file is missing. That is normal for an older recording: the places of prompts are then derived from
    /// the lines that `claude` wrote.
    NoOrder,
    /// The file ends in the middle of this line.
    Cut,
    /// The line is not valid JSON, with the reason.
    NotJson(String),
    /// The line is not valid UTF-8. Invalid parts are replaced.
    NotUtf8,
    /// The line of the order file cannot be read, with the reason. The order is unknown from there on.
    BadOrder(String),
    /// The file is shorter than the order file says, or is missing.
    Shorter {
        /// The number of bytes that were recorded.
        recorded: u64,
        /// The number of bytes that are present.
        there: u64,
    },
    /// The order file ends before the file does. The order is unknown from this line on.
    Unordered,
}

impl Damage {
    pub(super) fn new(file: &'static str, line: Option<u64>, kind: DamageKind) -> Self {
        Self { file, line, kind }
    }
}

/// Writes the defect as `stdout.ndjson:12: the file ends in the middle of the line`. Quoted reader errors contain
/// nothing of the line itself.
impl fmt::Display for Damage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.file)?;
        if let Some(line) = self.line {
            write!(f, ":{line}")?;
        }
        f.write_str(": ")?;
        match &self.kind {
            DamageKind::NoOrder => f.write_str("the file is missing: the order is derived"),
            DamageKind::Cut => f.write_str("the file ends in the middle of the line"),
            DamageKind::NotJson(why) => write!(f, "the line is not JSON: {why}"),
            DamageKind::NotUtf8 => f.write_str("the line is not UTF-8"),
            DamageKind::BadOrder(why) => {
                write!(f, "the order is not known from this line on: {why}")
            }
            DamageKind::Shorter { recorded, there } => {
                write!(f, "{recorded} bytes were recorded, {there} are there")
            }
            DamageKind::Unordered => {
                f.write_str("the order is not known from this line on: order.ndjson ends before it")
            }
        }
    }
}

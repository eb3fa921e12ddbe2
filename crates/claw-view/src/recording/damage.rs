//! What is wrong with a recording.

use std::fmt;

/// Something that is wrong with a recording, and where. The rest of it is read all the same.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Damage {
    /// The file: [`STDOUT`](super::Recording::STDOUT), [`STDIN`](super::Recording::STDIN) or
    /// [`ORDER`](super::Recording::ORDER).
    pub file: &'static str,
    /// Its line, counted from 1, blank lines included. `None` where it is about the whole file.
    pub line: Option<u64>,
    /// What is wrong.
    pub kind: DamageKind,
}

/// What is wrong with a recording.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum DamageKind {
    /// There is no order. No fault of an older recording: places of prompts are those that follow from
    /// what `claude` wrote.
    NoOrder,
    /// The file ends in the middle of this line.
    Cut,
    /// The line is no JSON, and why.
    NotJson(String),
    /// The line is not UTF-8: what is not is replaced.
    NotUtf8,
    /// The line of the order cannot be read, and why. From there on the order is not known.
    BadOrder(String),
    /// The file is shorter than the order says, or is missing.
    Shorter {
        /// How many bytes were recorded.
        recorded: u64,
        /// How many are there.
        there: u64,
    },
    /// The order ends before the file does. Of the lines from this one on the order is not known.
    Unordered,
}

impl Damage {
    pub(super) fn new(file: &'static str, line: Option<u64>, kind: DamageKind) -> Self {
        Self { file, line, kind }
    }
}

/// `stdout.ndjson:12: the file ends in the middle of the line`. What it quotes of a reader's error holds
/// nothing of the line.
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

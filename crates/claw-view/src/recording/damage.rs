//! Damage of a recording.

use std::fmt;

/// A defect of a recording: the file, the line and the kind of the defect. The rest of the recording can still be read.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Damage {
    /// The name of the file: [`STDOUT`](super::Recording::STDOUT), [`STDIN`](super::Recording::STDIN) or
    /// [`ORDER`](super::Recording::ORDER).
    pub file: &'static str,
    /// The number of the defective line, counted from 1, including blank lines. `None` if the defect concerns the whole
    /// file.
    pub line: Option<u64>,
    /// The kind of defect.
    pub kind: DamageKind,
}

/// The kind of defect that a recording has.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum DamageKind {
    /// The file `order.ndjson` is missing, which is normal for older recordings. The positions of prompts are then
    /// derived from the lines that `claude` wrote.
    NoOrder,
    /// The file ends in the middle of this line.
    Cut,
    /// The line is not valid JSON. The text is the reason.
    NotJson(String),
    /// The line is not valid UTF-8. Its invalid parts are replaced by the replacement character (U+FFFD).
    NotUtf8,
    /// This line of the file `order.ndjson` cannot be read. The text is the reason. From this line on, the order of the
    /// recorded lines is unknown.
    BadOrder(String),
    /// The file is missing or too short. According to the file `order.ndjson`, more bytes were recorded.
    Shorter {
        /// The length of the file according to `order.ndjson`, in bytes.
        recorded: u64,
        /// The actual length of the file, in bytes.
        there: u64,
    },
    /// The file `order.ndjson` ends before it has covered this file. From this line on, the order of the recorded lines
    /// is unknown.
    Unordered,
}

impl Damage {
    pub(super) fn new(file: &'static str, line: Option<u64>, kind: DamageKind) -> Self {
        Self { file, line, kind }
    }
}

/// Writes the defect in a form such as `stdout.ndjson:12: the file ends in the middle of the line`. The text does not
/// contain the line itself.
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

//! The changes of a repair.

use std::fmt;
use std::path::PathBuf;

/// A change of a line: the problem of the line in the original, and the effect of the change.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct RepairChange {
    /// The path of the file in the session's folder. `None` for the session's transcript.
    pub file: Option<PathBuf>,
    /// The number of the line in the original file, counted from 1.
    pub line: u64,
    /// The problem, and the way in which it was solved. `Display` writes a sentence about both.
    pub problem: RepairProblem,
    /// The effect of the change on the conversation.
    pub effect: RepairEffect,
}

/// A problem of a line of a transcript.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum RepairProblem {
    /// A byte order mark is before a record. The mark is removed.
    ByteOrderMark,
    /// NUL bytes are before or after a record, or are the whole line. The NUL bytes are removed.
    Nul {
        /// The number of NUL bytes.
        bytes: u64,
    },
    /// Several records, or a record and a part of another one, are on the line. Each record gets a separate line.
    Spliced {
        /// The number of complete records.
        records: u64,
    },
    /// A part of the line is not a record, for example the beginning of one. The part is left out.
    Torn {
        /// The number of bytes that are left out.
        bytes: u64,
    },
    /// The line is longer than 256 MiB. It is copied unchanged, and was not examined.
    TooLong {
        /// The length of the line in bytes.
        bytes: u64,
    },
    /// Strings of the record contain escapes or control characters that JSON does not allow. Each of these characters
    /// becomes an ordinary character of the string.
    InvalidEscape,
    /// The record contains bytes that are not UTF-8. The bytes become U+FFFD, as when the CLI reads them.
    InvalidUtf8,
    /// The record contains half of a surrogate pair. The half becomes U+FFFD, as when the CLI sends it.
    HalfSurrogate,
    /// An earlier line has the same UUID and the same content. This line is left out.
    Duplicate {
        /// The number of the earlier line.
        of: u64,
    },
    /// A later line has the same UUID and other content. This line gets the content of the later line, because the CLI
    /// reads that content. The own content of this line is left out.
    Superseded {
        /// The number of the later line.
        by: u64,
    },
    /// No line has the UUID of the line's parent. The parent becomes the line with which the CLI continues: the line
    /// with the latest time, if that time is at most five seconds earlier. Otherwise, the CLI forgets everything before
    /// the line, and the parent becomes the preceding line of the conversation.
    MissingParent {
        /// The UUID that no line has.
        parent: String,
        /// The number of the line that is the parent in the copy. `None` if no line is before it.
        now: Option<u64>,
    },
    /// A tool use has no result, although a later message follows it. The copy gets a result whose text reports that
    /// the result is missing.
    UseWithoutResult {
        /// The ID of the tool use.
        id: String,
    },
    /// A result answers a tool use that the transcript does not have. The result becomes text.
    ResultWithoutUse {
        /// The ID of the tool use.
        id: String,
    },
    /// The media type of a picture is not the type of its data. The media type is corrected.
    PictureType {
        /// The media type that the line has.
        from: String,
        /// The media type of the data.
        to: &'static str,
    },
    /// The API refuses a picture. In the copy, a text block with the reason replaces the picture.
    PictureRefused {
        /// The reason in words, such as `it is empty`.
        reason: &'static str,
    },
    /// The line records that the API has refused a picture, which is mended in the copy. Because of such a line, the
    /// CLI leaves out every picture before it. The line is left out.
    PictureError,
}

/// The effect of a change on the conversation that the CLI resumes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum RepairEffect {
    /// The change makes no difference: the CLI reads the original in the same way as the copy.
    Harmless,
    /// The copy contains a part that the CLI loses when it resumes the original.
    Recovered,
    /// The copy lacks a part that the original contains.
    LeftOut,
}

impl RepairEffect {
    /// Returns the name of the effect: `harmless`, `recovered` or `left_out`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Harmless => "harmless",
            Self::Recovered => "recovered",
            Self::LeftOut => "left_out",
        }
    }
}

impl RepairProblem {
    /// Returns the name of the problem, such as `missing_parent`.
    pub fn name(&self) -> &'static str {
        match self {
            Self::ByteOrderMark => "byte_order_mark",
            Self::Nul { .. } => "nul",
            Self::Spliced { .. } => "spliced",
            Self::Torn { .. } => "torn",
            Self::TooLong { .. } => "too_long",
            Self::InvalidEscape => "invalid_escape",
            Self::InvalidUtf8 => "invalid_utf8",
            Self::HalfSurrogate => "half_surrogate",
            Self::Duplicate { .. } => "duplicate",
            Self::Superseded { .. } => "superseded",
            Self::MissingParent { .. } => "missing_parent",
            Self::UseWithoutResult { .. } => "use_without_result",
            Self::ResultWithoutUse { .. } => "result_without_use",
            Self::PictureType { .. } => "picture_type",
            Self::PictureRefused { .. } => "picture_refused",
            Self::PictureError => "picture_error",
        }
    }
}

impl fmt::Display for RepairProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ByteOrderMark => f.write_str("a byte order mark: removed"),
            Self::Nul { bytes } => write!(f, "{bytes} NUL bytes: removed"),
            Self::Spliced { records: 1 } => {
                f.write_str("a record with something else on its line: the record has its own line")
            }
            Self::Spliced { records } => {
                write!(f, "{records} records on one line: each has its own line")
            }
            Self::Torn { bytes } => write!(f, "{bytes} bytes that are no record: left out"),
            Self::TooLong { bytes } => {
                write!(
                    f,
                    "{bytes} bytes on one line: copied as it is, not examined"
                )
            }
            Self::InvalidEscape => f.write_str("an escape that is not valid: now it is text"),
            Self::InvalidUtf8 => f.write_str("bytes that are not UTF-8: replaced by U+FFFD"),
            Self::HalfSurrogate => f.write_str("half of a surrogate pair: replaced by U+FFFD"),
            Self::Duplicate { of } => write!(f, "the same entry as on line {of}: left out"),
            Self::Superseded { by } => {
                write!(f, "line {by} has the same UUID: its content is used")
            }
            Self::MissingParent { parent, now } => {
                write!(f, "no line is the parent {parent}: ")?;
                match now {
                    Some(line) => write!(f, "the parent is line {line} now"),
                    None => f.write_str("the line has no parent now"),
                }
            }
            Self::UseWithoutResult { id } => {
                write!(
                    f,
                    "the tool use {id} has no result: a result that says so is added"
                )
            }
            Self::ResultWithoutUse { id } => {
                write!(
                    f,
                    "the tool use {id} of a result is missing: the result is text now"
                )
            }
            Self::PictureError => f.write_str(
                "a note that a picture was refused, which hides the pictures before it: left out",
            ),
            Self::PictureType { from, to } => {
                write!(f, "a picture of type {to} that is called {from}: corrected")
            }
            Self::PictureRefused { reason } => {
                write!(
                    f,
                    "a picture that the API refuses, because {reason}: replaced by a text"
                )
            }
        }
    }
}

/// The kind of a transcript that is mended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RepairedFile {
    Main,
    /// The transcript of a sub-agent. Its lines are mended one by one, but the links between them are not mended.
    Subagent,
}

/// The changes so far.
#[derive(Debug)]
pub(super) struct Report {
    pub(super) file: Option<PathBuf>,
    pub(super) changes: Vec<RepairChange>,
    pub(super) more: u64,
    pub(super) is_needed: bool,
    most: usize,
}

impl Report {
    pub(super) fn new(most: usize) -> Self {
        Self {
            file: None,
            changes: Vec::new(),
            more: 0,
            is_needed: false,
            most,
        }
    }

    pub(super) fn add(&mut self, line: u64, problem: RepairProblem, effect: RepairEffect) {
        self.is_needed |= effect == RepairEffect::Recovered
            || matches!(problem, RepairProblem::PictureRefused { .. });
        if self.changes.len() == self.most {
            self.more += 1;
            return;
        }
        self.changes.push(RepairChange {
            file: self.file.clone(),
            line,
            problem,
            effect,
        });
    }
}

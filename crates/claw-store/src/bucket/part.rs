//! A part of a transcript: an object with a header and the lines of one batch.

use std::collections::BTreeMap;

use bytes::Bytes;
use claw_types::{Json, Map};
use serde::{Deserialize, Serialize};

use super::failure::corrupt;
use super::lines::Lines;
use crate::{Epoch, Line, Owner, Planned, StoreError, Summary, WriterId};

/// How many bytes a header may have.
pub(super) const HEADER_LIMIT: usize = 4 << 20;

/// The form of parts that this version writes. It refuses a higher one.
const FORMAT: u32 = 1;

/// The first line of a part, as JSON. The lines of the transcript follow, each with a line end.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Header {
    format: u32,
    /// Who wrote it: a new ID for each try, so that one whose answer was lost is known again.
    pub(super) id: String,
    /// The place of its first line.
    pub(super) first: u64,
    /// How many lines it has.
    pub(super) count: u64,
    /// The transcript after it.
    pub(super) head: Head,
}

/// All that the newest part says of its transcript, so that nobody has to read the older ones for it.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct Head {
    /// How many lines there are.
    pub(super) lines: u64,
    /// Whether the session has the transcript. Not behind a deletion, until the next append.
    pub(super) is_open: bool,
    /// The first part that counts: what is before it was deleted.
    pub(super) from: u64,
    /// The last part that was written by an append.
    pub(super) written: Option<u64>,
    /// How many lines of each writer there are.
    pub(super) writers: BTreeMap<String, u64>,
    /// The newest claim that the transcript knows.
    pub(super) claim: Option<Fence>,
    /// Of a main transcript.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) summary: Option<Map<Json>>,
}

/// A claim, as a part says it: no lines of an older epoch come behind it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Fence {
    pub(super) epoch: Epoch,
    pub(super) owner: Owner,
}

impl Header {
    /// Of a part without lines.
    pub(super) fn empty(head: Head) -> Self {
        Self {
            format: FORMAT,
            id: uuid::Uuid::new_v4().to_string(),
            first: head.lines,
            count: 0,
            head,
        }
    }

    /// Of the part that an append writes behind a head, as this number.
    pub(super) fn append(
        head: &Head,
        number: u64,
        writer: &WriterId,
        planned: &Planned<'_>,
        is_main: bool,
    ) -> Self {
        let count = planned.lines.len() as u64;
        let mut next = head.clone();
        next.lines += count;
        next.is_open = true;
        next.writers
            .insert(writer.as_str().to_owned(), planned.next);
        if count > 0 {
            next.written = Some(number);
        }
        if is_main {
            let mut summary = Summary::from_data(next.summary.take().unwrap_or_default());
            for line in &planned.lines {
                summary.fold(line);
            }
            next.summary = Some(summary.data().clone());
        }
        Self {
            count,
            first: head.lines,
            ..Self::empty(next)
        }
    }

    /// The object.
    pub(super) fn with(&self, lines: &[&Line]) -> Result<Bytes, StoreError> {
        let mut body = serde_json::to_vec(self).map_err(StoreError::refused)?;
        if body.len() > HEADER_LIMIT {
            return Err(StoreError::refused(
                "the transcript has too many writers, or too large a summary",
            ));
        }
        let size: usize = lines.iter().map(|line| line.as_str().len() + 1).sum();
        body.reserve_exact(size + 1);
        body.push(b'\n');
        for line in lines {
            body.extend_from_slice(line.as_str().as_bytes());
            body.push(b'\n');
        }
        Ok(body.into())
    }

    /// Of the first line of an object.
    pub(super) fn read(number: u64, text: &[u8]) -> Result<Self, StoreError> {
        let header: Self = serde_json::from_slice(text)
            .map_err(|_| corrupt(format!("part {number} does not begin with a header")))?;
        if header.format > FORMAT {
            return Err(StoreError::refused(format!(
                "part {number} has format {}, which a newer version of claw writes",
                header.format
            )));
        }
        let head = &header.head;
        let is_sound = header.first.checked_add(header.count) == Some(head.lines)
            // A part after the last one of all could not be written.
            && number < u64::MAX
            && head.from <= number + 1
            && head.written.is_none_or(|written| written <= number);
        if !is_sound {
            return Err(corrupt(format!(
                "the header of part {number} contradicts itself"
            )));
        }
        Ok(header)
    }

    /// Of a part that deletes what is before it, as this number.
    pub(super) fn end(head: &Head, number: u64) -> Self {
        Self::empty(Head {
            from: number + 1,
            claim: head.claim.clone(),
            ..Head::default()
        })
    }

    /// Whether it is a part that deletes what is before it.
    pub(super) fn is_end(&self, number: u64) -> bool {
        self.head.from > number
    }
}

/// What stands in a part.
pub(super) enum Piece {
    Header(u64, Box<Header>),
    Line(Line),
}

/// Takes a part apart, in whatever chunks it comes.
pub(super) struct Reader {
    number: u64,
    line_limit: usize,
    lines: Lines,
    /// How many lines are still to come. `None` before the header.
    left: Option<u64>,
}

impl Reader {
    pub(super) fn new(number: u64, line_limit: usize) -> Self {
        Self {
            number,
            line_limit,
            lines: Lines::default(),
            left: None,
        }
    }

    /// The pieces that are complete with these bytes.
    pub(super) fn push(&mut self, chunk: &[u8]) -> Result<Vec<Piece>, StoreError> {
        self.lines.push(chunk);
        let mut pieces = Vec::new();
        loop {
            let limit = self.left.map_or(HEADER_LIMIT, |_| self.line_limit);
            let line = self
                .lines
                .next(limit)
                .map_err(|error| corrupt(format!("part {}: {error}", self.number)))?;
            match line {
                Some(line) => pieces.push(self.piece(&line)?),
                None => return Ok(pieces),
            }
        }
    }

    fn piece(&mut self, line: &[u8]) -> Result<Piece, StoreError> {
        let number = self.number;
        let Some(left) = self.left else {
            let header = Header::read(number, line)?;
            self.left = Some(header.count);
            return Ok(Piece::Header(number, Box::new(header)));
        };
        let left = left.checked_sub(1);
        self.left = Some(left.ok_or_else(|| self.wrong_count())?);
        let line = Line::from_bytes(line)
            .map_err(|error| corrupt(format!("a line of part {number}: {error}")))?;
        Ok(Piece::Line(line))
    }

    /// After the last byte.
    pub(super) fn finish(&self) -> Result<(), StoreError> {
        if self.left == Some(0) && self.lines.rest().is_empty() {
            Ok(())
        } else {
            Err(self.wrong_count())
        }
    }

    fn wrong_count(&self) -> StoreError {
        corrupt(format!(
            "part {} does not have the lines that its header says",
            self.number
        ))
    }
}

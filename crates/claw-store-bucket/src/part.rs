//! A part of a transcript: an object with a header and the lines of one batch.

use std::collections::BTreeMap;

use bytes::Bytes;
use claw_store::{Epoch, Line, Owner, Planned, StoreError, Summary, WriterId};
use claw_types::{Json, Map};
use serde::{Deserialize, Serialize};

use crate::lines::Lines;

/// The maximum size of a header, in bytes.
pub(crate) const HEADER_LIMIT: usize = 4 << 20;

/// The format of parts that this version writes. Parts with a higher format number are refused.
const FORMAT: u32 = 1;

/// The first line of a part, as JSON. The lines of the transcript follow, each with a line end.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Header {
    format: u32,
    /// A random ID that each attempt to create a part gets. A writer that received no response recognises its own part
    /// by the ID.
    pub(crate) id: String,
    /// The position of the part's first line in the transcript.
    pub(crate) first: u64,
    /// The number of lines in the part.
    pub(crate) count: u64,
    /// The state of the transcript after this part.
    pub(crate) head: Head,
}

/// The state of a transcript. The newest part contains the whole state, so no host has to read older parts for it.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct Head {
    /// The number of lines.
    pub(crate) lines: u64,
    /// The length of the lines in bytes, each with a line feed. `None` after a version of claw that does not count the
    /// length has written a part. It is set again when a host that has read all lines appends.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) bytes: Option<u64>,
    /// Whether the transcript is registered in the session's object. `false` after a deletion, until the next append.
    pub(crate) is_open: bool,
    /// The number of the first part whose lines belong to the transcript. All earlier parts were deleted.
    pub(crate) from: u64,
    /// The number of the last part that an append created.
    pub(crate) written: Option<u64>,
    /// The number of lines from each writer.
    pub(crate) writers: BTreeMap<String, u64>,
    /// The newest claim that is recorded in the transcript.
    pub(crate) claim: Option<Fence>,
    /// The summary of the session. Only main transcripts have one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) summary: Option<Map<Json>>,
}

/// The claim that a part records. Lines of an older epoch cannot follow this part.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Fence {
    pub(crate) epoch: Epoch,
    pub(crate) owner: Owner,
}

impl Head {
    /// Returns the length of the lines. `None` if it is not known.
    pub(crate) fn bytes(&self) -> Option<u64> {
        match self.lines {
            0 => Some(0),
            _ => self.bytes,
        }
    }
}

/// Returns the length of a line with its line feed, in bytes.
pub(crate) fn length(line: &Line) -> u64 {
    line.as_str().len() as u64 + 1
}

impl Header {
    /// Returns the header of a part without lines.
    pub(crate) fn empty(head: Head) -> Self {
        Self {
            format: FORMAT,
            id: uuid::Uuid::new_v4().to_string(),
            first: head.lines,
            count: 0,
            head,
        }
    }

    /// Returns the header for an append that creates the part with this number. `head` is the state before the append.
    pub(crate) fn append(
        head: &Head,
        number: u64,
        writer: &WriterId,
        planned: &Planned<'_>,
        is_main: bool,
    ) -> Self {
        let count = planned.lines.len() as u64;
        let mut next = head.clone();
        let bytes: u64 = planned.lines.iter().map(|line| length(line)).sum();
        next.bytes = head.bytes().and_then(|known| known.checked_add(bytes));
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

    /// Returns the contents of the object: this header and the lines.
    pub(crate) fn with(&self, lines: &[&Line]) -> Result<Bytes, StoreError> {
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

    /// Parses the first line of an object.
    pub(crate) fn read(number: u64, text: &[u8]) -> Result<Self, StoreError> {
        let header: Self = serde_json::from_slice(text).map_err(|_| {
            StoreError::corrupt(format!("part {number} does not begin with a header"))
        })?;
        if header.format > FORMAT {
            return Err(StoreError::refused(format!(
                "part {number} has format {}, which a newer version of claw writes",
                header.format
            )));
        }
        let head = &header.head;
        let is_sound = header.first.checked_add(header.count) == Some(head.lines)
            // The highest number is refused, because no part could follow such a part.
            && number < u64::MAX
            && head.from <= number + 1
            && head.written.is_none_or(|written| written <= number);
        if !is_sound {
            return Err(StoreError::corrupt(format!(
                "the header of part {number} contradicts itself"
            )));
        }
        Ok(header)
    }

    /// Returns the header of a part that marks all earlier parts as deleted. `number` is the number of this part.
    pub(crate) fn end(head: &Head, number: u64) -> Self {
        Self::empty(Head {
            from: number + 1,
            claim: head.claim.clone(),
            ..Head::default()
        })
    }

    /// Whether this part marks all earlier parts as deleted.
    pub(crate) fn is_end(&self, number: u64) -> bool {
        self.head.from > number
    }
}

/// A piece of a part: its header, or one of its lines.
pub(crate) enum Piece {
    Header(u64, Box<Header>),
    Line(Line),
}

/// Splits a part into its pieces, from chunks of any size.
pub(crate) struct Reader {
    number: u64,
    line_limit: usize,
    lines: Lines,
    /// The number of lines that have not arrived yet. `None` until the header has arrived.
    left: Option<u64>,
}

impl Reader {
    pub(crate) fn new(number: u64, line_limit: usize) -> Self {
        Self {
            number,
            line_limit,
            lines: Lines::default(),
            left: None,
        }
    }

    /// Adds these bytes. Returns the pieces that are complete now.
    pub(crate) fn push(&mut self, chunk: &[u8]) -> Result<Vec<Piece>, StoreError> {
        self.lines.push(chunk);
        let mut pieces = Vec::new();
        loop {
            let limit = self.left.map_or(HEADER_LIMIT, |_| self.line_limit);
            let line = self
                .lines
                .next(limit)
                .map_err(|error| StoreError::corrupt(format!("part {}: {error}", self.number)))?;
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
            .map_err(|error| StoreError::corrupt(format!("a line of part {number}: {error}")))?;
        Ok(Piece::Line(line))
    }

    /// Checks that the part was complete. Called after the last byte.
    pub(crate) fn finish(&self) -> Result<(), StoreError> {
        if self.left == Some(0) && self.lines.rest().is_empty() {
            Ok(())
        } else {
            Err(self.wrong_count())
        }
    }

    fn wrong_count(&self) -> StoreError {
        StoreError::corrupt(format!(
            "part {} does not have the lines that its header says",
            self.number
        ))
    }
}

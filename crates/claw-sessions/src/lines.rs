//! Reads the lines of a file from one buffer, with their places.
//!
//! claw-codec also splits lines, for pipes. It returns shared pieces of its buffers, because a message may outlive the
//! buffer, and it does not record places. This module records the place of each line, so that the line can be read
//! again. A line that is only examined needs no shared piece.

use std::io::{self, Read};
use std::ops::Range;

use crate::records::{is_record, records};

/// The number of bytes that are read at once.
const CHUNK: usize = 256 << 10;

/// The maximum length of a line that is held in memory.
pub(crate) const LONGEST: usize = 256 << 20;

/// Reads lines into one reused buffer. A line over the limit is skipped in constant memory.
#[derive(Debug)]
pub(crate) struct Lines<R> {
    reader: R,
    buffer: Vec<u8>,
    /// The range of the buffer that was read and not yet returned is `from..to`.
    from: usize,
    to: usize,
    /// The offset of `from` in the file.
    offset: u64,
    number: u64,
    limit: usize,
    is_at_end: bool,
    /// The last returned line, if the buffer contains it exactly as the file does.
    last: Option<Place>,
    /// The parts of a line that were not returned yet, in reverse order.
    parts: Vec<Place>,
}

/// The place of a line, in the buffer and in the file.
#[derive(Debug, Clone, Copy)]
struct Place {
    /// The position in the buffer at which the line starts. `None` if the line is longer than the limit.
    start: Option<usize>,
    number: u64,
    offset: u64,
    length: u64,
    is_ended: bool,
    /// The offset at which the next line or part of a line begins.
    next: u64,
}

/// A line, without its end.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Line<'a> {
    /// The number of the line, counted from 1.
    pub(crate) number: u64,
    /// The offset at which the line begins.
    pub(crate) offset: u64,
    /// The length of the line without its end.
    pub(crate) length: u64,
    /// The text of the line. `None` if the line is longer than the limit.
    pub(crate) text: Option<&'a [u8]>,
    /// Whether a line end follows. A line without a line end is the last one, and is still being written or was cut
    /// off.
    pub(crate) is_ended: bool,
    /// The offset at which the next item begins.
    pub(crate) next: u64,
    /// Whether the line is a record or blank, if this was checked.
    pub(crate) is_record: bool,
}

impl<R: Read> Lines<R> {
    pub(crate) fn new(reader: R, limit: usize) -> Self {
        Self::from(reader, limit, 0, 0)
    }

    /// Creates a reader that starts at `offset`, after line `number`.
    pub(crate) fn from(reader: R, limit: usize, offset: u64, number: u64) -> Self {
        Self {
            reader,
            buffer: Vec::new(),
            from: 0,
            to: 0,
            offset,
            number,
            limit,
            is_at_end: false,
            last: None,
            parts: Vec::new(),
        }
    }

    /// Returns the next line, or the next part of a line that was [split](Self::split). Returns `None` at the end of
    /// the file.
    pub(crate) fn next(&mut self) -> io::Result<Option<Line<'_>>> {
        let place = self.next_place()?;
        Ok(place.map(|place| self.line(place)))
    }

    /// Returns the next record: a line, or a part of a line that is not a single record.
    pub(crate) fn next_record(&mut self) -> io::Result<Option<Line<'_>>> {
        let Some(mut place) = self.next_place()? else {
            return Ok(None);
        };
        let text = self.line(place).text;
        let mut is_one = text.is_none_or(is_record);
        if !is_one && self.split() {
            place = self.parts.pop().unwrap_or(place);
            is_one = self.line(place).text.is_none_or(is_record);
        }
        Ok(Some(Line {
            is_record: is_one,
            ..self.line(place)
        }))
    }

    /// Splits the last returned line, so that its records are returned next. Returns `false` if the line is itself a
    /// part or cannot be split.
    pub(crate) fn split(&mut self) -> bool {
        let Some(last) = self.last.take() else {
            return false;
        };
        let text = self.line(last).text.unwrap_or_default();
        let found = records(text);
        // A line that contains no record is not split.
        if let [one] = &found[..]
            && (one.len() == text.len() || !is_record(&text[one.clone()]))
        {
            return false;
        }
        let part = |range: &Range<usize>| {
            let is_last = found.last() == Some(range);
            let end = last.offset + range.end as u64;
            Place {
                start: last.start.map(|start| start + range.start),
                offset: last.offset + range.start as u64,
                length: range.len() as u64,
                is_ended: last.is_ended || !is_last,
                next: if is_last { last.next } else { end },
                ..last
            }
        };
        self.parts = found.iter().rev().map(part).collect();
        true
    }

    fn line(&self, place: Place) -> Line<'_> {
        let length = usize::try_from(place.length).unwrap_or_default();
        Line {
            number: place.number,
            offset: place.offset,
            length: place.length,
            text: place.start.map(|start| &self.buffer[start..start + length]),
            is_ended: place.is_ended,
            next: place.next,
            is_record: true,
        }
    }

    fn next_place(&mut self) -> io::Result<Option<Place>> {
        self.last = None;
        if let Some(part) = self.parts.pop() {
            return Ok(Some(part));
        }
        let mut searched = 0;
        let end = loop {
            let unread = &self.buffer[self.from + searched..self.to];
            if let Some(at) = memchr::memchr(b'\n', unread) {
                break Some(searched + at);
            }
            searched = self.to - self.from;
            if searched > self.limit {
                return self.pass(searched as u64).map(Some);
            }
            if self.is_at_end || !self.fill()? {
                break None;
            }
        };
        if end.is_none() && searched == 0 {
            return Ok(None);
        }
        let length = end.unwrap_or(searched);
        let (start, offset) = (self.from, self.offset);
        self.advance(length + usize::from(end.is_some()));
        self.number += 1;
        let place = Place {
            start: (length <= self.limit).then_some(start),
            number: self.number,
            offset,
            length: length as u64,
            is_ended: end.is_some(),
            next: self.offset,
        };
        self.last = Some(place).filter(|place| place.start.is_some());
        Ok(Some(place))
    }

    fn advance(&mut self, bytes: usize) {
        self.from += bytes;
        self.offset += bytes as u64;
    }

    /// Reads more into the buffer. Returns `false` at the end of the file.
    fn fill(&mut self) -> io::Result<bool> {
        if self.from > 0 && self.to + CHUNK > self.buffer.len() {
            self.buffer.copy_within(self.from..self.to, 0);
            self.to -= self.from;
            self.from = 0;
        }
        if self.to + CHUNK > self.buffer.len() {
            // The length is doubled, so that a long line is moved only a few times.
            let length = (self.buffer.len() * 2).max(self.to + CHUNK);
            self.buffer.resize(length.min(self.limit + 2 * CHUNK), 0);
        }
        loop {
            match self.reader.read(&mut self.buffer[self.to..]) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
                Ok(0) => {
                    self.is_at_end = true;
                    return Ok(false);
                }
                Ok(read) => {
                    self.to += read;
                    return Ok(true);
                }
            }
        }
    }

    /// Skips the rest of a line whose first `length` bytes are in the buffer.
    fn pass(&mut self, mut length: u64) -> io::Result<Place> {
        let offset = self.offset;
        self.from = 0;
        self.to = 0;
        self.number += 1;
        let mut is_ended = false;
        while self.fill()? {
            if let Some(at) = memchr::memchr(b'\n', &self.buffer[..self.to]) {
                length += at as u64;
                self.from = at + 1;
                is_ended = true;
                break;
            }
            length += self.to as u64;
            self.to = 0;
        }
        self.offset = offset + length + u64::from(is_ended);
        Ok(Place {
            start: None,
            number: self.number,
            offset,
            length,
            is_ended,
            next: self.offset,
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// A reader that returns its bytes in pieces of the given lengths, then one by one.
    struct Pieces<'a>(&'a [u8], Vec<usize>);

    impl Read for Pieces<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let most = self.1.pop().unwrap_or(1);
            let length = most.min(self.0.len()).min(buffer.len());
            buffer[..length].copy_from_slice(&self.0[..length]);
            self.0 = &self.0[length..];
            Ok(length)
        }
    }

    type Seen = (u64, u64, u64, Option<Vec<u8>>, bool);

    fn seen(bytes: &[u8], pieces: Vec<usize>, limit: usize) -> Vec<Seen> {
        let mut lines = Lines::new(Pieces(bytes, pieces), limit);
        let mut seen = Vec::new();
        while let Some(line) = lines.next().unwrap() {
            let text = line.text.map(<[u8]>::to_vec);
            seen.push((line.number, line.offset, line.length, text, line.is_ended));
        }
        seen
    }

    proptest! {
        #[test]
        fn lines_are_those_between_line_ends(
            lines in proptest::collection::vec("[a-c]{0,9}", 0..9),
            pieces in proptest::collection::vec(1..7_usize, 0..9),
            is_ended: bool,
        ) {
            let mut text = lines.join("\n");
            if is_ended && !text.is_empty() {
                text.push('\n');
            }
            let mut expected: Vec<Seen> = Vec::new();
            let mut offset = 0;
            for line in text.split_inclusive('\n') {
                let plain = line.strip_suffix('\n').unwrap_or(line);
                let kept = (plain.len() <= 5).then(|| plain.as_bytes().to_vec());
                let number = expected.len() as u64 + 1;
                expected.push((number, offset, plain.len() as u64, kept, plain.len() < line.len()));
                offset += line.len() as u64;
            }
            prop_assert_eq!(seen(text.as_bytes(), pieces, 5), expected);
        }
    }
}

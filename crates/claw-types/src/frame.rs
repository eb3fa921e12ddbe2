//! A message together with the line that it came from.

use std::fmt;

/// A decoded value, the number of its line, and that line's exact bytes.
///
/// A frame that nobody changed is sent on from its bytes; [`Frame::value_mut`] forgets them, so
/// that what is sent is always what the value says. `B` is the buffer that holds the line: the
/// codec uses a reference-counted slice of its read buffer, so that keeping the line costs no copy.
#[derive(Clone, PartialEq)]
pub struct Frame<T, B = Vec<u8>> {
    number: u64,
    raw: Option<B>,
    value: T,
}

impl<T, B: AsRef<[u8]>> Frame<T, B> {
    /// A frame read from line `number` (the first line is 1), whose bytes, without the line
    /// ending, are `raw`.
    pub fn new(number: u64, raw: B, value: T) -> Self {
        Self {
            number,
            raw: Some(raw),
            value,
        }
    }

    /// The number of the line in its stream, counted from 1.
    pub fn number(&self) -> u64 {
        self.number
    }

    /// The line as it came, without its line ending. `None` once the value was borrowed mutably.
    pub fn raw(&self) -> Option<&[u8]> {
        self.raw.as_ref().map(AsRef::as_ref)
    }

    /// The buffer that holds the line, to be shared without a copy.
    pub fn raw_buffer(&self) -> Option<&B> {
        self.raw.as_ref()
    }

    /// What the line says.
    pub fn value(&self) -> &T {
        &self.value
    }

    /// What the line says, to be changed. The frame forgets its bytes.
    pub fn value_mut(&mut self) -> &mut T {
        self.raw = None;
        &mut self.value
    }

    /// What the line says, without the line.
    pub fn into_value(self) -> T {
        self.value
    }

    /// The same line with another reading of it.
    pub fn map<U>(self, read: impl FnOnce(T) -> U) -> Frame<U, B> {
        Frame {
            number: self.number,
            raw: self.raw,
            value: read(self.value),
        }
    }
}

impl<T: fmt::Debug, B> fmt::Debug for Frame<T, B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Frame")
            .field("number", &self.number)
            .field("value", &self.value)
            .finish_non_exhaustive()
    }
}

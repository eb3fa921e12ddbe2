//! A message together with its original line.

use std::fmt;

/// A value that was decoded from a line, together with the number and the exact bytes of the line.
///
/// As long as the value is unchanged, the original bytes can be sent on unchanged. After a call of
/// [`Frame::value_mut`], [`Frame::raw`] returns nothing, so that bytes and value can never differ. `B` is the type of the buffer that holds the line. The crate
/// `claw-codec` uses a reference-counted slice of its read buffer as `B`, so that it need not copy the line.
#[derive(Clone, PartialEq)]
pub struct Frame<T, B = Vec<u8>> {
    number: u64,
    line: B,
    is_changed: bool,
    value: T,
}

impl<T, B: AsRef<[u8]>> Frame<T, B> {
    /// Creates a frame for line `number` (the first line is 1) with the bytes `raw`, without the
    /// line ending.
    pub fn new(number: u64, raw: B, value: T) -> Self {
        Self {
            number,
            line: raw,
            is_changed: false,
            value,
        }
    }

    /// Returns the number of the line in its stream, counted from 1.
    pub fn number(&self) -> u64 {
        self.number
    }

    /// Returns the original line without its line ending. Returns `None` after a call of
    /// [`value_mut`](Self::value_mut).
    pub fn raw(&self) -> Option<&[u8]> {
        self.raw_buffer().map(AsRef::as_ref)
    }

    /// Returns the buffer that holds the line, so that the line can be shared without a copy. Returns `None` after a
    /// call of [`value_mut`](Self::value_mut).
    pub fn raw_buffer(&self) -> Option<&B> {
        (!self.is_changed).then_some(&self.line)
    }

    /// Returns the line as it was read, without its line ending, even if the value was changed since.
    pub fn original(&self) -> &[u8] {
        self.line.as_ref()
    }

    /// Returns the decoded value.
    pub fn value(&self) -> &T {
        &self.value
    }

    /// Returns a mutable reference to the decoded value. The bytes of the line may no longer match the value, so
    /// [`raw`](Self::raw) returns `None` from then on. [`original`](Self::original) still returns the bytes.
    pub fn value_mut(&mut self) -> &mut T {
        self.is_changed = true;
        &mut self.value
    }

    /// Returns the decoded value, and discards the bytes of the line.
    pub fn into_value(self) -> T {
        self.value
    }

    /// Converts the value with `read`, and keeps the bytes of the line.
    pub fn map<U>(self, read: impl FnOnce(T) -> U) -> Frame<U, B> {
        Frame {
            number: self.number,
            line: self.line,
            is_changed: self.is_changed,
            value: read(self.value),
        }
    }

    /// Converts the buffer that holds the line, for example into a separate one. The new buffer must hold the same
    /// bytes.
    pub fn map_buffer<C>(self, convert: impl FnOnce(B) -> C) -> Frame<T, C> {
        Frame {
            number: self.number,
            line: convert(self.line),
            is_changed: self.is_changed,
            value: self.value,
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

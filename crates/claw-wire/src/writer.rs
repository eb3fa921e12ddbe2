//! Writes values: every type of the protocol writes its own JSON, by code that is compiled once.
//!
//! The bytes are those that `serde_json` would write, except where some reader would see more than one line.

mod text;

use std::path::PathBuf;

use crate::failed::Failed;
use crate::number::Repr;
use crate::object::{Presence, Shape};
use crate::{Count, Extra, Json, JsonOf, Map, Number, Tri};

/// A type whose values can be written as JSON by a [`Writer`].
pub trait Write {
    /// Writes the value.
    ///
    /// # Errors
    /// Fails if the value has no JSON form.
    fn write(&self, writer: &mut Writer<'_>) -> Result<(), Failed>;

    /// Whether the value is absent. If it is absent, the field that holds the value is not written.
    fn is_absent(&self) -> bool {
        false
    }
}

/// Appends a value to `out` as JSON on one line. If that fails, `out` is unchanged.
pub fn append_line(value: &dyn Write, out: &mut Vec<u8>) -> Result<(), serde_json::Error> {
    append(value, out, None)
}

/// Appends a value, and records the ranges of JSON for which claw has no type.
pub(crate) fn append_with_ranges(
    value: &dyn Write,
    out: &mut Vec<u8>,
    ranges: &mut Vec<UntypedRange>,
) -> Result<(), serde_json::Error> {
    append(value, out, Some(ranges))
}

fn append(
    value: &dyn Write,
    out: &mut Vec<u8>,
    ranges: Option<&mut Vec<UntypedRange>>,
) -> Result<(), serde_json::Error> {
    let start = out.len();
    value.write(&mut Writer { out, ranges }).map_err(|Failed| {
        out.truncate(start);
        // No other value lacks a JSON form.
        serde::ser::Error::custom("path contains invalid UTF-8 characters")
    })
}

/// Writes JSON to a buffer.
pub struct Writer<'a> {
    out: &'a mut Vec<u8>,
    /// The ranges of JSON for which claw has no type, if the caller wants them.
    ranges: Option<&'a mut Vec<UntypedRange>>,
}

/// A range of a JSON text that claw has written. claw has no Rust type for the contents of the range.
#[derive(Debug, Clone, Copy)]
pub struct UntypedRange {
    pub(crate) start: usize,
    pub(crate) end: usize,
    pub(crate) reason: UntypedReason,
}

/// The reason why claw has no Rust type for a range of a JSON text.
#[derive(Debug, Clone, Copy)]
#[expect(
    clippy::exhaustive_enums,
    reason = "who searches has to know all of them"
)]
pub enum UntypedReason {
    /// The range is a value whose form the protocol does not define.
    Free,
    /// The range is the value of a field that the struct does not have. The variant contains the name of the struct.
    Field(&'static str),
    /// The range is a null in an optional field of the struct. The variant contains the name of the struct.
    Null(&'static str),
    /// The range is an object of a kind that this version of the library does not know.
    Kind,
}

impl Writer<'_> {
    /// Writes a struct as a JSON object: first its tags, then those fields that are present, then the unknown fields in
    /// `extra`.
    ///
    /// The function is not generic. So it is compiled once, and not again for each struct.
    pub fn object(
        &mut self,
        shape: &'static Shape,
        fields: &[&dyn Write],
        extra: &Extra,
    ) -> Result<(), Failed> {
        let start = self.out.len();
        let (tags, members) = shape.members.split_at(shape.members.len() - fields.len());
        for tag in tags {
            self.key(tag.text);
            if let Presence::Tag(value) = tag.presence {
                // Constants of the protocol need no escape.
                self.out.push(b'"');
                self.out.extend_from_slice(value.as_bytes());
                self.out.push(b'"');
            }
        }
        for (member, &field) in members.iter().zip(fields) {
            if matches!(member.presence, Presence::Optional | Presence::Tri) && field.is_absent() {
                continue;
            }
            self.key(member.text);
            field.write(self)?;
        }
        if !extra.is_empty() {
            self.extra(shape, fields, extra);
        }
        self.close(start, b'{', b'}');
        Ok(())
    }

    /// Writes a key with its quotes and colon, after a comma.
    #[inline]
    fn key(&mut self, text: &str) {
        self.out.push(b',');
        self.out.extend_from_slice(text.as_bytes());
    }

    /// Closes the object or list that began at `start`. Each of its members has a comma before it. The first comma is
    /// replaced by the opening bracket.
    #[inline]
    fn close(&mut self, start: usize, open: u8, close: u8) {
        match self.out.get_mut(start) {
            Some(first) => *first = open,
            None => self.out.push(open),
        }
        self.out.push(close);
    }

    /// Appends the fields that a struct keeps in `extra`, except keys of tags and of fields that are present.
    ///
    /// A null in an optional field is kept in `extra`; a value that was set since takes precedence. A known key can be
    /// in `extra` only for that reason, or if the caller put it there, and is never written twice.
    #[cold]
    #[inline(never)]
    fn extra(&mut self, shape: &'static Shape, fields: &[&dyn Write], extra: &Extra) {
        let tags = shape.tags();
        for (key, value) in extra.iter() {
            let at = shape.find(key);
            if at.is_some_and(|at| at < tags || !fields[at - tags].is_absent()) {
                continue;
            }
            self.out.push(b',');
            text::string(self.out, key);
            self.out.push(b':');
            let reason = match at {
                Some(_) => UntypedReason::Null(shape.name),
                None => UntypedReason::Field(shape.name),
            };
            self.json(value, reason);
        }
    }

    /// Writes JSON unchanged.
    pub fn json(&mut self, json: &Json, reason: UntypedReason) {
        let start = self.out.len();
        text::raw(self.out, json.as_raw());
        let end = self.out.len();
        if let Some(ranges) = &mut self.ranges {
            ranges.push(UntypedRange { start, end, reason });
        }
    }

    /// Writes a text.
    #[inline]
    pub fn text(&mut self, text: &str) {
        text::string(self.out, text);
    }

    /// Writes a list.
    pub fn list<T: Write>(&mut self, items: &[T]) -> Result<(), Failed> {
        let start = self.out.len();
        // A plain loop, to keep the code that is compiled for each type small.
        let mut next = 0;
        while next < items.len() {
            self.out.push(b',');
            if items[next].write(self).is_err() {
                return Err(Failed);
            }
            next += 1;
        }
        self.close(start, b'[', b']');
        Ok(())
    }
}

impl<T: Write + ?Sized> Write for &T {
    #[inline]
    fn write(&self, writer: &mut Writer<'_>) -> Result<(), Failed> {
        (**self).write(writer)
    }

    #[inline]
    fn is_absent(&self) -> bool {
        (**self).is_absent()
    }
}

impl<T: Write + ?Sized> Write for Box<T> {
    #[inline]
    fn write(&self, writer: &mut Writer<'_>) -> Result<(), Failed> {
        (**self).write(writer)
    }

    #[inline]
    fn is_absent(&self) -> bool {
        (**self).is_absent()
    }
}

impl<T: Write> Write for Option<T> {
    fn write(&self, writer: &mut Writer<'_>) -> Result<(), Failed> {
        if let Some(value) = self {
            value.write(writer)
        } else {
            writer.out.extend_from_slice(b"null");
            Ok(())
        }
    }

    fn is_absent(&self) -> bool {
        self.is_none()
    }
}

impl<T: Write> Write for Tri<T> {
    fn write(&self, writer: &mut Writer<'_>) -> Result<(), Failed> {
        self.value().write(writer)
    }

    fn is_absent(&self) -> bool {
        Self::is_absent(self)
    }
}

impl<T: Write> Write for [T] {
    fn write(&self, writer: &mut Writer<'_>) -> Result<(), Failed> {
        writer.list(self)
    }
}

impl<T: Write> Write for Vec<T> {
    fn write(&self, writer: &mut Writer<'_>) -> Result<(), Failed> {
        writer.list(self)
    }
}

impl<T: Write> Write for Map<T> {
    fn write(&self, writer: &mut Writer<'_>) -> Result<(), Failed> {
        let start = writer.out.len();
        for (key, value) in self.iter() {
            writer.out.push(b',');
            text::string(writer.out, key);
            writer.out.push(b':');
            value.write(writer)?;
        }
        writer.close(start, b'{', b'}');
        Ok(())
    }
}

impl Write for str {
    #[inline]
    fn write(&self, writer: &mut Writer<'_>) -> Result<(), Failed> {
        writer.text(self);
        Ok(())
    }
}

impl Write for String {
    #[inline]
    fn write(&self, writer: &mut Writer<'_>) -> Result<(), Failed> {
        writer.text(self);
        Ok(())
    }
}

impl Write for PathBuf {
    fn write(&self, writer: &mut Writer<'_>) -> Result<(), Failed> {
        writer.text(self.to_str().ok_or(Failed)?);
        Ok(())
    }
}

impl Write for Json {
    fn write(&self, writer: &mut Writer<'_>) -> Result<(), Failed> {
        writer.json(self, UntypedReason::Free);
        Ok(())
    }
}

impl<T> Write for JsonOf<T> {
    fn write(&self, writer: &mut Writer<'_>) -> Result<(), Failed> {
        self.json().write(writer)
    }
}

impl Write for serde_json::Value {
    fn write(&self, writer: &mut Writer<'_>) -> Result<(), Failed> {
        Json::new(self).map_err(|_| Failed)?.write(writer)
    }
}

impl Write for bool {
    fn write(&self, writer: &mut Writer<'_>) -> Result<(), Failed> {
        let word: &[u8] = if *self { b"true" } else { b"false" };
        writer.out.extend_from_slice(word);
        Ok(())
    }
}

impl Write for f64 {
    fn write(&self, writer: &mut Writer<'_>) -> Result<(), Failed> {
        serde_json::to_writer(&mut *writer.out, self).map_err(|_| Failed)
    }
}

impl Write for Number {
    fn write(&self, writer: &mut Writer<'_>) -> Result<(), Failed> {
        match self.0 {
            Repr::Unsigned(n) => n.write(writer),
            Repr::Signed(n) => n.write(writer),
            Repr::Float(n) => n.write(writer),
        }
    }
}

impl Write for Count {
    fn write(&self, writer: &mut Writer<'_>) -> Result<(), Failed> {
        Number::from(*self).write(writer)
    }
}

macro_rules! integers {
    ($($of:ty),+) => {$(
        impl Write for $of {
            fn write(&self, writer: &mut Writer<'_>) -> Result<(), Failed> {
                let mut buffer = itoa::Buffer::new();
                writer.out.extend_from_slice(buffer.format(*self).as_bytes());
                Ok(())
            }
        }
    )+};
}
integers!(u8, u16, u32, u64, i32, i64);

#[cfg(test)]
mod tests;

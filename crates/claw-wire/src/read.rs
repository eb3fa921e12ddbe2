//! Reads values with claw's own reader. Any other source of serde is read by way of its text.
//!
//! Each type is read by one function, which is compiled once. If it were generic over serde's sources, it would be
//! compiled again for each of them, as would every struct inside.

use std::path::PathBuf;

use serde::de::{Deserialize, Deserializer, Error};

use crate::failed::Failed;
use crate::fault::Fault;
use crate::parser::Parser;
use crate::raw::RawText;
use crate::{Count, Json, JsonOf, Map, Number, Tri};

/// A type that claw's own JSON reader, the [`Parser`], can read.
pub trait Read: Sized {
    /// Reads the value at the current position. On an error, the parser has the details.
    fn read(parser: &mut Parser<'_>) -> Result<Self, Failed>;
}

/// Reads a value from a JSON text that consists of this value alone.
///
/// # Errors
/// Fails if the text is not JSON, or does not fit the type `T`. The error has the path to the wrong value, and the
/// position in the text.
pub fn read_text<T: Read>(text: &str) -> Result<T, serde_json::Error> {
    read_whole(text).map_err(|fault| fault.error(text))
}

impl Json {
    /// Reads the value as a type that implements [`Read`]. Meant for claw-types.
    #[doc(hidden)]
    pub fn read_as<T: Read>(&self) -> Result<T, serde_json::Error> {
        read_text(self.as_raw())
    }
}

fn read_whole<T: Read>(text: &str) -> Result<T, Fault> {
    let mut parser = Parser::new(text);
    match T::read(&mut parser) {
        Ok(value) if parser.end().is_ok() => Ok(value),
        _ => Err(parser.into_fault()),
    }
}

/// Reads a value from any serde deserializer. The function asks the deserializer for the JSON text of the value, and
/// reads that text.
///
/// An error has a position, counted from the start of the value, only if the deserializer can lend its text. The
/// deserializer of `serde_json::from_str` can.
pub fn from_text<'de, T: Read, D: Deserializer<'de>>(deserializer: D) -> Result<T, D::Error> {
    let raw = RawText::deserialize(deserializer)?;
    read_whole(&raw.text).map_err(|fault| raw.error(&fault))
}

impl RawText<'_> {
    /// Converts the fault to an error of another deserializer.
    #[cold]
    #[inline(never)]
    fn error<E: Error>(&self, fault: &Fault) -> E {
        if self.is_lent {
            E::custom(fault.error(&self.text))
        } else {
            E::custom(fault.text())
        }
    }
}

/// Reads a value by the type's own `Deserialize`. Use this function to implement [`Read`] for types for which serde's
/// own code is sufficient.
///
/// # Errors
/// Fails if the value does not fit the type `T`. If this crate's parser fails, `serde_json` reads the value again, and
/// the function fails only if `serde_json` fails too.
#[inline]
pub fn by_serde<'de, T: Deserialize<'de>>(parser: &mut Parser<'de>) -> Result<T, Failed> {
    let start = parser.start();
    match T::deserialize(&mut *parser) {
        Ok(value) => Ok(value),
        Err(_) => parser.retry_with_serde_json(start),
    }
}

macro_rules! read_by_serde {
    ($($type:ty),+) => {$(
        impl Read for $type {
            fn read(parser: &mut Parser<'_>) -> Result<Self, Failed> {
                by_serde(parser)
            }
        }
    )+};
}

read_by_serde!(
    bool, u8, u16, u32, u64, i32, i64, f64, PathBuf, Number, Count
);

impl Read for String {
    #[inline]
    fn read(parser: &mut Parser<'_>) -> Result<Self, Failed> {
        parser.text("a string").map(ToOwned::to_owned)
    }
}

impl Read for Json {
    #[inline]
    fn read(parser: &mut Parser<'_>) -> Result<Self, Failed> {
        parser.raw().map(Self::of_raw)
    }
}

impl<T> Read for JsonOf<T> {
    fn read(parser: &mut Parser<'_>) -> Result<Self, Failed> {
        Json::read(parser).map(Self::from)
    }
}

impl<T: Read> Read for Option<T> {
    fn read(parser: &mut Parser<'_>) -> Result<Self, Failed> {
        match parser.null() {
            Ok(true) => Ok(None),
            Ok(false) => match T::read(parser) {
                Ok(value) => Ok(Some(value)),
                Err(error) => Err(error),
            },
            Err(error) => Err(error),
        }
    }
}

impl<T: Read> Read for Box<T> {
    fn read(parser: &mut Parser<'_>) -> Result<Self, Failed> {
        match T::read(parser) {
            Ok(value) => Ok(Self::new(value)),
            Err(error) => Err(error),
        }
    }
}

impl<T: Read> Read for Vec<T> {
    fn read(parser: &mut Parser<'_>) -> Result<Self, Failed> {
        parser.open(b'[', &"a list")?;
        // Nearly every list on the wire has one item.
        let mut list = Self::with_capacity(1);
        let mut begun = false;
        while parser.more(&mut begun, b']')? {
            match T::read(parser) {
                Ok(item) => list.push(item),
                Err(_) => return Err(parser.inside(&format!("[{}]", list.len()))),
            }
        }
        Ok(list)
    }
}

impl<T: Read> Read for Map<T> {
    fn read(parser: &mut Parser<'_>) -> Result<Self, Failed> {
        parser.open(b'{', &"an object")?;
        let mut pairs = Vec::new();
        let mut begun = false;
        while parser.more(&mut begun, b'}')? {
            let key = parser.key()?;
            let key = parser.unescaped(&key).to_owned();
            match T::read(parser) {
                Ok(value) => pairs.push((key, value)),
                Err(_) => return Err(parser.inside(&key)),
            }
        }
        Ok(Self::of_pairs(pairs))
    }
}

/// A place for the value of one field of a struct. It hides the type of the field, so that the code that reads an
/// object is compiled only once for all structs.
pub trait Slot {
    /// Reads the value at the current position.
    fn fill(&mut self, parser: &mut Parser<'_>) -> Result<(), Failed>;
    /// Empties the slot. This is done if the value of the field is null. If the key occurred before, its earlier value
    /// is dropped, because the last value counts.
    fn clear(&mut self);
}

// `match` instead of `?`, to keep the code that is compiled for each type small.
impl<T: Read> Slot for Option<T> {
    fn fill(&mut self, parser: &mut Parser<'_>) -> Result<(), Failed> {
        match T::read(parser) {
            Ok(value) => {
                *self = Some(value);
                Ok(())
            }
            Err(error) => Err(error),
        }
    }

    fn clear(&mut self) {
        *self = None;
    }
}

impl<T: Read> Slot for Tri<T> {
    fn fill(&mut self, parser: &mut Parser<'_>) -> Result<(), Failed> {
        match Option::read(parser) {
            Ok(value) => {
                *self = Self::from_nullable(value);
                Ok(())
            }
            Err(error) => Err(error),
        }
    }

    fn clear(&mut self) {
        *self = Self::Absent;
    }
}

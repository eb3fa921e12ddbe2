//! Free-form JSON, kept as it stands.

use std::fmt;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::RawValue;

use crate::wire::{self, RawText};

mod equal;
mod look;
mod of;

pub use equal::json_equal;
pub use look::JsonIndex;
pub use of::JsonOf;

/// A JSON value whose shape the protocol does not fix: a tool's input, a tool's structured result,
/// an unknown field.
///
/// Holds the value's own text, so that nothing is lost that a number type or a nesting limit would
/// lose, and nothing is spent on a value that nobody reads. [`get`](Self::get), [`as_str`](Self::as_str)
/// and their like look into it as into a [`serde_json::Value`]; [`parse`](Self::parse) reads it as a type
/// of yours; `==` compares by value.
///
/// Reads from every serde source. `#[serde(flatten)] field: Json` is not supported: flattening
/// takes an object apart, and this type keeps one whole.
#[derive(Clone)]
pub struct Json(Box<RawValue>);

impl Json {
    /// `null`.
    pub fn null() -> Self {
        Self(RawValue::NULL.to_owned())
    }

    /// `{}`.
    pub fn empty_object() -> Self {
        Self::new(&serde_json::Map::new()).unwrap_or_else(|_| Self::null())
    }

    /// Any value as JSON.
    ///
    /// # Errors
    /// Where the value has no JSON form (a map whose keys are no text).
    pub fn new<T: Serialize + ?Sized>(value: &T) -> Result<Self, serde_json::Error> {
        serde_json::value::to_raw_value(value).map(Self)
    }

    /// Takes JSON text. Line breaks between tokens are taken out, so that the value stays on one
    /// line when it is sent.
    ///
    /// # Errors
    /// Where the text is not JSON.
    pub fn from_text(text: String) -> Result<Self, serde_json::Error> {
        let raw = RawValue::from_string(text)?;
        Ok(Self(one_line(raw)))
    }

    /// The value's own text, as it came: JSON, in which a string has quotes and escapes.
    /// [`as_str`](Self::as_str) is what a string says.
    pub fn as_raw(&self) -> &str {
        self.0.get()
    }

    /// Takes the text of a value of a source that has been read.
    pub(crate) fn of_raw(text: &str) -> Self {
        Self(one_line(wire::boxed(text)))
    }

    /// Reads the value as one of claw's own types.
    #[cfg(any(feature = "tools", feature = "transcript"))]
    pub(crate) fn read_as<T: wire::Read>(&self) -> Result<T, serde_json::Error> {
        wire::read_text(self.as_raw())
    }

    /// Reads the value as a `T`.
    ///
    /// # Errors
    /// Where it is not a `T`.
    pub fn parse<T: DeserializeOwned>(&self) -> Result<T, serde_json::Error> {
        serde_json::from_str(self.as_raw())
    }

    /// The value as a tree.
    ///
    /// # Errors
    /// Where the tree cannot hold it: nested deeper than `serde_json` goes (128), a lone surrogate.
    pub fn to_value(&self) -> Result<serde_json::Value, serde_json::Error> {
        self.parse()
    }
}

/// The same value on one line.
fn one_line(raw: Box<RawValue>) -> Box<RawValue> {
    let text = raw.get();
    if memchr::memchr2(b'\n', b'\r', text.as_bytes()).is_none() {
        return raw;
    }
    // Inside a string a line break is always escaped: these stand between tokens.
    let text = text.replace(['\n', '\r'], " ");
    RawValue::from_string(text).unwrap_or(raw)
}

impl<'de> Deserialize<'de> for Json {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        RawText::deserialize(deserializer).map(|raw| Self::of_raw(&raw.text))
    }
}

impl Serialize for Json {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

/// By value: the order of keys and the spelling of strings do not count, `0` and `0.0` differ.
impl PartialEq for Json {
    fn eq(&self, other: &Self) -> bool {
        json_equal(self.as_raw(), other.as_raw())
    }
}

impl fmt::Debug for Json {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_raw())
    }
}

impl From<serde_json::Value> for Json {
    fn from(value: serde_json::Value) -> Self {
        // A tree always has a text.
        Self::new(&value).unwrap_or_else(|_| Self::null())
    }
}

//! Free-form JSON, kept unchanged.

use std::fmt;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::RawValue;

use crate::raw::{RawText, boxed};

mod equal;
mod lookup;
mod members;
mod of;

pub use equal::json_equal;
pub use lookup::JsonIndex;
pub use members::members;
pub use of::JsonOf;

/// A JSON value whose form the protocol does not define, such as the input of a tool, the structured result of a tool,
/// or an unknown field.
///
/// The type stores the original text of the value. So the value does not depend on the precision of a number type or on
/// a nesting limit, and a value that is not read is never parsed. [`get`](Self::get), [`as_str`](Self::as_str) and
/// similar methods work like those of [`serde_json::Value`]. [`parse`](Self::parse) deserializes the value. `==`
/// compares values, not texts.
///
/// A `Json` can be deserialized by every serde deserializer. `#[serde(flatten)] field: Json` is not supported, because
/// `flatten` takes an object apart, while a `Json` keeps a value whole.
#[derive(Clone)]
pub struct Json(Box<RawValue>);

impl Json {
    /// Creates the value `null`.
    pub fn null() -> Self {
        Self(RawValue::NULL.to_owned())
    }

    /// Creates the value `{}`.
    pub fn empty_object() -> Self {
        Self::new(&serde_json::Map::new()).unwrap_or_else(|_| Self::null())
    }

    /// Serializes any value as JSON.
    ///
    /// # Errors
    /// Fails if the value has no JSON form. An example is a map whose keys are not text.
    pub fn new<T: Serialize + ?Sized>(value: &T) -> Result<Self, serde_json::Error> {
        serde_json::value::to_raw_value(value).map(Self)
    }

    /// Creates a value from JSON text. Line breaks between tokens become spaces, so that the value is written on one
    /// line.
    ///
    /// # Errors
    /// Fails if the text is not JSON.
    pub fn from_text(text: String) -> Result<Self, serde_json::Error> {
        let raw = RawValue::from_string(text)?;
        Ok(Self(one_line(raw)))
    }

    /// Returns the original JSON text. In this text, a string has its quotes and escapes. [`as_str`](Self::as_str)
    /// returns the contents of a string without them.
    pub fn as_raw(&self) -> &str {
        self.0.get()
    }

    /// Creates a value from JSON text that was already checked. Meant for claw-types.
    #[doc(hidden)]
    pub fn of_raw(text: &str) -> Self {
        Self(one_line(boxed(text)))
    }

    /// Deserializes the value as a `T`.
    ///
    /// # Errors
    /// Fails if the value does not fit the type `T`.
    pub fn parse<T: DeserializeOwned>(&self) -> Result<T, serde_json::Error> {
        serde_json::from_str(self.as_raw())
    }

    /// Returns the value as a [`serde_json::Value`], which is a tree of values.
    ///
    /// # Errors
    /// Fails if a [`serde_json::Value`] cannot hold the value, because it is nested deeper than `serde_json` allows
    /// (128 levels) or contains a lone surrogate.
    pub fn to_value(&self) -> Result<serde_json::Value, serde_json::Error> {
        self.parse()
    }
}

/// Returns the same value on one line.
fn one_line(raw: Box<RawValue>) -> Box<RawValue> {
    let text = raw.get();
    if memchr::memchr2(b'\n', b'\r', text.as_bytes()).is_none() {
        return raw;
    }
    // Inside a string a line break is always escaped, so these are between tokens.
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

/// Compares the values, not the texts. The order of keys and the escapes in strings do not matter, but `0` and `0.0`
/// differ.
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

#[cfg(feature = "schema")]
impl schemars::JsonSchema for Json {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Json".into()
    }
    /// Named, so that every language has one name for it. `tsType` is specific to
    /// json-schema-to-typescript, which otherwise creates an object from an empty schema.
    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({ "description": "Any JSON value.", "tsType": "unknown" })
    }
}

impl From<serde_json::Value> for Json {
    fn from(value: serde_json::Value) -> Self {
        // A tree can always be serialized.
        Self::new(&value).unwrap_or_else(|_| Self::null())
    }
}

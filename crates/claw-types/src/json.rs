//! Free-form JSON, kept as it stands.

use std::borrow::Cow;
use std::fmt;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::RawValue;

use crate::wire::{self, RawText};

mod equal;
mod of;

pub use equal::json_equal;
pub use of::JsonOf;

/// A JSON value whose shape the protocol does not fix: a tool's input, a tool's structured result,
/// an unknown field.
///
/// Holds the value's own text, so that nothing is lost that a number type or a nesting limit would
/// lose, and nothing is spent on a value that nobody reads. Read it with [`get`](Self::get) or
/// [`to_value`](Self::to_value); compare it by value with `==`.
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

    /// What the value says, if it is a string. Half of a surrogate pair is the replacement character.
    ///
    /// ```
    /// use claw_types::Json;
    ///
    /// let input = Json::from_text(r#"{"file_path": "/etc/passwd", "limit": 7}"#.into())?;
    /// let path = input.field("file_path").unwrap_or_else(Json::null);
    /// assert!(path.as_str().is_some_and(|path| path.starts_with("/etc/")));
    /// assert_eq!(path.as_raw(), r#""/etc/passwd""#);
    /// assert_eq!(input.field("limit").unwrap_or_else(Json::null).as_str(), None);
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    pub fn as_str(&self) -> Option<Cow<'_, str>> {
        #[derive(Deserialize)]
        struct Text<'a>(#[serde(borrow)] Cow<'a, str>);
        let raw = self.as_raw();
        if !raw.starts_with('"') {
            return None;
        }
        match serde_json::from_str(raw) {
            Ok(Text(text)) => Some(text),
            Err(_) => serde_json::from_str(&wire::repair(raw))
                .ok()
                .map(Cow::Owned),
        }
    }

    /// Takes the text of a value of a source that has been read.
    pub(crate) fn of_raw(text: &str) -> Self {
        Self(one_line(wire::boxed(text)))
    }

    /// Reads the value as one of claw's own types.
    #[cfg(any(feature = "tools", feature = "transcript"))]
    pub(crate) fn parse<T: wire::Read>(&self) -> Result<T, serde_json::Error> {
        wire::read_text(self.as_raw())
    }

    /// Reads the value as a `T`.
    ///
    /// # Errors
    /// Where it is no `T`.
    pub fn get<T: DeserializeOwned>(&self) -> Result<T, serde_json::Error> {
        serde_json::from_str(self.as_raw())
    }

    /// The value as a tree.
    ///
    /// # Errors
    /// Where the tree cannot hold it: nested deeper than `serde_json` goes (128), a lone surrogate.
    pub fn to_value(&self) -> Result<serde_json::Value, serde_json::Error> {
        self.get()
    }

    /// The value of one key, if this is an object that has it. The last one, where it stands twice. Half of
    /// a surrogate pair anywhere in the object hides nothing: it is read as the replacement character.
    pub fn field(&self, key: &str) -> Option<Self> {
        find(self.as_raw(), key).unwrap_or_else(|_| match wire::repair(self.as_raw()) {
            Cow::Owned(repaired) => find(&repaired, key).ok().flatten(),
            Cow::Borrowed(_) => None,
        })
    }
}

/// The last value of a key in an object's text.
fn find(text: &str, key: &str) -> Result<Option<Json>, serde_json::Error> {
    struct Find<'a>(&'a str);
    impl<'de> serde::de::Visitor<'de> for Find<'_> {
        type Value = Option<Json>;
        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("an object")
        }
        fn visit_map<A: serde::de::MapAccess<'de>>(
            self,
            mut map: A,
        ) -> Result<Self::Value, A::Error> {
            let mut found = None;
            while let Some(key) = map.next_key::<Cow<'de, str>>()? {
                if key == self.0 {
                    found = Some(map.next_value()?);
                } else {
                    map.next_value::<serde::de::IgnoredAny>()?;
                }
            }
            Ok(found)
        }
    }
    let mut deserializer = serde_json::Deserializer::from_str(text);
    Deserializer::deserialize_map(&mut deserializer, Find(key))
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

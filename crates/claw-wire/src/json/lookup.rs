//! Access to free-form JSON, with methods that have the names of the methods of
//! `serde_json::Value`.

use std::borrow::Cow;
use std::fmt;

use serde::Deserializer;
use serde::de::{IgnoredAny, MapAccess, SeqAccess, Visitor};

use super::Json;
use crate::{Number, repair};

/// A type that [`Json::get`] accepts as its argument: a key of an object (`&str`, `String`), or an index of an array
/// (`usize`, counted from 0).
pub trait JsonIndex: Sealed {}

pub trait Sealed {
    fn seek(&self, text: &str) -> Result<Option<Json>, serde_json::Error>;
}

impl JsonIndex for str {}
impl JsonIndex for String {}
impl JsonIndex for usize {}
impl<T: JsonIndex + ?Sized> JsonIndex for &T {}

impl Sealed for str {
    fn seek(&self, text: &str) -> Result<Option<Json>, serde_json::Error> {
        let mut deserializer = serde_json::Deserializer::from_str(text);
        deserializer.deserialize_map(AtKey(self))
    }
}

impl Sealed for String {
    fn seek(&self, text: &str) -> Result<Option<Json>, serde_json::Error> {
        self.as_str().seek(text)
    }
}

impl Sealed for usize {
    fn seek(&self, text: &str) -> Result<Option<Json>, serde_json::Error> {
        let mut deserializer = serde_json::Deserializer::from_str(text);
        deserializer.deserialize_seq(AtIndex(*self))
    }
}

impl<T: Sealed + ?Sized> Sealed for &T {
    fn seek(&self, text: &str) -> Result<Option<Json>, serde_json::Error> {
        (**self).seek(text)
    }
}

impl Json {
    /// Returns the value of a key of an object, or the value at an index of an array. `None` if the value is absent.
    /// Each call scans the text from its beginning. For repeated access, use [`parse`](Self::parse) or
    /// [`to_value`](Self::to_value).
    ///
    /// If an object has the same key twice, the last value counts. A lone surrogate anywhere in the text is read as the
    /// replacement character (U+FFFD).
    ///
    /// ```
    /// # use claw_wire as claw_types;
    /// use claw_types::Json;
    ///
    /// let input = Json::from_text(r#"{"file_path": "/etc/passwd", "lines": [7, 9]}"#.into())?;
    /// let path = input.get("file_path").unwrap_or_else(Json::null);
    /// assert!(path.as_str().is_some_and(|path| path.starts_with("/etc/")));
    /// assert_eq!(input.get("lines").and_then(|lines| lines.get(1)?.as_u64()), Some(9));
    /// assert_eq!(input.pointer("/lines/0").and_then(|line| line.as_u64()), Some(7));
    /// assert!(input.get("limit").is_none());
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    pub fn get(&self, index: impl JsonIndex) -> Option<Self> {
        let raw = self.as_raw();
        index.seek(raw).unwrap_or_else(|_| match repair(raw) {
            Cow::Owned(repaired) => index.seek(&repaired).ok().flatten(),
            Cow::Borrowed(_) => None,
        })
    }

    /// Returns the value to which a JSON pointer (RFC 6901) refers, such as `/edits/0/old_string`. The empty pointer
    /// refers to the whole value.
    pub fn pointer(&self, pointer: &str) -> Option<Self> {
        if pointer.is_empty() {
            return Some(self.clone());
        }
        let mut at = self.clone();
        for token in pointer.strip_prefix('/')?.split('/') {
            at = if at.as_raw().starts_with('[') {
                // An index is written without a sign and without leading zeros.
                let place = token
                    .parse()
                    .ok()
                    .filter(|n: &usize| n.to_string() == token)?;
                at.get(place)?
            } else {
                at.get(token.replace("~1", "/").replace("~0", "~"))?
            };
        }
        Some(at)
    }

    /// Returns the contents of the value if it is a string, and `None` otherwise. A lone surrogate is read as the
    /// replacement character (U+FFFD).
    ///
    /// ```
    /// # use claw_wire as claw_types;
    /// use claw_types::Json;
    ///
    /// let path = Json::new("/etc/passwd")?;
    /// assert_eq!(path.as_str().as_deref(), Some("/etc/passwd"));
    /// assert_eq!(path.as_raw(), r#""/etc/passwd""#);
    /// assert_eq!(Json::null().as_str(), None);
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    pub fn as_str(&self) -> Option<Cow<'_, str>> {
        let raw = self.as_raw();
        if !raw.starts_with('"') {
            return None;
        }
        // Without an escape, the text stands between the quotes.
        if !raw.contains('\\') {
            return Some(Cow::Borrowed(&raw[1..raw.len() - 1]));
        }
        let text = serde_json::from_str(raw).or_else(|_| serde_json::from_str(&repair(raw)));
        text.ok().map(Cow::Owned)
    }

    /// Returns the value if it is `true` or `false`.
    pub fn as_bool(&self) -> Option<bool> {
        match self.as_raw() {
            "true" => Some(true),
            "false" => Some(false),
            _ => None,
        }
    }

    /// Returns the value if it is a non-negative integer that fits into a `u64`.
    pub fn as_u64(&self) -> Option<u64> {
        self.number()?.as_u64()
    }

    /// Returns the value if it is an integer that fits into an `i64`.
    pub fn as_i64(&self) -> Option<i64> {
        self.number()?.as_i64()
    }

    /// Returns the value as a float if it is a number. An integer above 2⁵³ is rounded.
    pub fn as_f64(&self) -> Option<f64> {
        Some(self.number()?.as_f64())
    }

    /// Whether the value is `null`.
    pub fn is_null(&self) -> bool {
        self.as_raw() == "null"
    }

    /// Whether the value is an array.
    pub fn is_array(&self) -> bool {
        self.as_raw().starts_with('[')
    }

    /// Whether the value is an object.
    pub fn is_object(&self) -> bool {
        self.as_raw().starts_with('{')
    }

    fn number(&self) -> Option<Number> {
        self.parse().ok()
    }
}

/// Finds the last value of a key.
struct AtKey<'a>(&'a str);

impl<'de> Visitor<'de> for AtKey<'_> {
    type Value = Option<Json>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut found = None;
        while let Some(key) = map.next_key::<Cow<'de, str>>()? {
            if key == self.0 {
                found = Some(map.next_value()?);
            } else {
                map.next_value::<IgnoredAny>()?;
            }
        }
        Ok(found)
    }
}

/// Finds the value at an index.
struct AtIndex(usize);

impl<'de> Visitor<'de> for AtIndex {
    type Value = Option<Json>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an array")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
        for _ in 0..self.0 {
            if seq.next_element::<IgnoredAny>()?.is_none() {
                return Ok(None);
            }
        }
        let found = seq.next_element()?;
        // The rest of the array must still be read.
        while seq.next_element::<IgnoredAny>()?.is_some() {}
        Ok(found)
    }
}

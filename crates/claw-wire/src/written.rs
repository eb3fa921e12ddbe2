//! Passes a written value to any serializer.
//!
//! Each type writes itself by one function, which is compiled once. If it were generic over serde's serializers, it
//! would be compiled again for each of them, in every program. So a serializer gets the parts of the written text, one
//! by one. JSON that a type keeps is passed on as JSON.

use std::borrow::Cow;
use std::cell::Cell;
use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde::ser::{Error, Serialize, SerializeMap as _, SerializeSeq as _, Serializer};
use serde_json::value::RawValue;

use crate::writer::{UntypedRange, UntypedReason, Write, append_with_ranges};

/// Serializes a value with any serde serializer. The value is first written as JSON text, and the parts of that text
/// are then passed to the serializer.
pub fn by_writer<S: Serializer>(value: &dyn Write, serializer: S) -> Result<S::Ok, S::Error> {
    let (text, ranges) = written_with_ranges(value).map_err(S::Error::custom)?;
    Written::new(&text, &ranges).serialize(serializer)
}

/// Returns the JSON text of a value, and the ranges of this text that hold parts without a Rust type in claw. The
/// ranges are in the order of the text.
pub fn written_with_ranges(
    value: &dyn Write,
) -> Result<(String, Vec<UntypedRange>), serde_json::Error> {
    let (mut text, mut ranges) = (Vec::new(), Vec::new());
    append_with_ranges(value, &mut text, &mut ranges)?;
    let text = String::from_utf8(text).map_err(Error::custom)?;
    Ok((text, ranges))
}

/// Scans a JSON text that claw has written, from its start to its end.
pub struct Written<'a> {
    text: &'a str,
    at: Cell<usize>,
    /// The ranges that are still to come.
    ranges: Cell<&'a [UntypedRange]>,
}

impl<'a> Written<'a> {
    /// Creates a scanner at the start of a text. Pass the text and the ranges that [`written_with_ranges`] returned.
    pub fn new(text: &'a str, ranges: &'a [UntypedRange]) -> Self {
        Self {
            text,
            at: Cell::new(0),
            ranges: Cell::new(ranges),
        }
    }

    /// If a range for which claw has no type begins at this position, steps over the range, and returns its text and
    /// the reason why it has no type. Otherwise returns `None`.
    pub fn untyped(&self) -> Option<(&'a str, UntypedReason)> {
        let (range, behind) = self.ranges.get().split_first()?;
        if range.start != self.at.get() {
            return None;
        }
        self.ranges.set(behind);
        self.at.set(range.end);
        Some((&self.text[range.start..range.end], range.reason))
    }

    /// Returns the byte at this position, or 0 at the end of the text.
    pub fn peek(&self) -> u8 {
        let text = self.text.as_bytes();
        text.get(self.at.get()).copied().unwrap_or(0)
    }

    /// Steps over one byte, which is an opening bracket or the colon after a key.
    pub fn step(&self) {
        self.at.set(self.at.get() + 1);
    }

    /// Whether the list or object ends here. The method also steps over the closing bracket, or over the comma before
    /// the next member.
    pub fn ends(&self, close: u8) -> bool {
        let next = self.peek();
        if next == b',' || next == close {
            self.step();
        }
        next == close || next == 0
    }

    /// Steps over a string at this position, and returns the string's text.
    pub fn string(&self) -> Cow<'a, str> {
        let start = self.at.get();
        let bytes = self.text.as_bytes();
        let (mut end, mut has_escape) = (start + 1, false);
        while let Some(at) = memchr::memchr2(b'"', b'\\', &bytes[end..]) {
            end += at;
            if bytes[end] == b'"' {
                break;
            }
            has_escape = true;
            end += 2;
        }
        self.at.set(end + 1);
        if has_escape {
            // It is written as `serde_json` writes it.
            serde_json::from_str(&self.text[start..=end]).unwrap_or_default()
        } else {
            Cow::Borrowed(&self.text[start + 1..end])
        }
    }

    /// Steps over a number or a word such as `null`, and returns its JSON text.
    pub fn word(&self) -> &'a str {
        let rest = &self.text[self.at.get()..];
        let end = rest.find([',', ']', '}']).unwrap_or(rest.len());
        self.at.set(self.at.get() + end);
        &rest[..end]
    }
}

impl Serialize for Written<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.untyped() {
            Some((json, UntypedReason::Kind)) => return pairs(json)?.serialize(serializer),
            Some((json, _)) => return raw(json)?.serialize(serializer),
            None => {}
        }
        match self.peek() {
            b'{' => {
                self.step();
                let mut map = serializer.serialize_map(None)?;
                while !self.ends(b'}') {
                    map.serialize_key(&*self.string())?;
                    self.step();
                    map.serialize_value(self)?;
                }
                map.end()
            }
            b'[' => {
                self.step();
                let mut list = serializer.serialize_seq(None)?;
                while !self.ends(b']') {
                    list.serialize_element(self)?;
                }
                list.end()
            }
            b'"' => serializer.serialize_str(&self.string()),
            _ => word(self.word(), serializer),
        }
    }
}

/// Serializes a word or a number, as claw's types write them.
fn word<S: Serializer>(word: &str, serializer: S) -> Result<S::Ok, S::Error> {
    match word {
        "null" => return serializer.serialize_unit(),
        "true" => return serializer.serialize_bool(true),
        "false" => return serializer.serialize_bool(false),
        _ => {}
    }
    if let Ok(n) = word.parse::<u64>() {
        serializer.serialize_u64(n)
    } else if let Ok(n) = word.parse::<i64>() {
        serializer.serialize_i64(n)
    } else {
        serializer.serialize_f64(word.parse::<f64>().map_err(S::Error::custom)?)
    }
}

fn raw<E: Error>(json: &str) -> Result<&RawValue, E> {
    serde_json::from_str(json).map_err(E::custom)
}

/// Reads an object key by key, not as one text: a `flatten` or `tag` of another type adds its own keys to the object.
fn pairs<E: Error>(json: &str) -> Result<Pairs<'_>, E> {
    serde_json::from_str(json).map_err(E::custom)
}

/// The keys of an object in order, with the text of their values.
struct Pairs<'a>(Vec<(Cow<'a, str>, &'a RawValue)>);

impl Serialize for Pairs<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(key, value)| (key, value)))
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Pairs<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct PairsVisitor;
        impl<'de> Visitor<'de> for PairsVisitor {
            type Value = Pairs<'de>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Pairs<'de>, A::Error> {
                let mut pairs = Vec::new();
                while let Some(pair) = map.next_entry()? {
                    pairs.push(pair);
                }
                Ok(Pairs(pairs))
            }
        }
        deserializer.deserialize_map(PairsVisitor)
    }
}

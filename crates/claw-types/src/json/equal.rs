//! When two JSON texts say the same.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

/// Whether two JSON texts hold the same value.
///
/// The order of keys and white space do not count, nor how a string escapes its characters. `0` and
/// `0.0` differ, `1e-7` equals `0.0000001`, integers of any length are compared digit by digit, null
/// and absent differ. Of a key that stands twice, the last counts. Texts that are not JSON are equal
/// only to themselves.
pub fn json_equal(a: &str, b: &str) -> bool {
    if a == b {
        return true;
    }
    match (Node::read(a), Node::read(b)) {
        (Some(a), Some(b)) => a.equals(&b),
        _ => false,
    }
}

/// One level of a value; what is below is still text. Values of any depth are compared without
/// holding more than a level of each on the stack at a time.
enum Node<'a> {
    /// `null`, `true`, `false` and numbers, as they are written.
    Plain(&'a str),
    Text(Cow<'a, str>),
    List(Vec<&'a RawValue>),
    Object(BTreeMap<Cow<'a, str>, &'a RawValue>),
}

impl<'a> Node<'a> {
    fn read(text: &'a str) -> Option<Self> {
        let text = text.trim_ascii();
        match text.as_bytes().first()? {
            b'{' => serde_json::from_str::<Pairs<'a>>(text)
                .ok()
                .map(|pairs| Self::Object(pairs.0)),
            b'[' => serde_json::from_str(text).ok().map(Self::List),
            b'"' => Some(Self::Text(match serde_json::from_str::<String>(text) {
                Ok(string) => Cow::Owned(string),
                // A lone surrogate: only the spelling is left to compare.
                Err(_) => Cow::Borrowed(text),
            })),
            _ => Some(Self::Plain(text)),
        }
    }

    fn equals(&self, other: &Self) -> bool {
        // A work list instead of recursion: depth comes from the wire.
        let mut open: Vec<(&RawValue, &RawValue)> = Vec::new();
        if !level(self, other, &mut open) {
            return false;
        }
        while let Some((a, b)) = open.pop() {
            if a.get() == b.get() {
                continue;
            }
            let mut below = Vec::new();
            match (Node::read(a.get()), Node::read(b.get())) {
                (Some(a), Some(b)) if level(&a, &b, &mut below) => open.append(&mut below),
                _ => return false,
            }
        }
        true
    }
}

/// Compares one level and lists the pairs below it.
fn level<'a>(a: &Node<'a>, b: &Node<'a>, open: &mut Vec<(&'a RawValue, &'a RawValue)>) -> bool {
    match (a, b) {
        (Node::Plain(a), Node::Plain(b)) => a == b || same_number(a, b),
        (Node::Text(a), Node::Text(b)) => a == b,
        (Node::List(a), Node::List(b)) if a.len() == b.len() => {
            open.extend(a.iter().copied().zip(b.iter().copied()));
            true
        }
        (Node::Object(a), Node::Object(b)) if a.len() == b.len() => {
            for ((key_a, a), (key_b, b)) in a.iter().zip(b) {
                if key_a != key_b {
                    return false;
                }
                open.push((a, b));
            }
            true
        }
        _ => false,
    }
}

fn same_number(a: &str, b: &str) -> bool {
    // There is no integer `-0`: whoever reads one has a float.
    let float = |text: &str| text.contains(['.', 'e', 'E']) || text == "-0";
    if !(float(a) && float(b)) {
        return false;
    }
    match (a.parse::<f64>(), b.parse::<f64>()) {
        // By bits: `-0.0` and `0.0` are written differently.
        (Ok(a), Ok(b)) => a.to_bits() == b.to_bits() && a.is_finite(),
        _ => false,
    }
}

struct Pairs<'a>(BTreeMap<Cow<'a, str>, &'a RawValue>);

impl<'de: 'a, 'a> Deserialize<'de> for Pairs<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct PairsVisitor;
        impl<'de> Visitor<'de> for PairsVisitor {
            type Value = BTreeMap<Cow<'de, str>, &'de RawValue>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut pairs = BTreeMap::new();
                while let Some((key, value)) = map.next_entry::<Cow<'de, str>, &'de RawValue>()? {
                    pairs.insert(key, value);
                }
                Ok(pairs)
            }
        }
        deserializer.deserialize_map(PairsVisitor).map(Self)
    }
}

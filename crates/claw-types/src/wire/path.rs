//! Where in a message an error is.
//!
//! A path is put before the text of an error while it travels up: `` `message.content[1].text`: … ``.
//! Costs nothing while nothing fails. `serde_json` finds its line and column again in the text of an
//! error that is made from another's, so they survive.

use std::fmt;
use std::marker::PhantomData;

use serde::de::{Deserialize, Deserializer, Error, SeqAccess, Visitor};

/// `error`, seen from one level further out.
#[cold]
#[inline(never)]
pub(crate) fn prefix<E: Error>(segment: &str, error: &E) -> E {
    let text = error.to_string();
    let (path, rest) = split(&text);
    let dot = if path.is_empty() || path.starts_with('[') {
        ""
    } else {
        "."
    };
    // Backticks end the path, and a key of the wire's may hold some: what came after would be taken
    // for the error's own text, and the value in it be shown.
    let segment = segment.replace('`', "'");
    E::custom(format_args!("`{segment}{dot}{path}`: {rest}"))
}

/// An error's path (empty where it has none) and the rest of its text.
pub(crate) fn split(text: &str) -> (&str, &str) {
    text.strip_prefix('`')
        .and_then(|rest| rest.split_once("`: "))
        .unwrap_or(("", text))
}

/// A list whose errors say which item is bad.
pub(crate) struct Indexed<T>(pub(crate) Vec<T>);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Indexed<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_seq(IndexedVisitor(PhantomData))
    }
}

struct IndexedVisitor<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for IndexedVisitor<T> {
    type Value = Indexed<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Indexed<T>, A::Error> {
        // Nearly every list on the wire has one item; more than a page is never reserved ahead.
        let mut list = Vec::with_capacity(seq.size_hint().unwrap_or(1).min(64));
        loop {
            match seq.next_element() {
                Ok(Some(item)) => list.push(item),
                Ok(None) => return Ok(Indexed(list)),
                Err(error) => return Err(prefix(&format!("[{}]", list.len()), &error)),
            }
        }
    }
}

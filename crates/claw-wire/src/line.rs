//! Reads a line, with its tag as a hint.

use std::borrow::Cow;
use std::sync::LazyLock;

use memchr::memmem::Finder;
use serde::de::IgnoredAny;

use crate::DecodeError;
use crate::classify::{Subtype, TagMatch};
use crate::parser::Parser;
use crate::surrogate;
use crate::union::{Union, read_union};

/// Reads one line as a `U`.
///
/// The function first searches the text of the line for a tag, and guesses the kind of message from it. The guess is
/// wrong if, for example, the input of a tool contains `"type":"result"`. A wrong guess only costs time: the struct
/// checks its own tags, and if they do not fit, the line is read again key by key.
pub fn decode_line<U: Union>(line: &[u8]) -> Result<U, DecodeError> {
    let text =
        std::str::from_utf8(line).map_err(|error| DecodeError::not_utf8(error.valid_up_to()))?;
    if let Some(variant) = guess_line::<U>(text)
        && let Some(message) = read_as(variant, text)
    {
        return Ok(message);
    }
    let read = by_keys::<U>(text);
    // A lenient kind that half a pair kept from being read is unknown.
    let is_whole = read.as_ref().is_ok_and(|message| !message.is_unknown());
    if is_whole || !(text.contains("\\ud") || text.contains("\\uD")) {
        return read;
    }
    match (surrogate::repair(text), read) {
        (Cow::Borrowed(_), read) => read,
        // The repair keeps all columns, and a fault elsewhere in the line is more useful to report.
        (Cow::Owned(repaired), Err(_)) => by_keys::<U>(&repaired),
        // A message that is still unknown after the repair keeps its original text.
        (Cow::Owned(repaired), Ok(unknown)) => Ok(by_keys::<U>(&repaired)
            .ok()
            .filter(|message| !message.is_unknown())
            .unwrap_or(unknown)),
    }
}

static TYPE: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new(TYPE_IS));
static SUBTYPE: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new(SUBTYPE_IS));
const TYPE_IS: &str = "\"type\":\"";
const SUBTYPE_IS: &str = "\"subtype\":\"";

/// Returns the variant that the text suggests. Nearly every line starts with its tags. Otherwise the last tags that the
/// table knows are used (the CLI writes `type` near the end of a result).
fn guess_line<U: Union>(text: &str) -> Option<usize> {
    let known = |tag| match U::find(tag, Subtype::Unread) {
        TagMatch::Nothing => None,
        found => Some((found, tag)),
    };
    let first = text
        .strip_prefix('{')
        .and_then(|rest| rest.strip_prefix(TYPE_IS))
        .and_then(plain);
    let (found, tag) = match first.and_then(known) {
        Some(known) => known,
        None => values(&TYPE, text).filter_map(known).last()?,
    };
    if let TagMatch::Variant { index, .. } = found {
        return Some(index);
    }
    let exact = |sub| match U::find(tag, Subtype::Is(sub)) {
        TagMatch::Variant { index, exact: true } => Some(index),
        _ => None,
    };
    let second = first
        .and_then(|tag| text.get(1 + TYPE_IS.len() + tag.len() + 2..))
        .and_then(|rest| rest.strip_prefix(SUBTYPE_IS))
        .and_then(plain);
    // The variant that takes every subtype that no other takes refuses those of others.
    second
        .and_then(exact)
        .or_else(|| values(&SUBTYPE, text).filter_map(exact).last())
        .or_else(|| match U::find(tag, Subtype::Missing) {
            TagMatch::Variant { index, .. } => Some(index),
            _ => None,
        })
}

/// Returns the plain texts that come after a key.
fn values<'a>(key: &'static Finder<'static>, text: &'a str) -> impl Iterator<Item = &'a str> {
    let length = key.needle().len();
    key.find_iter(text.as_bytes())
        .filter_map(move |at| plain(&text[at + length..]))
}

/// Returns the text up to its closing quote, if the quote is near: tags are short.
fn plain(text: &str) -> Option<&str> {
    let near = &text.as_bytes()[..text.len().min(48)];
    memchr::memchr(b'"', near).map(|end| &text[..end])
}

/// Reads the line as the variant that the text suggests.
fn read_as<U: Union>(variant: usize, text: &str) -> Option<U> {
    let mut parser = Parser::new(text);
    let message = U::read_variant(variant, &mut parser, false).ok()?;
    parser.end().ok()?;
    Some(message)
}

/// Reads the line as the variant that the keys of the outermost object name.
fn by_keys<U: Union>(text: &str) -> Result<U, DecodeError> {
    let mut parser = Parser::new(text);
    match read_union(&mut parser) {
        Ok(message) if parser.end().is_ok() => Ok(message),
        _ => Err(decode_error(text, parser)),
    }
}

/// Returns the reason why a line was not read. Text that is not JSON has its own kind of error.
#[cold]
#[inline(never)]
fn decode_error(text: &str, parser: Parser<'_>) -> DecodeError {
    match serde_json::from_str::<IgnoredAny>(text) {
        Err(error) => error.into(),
        Ok(_) if first_byte(text) != Some(b'{') => DecodeError::not_an_object(),
        Ok(_) => parser.into_fault().error(text).into(),
    }
}

fn first_byte(text: &str) -> Option<u8> {
    text.bytes().find(|b| !b.is_ascii_whitespace())
}

//! Equality of JSON texts.

use std::borrow::Cow;

use serde::de::IgnoredAny;

/// Whether two JSON texts represent the same value.
///
/// The order of keys, white space, and the escapes in strings do not matter. An integer and a float differ, such as `0`
/// and `0.0`. Two notations of the same float are equal, such as `1e-7` and `0.0000001`. Integers of any length are
/// compared digit by digit. A key that is null differs from an absent key. If an object has the same key twice, the
/// last value counts. A text that is not JSON is equal only to the same text.
pub fn json_equal(a: &str, b: &str) -> bool {
    if a == b {
        return true;
    }
    match (Flat::read(a), Flat::read(b)) {
        (Some(a), Some(b)) => a.equals(&b),
        _ => false,
    }
}

/// A flat list of the parts of a value, read in one pass and compared in another at any depth. No
/// recursion, because the wire determines the depth.
struct Flat<'a> {
    /// The parts. A part comes after its contents; the last part is the whole.
    parts: Vec<Part<'a>>,
}

enum Part<'a> {
    /// `null`, `true`, `false` or a number, as written.
    Plain(&'a str),
    Text(Cow<'a, str>),
    /// The indexes of the items.
    List(Vec<usize>),
    /// The keys in order, with the indexes of their values.
    Object(Vec<(Cow<'a, str>, usize)>),
}

/// A list or an object that is being read.
struct Open<'a> {
    is_object: bool,
    key: Option<Cow<'a, str>>,
    inside: Vec<(Cow<'a, str>, usize)>,
}

impl<'a> Flat<'a> {
    /// Reads the parts. `None` if the text is not JSON.
    fn read(text: &'a str) -> Option<Self> {
        serde_json::from_str::<IgnoredAny>(text).ok()?;
        // The text is valid JSON, so only its structure is parsed.
        let bytes = text.as_bytes();
        let (mut parts, mut open, mut at) = (Vec::new(), Vec::<Open<'a>>::new(), 0);
        while let Some(byte) = bytes.get(at) {
            let start = at;
            let part = match byte {
                b'{' | b'[' => {
                    open.push(Open {
                        is_object: *byte == b'{',
                        key: None,
                        inside: Vec::new(),
                    });
                    at += 1;
                    continue;
                }
                b'}' | b']' => {
                    at += 1;
                    open.pop()?.close()
                }
                b'"' => {
                    at = end_of_string(bytes, start);
                    let string = unescaped(&text[start..at]);
                    match open.last_mut() {
                        Some(open) if open.is_object && open.key.is_none() => {
                            open.key = Some(string);
                            continue;
                        }
                        _ => Part::Text(string),
                    }
                }
                b',' | b':' | b' ' | b'\t' | b'\n' | b'\r' => {
                    at += 1;
                    continue;
                }
                _ => {
                    let ends = |byte: &u8| b",:]} \t\n\r".contains(byte);
                    let length = bytes[start..].iter().position(ends);
                    at = length.map_or(bytes.len(), |length| start + length);
                    Part::Plain(&text[start..at])
                }
            };
            if let Some(open) = open.last_mut() {
                open.inside
                    .push((open.key.take().unwrap_or_default(), parts.len()));
            }
            parts.push(part);
        }
        Some(Self { parts })
    }

    fn equals(&self, other: &Self) -> bool {
        let (Some(a), Some(b)) = (
            self.parts.len().checked_sub(1),
            other.parts.len().checked_sub(1),
        ) else {
            return false;
        };
        let mut open = vec![(a, b)];
        while let Some((a, b)) = open.pop() {
            match (&self.parts[a], &other.parts[b]) {
                (Part::Plain(a), Part::Plain(b)) if a == b || same_number(a, b) => {}
                (Part::Text(a), Part::Text(b)) if a == b => {}
                (Part::List(a), Part::List(b)) if a.len() == b.len() => {
                    open.extend(a.iter().copied().zip(b.iter().copied()));
                }
                (Part::Object(a), Part::Object(b)) if a.len() == b.len() => {
                    for ((key_a, a), (key_b, b)) in a.iter().zip(b) {
                        if key_a != key_b {
                            return false;
                        }
                        open.push((*a, *b));
                    }
                }
                _ => return false,
            }
        }
        true
    }
}

impl<'a> Open<'a> {
    fn close(mut self) -> Part<'a> {
        if !self.is_object {
            return Part::List(self.inside.into_iter().map(|(_, at)| at).collect());
        }
        // If a key is repeated, its last value counts.
        self.inside
            .sort_by(|(key_a, a), (key_b, b)| key_a.cmp(key_b).then(b.cmp(a)));
        self.inside
            .dedup_by(|(later, _), (first, _)| later == first);
        Part::Object(self.inside)
    }
}

/// Returns the end of the string that begins at `start`, including its quotes.
fn end_of_string(bytes: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    while let Some(found) = memchr::memchr2(b'"', b'\\', &bytes[at..]) {
        at += found;
        if bytes[at] == b'"' {
            return at + 1;
        }
        at += 2;
    }
    bytes.len()
}

/// Returns the contents of a string. A string with a lone surrogate is compared by its spelling.
fn unescaped(string: &str) -> Cow<'_, str> {
    if !string.contains('\\') {
        return Cow::Borrowed(&string[1..string.len() - 1]);
    }
    match serde_json::from_str::<String>(string) {
        Ok(string) => Cow::Owned(string),
        Err(_) => Cow::Borrowed(string),
    }
}

fn same_number(a: &str, b: &str) -> bool {
    // An integer `-0` does not exist: a reader parses it as a float.
    let float = |text: &str| text.contains(['.', 'e', 'E']) || text == "-0";
    if !(float(a) && float(b)) {
        return false;
    }
    match (a.parse::<f64>(), b.parse::<f64>()) {
        // Compares bits, because `-0.0` and `0.0` are written differently.
        (Ok(a), Ok(b)) => a.to_bits() == b.to_bits() && a.is_finite(),
        _ => false,
    }
}

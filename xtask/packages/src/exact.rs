//! JSON values that are compared exactly: numbers by their digits, and texts with halves of surrogate pairs.

use std::collections::BTreeMap;

use serde_json::Value;

/// A JSON value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Exact {
    Null,
    Flag(bool),
    Number(Number),
    /// UTF-16, because half of a surrogate pair is no `char`.
    Text(Vec<u16>),
    List(Vec<Exact>),
    Object(BTreeMap<Vec<u16>, Exact>),
}

/// A number. An integer and a float differ, also if they are as large as each other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Number {
    is_float: bool,
    is_negative: bool,
    /// The digits without zeros at the beginning and at the end.
    digits: String,
    /// The power of ten of the last digit.
    exponent: i64,
}

impl Number {
    /// Whether the number is written with a fraction or an exponent.
    pub(crate) fn is_float(&self) -> bool {
        self.is_float
    }
}

/// The levels that a value may have.
const DEPTH: usize = 600;

impl Exact {
    /// Reads a text that has a JSON value, and nothing else.
    ///
    /// # Errors
    /// Fails at the byte that is named.
    pub(crate) fn read(text: &str) -> Result<Self, String> {
        let mut reader = Reader {
            bytes: text.as_bytes(),
            at: 0,
        };
        let value = reader.value(0);
        reader.space();
        match value {
            Some(value) if reader.at == text.len() => Ok(value),
            _ => Err(format!("no JSON at byte {}", reader.at)),
        }
    }

    /// Returns the value of a key, if this is an object that has it.
    pub(crate) fn get(&self, key: &str) -> Option<&Self> {
        match self {
            Self::Object(members) => members.get(&key.encode_utf16().collect::<Vec<_>>()),
            _ => None,
        }
    }

    /// Whether this is a text or a boolean that equals another one.
    pub(crate) fn is(&self, other: &Value) -> bool {
        match (self, other) {
            (Self::Flag(flag), Value::Bool(other)) => flag == other,
            (Self::Text(text), Value::String(other)) => {
                other.encode_utf16().eq(text.iter().copied())
            }
            _ => false,
        }
    }

    /// Returns the path of the first difference between two values.
    pub(crate) fn difference(&self, other: &Self) -> Option<String> {
        match (self, other) {
            (Self::List(a), Self::List(b)) => {
                let mut pairs = a.iter().zip(b).enumerate();
                let inner = pairs.find_map(|(at, (a, b))| Some((at, a.difference(b)?)));
                match inner {
                    Some((at, path)) => Some(format!("[{at}]{path}")),
                    None => (a.len() != b.len()).then(|| format!("[{}]", a.len().min(b.len()))),
                }
            }
            (Self::Object(a), Self::Object(b)) => a.keys().chain(b.keys()).find_map(|key| {
                let path = match (a.get(key), b.get(key)) {
                    (Some(a), Some(b)) => a.difference(b)?,
                    (None, _) => " is new".to_owned(),
                    (_, None) => " is lost".to_owned(),
                };
                Some(format!(".{}{path}", String::from_utf16_lossy(key)))
            }),
            (a, b) => (a != b).then(|| format!(": {a:?} became {b:?}").chars().take(300).collect()),
        }
    }
}

struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn space(&mut self) {
        while self.peek().is_some_and(|byte| b" \t\r\n".contains(&byte)) {
            self.at += 1;
        }
    }

    /// Passes a text if it is next.
    fn pass(&mut self, text: &str) -> Option<()> {
        let is_next = self.bytes[self.at..].starts_with(text.as_bytes());
        self.at += if is_next { text.len() } else { 0 };
        is_next.then_some(())
    }

    fn value(&mut self, depth: usize) -> Option<Exact> {
        self.space();
        match self.peek()? {
            _ if depth > DEPTH => None,
            b'n' => self.pass("null").map(|()| Exact::Null),
            b't' => self.pass("true").map(|()| Exact::Flag(true)),
            b'f' => self.pass("false").map(|()| Exact::Flag(false)),
            b'"' => self.text().map(Exact::Text),
            b'[' => {
                let mut items = Vec::new();
                self.at += 1;
                self.space();
                if self.pass("]").is_some() {
                    return Some(Exact::List(items));
                }
                loop {
                    items.push(self.value(depth + 1)?);
                    self.space();
                    if self.pass("]").is_some() {
                        return Some(Exact::List(items));
                    }
                    self.pass(",")?;
                }
            }
            b'{' => {
                let mut members = BTreeMap::new();
                self.at += 1;
                self.space();
                if self.pass("}").is_some() {
                    return Some(Exact::Object(members));
                }
                loop {
                    self.space();
                    let key = self.text()?;
                    self.space();
                    self.pass(":")?;
                    let value = self.value(depth + 1)?;
                    // A key may occur twice with the same value.
                    if members.get(&key).is_some_and(|other| *other != value) {
                        return None;
                    }
                    members.insert(key, value);
                    self.space();
                    if self.pass("}").is_some() {
                        return Some(Exact::Object(members));
                    }
                    self.pass(",")?;
                }
            }
            _ => self.number().map(Exact::Number),
        }
    }

    fn text(&mut self) -> Option<Vec<u16>> {
        self.pass("\"")?;
        let mut units = Vec::new();
        loop {
            let start = self.at;
            while !matches!(self.peek()?, b'"' | b'\\' | 0..=0x1f) {
                self.at += 1;
            }
            let plain = std::str::from_utf8(&self.bytes[start..self.at]).ok()?;
            units.extend(plain.encode_utf16());
            self.at += 1;
            match self.bytes[self.at - 1] {
                b'"' => return Some(units),
                b'\\' => {}
                _ => return None,
            }
            self.at += 1;
            units.push(match self.bytes.get(self.at - 1)? {
                b'u' => {
                    let hex = self.bytes.get(self.at..self.at + 4)?;
                    self.at += 4;
                    u16::from_str_radix(std::str::from_utf8(hex).ok()?, 16).ok()?
                }
                b'b' => 8,
                b'f' => 12,
                b'n' => 10,
                b'r' => 13,
                b't' => 9,
                plain @ (b'"' | b'\\' | b'/') => u16::from(*plain),
                _ => return None,
            });
        }
    }

    fn number(&mut self) -> Option<Number> {
        let is_negative = self.pass("-").is_some();
        let whole = self.digits()?;
        let mut fraction = "";
        let mut exponent = 0;
        let mut is_float = false;
        if self.pass(".").is_some() {
            is_float = true;
            fraction = self.digits()?;
        }
        if self.pass("e").or_else(|| self.pass("E")).is_some() {
            is_float = true;
            let is_negative = self.pass("-").is_some();
            if !is_negative {
                self.pass("+");
            }
            let size: i64 = self.digits()?.parse().ok()?;
            exponent = if is_negative { -size } else { size };
        }
        let all = format!("{whole}{fraction}");
        let digits = all.trim_start_matches('0').trim_end_matches('0');
        let zeros = all.len() - all.trim_end_matches('0').len();
        let last = i64::try_from(zeros).ok()? - i64::try_from(fraction.len()).ok()?;
        Some(Number {
            is_float,
            is_negative,
            digits: digits.to_owned(),
            exponent: if digits.is_empty() {
                0
            } else {
                exponent + last
            },
        })
    }

    fn digits(&mut self) -> Option<&'a str> {
        let start = self.at;
        while self.peek().is_some_and(|byte| byte.is_ascii_digit()) {
            self.at += 1;
        }
        let digits = std::str::from_utf8(&self.bytes[start..self.at]).ok()?;
        (!digits.is_empty()).then_some(digits)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn difference(a: &str, b: &str) -> Option<String> {
        Exact::read(a).unwrap().difference(&Exact::read(b).unwrap())
    }

    #[test]
    fn equal_values_may_be_written_in_several_ways() {
        assert_eq!(
            difference(r#"{"a":1,"b":[]}"#, r#" { "b": [], "a" : 1 } "#),
            None
        );
        assert_eq!(
            difference(r#""\ud83d\ude00\/\u0061""#, "\"\u{1f600}/a\""),
            None
        );
        assert_eq!(difference("1e-7", "0.0000001"), None);
        assert_eq!(difference("100.0", "1e2"), None);
        assert_eq!(difference("0.0", "0e5"), None);
    }

    #[test]
    fn the_first_difference_has_its_path() {
        assert_eq!(
            difference(r#"{"a":[{"b":1}]}"#, r#"{"a":[{}]}"#).unwrap(),
            ".a[0].b is lost"
        );
        assert_eq!(difference("{}", r#"{"a":null}"#).unwrap(), ".a is new");
        assert_eq!(difference("[1,2]", "[1]").unwrap(), "[1]");
        for (a, b) in [
            ("1", "1.0"),
            ("0.0", "-0.0"),
            ("12345678901234567890", "12345678901234567891"),
            (r#""\ud83d""#, r#""\ufffd""#),
            ("null", "false"),
            ("0.1", "0.10000000000000001"),
        ] {
            assert!(difference(a, b).is_some(), "{a} {b}");
        }
    }

    #[test]
    fn other_texts_are_refused() {
        for text in [
            "",
            "{",
            "[1,]",
            "nul",
            "1 2",
            "\"\n\"",
            r#"{"a":1,"a":1.0}"#,
            r#""\x""#,
        ] {
            assert!(Exact::read(text).is_err(), "{text}");
        }
        assert!(Exact::read(&"[".repeat(100_000)).is_err());
    }
}

//! Finds values in JSON text without parsing them.
//!
//! The cursor follows strings and brackets, and checks no more of the grammar, because the lines that are shown are
//! parsed strictly later. It uses no recursion, so that no nesting is too deep.

use std::borrow::Cow;

use memchr::memchr2;

/// A position in a line of JSON.
#[derive(Debug)]
pub(crate) struct Cursor<'a> {
    text: &'a [u8],
    at: usize,
}

impl<'a> Cursor<'a> {
    pub(crate) fn new(text: &'a [u8]) -> Self {
        Self { text, at: 0 }
    }

    /// Returns the next byte that is not white space.
    fn peek(&mut self) -> Option<u8> {
        loop {
            let byte = *self.text.get(self.at)?;
            if !byte.is_ascii_whitespace() {
                return Some(byte);
            }
            self.at += 1;
        }
    }

    fn take(&mut self, byte: u8) -> Option<()> {
        (self.peek()? == byte).then(|| self.at += 1)
    }

    /// Whether only white space follows.
    pub(crate) fn is_at_end(&mut self) -> bool {
        self.peek().is_none()
    }

    /// Returns the bytes between the quotes of a string.
    pub(crate) fn string(&mut self) -> Option<&'a [u8]> {
        self.take(b'"')?;
        let start = self.at;
        self.close()?;
        Some(&self.text[start..self.at - 1])
    }

    /// Moves past the quote that ends a string.
    fn close(&mut self) -> Option<()> {
        // Most strings are short. For them, a call of memchr would take longer than this loop.
        let near = self.text.len().min(self.at + 16);
        while self.at < near {
            match self.text[self.at] {
                b'"' => {
                    self.at += 1;
                    return Some(());
                }
                b'\\' => break,
                _ => self.at += 1,
            }
        }
        loop {
            let rest = self.text.get(self.at..)?;
            let found = memchr2(b'"', b'\\', rest)?;
            self.at += found + 1;
            if rest[found] == b'"' {
                return Some(());
            }
            self.at += 1;
        }
    }

    /// Moves past a value.
    pub(crate) fn skip(&mut self) -> Option<()> {
        let mut depth = 0_usize;
        loop {
            match self.peek()? {
                b'"' => {
                    self.at += 1;
                    self.close()?;
                }
                b'{' | b'[' => {
                    depth += 1;
                    self.at += 1;
                    continue;
                }
                b'}' | b']' => {
                    depth = depth.checked_sub(1)?;
                    self.at += 1;
                }
                b',' | b':' if depth > 0 => {
                    self.at += 1;
                    continue;
                }
                _ => self.scalar()?,
            }
            if depth == 0 {
                return Some(());
            }
        }
    }

    /// Moves past a number, `true`, `false` or `null`.
    fn scalar(&mut self) -> Option<()> {
        let rest = &self.text[self.at..];
        let is_part =
            |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'+' | b'.');
        let length = rest.iter().take_while(|byte| is_part(byte)).count();
        let word = &rest[..length];
        let is_one = matches!(word, b"true" | b"false" | b"null")
            || word
                .first()
                .is_some_and(|first| first.is_ascii_digit() || *first == b'-');
        self.at += length;
        is_one.then_some(())
    }

    /// Returns the text of a value.
    pub(crate) fn value(&mut self) -> Option<&'a [u8]> {
        self.peek()?;
        let start = self.at;
        self.skip()?;
        Some(&self.text[start..self.at])
    }

    /// Visits the members of an object. The visitor moves the cursor past each value. Returns `None` if the value is
    /// not an object, or is incomplete.
    pub(crate) fn object(
        &mut self,
        mut visit: impl FnMut(&[u8], &mut Self) -> Option<()>,
    ) -> Option<()> {
        self.take(b'{')?;
        if self.peek()? == b'}' {
            return self.take(b'}');
        }
        loop {
            let key = self.string()?;
            self.take(b':')?;
            match plain(key) {
                Cow::Borrowed(key) => visit(key, self)?,
                Cow::Owned(key) => visit(&key, self)?,
            }
            if self.peek()? != b',' {
                return self.take(b'}');
            }
            self.at += 1;
        }
    }

    /// Visits the items of an array.
    pub(crate) fn array(&mut self, mut visit: impl FnMut(&mut Self) -> Option<()>) -> Option<()> {
        self.take(b'[')?;
        if self.peek()? == b']' {
            return self.take(b']');
        }
        loop {
            visit(self)?;
            if self.peek()? != b',' {
                return self.take(b']');
            }
            self.at += 1;
        }
    }

    /// Returns the bytes of a string, or nothing for any other value. Moves past the value in both cases.
    #[expect(
        clippy::option_option,
        reason = "the outer is whether the line can be read, the inner whether it has the value"
    )]
    pub(crate) fn text(&mut self) -> Option<Option<Cow<'a, [u8]>>> {
        if self.peek()? == b'"' {
            Some(Some(plain(self.string()?)))
        } else {
            self.skip()?;
            Some(None)
        }
    }

    /// Whether a value counts as true in JavaScript.
    pub(crate) fn is_truthy(&mut self) -> Option<bool> {
        let value = self.value()?;
        Some(!matches!(
            value,
            b"false" | b"null" | b"0" | b"-0" | b"\"\""
        ))
    }

    /// Returns the position of the next value, for [`from`](Self::from).
    pub(crate) fn place(&mut self) -> usize {
        self.peek();
        self.at
    }

    /// Returns the bytes since a position.
    pub(crate) fn from(&self, place: usize) -> &'a [u8] {
        &self.text[place..self.at]
    }

    /// Whether a string begins here.
    pub(crate) fn is_string(&mut self) -> bool {
        self.peek() == Some(b'"')
    }

    /// Whether an object begins here.
    pub(crate) fn is_object(&mut self) -> bool {
        self.peek() == Some(b'{')
    }

    /// Whether an array begins here.
    pub(crate) fn is_array(&mut self) -> bool {
        self.peek() == Some(b'[')
    }
}

/// Decodes the bytes between the quotes of a string.
fn plain(inner: &[u8]) -> Cow<'_, [u8]> {
    if memchr::memchr(b'\\', inner).is_none() {
        return Cow::Borrowed(inner);
    }
    let mut quoted = String::with_capacity(inner.len() + 2);
    quoted.push('"');
    quoted.push_str(&String::from_utf8_lossy(inner));
    quoted.push('"');
    let text = claw_types::Json::from_text(quoted).ok();
    let text = text.as_ref().and_then(claw_types::Json::as_str);
    text.map_or(Cow::Borrowed(inner), |text| {
        Cow::Owned(text.into_owned().into_bytes())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(text: &str) -> Option<Vec<String>> {
        let mut keys = Vec::new();
        let mut cursor = Cursor::new(text.as_bytes());
        cursor.object(|key, cursor| {
            keys.push(String::from_utf8_lossy(key).into_owned());
            cursor.skip()
        })?;
        cursor.is_at_end().then_some(keys)
    }

    #[test]
    fn members_are_those_of_the_object_itself() {
        let text = r#" {"a" : {"b":[1,"}\""]}, "\u0063":"x\\","d":-1.5e3,"e":[],"f":{}} "#;
        assert_eq!(keys(text).unwrap(), ["a", "c", "d", "e", "f"]);
        assert_eq!(keys("{}").unwrap(), [""; 0]);
    }

    #[test]
    fn what_is_cut_or_glued_is_no_object() {
        for text in [
            "",
            "{",
            r#"{"a"#,
            r#"{"a":"#,
            r#"{"a":1"#,
            r#"{"a":"x}"#,
            r#"{"a":[1}"#,
            r#"{"a":1}{"b":2}"#,
            r#"{"a":nope}"#,
            r#"{"a":"x\"#,
            r#"{"a":1 "b":2}"#,
            "[1]",
            r#"{"a":"b{"a":1}"#,
        ] {
            assert_eq!(keys(text), None, "{text}");
        }
    }

    #[test]
    fn depth_is_no_matter() {
        let deep = format!(
            "{{\"a\":{}{}}}",
            "[".repeat(1_000_000),
            "]".repeat(1_000_000)
        );
        assert_eq!(keys(&deep).unwrap(), ["a"]);
    }
}

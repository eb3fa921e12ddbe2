//! Finds members of an object whose text is incomplete: only its start or its end is available.

/// Returns the text of a member of the outermost object. `head` is the beginning of the object's
/// text.
pub(crate) fn text_at_start(head: &[u8], key: &str) -> Option<String> {
    let mut scan = Scan::new(head);
    scan.find(|depth, member| depth == 1 && member == key)
}

/// Returns the text of a member of `outer`, which is a member of the outermost object.
pub(super) fn text_inside(head: &[u8], outer: &str, key: &str) -> Option<String> {
    let mut scan = Scan::new(head);
    let mut inside = false;
    scan.find(|depth, member| {
        if depth == 1 {
            inside = member == outer;
        }
        inside && depth == 2 && member == key
    })
}

/// Returns the text of a member of the outermost object. `tail` is the end of the object's text. A
/// member belongs to the outermost object if the text after it closes exactly one object.
pub(super) fn text_at_end(tail: &[u8], key: &str) -> Option<String> {
    let quoted = format!("\"{key}\"");
    let places = memchr::memmem::find_iter(tail, quoted.as_bytes());
    let mut found = places.filter_map(|at| {
        let (text, after) = value(tail, at + quoted.len())?;
        let mut rest = Scan::new(&tail[after..]);
        while rest.next_string().is_some() {}
        (rest.depth == -1 && rest.at == rest.text.len()).then_some(text)
    });
    found.next()
}

/// Scans JSON. Recognises only strings and brackets.
struct Scan<'a> {
    text: &'a [u8],
    at: usize,
    depth: i64,
}

impl<'a> Scan<'a> {
    fn new(text: &'a [u8]) -> Self {
        Self {
            text,
            at: 0,
            depth: 0,
        }
    }

    /// Returns the text of the first member whose depth and name match.
    fn find(&mut self, mut is_match: impl FnMut(i64, &str) -> bool) -> Option<String> {
        loop {
            let key = self.next_string()?;
            let is_key = self.text[self.at..].trim_ascii_start().first() == Some(&b':');
            if is_key && is_match(self.depth, &key) {
                return value(self.text, self.at).map(|(text, _)| text);
            }
        }
    }

    /// Returns the next complete string and moves past it. `None` at the end of the text.
    fn next_string(&mut self) -> Option<String> {
        while let Some(byte) = self.text.get(self.at) {
            match byte {
                b'{' | b'[' => self.depth += 1,
                b'}' | b']' => self.depth -= 1,
                b'"' => {
                    let Some(end) = end_of_string(self.text, self.at) else {
                        // The text is cut off inside a string, so its brackets cannot be matched.
                        self.at = self.text.len() + 1;
                        return None;
                    };
                    let string = &self.text[self.at..end];
                    self.at = end;
                    return Some(serde_json::from_slice(string).unwrap_or_default());
                }
                _ => {}
            }
            self.at += 1;
        }
        None
    }
}

/// Returns the string value of the key that ends at `at`, and the position at which this value
/// ends.
fn value(text: &[u8], at: usize) -> Option<(String, usize)> {
    let rest = text[at..]
        .trim_ascii_start()
        .strip_prefix(b":")?
        .trim_ascii_start();
    let start = text.len() - rest.len();
    let end = end_of_string(text, start)?;
    Some((serde_json::from_slice(&text[start..end]).ok()?, end))
}

/// Returns the position after the closing quote of the string that starts at `start`.
fn end_of_string(text: &[u8], start: usize) -> Option<usize> {
    if text.get(start) != Some(&b'"') {
        return None;
    }
    let mut escaped = false;
    for (offset, byte) in text[start + 1..].iter().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'"' => return Some(start + offset + 2),
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_start_has_the_outermost_members_alone() {
        let head = br#"{"a":{"type":"inner"},"list":[{"type":"x"}],"s":"\"type\":\"no\"","type" : "result","cut":"#;
        assert_eq!(text_at_start(head, "type").as_deref(), Some("result"));
        assert_eq!(text_at_start(head, "s").as_deref(), Some(r#""type":"no""#));
        assert_eq!(text_at_start(head, "a"), None);
        assert_eq!(text_at_start(head, "none"), None);
        assert_eq!(
            text_at_start(br#"{"message":{"type":"result"#, "type"),
            None
        );
    }

    #[test]
    fn a_value_is_no_key() {
        assert_eq!(text_at_start(br#"{"a":"type","b":"x"}"#, "type"), None);
        assert_eq!(
            text_at_start(br#"{"a":"type","type":"x"}"#, "type").as_deref(),
            Some("x")
        );
    }

    #[test]
    fn a_member_inside_of_one_member() {
        let head =
            br#"{"request_id":"no","response":{"x":{"request_id":"no"},"request_id":"r1","response":""#;
        assert_eq!(
            text_inside(head, "response", "request_id").as_deref(),
            Some("r1")
        );
        assert_eq!(
            text_inside(br#"{"other":{"request_id":"r1"}"#, "response", "request_id"),
            None
        );
    }

    #[test]
    fn an_end_has_the_outermost_members_alone() {
        let tail = br#"it","type":"inner"},"type": "result","n":[1,{"type":"x"}],"u":"}"}"#;
        assert_eq!(text_at_end(tail, "type").as_deref(), Some("result"));
        assert_eq!(text_at_end(br#"..,"type":"tool"}}]}"#, "type"), None);
        assert_eq!(text_at_end(br#"\"type\":\"result\"}"#, "type"), None);
        assert_eq!(text_at_end(b"", "type"), None);
    }
}

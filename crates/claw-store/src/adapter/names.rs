//! Converts parts of keys (projects, sessions, subpaths) to names of files or objects, and back. A part may contain any
//! characters.

use std::borrow::Cow;
use std::fmt::Write as _;

/// The maximum length of a name in bytes, including the endings that the store adds. Every
/// operating system accepts names of this length.
const MOST: usize = 240;

/// Returns the file name for a part of a key. An ordinary part is used as the name without a change. The CLI uses only
/// ordinary parts. In other parts, each byte that is not ordinary becomes `%` and two hexadecimal digits. Different
/// parts have different names. Returns `None` if the name would be too long.
pub fn escaped(part: &str) -> Option<Cow<'_, str>> {
    let mut name = String::new();
    for (at, char) in part.char_indices() {
        if is_plain(part, at, char) {
            name.push(char);
            continue;
        }
        for byte in char.encode_utf8(&mut [0; 4]).bytes() {
            // Writing to a `String` cannot fail.
            let _ = write!(name, "%{byte:02X}");
        }
    }
    if name.is_empty() || name.len() > MOST {
        return None;
    }
    Some(if name == part {
        Cow::Borrowed(part)
    } else {
        Cow::Owned(name)
    })
}

/// Returns the part of a key that has this file name. Returns `None` if no part has this name.
pub fn unescaped(name: &str) -> Option<Cow<'_, str>> {
    let part = decoded(name)?;
    let is_name = escaped(&part).is_some_and(|again| again == name);
    is_name.then_some(part)
}

/// Decodes `%` and two hexadecimal digits to bytes. Returns `None` for an invalid code.
pub fn decoded(text: &str) -> Option<Cow<'_, str>> {
    if !text.contains('%') {
        return Some(Cow::Borrowed(text));
    }
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&byte, behind)) = rest.split_first() {
        rest = behind;
        if byte == b'%' {
            let digits = str::from_utf8(rest.get(..2)?).ok()?;
            bytes.push(u8::from_str_radix(digits, 16).ok()?);
            rest = &rest[2..];
        } else {
            bytes.push(byte);
        }
    }
    String::from_utf8(bytes).ok().map(Cow::Owned)
}

fn is_plain(part: &str, at: usize, char: char) -> bool {
    match char {
        'a'..='z' | 'A'..='Z' => at > 0 || !is_device(part),
        '0'..='9' | '_' | '-' => true,
        // A dot is escaped in three cases: the name would be a hidden file, the name would end in a dot, or its ending
        // would make it look like one of the store's files.
        '.' => {
            let behind = &part[at + 1..];
            let is_end = ["jsonl", "json", "lock"].iter();
            at > 0
                && !behind.is_empty()
                && !is_end.clone().any(|end| behind.eq_ignore_ascii_case(end))
        }
        _ => false,
    }
}

/// Whether Windows reserves the name for a device. Windows ignores a dot and the text after it.
fn is_device(part: &str) -> bool {
    let name = part.split('.').next().unwrap_or(part);
    let name = name.to_ascii_lowercase();
    let is_numbered = |start| {
        let number = name.strip_prefix(start);
        number.is_some_and(|number: &str| matches!(number.as_bytes(), [b'0'..=b'9']))
    };
    matches!(&*name, "con" | "prn" | "aux" | "nul" | "conin$" | "conout$")
        || is_numbered("com")
        || is_numbered("lpt")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn names_of_the_cli_stay_as_they_are() {
        for name in [
            "-work-project",
            "My_project-2",
            "4f6e1c3a-8f0b-4b43-9c57-1f2d3e4a5b6c",
            "agent-a7c62c6a339e64628",
            "subagents",
            "wf_1.2",
        ] {
            assert_eq!(escaped(name).unwrap(), name);
        }
    }

    #[test]
    fn what_is_no_name_of_a_file_is_escaped() {
        for (part, name) in [
            ("..", "%2E%2E"),
            (".", "%2E"),
            (".claw", "%2Eclaw"),
            ("a/b", "a%2Fb"),
            ("a%2Fb", "a%252Fb"),
            ("C:\\x", "C%3A%5Cx"),
            ("nul", "%6Eul"),
            ("COM1.x", "%43OM1.x"),
            ("a.", "a%2E"),
            ("a.jsonl", "a%2Ejsonl"),
            ("a ", "a%20"),
            ("ü", "%C3%BC"),
        ] {
            assert_eq!(escaped(part).unwrap(), name);
            assert_eq!(unescaped(name).unwrap(), part);
        }
        for wrong in [
            "", ".", "a%", "a%2", "%61", "%2f", "%zz", "a b", "%FF", "%+1",
        ] {
            assert_eq!(unescaped(wrong), None, "{wrong}");
        }
        assert_eq!(escaped(&"a".repeat(MOST + 1)), None);
    }

    proptest! {
        #[test]
        fn a_part_is_known_by_its_name(part in any::<String>()) {
            if let Some(name) = escaped(&part) {
                let is_safe = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.%".contains(&byte);
                prop_assert!(name.bytes().all(is_safe) && !name.starts_with('.') && !name.ends_with('.'));
                prop_assert_eq!(unescaped(&name).unwrap(), part.as_str());
            }
        }
    }
}

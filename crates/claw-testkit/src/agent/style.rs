//! Different ways to write the same JSON line. A reader must understand all of them.

use serde::{Deserialize, Serialize};

#[cfg(test)]
mod tests;

/// The style in which an agent writes its lines.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Style {
    /// The lines are written as `claude` writes them: without spaces, and mostly with `type` first.
    #[default]
    Compact,
    /// Like `Compact`, but with a space after every colon and comma.
    Spaced,
    /// The members of the outer object are in reverse order, so that `type` comes last.
    Reordered,
    /// One letter of the value of the outer `type` is written as an escape: `"contro\u006c_request"`.
    Escaped,
}

impl Style {
    /// Writes the JSON of an object in this style. JSON that is not an object only gets the spaces of the style.
    pub(super) fn write(self, line: &str) -> String {
        match self {
            Self::Compact => line.to_owned(),
            Self::Spaced => spaced(line),
            Self::Reordered => {
                let mut members = members(line);
                members.reverse();
                join(line, &members)
            }
            Self::Escaped => {
                let escaped: Vec<String> = members(line).into_iter().map(escape_type).collect();
                join(line, &escaped)
            }
        }
    }
}

fn spaced(line: &str) -> String {
    let mut out = String::with_capacity(line.len() * 5 / 4);
    for (character, in_string) in characters(line) {
        out.push(character);
        if !in_string && matches!(character, ':' | ',') {
            out.push(' ');
        }
    }
    out
}

fn join<S: AsRef<str>>(line: &str, members: &[S]) -> String {
    if members.is_empty() {
        return line.to_owned();
    }
    let members: Vec<&str> = members.iter().map(AsRef::as_ref).collect();
    format!("{{{}}}", members.join(","))
}

/// Returns the members of an object as `"key":value`. Empty for other JSON.
fn members(line: &str) -> Vec<&str> {
    let Some(inner) = line
        .strip_prefix('{')
        .and_then(|line| line.strip_suffix('}'))
    else {
        return Vec::new();
    };
    let mut members = Vec::new();
    let (mut depth, mut start, mut at) = (0_usize, 0, 0);
    for (character, in_string) in characters(inner) {
        if !in_string {
            match character {
                '{' | '[' => depth += 1,
                '}' | ']' => depth = depth.saturating_sub(1),
                ',' if depth == 0 => {
                    members.push(&inner[start..at]);
                    start = at + 1;
                }
                _ => {}
            }
        }
        at += character.len_utf8();
    }
    members.push(&inner[start..]);
    members
}

/// Returns the characters of a line, and for each whether it is inside a string.
fn characters(line: &str) -> impl Iterator<Item = (char, bool)> {
    let (mut in_string, mut escaped) = (false, false);
    line.chars().map(move |character| {
        let was_in_string = in_string;
        match character {
            _ if escaped => escaped = false,
            '\\' if in_string => escaped = true,
            '"' => in_string = !in_string,
            _ => {}
        }
        (character, was_in_string)
    })
}

fn escape_type(member: &str) -> String {
    let Some(value) = member.strip_prefix(r#""type":""#) else {
        return member.to_owned();
    };
    let middle = value.len() / 2;
    match value[middle..].chars().next() {
        Some(letter) if letter.is_ascii_alphanumeric() || letter == '_' => format!(
            r#""type":"{}\u{:04x}{}"#,
            &value[..middle],
            u32::from(letter),
            &value[middle + 1..]
        ),
        _ => member.to_owned(),
    }
}

//! Makes text from the wire safe for a terminal.

pub(crate) use claw_types::{escape, escape_json};

/// Escapes a text, and returns it as one line of at most `max` characters.
pub(crate) fn one_line(text: &str, max: usize) -> String {
    let flat = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let safe = escape(&flat);
    if safe.chars().count() <= max {
        return safe.into_owned();
    }
    safe.chars()
        .take(max.saturating_sub(1))
        .chain(['…'])
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_line_is_one_line() {
        assert_eq!(one_line("a\n  b\u{1b}", 80), "a b\\u{1b}");
        assert_eq!(one_line("abcdef", 3), "ab…");
        assert_eq!(one_line("abc", 3), "abc");
    }
}

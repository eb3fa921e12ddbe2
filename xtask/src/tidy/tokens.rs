//! Splits Rust code into tokens. The tokens are precise enough to find paths and modules.

/// Returns the words, signs and strings of a text in order. `::` is one sign. Comments, lifetimes and character
/// literals are left out.
pub(super) fn tokens(text: &str) -> Vec<&str> {
    let mut rest = text;
    let mut tokens = Vec::new();
    while let Some(first) = rest.chars().next() {
        let length = if first.is_whitespace() {
            first.len_utf8()
        } else if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            block_comment(rest)
        } else if first == '\'' {
            after_quote(rest)
        } else if let Some(length) = string(rest) {
            tokens.push(&rest[..length]);
            length
        } else {
            let length = if is_of_word(first) {
                rest.find(|c| !is_of_word(c)).unwrap_or(rest.len())
            } else if rest.starts_with("::") {
                2
            } else {
                first.len_utf8()
            };
            match &rest[..length] {
                // `b` precedes a character literal, and `r#` precedes a name.
                "b" if rest[1..].starts_with('\'') => {}
                "r" if rest[1..].starts_with('#') => rest = &rest[1..],
                token => tokens.push(token),
            }
            length
        };
        rest = &rest[length..];
    }
    tokens
}

/// Whether a token is a name or a keyword.
pub(super) fn is_name(token: &str) -> bool {
    token
        .chars()
        .next()
        .is_some_and(|first| is_of_word(first) && !first.is_ascii_digit())
        && !token.contains(['"', '\''])
}

fn is_of_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Returns the length of the block comment at the start of a text. The comment may contain other block comments.
fn block_comment(text: &str) -> usize {
    let mut depth = 0;
    let mut at = 0;
    while at < text.len() {
        if text[at..].starts_with("/*") {
            depth += 1;
            at += 2;
        } else if text[at..].starts_with("*/") {
            depth -= 1;
            at += 2;
            if depth == 0 {
                return at;
            }
        } else {
            at += text[at..].chars().next().map_or(1, char::len_utf8);
        }
    }
    at
}

/// Returns the length of the character literal or lifetime at the start of a text.
fn after_quote(text: &str) -> usize {
    let mut inside = text[1..].chars();
    match (inside.next(), inside.next()) {
        // The character after a backslash is part of the escape sequence, even if it is a quote.
        (Some('\\'), Some(escaped)) => {
            let from = 2 + escaped.len_utf8();
            text[from..]
                .find('\'')
                .map_or(text.len(), |at| from + at + 1)
        }
        (Some(character), Some('\'')) => character.len_utf8() + 2,
        _ => text[1..]
            .find(|c| !is_of_word(c))
            .map_or(text.len(), |at| at + 1),
    }
}

/// Returns the length of the string literal at the start of a text, including its prefix.
fn string(text: &str) -> Option<usize> {
    let prefix = text.find(|c| !matches!(c, 'b' | 'c' | 'r'))?;
    let is_raw = text[..prefix].contains('r');
    let hashes = if is_raw {
        text[prefix..].find(|c| c != '#')?
    } else {
        0
    };
    if prefix > 2 || !text[prefix + hashes..].starts_with('"') {
        return None;
    }
    let start = prefix + hashes + 1;
    if is_raw {
        let end = format!("\"{}", "#".repeat(hashes));
        let length = text[start..].find(&end);
        return Some(length.map_or(text.len(), |at| start + at + end.len()));
    }
    let mut is_escaped = false;
    let end = text[start..].find(|c| {
        let ends = c == '"' && !is_escaped;
        is_escaped = c == '\\' && !is_escaped;
        ends
    });
    Some(end.map_or(text.len(), |at| start + at + 1))
}

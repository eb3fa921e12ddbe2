//! Splits a line into words, numbers, signs and bars.

use super::join::join;
use super::number::number_kind;
use super::token::{Kind, Token};
use super::words::Class;

const MARKS: &str = "[](){}<>|\"`=*“”";
const PUNCTUATION: [char; 7] = [',', '.', ':', ';', '!', '?', '…'];

/// Returns the tokens of a line. The parts of one number are joined.
pub(super) fn tokens(line: &str) -> Vec<Token<'_>> {
    let mut tokens = tokenize(line);
    quote(&mut tokens);
    join(&tokens, line)
}

fn tokenize(line: &str) -> Vec<Token<'_>> {
    let mut tokens = Vec::new();
    let mut at = 0;
    let mut glued = false;
    while let Some(c) = line[at..].chars().next() {
        if c.is_whitespace() || c.is_control() {
            at += c.len_utf8();
            glued = false;
            continue;
        }
        let rest = &line[at..];
        let len = if let Some(len) = bar(rest) {
            push(&mut tokens, line, at..at + len, Kind::Bar, glued);
            len
        } else if MARKS.contains(c) {
            push(
                &mut tokens,
                line,
                at..at + c.len_utf8(),
                Kind::Mark(c),
                glued,
            );
            c.len_utf8()
        } else {
            let len = rest
                .find(|c: char| c.is_whitespace() || MARKS.contains(c) || is_block(c))
                .unwrap_or(rest.len());
            chunk(&mut tokens, line, at, &rest[..len], glued);
            len
        };
        at += len;
        glued = true;
    }
    tokens
}

fn push<'a>(
    tokens: &mut Vec<Token<'a>>,
    line: &'a str,
    range: std::ops::Range<usize>,
    kind: Kind,
    glued: bool,
) {
    let text = &line[range.clone()];
    tokens.push(Token {
        kind,
        text,
        at: range.start,
        end: range.end,
        class: if kind == Kind::Word {
            Class::of(text)
        } else {
            Class::default()
        },
        glued,
        quoted: false,
        punctuation: None,
    });
}

/// Whether this sign is one of the non-ASCII signs that progress bars consist of.
fn is_block(c: char) -> bool {
    matches!(
        c,
        '\u{2580}'
            ..='\u{259f}'
                | '■'
                | '□'
                | '▪'
                | '▫'
                | '━'
                | '╸'
                | '╺'
                | '▰'
                | '▱'
                | '●'
                | '○'
    )
}

/// Returns the length of the progress bar at the beginning of the text, in bytes. Returns `None` if there is no bar.
fn bar(text: &str) -> Option<usize> {
    let first = text.chars().next()?;
    if is_block(first) {
        return Some(text.find(|c| !is_block(c)).unwrap_or(text.len()));
    }
    let close = match first {
        '[' => ']',
        '<' => '>',
        '|' => '|',
        '(' => ')',
        '=' | '#' => {
            let len = text
                .find(|c| !matches!(c, '=' | '#' | '>'))
                .unwrap_or(text.len());
            return (len >= 5).then_some(len);
        }
        _ => return None,
    };
    let inner = &text[1..];
    let len = inner
        .find(|c: char| !(matches!(c, '=' | '>' | '#' | '-' | '.' | '*' | ' ') || is_block(c)))?;
    let (fill, after) = inner.split_at(len);
    // In `<===--->`, the last sign can be the tip of the bar as well as the closing bracket. So the bar ends with this
    // sign.
    let (len, ends) = if close == '>' {
        (len + 1, fill.trim_end().ends_with('>'))
    } else {
        (len + 2, after.starts_with(close))
    };
    let drawn = fill.contains(['=', '#']) || fill.contains(is_block);
    let is_bar = drawn || (close == ']' && fill.chars().all(|c| matches!(c, ' ' | '-' | '.')));
    (ends && is_bar && fill.len() >= 4).then_some(len)
}

/// Adds the tokens of a piece of the line. The piece contains no white space, brackets or bars.
fn chunk<'a>(tokens: &mut Vec<Token<'a>>, line: &'a str, at: usize, chunk: &'a str, glued: bool) {
    let start = chunk.len() - chunk.trim_start_matches(['\'', '‘', '~', '≈']).len();
    let core =
        chunk[start..].trim_end_matches(|c| matches!(c, '\'' | '’') || PUNCTUATION.contains(&c));
    let (opened, closed) = (&chunk[..start], &chunk[start + core.len()..]);
    if opened.contains(['\'', '‘']) {
        push(tokens, line, at..at, Kind::Mark('‘'), false);
    }
    let start = at + start;
    let end = start + core.len();
    let mut after = line[end..at + chunk.len()]
        .chars()
        .filter(|c| PUNCTUATION.contains(c));
    // Several consecutive dots do not end a sentence, so they become `…`.
    let punctuation = match (after.next(), after.next()) {
        (Some('.'), Some('.')) => Some('…'),
        (first, _) => first,
    };
    if let Some((label, number)) = core.split_once(':')
        && !label.is_empty()
        && label.chars().all(char::is_alphabetic)
        && matches!(number_kind(number), Some(Kind::Percent(_) | Kind::Pair(..)))
    {
        let middle = start + label.len();
        push(tokens, line, start..middle, Kind::Word, glued);
        if let Some(label) = tokens.last_mut() {
            label.punctuation = Some(':');
        }
        let kind = number_kind(number).unwrap_or(Kind::Other);
        push(tokens, line, middle + 1..end, kind, false);
    } else {
        push(tokens, line, start..end, kind(core), glued);
    }
    if let Some(last) = tokens.last_mut() {
        last.punctuation = punctuation;
    }
    if closed.contains(['\'', '’']) {
        push(tokens, line, end..end, Kind::Mark('’'), true);
    }
}

fn kind(core: &str) -> Kind {
    if let Some(kind) = number_kind(core) {
        return kind;
    }
    let mut chars = core.chars();
    match chars.next() {
        Some(c) if c.is_alphabetic() => {
            let is_word = |c: char| c.is_alphabetic() || matches!(c, '-' | '\'' | '’');
            if chars.all(is_word) {
                Kind::Word
            } else {
                Kind::Other
            }
        }
        _ if core == "/" => Kind::Mark('/'),
        _ if core == "%" => Kind::Mark('%'),
        _ if core.chars().any(char::is_alphanumeric) => Kind::Other,
        _ => Kind::Ornament,
    }
}

/// Sets `quoted` for the tokens between two quotes of the same kind.
fn quote(tokens: &mut [Token<'_>]) {
    for pair in [['"', '"'], ['`', '`'], ['“', '”'], ['‘', '’']] {
        let mut open = None;
        for at in 0..tokens.len() {
            let Kind::Mark(c) = tokens[at].kind else {
                continue;
            };
            match open {
                Some(from) if c == pair[1] => {
                    for token in &mut tokens[from..at] {
                        token.quoted = true;
                    }
                    open = None;
                }
                None if c == pair[0] => open = Some(at),
                _ => {}
            }
        }
    }
}

#[cfg(test)]
mod tests;

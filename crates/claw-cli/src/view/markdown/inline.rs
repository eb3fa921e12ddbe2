//! Divides the text of a line into parts with one style each, such as emphasis and code.

use anstyle::{AnsiColor, Style};

/// The maximum length of emphasis and of code in a line, in bytes. The signs of longer emphasis or code are text.
const LONGEST: usize = 512;
/// The maximum depth of nested emphasis.
const DEEPEST: usize = 8;

/// The context of a text, on which its style depends.
#[derive(Debug, Clone, Copy)]
pub(super) struct Context {
    /// The character before the text.
    pub(super) before: Option<char>,
    /// The style of the surrounding text.
    pub(super) style: Style,
    /// Whether the line ends with the text.
    pub(super) is_whole: bool,
    pub(super) hides_signs: bool,
}

/// Divides a text into parts with their styles. Returns the length of the divided text. Later text may still change the
/// style of the rest.
pub(super) fn spans<'a>(
    text: &'a str,
    context: &Context,
    spans: &mut Vec<(Style, &'a str)>,
) -> usize {
    divide(text, context, DEEPEST, spans)
}

fn divide<'a>(
    text: &'a str,
    context: &Context,
    depth: usize,
    spans: &mut Vec<(Style, &'a str)>,
) -> usize {
    let (mut at, mut plain) = (0, 0);
    let mut before = context.before;
    while let Some(first) = text[at..].chars().next() {
        let rest = &text[at..];
        let found = match first {
            '\\' => escaped(rest, context),
            'h' if before.is_none_or(|c| !c.is_alphanumeric()) => address(rest, context.is_whole),
            '`' => code(rest, context.is_whole),
            '*' | '_' | '~' if depth > 0 => emphasis(rest, first, before, context.is_whole),
            _ => Found::Text(first.len_utf8()),
        };
        let length = match found {
            Found::Text(length) => length,
            Found::Open => break,
            Found::Escaped(length) => {
                push(spans, context.style, &text[plain..at]);
                plain = at + 1;
                length
            }
            Found::Span { sign, length } => {
                push(spans, context.style, &text[plain..at]);
                plain = at + length;
                let inner = &rest[sign..length - sign];
                let style = styled(context, first, sign);
                if !context.hides_signs {
                    push(spans, style, &rest[..sign]);
                }
                if first == '`' {
                    push(spans, style, trimmed(inner, context.hides_signs));
                } else {
                    let context = Context {
                        before: None,
                        style,
                        is_whole: true,
                        ..*context
                    };
                    divide(inner, &context, depth - 1, spans);
                }
                if !context.hides_signs {
                    push(spans, style, &rest[length - sign..length]);
                }
                length
            }
        };
        before = rest[..length].chars().next_back();
        at += length;
    }
    push(spans, context.style, &text[plain..at]);
    at
}

fn push<'a>(spans: &mut Vec<(Style, &'a str)>, style: Style, text: &'a str) {
    if !text.is_empty() {
        spans.push((style, text));
    }
}

/// Returns the style of a text that is enclosed by `count` signs of this kind.
fn styled(context: &Context, sign: char, count: usize) -> Style {
    let style = context.style;
    match (sign, count) {
        ('`', _) if context.hides_signs => style.fg_color(Some(AnsiColor::Cyan.into())),
        ('`', _) => style.dimmed(),
        ('~', _) => style.strikethrough(),
        (_, 1) => style.italic(),
        (_, 2) => style.bold(),
        _ => style.bold().italic(),
    }
}

/// Removes the spaces that only separate code from its signs.
fn trimmed(code: &str, hides_signs: bool) -> &str {
    let inner = code
        .strip_prefix(' ')
        .and_then(|code| code.strip_suffix(' '));
    match inner {
        Some(inner) if hides_signs && !inner.trim().is_empty() => inner,
        _ => code,
    }
}

/// The next element of a text.
enum Found {
    /// Plain text with this number of bytes.
    Text(usize),
    /// A backslash that is not shown and the character after it, with the number of bytes of both.
    Escaped(usize),
    /// A text between signs. `sign` is the length of each sign, and `length` is the total length.
    Span { sign: usize, length: usize },
    /// A sign whose meaning depends on text that has not arrived yet.
    Open,
}

fn escaped(text: &str, context: &Context) -> Found {
    match text[1..].chars().next() {
        None if !context.is_whole => Found::Open,
        Some(next) if next.is_ascii_punctuation() && context.hides_signs => Found::Escaped(2),
        Some(next) if next.is_ascii_punctuation() => Found::Text(2),
        _ => Found::Text(1),
    }
}

/// Treats a web address as plain text, because the signs in it are a part of the address.
fn address(text: &str, is_whole: bool) -> Found {
    let schemes = ["http://", "https://"];
    if schemes.iter().any(|scheme| text.starts_with(scheme)) {
        let window = window(text);
        return match window.find(char::is_whitespace) {
            Some(end) => Found::Text(end),
            None if is_whole || text.len() > LONGEST => Found::Text(window.len()),
            None => Found::Open,
        };
    }
    if !is_whole && schemes.iter().any(|scheme| scheme.starts_with(text)) {
        return Found::Open;
    }
    Found::Text(1)
}

/// Returns the part of a text in which the closing sign must be.
fn window(text: &str) -> &str {
    &text[..text.floor_char_boundary(LONGEST)]
}

fn run(text: &str, sign: char) -> usize {
    text.chars().take_while(|c| *c == sign).count()
}

/// Finds a run of exactly `count` backquotes after the opening run, and returns its start. Returns `None` if there is
/// no such run, or if later text could make it longer.
fn closing(window: &str, count: usize, is_end: bool) -> Option<usize> {
    let mut at = count;
    while let Some(next) = window[at..].find('`') {
        at += next;
        let found = run(&window[at..], '`');
        if found == count && (is_end || at + found < window.len()) {
            return Some(at);
        }
        at += found;
    }
    None
}

fn code(text: &str, is_whole: bool) -> Found {
    let window = window(text);
    let is_end = is_whole && window.len() == text.len();
    let is_certain = is_whole || window.len() < text.len();
    let count = run(window, '`');
    match closing(window, count, is_end) {
        Some(at) => Found::Span {
            sign: count,
            length: at + count,
        },
        None if is_certain => Found::Text(count),
        None => Found::Open,
    }
}

fn emphasis(text: &str, sign: char, before: Option<char>, is_whole: bool) -> Found {
    let window = window(text);
    let is_end = is_whole && window.len() == text.len();
    let is_certain = is_whole || window.len() < text.len();
    let count = run(window, sign);
    let Some(next) = window[count..].chars().next() else {
        return if is_certain {
            Found::Text(count)
        } else {
            Found::Open
        };
    };
    let is_sign = if sign == '~' { count == 2 } else { count <= 3 };
    if !is_sign || next.is_whitespace() || before.is_some_and(char::is_alphanumeric) {
        return Found::Text(count);
    }
    let mut at = count;
    let mut last = sign;
    while let Some(c) = window[at..].chars().next() {
        let rest = &window[at..];
        let length = match c {
            '\\' => 1 + rest[1..].chars().next().map_or(0, char::len_utf8),
            '`' => {
                let count = run(rest, '`');
                match closing(rest, count, is_end) {
                    Some(end) => end + count,
                    None if is_certain => count,
                    // This may be the start of code, and signs in code do not close an emphasis. Later text decides.
                    None => return Found::Open,
                }
            }
            c if c == sign => {
                let found = run(rest, sign);
                let behind = rest[found..].chars().next();
                let is_last = behind.is_none() && !is_end;
                let is_inside = sign == '_' && behind.is_some_and(char::is_alphanumeric);
                if found == count && !last.is_whitespace() && !is_last && !is_inside {
                    return Found::Span {
                        sign: count,
                        length: at + found,
                    };
                }
                found
            }
            c => c.len_utf8(),
        };
        last = rest[..length].chars().next_back().unwrap_or(last);
        at += length;
    }
    if is_certain {
        Found::Text(count)
    } else {
        Found::Open
    }
}

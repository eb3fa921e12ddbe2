//! Determines the kind of a line of Markdown from its start.

use super::Rendering;

/// The maximum indentation of a heading. A line with a deeper indentation is text.
const DEEPEST_HEADING: usize = 3;

/// The kind of a line. `sign` is the number of bytes at its start that define the kind. `shown` is the text that is
/// drawn instead of them.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Blank,
    Text {
        /// The number of columns before the text.
        indent: usize,
    },
    Heading {
        level: usize,
        sign: usize,
    },
    Item {
        sign: usize,
        shown: String,
    },
    Quote {
        sign: usize,
        shown: String,
    },
    /// The line that opens a block of code.
    Fence,
    Rule,
    /// A line that may be a row of a table.
    Row,
}

/// Returns the kind of a line that starts with this text. If `is_whole` is set, the text is the whole line. Returns
/// `None` if more text is needed.
pub(super) fn kind(line: &str, is_whole: bool, rendering: Rendering) -> Option<Kind> {
    let text = line.trim_start_matches([' ', '\t']);
    let indent = line.len() - text.len();
    let Some(first) = text.chars().next() else {
        return is_whole.then_some(Kind::Blank);
    };
    let run = text.chars().take_while(|c| *c == first).count();
    let is_run = run == text.len();
    // Until the line is complete, more text could change its kind.
    let or_text = |is_open: bool| (is_whole || !is_open).then_some(Kind::Text { indent });
    match first {
        '#' if run <= 6 && indent <= DEEPEST_HEADING => match text[run..].chars().next() {
            Some(' ') => Some(Kind::Heading {
                level: run,
                sign: indent + run + 1,
            }),
            next => or_text(next.is_none()),
        },
        '`' | '~' if run < 3 => or_text(is_run),
        '`' if text[run..].contains('`') => or_text(false),
        '`' | '~' => is_whole.then_some(Kind::Fence),
        '|' if rendering != Rendering::Source => is_whole.then_some(Kind::Row),
        '-' | '*' | '_' | '+'
            if text.chars().all(|c| c == first || c == ' ') && rendering != Rendering::Source =>
        {
            let is_rule = first != '+' && text.matches(first).count() >= 3;
            is_whole.then_some(if is_rule {
                Kind::Rule
            } else {
                Kind::Text { indent }
            })
        }
        '-' | '*' | '+' if rendering != Rendering::Source => match text[1..].chars().next() {
            Some(' ') => item(line, indent, indent + 1, is_whole, rendering),
            next => or_text(next.is_none()),
        },
        '0'..='9' if rendering != Rendering::Source => {
            let digits = text.bytes().take_while(u8::is_ascii_digit).count();
            let mut rest = text[digits..].chars();
            match (rest.next(), rest.next()) {
                _ if digits > 9 => or_text(false),
                (Some('.' | ')'), Some(' ')) => {
                    item(line, indent, indent + digits + 1, is_whole, rendering)
                }
                (None, _) | (Some('.' | ')'), None) => or_text(true),
                _ => or_text(false),
            }
        }
        '>' if rendering != Rendering::Source => {
            let sign = match text[1..].chars().next() {
                None if !is_whole => return None,
                Some(' ') => indent + 2,
                _ => indent + 1,
            };
            Some(Kind::Quote {
                sign,
                shown: if rendering.hides_signs() {
                    format!("{}│ ", " ".repeat(indent))
                } else {
                    line[..sign].to_owned()
                },
            })
        }
        _ => or_text(false),
    }
}

/// Returns the kind of a line that may be an item of a list. The sign of the item ends at the byte `end`, before a
/// space.
fn item(
    line: &str,
    indent: usize,
    end: usize,
    is_whole: bool,
    rendering: Rendering,
) -> Option<Kind> {
    let sign = end + 1;
    let shown = |shown: String, sign| Some(Kind::Item { sign, shown });
    if !rendering.hides_signs() {
        return shown(line[..sign].to_owned(), sign);
    }
    let space = " ".repeat(indent);
    let bullet = match &line[indent..end] {
        "-" | "*" | "+" => "•",
        number => number,
    };
    let rest = &line[sign..];
    for (task, tick) in [("[ ] ", "☐"), ("[x] ", "☑"), ("[X] ", "☑")] {
        if rest.starts_with(task) {
            return shown(format!("{space}{tick} "), sign + task.len());
        }
        if !is_whole && task.starts_with(rest) {
            return None;
        }
    }
    shown(format!("{space}{bullet} "), sign)
}

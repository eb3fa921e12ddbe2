//! Finds progress in text: the output of programs and the text of the model.

mod agent;
mod join;
mod measure;
mod number;
mod printed;
mod prose;
mod prose_measure;
mod step;
mod summary;
mod token;
mod tokenizer;
mod words;

use std::borrow::Cow;

pub(super) use self::measure::percentage;
use self::measure::{Line, Measure};
pub(super) use self::prose::Prose;
use self::token::Token;
use super::{Progress, Source};

/// The maximum length of a line. Longer lines are skipped, because people do not read them.
const LONGEST: usize = 4096;

/// Returns the progress that the output of a program shows. If there are several reports of progress, returns the last
/// one.
///
/// The function understands counts of work (`[3/12] Compiling`, `12/40 passed`), percentages of work, started steps
/// and totals of tests. It interprets terminal escape sequences, so overwritten text is ignored.
///
/// ```
/// let progress = claw_view::progress::in_output("[3/12] Compiling main.c").unwrap();
/// assert_eq!((progress.completed, progress.total), (Some(3), Some(12)));
/// assert_eq!(progress.step.as_deref(), Some("Compiling main.c"));
/// assert!(claw_view::progress::in_output("3 of 12 tests failed").is_none());
/// ```
pub fn in_output(text: &str) -> Option<Progress> {
    let text = plain(text);
    let mut best: Option<Best> = None;
    let mut in_diff = false;
    for line in text.split(['\n', '\r']) {
        in_diff = (in_diff && !line.trim().is_empty())
            || line.starts_with("@@ ")
            || line.starts_with("diff --git ");
        let indent = line.len() - line.trim_start().len();
        if let Some(best) = &mut best {
            best.rows += 1;
            best.heads &= indent > best.indent;
        }
        let has_number = line.bytes().any(|byte| byte.is_ascii_digit());
        if !has_number || line.len() > LONGEST || in_diff || is_code(line) {
            continue;
        }
        let tokens = tokenizer::tokens(line);
        let Some((place, step)) = printed(line, &tokens) else {
            continue;
        };
        if best.as_ref().is_some_and(|best| best.stands_before(&place)) {
            continue;
        }
        best = Some(Best {
            place,
            step,
            indent,
            rows: 0,
            heads: true,
        });
    }
    let best = best?;
    Some(best.place.progress(best.step, Source::CommandOutput))
}

/// Returns the progress that a text of the model reports. If there are several reports of progress, returns the last
/// one.
///
/// The function understands counts and percentages of work, started steps, ticked boxes, and mentions of working
/// sub-agents (their progress has no numbers). It ignores code, plans and conditions.
///
/// ```
/// let text = "I'll run the test suite now. Running test 5 of 20...";
/// let progress = claw_view::progress::in_prose(text).unwrap();
/// assert_eq!(progress.step.as_deref(), Some("Running tests"));
/// assert_eq!((progress.completed, progress.total), (Some(5), Some(20)));
/// assert_eq!(progress.percentage, Some(25.0));
/// assert!(claw_view::progress::in_prose("2 of the 3 options keep the API.").is_none());
/// ```
pub fn in_prose(text: &str) -> Option<Progress> {
    prose::progress(text)
}

/// Interprets the terminal escape sequences in a text. Codes for colours are removed. A code that moves the cursor is
/// replaced by a carriage return, because the text after the code overwrites existing text. A backspace removes the
/// character before it.
fn plain(text: &str) -> Cow<'_, str> {
    if !text.contains(['\u{1b}', '\u{8}']) {
        return text.into();
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(['\u{1b}', '\u{8}']) {
        out.push_str(&rest[..at]);
        let code = &rest[at..];
        rest = if let Some(after) = code.strip_prefix('\u{8}') {
            if !out.ends_with('\n') {
                out.pop();
            }
            after
        } else {
            escape(&code[1..], &mut out)
        };
    }
    out.push_str(rest);
    out.into()
}

/// Reads the code after an escape character, and returns the text after the code.
fn escape<'a>(code: &'a str, out: &mut String) -> &'a str {
    let mut chars = code.chars();
    match chars.next() {
        Some('[') => {
            let body = chars.as_str();
            let Some(end) = body.find(|c: char| !('\u{20}'..='\u{3f}').contains(&c)) else {
                return "";
            };
            let mut after = body[end..].chars();
            match after.next() {
                Some('A' | 'B' | 'E' | 'F' | 'G' | 'H' | 'f') => out.push('\r'),
                Some('C') => out.push(' '),
                _ => {}
            }
            after.as_str()
        }
        // The code contains a title or a link. It ends at a bell or at another escape.
        Some(']') => match code.find(['\u{7}', '\u{1b}']) {
            Some(end) if code[end..].starts_with('\u{7}') => &code[end + 1..],
            Some(end) => code[end + 1..].strip_prefix('\\').unwrap_or(&code[end..]),
            None => "",
        },
        _ => chars.as_str(),
    }
}

/// Returns the progress that a printed line reports, and the name of the current step. Returns `None` if it reports
/// none.
fn printed(line: &str, tokens: &[Token<'_>]) -> Option<(Measure, Option<String>)> {
    if let Some(place) = Line::new(tokens, false).place() {
        return Some((place, step::name(line, tokens, place.at, false)));
    }
    let header = step::header(tokens)?;
    Some((
        header.place,
        step::name(line, tokens, header.place.at, false),
    ))
}

/// The progress that is returned if no better one follows, and the indentation of its line.
struct Best {
    place: Measure,
    step: Option<String>,
    indent: usize,
    /// The number of lines that follow the line with this progress.
    rows: usize,
    /// Whether all following lines are indented deeper than the line with this progress.
    heads: bool,
}

impl Best {
    /// Whether this progress is returned instead of a later one that is only a part of it. There are two such cases:
    /// the later lines are indented below this line, or this progress is unfinished and a list of outcomes follows.
    fn stands_before(&self, later: &Measure) -> bool {
        self.heads || (later.is_summary && self.rows <= 2 && !self.place.is_finished())
    }
}

/// Whether a printed line is code, a comment or a line of a diff. Numbers in such lines do not report progress.
fn is_code(line: &str) -> bool {
    let trimmed = line.trim_start();
    let mut chars = trimmed.chars();
    match (chars.next(), chars.next()) {
        (Some('+' | '-'), Some(next)) => {
            next.is_alphanumeric() || matches!(next, ' ' | '\t' | '/' | '"')
        }
        (Some('#'), Some(' ' | '!')) => true,
        _ => trimmed.starts_with("//") || trimmed.starts_with("/*") || trimmed.contains(" // "),
    }
}

#[cfg(test)]
mod tests;

//! Finds numbered steps and their names.

use super::measure::Measure;
use super::token::{Kind, Token};
use super::words::Class;
use crate::progress::Certainty;

/// A numbered step at the start or end of a line.
#[derive(Debug, Clone, Copy)]
pub(super) struct Header {
    pub(super) place: Measure,
    /// Whether the step is at the start of the line. Several steps at the start of lines may form a plan.
    pub(super) leads: bool,
}

/// Finds the numbered step at the start or end of a line, as in `Step 3: …`, `Moving on to step 3` or `Step 3 is done`.
pub(super) fn header(tokens: &[Token<'_>]) -> Option<Header> {
    let at = tokens.iter().position(|token| token.is(Class::STEP))?;
    let [_, number, rest @ ..] = &tokens[at..] else {
        return None;
    };
    let (Kind::Number(done), None) = (number.kind, tokens[at].punctuation) else {
        return None;
    };
    if number.quoted {
        return None;
    }
    let leads = !tokens[..at].iter().any(Token::is_text);
    let next = rest.iter().find(|token| !token.is_mark("*"));
    let titled = matches!(number.punctuation, Some(':' | '.'))
        || next.is_none_or(|next| {
            next.kind == Kind::Ornament || next.is_mark(")>") || next.punctuation == Some(':')
        });
    let begun = match next {
        _ if !leads => {
            let progress_words = Class::GOING
                .and(Class::LAUNCH)
                .and(Class::NOW)
                .and(Class::DONE);
            let before = tokens[..at].iter().filter(|token| token.is_text());
            let mut has_progress = false;
            let plain = before.into_iter().all(|token| {
                has_progress |= token.is(progress_words);
                token.is(progress_words.and(Class::SMALL))
            });
            plain
                && has_progress
                && number.punctuation.is_some() | next.is_none_or(|t| t.kind == Kind::Ornament)
        }
        _ if titled => true,
        Some(next) if next.is(Class::DONE) => true,
        Some(next) if next.reads(&["is", "has"]) => rest
            .iter()
            .take(4)
            .any(|token| token.is(Class::DONE.and(Class::GOING).and(Class::NOW))),
        _ => false,
    };
    begun.then_some(Header {
        place: Measure {
            done: Some(done),
            total: None,
            percentage: None,
            certainty: Certainty::Possible,
            at: at + 1,
            is_summary: false,
        },
        leads: leads && titled,
    })
}

/// The maximum length of a step's name, in characters.
const LONGEST: usize = 80;

/// Returns a name for the current step. It consists of the words before the number. If the line starts with the number,
/// it consists of the words after it.
pub(super) fn name(line: &str, tokens: &[Token<'_>], at: usize, prose: bool) -> Option<String> {
    let is_named = |token: &Token<'_>| {
        token.is_text()
            || token.is_mark("/'\"`()")
            || matches!(token.kind, Kind::Time | Kind::Size(_))
    };
    let before = &tokens[..at];
    let label = |token: &Token<'_>| token.is(Class::STEP);
    let mut words = before.iter().filter(|token| token.is_text());
    if before.iter().any(Token::is_text) && !words.clone().all(label) {
        let end = before.iter().rposition(Token::is_text)? + 1;
        let mut start = before[..end - 1]
            .iter()
            .rposition(|token| token.ends() || !is_named(token))
            .map_or(0, |at| at + 1);
        let going = before[start..end]
            .iter()
            .position(|token| token.is(Class::GOING));
        if prose && going.is_none() {
            let last = tokens.iter().rev().find(|token| token.is_text())?;
            return short(&line[tokens[start].at..last.end.max(tokens[at].end)]);
        }
        start += going.unwrap_or(0);
        let phrase = line.get(before[start].at..before[end - 1].end)?;
        // The name uses the plural of a unit. For example, "Running test 5 of 20" has the name "Running tests".
        let last = &before[end - 1];
        let unit = last.is(Class::UNIT) && !last.text.ends_with('s') && going.is_some();
        return short(&if unit {
            format!("{phrase}s")
        } else {
            phrase.to_owned()
        });
    }
    let rest = &tokens[at + 1..];
    let is_done = rest
        .iter()
        .filter(|token| token.is_text())
        .all(|token| token.is(Class::DONE.and(Class::SMALL)));
    if is_done && let Some(label) = words.next_back() {
        return short(&line[label.at..tokens[at].end]);
    }
    let from = rest.iter().position(Token::is_text)?;
    let to = rest[from..]
        .iter()
        .position(|token| !is_named(token))
        .map_or(rest.len(), |len| from + len);
    let last = rest[from..to].iter().rposition(Token::is_text)? + from;
    short(&line[rest[from].at..rest[last].end])
}

/// Converts a text to a short name on one line. Removes backticks and control characters, and cuts a text that is too
/// long. Returns `None` if nothing is left.
pub(super) fn short(text: &str) -> Option<String> {
    let text = text.trim_end_matches(|c: char| c.is_whitespace() || "(\"`':".contains(c));
    let text = text.replace('`', "");
    let words = text.split(|c: char| c.is_whitespace() || c.is_control());
    let words: Vec<_> = words.filter(|word| !word.is_empty()).collect();
    let text = words.join(" ");
    let text = match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", text[..end].trim_end()),
        None => text,
    };
    text.contains(char::is_alphabetic).then_some(text)
}

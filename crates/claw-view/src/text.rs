//! Shortens texts for display.

use std::borrow::Cow;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use crate::shown::shown;

/// The maximum number of lines in a preview.
const PREVIEW_LINES: usize = 10;
/// The maximum number of characters in a preview.
const PREVIEW_CHARS: usize = 1_000;
/// The maximum length of the argument in the one-line description of a tool use, in characters.
const ARGUMENT_CHARS: usize = 80;
/// The maximum length of a name from a message, in bytes. Names are limited because many elements repeat them.
const LONGEST_NAME: usize = 256;
/// The number of bytes that remain of a name that is too long.
const KEPT_NAME: usize = 64;

shown! {
    /// A preview of a text: the beginning or the end of the text, and how much of the text is hidden.
    #[derive(Default)]
    pub struct Preview {
        /// The beginning or the end of the text: at most 10 lines and 1,000 characters.
        pub text: String,
        /// Whether the preview is the end of the text. Otherwise it is the beginning. The end is used for the text of a
        /// failure, because such a text says at its end what went wrong.
        pub at_end: bool,
        /// The number of lines that are completely hidden.
        pub hidden_lines: u64,
        /// The number of characters that are hidden.
        pub hidden_chars: u64,
    }
}

impl Preview {
    /// Returns a preview that shows the beginning of the text.
    pub fn of(text: &str) -> Self {
        let end = text
            .char_indices()
            .nth(PREVIEW_CHARS)
            .map_or(text.len(), |(at, _)| at);
        let end = text[..end]
            .match_indices('\n')
            .nth(PREVIEW_LINES - 1)
            .map_or(end, |(at, _)| at);
        let (shown, hidden) = text.split_at(end);
        // If only the last line ending is hidden, nothing counts as hidden.
        let hidden = if hidden == "\n" { "" } else { hidden };
        let lines = hidden.strip_suffix('\n').unwrap_or(hidden).matches('\n');
        Self {
            text: shown.to_owned(),
            at_end: false,
            hidden_lines: count(lines.count()),
            hidden_chars: count(hidden.chars().count()),
        }
    }

    /// Returns a preview that shows the end of the text. Use it for the text of a failure.
    pub fn of_end(text: &str) -> Self {
        // A line ending at the end of the text does not begin another line.
        let end = text.strip_suffix('\n').unwrap_or(text);
        let begin = end
            .char_indices()
            .rev()
            .nth(PREVIEW_CHARS - 1)
            .map_or(0, |(at, _)| at);
        let begin = end[begin..]
            .rmatch_indices('\n')
            .nth(PREVIEW_LINES - 1)
            .map_or(begin, |(at, _)| begin + at + 1);
        let (hidden, shown) = text.split_at(begin);
        Self {
            text: shown.to_owned(),
            at_end: true,
            hidden_lines: count(hidden.matches('\n').count()),
            hidden_chars: count(hidden.chars().count()),
        }
    }

    /// Whether the preview hides a part of the text.
    pub fn is_cut(&self) -> bool {
        self.hidden_chars > 0
    }
}

/// Removes escape sequences for colours. These are `ESC [ … m`, and `ESC [ K`, which erases the rest of the line and
/// which some programs write together with colours. All other sequences remain in the text.
pub(crate) fn without_colours(text: &str) -> Cow<'_, str> {
    let mut plain = String::new();
    // `done` is the end of the text that was handled so far. `from` is the position at which the search for the next
    // sequence begins.
    let (mut done, mut from) = (0, 0);
    while let Some(at) = text[from..].find("\u{1b}[").map(|at| from + at) {
        let behind = &text[at + 2..];
        let parameters = behind
            .bytes()
            .take_while(|byte| matches!(byte, b'0'..=b'9' | b';' | b':'));
        let end = at + 2 + parameters.count();
        from = end;
        if matches!(text.as_bytes().get(end), Some(b'm' | b'K')) {
            plain.push_str(&text[done..at]);
            done = end + 1;
            from = done;
        }
    }
    if done == 0 {
        return Cow::Borrowed(text);
    }
    plain.push_str(&text[done..]);
    Cow::Owned(plain)
}

/// Returns the text. A text that is longer than `chars` characters is cut, and `…` is appended.
pub(crate) fn cut(text: &str, chars: usize) -> Cow<'_, str> {
    match text.char_indices().nth(chars) {
        Some((end, _)) => Cow::Owned(format!("{}…", &text[..end])),
        None => Cow::Borrowed(text),
    }
}

/// Returns a name from a message. If the name is too long, returns its beginning and a hash of the whole name. The same
/// name has the same hash in every session.
pub(crate) fn short_name(name: &str) -> Cow<'_, str> {
    if name.len() <= LONGEST_NAME {
        return Cow::Borrowed(name);
    }
    let mut hasher = DefaultHasher::new();
    name.hash(&mut hasher);
    let kept = &name[..name.floor_char_boundary(KEPT_NAME)];
    Cow::Owned(format!("{kept}…{:016x}", hasher.finish()))
}

/// Converts a length to a count.
pub(crate) fn count(length: usize) -> u64 {
    u64::try_from(length).unwrap_or(u64::MAX)
}

/// Returns the path in a short form, such as `.../file.go` for `/path/to/file.go`. If the path contains at most one
/// folder, returns it unchanged.
///
/// ```
/// assert_eq!(claw_view::short_path("/path/to/file.go"), ".../file.go");
/// assert_eq!(claw_view::short_path("src/main.rs"), "src/main.rs");
/// ```
pub fn short_path(path: &str) -> String {
    let is_separator = |c| c == '/' || c == '\\';
    let trimmed = path.trim_end_matches(is_separator);
    let mut parts = trimmed.split(is_separator).filter(|part| !part.is_empty());
    let folders = parts.clone().count().saturating_sub(1);
    match parts.next_back() {
        Some(name) if folders > 1 => format!(".../{name}"),
        _ => path.to_owned(),
    }
}

/// Converts a text to one line. The line is the argument in the description of a tool use. White space is collapsed,
/// control characters are replaced, and a long text is cut.
pub(crate) fn one_line(text: &str) -> String {
    one_line_of(text, ARGUMENT_CHARS)
}

pub(crate) fn one_line_of(text: &str, length: usize) -> String {
    let mut line = String::new();
    let mut kept = 0;
    let mut space = false;
    for c in text.trim_start().chars() {
        if c.is_whitespace() {
            space = true;
            continue;
        }
        if kept + usize::from(space) >= length {
            line.push('…');
            break;
        }
        if space && !line.is_empty() {
            line.push(' ');
            kept += 1;
        }
        space = false;
        line.push(if c.is_control() { '\u{fffd}' } else { c });
        kept += 1;
    }
    line
}

#[cfg(test)]
mod tests;

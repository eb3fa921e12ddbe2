//! Text made short enough to look at.

use std::borrow::Cow;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use crate::shown::shown;

/// How many lines of a long text are shown at first.
const PREVIEW_LINES: usize = 10;
/// How many characters.
const PREVIEW_CHARS: usize = 1_000;
/// How long the argument of a display line gets, in characters.
const ARGUMENT_CHARS: usize = 80;
/// A longer name from the wire is shortened: much that is handed out repeats it.
const LONGEST_NAME: usize = 256;
/// How much of a name is kept that is too long, in bytes.
const KEPT_NAME: usize = 64;

shown! {
    /// The beginning of a long text, and how much of it is hidden.
    #[derive(Default)]
    pub struct Preview {
        /// The beginning: at most 10 lines and 1,000 characters.
        pub text: String,
        /// Lines that are not in it at all.
        pub hidden_lines: u64,
        /// Characters that are not in it.
        pub hidden_chars: u64,
    }
}

impl Preview {
    /// The beginning of a text.
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
        // A line end that nothing follows hides nothing.
        let hidden = if hidden == "\n" { "" } else { hidden };
        let lines = hidden.strip_suffix('\n').unwrap_or(hidden).matches('\n');
        Self {
            text: shown.to_owned(),
            hidden_lines: count(lines.count()),
            hidden_chars: count(hidden.chars().count()),
        }
    }

    /// Whether something is hidden.
    pub fn is_cut(&self) -> bool {
        self.hidden_chars > 0
    }
}

/// The text, and where it is longer than that, its beginning and a sign.
pub(crate) fn cut(text: &str, chars: usize) -> Cow<'_, str> {
    match text.char_indices().nth(chars) {
        Some((end, _)) => Cow::Owned(format!("{}…", &text[..end])),
        None => Cow::Borrowed(text),
    }
}

/// A name from the wire, shortened where it is too long: its beginning, and a hash of all of it that is the
/// same in every session.
pub(crate) fn short_name(name: &str) -> Cow<'_, str> {
    if name.len() <= LONGEST_NAME {
        return Cow::Borrowed(name);
    }
    let mut hasher = DefaultHasher::new();
    name.hash(&mut hasher);
    let kept = &name[..name.floor_char_boundary(KEPT_NAME)];
    Cow::Owned(format!("{kept}…{:016x}", hasher.finish()))
}

/// A length as a count.
pub(crate) fn count(length: usize) -> u64 {
    u64::try_from(length).unwrap_or(u64::MAX)
}

/// A path of which only its end is shown: `.../file.go` for `/path/to/file.go`. One with at most one
/// folder stays as it is.
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

/// A text in one line, as the argument of a display line: white space together, control characters
/// replaced, and what is too long cut.
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

//! Where in a message an error is.
//!
//! The path is put before the text of an error: `` `message.content[1].text`: … ``. It costs nothing while nothing
//! fails. `serde_json` reads the line and the column from the text of an error that is made of another error, so both
//! are preserved.

use serde::de::Error;

/// Returns `error` with a segment added at the front of its path.
#[cold]
#[inline(never)]
pub(crate) fn prefix<E: Error>(segment: &str, error: &E) -> E {
    let text = error.to_string();
    let (path, rest) = split(&text);
    let steps = [segment, path];
    let inner = if path.is_empty() { 1 } else { 2 };
    E::custom(placed(steps[..inner].iter().copied(), rest))
}

/// Returns the description of an error, after the path to it. `steps` begins with the outermost step. The index of a
/// list's item is a step in brackets.
pub(crate) fn placed<'a>(steps: impl Iterator<Item = &'a str>, what: &str) -> String {
    let mut path = String::new();
    for step in steps {
        if !path.is_empty() && !step.starts_with('[') {
            path.push('.');
        }
        // Backticks end the path, and a key of the wire's may hold some: what came after would be taken
        // for the error's own text, and the value in it be shown.
        path.push_str(&step.replace('`', "'"));
    }
    if path.is_empty() {
        what.to_owned()
    } else {
        format!("`{path}`: {what}")
    }
}

/// Splits an error's text into its path (empty if it has none) and the rest.
pub(crate) fn split(text: &str) -> (&str, &str) {
    text.strip_prefix('`')
        .and_then(|rest| rest.split_once("`: "))
        .unwrap_or(("", text))
}

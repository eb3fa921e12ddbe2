//! Where in a message an error is.
//!
//! A path is put before the text of an error: `` `message.content[1].text`: … ``. Costs nothing while
//! nothing fails. `serde_json` finds its line and column again in the text of an error that is made from
//! another's, so they survive.

use serde::de::Error;

/// `error`, seen from one level further out.
#[cold]
#[inline(never)]
pub(crate) fn prefix<E: Error>(segment: &str, error: &E) -> E {
    let text = error.to_string();
    let (path, rest) = split(&text);
    let steps = [segment, path];
    let inner = if path.is_empty() { 1 } else { 2 };
    E::custom(placed(steps[..inner].iter().copied(), rest))
}

/// What is wrong behind the path to it, whose steps are given from the outside in. An item of a list is
/// a step in brackets.
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

/// An error's path (empty where it has none) and the rest of its text.
pub(crate) fn split(text: &str) -> (&str, &str) {
    text.strip_prefix('`')
        .and_then(|rest| rest.split_once("`: "))
        .unwrap_or(("", text))
}

//! The reasons why a worktree cannot be finished.

/// Maximum length of a program's text that is shown, in characters.
const TEXT: usize = 1_500;

/// The reason why something was not done with a worktree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Problem {
    /// The kind of the error, as in the body of a response.
    pub(crate) kind: &'static str,
    /// What is the matter, and what a person can do about it.
    pub(crate) text: String,
}

impl Problem {
    pub(crate) fn new(kind: &'static str, text: impl Into<String>) -> Self {
        Self {
            kind,
            text: text.into(),
        }
    }

    /// A failure of a program that has no sentence of its own. `errors` is what the program wrote.
    pub(super) fn failed(what: &str, errors: &str) -> Self {
        let errors = plain(errors);
        let text = if errors.is_empty() {
            format!("{what} failed, without a reason")
        } else {
            format!("{what} failed: {errors}")
        };
        Self::new("failed", text)
    }
}

/// A program's text without control characters and at a bounded length.
pub(super) fn plain(text: &str) -> String {
    let mut plain = String::new();
    let mut letters = text.trim().chars().peekable();
    let mut length = 0;
    while let Some(letter) = letters.next() {
        if letter == '\u{1b}' && letters.next_if_eq(&'[').is_some() {
            // A colour or another sequence of a terminal: it ends with a letter.
            while letters.next_if(|it| !('@'..='~').contains(it)).is_some() {}
            letters.next();
            continue;
        }
        if length >= TEXT {
            plain.push('…');
            break;
        }
        if letter == '\n' || !letter.is_control() {
            plain.push(letter);
            length += 1;
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_of_programs_are_plain_and_bounded() {
        assert_eq!(
            plain(" \u{1b}[1;31merror:\u{1b}[0m a\r\nb\u{7}\u{9b} "),
            "error: a\nb"
        );
        let long = plain(&"é".repeat(TEXT + 5));
        assert_eq!(long.chars().count(), TEXT + 1);
        assert!(long.ends_with('…'));
        assert_eq!(plain("\u{1b}["), "");
        let silent = Problem::failed("the commit", "\n");
        assert_eq!(silent.text, "the commit failed, without a reason");
    }
}

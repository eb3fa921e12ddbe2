//! The reasons why a worktree cannot be finished.

/// Maximum length of the part of a program's output that is shown, in characters.
const TEXT: usize = 1_500;

/// The reason why an operation on a worktree was not carried out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Problem {
    /// The kind of the error. The body of a response contains it.
    pub(crate) kind: &'static str,
    /// A description of the problem, and of its solution.
    pub(crate) text: String,
}

impl Problem {
    pub(crate) fn new(kind: &'static str, text: impl Into<String>) -> Self {
        Self {
            kind,
            text: text.into(),
        }
    }

    /// Creates the problem that the program `what` has failed. Used if no more specific problem fits. `errors` is the
    /// error output of the program.
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

/// Removes control characters from the output of a program, and shortens the output to [`TEXT`] characters.
pub(super) fn plain(text: &str) -> String {
    let mut plain = String::new();
    let mut letters = text.trim().chars().peekable();
    let mut length = 0;
    while let Some(letter) = letters.next() {
        if letter == '\u{1b}' && letters.next_if_eq(&'[').is_some() {
            // This is an escape sequence of the terminal, such as a colour. It ends with a character from `@` to `~`.
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

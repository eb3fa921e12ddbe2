//! Names, divided into words, and lines of comments.

use std::collections::BTreeSet;

/// Divides a name into its words: `ApiMessageId`, `session_id`, `canContinueAgent`, `free-text` and `5m` alike. A minus
/// at the beginning stands for the word `flag`, because keys such as `-A` are names of flags.
pub(crate) fn words(name: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    if name.starts_with('-') {
        words.push("flag".to_owned());
    }
    let letters: Vec<char> = name.chars().collect();
    for (at, &letter) in letters.iter().enumerate() {
        let before = at.checked_sub(1).and_then(|at| letters.get(at));
        let after = letters.get(at + 1);
        let begins = letter.is_uppercase()
            && before.is_some_and(|before| {
                before.is_lowercase()
                    || before.is_ascii_digit()
                    || (before.is_uppercase() && after.is_some_and(|after| after.is_lowercase()))
            });
        if begins || !letter.is_alphanumeric() {
            words.extend((!word.is_empty()).then(|| std::mem::take(&mut word)));
        }
        if letter.is_alphanumeric() {
            word.extend(letter.to_lowercase());
        }
    }
    words.extend((!word.is_empty()).then_some(word));
    words
}

/// Returns a word with a capital.
pub(crate) fn capital(word: &str) -> String {
    let mut letters = word.chars();
    let first = letters.next().into_iter().flat_map(char::to_uppercase);
    first.chain(letters.as_str().chars()).collect()
}

/// Returns the name of a property in languages that write `sessionId`. A name does not begin with a digit.
pub(crate) fn camel(name: &str) -> String {
    let mut words = words(name).into_iter();
    let mut camel = words.next().unwrap_or_default();
    camel.extend(words.map(|word| capital(&word)));
    if camel.starts_with(|letter: char| letter.is_ascii_digit()) {
        camel.insert_str(0, "of");
    }
    camel
}

/// Returns the names in a text.
pub(crate) fn split(names: &str) -> BTreeSet<String> {
    names.split_whitespace().map(str::to_owned).collect()
}

/// Returns the lines of a comment, each with a space before it unless it is empty.
pub(crate) fn comment(text: &str) -> Vec<String> {
    let line = |line: &str| format!(" {line}").trim_end().to_owned();
    text.lines().map(line).collect()
}

/// Returns words joined by underscores.
#[cfg(test)]
fn snake(name: &str) -> String {
    words(name).join("_")
}

/// Replaces the names of definitions, which are in backticks in a description.
pub(crate) fn rename(doc: &str, name: impl Fn(&str) -> Option<String>) -> String {
    let parts = doc
        .split('`')
        .enumerate()
        .map(|(at, part)| match name(part) {
            Some(name) if at % 2 == 1 => name,
            _ => part.to_owned(),
        });
    parts.collect::<Vec<_>>().join("`")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_have_words() {
        for (name, expected) in [
            ("ApiMessageId", "api_message_id"),
            ("session_id", "session_id"),
            ("canContinueAgent", "can_continue_agent"),
            ("free-text", "free_text"),
            ("parentUUID", "parent_uuid"),
            ("UIState", "ui_state"),
            ("/login managed key", "login_managed_key"),
            ("-A", "flag_a"),
            ("$schema", "schema"),
            ("5m", "5m"),
            ("image/png", "image_png"),
        ] {
            assert_eq!(snake(name), expected);
        }
    }

    #[test]
    fn only_names_in_backticks_are_renamed() {
        let renamed = rename("An Id, or `Id` of `other`.", |name| {
            (name == "Id").then(|| "ID".to_owned())
        });
        assert_eq!(renamed, "An Id, or `ID` of `other`.");
    }
}

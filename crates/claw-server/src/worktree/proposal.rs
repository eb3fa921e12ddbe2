//! Proposes the message of a commit.

/// Maximum length of a proposed message, in characters. A message has one line.
const LONGEST: usize = 72;

/// Proposes a message for a commit. `asked` is the title or a prompt of the session. The message is the first line of
/// `asked` that contains words, or `Changes of NAME` if there is no such line. A long line is cut between two words.
pub(crate) fn proposal(asked: Option<&str>, name: &str) -> String {
    let mut lines = asked.unwrap_or_default().lines();
    let line = lines.find_map(|line| {
        let line = line.trim_start_matches(|letter: char| "#>*-/ \t".contains(letter));
        let words = line.split_whitespace().collect::<Vec<_>>().join(" ");
        let plain: String = words
            .chars()
            .filter(|letter| !letter.is_control())
            .collect();
        plain.chars().any(char::is_alphanumeric).then_some(plain)
    });
    let Some(line) = line else {
        return format!("Changes of {name}");
    };
    let line = line.trim_end_matches('.');
    if line.chars().count() <= LONGEST {
        return line.to_owned();
    }
    let cut: String = line.chars().take(LONGEST - 1).collect();
    let end = cut.rfind(' ').filter(|end| *end > LONGEST / 2);
    format!("{}…", cut[..end.unwrap_or(cut.len())].trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_proposal_is_one_short_line() {
        for (asked, expected) in [
            ("Change the fruit.", "Change the fruit"),
            ("\n\n## Fix  the\tlogin\nand more", "Fix the login"),
            ("---\n***\nWhat?", "What?"),
            ("", "Changes of fruit"),
            ("\u{1b}[31m", "[31m"),
        ] {
            assert_eq!(proposal(Some(asked), "fruit"), expected, "{asked:?}");
        }
        assert_eq!(proposal(None, "fruit"), "Changes of fruit");
        let long = proposal(Some(&"apples ".repeat(20)), "fruit");
        assert_eq!(long, format!("{}…", ["apples"; 10].join(" ")));
        let word = proposal(Some(&"é".repeat(100)), "fruit");
        assert_eq!(word.chars().count(), LONGEST);
    }
}

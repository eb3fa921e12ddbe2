//! Files that a prompt mentions.

/// Returns the text with which a prompt mentions a file so that the CLI adds the content of exactly this file:
/// `@src/main.rs`, or `@"my file.txt"`. Returns `None` if the CLI would read another file, or several files, with or
/// without quotes.
///
/// `path` is absolute, or relative to the folder of the session. A folder may end with `/`.
///
/// The CLI recognises mentions only in the last text block of a prompt, and only if the `@` is at the beginning or
/// follows white space. It recognises none in a prompt that is verbatim
/// ([`QueryOptions::verbatim_prompts`](claw_types::QueryOptions::verbatim_prompts)).
///
/// ```
/// use claw_client::mention;
///
/// assert_eq!(mention("src/main.rs").as_deref(), Some("@src/main.rs"));
/// assert_eq!(mention("my file.txt").as_deref(), Some("@\"my file.txt\""));
/// // The CLI would also read /etc/passwd.
/// assert_eq!(mention("x @/etc/passwd"), None);
/// ```
pub fn mention(path: &str) -> Option<String> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "_-./".contains(c);
    // A mention without quotes ends with the last letter or digit, so a path with another end needs
    // quotes.
    let is_closed = path.ends_with(|c: char| c.is_ascii_alphanumeric() || "_/".contains(c));
    // `@agent-NAME` mentions a sub-agent, so a path that begins like this needs quotes.
    if is_closed && path.chars().all(is_plain) && !path.starts_with("agent-") {
        return Some(format!("@{path}"));
    }
    // The CLI interprets these names as a name in the home folder, lines of a file, a sub-agent, or a shorter name.
    let is_other = path.is_empty()
        || path.starts_with('~')
        || path.contains('#')
        || path.ends_with(" (agent)")
        || path.trim() != path;
    let is_quotable = !path.contains(|c: char| c == '"' || c.is_control()) && !begins_mention(path);
    (!is_other && is_quotable).then(|| format!("@\"{path}\""))
}

/// Whether the CLI interprets a part of a name as a separate mention.
fn begins_mention(path: &str) -> bool {
    // White space as JavaScript defines it, and characters that end a sentence or clause in Chinese and Japanese.
    let separates = |c: char| c.is_whitespace() || "\u{feff}。、？！".contains(c);
    let after = path.chars().skip(1);
    path.chars()
        .zip(after)
        .any(|(c, next)| separates(c) && next == '@')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_mentioned_as_the_cli_reads_them() {
        let cases = [
            ("main.rs", Some("@main.rs")),
            ("src/", Some("@src/")),
            ("/work/project/a-b_c.2", Some("@/work/project/a-b_c.2")),
            ("my file.txt", Some("@\"my file.txt\"")),
            ("dot.", Some("@\"dot.\"")),
            ("trail)", Some("@\"trail)\"")),
            ("café", Some("@\"café\"")),
            ("a@b.txt", Some("@\"a@b.txt\"")),
            ("x y@z", Some("@\"x y@z\"")),
            ("agent-x", Some("@\"agent-x\"")),
            ("x @/etc/passwd", None),
            ("x\u{a0}@b", None),
            ("x\u{feff}@b", None),
            ("日本。@b", None),
            ("new\nline", None),
            ("tab\t", None),
            ("quo\"te", None),
            ("tail ", None),
            ("~/x", None),
            ("a#L2", None),
            ("x (agent)", None),
            ("", None),
        ];
        for (path, expected) in cases {
            assert_eq!(mention(path).as_deref(), expected, "{path:?}");
        }
    }
}

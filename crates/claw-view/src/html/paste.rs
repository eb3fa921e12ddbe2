//! Texts that a person has written or pasted.

use std::io::{self, Write};

use super::Html;

/// A text with more lines, or with more bytes, is folded on a live page.
const LONGEST: (usize, usize) = (24, 3_000);

impl<W: Write> Html<W> {
    /// Writes a text with its line endings. Each of its lines has the writing direction of its first letter.
    pub(super) fn written(&mut self, text: &str) -> io::Result<()> {
        // HTML ignores the first line ending in such an element.
        self.raw("<pre class=\"text\" dir=\"auto\">\n")?;
        self.text(text)?;
        self.raw("</pre>")
    }

    /// Writes a checkbox after a text if the text is long. The page contains the whole text, and its style sheet shows
    /// only the beginning of the text while the checkbox is off.
    pub(super) fn fold(&mut self, text: &str) -> io::Result<()> {
        let lines = text.lines().count();
        let (most_lines, most_bytes) = LONGEST;
        if lines <= most_lines && text.len() <= most_bytes {
            return Ok(());
        }
        let (count, unit) = if lines > most_lines {
            (lines, "lines")
        } else {
            (text.chars().count(), "characters")
        };
        write!(
            self.out,
            "<details class=\"paste\"><summary>Show all, {count} {unit}</summary></details>"
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_long_text_is_folded() {
        let fold = |text: &str| Html::fragment(|html| html.fold(text));
        assert_eq!(fold("short"), "");
        assert_eq!(fold(&"a\n".repeat(24)), "");
        let folded = |what: &str| {
            format!("<details class=\"paste\"><summary>Show all, {what}</summary></details>")
        };
        assert_eq!(fold(&"a\n".repeat(25)), folded("25 lines"));
        assert_eq!(fold(&"ü".repeat(1_501)), folded("1501 characters"));
    }
}

//! Writes texts that a person has typed or pasted.

use std::io::{self, Write};

use super::Html;

/// The maximum numbers of lines and of bytes. On a live page, a text that exceeds one of them is folded.
const LONGEST: (usize, usize) = (24, 3_000);

impl<W: Write> Html<W> {
    /// Writes a text with its line endings. Each line has the writing direction of its own first letter.
    pub(super) fn written(&mut self, text: &str) -> io::Result<()> {
        // HTML ignores a line ending at the beginning of a `pre` element, so an extra one is written.
        self.raw("<pre class=\"text\" dir=\"auto\">\n")?;
        self.text(text)?;
        self.raw("</pre>")
    }

    /// If a text is long, writes a checkbox after it. The page contains the whole text. While the checkbox is off, the
    /// style sheet shows only the beginning of the text.
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

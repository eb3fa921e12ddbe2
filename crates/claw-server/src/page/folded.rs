//! Long texts, whose ends are folded.

use std::io::{self, Write};

use claw_view::html::Html;

/// Length of the part of a text that is not folded, in characters.
const LONGEST_INPUT: usize = 4_000;

/// Writes a whole text. Everything after the first [`LONGEST_INPUT`] characters is folded.
pub(super) fn long<W: Write>(html: &mut Html<W>, whole: &str) -> io::Result<()> {
    let end = whole.char_indices().nth(LONGEST_INPUT).map(|(end, _)| end);
    let (shown, rest) = whole.split_at(end.unwrap_or(whole.len()));
    html.raw("<pre tabindex=\"0\">\n")?;
    html.text(shown)?;
    html.raw("</pre>")?;
    if !rest.is_empty() {
        html.raw("<details class=\"rest\"><summary>The rest</summary><pre tabindex=\"0\">\n")?;
        html.text(rest)?;
        html.raw("</pre></details>")?;
    }
    Ok(())
}

//! Draws diagrams that are written in Mermaid's language, as SVG.
//!
//! Flowcharts, state diagrams and sequence diagrams are drawn. A diagram stays code if it is of another kind, if it is too
//! large, or if it has a statement that this module does not know, because a picture must not leave out what the text says.
//! Colors and links in the text are ignored.

use std::io::{self, Write};

use super::Html;
use picture::Picture;

mod flowchart;
mod graph;
mod label;
mod layers;
mod picture;
mod sequence;
mod state;

/// The name of the language in the first line of a code block.
pub(super) const LANGUAGE: &str = "mermaid";

/// The maximum width and height of a picture, in pixels.
const LARGEST: i32 = 20_000;

/// Returns the picture of a diagram, or `None` if the diagram stays code.
fn drawn(source: &str) -> Option<Picture> {
    let mut lines = source
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty() && !line.starts_with("%%"));
    // A flowchart may have its first statement in the first line.
    let first = lines.next()?;
    let first = first.split_once(';').map_or(first, |(head, _)| head);
    let kind = first.split_whitespace().next()?;
    let picture = match kind {
        "graph" | "flowchart" => flowchart::read(source)?.drawn()?,
        "stateDiagram" | "stateDiagram-v2" => state::read(lines)?.drawn()?,
        "sequenceDiagram" => sequence::read(lines)?.drawn(),
        _ => return None,
    };
    let fits = picture.width() <= LARGEST && picture.height() <= LARGEST;
    fits.then_some(picture)
}

impl<W: Write> Html<W> {
    /// Writes the picture of a diagram, and the beginning of a folded element below it, for its code. Returns `false` and
    /// writes nothing if the diagram stays code. Otherwise, the caller writes the code, `</details>` and `</div>`.
    pub(super) fn diagram(&mut self, source: &str) -> io::Result<bool> {
        let Some(picture) = drawn(source) else {
            return Ok(false);
        };
        self.raw("<div class=\"diagram\" dir=\"ltr\"><div role=\"group\" tabindex=\"0\" aria-label=\"Diagram\">")?;
        self.picture(&picture)?;
        self.raw("</div><details><summary>Source</summary>")?;
        Ok(true)
    }
}

#[cfg(test)]
mod tests;

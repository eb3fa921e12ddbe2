//! Renders Markdown that is streaming.

use super::Html;
use super::blocks::Blocks;

/// Renders a Markdown text as HTML while the text arrives piece by piece. The whole text is not rendered again for each
/// piece.
///
/// The text consists of blocks. A finished block is rendered once. Only the last block, which may still grow, is
/// rendered again with each update, and its length is limited. So the work is linear in the length of the text and in
/// the number of updates. All blocks together form the same HTML that [`Html::markdown`] writes for the whole text,
/// except that code in the last block has no colours yet (feature `highlight`).
///
/// ```
/// use claw_view::html::GrowingMarkdown;
///
/// let mut text = GrowingMarkdown::default();
/// text.push("# Plan\n\nFirst the tests.\n");
/// assert_eq!(text.update().blocks.len(), 2);
/// text.push("Then the rest.");
/// let update = text.update();
/// assert_eq!(update.keep, 1);
/// let html = "<div class=\"block\"><p dir=\"auto\">First the tests.<br>Then the rest.</p></div>";
/// assert_eq!(update.blocks, [html]);
/// ```
#[derive(Debug, Default)]
pub struct GrowingMarkdown {
    blocks: Blocks,
    /// The number of finished blocks that an update has returned.
    kept: usize,
    /// The finished blocks that no update has returned yet.
    finished: Vec<String>,
}

/// A change to a growing text: the number of blocks that are unchanged, and the new blocks after them.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Update {
    /// The number of blocks at the start of the text that are unchanged. `blocks` replaces all other blocks.
    pub keep: usize,
    /// The blocks after the first `keep` blocks, each as HTML. The last block may change with the next update.
    pub blocks: Vec<String>,
}

impl GrowingMarkdown {
    /// Appends text.
    pub fn push(&mut self, text: &str) {
        let finished = &mut self.finished;
        self.blocks.push(text, |block| {
            let html = Html::fragment(|html| html.block(block, true));
            if !html.is_empty() {
                finished.push(html);
            }
        });
    }

    /// Whether the text ends in a code block. When the code block is closed, [`push`](Self::push) gives colours to its
    /// code (feature `highlight`), which takes some milliseconds.
    pub fn is_in_code(&self) -> bool {
        self.blocks.is_in_code()
    }

    /// Returns the change since the last update. The method renders the last block, which may still grow.
    pub fn update(&mut self) -> Update {
        let keep = self.kept;
        let mut blocks = std::mem::take(&mut self.finished);
        self.kept += blocks.len();
        let open = Html::fragment(|html| html.block(self.blocks.open(), false));
        if !open.is_empty() {
            blocks.push(open);
        }
        Update { keep, blocks }
    }
}

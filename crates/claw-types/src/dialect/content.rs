//! The content of a user message: a text, or content blocks in an old form or in the current form.

use super::OldContentBlock;
use crate::by_shape::by_shape;

by_shape! {
    /// The content of a message: a text, or content blocks. Each block is in an old form or in the current form.
    OldContent, "text or a list of content blocks" {
        /// A text. It is equivalent to a list of one text block.
        text Text(String),
        /// A list of content blocks.
        list Blocks(Vec<OldContentBlock>),
    }
}

//! What a user says: text, or blocks of either age.

use super::OldContentBlock;
use crate::by_shape::by_shape;

by_shape! {
    /// Plain text, or blocks of an old or today's form.
    OldContent, "text or a list of content blocks" {
        /// Plain text, which means one text block.
        text Text(String),
        /// Blocks.
        list Blocks(Vec<OldContentBlock>),
    }
}

//! Content blocks in old forms, which lack some fields.

use super::upgrade::Draft;
use super::{Fill, UpgradeError};
use crate::api::{Content, ContentBlock};
use crate::{Json, ToolUseId};

/// A content block in an old form or in the current form.
#[wire]
pub enum OldContentBlock {
    /// A tool use in an older form.
    ToolUse(OldToolUse),
    /// The result of a tool use.
    ToolResult(OldToolResult),
    /// The model's thinking.
    Thinking(OldThinking),
    /// A content block of any other kind, in the current form.
    #[wire(rest)]
    Today(ContentBlock),
}

/// An old form of a tool use, which may lack an ID.
#[wire(tag(type = "tool_use"))]
pub struct OldToolUse {
    /// The ID of the tool use. Absent in some old documentation, whose examples show only the tool's input.
    pub id: Option<ToolUseId>,
    /// The name of the tool.
    pub name: String,
    /// The input of the tool, whose form depends on the tool.
    pub input: Json,
}

/// An old form of a tool result, whose content can be any JSON.
#[wire(tag(type = "tool_result"))]
pub struct OldToolResult {
    /// The ID of the tool use that this result answers.
    pub tool_use_id: ToolUseId,
    /// The result: a text, content blocks, or other JSON. The upgrade turns other JSON into a text.
    pub content: Option<Json>,
    /// Whether the tool failed. Absent and null mean `false`.
    pub is_error: Option<bool>,
}

/// An old form of a thinking block, which may lack the API's signature.
#[wire(tag(type = "thinking"))]
pub struct OldThinking {
    /// The text of the thinking.
    pub thinking: String,
    /// The API's signature of the thinking. If it is absent, the upgraded block has an empty signature.
    pub signature: Option<String>,
}

impl OldContentBlock {
    /// Returns the equivalent block in the current form.
    ///
    /// # Errors
    /// Fails if the block is a tool use and neither the block nor `fill` has an ID for it. Also fails if the value of a
    /// field does not have the type that the field has in the current form.
    pub fn upgrade(&self, fill: &Fill) -> Result<ContentBlock, UpgradeError> {
        self.draft(fill, &mut 0)?.part()
    }

    /// Makes the draft of a block. `nameless` counts tool uses without an ID.
    fn draft(&self, fill: &Fill, nameless: &mut usize) -> Result<Draft, UpgradeError> {
        let mut draft = Draft::of(self);
        match self {
            Self::ToolUse(OldToolUse { id: None, .. }) => {
                *nameless += 1;
                let id = fill.tool_use_id.as_ref().map(|id| match *nameless {
                    1 => id.clone(),
                    n => format!("{id}_{n}").into(),
                });
                draft.need("id", "tool_use_id", id.as_ref())?;
            }
            Self::ToolResult(OldToolResult {
                content: Some(content),
                ..
            }) if !is_todays(content) => draft.set("content", content.as_raw()),
            Self::Thinking(_) => draft.fill("signature", ""),
            _ => {}
        }
        Ok(draft)
    }
}

/// Whether a tool result's content is a text or blocks, as in the current form.
fn is_todays(content: &Json) -> bool {
    match content.parse() {
        Ok(Content::Text(_)) => true,
        Ok(Content::Blocks(blocks)) => !blocks.iter().any(ContentBlock::is_unknown),
        Err(_) => false,
    }
}

/// The blocks of one message.
pub(super) fn upgraded(
    blocks: &[OldContentBlock],
    fill: &Fill,
) -> Result<Vec<Draft>, UpgradeError> {
    let mut nameless = 0;
    blocks
        .iter()
        .map(|block| block.draft(fill, &mut nameless))
        .collect()
}

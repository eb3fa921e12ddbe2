//! Content blocks that lack something.

use super::upgrade::Draft;
use super::{Fill, UpgradeError};
use crate::api::{Content, ContentBlock};
use crate::{Json, ToolUseId};

/// A content block of an old form, or of today's.
#[wire]
pub enum OldContentBlock {
    /// The model wants a tool used.
    ToolUse(OldToolUse),
    /// What a tool gave.
    ToolResult(OldToolResult),
    /// The model's reasoning.
    Thinking(OldThinking),
    /// All else is today's.
    #[wire(rest)]
    Today(ContentBlock),
}

/// The model wants a tool used; the use need not have a name.
#[wire(tag(type = "tool_use"))]
pub struct OldToolUse {
    /// Names this use. Absent where a document shows the input alone.
    pub id: Option<ToolUseId>,
    /// The tool.
    pub name: String,
    /// What the tool is given; its shape is the tool's own.
    pub input: Json,
}

/// What a tool gave, of any shape.
#[wire(tag(type = "tool_result"))]
pub struct OldToolResult {
    /// The use that this answers.
    pub tool_use_id: ToolUseId,
    /// Text, blocks, or any other JSON, which today is text.
    pub content: Option<Json>,
    /// Whether it failed. Absent or null: it did not.
    pub is_error: Option<bool>,
}

/// The model's reasoning, perhaps without the API's proof.
#[wire(tag(type = "thinking"))]
pub struct OldThinking {
    /// The reasoning.
    pub thinking: String,
    /// The API's proof that the reasoning is its own. Absent: none was kept, which today is the
    /// empty text.
    pub signature: Option<String>,
}

impl OldContentBlock {
    /// Today's block of the same meaning.
    ///
    /// # Errors
    /// Where it is a tool use without an id and `fill` has none, and where it holds a field of one
    /// of today's names with other contents.
    pub fn upgrade(&self, fill: &Fill) -> Result<ContentBlock, UpgradeError> {
        self.draft(fill, &mut 0)?.part()
    }

    /// `nameless` counts tool uses without an id.
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

/// Whether a tool result's content is text or blocks, as today.
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

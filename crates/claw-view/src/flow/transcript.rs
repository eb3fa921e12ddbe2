//! Checks transcripts.

use claw_types::api::ContentBlock;
use claw_types::transcript::Entry;

use super::turn::reads_as_denial;
use super::{Flow, Rule};

impl Flow {
    pub(super) fn entry(&mut self, entry: &Entry) {
        if !entry.is_link() {
            return;
        }
        if let Some(parent) = entry.parent_uuid()
            && !self.links.contains(parent.as_str())
        {
            if self.has_gaps {
                self.missed.insert(parent.as_str().to_owned());
            } else {
                let text = format!("there is no line {parent} before it");
                self.violate(Rule::ParentExists, text);
            }
        }
        if let Some(uuid) = entry.uuid() {
            if self.missed.contains(uuid.as_str()) {
                let text = format!("a line before it names {uuid} as its parent");
                self.violate(Rule::ParentExists, text);
            }
            self.named(uuid.as_str());
            self.links.insert(uuid.as_str().to_owned());
        }
        match entry {
            Entry::Assistant(assistant) => {
                for block in &assistant.message.content {
                    if let ContentBlock::ToolUse(block) = block {
                        self.used(&block.id);
                    }
                }
            }
            Entry::User(user) => {
                for block in user.message.content.blocks() {
                    if let ContentBlock::ToolResult(block) = block {
                        let is_denied = user.tool_denial_kind.is_some()
                            || block.denial().is_some()
                            || user.tool_use_result.is_none() && reads_as_denial(block);
                        self.tool_result(block, is_denied);
                    }
                }
            }
            _ => {}
        }
    }
}

//! Responses that are streaming.

use std::collections::BTreeMap;

use claw_types::api::{ContentBlock, ContentBlockDelta, StreamEvent};
use claw_types::message::StreamEventMessage;
use claw_types::{ApiMessageId, ToolUseId};

use super::change::{Change, Growth, growing};
use super::{Origin, Timeline};
use crate::element::{AssistantText, Content, Element, Thinking, ToolStatus};
use crate::text::short_name;

/// A response that is streaming. The maps contain the blocks that are shown and whose complete message has not been
/// received yet. The keys are the indexes of the blocks. A block that is not complete when the response ends is
/// removed.
#[derive(Debug)]
pub(super) struct Growing {
    answer: ApiMessageId,
    texts: BTreeMap<u64, Element>,
    thoughts: BTreeMap<u64, Element>,
    tools: BTreeMap<u64, ToolUseId>,
}

impl Growing {
    fn of_kind(&mut self, is_thinking: bool) -> &mut BTreeMap<u64, Element> {
        if is_thinking {
            &mut self.thoughts
        } else {
            &mut self.texts
        }
    }
}

impl Timeline {
    pub(super) fn stream_event(&mut self, message: &StreamEventMessage) {
        if let Some(abandoned) = &message.abandoned_blocks {
            self.abandon(abandoned.from_block_index.get());
        }
        match &message.event {
            StreamEvent::MessageStart(event) => {
                self.abandon(0);
                self.retry = None;
                self.growing = Some(Growing {
                    answer: ApiMessageId::from(&*short_name(event.message.id.as_str())),
                    texts: BTreeMap::new(),
                    thoughts: BTreeMap::new(),
                    tools: BTreeMap::new(),
                });
            }
            StreamEvent::ContentBlockStart(event) => {
                let from = Origin::new(message.parent_tool_use_id.as_ref(), None, None);
                self.subagent_message(&from, None, None);
                self.begin(&from, event.index.get(), &event.content_block);
            }
            StreamEvent::ContentBlockDelta(event) => match &event.delta {
                ContentBlockDelta::Text(delta) => self.append(event.index.get(), &delta.text),
                ContentBlockDelta::Thinking(delta) => {
                    self.append(event.index.get(), &delta.thinking);
                }
                _ => {}
            },
            StreamEvent::MessageStop(_) => self.abandon(0),
            _ => {}
        }
    }

    fn begin(&mut self, from: &Origin, index: u64, block: &ContentBlock) {
        let Some(answer) = self.growing.as_ref().map(|growing| growing.answer.clone()) else {
            return;
        };
        let content = match block {
            ContentBlock::Text(block) => Content::AssistantText(AssistantText {
                text: block.text.clone(),
                streaming: true,
                aborted: false,
            }),
            ContentBlock::Thinking(block) => Content::Thinking(Thinking {
                text: block.thinking.clone(),
                streaming: true,
                redacted: false,
            }),
            ContentBlock::ToolUse(block) => {
                self.tool_begins(from, &block.id, &block.name, false);
                return self.tool_grows(index, &block.id);
            }
            ContentBlock::ServerToolUse(block) => {
                self.tool_begins(from, &block.id, &block.name, true);
                return self.tool_grows(index, &block.id);
            }
            // Blocks of other kinds are not shown while they stream. Their elements are made from the complete message.
            _ => return,
        };
        let id = self.block_id(from, &answer);
        let element = self.add(from, id, content);
        if let Some(growing) = &mut self.growing {
            let is_thinking = matches!(element.content, Content::Thinking(_));
            growing.of_kind(is_thinking).insert(index, element);
        }
    }

    fn tool_grows(&mut self, index: u64, id: &ToolUseId) {
        if let Some(growing) = &mut self.growing {
            growing.tools.insert(index, id.clone());
        }
    }

    fn append(&mut self, index: u64, text: &str) {
        let Some(growing_now) = self.growing.as_mut() else {
            return;
        };
        let text_or_thought = growing_now.texts.get_mut(&index);
        let Some(element) = text_or_thought.or_else(|| growing_now.thoughts.get_mut(&index)) else {
            return;
        };
        let id = element.id.clone();
        if let Some(whole) = growing(&mut element.content) {
            whole.push_str(text);
            let text = text.to_owned();
            self.changes.push(Change::Grew(Growth { id, text }));
        }
    }

    /// Returns the streamed element whose text is now complete. If the complete message merges several texts, returns
    /// the first of their elements and removes the others.
    pub(super) fn grown(
        &mut self,
        answer: &ApiMessageId,
        text: &str,
        is_thinking: bool,
    ) -> Option<Element> {
        let growing_now = self
            .growing
            .as_mut()
            .filter(|growing| growing.answer == *answer)?;
        let begun = growing_now.of_kind(is_thinking);
        let (_, mut first) = begun.pop_first()?;
        let mut rest = growing(&mut first.content).map_or("", |begun| {
            text.strip_prefix(begun.as_str()).unwrap_or_default()
        });
        let mut joined = Vec::new();
        while let Some(mut next) = begun.first_entry()
            && let Some(behind) = growing(&mut next.get_mut().content)
                .filter(|next| !next.is_empty())
                .and_then(|next| rest.strip_prefix(next.as_str()))
        {
            rest = behind;
            joined.push(next.remove());
        }
        for element in joined {
            self.remove(element.id);
        }
        Some(first)
    }

    /// Removes the streamed elements of all blocks from `index` on, because these blocks will not be completed.
    pub(super) fn abandon(&mut self, index: u64) {
        let Some(growing) = &mut self.growing else {
            return;
        };
        let texts = growing.texts.split_off(&index);
        let thoughts = growing.thoughts.split_off(&index);
        let tools = growing.tools.split_off(&index);
        for element in texts.into_values().chain(thoughts.into_values()) {
            self.remove(element.id);
        }
        for id in tools.into_values() {
            let begun = |call: &super::tool::Call| call.status() == ToolStatus::Streaming;
            if self.tools.get(&id).is_some_and(begun)
                && let Some(call) = self.tools.remove(&id)
            {
                self.remove(call.element.id);
            }
        }
    }
}

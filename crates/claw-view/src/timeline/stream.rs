//! An answer that grows.

use std::collections::BTreeMap;

use claw_types::api::{ContentBlock, ContentBlockDelta, StreamEvent};
use claw_types::message::StreamEventMessage;
use claw_types::{ApiMessageId, ToolUseId};

use super::change::{Change, Growth, growing};
use super::{Place, Timeline};
use crate::element::{AssistantText, Content, Element, Thinking, ToolStatus};

/// An answer that grows: its blocks that are shown and of which the line has not come yet, by their
/// place. What is not completed is taken away when the answer is over.
#[derive(Debug)]
pub(super) struct Growing {
    answer: ApiMessageId,
    texts: BTreeMap<u64, Element>,
    tools: BTreeMap<u64, ToolUseId>,
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
                    answer: event.message.id.clone(),
                    texts: BTreeMap::new(),
                    tools: BTreeMap::new(),
                });
            }
            StreamEvent::ContentBlockStart(event) => {
                let from = Place {
                    parent: message.parent_tool_use_id.clone(),
                    ..Place::default()
                };
                self.begin(&from, event.index.get(), &event.content_block);
            }
            StreamEvent::ContentBlockDelta(event) => match &event.delta {
                ContentBlockDelta::Text(delta) => self.grow(event.index.get(), &delta.text),
                ContentBlockDelta::Thinking(delta) => self.grow(event.index.get(), &delta.thinking),
                _ => {}
            },
            StreamEvent::MessageStop(_) => self.abandon(0),
            _ => {}
        }
    }

    fn begin(&mut self, from: &Place, index: u64, block: &ContentBlock) {
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
            // What does not grow comes with its line.
            _ => return,
        };
        let id = self.block_id(from, &answer);
        let element = self.add(from, id, content);
        if let Some(growing) = &mut self.growing {
            growing.texts.insert(index, element);
        }
    }

    fn tool_grows(&mut self, index: u64, id: &ToolUseId) {
        if let Some(growing) = &mut self.growing {
            growing.tools.insert(index, id.clone());
        }
    }

    fn grow(&mut self, index: u64, text: &str) {
        let growing_now = self.growing.as_mut();
        let Some(element) = growing_now.and_then(|growing| growing.texts.get_mut(&index)) else {
            return;
        };
        let id = element.id.clone();
        if let Some(whole) = growing(&mut element.content) {
            whole.push_str(text);
            let text = text.to_owned();
            self.changes.push(Change::Grew(Growth { id, text }));
        }
    }

    /// Takes the element out that grew into a text of that answer. Where several were put together in
    /// the line, it is the first, and the others go.
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
        let is_kind =
            |element: &Element| matches!(element.content, Content::Thinking(_)) == is_thinking;
        let (&index, _) = growing_now
            .texts
            .iter()
            .find(|(_, element)| is_kind(element))?;
        let mut first = growing_now.texts.remove(&index)?;
        let mut rest = growing(&mut first.content).map_or("", |begun| {
            text.strip_prefix(begun.as_str()).unwrap_or_default()
        });
        let mut joined = Vec::new();
        while let Some((&index, next)) = growing_now.texts.range_mut(index..).next()
            && let Some(behind) = growing(&mut next.content)
                .filter(|next| !next.is_empty())
                .and_then(|next| rest.strip_prefix(next.as_str()))
        {
            rest = behind;
            joined.extend(growing_now.texts.remove(&index));
        }
        for element in joined {
            self.remove(element.id);
        }
        Some(first)
    }

    /// Takes away what was begun, from that block on, and will not be completed.
    pub(super) fn abandon(&mut self, index: u64) {
        let Some(growing) = &mut self.growing else {
            return;
        };
        let texts = growing.texts.split_off(&index);
        let tools = growing.tools.split_off(&index);
        for element in texts.into_values() {
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

//! Responses of the model.

use claw_types::api::ContentBlock;
use claw_types::message::AssistantMessage;
use claw_types::{ApiMessageId, MessageUuid};

use super::user_text::is_summary;
use super::{Origin, Timeline, wrapped};
use crate::element::{AssistantText, CommandOutput, Content, ContextCompaction, Error, Thinking};
use crate::text::short_name;

impl Timeline {
    pub(super) fn assistant(&mut self, message: &AssistantMessage) {
        let from = Origin::new(
            message.parent_tool_use_id.as_ref(),
            Some(&message.uuid),
            message.timestamp.as_deref(),
        );
        let answer = ApiMessageId::from(&*short_name(message.message.id.as_str()));
        self.subagent_message(
            &from,
            message.subagent_type.as_deref(),
            message.task_description.as_deref(),
        );
        self.taken_back(message.supersedes.as_deref());
        if is_summary(&message.extra) {
            let texts = message.message.content.iter();
            return self.summary_of(&from, texts);
        }
        if from.parent.is_none() {
            self.retry = None;
            self.compaction = None;
        }
        let failed = message.error.is_some() || message.is_api_error_message == Some(true);
        for block in &message.message.content {
            match block {
                ContentBlock::Text(block) if failed => {
                    let kind = message.error.as_ref().map(ToString::to_string);
                    let content = Error {
                        text: block.text.clone(),
                        kind: kind.or_else(|| message.api_error.clone()),
                    };
                    let id = self.block_id(&from, &answer);
                    self.add(&from, id, Content::Error(content));
                }
                ContentBlock::Text(block) if message.local_command_run.is_some() => {
                    let run = message.local_command_run.as_ref();
                    let content = CommandOutput {
                        command: run.map(|run| run.command.clone()),
                        text: block.text.clone(),
                    };
                    let id = self.block_id(&from, &answer);
                    self.add(&from, id, Content::CommandOutput(content));
                }
                ContentBlock::Text(block) if is_no_answer(message, &block.text) => {
                    self.left_out += 1;
                }
                block => {
                    let aborted = message.aborted == Some(true);
                    self.answer_block(&from, &answer, block, aborted);
                }
            }
        }
    }

    pub(super) fn taken_back(&mut self, lines: Option<&[MessageUuid]>) {
        for line in lines.into_iter().flatten() {
            self.take_back(line);
        }
    }

    /// Returns the ID of the next block of a response.
    pub(super) fn block_id(&mut self, from: &Origin, answer: &ApiMessageId) -> String {
        let newest = self.blocks.entry(from.parent.clone());
        let newest = newest.or_insert_with(|| (answer.clone(), 0));
        if newest.0 != *answer {
            *newest = (answer.clone(), 0);
        }
        let number = newest.1;
        newest.1 += 1;
        format!("{answer}.{number}")
    }

    fn answer_block(
        &mut self,
        from: &Origin,
        answer: &ApiMessageId,
        block: &ContentBlock,
        aborted: bool,
    ) {
        let content = match block {
            ContentBlock::Text(block) => {
                let text = AssistantText {
                    text: block.text.clone(),
                    streaming: false,
                    aborted,
                };
                return self.complete(from, answer, Content::AssistantText(text));
            }
            ContentBlock::Thinking(block) => {
                let thinking = Thinking {
                    text: block.thinking.clone(),
                    streaming: false,
                    redacted: false,
                };
                return self.complete(from, answer, Content::Thinking(thinking));
            }
            ContentBlock::ToolUse(block) => {
                return self.tool_call(from, &block.id, &block.name, &block.input, false);
            }
            ContentBlock::ServerToolUse(block) => {
                return self.tool_call(from, &block.id, &block.name, &block.input, true);
            }
            ContentBlock::McpToolUse(block) => {
                let name = format!("mcp__{}__{}", block.server_name, block.name);
                return self.tool_call(from, &block.id, &name, &block.input, true);
            }
            ContentBlock::RedactedThinking(_) => Content::Thinking(Thinking {
                text: String::new(),
                streaming: false,
                redacted: true,
            }),
            ContentBlock::Compaction(block) => Content::ContextCompaction(ContextCompaction {
                summary: block.content.clone(),
                shown: block.content.as_deref().and_then(wrapped::summary),
                trigger: None,
                tokens_before: None,
                tokens_after: None,
                part: None,
            }),
            other => {
                let id = self.block_id(from, answer);
                return self.other_block(from, &id, "assistant", other);
            }
        };
        let id = self.block_id(from, answer);
        self.add(from, id, content);
    }

    /// Adds a text that is complete. If the text was streaming, completes the streamed element instead.
    fn complete(&mut self, from: &Origin, answer: &ApiMessageId, content: Content) {
        let (text, is_thinking) = match &content {
            Content::AssistantText(text) => (&text.text, false),
            Content::Thinking(thinking) => (&thinking.text, true),
            _ => return,
        };
        let grown = from
            .parent
            .is_none()
            .then(|| self.grown(answer, text, is_thinking));
        if let Some(mut element) = grown.flatten() {
            element.message.clone_from(&from.message);
            element.timestamp.clone_from(&from.timestamp);
            element.content = content;
            self.remember(&element);
            self.update(&element);
        } else {
            let id = self.block_id(from, answer);
            self.add(from, id, content);
        }
    }
}

/// Whether the CLI itself wrote the text, because the conversation continues without a request to the model. This
/// happens, for example, after the output of a command. The interactive CLI does not show this text.
fn is_no_answer(message: &AssistantMessage, text: &str) -> bool {
    message.message.model == "<synthetic>" && text == "No response requested."
}

//! Streams a message of the model in the form in which `claude` writes it.

use tokio::io::AsyncWrite;

use super::{
    engine::{Engine, Stop},
    line,
    turn_state::Call,
};
use crate::{
    Block, Content,
    block::{quoted, text_block},
};

impl<W: AsyncWrite + Unpin> Engine<'_, W> {
    /// Streams a message. Its `message_stop` is written with the next step, because a permission request must come
    /// before it.
    pub(super) async fn message(&mut self, blocks: &[Block]) -> Result<(), Stop> {
        self.current()?.messages += 1;
        self.messages += 1;
        let id = format!("msg_{:06}", self.messages);
        if self.script.partial_messages {
            self.write(line::REQUESTING, |_| None).await?;
        }
        self.start_message(&id).await?;
        for (index, block) in blocks.iter().enumerate() {
            let mut block = block.clone();
            block.name_tool_use(|| {
                self.tool_uses += 1;
                format!("toolu_{:04}", self.tool_uses)
            });
            self.block(&id, index, &block).await?;
        }
        let asks = blocks.iter().any(Block::is_tool_use);
        let stop_reason = if asks { "tool_use" } else { "end_turn" };
        self.current()?.stop_reason = stop_reason;
        let stop_reason = |name: &str| (name == "stop_reason").then(|| quoted(stop_reason));
        let delta = line::fill(line::MESSAGE_DELTA, stop_reason)?;
        self.event(line::EVENT, &id, &delta).await?;
        self.current()?.unended = Some(id);
        Ok(())
    }

    /// Writes the pending `message_stop`, if any.
    pub(super) async fn stop_message(&mut self) -> Result<(), Stop> {
        match self.turn.as_mut().and_then(|turn| turn.unended.take()) {
            Some(id) => {
                self.event(line::EVENT, &id, r#"{"type":"message_stop"}"#)
                    .await
            }
            None => Ok(()),
        }
    }

    async fn start_message(&mut self, id: &str) -> Result<(), Stop> {
        let model = quoted(&self.script.model);
        let start = line::fill(line::MESSAGE_START, |name| match name {
            "message_id" => Some(quoted(id)),
            "model" => Some(model.clone()),
            _ => None,
        })?;
        let mut template = line::with(line::EVENT, r#""ttft_ms":12,"thinking_display":"updates""#);
        if !std::mem::replace(&mut self.current()?.named_in_event, true) {
            template = line::with(&template, line::OF_PROMPT);
            template = line::with(&template, r#""owed_rows":[]"#);
        }
        self.event(&template, id, &start).await
    }

    async fn block(&mut self, id: &str, index: usize, block: &Block) -> Result<(), Stop> {
        let thinks = matches!(block.content, Content::Thinking { .. });
        let template = if thinks {
            line::with(line::EVENT, line::OF_THINKING)
        } else {
            line::EVENT.to_owned()
        };
        let opening = block.opening();
        let start = format!(
            r#"{{"type":"content_block_start","index":{index},"content_block":{opening}}}"#
        );
        self.event(&template, id, &start).await?;
        self.current()?.streaming = Some((id.to_owned(), index, Vec::new()));
        let (deltas, parts) = (block.deltas(), block.text_parts());
        for (number, delta) in deltas.iter().enumerate() {
            for gate in block.gates_before(number, deltas.len()) {
                self.gate(gate).await?;
            }
            self.pause().await?;
            // The last delta of a thinking block is its signature.
            let is_signature = thinks && number + 1 == deltas.len();
            if thinks && !is_signature {
                self.thinking_tokens(number + 1).await?;
            }
            let event =
                format!(r#"{{"type":"content_block_delta","index":{index},"delta":{delta}}}"#);
            let template = if is_signature { line::EVENT } else { &template };
            self.event(template, id, &event).await?;
            if let Some((_, _, sent)) = &mut self.current()?.streaming {
                sent.extend(parts.get(number).cloned());
            }
        }
        for gate in block.gates_before(deltas.len(), deltas.len()) {
            self.gate(gate).await?;
        }
        self.current()?.streaming = None;
        let members = if thinks {
            r#""thinking_duration_ms":1,"thinking_display":"updates""#
        } else {
            ""
        };
        self.assistant(id, &block.whole(), members).await?;
        match &block.content {
            Content::Text { .. } | Content::EscapedText { .. } => {
                self.current()?.last_text = format!("\"{}\"", parts.concat());
            }
            Content::ToolUse { id, name, input } => {
                self.current()?.call = Some(Call {
                    id: id.clone().unwrap_or_default(),
                    name: name.clone(),
                    input: input.clone(),
                });
            }
            Content::Thinking { .. } | Content::ServerToolUse { .. } | Content::Whole { .. } => {}
        }
        self.stop_block(id, index).await
    }

    async fn thinking_tokens(&mut self, tokens: usize) -> Result<(), Stop> {
        if !self.script.partial_messages {
            return Ok(());
        }
        self.write(line::THINKING_TOKENS, |name| match name {
            "tokens" => Some(tokens.to_string()),
            "delta" => Some("1".to_owned()),
            _ => None,
        })
        .await
    }

    async fn stop_block(&mut self, id: &str, index: usize) -> Result<(), Stop> {
        let stop = format!(r#"{{"type":"content_block_stop","index":{index}}}"#);
        self.event(line::EVENT, id, &stop).await
    }

    /// Writes an assistant line with one block.
    async fn assistant(&mut self, id: &str, block: &str, members: &str) -> Result<(), Stop> {
        let mut template = line::ASSISTANT.to_owned();
        if !members.is_empty() {
            template = line::with(&template, members);
        }
        if !std::mem::replace(&mut self.current()?.named_in_assistant, true) {
            template = line::with(&template, line::OF_PROMPT);
        }
        let request = quoted(&format!("req_{}", self.messages));
        self.write(&template, |name| match name {
            "message_id" => Some(quoted(id)),
            "block" => Some(block.to_owned()),
            "api_request_id" => Some(request.clone()),
            _ => None,
        })
        .await
    }

    async fn event(&mut self, template: &str, id: &str, event: &str) -> Result<(), Stop> {
        if !self.script.partial_messages {
            return Ok(());
        }
        self.write(template, |name| match name {
            "event" => Some(event.to_owned()),
            "message_id" => Some(quoted(id)),
            _ => None,
        })
        .await
    }

    /// Interrupts the message. The part of a text that was already streamed still becomes an assistant line.
    pub(super) async fn abort_message(&mut self) -> Result<(), Stop> {
        self.stop_message().await?;
        match self.current()?.streaming.clone() {
            Some((id, _, sent)) if !sent.is_empty() => {
                self.assistant(&id, &text_block(&sent, &[]), r#""aborted":true"#)
                    .await
            }
            _ => Ok(()),
        }
    }

    /// Writes the end of a message whose stream was broken off.
    pub(super) async fn end_abandoned(&mut self) -> Result<(), Stop> {
        let Some((id, index, _)) = self.current()?.streaming.take() else {
            return Ok(());
        };
        self.stop_block(&id, index).await?;
        self.event(line::EVENT, &id, line::ABANDONED_DELTA).await?;
        let from = format!(
            r#""abandoned_blocks":{{"api_message_id":{},"from_block_index":{}}}"#,
            quoted(&id),
            index + 1
        );
        let template = line::with(line::EVENT, &from);
        self.event(&template, &id, r#"{"type":"message_stop"}"#)
            .await
    }
}

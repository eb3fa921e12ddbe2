//! An answer as server-sent events.

use bytes::Bytes;

use super::answer::Ids;
use crate::{Block, block::quoted};

#[cfg(test)]
mod tests;

/// What the stream of an answer does next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Chunk {
    /// Send one event.
    Event(Bytes),
    /// Wait for a gate.
    Hold(String),
}

/// All that the stream of a message does.
pub(super) fn stream(blocks: &[Block], model: &str, ids: &Ids) -> Vec<Chunk> {
    let mut out = Stream(Vec::new());
    out.event(
        "message_start",
        &format!(
            r#""message":{{"id":{},"type":"message","role":"assistant","model":{},"content":[],"stop_reason":null,"stop_sequence":null,"usage":{{"input_tokens":10,"cache_creation_input_tokens":0,"cache_read_input_tokens":0,"cache_creation":{{"ephemeral_5m_input_tokens":0,"ephemeral_1h_input_tokens":0}},"output_tokens":1,"service_tier":"standard","inference_geo":"not_available"}}}}"#,
            quoted(&ids.message()),
            quoted(model)
        ),
    );
    for (index, block) in blocks.iter().enumerate() {
        let mut block = block.clone();
        block.name_tool_use(|| ids.tool_use());
        out.event(
            "content_block_start",
            &format!(r#""index":{index},"content_block":{}"#, block.opening()),
        );
        let deltas = block.deltas();
        for (number, delta) in deltas.iter().enumerate() {
            out.hold(block.gates_before(number, deltas.len()));
            out.event(
                "content_block_delta",
                &format!(r#""index":{index},"delta":{delta}"#),
            );
        }
        out.hold(block.gates_before(deltas.len(), deltas.len()));
        out.event("content_block_stop", &format!(r#""index":{index}"#));
    }
    let asks = blocks.iter().any(Block::is_tool_use);
    let stop_reason = if asks { "tool_use" } else { "end_turn" };
    out.event(
        "message_delta",
        &format!(
            r#""delta":{{"stop_reason":"{stop_reason}","stop_sequence":null}},"usage":{{"input_tokens":10,"cache_creation_input_tokens":0,"cache_read_input_tokens":0,"output_tokens":12}}"#
        ),
    );
    out.event("message_stop", "");
    out.0
}

struct Stream(Vec<Chunk>);

impl Stream {
    fn event(&mut self, kind: &str, members: &str) {
        let comma = if members.is_empty() { "" } else { "," };
        let event = format!("event: {kind}\ndata: {{\"type\":\"{kind}\"{comma}{members}}}\n\n");
        self.0.push(Chunk::Event(event.into()));
    }

    fn hold<'a>(&mut self, gates: impl Iterator<Item = &'a str>) {
        self.0
            .extend(gates.map(|gate| Chunk::Hold(gate.to_owned())));
    }
}

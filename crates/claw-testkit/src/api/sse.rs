//! An answer as server-sent events.

use bytes::Bytes;
use serde_json::{Map, Value, json};

use super::{Reply, answer::Ids};
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

/// All that the stream of a message does. `input_tokens` is what the request is said to hold.
pub(super) fn stream(reply: &Reply, model: &str, input_tokens: u64, ids: &Ids) -> Vec<Chunk> {
    let Reply {
        blocks,
        stop,
        usage,
    } = reply;
    let counts = [
        ("input_tokens", json!(input_tokens)),
        ("cache_creation_input_tokens", json!(0)),
        ("cache_read_input_tokens", json!(0)),
    ];
    let mut out = Stream(Vec::new());
    let first = [
        (
            "cache_creation",
            json!({"ephemeral_5m_input_tokens": 0, "ephemeral_1h_input_tokens": 0}),
        ),
        ("output_tokens", json!(1)),
        ("service_tier", json!("standard")),
        ("inference_geo", json!("not_available")),
    ];
    let mut at_first = usage.clone();
    at_first.remove("output_tokens");
    out.event(
        "message_start",
        &format!(
            r#""message":{{"id":{},"type":"message","role":"assistant","model":{},"content":[],"stop_reason":null,"stop_sequence":null,"usage":{}}}"#,
            quoted(&ids.message()),
            quoted(model),
            object(counts.iter().chain(&first), &at_first),
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
    let end = [
        (
            "stop_reason",
            json!(if asks { "tool_use" } else { "end_turn" }),
        ),
        ("stop_sequence", json!(null)),
    ];
    let last = [("output_tokens", json!(12))];
    out.event(
        "message_delta",
        &format!(
            r#""delta":{},"usage":{}"#,
            object(&end, stop),
            object(counts.iter().chain(&last), usage)
        ),
    );
    out.event("message_stop", "");
    out.0
}

/// A JSON object of these members, in their order; those in `over` instead of or behind them.
fn object<'a>(
    members: impl IntoIterator<Item = &'a (&'a str, Value)>,
    over: &Map<String, Value>,
) -> String {
    let mut rest = over.clone();
    let mut text = String::new();
    let mut add = |name: &str, value: &Value| {
        let comma = if text.is_empty() { "" } else { "," };
        text = format!("{text}{comma}{}:{value}", quoted(name));
    };
    for (name, value) in members {
        add(name, &rest.remove(*name).unwrap_or_else(|| value.clone()));
    }
    for (name, value) in &rest {
        add(name, value);
    }
    format!("{{{text}}}")
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

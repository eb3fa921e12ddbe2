//! Writes an answer as server-sent events.

use bytes::Bytes;
use serde_json::{Map, Value, json};

use super::{Reply, answer::Ids};
use crate::{Block, block::quoted};

#[cfg(test)]
mod tests;

/// The default number of output tokens of an answer.
const OUTPUT_TOKENS: u64 = 12;

/// The members for the end of the message, with the values that they have before the message ends.
const NOT_STOPPED: [(&str, Value); 2] =
    [("stop_reason", Value::Null), ("stop_sequence", Value::Null)];

/// The next action of an answer's stream.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Chunk {
    /// Send one event.
    Event(Bytes),
    /// Wait for a gate.
    Hold(String),
}

/// An answer that is being sent.
#[derive(Debug)]
pub(super) struct ReplyContext<'a> {
    /// The answer.
    pub(super) reply: &'a Reply,
    /// The model that answers.
    pub(super) model: &'a str,
    /// The number of input tokens that the API reports for the request.
    pub(super) input_tokens: u64,
    /// The source of IDs.
    pub(super) ids: &'a Ids,
}

impl ReplyContext<'_> {
    /// Returns all actions of the message's stream.
    pub(super) fn stream(&self) -> Vec<Chunk> {
        let mut out = Stream(Vec::new());
        let message = self.message("[]", &Map::new(), 1);
        out.event("message_start", &format!(r#""message":{message}"#));
        let blocks = self.blocks();
        for (index, block) in blocks.iter().enumerate() {
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
        if let Some(error) = &self.reply.error {
            out.event("error", &format!(r#""error":{}"#, error.body()));
            return out.0;
        }
        let stop = object(&NOT_STOPPED, &self.stop());
        let usage = [("output_tokens", json!(OUTPUT_TOKENS))];
        let usage = object(self.counts().iter().chain(&usage), &self.reply.usage);
        out.event(
            "message_delta",
            &format!(r#""delta":{stop},"usage":{usage}"#),
        );
        out.event("message_stop", "");
        out.0
    }

    /// Returns the whole message as JSON, for requests without streaming.
    pub(super) fn whole(&self) -> String {
        let blocks: Vec<_> = self.blocks().iter().map(Block::whole).collect();
        let content = format!("[{}]", blocks.join(","));
        self.message(&content, &self.stop(), OUTPUT_TOKENS)
    }

    fn message(&self, content: &str, stop: &Map<String, Value>, output_tokens: u64) -> String {
        let usage = [
            (
                "cache_creation",
                json!({"ephemeral_5m_input_tokens": 0, "ephemeral_1h_input_tokens": 0}),
            ),
            ("output_tokens", json!(output_tokens)),
            ("service_tier", json!("standard")),
            ("inference_geo", json!("not_available")),
        ];
        let mut overrides = self.reply.usage.clone();
        if stop.is_empty() {
            // The number of output tokens is known only when the message ends.
            overrides.remove("output_tokens");
        }
        let stop = object(&NOT_STOPPED, stop);
        format!(
            r#"{{"id":{},"type":"message","role":"assistant","model":{},"content":{content},{},"usage":{}}}"#,
            quoted(&self.ids.message()),
            quoted(self.model),
            &stop[1..stop.len() - 1],
            object(self.counts().iter().chain(&usage), &overrides),
        )
    }

    fn blocks(&self) -> Vec<Block> {
        let mut blocks = self.reply.blocks.clone();
        for block in &mut blocks {
            block.name_tool_use(|| self.ids.tool_use());
        }
        blocks
    }

    fn stop(&self) -> Map<String, Value> {
        let mut stop = self.reply.stop.clone();
        stop.entry("stop_reason").or_insert_with(|| {
            let asks = self.reply.blocks.iter().any(Block::is_tool_use);
            json!(if asks { "tool_use" } else { "end_turn" })
        });
        stop
    }

    fn counts(&self) -> [(&'static str, Value); 3] {
        [
            ("input_tokens", json!(self.input_tokens)),
            ("cache_creation_input_tokens", json!(0)),
            ("cache_read_input_tokens", json!(0)),
        ]
    }
}

/// Returns a JSON object with these members in this order. A member in `overrides` replaces the member of the same
/// name, or is appended if there is none.
fn object<'a>(
    members: impl IntoIterator<Item = &'a (&'a str, Value)>,
    overrides: &Map<String, Value>,
) -> String {
    let mut rest = overrides.clone();
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

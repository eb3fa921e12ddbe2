//! The state of a turn: its prompt, and the work that the agent has done for it so far.

use serde_json::{Value, json};

use super::{AgentError, line};
use crate::block::quoted;

/// A prompt that was received.
#[derive(Debug, Clone)]
pub(super) struct Prompt {
    /// The UUID that the client gave the prompt.
    pub(super) uuid: Option<String>,
    pub(super) text: String,
}

impl Prompt {
    pub(super) fn of(line: &Value) -> Self {
        let content = &line["message"]["content"];
        let blocks = content.as_array().map_or(&[][..], Vec::as_slice);
        let texts = blocks.iter().filter_map(|block| block["text"].as_str());
        Self {
            uuid: line["uuid"].as_str().map(str::to_owned),
            text: content.as_str().into_iter().chain(texts).collect(),
        }
    }
}

/// A turn in progress.
#[derive(Debug)]
pub(super) struct Turn {
    pub(super) prompt: Prompt,
    /// The UUID of the prompt, or a generated one if it has none.
    pub(super) prompt_uuid: String,
    pub(super) messages: usize,
    /// The number of user lines that the agent wrote: tool results, and the note about an interruption.
    pub(super) user_lines: usize,
    pub(super) last_text: String,
    pub(super) stop_reason: &'static str,
    pub(super) call: Option<Call>,
    pub(super) denials: Vec<String>,
    /// The permission decision for the next tool result, as JSON.
    pub(super) decision: Option<String>,
    /// The ID of the message whose `message_stop` is not written yet, because a permission request must come before it.
    pub(super) unended: Option<String>,
    /// A text that is being streamed: the ID of its message, the index of its block, and the deltas that were sent.
    pub(super) streaming: Option<(String, usize, Vec<String>)>,
    /// Whether the turn was interrupted while it waited for a permission.
    pub(super) cancelled: bool,
    /// Whether the result is being written. The turn can then no longer be interrupted.
    pub(super) ending: bool,
    /// Whether the first stream event with the UUID of the prompt was written, and whether the first assistant line
    /// with it was written.
    pub(super) named_in_event: bool,
    pub(super) named_in_assistant: bool,
}

/// A tool use that waits for its outcome.
#[derive(Debug, Clone)]
pub(super) struct Call {
    pub(super) id: String,
    pub(super) name: String,
    pub(super) input: Value,
}

impl Call {
    /// Returns the value of a placeholder that refers to this tool use.
    pub(super) fn value(&self, name: &str) -> Option<String> {
        Some(match name {
            "tool_use_id" => quoted(&self.id),
            "tool_name" => quoted(&self.name),
            "input" => self.input.to_string(),
            "rule" => {
                let mut rule = json!({"toolName": self.name});
                if let Some(command) = self.input["command"].as_str() {
                    rule["ruleContent"] = command.into();
                }
                rule.to_string()
            }
            "description" => quoted(self.input["description"].as_str().unwrap_or_default()),
            _ => return None,
        })
    }

    /// Returns the tool use as an entry of a result's `permission_denials`, as JSON.
    pub(super) fn denial(&self) -> Result<String, AgentError> {
        line::fill(line::DENIAL, |name| self.value(name))
    }
}

//! An answer that is assembled from its `assistant` messages.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use crate::message::AssistantMessage;
use crate::{SessionId, ToolUseId};

/// Assembles the model's answers from `assistant` messages. `claude` writes one `assistant` message for each content
/// block, and all messages of an answer have the same `message.id`.
///
/// `Answers` keeps the newest answer of the main conversation and the newest answer of each sub-agent, because their
/// messages can be interleaved. It does not remove the answers of sub-agents that have finished. In a long session,
/// create a new `Answers` after each result.
///
/// ```
/// use claw_types::accumulate::Answers;
/// use claw_types::message::AssistantMessage;
///
/// let line = |block: &str| -> AssistantMessage {
///     serde_json::from_str(&format!(
///         r#"{{"type":"assistant","message":{{"id":"msg_1","type":"message","role":"assistant",
///         "model":"m","content":[{block}],"stop_reason":null,"stop_sequence":null,
///         "usage":{{"output_tokens":5}}}},"parent_tool_use_id":null,"uuid":"u","session_id":"s"}}"#
///     )).unwrap()
/// };
/// let mut answers = Answers::default();
/// answers.push(line(r#"{"type":"text","text":"I look."}"#));
/// let answer = answers.push(line(r#"{"type":"tool_use","id":"t","name":"Read","input":{}}"#));
/// assert_eq!(answer.message.content.len(), 2);
/// ```
#[derive(Debug, Clone, Default)]
pub struct Answers {
    newest: HashMap<Speaker, AssistantMessage>,
}

/// The author of an answer: the main conversation of a session, or one of its sub-agents.
type Speaker = (SessionId, Option<ToolUseId>);

impl Answers {
    /// Adds a message, and returns the part of its answer that has arrived so far. The content of the returned message
    /// contains the blocks of all messages of the answer so far. All its other fields have the values of the newest
    /// message.
    pub fn push(&mut self, mut line: AssistantMessage) -> &AssistantMessage {
        let speaker = (line.session_id.clone(), line.parent_tool_use_id.clone());
        let answer = match self.newest.entry(speaker) {
            Entry::Vacant(first) => return first.insert(line),
            Entry::Occupied(newest) => newest.into_mut(),
        };
        if answer.message.id == line.message.id {
            let mut content = std::mem::take(&mut answer.message.content);
            content.append(&mut line.message.content);
            line.message.content = content;
        }
        *answer = line;
        answer
    }
}

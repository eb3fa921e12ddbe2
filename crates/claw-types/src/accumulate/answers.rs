//! An answer out of its lines.

use crate::message::AssistantMessage;

/// Puts the lines of an answer together: `claude` writes one `assistant` line a block, and the
/// lines of an answer share their `message.id`.
///
/// Keeps the newest answer of each speaker (the main conversation, and each sub-agent, whose lines
/// may come in between), and no older ones. Sub-agents that are done are not forgotten: in a long
/// session, make a new one with each result.
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
    newest: Vec<AssistantMessage>,
}

impl Answers {
    /// Takes a line in, and gives the answer that it belongs to as far as it has come. All but its
    /// content is that of the newest line.
    pub fn push(&mut self, mut line: AssistantMessage) -> &AssistantMessage {
        let speaker = |answer: &AssistantMessage| {
            answer.parent_tool_use_id == line.parent_tool_use_id
                && answer.session_id == line.session_id
        };
        let Some(at) = self.newest.iter().position(speaker) else {
            self.newest.push(line);
            return &self.newest[self.newest.len() - 1];
        };
        let answer = &mut self.newest[at];
        if answer.message.id == line.message.id {
            let mut content = std::mem::take(&mut answer.message.content);
            content.append(&mut line.message.content);
            line.message.content = content;
        }
        *answer = line;
        &self.newest[at]
    }
}

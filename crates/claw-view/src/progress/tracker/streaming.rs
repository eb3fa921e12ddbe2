//! Tracks the text of the model while the text streams.

use std::collections::{BTreeMap, HashMap};

use claw_types::api::{ContentBlock, ContentBlockDelta, StreamEvent};
use claw_types::message::{AssistantMessage, StreamEventMessage};
use claw_types::{ApiMessageId, ToolUseId};

use crate::progress::text::Prose;
use crate::progress::{Progress, Worker};

type Answers = HashMap<Option<ToolUseId>, Answer>;

/// A response that is streaming.
#[derive(Debug)]
pub(super) struct Answer {
    id: ApiMessageId,
    /// The texts of the response. The keys are the indexes of their blocks. The values are boxed because a map allocates
    /// space for eleven values at once.
    texts: BTreeMap<u64, Box<Text>>,
}

/// A text that is streaming.
#[derive(Debug, Default)]
struct Text {
    prose: Prose,
    /// The last line of the text. It is not complete yet.
    line: String,
    /// The last reported progress of the agent that writes the text, and of each sub-agent.
    reported: HashMap<Option<Worker>, Progress>,
}

/// Handles a stream event. Returns the progress that the completed lines of the streamed text report.
pub(super) fn streamed(answers: &mut Answers, message: &StreamEventMessage) -> Vec<Progress> {
    let parent = message.parent_tool_use_id.as_ref();
    match &message.event {
        StreamEvent::MessageStart(event) => {
            let answer = Answer {
                id: event.message.id.clone(),
                texts: BTreeMap::new(),
            };
            answers.insert(parent.cloned(), answer);
        }
        StreamEvent::ContentBlockStart(event) => {
            if let (ContentBlock::Text(text), Some(answer)) =
                (&event.content_block, answers.get_mut(&parent.cloned()))
            {
                let begun = answer.texts.entry(event.index.get()).or_default();
                return begun.grow(&text.text);
            }
        }
        StreamEvent::ContentBlockDelta(event) => {
            if let ContentBlockDelta::Text(delta) = &event.delta
                && let Some(answer) = answers.get_mut(&parent.cloned())
                && let Some(text) = answer.texts.get_mut(&event.index.get())
            {
                return text.grow(&delta.text);
            }
        }
        _ => {}
    }
    Vec::new()
}

/// Returns the progress that a complete text reports about the agent that wrote it and about sub-agents. Leaves out
/// progress that was already reported while the text streamed.
pub(super) fn whole(
    answers: &mut Answers,
    message: &AssistantMessage,
    text: &str,
) -> Vec<Progress> {
    let reported = answers
        .get_mut(&message.parent_tool_use_id)
        .filter(|answer| answer.id == message.message.id)
        // Each message contains one block, and the messages arrive in the order of the blocks. So this message
        // completes the first of the streamed texts.
        .and_then(|answer| answer.texts.pop_first())
        .map(|(_, text)| text.reported)
        .unwrap_or_default();
    let mut progress = Prose::of(text).all();
    progress.retain(|progress| reported.get(&progress.worker) != Some(progress));
    progress
}

impl Text {
    fn grow(&mut self, piece: &str) -> Vec<Progress> {
        let mut new = Vec::new();
        for line in piece.split_inclusive('\n') {
            self.line.push_str(line);
            let Some(line) = self.line.strip_suffix('\n') else {
                continue;
            };
            let progress = self.prose.take(line.strip_suffix('\r').unwrap_or(line));
            if let Some(progress) = progress
                && self.reported.get(&progress.worker) != Some(progress)
            {
                self.reported
                    .insert(progress.worker.clone(), progress.clone());
                new.push(progress.clone());
            }
            self.line.clear();
        }
        new
    }
}

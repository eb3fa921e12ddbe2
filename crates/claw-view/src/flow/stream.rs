//! Stream events.

use std::collections::BTreeSet;

use claw_types::api::StreamEvent;
use claw_types::message::StreamEventMessage;

use super::{Flow, Rule};

/// An answer that grows.
#[derive(Debug, Default)]
pub(super) struct Answer {
    /// The blocks that grow.
    open: BTreeSet<u64>,
    /// The blocks that were begun.
    begun: BTreeSet<u64>,
}

impl Flow {
    pub(super) fn streamed(&mut self, message: &StreamEventMessage) {
        if let StreamEvent::MessageStart(_) = message.event {
            self.in_turn("a stream event");
            // The one before may have broken off: the API is asked again.
            self.stream = Some(Answer::default());
            return;
        }
        let index = match &message.event {
            StreamEvent::ContentBlockStart(event) => Some(event.index.get()),
            StreamEvent::ContentBlockDelta(event) => Some(event.index.get()),
            StreamEvent::ContentBlockStop(event) => Some(event.index.get()),
            StreamEvent::MessageDelta(_) | StreamEvent::MessageStop(_) => None,
            // Says nothing of an answer.
            _ => return,
        };
        let Some(answer) = &mut self.stream else {
            return self.wrong(Rule::StreamNests, "no message_start before it".to_owned());
        };
        let wrong = match (&message.event, index) {
            (StreamEvent::ContentBlockStart(_), Some(index)) => {
                answer.open.insert(index);
                (!answer.begun.insert(index)).then(|| format!("block {index} has begun before"))
            }
            (StreamEvent::ContentBlockDelta(_), Some(index)) => {
                (!answer.open.contains(&index)).then(|| format!("block {index} does not grow"))
            }
            (StreamEvent::ContentBlockStop(_), Some(index)) => {
                (!answer.open.remove(&index)).then(|| format!("block {index} does not grow"))
            }
            (StreamEvent::MessageStop(_), _) => {
                let open = answer.open.first().copied();
                self.stream = None;
                open.map(|index| format!("block {index} has not ended"))
            }
            _ => None,
        };
        if let Some(text) = wrong {
            self.wrong(Rule::StreamNests, text);
        }
    }
}

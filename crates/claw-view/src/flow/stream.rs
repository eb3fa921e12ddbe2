//! Checks stream events.

use std::collections::BTreeSet;

use claw_types::api::StreamEvent;
use claw_types::message::StreamEventMessage;

use super::{Flow, Rule};

/// A response that is streaming.
#[derive(Debug, Default)]
pub(super) struct Answer {
    /// The indexes of the blocks that have started and not stopped yet.
    open: BTreeSet<u64>,
    /// The indexes of the blocks that have started.
    begun: BTreeSet<u64>,
}

impl Flow {
    pub(super) fn streamed(&mut self, message: &StreamEventMessage) {
        if let StreamEvent::MessageStart(_) = message.event {
            self.in_turn("a stream event");
            // If the previous response has not ended, a retry may have interrupted it. This is not a violation.
            self.stream = Some(Answer::default());
            return;
        }
        let index = match &message.event {
            StreamEvent::ContentBlockStart(event) => Some(event.index.get()),
            StreamEvent::ContentBlockDelta(event) => Some(event.index.get()),
            StreamEvent::ContentBlockStop(event) => Some(event.index.get()),
            StreamEvent::MessageDelta(_) | StreamEvent::MessageStop(_) => None,
            // The event belongs to no response. An example is a ping.
            _ => return,
        };
        let Some(answer) = &mut self.stream else {
            return self.violate(Rule::StreamNests, "no message_start before it".to_owned());
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
            self.violate(Rule::StreamNests, text);
        }
    }
}

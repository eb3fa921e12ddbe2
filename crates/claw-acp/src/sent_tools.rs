//! Remembers the tool uses whose updates were sent. A permission request and the message with its tool use arrive on
//! different paths. The request must not be sent to the client before the updates of that message.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use claw_types::api::ContentBlock;
use claw_types::{Message, ToolUseId};
use tokio::sync::watch;
use tokio::time::timeout;

/// The maximum number of remembered tool uses.
const MOST: usize = 256;
/// The maximum time for which a permission request waits for its tool use. After a resume, the message with the tool
/// use may never arrive, because an earlier process sent it.
const WAIT: Duration = Duration::from_secs(2);

/// The tool uses whose updates were sent. Clones share them.
#[derive(Debug, Clone, Default)]
pub(crate) struct SentTools(Arc<watch::Sender<VecDeque<ToolUseId>>>);

impl SentTools {
    /// Remembers the tool uses of a message whose updates were sent.
    pub(crate) fn add(&self, message: &Message) {
        let Message::Assistant(answer) = message else {
            return;
        };
        let blocks = answer.message.content.iter();
        let mut new = blocks
            .filter_map(|block| match block {
                ContentBlock::ToolUse(tool) => Some(tool.id.clone()),
                _ => None,
            })
            .peekable();
        if new.peek().is_some() {
            self.0.send_modify(|sent| {
                sent.extend(new);
                let excess = sent.len().saturating_sub(MOST);
                sent.drain(..excess);
            });
        }
    }

    /// Waits until the updates of a tool use were sent.
    pub(crate) async fn wait_for(&self, id: &ToolUseId) {
        let mut sent = self.0.subscribe();
        // If the tool use stays unknown, the request itself contains everything that a person needs.
        let _ = timeout(WAIT, sent.wait_for(|sent| sent.contains(id))).await;
    }
}

#[cfg(test)]
mod tests {
    use claw_types::from_line;
    use futures::FutureExt as _;
    use tokio::time::Instant;

    use super::*;

    fn uses(id: &str) -> Message {
        let line = format!(
            r#"{{"type":"assistant","message":{{"id":"m","type":"message","role":"assistant","model":"m","content":[{{"type":"tool_use","id":"{id}","name":"Bash","input":{{}}}}],"stop_reason":null,"stop_sequence":null,"usage":{{"input_tokens":1,"output_tokens":1}}}},"parent_tool_use_id":null,"session_id":"s","uuid":"u"}}"#
        );
        from_line(line.as_bytes()).unwrap()
    }

    #[tokio::test(start_paused = true)]
    async fn a_request_waits_for_its_tool_use_and_not_for_ever() {
        let sent = SentTools::default();
        let tool = ToolUseId::from("wanted");
        let mut waits = Box::pin(sent.wait_for(&tool));
        sent.add(&uses("other"));
        assert!(waits.as_mut().now_or_never().is_none());
        sent.add(&uses("wanted"));
        assert!(waits.as_mut().now_or_never().is_some());
        let began = Instant::now();
        sent.wait_for(&ToolUseId::from("unknown")).await;
        assert_eq!(began.elapsed(), WAIT);
    }

    #[test]
    fn only_the_last_ones_are_kept() {
        let sent = SentTools::default();
        for at in 0..=MOST {
            sent.add(&uses(&at.to_string()));
        }
        let kept = sent.0.borrow();
        assert_eq!(kept.len(), MOST);
        assert_eq!(kept[0], ToolUseId::from("1"));
    }
}

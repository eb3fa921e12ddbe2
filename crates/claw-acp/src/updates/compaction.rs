//! Converts compactions of the conversation, from the message about their start to the summary.

use agent_client_protocol::v1::schema::{
    CompactionId, CompactionStatus, CompactionUpdate, SessionUpdate,
};
use claw_types::Message;
use claw_types::message::{CompactResult, SessionStatus, StatusMessage};
use claw_view::ElementId;
use claw_view::element::ContextCompaction;

use super::text_block;

/// The running compaction, and the last compaction.
#[derive(Debug, Default)]
pub(super) struct Compactions {
    running: Option<CompactionId>,
    /// The element of the last compaction, and the ID that the client knows for this compaction. The ID is that of the
    /// message that reported the start.
    last: Option<(ElementId, CompactionId)>,
}

impl Compactions {
    /// Handles a message. Returns an update if the message reports that a compaction has begun, has failed or was
    /// cancelled.
    pub(super) fn message(&mut self, message: &Message) -> Option<SessionUpdate> {
        match message {
            Message::Status(status) => self.status(status),
            // The turn ended while a compaction was running.
            Message::ResultSuccess(_) | Message::ResultError(_) => {
                let id = self.running.take()?;
                Some(update(CompactionUpdate::new(
                    id,
                    CompactionStatus::Cancelled,
                )))
            }
            _ => None,
        }
    }

    fn status(&mut self, status: &StatusMessage) -> Option<SessionUpdate> {
        if status.compact_result == Some(CompactResult::Failed) {
            let id = self.running.take()?;
            let mut failed = CompactionUpdate::new(id, CompactionStatus::Failed);
            if let Some(error) = &status.compact_error {
                failed = failed.error(error.clone());
            }
            return Some(update(failed));
        }
        if status.status != Some(SessionStatus::Compacting) || self.running.is_some() {
            return None;
        }
        let id = CompactionId::new(status.uuid.as_str());
        self.running = Some(id.clone());
        Some(update(CompactionUpdate::new(
            id,
            CompactionStatus::InProgress,
        )))
    }

    /// Returns the update for a completed compaction. Its summary may follow in a second update.
    pub(super) fn element(
        &mut self,
        element: &ElementId,
        compaction: &ContextCompaction,
    ) -> SessionUpdate {
        let id = match &self.last {
            Some((known, id)) if known == element => id.clone(),
            _ => {
                let running = self.running.take();
                running.unwrap_or_else(|| CompactionId::new(element.as_str()))
            }
        };
        self.last = Some((element.clone(), id.clone()));
        let mut done = CompactionUpdate::new(id, CompactionStatus::Completed);
        let summary = compaction.shown.as_ref().or(compaction.summary.as_ref());
        if let Some(summary) = summary {
            done = done.summary(vec![text_block(without_frame(summary))]);
        }
        update(done)
    }
}

/// Removes the CLI's text for the model before and after a summary. A summary in another form stays unchanged.
fn without_frame(text: &str) -> &str {
    let Some((_, summary)) = text.split_once("\nSummary:\n") else {
        return text;
    };
    let end = summary.find("\n\nIf you need specific details from before compaction");
    summary[..end.unwrap_or(summary.len())].trim()
}

fn update(update: CompactionUpdate) -> SessionUpdate {
    SessionUpdate::CompactionUpdate(update)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_summary_is_shown_without_its_frame() {
        let framed = "This session is being continued.\n\nSummary:\nThey said hello.\n\nThen they left.\n\n\
            If you need specific details from before compaction, read the transcript.";
        let summary = "They said hello.\n\nThen they left.";
        assert_eq!(without_frame(framed), summary);
        assert_eq!(without_frame(summary), summary);
    }
}

//! Events of a session that are reported to people who are not looking at the session.

use claw_types::SessionId;
use claw_view::element::Content;

use super::glance::Glance;
use crate::conversation::{Conversation, Pending, Phase};

/// An event that is reported to people who are not looking at the session.
#[derive(Debug, Clone)]
pub(crate) struct Occasion {
    pub(crate) kind: OccasionKind,
    pub(crate) session: SessionId,
    pub(crate) project: String,
    /// The title that a person has set.
    pub(crate) title: Option<String>,
    /// The title, or the beginning of the first prompt if there is no title.
    pub(crate) name: Option<String>,
    /// The time of the event, in milliseconds since 1970.
    pub(crate) at: i64,
}

/// The kind of an occasion, with the contents of the message to people.
#[derive(Debug, Clone)]
pub(crate) enum OccasionKind {
    /// A request waits for an answer.
    Request(Box<Pending>),
    /// All work has finished. Contains the last text of the model.
    Finished(Option<String>),
    /// A turn has failed. Contains the reason.
    Failed(Option<String>),
}

/// Returns the event that people are notified of after a change of a conversation. Returns `None` if people are not
/// notified of this change.
pub(super) fn kind(
    before: Glance,
    after: Glance,
    conversation: &Conversation,
) -> Option<OccasionKind> {
    if after.is_closed {
        return None;
    }
    if after.requests > before.requests {
        let newest = conversation.requests().last()?;
        return Some(OccasionKind::Request(Box::new(newest.clone())));
    }
    if after.has_failed && !before.has_failed {
        let error = conversation.state().error.clone();
        return Some(OccasionKind::Failed(error));
    }
    let is_done = before.is_busy() && after.phase == Phase::Idle && !after.has_failed;
    is_done.then(|| OccasionKind::Finished(last_text(conversation)))
}

/// Returns the last text of the model.
fn last_text(conversation: &Conversation) -> Option<String> {
    let mut newest = conversation.elements().iter().rev();
    newest.find_map(|element| match &element.content {
        Content::AssistantText(text) => Some(text.text.clone()),
        _ => None,
    })
}

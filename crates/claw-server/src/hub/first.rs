//! What a viewer is shown first, made once for all who come at about the same time.

use std::sync::Arc;

use bytes::Bytes;
use claw_sessions::on_pool;
use claw_view::Element;

use crate::conversation::{Conversation, Moment, Pending, Position, State};

/// What a viewer is shown first.
#[derive(Debug)]
pub(crate) struct FirstState {
    /// Where the conversation was. The events after it follow.
    position: Position,
    /// What is sent.
    pub(crate) text: Bytes,
    /// The elements in it that grow.
    pub(crate) growing: Vec<Arc<Element>>,
}

/// What a first state is made of.
#[derive(Debug)]
pub(crate) struct Everything {
    /// The ID of the session.
    pub(crate) session: String,
    /// The elements.
    pub(crate) moment: Moment,
    /// The requests that wait, oldest first.
    pub(crate) requests: Vec<Pending>,
    /// The state.
    pub(crate) state: State,
    position: Position,
}

impl Everything {
    pub(super) fn of(conversation: &Conversation) -> Self {
        Self {
            session: conversation.session().to_owned(),
            moment: conversation.moment(),
            requests: conversation.requests().cloned().collect(),
            state: conversation.state().clone(),
            position: conversation.position(),
        }
    }

    /// Renders the first state where it keeps nobody waiting.
    pub(super) async fn render(
        self,
        render: impl FnOnce(&Self) -> (String, Vec<Arc<Element>>) + Send + 'static,
    ) -> FirstState {
        let rendered = on_pool::run(move || (render(&self), self.position));
        let ((text, growing), position) = rendered.await;
        FirstState {
            position,
            text: text.into(),
            growing,
        }
    }
}

impl FirstState {
    /// The number of the last event that it contains.
    pub(super) fn number(&self) -> u64 {
        self.position.number
    }

    /// Whether it does for a viewer that comes now.
    pub(super) fn is_recent(&self, conversation: &Conversation) -> bool {
        conversation.is_near(&self.position, self.text.len())
    }
}

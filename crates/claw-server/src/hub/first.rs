//! The first state that a viewer receives, rendered once for all viewers that arrive at about the same time.

use std::sync::Arc;

use bytes::Bytes;
use claw_sessions::on_pool;
use claw_view::Element;

use crate::conversation::{Conversation, Moment, Pending, Position, State};

/// The state that a viewer receives first.
#[derive(Debug)]
pub(crate) struct FirstState {
    /// The end of the conversation's log of events when the state was rendered. The viewer then receives the later events.
    position: Position,
    /// The rendered text that is sent.
    pub(crate) text: Bytes,
    /// The elements of the state whose texts are not complete yet.
    pub(crate) growing: Vec<Arc<Element>>,
}

/// The data from which a first state is rendered.
#[derive(Debug)]
pub(crate) struct Everything {
    /// The ID of the session.
    pub(crate) session: String,
    /// The elements of the conversation.
    pub(crate) moment: Moment,
    /// The requests that wait, oldest first.
    pub(crate) requests: Vec<Pending>,
    /// The state of the conversation.
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

    /// Renders the first state on another thread, without a lock on the conversation.
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
    /// Returns the number of the last event in the first state.
    pub(super) fn number(&self) -> u64 {
        self.position.number
    }

    /// Whether the first state can be sent to a viewer that arrives now.
    pub(super) fn is_recent(&self, conversation: &Conversation) -> bool {
        conversation.is_near(&self.position, self.text.len())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use claw_sessions::Sessions;
    use futures::future::join_all;

    use super::*;
    use crate::hub::OpenOptions;
    use crate::role::Role;
    use crate::{Project, Server};

    #[tokio::test]
    async fn of_many_viewers_at_once_one_has_the_first_state_rendered() {
        let folder = tempfile::tempdir().unwrap();
        let shop = folder.path().join("shop");
        std::fs::create_dir(&shop).unwrap();
        let server = Server::builder()
            .project(Project::new(&shop).unwrap())
            .sessions(Sessions::new(folder.path().join("config")))
            .build()
            .unwrap();
        let live = server
            .hub()
            .begin("shop", OpenOptions::default())
            .await
            .unwrap();
        let count = Arc::new(AtomicUsize::new(0));
        let comes = async || {
            let (mut viewer, count) = (live.viewer(None), count.clone());
            let render = move |everything: &Everything| {
                count.fetch_add(1, Ordering::Relaxed);
                (everything.session.clone().repeat(9), Vec::new())
            };
            viewer.first_state(Role::Own, render).await
        };
        let all = join_all((0..20).map(|_| comes())).await;
        assert_eq!(count.load(Ordering::Relaxed), 1);
        assert!(all.iter().all(|first| Arc::ptr_eq(first, &all[0])));
        // This viewer arrives after events that are longer than the first state. So the state is rendered again.
        live.set_title(&"t".repeat(1000));
        let later = comes().await;
        assert_eq!(count.load(Ordering::Relaxed), 2);
        assert!(later.number() > all[0].number());
    }
}

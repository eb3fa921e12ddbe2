//! The requests that wait for a person: asked, answered once, or withdrawn.

use std::sync::Arc;

use claw_types::RequestId;
use claw_types::control::ControlRequest;
use claw_view::Input;

use super::asked::{Asked, Reply};
use super::event::EventKind;
use super::request::{Answer, AnswerError, Answered, Decision, Pending};
use super::tasks::agent_name;
use super::{Conversation, json, push_bounded};

/// How many requests may wait at once. One more is denied.
pub(super) const MOST_PENDING: usize = 64;
/// How many answered requests are remembered, to tell who was late.
const MOST_ANSWERED: usize = 256;
/// How much of the name of an unknown dialog is shown, in characters.
const LONGEST_KIND: usize = 100;

/// A request that waits.
#[derive(Debug)]
pub(super) struct Waiting {
    pub(super) pending: Pending,
    asked: Asked,
    /// The wrapper protocol's message about it.
    wrapper: Option<Arc<str>>,
}

impl Conversation {
    /// Returns the requests that wait for an answer, oldest first.
    pub fn requests(&self) -> impl Iterator<Item = &Pending> {
        self.pending.iter().map(|waiting| &waiting.pending)
    }

    /// The wrapper protocol's message about a request that waits.
    pub(crate) fn asked(&self, id: &str) -> Option<Arc<str>> {
        let mut waiting = self.pending.iter();
        waiting
            .find(|waiting| waiting.pending.id == id)?
            .wrapper
            .clone()
    }

    /// Adds a request for a person under this ID, which must be new.
    ///
    /// # Errors
    ///
    /// Fails if too many requests wait for an answer, if the conversation is closed, or if the request is a dialog of
    /// an unknown kind, which viewers see as a notice. The caller must then answer in the way that does the least harm.
    pub fn ask(&mut self, id: String, asked: impl Into<Asked>) -> Result<(), &'static str> {
        if self.is_closed {
            return Err("the session is closed");
        }
        if self.pending.len() >= MOST_PENDING {
            return Err("too many requests wait for an answer");
        }
        let asked = asked.into();
        let Some(mut pending) = asked.pending(id, self.directory.as_deref()) else {
            if let Asked::Dialog(dialog) = &asked {
                let kind: String = dialog.dialog_kind.chars().take(LONGEST_KIND).collect();
                self.show(Input::Notice(&format!(
                    "Claude Code wanted to show a dialog of the kind {kind}, which cannot be shown here. It was cancelled."
                )));
            }
            return Err("dialogs of this kind cannot be shown here");
        };
        if let Asked::Tool(tool) = &asked {
            let agent = tool.body.agent_id.as_deref();
            pending.agent = agent.map(|agent| agent_name(&self.elements, agent));
        }
        self.log.push(EventKind::Request, json(&pending));
        let mut wrapper = None;
        if let Asked::Tool(tool) = &asked {
            let request = RequestId::from(pending.id.as_str());
            let request = ControlRequest::new(request, tool.body.clone());
            let outgoing = self.wrapper.asked(&self.session, &request);
            wrapper = outgoing.map(|outgoing| json(&outgoing.message));
        }
        if let Some(wrapper) = &wrapper {
            self.log.push(EventKind::Wrapper, wrapper.clone());
        }
        self.pending.push(Waiting {
            pending,
            asked,
            wrapper: wrapper.map(Into::into),
        });
        self.update_phase();
        Ok(())
    }

    /// Answers a request. Only the first answer is accepted. Returns the answer in two forms: in the form for viewers,
    /// and in the form that the CLI expects.
    ///
    /// # Errors
    ///
    /// Fails with [`AnswerError`] if the answer is not accepted. In this case, nothing changes.
    pub fn answer(
        &mut self,
        id: &str,
        answer: &Answer,
        by: &str,
    ) -> Result<(Answered, Reply), AnswerError> {
        let found = self.pending.iter().find(|waiting| waiting.pending.id == id);
        let Some(Waiting { asked, pending, .. }) = found else {
            let before = self.answered.iter().find(|answered| answered.id == id);
            return Err(before.map_or(AnswerError::Unknown, |before| {
                AnswerError::Late(before.clone())
            }));
        };
        let reply = asked.resolve(answer, pending)?;
        let answered = self.settle(id, Some(answer.decision), by);
        answered
            .map(|answered| (answered, reply))
            .ok_or(AnswerError::Unknown)
    }

    /// Denies a permission request, or closes a form, that nobody will answer any more. `by` is the reason that
    /// viewers see. Has no effect if the request was already answered.
    pub fn withdraw(&mut self, id: &str, by: &str) {
        self.settle(id, None, by);
    }

    /// Ends a request. Without a decision, nobody has answered it.
    fn settle(&mut self, id: &str, decision: Option<Decision>, by: &str) -> Option<Answered> {
        let mut waiting = self.pending.iter();
        let at = waiting.position(|waiting| waiting.pending.id == id)?;
        let waiting = self.pending.remove(at);
        let answered = Answered {
            id: id.to_owned(),
            decision: decision.unwrap_or_else(|| waiting.asked.unanswered()),
            by: by.to_owned(),
        };
        self.log.push(EventKind::Answered, json(&answered));
        push_bounded(&mut self.answered, answered.clone(), MOST_ANSWERED);
        self.update_phase();
        Some(answered)
    }
}

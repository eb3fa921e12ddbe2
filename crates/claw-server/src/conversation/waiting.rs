//! The requests that wait for a person. Each is answered once or withdrawn.

use std::sync::Arc;

use claw_types::RequestId;
use claw_types::control::{CanUseTool, ControlRequest};
use claw_view::Input;

use super::asked::{Asked, Reply};
use super::event::EventKind;
use super::request::{Answer, AnswerError, Answered, Decision, Pending};
use super::tasks::agent_name;
use super::{Conversation, json, push_bounded};

/// Maximum number of waiting requests. Further requests are denied.
pub(super) const MOST_PENDING: usize = 64;
/// Maximum number of remembered answers. They are used to recognise a second answer to the same request.
const MOST_ANSWERED: usize = 256;
/// Maximum length of the kind in the notice about an unknown dialog, in characters.
const LONGEST_KIND: usize = 100;

/// A waiting request.
#[derive(Debug)]
pub(super) struct Waiting {
    pub(super) pending: Pending,
    asked: Asked,
    /// The message of the wrapper protocol (the protocol of the WebSocket) about the request.
    wrapper: Option<Arc<str>>,
}

impl Conversation {
    /// Returns the requests that wait for an answer, oldest first.
    pub fn requests(&self) -> impl Iterator<Item = &Pending> {
        self.pending.iter().map(|waiting| &waiting.pending)
    }

    /// Returns the wrapper protocol's message about a waiting request.
    pub(crate) fn asked(&self, id: &str) -> Option<Arc<str>> {
        let mut waiting = self.pending.iter();
        waiting
            .find(|waiting| waiting.pending.id == id)?
            .wrapper
            .clone()
    }

    /// Adds a request that a person must answer. `id` must be new.
    ///
    /// # Errors
    ///
    /// Fails if too many requests wait for an answer, if the conversation is closed, or if the request is a dialog of
    /// an unknown kind. Viewers see such a dialog as a notice. After an error, the caller must answer the CLI itself:
    /// it denies a permission request, and cancels a form or a dialog.
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

    /// Whether a request waits for a person while its process runs.
    pub(crate) fn is_asking(&self) -> bool {
        self.requests()
            .any(|pending| !self.is_deferred(&pending.id))
    }

    /// Whether this request is deferred. A deferred request waits without a process.
    pub(crate) fn is_deferred(&self, id: &str) -> bool {
        self.deferred.as_deref() == Some(id)
    }

    /// Returns the waiting permission request with this ID, as the CLI has sent it.
    pub(crate) fn asked_tool(&self, id: &str) -> Option<&CanUseTool> {
        let mut waiting = self.pending.iter();
        match &waiting.find(|waiting| waiting.pending.id == id)?.asked {
            Asked::Tool(tool) => Some(&tool.body),
            Asked::Elicitation(_) | Asked::Dialog(_) => None,
        }
    }

    /// Marks a request as deferred. From now on, it waits without a process. Returns `false` if the request no longer
    /// waits.
    pub(crate) fn defer(&mut self, id: &str) -> bool {
        let waits = self.requests().any(|pending| pending.id == id);
        if waits {
            self.deferred = Some(id.to_owned());
            self.update_phase();
        }
        waits
    }

    /// Records that a process repeats the deferred request. The request then waits with this process. Returns the ID of
    /// the request. Returns `None` if no request is deferred, or if the deferred request is about another tool use.
    pub(crate) fn ask_again(&mut self, body: &CanUseTool) -> Option<String> {
        let id = self.deferred.clone()?;
        let is_same = self.asked_tool(&id).is_some_and(|it| is_same_use(it, body));
        if !is_same {
            return None;
        }
        self.deferred = None;
        self.asked_again = Some(id.clone());
        self.update_phase();
        Some(id)
    }

    /// Whether this request was deferred and now waits with a process again.
    pub(crate) fn is_asked_again(&self, id: &str) -> bool {
        self.asked_again.as_deref() == Some(id)
    }

    /// Records that a process will be started to continue a deferred tool use.
    pub(crate) fn resume(&mut self) {
        self.state.queued += 1;
        self.state.error = None;
        self.is_starting = true;
        self.update_phase();
    }

    /// Remembers an answer, so that a later answer to the same request can be rejected as late.
    pub(crate) fn remember(&mut self, answered: Answered) {
        push_bounded(&mut self.answered, answered, MOST_ANSWERED);
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

    /// Ends a request that no person will answer any more. A permission request is denied, and a form or a dialog is
    /// cancelled. `by` is the reason that viewers see. Has no effect if the request was already answered.
    pub fn withdraw(&mut self, id: &str, by: &str) {
        self.settle(id, None, by);
    }

    /// Ends a request. Without a decision, a permission request is denied, and a form or a dialog is cancelled.
    fn settle(&mut self, id: &str, decision: Option<Decision>, by: &str) -> Option<Answered> {
        let mut waiting = self.pending.iter();
        let at = waiting.position(|waiting| waiting.pending.id == id)?;
        let waiting = self.pending.remove(at);
        self.deferred.take_if(|deferred| deferred == id);
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

/// Whether two requests are about the same tool use.
pub(crate) fn is_same_use(one: &CanUseTool, other: &CanUseTool) -> bool {
    one.tool_use_id == other.tool_use_id
        && one.tool_name == other.tool_name
        && one.input == other.input
}

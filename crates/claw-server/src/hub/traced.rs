//! Adds the turns of a live session to the session's trace, and lets its processes continue the trace.

use std::time::Instant;

use claw_client::QueryOptions;
use claw_types::{MessageUuid, SessionId};

use super::shared::Shared;
use crate::counts::TurnOutcome;
use crate::spans::About;

/// The environment variables for a trace, in the form of the headers of W3C Trace Context.
const PARENT: &str = "TRACEPARENT";
const STATE: &str = "TRACESTATE";

impl Shared {
    /// Sets the environment variables with which the session's processes continue its trace. Does nothing if traces are
    /// not exported, or if the options name another trace.
    pub(super) fn join_trace(&self, options: &mut QueryOptions) {
        if !self.activity.spans.is_on() {
            return;
        }
        let env = options.env.get_or_insert_default();
        if [PARENT, STATE].iter().all(|name| env.get(name).is_none()) {
            env.insert(PARENT, Some(self.trace.parent()));
            // A `TRACESTATE` from the server's environment belongs to another trace, so it is removed.
            env.insert(STATE, None);
        }
    }

    /// Records that the session is live. From now on, calls to the store for the session belong to its trace.
    pub(super) fn trace_begins(&self) {
        self.activity.spans.enter(self.id(), &self.trace);
    }

    /// Records that the session continues under another ID.
    pub(super) fn trace_moves(&self, from: &SessionId, to: &SessionId) {
        self.activity.spans.leave(from, &self.trace);
        self.activity.spans.enter(to.clone(), &self.trace);
    }

    /// Records that a process is about to receive this prompt.
    pub(super) fn turn_comes(&self, prompt: &MessageUuid) {
        self.trace.turn_comes(prompt.as_str());
    }

    /// Records that the turn of this prompt has begun. From now on, the spans of calls to the store belong to this turn.
    pub(super) fn turn_begins(&self, prompt: &MessageUuid) {
        self.trace.turn_begins(prompt.as_str());
    }

    /// Adds the span of a turn whose prompt was accepted at `began`.
    pub(super) fn turn_span(&self, prompt: &MessageUuid, outcome: TurnOutcome, began: Instant) {
        let spans = &self.activity.spans;
        if !spans.is_on() {
            return;
        }
        let reason = outcome.reason();
        let mut attributes = vec![
            ("gen_ai.operation.name", "invoke_agent"),
            ("gen_ai.provider.name", "anthropic"),
            ("claw.outcome", outcome.name()),
        ];
        attributes.extend(reason.map(|reason| ("error.type", reason)));
        let about = About {
            attributes,
            has_failed: reason.is_some(),
            ..About::new("invoke_agent")
        };
        let prompt = prompt.as_str();
        self.trace.turn(spans, self.id(), prompt, about, began);
    }

    /// Adds the span of the session, at its end.
    pub(super) fn session_span(&self) {
        let spans = &self.activity.spans;
        spans.leave(&self.id(), &self.trace);
        self.trace.end(spans, self.id());
    }
}

//! The times of a live session: when its phase began, when its process last wrote a message, and when its waiting
//! requests were added.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use super::clock::now;
use super::glance::Glance;
use crate::conversation::{Conversation, Phase};
use crate::counts::Counts;

/// A moment, both on the monotonic clock and in milliseconds since 1970.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Moment {
    pub(crate) at: Instant,
    pub(crate) millis: i64,
}

impl Moment {
    pub(super) fn now() -> Self {
        Self {
            at: Instant::now(),
            millis: now(),
        }
    }
}

/// The times of a live session.
#[derive(Debug)]
pub(super) struct Times {
    /// The beginning of the current phase.
    phase: Moment,
    /// The time of the last message from the process.
    last_message: Instant,
    /// The time at which each waiting request was added.
    requests: HashMap<String, Moment>,
    /// Whether the current silence was already reported.
    is_reported: bool,
}

impl Times {
    pub(super) fn new(conversation: &Conversation) -> Self {
        let phase = Moment::now();
        let waiting = conversation.requests();
        Self {
            phase,
            last_message: phase.at,
            requests: waiting.map(|request| (request.id.clone(), phase)).collect(),
            is_reported: false,
        }
    }

    pub(super) fn on_message(&mut self) {
        self.last_message = Instant::now();
        self.is_reported = false;
    }

    /// Updates the times after a change of the conversation. For each request that no longer waits, returns the time at
    /// which it was added.
    pub(super) fn on_change(
        &mut self,
        before: Glance,
        conversation: &Conversation,
        counts: &Counts,
    ) -> Vec<Instant> {
        let after = Glance::at(conversation);
        if after.phase != before.phase {
            self.phase = Moment::now();
            self.is_reported = false;
        }
        let mut waited = Vec::new();
        if after.requests == before.requests {
            return waited;
        }
        self.requests.retain(|id, since| {
            let waits = conversation.requests().any(|request| request.id == *id);
            if !waits {
                waited.push(since.at);
                counts.change(|totals| totals.requests.add_time(since.at.elapsed()));
            }
            waits
        });
        for request in conversation.requests() {
            let since = self.requests.entry(request.id.clone());
            since.or_insert_with(Moment::now);
        }
        waited
    }

    pub(super) fn phase(&self) -> Moment {
        self.phase
    }

    /// Returns the time at which the oldest waiting request was added.
    pub(super) fn oldest_request(&self) -> Option<Instant> {
        self.requests.values().map(|since| since.at).min()
    }

    /// Returns how long the process has been silent. Returns `None` if the process need not write anything. It must
    /// write while it starts, and while a turn runs that does not wait for a person.
    pub(super) fn silence(&self, phase: Phase) -> Option<Duration> {
        let is_expected = matches!(phase, Phase::Starting | Phase::Running);
        is_expected.then(|| self.last_message.max(self.phase.at).elapsed())
    }

    /// Records that the current silence is reported. Returns `false` if it was already reported.
    pub(super) fn report(&mut self) -> bool {
        !std::mem::replace(&mut self.is_reported, true)
    }
}

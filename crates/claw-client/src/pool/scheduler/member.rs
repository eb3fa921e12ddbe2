//! What the scheduler knows of one session, or of one spare.

use std::collections::BTreeSet;

use super::queue::Place;
use super::{Generation, Now, TemplateId, TenantId, Ticket};

#[derive(Debug)]
pub(super) struct Member {
    pub(super) tenant: TenantId,
    pub(super) state: State,
    pub(super) generation: Generation,
    /// Tickets that wait for the member's next process. Their numbers are their order.
    pub(super) tickets: BTreeSet<Ticket>,
    /// Resident bytes of its process, once measured.
    pub(super) bytes: Option<u64>,
    /// Since when nobody uses its process, where it runs and nobody does.
    pub(super) idle_since: Option<Now>,
    /// No handle is left.
    pub(super) is_removed: bool,
    /// Its place in the line, from the time when it asked until it is in the queue or served: where it has a process.
    pub(super) place: Option<Place>,
    /// Its process has been used for a turn.
    pub(super) has_had_turn: bool,
    /// Its process is to end once nobody waits for a use of it.
    pub(super) is_over: bool,
    /// Its process is about to be killed by the program, which is no crash.
    pub(super) is_end_expected: bool,
    /// The template whose spares can be its first process.
    pub(super) fits: Option<TemplateId>,
    /// The template of a spare, which is no session's.
    pub(super) spare_of: Option<TemplateId>,
}

impl Member {
    pub(super) fn new(tenant: TenantId) -> Self {
        Self {
            tenant,
            state: State::Inactive,
            generation: 0,
            tickets: BTreeSet::new(),
            bytes: None,
            idle_since: None,
            is_removed: false,
            place: None,
            has_had_turn: false,
            is_over: false,
            is_end_expected: false,
            fits: None,
            spare_of: None,
        }
    }

    pub(super) fn spare(template: TemplateId) -> Self {
        Self {
            state: State::Starting,
            generation: 1,
            spare_of: Some(template),
            ..Self::new(TenantId(0))
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum State {
    /// Without a process, and without a ticket.
    Inactive,
    /// Without a process, in the queue.
    Queued,
    /// Its process starts.
    Starting,
    /// It takes over a spare of this template.
    Claiming(TemplateId),
    /// A spare that waits for a session.
    Spare,
    /// Its process runs.
    Running {
        /// The uses that somebody waits for.
        users: usize,
        /// The uses that go on although nobody waits for them any more.
        unheard: usize,
        since: Now,
    },
    /// Its process ends.
    Ending,
}

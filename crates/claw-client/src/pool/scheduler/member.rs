//! The scheduler's record of a session or of a spare.

use std::collections::BTreeSet;

use super::queue::Place;
use super::{Generation, Now, TemplateId, TenantId, Ticket};

#[derive(Debug)]
pub(super) struct Member {
    pub(super) tenant: TenantId,
    pub(super) state: State,
    pub(super) generation: Generation,
    /// The tickets that wait to use the member's process, in ascending order.
    pub(super) tickets: BTreeSet<Ticket>,
    /// Resident bytes of the process. `None` if they were not measured yet.
    pub(super) bytes: Option<u64>,
    /// The time at which the last turn or call in the running process ended. `None` if a turn or call uses the process,
    /// or if no process runs.
    pub(super) idle_since: Option<Now>,
    /// Whether the last handle of the session was dropped.
    pub(super) is_removed: bool,
    /// The member's position in the order of the queue. Set while the member has a process and waits: from its first
    /// waiting request until the member enters the queue or is served.
    pub(super) place: Option<Place>,
    /// Whether the process has been used for a turn.
    pub(super) has_had_turn: bool,
    /// Whether the process is to end as soon as no caller waits for the end of a turn or call in it.
    pub(super) is_finishing: bool,
    /// Whether the program is about to kill the process. The end of the process then does not count as a crash.
    pub(super) is_end_expected: bool,
    /// The template whose spares can become the member's first process.
    pub(super) fits: Option<TemplateId>,
    /// For a spare, its template. `None` for a session.
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
            is_finishing: false,
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
    /// No process, and no waiting ticket.
    Inactive,
    /// No process. The member is in the queue.
    Queued,
    /// The process is starting.
    Starting,
    /// The member is taking over a spare of this template.
    Claiming(TemplateId),
    /// The member is a spare that waits for a session.
    Spare,
    /// The process runs.
    Running {
        /// The number of turns and calls in the process whose callers wait for their ends.
        users: usize,
        /// The number of turns and calls in the process that continue although the callers that waited for them were
        /// dropped.
        detached: usize,
        since: Now,
    },
    /// The process is ending.
    Ending,
}

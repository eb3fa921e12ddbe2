//! Decides which session gets a process, and when. The scheduler does no I/O and has no clock: [`Pool`](super::Pool)
//! reports events and the current time to it, and carries out its outputs.
//!
//! A member is a session of the pool, or a spare. A ticket is a request of a turn or a call for the process of its
//! member. If the scheduler grants the ticket, the turn or call uses the process: this is a use. The reader of a use is
//! the caller that waits for its end. If the reader is dropped, the use is detached, but continues.

#[cfg(test)]
mod fairness;
mod member;
mod processes;
mod queue;
mod settle;
#[cfg(test)]
mod simulation;
mod spares;
mod state;
mod uses;

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::time::Duration;

use member::{Member, State};
use queue::Queue;
pub(crate) use queue::TenantId;
use spares::Template;

/// Time since the pool was created, as measured by the pool's clock.
pub(crate) type Now = Duration;

/// Identifies a member, which is a session of the pool or a spare.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct MemberId(pub(crate) u64);

/// The number of a ticket. A ticket is a request of a turn or a call for its member's process.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Ticket(pub(crate) u64);

/// The number of a template. A template contains the settings with which the pool starts spares of one kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct TemplateId(pub(crate) usize);

/// The purpose for which a ticket requests the process: a turn or a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Use {
    Turn,
    /// A call, such as a control request. It does not count as a turn of the member.
    Call,
}

/// The number of a process of a member. The first process of a member has number 1, and each further start gets the
/// next number.
pub(crate) type Generation = u64;

/// The limits of a pool.
#[derive(Debug, Clone)]
pub(crate) struct Limits {
    /// Maximum number of processes, including those that are starting or ending. At least 1.
    pub(crate) processes: usize,
    /// Maximum number of processes that start at the same time. At least 1.
    pub(crate) starts: usize,
    /// Maximum resident bytes of all processes. One process may always run, regardless of this limit.
    pub(crate) memory: Option<u64>,
    /// The bytes that are assumed for a process that has not been measured yet.
    pub(crate) estimate: u64,
    /// Maximum number of waiting tickets.
    pub(crate) queue: usize,
    /// Maximum time that a ticket may wait until a process is started for it.
    pub(crate) wait: Option<Duration>,
    /// Maximum time that a member whose turns and calls overlap keeps its process while other members wait. After this
    /// time, the member's next turn or call waits behind their tickets.
    pub(crate) tenure: Duration,
}

/// An action for the pool to carry out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Output {
    /// Start the member's process.
    Start(MemberId, Generation),
    /// Start a spare from this template. The new spare gets this member ID and generation.
    StartSpare(MemberId, Generation, TemplateId),
    /// Make the first member take over the spare that has the second member ID.
    Claim(MemberId, Generation, MemberId),
    /// End the member's process. No turn or call uses it.
    End(MemberId, Generation),
    /// Allow the holder of the ticket to use the process. When its turn or call ends, the pool calls
    /// [`Scheduler::end_use`].
    Grant(Ticket, MemberId, Generation),
    /// Make the request of this ticket fail, because the ticket gets no process.
    Refuse(Ticket, Refusal),
    /// Call [`Scheduler::tick`] at this time.
    Wake(Now),
}

/// Why a ticket gets no process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// The queue already contains the maximum number of tickets.
    Full,
    /// The ticket has waited for the maximum time.
    TimedOut,
}

/// Totals since the pool was created.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Counters {
    pub(crate) starts: u64,
    pub(crate) failed_starts: u64,
    pub(crate) evictions: u64,
    pub(crate) ends: u64,
    pub(crate) refused: u64,
    pub(crate) spare_starts: u64,
    pub(crate) spare_failures: u64,
    pub(crate) spares_given_up: u64,
    pub(crate) claims: u64,
    pub(crate) fallbacks: u64,
    pub(crate) longest_wait: Duration,
}

#[derive(Debug, Clone, Copy)]
struct Waiting {
    member: MemberId,
    what: Use,
    since: Now,
    due: Option<Now>,
}

/// Assigns the processes of a pool to its members.
#[derive(Debug)]
pub(crate) struct Scheduler {
    limits: Limits,
    members: BTreeMap<MemberId, Member>,
    /// Members that have no process and have waiting tickets.
    queue: Queue,
    /// All tickets that the scheduler has neither granted nor refused yet.
    waiting: BTreeMap<Ticket, Waiting>,
    /// The waiting tickets that have a deadline, ordered by deadline.
    due: BTreeSet<(Now, Ticket)>,
    /// Running members whose process is not in use, the least recently used first.
    idle: BTreeSet<(Now, MemberId)>,
    /// Running members that have waiting tickets. Each of them may use its process again only after the members that
    /// come before it in the queue were served.
    held: BTreeSet<MemberId>,
    /// Members that have a process in any state.
    occupied: BTreeSet<MemberId>,
    starting: usize,
    /// The number of members that are taking over a spare.
    claiming: usize,
    ending: usize,
    templates: Vec<Template>,
    next_spare: u64,
    totals: Counters,
    outputs: VecDeque<Output>,
}

impl Scheduler {
    pub(crate) fn new(limits: Limits) -> Self {
        Self {
            limits,
            members: BTreeMap::new(),
            queue: Queue::default(),
            waiting: BTreeMap::new(),
            due: BTreeSet::new(),
            idle: BTreeSet::new(),
            held: BTreeSet::new(),
            occupied: BTreeSet::new(),
            starting: 0,
            claiming: 0,
            ending: 0,
            templates: Vec::new(),
            next_spare: 0,
            totals: Counters::default(),
            outputs: VecDeque::new(),
        }
    }

    /// Returns the next action for the pool.
    pub(crate) fn next_output(&mut self) -> Option<Output> {
        self.outputs.pop_front()
    }

    /// Adds a session, without a process. A tenant with a higher weight is served more often.
    pub(crate) fn join(&mut self, member: MemberId, tenant: TenantId, weight: u32) {
        self.queue.add_member(tenant, weight);
        self.members.insert(member, Member::new(tenant));
    }

    /// Moves a session to another tenant. A session that is already in the queue keeps its position.
    pub(crate) fn set_tenant(&mut self, member: MemberId, tenant: TenantId, weight: u32) {
        if let Some(state) = self.members.get_mut(&member) {
            // The member is added first, because the queue removes a tenant without members.
            self.queue.add_member(tenant, weight);
            self.queue.remove_member(state.tenant);
            state.tenant = tenant;
        }
    }

    /// Removes a session whose last handle was dropped. Removes the session's tickets, and ends its process.
    pub(crate) fn leave(&mut self, now: Now, member: MemberId) {
        let Some(state) = self.members.get_mut(&member) else {
            return;
        };
        state.is_removed = true;
        let tickets = std::mem::take(&mut state.tickets);
        for ticket in tickets {
            self.remove_waiting(ticket);
        }
        self.held.remove(&member);
        match self.state(member) {
            Some(State::Inactive | State::Queued) => self.forget(member),
            Some(State::Running { users: 0, .. }) => self.end(member),
            // The process is starting, or a caller waits for the end of a turn or call. The process ends when the start
            // is complete, or when no caller waits any more.
            _ => {}
        }
        self.settle(now);
    }

    /// Records that the program is about to kill the member's current process.
    pub(crate) fn expect_end(&mut self, member: MemberId) {
        if let Some(state) = self.members.get_mut(&member)
            && matches!(state.state, State::Running { .. })
        {
            state.is_end_expected = true;
        }
    }

    /// Requests the member's process for a turn or a call.
    pub(crate) fn request(&mut self, now: Now, ticket: Ticket, member: MemberId, what: Use) {
        let must_wait = self.has_to_wait(now, member, what);
        let Some(state) = self.members.get_mut(&member) else {
            return;
        };
        if let State::Running { users, .. } = &mut state.state
            && !must_wait
        {
            *users += 1;
            state.has_had_turn |= what == Use::Turn;
            let generation = state.generation;
            self.mark_used(member);
            self.outputs
                .push_back(Output::Grant(ticket, member, generation));
            return;
        }
        if self.waiting.len() >= self.limits.queue {
            self.totals.refused += 1;
            self.outputs
                .push_back(Output::Refuse(ticket, Refusal::Full));
            return;
        }
        state.tickets.insert(ticket);
        let due = self.limits.wait.map(|wait| now + wait);
        let is_on_its_way = matches!(state.state, State::Starting | State::Claiming(_));
        let due = due.filter(|_| !is_on_its_way);
        self.due.extend(due.map(|due| (due, ticket)));
        let since = now;
        let waiting = Waiting {
            member,
            what,
            since,
            due,
        };
        self.waiting.insert(ticket, waiting);
        match state.state {
            State::Inactive => self.enqueue(member),
            State::Running { .. } | State::Ending => {
                // Fixes the member's position in the queue now. Other members that make requests later get a position
                // behind this one.
                let tenant = state.tenant;
                state.place.get_or_insert_with(|| self.queue.place(tenant));
                if state.state != State::Ending {
                    self.held.insert(member);
                }
            }
            _ => {}
        }
        self.settle(now);
    }

    /// Whether a request must wait although the member has a process. This is the case if other members wait and this
    /// member has already used its share. The share is one turn. If the member's turns and calls overlap, the share is
    /// the time in `Limits::tenure`.
    fn has_to_wait(&self, now: Now, member: MemberId, what: Use) -> bool {
        let Some(state) = self.members.get(&member) else {
            return false;
        };
        let State::Running {
            users,
            detached,
            since,
        } = state.state
        else {
            return false;
        };
        let has_had_share = match what {
            Use::Turn if users + detached == 0 => state.has_had_turn,
            _ => since + self.limits.tenure <= now,
        };
        self.held.contains(&member) || (!self.queue.is_empty() && has_had_share)
    }

    /// Withdraws a ticket, because the future that waited for it was dropped. If the ticket was already granted,
    /// [`end_use`](Self::end_use) is called instead.
    pub(crate) fn abandon(&mut self, now: Now, ticket: Ticket) {
        self.remove_ticket(ticket);
        self.settle(now);
    }

    fn remove_ticket(&mut self, ticket: Ticket) {
        let Some(waiting) = self.remove_waiting(ticket) else {
            return;
        };
        let Some(member) = self.members.get_mut(&waiting.member) else {
            return;
        };
        member.tickets.remove(&ticket);
        if member.tickets.is_empty() {
            member.place = None;
            self.held.remove(&waiting.member);
            if member.state == State::Queued {
                member.state = State::Inactive;
                self.queue.remove(waiting.member);
            }
        }
    }

    fn remove_waiting(&mut self, ticket: Ticket) -> Option<Waiting> {
        let waiting = self.waiting.remove(&ticket)?;
        if let Some(due) = waiting.due {
            self.due.remove(&(due, ticket));
        }
        Some(waiting)
    }

    fn grant(&mut self, now: Now, ticket: Ticket, member: MemberId, generation: Generation) {
        if let Some(waiting) = self.remove_waiting(ticket) {
            let waited = now.saturating_sub(waiting.since);
            self.totals.longest_wait = self.totals.longest_wait.max(waited);
            if let Some(state) = self.members.get_mut(&member) {
                state.has_had_turn |= waiting.what == Use::Turn;
            }
        }
        self.outputs
            .push_back(Output::Grant(ticket, member, generation));
    }

    /// Returns the deadline of the ticket. Returns `None` if the ticket does not wait, if it has no deadline, or if the
    /// process for it is already starting.
    pub(crate) fn deadline(&self, ticket: Ticket) -> Option<Now> {
        self.waiting.get(&ticket)?.due
    }

    /// Whether the member has a process that can take calls, or one that is being started.
    pub(crate) fn has_process(&self, member: MemberId) -> bool {
        matches!(
            self.state(member),
            Some(State::Starting | State::Claiming(_) | State::Running { .. })
        )
    }

    /// Refuses the tickets whose deadline has passed.
    pub(crate) fn tick(&mut self, now: Now) {
        while let Some((due, ticket)) = self.due.first().copied()
            && due <= now
        {
            self.remove_ticket(ticket);
            self.totals.refused += 1;
            self.totals.longest_wait = self
                .totals
                .longest_wait
                .max(self.limits.wait.unwrap_or_default());
            self.outputs
                .push_back(Output::Refuse(ticket, Refusal::TimedOut));
        }
        self.settle(now);
    }

    fn mark_idle(&mut self, now: Now, member: MemberId) {
        if let Some(state) = self.members.get_mut(&member) {
            state.idle_since = Some(now);
            self.idle.insert((now, member));
        }
    }

    fn mark_used(&mut self, member: MemberId) {
        let state = self.members.get_mut(&member);
        if let Some(since) = state.and_then(|state| state.idle_since.take()) {
            self.idle.remove(&(since, member));
        }
    }

    fn enqueue(&mut self, member: MemberId) {
        if let Some(state) = self.members.get_mut(&member) {
            state.state = State::Queued;
            let place = state.place.take();
            let place = place.unwrap_or_else(|| self.queue.place(state.tenant));
            self.queue.push(member, place);
        }
    }

    fn vacate(&mut self, member: MemberId) {
        self.occupied.remove(&member);
        if let Some(state) = self.members.get_mut(&member) {
            state.bytes = None;
        }
    }

    fn forget(&mut self, member: MemberId) {
        self.queue.remove(member);
        if let Some(state) = self.members.remove(&member) {
            self.queue.remove_member(state.tenant);
        }
    }

    /// Removes the deadlines of the member's tickets, because their process is being started. The start of the process
    /// has a separate deadline.
    fn clear_deadlines(&mut self, member: MemberId) {
        let tickets = self.members.get(&member).map(|member| &member.tickets);
        for ticket in tickets.into_iter().flatten() {
            if let Some(waiting) = self.waiting.get_mut(ticket)
                && let Some(due) = waiting.due.take()
            {
                self.due.remove(&(due, *ticket));
            }
        }
    }

    fn state(&self, member: MemberId) -> Option<State> {
        self.members.get(&member).map(|member| member.state)
    }
}

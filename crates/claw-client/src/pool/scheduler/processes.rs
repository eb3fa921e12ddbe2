//! Handles the pool's reports about processes. A process was started, could not be started, has ended, or was measured.

use std::collections::BTreeSet;

use super::{Generation, MemberId, Now, Scheduler, State, Ticket};

impl Scheduler {
    /// Handles the report that the member's process is ready.
    pub(crate) fn started(&mut self, now: Now, member: MemberId, generation: Generation) {
        let Some(state) = self.members.get_mut(&member) else {
            return;
        };
        if state.generation != generation {
            return;
        }
        match (state.state, state.spare_of) {
            (State::Starting, Some(template)) => {
                return self.spare_started(now, member, template);
            }
            (State::Starting, None) => self.starting -= 1,
            (State::Claiming(template), _) => self.claimed(template),
            _ => return,
        }
        let Some(state) = self.members.get_mut(&member) else {
            return;
        };
        let users = state.tickets.len();
        state.state = State::Running {
            users,
            detached: 0,
            since: now,
        };
        state.has_had_turn = false;
        let tickets = std::mem::take(&mut state.tickets);
        let is_removed = state.is_removed;
        for ticket in tickets {
            self.grant(now, ticket, member, generation);
        }
        if users == 0 {
            if is_removed {
                self.end(member);
            } else {
                self.mark_idle(now, member);
            }
        }
        self.settle(now);
    }

    /// Handles the report that the member's process could not be started. Returns the tickets that fail for this
    /// reason.
    pub(crate) fn failed(
        &mut self,
        now: Now,
        member: MemberId,
        generation: Generation,
    ) -> BTreeSet<Ticket> {
        let Some(state) = self.members.get_mut(&member) else {
            return BTreeSet::new();
        };
        if state.generation != generation {
            return BTreeSet::new();
        }
        match (state.state, state.spare_of) {
            (State::Starting, Some(template)) => {
                self.spare_ended(now, member, template);
                return BTreeSet::new();
            }
            (State::Starting, None) => self.starting -= 1,
            (State::Claiming(_), _) => self.claiming -= 1,
            _ => return BTreeSet::new(),
        }
        state.state = State::Inactive;
        let tickets = std::mem::take(&mut state.tickets);
        let is_removed = state.is_removed;
        self.totals.failed_starts += 1;
        self.vacate(member);
        for ticket in &tickets {
            self.remove_waiting(*ticket);
        }
        if is_removed {
            self.forget(member);
        }
        self.settle(now);
        tickets
    }

    /// Handles the pool's report that the member's process has ended. The process may have ended by itself, or the pool
    /// or the program may have ended it.
    pub(crate) fn ended(&mut self, now: Now, member: MemberId, generation: Generation) {
        let Some(state) = self.members.get_mut(&member) else {
            return;
        };
        if state.generation != generation {
            return;
        }
        match (state.state, state.spare_of) {
            (State::Ending | State::Spare, Some(template)) => {
                return self.spare_ended(now, member, template);
            }
            (State::Ending, None) => self.ending -= 1,
            (State::Running { .. }, _) => self.totals.ends += u64::from(!state.is_end_expected),
            _ => return,
        }
        state.state = State::Inactive;
        state.is_finishing = false;
        state.is_end_expected = false;
        let (has_tickets, is_removed) = (!state.tickets.is_empty(), state.is_removed);
        self.mark_used(member);
        self.held.remove(&member);
        self.vacate(member);
        if is_removed {
            self.forget(member);
        } else if has_tickets {
            self.enqueue(member);
        }
        self.settle(now);
    }

    /// Updates the resident bytes of the members' processes. The pool measures them on Linux only.
    #[cfg(any(test, target_os = "linux"))]
    pub(crate) fn measured(
        &mut self,
        now: Now,
        bytes: impl IntoIterator<Item = (MemberId, Generation, u64)>,
    ) {
        for (member, generation, bytes) in bytes {
            if let Some(state) = self.members.get_mut(&member)
                && state.generation == generation
                && self.occupied.contains(&member)
            {
                state.bytes = Some(bytes);
            }
        }
        self.settle(now);
    }
}

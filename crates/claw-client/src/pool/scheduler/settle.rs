//! Decides which processes start, and which idle processes end to make room.

use super::queue::Place;
use super::{MemberId, Now, Output, Scheduler, State};

impl Scheduler {
    /// Starts as many processes as possible. Ends idle processes to make room for the members that remain in the queue.
    pub(super) fn settle(&mut self, now: Now) {
        self.shrink(now);
        self.release(now);
        while !self.queue.is_empty() {
            if self.claim_next() {
                continue;
            }
            if self.starting >= self.limits.starts {
                break;
            }
            if self.has_room() {
                self.start_next();
                continue;
            }
            // Each process that is already ending makes room for another one. Idle processes are ended only for the
            // room that is still missing.
            let needed = self.queue.len().min(self.limits.starts - self.starting);
            if self.ending >= needed || !self.evict(now) {
                break;
            }
        }
        if self.queue.is_empty() {
            self.release(now);
            self.start_spares(now);
        }
    }

    /// Ends idle processes while the memory of all processes exceeds the limit.
    fn shrink(&mut self, now: Now) {
        let Some(limit) = self.limits.memory else {
            return;
        };
        while self.occupied.len() > self.ending + 1 && self.bytes(false) > limit && self.evict(now)
        {
        }
    }

    pub(super) fn has_room(&self) -> bool {
        let is_below = |limit| self.bytes(true) + self.limits.estimate <= limit;
        self.occupied.is_empty()
            || (self.occupied.len() < self.limits.processes
                && self.limits.memory.is_none_or(is_below))
    }

    /// Returns the resident bytes of all processes, with or without those that are ending.
    fn bytes(&self, with_ending: bool) -> u64 {
        let members = self
            .occupied
            .iter()
            .filter_map(|member| self.members.get(member));
        members
            .filter(|member| with_ending || member.state != State::Ending)
            .map(|member| member.bytes.unwrap_or(self.limits.estimate))
            .sum()
    }

    fn start_next(&mut self) {
        let Some(member) = self.queue.pop() else {
            return;
        };
        let Some(state) = self.members.get_mut(&member) else {
            return;
        };
        state.state = State::Starting;
        state.generation += 1;
        state.bytes = None;
        // Only the first process of a member can be a spare. This member gets a new process now, so no spare fits later.
        state.fits = None;
        let generation = state.generation;
        self.clear_deadlines(member);
        self.starting += 1;
        self.totals.starts += 1;
        self.occupied.insert(member);
        self.outputs.push_back(Output::Start(member, generation));
    }

    /// Ends a spare. If no spare is left, ends the least recently used idle process, preferably of a member without
    /// waiting tickets. Returns `false` if all processes are in use.
    fn evict(&mut self, now: Now) -> bool {
        if self.evict_spare(now) {
            return true;
        }
        let mut idle = self.idle.iter().map(|(_, member)| *member);
        let unwanted = idle.find(|member| !self.held.contains(member));
        let oldest = || self.idle.first().map(|(_, member)| *member);
        let Some(member) = unwanted.or_else(oldest) else {
            return false;
        };
        self.totals.evictions += 1;
        self.end(member);
        true
    }

    pub(super) fn end(&mut self, member: MemberId) {
        self.mark_used(member);
        self.held.remove(&member);
        if let Some(state) = self.members.get_mut(&member) {
            state.state = State::Ending;
            state.is_finishing = false;
            state.is_end_expected = false;
            self.ending += 1;
            self.outputs
                .push_back(Output::End(member, state.generation));
        }
    }

    /// Serves each member that has a running process and waiting tickets, if it comes before the first member in the
    /// queue.
    fn release(&mut self, now: Now) {
        let place = |member: &MemberId| self.members.get(member).and_then(|state| state.place);
        let held = self.held.iter().map(|member| (place(member), *member));
        let is_next =
            |of: &(Option<Place>, _)| of.0.is_none_or(|place| !self.queue.is_behind(place));
        let mut next: Vec<_> = held.filter(is_next).collect();
        next.sort_unstable();
        for (_, member) in next {
            self.held.remove(&member);
            let Some(state) = self.members.get_mut(&member) else {
                continue;
            };
            state.place = None;
            let State::Running { users, since, .. } = &mut state.state else {
                continue;
            };
            let tickets = std::mem::take(&mut state.tickets);
            *users += tickets.len();
            // The process was granted to the waiting tickets, so the time for which the member may keep its process
            // starts again.
            *since = now;
            let generation = state.generation;
            self.mark_used(member);
            for ticket in tickets {
                self.grant(now, ticket, member, generation);
            }
        }
    }
}

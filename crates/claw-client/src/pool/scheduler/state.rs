//! Reads the scheduler's state, for statistics.

use super::{Counters, Generation, MemberId, Scheduler, State};

impl Scheduler {
    /// The number of members whose process runs.
    pub(crate) fn running(&self) -> usize {
        self.occupied.len() - self.starting() - self.ending - self.spares()
    }

    /// The number of processes that are starting, including the spares that are being taken over.
    pub(crate) fn starting(&self) -> usize {
        self.starting + self.claiming
    }

    pub(crate) fn ending(&self) -> usize {
        self.ending
    }

    /// Whether the member's process runs, and neither the pool nor the program is ending it.
    pub(crate) fn runs(&self, member: MemberId) -> bool {
        let state = self.members.get(&member);
        state.is_some_and(|it| matches!(it.state, State::Running { .. }) && !it.is_end_expected)
    }

    /// Returns the processes that are ending, and the processes that are starting for members whose handles were
    /// dropped.
    pub(crate) fn leaving(
        &self,
        is_left: impl Fn(MemberId) -> bool,
    ) -> Vec<(MemberId, Generation)> {
        let ends = |member: &MemberId| match self.state(*member) {
            Some(State::Ending) => true,
            Some(State::Starting | State::Claiming(_)) => {
                let state = self.members.get(member);
                state.is_some_and(|state| state.spare_of.is_none()) && is_left(*member)
            }
            _ => false,
        };
        let leaving = self.occupied.iter().filter(|member| ends(member));
        leaving
            .filter_map(|member| Some((*member, self.members.get(member)?.generation)))
            .collect()
    }

    /// Whether the member's current process is the one of this generation.
    pub(crate) fn has(&self, member: MemberId, generation: Generation) -> bool {
        let state = self.members.get(&member);
        self.occupied.contains(&member) && state.is_some_and(|state| state.generation == generation)
    }

    /// Whether any waiting ticket has a deadline.
    pub(crate) fn has_deadlines(&self) -> bool {
        !self.due.is_empty()
    }

    pub(crate) fn idle(&self) -> usize {
        self.idle.len()
    }

    pub(crate) fn waiting(&self) -> usize {
        self.waiting.len()
    }

    pub(crate) fn members(&self) -> usize {
        let sessions = self.members.values();
        sessions.filter(|member| member.spare_of.is_none()).count()
    }

    pub(crate) fn memory(&self) -> u64 {
        let members = self
            .occupied
            .iter()
            .filter_map(|member| self.members.get(member));
        members.filter_map(|member| member.bytes).sum()
    }

    pub(crate) fn totals(&self) -> Counters {
        self.totals
    }
}

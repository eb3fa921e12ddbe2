//! What the plan knows, for statistics.

use super::{MemberId, Plan, State, Totals};

impl Plan {
    /// The members with a process that runs.
    pub(crate) fn running(&self) -> usize {
        self.occupied.len() - self.starting() - self.ending - self.spares()
    }

    /// The processes that start, and the spares that are being taken over.
    pub(crate) fn starting(&self) -> usize {
        self.starting + self.claiming
    }

    pub(crate) fn ending(&self) -> usize {
        self.ending
    }

    /// Whether the member's process runs, and is not being ended.
    pub(crate) fn runs(&self, member: MemberId) -> bool {
        matches!(self.state(member), Some(State::Running { .. }))
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

    pub(crate) fn totals(&self) -> Totals {
        self.totals
    }
}

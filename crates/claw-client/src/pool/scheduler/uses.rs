//! The uses of a process that runs: by whom, and what their ends mean for the process.

use super::{Generation, MemberId, Now, Scheduler, State};

impl Scheduler {
    /// Nobody waits for a use of the process any more, which goes on. Until it is over, the process is not ended for
    /// another member, but it ends where the member has left or its process is to end.
    pub(crate) fn unheard(&mut self, now: Now, member: MemberId, generation: Generation) {
        self.change_uses(now, member, generation, |users, unheard| {
            *users -= 1;
            *unheard += 1;
        });
    }

    /// A use of the process is over.
    pub(crate) fn end_use(&mut self, now: Now, member: MemberId, generation: Generation) {
        self.change_uses(now, member, generation, |users, _| *users -= 1);
    }

    /// A use of the process is over for which nobody waited: see [`unheard`](Self::unheard).
    pub(crate) fn end_unheard(&mut self, now: Now, member: MemberId, generation: Generation) {
        self.change_uses(now, member, generation, |_, unheard| *unheard -= 1);
    }

    fn change_uses(
        &mut self,
        now: Now,
        member: MemberId,
        generation: Generation,
        change: impl FnOnce(&mut usize, &mut usize),
    ) {
        let Some(state) = self.members.get_mut(&member) else {
            return;
        };
        let State::Running { users, unheard, .. } = &mut state.state else {
            return;
        };
        if state.generation != generation {
            return;
        }
        change(users, unheard);
        match (*users, *unheard) {
            (0, _) if state.is_removed || state.is_over => self.end(member),
            (0, 0) if self.held.contains(&member) && !self.queue.is_empty() => {
                // Behind those that waited while it ran.
                self.totals.evictions += 1;
                self.end(member);
            }
            (0, 0) => self.mark_idle(now, member),
            _ => {}
        }
        self.settle(now);
    }

    /// The process that the member has now is to end once nobody waits for a use of it.
    pub(crate) fn finish(&mut self, now: Now, member: MemberId) {
        let Some(state) = self.members.get_mut(&member) else {
            return;
        };
        match state.state {
            State::Running { users: 0, .. } => self.end(member),
            State::Running { .. } => state.is_over = true,
            _ => {}
        }
        self.settle(now);
    }
}

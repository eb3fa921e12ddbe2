//! The uses of a running process, and their effects on the process when they end.
//!
//! A use is a turn or a call that may use the process. Its reader is the caller that waits for its end.

use super::{Generation, MemberId, Now, Scheduler, State};

impl Scheduler {
    /// Records that the caller that waits for a turn or call was dropped, while the turn or call continues. Until it
    /// ends, the pool does not end the process to make room for another member. The pool ends the process earlier if
    /// the member was removed, or if the process is to end.
    pub(crate) fn detach_use(&mut self, now: Now, member: MemberId, generation: Generation) {
        self.change_uses(now, member, generation, |users, detached| {
            *users -= 1;
            *detached += 1;
        });
    }

    /// Records that a turn or call has ended whose caller waited for its end.
    pub(crate) fn end_use(&mut self, now: Now, member: MemberId, generation: Generation) {
        self.change_uses(now, member, generation, |users, _| *users -= 1);
    }

    /// Records that a turn or call has ended whose caller was dropped before: see [`detach_use`](Self::detach_use).
    pub(crate) fn end_detached(&mut self, now: Now, member: MemberId, generation: Generation) {
        self.change_uses(now, member, generation, |_, detached| *detached -= 1);
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
        let State::Running {
            users, detached, ..
        } = &mut state.state
        else {
            return;
        };
        if state.generation != generation {
            return;
        }
        change(users, detached);
        match (*users, *detached) {
            (0, _) if state.is_removed || state.is_finishing => self.end(member),
            (0, 0) if self.held.contains(&member) && !self.queue.is_empty() => {
                // The member's own tickets wait behind the members in the queue. So the process ends to make room for
                // those members.
                self.totals.evictions += 1;
                self.end(member);
            }
            (0, 0) => self.mark_idle(now, member),
            _ => {}
        }
        self.settle(now);
    }

    /// Ends the member's current process as soon as no caller waits for a turn or call in it.
    pub(crate) fn finish(&mut self, now: Now, member: MemberId) {
        let Some(state) = self.members.get_mut(&member) else {
            return;
        };
        match state.state {
            State::Running { users: 0, .. } => self.end(member),
            State::Running { .. } => state.is_finishing = true,
            _ => {}
        }
        self.settle(now);
    }
}

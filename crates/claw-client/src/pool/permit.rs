//! The right of a turn or a call to use its session's process.

use std::future::Future;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Weak};

use claw_transport::Exit;
use tokio::sync::oneshot;

use super::Inner;
use super::scheduler::{Generation, MemberId, Ticket, Use};
use crate::driver::clock::at;
use crate::handle::Session;
use crate::outcome::error::{Cause, Error};

/// The right to use a process. While a permit exists, the pool does not end the process for another session. When the
/// permit is dropped, the turn or call no longer uses the process.
pub(super) struct Permit {
    pool: Arc<Inner>,
    member: MemberId,
    generation: Generation,
    session: Session,
    /// Whether the caller that waits for the end of the turn or call was dropped. The turn or call then continues
    /// without a reader.
    is_detached: AtomicBool,
}

impl Permit {
    pub(super) fn new(
        pool: Arc<Inner>,
        member: MemberId,
        generation: Generation,
        session: Session,
    ) -> Self {
        Self {
            pool,
            member,
            generation,
            session,
            is_detached: AtomicBool::new(false),
        }
    }

    pub(super) fn session(&self) -> &Session {
        &self.session
    }

    /// Records that the caller that waits for the end of this turn or call was dropped. The turn or call continues
    /// until it completes, the last handle of the session is dropped, or the pool ends the process.
    pub(super) fn detach(&self) {
        let (member, generation) = (self.member, self.generation);
        self.pool.update(|state, now| {
            if !self.is_detached.swap(true, Relaxed) {
                state.scheduler.detach_use(now, member, generation);
            }
        });
    }

    /// If the session has ended, returns a future that waits for the exit of its process.
    fn exited(&self) -> Option<impl Future<Output = Exit> + use<>> {
        let shared = &self.session.shared;
        shared.inbox.ended().map(|_| shared.process.exited())
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        let (member, generation) = (self.member, self.generation);
        let is_detached = *self.is_detached.get_mut();
        self.pool.update(|state, now| {
            if is_detached {
                state.scheduler.end_detached(now, member, generation);
            } else {
                state.scheduler.end_use(now, member, generation);
            }
        });
    }
}

/// Represents the caller that waits for a turn or call whose work runs in a task. When this value is dropped, it calls
/// [`Permit::detach`].
pub(super) struct DetachOnDrop(pub(super) Weak<Permit>);

impl Drop for DetachOnDrop {
    fn drop(&mut self) {
        if let Some(permit) = self.0.upgrade() {
            permit.detach();
        }
    }
}

/// Waits for a process of this member. Skips a process whose session has already ended.
pub(super) async fn acquire(
    pool: &Arc<Inner>,
    member: MemberId,
    what: Use,
) -> Result<Permit, Error> {
    loop {
        let permit = granted(pool, member, what).await?;
        let Some(exited) = permit.exited() else {
            return Ok(permit);
        };
        // The session has ended, but the pool does not know that yet. So this loop waits for the exit of the process,
        // reports it to the pool, and tries again.
        let generation = permit.generation;
        drop(permit);
        let exit = exited.await;
        pool.ended(member, generation, Some(exit));
    }
}

/// Waits until the scheduler grants a process.
async fn granted(pool: &Arc<Inner>, member: MemberId, what: Use) -> Result<Permit, Error> {
    let (asker, mut granted) = oneshot::channel();
    let ticket = pool.update(|state, now| {
        let ticket = Ticket(state.number());
        state.tickets.insert(ticket, asker);
        state.scheduler.request(now, ticket, member, what);
        ticket
    });
    let _abandon = AbandonOnDrop { pool, ticket };
    loop {
        // Each ticket sleeps until its own deadline. If all tickets slept until the earliest deadline, each deadline
        // would wake all waiting tickets.
        let (is_due, wake) = {
            let mut state = pool.lock();
            let (now, due) = (state.now(), state.scheduler.deadline(ticket));
            (
                due.is_some_and(|due| due <= now),
                due.map(|due| state.clock.wake_time(due)),
            )
        };
        if is_due {
            pool.update(|state, now| state.scheduler.tick(now));
        }
        tokio::select! {
            biased;
            granted = &mut granted => return granted.unwrap_or_else(|_| Err(Cause::Closed.into())),
            () = at(wake) => {}
        }
    }
}

/// Withdraws a waiting ticket (the request for a process) when the future that waits for it is dropped.
struct AbandonOnDrop<'a> {
    pool: &'a Arc<Inner>,
    ticket: Ticket,
}

impl Drop for AbandonOnDrop<'_> {
    fn drop(&mut self) {
        let ticket = self.ticket;
        let asker = self.pool.update(|state, now| {
            state.scheduler.abandon(now, ticket);
            state.tickets.remove(&ticket)
        });
        drop(asker);
    }
}

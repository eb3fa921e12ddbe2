//! The use of a process for a turn or a call.

use std::future::Future;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Weak};

use claw_transport::Exit;
use tokio::sync::oneshot;

use super::Inner;
use super::scheduler::{Generation, MemberId, Ticket, Use};
use crate::driver::clock::at;
use crate::error::Cause;
use crate::{Error, Session};

/// While it is there, the process is not ended for another session's sake. Given back by its drop.
pub(super) struct Permit {
    pool: Arc<Inner>,
    member: MemberId,
    generation: Generation,
    session: Session,
    /// Nobody waits for this use any more.
    is_unheard: AtomicBool,
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
            is_unheard: AtomicBool::new(false),
        }
    }

    pub(super) fn session(&self) -> &Session {
        &self.session
    }

    /// Nobody waits for this use any more. It goes on, unless the session is dropped or its process is to end.
    pub(super) fn unheard(&self) {
        let (member, generation) = (self.member, self.generation);
        self.pool.update(|state, now| {
            if !self.is_unheard.swap(true, Relaxed) {
                state.scheduler.unheard(now, member, generation);
            }
        });
    }

    /// Where the session is over: waits for the end of its process.
    fn exited(&self) -> Option<impl Future<Output = Exit> + use<>> {
        let shared = &self.session.shared;
        shared.inbox.ended().map(|_| shared.process.exited())
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        let (member, generation) = (self.member, self.generation);
        let is_unheard = *self.is_unheard.get_mut();
        self.pool.update(|state, now| {
            if is_unheard {
                state.scheduler.end_unheard(now, member, generation);
            } else {
                state.scheduler.end_use(now, member, generation);
            }
        });
    }
}

/// Whoever waits for a use that a task has: with its drop, nobody does.
pub(super) struct Heard(pub(super) Weak<Permit>);

impl Drop for Heard {
    fn drop(&mut self) {
        if let Some(permit) = self.0.upgrade() {
            permit.unheard();
        }
    }
}

/// Waits for a process of this member that is not over.
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
        // Its end is known to its readers before it is to the pool.
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
        // Its own: with the first one's, every ticket that waits would wake for each that is due.
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

/// Takes the ticket back where nobody waits for it any more.
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

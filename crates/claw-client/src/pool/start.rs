//! Starts and ends the processes of the pool's sessions.

use std::sync::{Arc, Weak};
use std::time::Duration;

use claw_transport::Exit;
use claw_types::SessionId;

use super::member::Member;
use super::scheduler::{Generation, MemberId};
use super::{Inner, events};
use crate::handle::Session;
use crate::outcome::error::{Cause, Error};
use crate::session::builder::warm::SpareProcess;

/// Maximum time that the pool waits for the permission mode of a process that it is about to end.
const LAST_WORDS: Duration = Duration::from_secs(2);

/// Represents the start of a process. If this guard is dropped before the outcome is reported, the guard reports that
/// the start has failed. This happens, for example, after a panic in the application's closure.
struct Starting {
    pool: Arc<Inner>,
    member: MemberId,
    generation: Generation,
    is_reported: bool,
}

impl Starting {
    fn started(mut self, session: Session, of: Arc<Member>) {
        self.is_reported = true;
        events::ready(&session, of.known_id().map(SessionId::as_str));
        // Drops this handle before the scheduler is notified that the process runs. If it was the last handle, no turn
        // can use the process, and the scheduler can end it.
        drop(of);
        let exited = session.finished();
        let (member, generation) = (self.member, self.generation);
        let pool = self.pool.clone();
        pool.update(|state, now| {
            state.live.insert(member, (generation, session));
            state.scheduler.started(now, member, generation);
        });
        let watched = pool.clone();
        pool.runtime.spawn(async move {
            let exit = exited.await;
            watched.ended(member, generation, Some(exit));
        });
    }

    /// Reports to the scheduler that the member could not take over the spare. The spare's process has already ended.
    fn fell_back(mut self) {
        self.is_reported = true;
        let (member, generation) = (self.member, self.generation);
        self.pool
            .update(|state, now| state.scheduler.claim_failed(now, member, generation));
    }

    fn failed(&mut self, error: &Error) {
        self.is_reported = true;
        let (member, generation) = (self.member, self.generation);
        let askers = self.pool.update(|state, now| {
            let failed = state.scheduler.failed(now, member, generation);
            let askers = failed
                .iter()
                .filter_map(|ticket| state.tickets.remove(ticket));
            askers.collect::<Vec<_>>()
        });
        for asker in askers {
            let _ = asker.send(Err(error.clone()));
        }
    }
}

impl Drop for Starting {
    fn drop(&mut self) {
        if !self.is_reported {
            self.failed(&Cause::Closed.into());
        }
    }
}

impl Inner {
    /// Reports to the scheduler that a process has ended. A second report of the same end has no effect.
    pub(super) fn ended(
        self: &Arc<Self>,
        member: MemberId,
        generation: Generation,
        exit: Option<Exit>,
    ) {
        let (session, of, by_itself) = self.update(|state, now| {
            let is_this = state
                .live
                .get(&member)
                .is_some_and(|(of, _)| *of == generation);
            let session = is_this.then(|| state.live.remove(&member)).flatten();
            let of = state.members.get(&member).and_then(Weak::upgrade);
            let by_itself = state.scheduler.runs(member);
            state.scheduler.ended(now, member, generation);
            (session, of, by_itself)
        });
        if let (Some((_, session)), Some(exit)) = (session, exit) {
            let of = of.as_ref().and_then(|of| of.known_id());
            events::ended(&session, of.map(SessionId::as_str), exit, by_itself);
        }
    }
}

/// Starts a process for a member.
pub(super) fn start(
    pool: &Arc<Inner>,
    member: MemberId,
    generation: Generation,
    of: Option<Arc<Member>>,
) {
    let mut starting = Starting {
        pool: pool.clone(),
        member,
        generation,
        is_reported: false,
    };
    let work = async move {
        let Some(of) = of else {
            return;
        };
        match of.begin().await {
            Ok(session) => starting.started(session, of),
            Err(error) => {
                events::failed(of.known_id().map(SessionId::as_str), &error);
                starting.failed(&error);
            }
        }
    };
    pool.runtime.spawn(work);
}

/// Makes a member take over a spare.
pub(super) fn claim(
    pool: &Arc<Inner>,
    member: MemberId,
    generation: Generation,
    of: Option<Arc<Member>>,
    spare_process: Option<SpareProcess>,
) {
    let starting = Starting {
        pool: pool.clone(),
        member,
        generation,
        is_reported: false,
    };
    let work = async move {
        let (Some(of), Some(spare_process)) = (of, spare_process) else {
            return starting.fell_back();
        };
        let pid = spare_process.process().pid();
        match of.claim_spare(spare_process).await {
            Ok(session) => {
                events::spare_claimed(pid, of.id().as_str());
                starting.started(session, of);
            }
            Err(error) => {
                events::spare_fallback(pid, of.known_id().map(SessionId::as_str), &error);
                starting.fell_back();
            }
        }
    };
    pool.runtime.spawn(work);
}

/// Ends a process that no turn or call uses. First asks the process for its permission mode.
pub(super) fn end(
    pool: &Arc<Inner>,
    member: MemberId,
    generation: Generation,
    session: Option<Session>,
    of: Option<Arc<Member>>,
) {
    let ended = pool.clone();
    pool.runtime.spawn(async move {
        let Some(session) = session else {
            ended.ended(member, generation, None);
            return;
        };
        if let Some(of) = of {
            let changes = of.mode_changes();
            let answer = session.reinitialize().timeout(LAST_WORDS).await;
            if let Some(mode) = answer
                .ok()
                .and_then(|answer| answer.current_permission_mode)
            {
                of.keep_mode(mode, changes);
            }
        }
        if let Err(error) = session.close().await {
            tracing::warn!(error = %error, "a process of the pool did not end as it should");
        }
    });
}

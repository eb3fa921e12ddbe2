//! The pool's `tracing` events. They contain only IDs, numbers and causes: no prompt, and no option's value.

use claw_transport::Exit;

use super::PoolState;
use super::scheduler::{MemberId, Output, Refusal};
use crate::handle::Session;
use crate::outcome::error::Error;

macro_rules! event {
    ($level:ident, $event:literal, $($rest:tt)*) => {
        tracing::$level!(target: "claw_client::pool", event = $event, $($rest)*)
    };
}

/// Emits the event for an output of the scheduler (an action for the pool), before the pool carries the action out.
pub(super) fn ordered(output: &Output, state: &PoolState) {
    // The session is looked up only if a subscriber is interested in the event.
    if !tracing::enabled!(target: "claw_client::pool", tracing::Level::DEBUG) {
        return;
    }
    let id = |member: &MemberId| {
        let member = state.members.get(member)?.upgrade()?;
        member.known_id().map(|id| id.as_str().to_owned())
    };
    match output {
        Output::Start(member, _) => {
            event!(
                debug,
                "start",
                session.id = id(member),
                "a process is started"
            );
        }
        Output::End(member, _) => {
            if state.spare_processes.contains_key(member) {
                event!(debug, "spare_end", "a spare gives its place up");
            } else if state.members.contains_key(member) {
                event!(
                    debug,
                    "evict",
                    session.id = id(member),
                    "a session gives its process up"
                );
            } else {
                event!(
                    debug,
                    "end",
                    "the process of a session that is gone is ended"
                );
            }
        }
        Output::StartSpare(..) => event!(debug, "spare_start", "a spare is started"),
        Output::Claim(..) => event!(debug, "spare_claim", "a session is to take a spare over"),
        Output::Refuse(_, why) => {
            let late = *why == Refusal::TimedOut;
            event!(
                debug,
                "refuse",
                late,
                waiting = state.scheduler.waiting(),
                "a turn gets no process"
            );
        }
        Output::Grant(..) | Output::Wake(_) => {}
    }
}

pub(super) fn ready(session: &Session, of: Option<&str>) {
    let pid = session.process().pid();
    event!(debug, "ready", pid, session.id = of, "a process is ready");
}

pub(super) fn failed(of: Option<&str>, error: &Error) {
    event!(warn, "failed", session.id = of, error = %error, "a process could not be started");
}

/// Emits the event for a session's process that has ended, either by itself or because the pool or the program ended
/// it.
pub(super) fn ended(session: &Session, of: Option<&str>, exit: Exit, by_itself: bool) {
    let pid = session.process().pid();
    if by_itself {
        event!(
            warn,
            "crash",
            pid,
            session.id = of,
            ?exit,
            "a process has ended by itself"
        );
    } else {
        event!(
            debug,
            "end",
            pid,
            session.id = of,
            ?exit,
            "a process has ended"
        );
    }
}

pub(super) fn spare_ready(pid: Option<u32>) {
    event!(debug, "spare_ready", pid, "a spare is ready");
}

pub(super) fn spare_claimed(pid: Option<u32>, of: &str) {
    event!(
        debug,
        "spare_claimed",
        pid,
        session.id = of,
        "a session has taken a spare over"
    );
}

pub(super) fn spare_failed(error: &Error) {
    event!(warn, "spare_failed", error = %error, "a spare could not be started");
}

pub(super) fn spare_lost(exit: Exit) {
    event!(warn, "spare_failed", ?exit, "a spare has ended by itself");
}

pub(super) fn spare_fallback(pid: Option<u32>, of: Option<&str>, error: &Error) {
    event!(warn, "spare_fallback", pid, session.id = of, error = %error, "a spare could not be taken over");
}

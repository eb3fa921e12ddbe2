//! The steps of a shutdown.

use std::time::{Duration, Instant};

use crate::Shutdown;

/// The next step of a shutdown, with the time at which it is due.
#[derive(Debug)]
pub(crate) struct ShutdownSteps {
    next: Step,
    at: Instant,
    times: Shutdown,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Step {
    Terminate,
    Kill,
    ReportStuck,
}

impl ShutdownSteps {
    /// Begins a shutdown whose first step is due after `wait`, unless a shutdown that has progressed further or is due
    /// earlier is already in progress.
    pub(crate) fn begin(
        slot: &mut Option<Self>,
        next: Step,
        times: Shutdown,
        now: Instant,
        wait: Duration,
    ) {
        let at = now + wait;
        let keep = slot
            .as_ref()
            .is_some_and(|old| old.next > next || (old.next == next && old.at <= at));
        if !keep {
            *slot = Some(Self { next, at, times });
        }
    }

    /// Returns the time at which the next step is due.
    pub(crate) fn at(&self) -> Instant {
        self.at
    }

    /// Postpones the next step by the time during which the host could not run.
    pub(crate) fn postpone(&mut self, time: Duration) {
        self.at += time;
    }

    /// Returns the step that is due, if any, and makes the following step the next one.
    pub(crate) fn step(slot: &mut Option<Self>, now: Instant) -> Option<Step> {
        let Self { next, times, .. } = slot.take_if(|steps| steps.at <= now)?;
        let behind = match next {
            Step::Terminate => Some((Step::Kill, times.terminate)),
            Step::Kill => Some((Step::ReportStuck, times.kill)),
            Step::ReportStuck => None,
        };
        *slot = behind.map(|(step, wait)| Self {
            next: step,
            at: now + wait,
            times,
        });
        Some(next)
    }
}

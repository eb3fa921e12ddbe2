//! The session's time: that in which the host could read.
//!
//! A host can be stopped (a debugger, Ctrl-Z, a frozen container), or be kept from polling the
//! session's task. Such a time is no silence of the CLI, whose lines may stand in the pipe. So while a
//! deadline is ahead, the task wakes at least once a second. The time by which it wakes too late does
//! not count, and after it there is some time to read what is there.

use std::time::Duration;

use tokio::time::{Instant, sleep_until};

use crate::engine::Now;

/// The longest time between two looks at the clock, and so the longest part of a stop that counts.
pub(crate) const STEP: Duration = Duration::from_secs(1);

/// The delay with which timers fire at any time.
pub(crate) const ON_TIME: Duration = Duration::from_millis(5);

/// The longest time for reading what is there after a stop. It is as long as the stop if that was
/// shorter.
pub(crate) const GRANT: Duration = Duration::from_millis(500);

/// The clock of a session.
#[derive(Debug)]
pub(crate) struct Clock {
    began: Instant,
    /// The time that does not count.
    missed: Duration,
    last: Now,
    /// When the task has asked to be woken.
    wake: Option<Instant>,
    /// Whether time was granted for reading, and the task has not been on time since.
    granted: bool,
}

impl Clock {
    pub(crate) fn start() -> Self {
        Self {
            began: Instant::now(),
            missed: Duration::ZERO,
            last: Now::ZERO,
            wake: None,
            granted: false,
        }
    }

    pub(crate) fn now(&mut self) -> Now {
        let now = self.began.elapsed().saturating_sub(self.missed);
        // Granted time would set it back.
        self.last = self.last.max(now);
        self.last
    }

    /// Returns when to wake: for this deadline of the session's time, for the other one, or to look at
    /// the clock.
    pub(crate) fn wake_time(
        &mut self,
        due: Option<Now>,
        other: Option<Instant>,
    ) -> Option<Instant> {
        let due = due.and_then(|due| self.began.checked_add(self.missed.checked_add(due)?));
        let due = [due, other].into_iter().flatten().min();
        self.wake = due.map(|due| due.min(Instant::now() + STEP));
        self.wake
    }

    /// The task has been woken, by whatever. Returns how much time does not count.
    pub(crate) fn record_wake(&mut self) -> Duration {
        let Some(wake) = self.wake.take() else {
            return Duration::ZERO;
        };
        let mut missed = Instant::now().saturating_duration_since(wake);
        let was_late = missed > ON_TIME;
        let grants = was_late && !self.granted;
        // Once, so that deadlines pass even if the task is always late.
        self.granted = was_late;
        if grants {
            missed += missed.min(GRANT);
        }
        self.missed += missed;
        missed
    }
}

/// Waits for the future, but only so long, without the time in which the host could not poll it.
#[cfg(feature = "pool")]
pub(crate) async fn timeout<T>(limit: Duration, future: impl Future<Output = T>) -> Option<T> {
    let mut future = std::pin::pin!(future);
    let mut clock = Clock::start();
    loop {
        let wake = clock.wake_time(Some(limit), None);
        tokio::select! {
            biased;
            value = &mut future => return Some(value),
            () = at(wake) => {}
        }
        clock.record_wake();
        if clock.now() >= limit {
            return None;
        }
    }
}

/// Waits until then; for ever if there is no such time.
pub(crate) async fn at(time: Option<Instant>) {
    match time {
        Some(time) => sleep_until(time).await,
        None => std::future::pending().await,
    }
}

#[cfg(test)]
mod tests;

//! Measures a session's time. Time in which the host could not read is not counted.
//!
//! A host can be stopped (by a debugger, Ctrl-Z or a frozen container), or be kept from polling the session's task. In
//! this case, the CLI is not silent: its lines may be in the pipe. So while a deadline is set, the task wakes at least
//! once a second. The delay of a late wake is not counted. After a late wake, the task gets additional time to read the
//! lines in the pipe.

use std::time::Duration;

use tokio::time::{Instant, sleep_until};

use crate::engine::Now;

/// The maximum time between two readings of the clock. At most this much of a stop is counted.
pub(crate) const STEP: Duration = Duration::from_secs(1);

/// Timers normally fire within this delay. A longer delay means that the host was stopped.
pub(crate) const ON_TIME: Duration = Duration::from_millis(5);

/// The maximum time that is granted for reading after a stop. After a shorter stop, the granted time is as long as the
/// stop.
pub(crate) const GRANT: Duration = Duration::from_millis(500);

/// The clock of a session.
#[derive(Debug)]
pub(crate) struct Clock {
    began: Instant,
    /// The total time that is not counted.
    missed: Duration,
    last: Now,
    /// The time for which the task has set its timer.
    wake: Option<Instant>,
    /// Whether time was granted for reading, and each wake since then was late.
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
        // Without this maximum, granted time would set the clock back.
        self.last = self.last.max(now);
        self.last
    }

    /// Returns the time of the next wake: the deadline in the session's time, the other deadline, or the next reading
    /// of the clock, whichever is earliest.
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

    /// Records that the task was woken, for any reason. Returns the length of the time that is not counted.
    pub(crate) fn record_wake(&mut self) -> Duration {
        let Some(wake) = self.wake.take() else {
            return Duration::ZERO;
        };
        let mut missed = Instant::now().saturating_duration_since(wake);
        let was_late = missed > ON_TIME;
        let grants = was_late && !self.granted;
        // Consecutive late wakes grant time for reading only once. Otherwise, deadlines would not pass if each wake is
        // late.
        self.granted = was_late;
        if grants {
            missed += missed.min(GRANT);
        }
        self.missed += missed;
        missed
    }
}

/// Waits for the future, but no longer than the limit. Returns `None` after the limit. Time in which the host could not
/// poll the future is not counted.
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

/// Waits until the given time. Without a time, never completes.
pub(crate) async fn at(time: Option<Instant>) {
    match time {
        Some(time) => sleep_until(time).await,
        None => std::future::pending().await,
    }
}

#[cfg(test)]
mod tests;

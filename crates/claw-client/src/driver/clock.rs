//! The session's time: only the time in which the host could read.
//!
//! A host can be stopped (by a debugger, Ctrl-Z or a frozen container), or be kept from polling the session's task.
//! During such a time, the CLI is not silent: its lines may be in the pipe. So while a deadline is set, the task wakes
//! at least once a second. The delay of a late wake does not count, and after a late wake some time is granted to read
//! the lines in the pipe.

use std::time::Duration;

use tokio::time::{Instant, sleep_until};

use crate::engine::Now;

/// The longest time between two readings of the clock, and so the longest part of a stop that counts.
pub(crate) const STEP: Duration = Duration::from_secs(1);

/// The delay with which timers normally fire.
pub(crate) const ON_TIME: Duration = Duration::from_millis(5);

/// The maximum time that is granted for reading after a stop. After a shorter stop, the granted time is as long as the
/// stop.
pub(crate) const GRANT: Duration = Duration::from_millis(500);

/// The clock of a session.
#[derive(Debug)]
pub(crate) struct Clock {
    began: Instant,
    /// The total time that does not count.
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
        // Granted time would set the clock back.
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

    /// Records that the task was woken, for any reason. Returns the length of the time that does not count.
    pub(crate) fn record_wake(&mut self) -> Duration {
        let Some(wake) = self.wake.take() else {
            return Duration::ZERO;
        };
        let mut missed = Instant::now().saturating_duration_since(wake);
        let was_late = missed > ON_TIME;
        let grants = was_late && !self.granted;
        // Time for reading is granted only once in a row, so that deadlines pass even if each wake is late.
        self.granted = was_late;
        if grants {
            missed += missed.min(GRANT);
        }
        self.missed += missed;
        missed
    }
}

/// Waits for the future, but no longer than the limit. Time in which the host could not poll the future does not count.
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

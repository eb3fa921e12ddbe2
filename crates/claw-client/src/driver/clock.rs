//! Measures a session's time. Time in which the host could not read the CLI's lines is not counted.
//!
//! A host can be stopped (by a debugger, Ctrl-Z or a frozen container), or be kept from polling the session's task.
//! During this time, lines of the CLI can wait in the pipe, so the CLI must not be regarded as silent. While a deadline
//! is set, the task therefore wakes at least once a second. If it wakes late, the delay is not counted, and the task
//! gets additional time to read the lines in the pipe.

use std::time::Duration;

use tokio::time::{Instant, sleep_until};

use crate::engine::Now;

/// The maximum time between two readings of the clock. If the host is stopped, at most this much of the stop is
/// counted.
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
    /// The total time that the clock has skipped, because the host could not read during it.
    missed: Duration,
    last: Now,
    /// The time for which the task has set its timer.
    wake: Option<Instant>,
    /// Whether time for reading was already granted in the current sequence of late wakes.
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
        // Granting time reduces the elapsed time. The maximum prevents the clock from running backwards.
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

    /// Records that the task was woken, for any reason. Returns the time that is not counted because of this wake.
    pub(crate) fn record_wake(&mut self) -> Duration {
        let Some(wake) = self.wake.take() else {
            return Duration::ZERO;
        };
        let mut missed = Instant::now().saturating_duration_since(wake);
        let was_late = missed > ON_TIME;
        let grants = was_late && !self.granted;
        // In a sequence of late wakes, only the first one grants time for reading. Otherwise, a deadline would never
        // pass if every wake is late.
        self.granted = was_late;
        if grants {
            missed += missed.min(GRANT);
        }
        self.missed += missed;
        missed
    }
}

/// Waits for the future, but no longer than the limit. Returns `None` if the limit has passed. Time in which the host
/// could not poll the future is not counted.
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

/// Waits until the given time. If no time is given, waits forever.
pub(crate) async fn at(time: Option<Instant>) {
    match time {
        Some(time) => sleep_until(time).await,
        None => std::future::pending().await,
    }
}

#[cfg(test)]
mod tests;

//! Measures the pool's time. Time in which the host could not run is not counted.
//!
//! While the host was stopped, no process could become free, so this time is not part of a ticket's waiting time. (A
//! ticket is a request for a process.) While a ticket with a deadline waits, the clock is read at least once a second.
//! If more than a second has passed between two readings, the excess is not counted.

use std::time::Duration;

use tokio::time::Instant;

use super::scheduler::Now;
use crate::driver::clock::{GRANT, ON_TIME, STEP};

/// The clock of a pool.
#[derive(Debug)]
pub(super) struct PoolClock {
    began: Instant,
    /// The total time that the clock has skipped, because the host could not run during it.
    missed: Duration,
    /// The time at which the clock was last read.
    seen: Instant,
}

impl PoolClock {
    pub(super) fn start() -> Self {
        let began = Instant::now();
        Self {
            began,
            missed: Duration::ZERO,
            seen: began,
        }
    }

    /// Reads the clock. `is_watched` is true if a ticket with a deadline waits, so that the clock is read at least once
    /// a second.
    pub(super) fn now(&mut self, is_watched: bool) -> Now {
        let now = Instant::now();
        let late = now
            .saturating_duration_since(self.seen)
            .saturating_sub(STEP);
        if is_watched && late > ON_TIME {
            // The host was stopped. The waiting tickets get additional time, so that a process that becomes free
            // directly after the stop can still be granted to them.
            self.missed += late + late.min(GRANT);
        }
        self.seen = now;
        now.saturating_duration_since(self.began)
            .saturating_sub(self.missed)
    }

    /// Returns the time at which the clock must be read next. `due` is a deadline in the pool's time, which can move
    /// while the host is stopped. So the clock is read at the latest after `STEP`.
    pub(super) fn wake_time(&self, due: Now) -> Instant {
        let next = Instant::now() + STEP;
        let due = self.missed.checked_add(due);
        due.and_then(|due| self.began.checked_add(due))
            .map_or(next, |due| due.min(next))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::time::advance;

    const WAIT: Duration = Duration::from_secs(10);

    #[tokio::test(start_paused = true)]
    async fn time_counts_while_the_clock_is_read_each_second() {
        let mut clock = PoolClock::start();
        for second in 1..=10 {
            let wake = clock.wake_time(WAIT);
            advance(wake - Instant::now()).await;
            assert_eq!(clock.now(true).as_secs(), second);
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_stop_does_not_count_for_those_that_wait() {
        let mut clock = PoolClock::start();
        advance(Duration::from_hours(1)).await;
        assert_eq!(clock.now(false).as_secs(), 3600);
        advance(Duration::from_hours(1)).await;
        assert!(clock.now(true).as_secs() <= 3601);
        // The hour of the stop was not counted, so a deadline two seconds later in the pool's time has not passed. The
        // pool's time never decreases.
        let due = Duration::from_secs(3602);
        let wake = clock.wake_time(due);
        assert!(wake > Instant::now());
        advance(wake - Instant::now()).await;
        let before = clock.now(true);
        assert!(before > Duration::from_hours(1));
        advance(WAIT).await;
        assert!(clock.now(true) > before);
    }
}

//! Measures the time during which the supervisor could not run.
//!
//! A host can be stopped, often together with its CLIs, by a debugger, by Ctrl-Z or because its container is frozen.
//! During such a stop, no CLI can end, or the supervisor cannot detect its end. Therefore, the supervisor wakes at
//! least once a second while a step of a shutdown is pending. If it wakes late, the step is postponed by the delay.

use std::time::{Duration, Instant};

/// The longest time between two readings of the clock while a step is pending.
const STEP: Duration = Duration::from_secs(1);

/// The usual delay with which a thread wakes.
const ON_TIME: Duration = Duration::from_millis(5);

/// The maximum additional time that CLIs get to end after a stop. After a shorter stop, the additional time is as long
/// as the stop.
const GRANT: Duration = Duration::from_millis(500);

#[derive(Debug, Default)]
pub(super) struct Lateness {
    /// The time at which the thread is scheduled to wake.
    wake: Option<Instant>,
    /// Whether additional time was granted, and every wake since then was late.
    granted: bool,
}

impl Lateness {
    /// Returns the time of the next wake: this deadline, or the next reading of the clock, whichever is earlier.
    pub(super) fn wake_time(&mut self, due: Option<Instant>, now: Instant) -> Option<Instant> {
        self.wake = due.map(|due| due.min(now + STEP));
        self.wake
    }

    /// Records that the thread woke, for any reason. Returns the time by which pending steps are postponed.
    pub(super) fn record_wake(&mut self, now: Instant) -> Duration {
        let wake = self.wake.take();
        let late = wake.map_or(Duration::ZERO, |wake| now.saturating_duration_since(wake));
        let was_late = late > ON_TIME;
        let grants = was_late && !self.granted;
        // Additional time is granted only for the first of several consecutive late wakes. Otherwise, steps would never
        // be taken if each wake is late.
        self.granted = was_late;
        if grants {
            return late + late.min(GRANT);
        }
        late
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GRACE: Duration = Duration::from_secs(5);
    const STOP: Duration = Duration::from_mins(1);

    /// Simulates a thread that wakes `by` later than scheduled. Returns the postponed deadline.
    fn late(lateness: &mut Lateness, due: Instant, now: &mut Instant, by: Duration) -> Instant {
        *now = lateness.wake_time(Some(due), *now).unwrap_or(*now) + by;
        due + lateness.record_wake(*now)
    }

    #[test]
    fn a_stop_postpones_and_leaves_some_time() {
        let (mut lateness, mut now) = (Lateness::default(), Instant::now());
        let due = now + GRACE;
        for _ in 0..4 {
            assert_eq!(late(&mut lateness, due, &mut now, Duration::ZERO), due);
        }
        // The stop covers the deadline itself.
        let postponed = late(&mut lateness, due, &mut now, STOP);
        assert_eq!(postponed, now + GRANT);
        let last = late(&mut lateness, postponed, &mut now, Duration::ZERO);
        assert_eq!((last, now), (postponed, postponed));
    }

    #[test]
    fn a_step_is_taken_even_if_the_thread_is_always_late() {
        let (mut lateness, mut now) = (Lateness::default(), Instant::now());
        let mut due = now + GRACE;
        let mut wakes = 0;
        while due > now {
            due = late(&mut lateness, due, &mut now, STOP);
            wakes += 1;
        }
        assert!(wakes < 10, "{wakes}");
    }

    #[test]
    fn nothing_is_late_where_nothing_is_due() {
        let mut lateness = Lateness::default();
        let now = Instant::now();
        assert_eq!(lateness.wake_time(None, now), None);
        assert_eq!(lateness.record_wake(now + STOP), Duration::ZERO);
    }
}

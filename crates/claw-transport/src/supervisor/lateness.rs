//! The time in which the supervisor could not run.
//!
//! A host can be stopped (by a debugger, Ctrl-Z or a frozen container), often together with its CLIs. During such a
//! time, no CLI could end, or the supervisor could not see its end. So while a step of a shutdown is pending, the
//! supervisor wakes at least once a second. The delay of a late wake postpones the step.

use std::time::{Duration, Instant};

/// The longest time between two readings of the clock, and so the longest part of a stop that counts.
const STEP: Duration = Duration::from_secs(1);

/// The delay with which threads normally wake.
const ON_TIME: Duration = Duration::from_millis(5);

/// The maximum time that is granted for CLIs to end after a stop. After a shorter stop, the granted time is as long as
/// the stop.
const GRANT: Duration = Duration::from_millis(500);

#[derive(Debug, Default)]
pub(super) struct Lateness {
    /// The time for which the thread has set its timer.
    wake: Option<Instant>,
    /// Whether time was granted, and each wake since then was late.
    granted: bool,
}

impl Lateness {
    /// Returns the time of the next wake: this deadline, or the next reading of the clock, whichever is earlier.
    pub(super) fn wake_time(&mut self, due: Option<Instant>, now: Instant) -> Option<Instant> {
        self.wake = due.map(|due| due.min(now + STEP));
        self.wake
    }

    /// Records that the thread was woken, for any reason. Returns the time by which steps are postponed.
    pub(super) fn record_wake(&mut self, now: Instant) -> Duration {
        let wake = self.wake.take();
        let late = wake.map_or(Duration::ZERO, |wake| now.saturating_duration_since(wake));
        let was_late = late > ON_TIME;
        let grants = was_late && !self.granted;
        // Only once in a row, so that steps are taken even if each wake is late.
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

    /// Sleeps until it is to be woken, and then some more. Returns the deadline as it is then.
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
        // The deadline itself is slept over.
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

//! The time in which the supervisor could not run.
//!
//! A host can be stopped (a debugger, Ctrl-Z, a frozen container), often with its CLIs. In such a time no CLI could end, or
//! nobody could see it. So while a step of a shutdown is ahead, the supervisor wakes at least once a second. The time by
//! which it wakes too late postpones the step.

use std::time::{Duration, Instant};

/// The longest time between two looks at the clock, and so the longest part of a stop that counts.
const STEP: Duration = Duration::from_secs(1);

/// The delay with which threads wake at any time.
const ON_TIME: Duration = Duration::from_millis(5);

/// The longest time for a CLI to end after a stop. It is as long as the stop if that was shorter.
const GRANT: Duration = Duration::from_millis(500);

#[derive(Debug, Default)]
pub(super) struct Lateness {
    /// When the thread has asked to be woken.
    wake: Option<Instant>,
    /// Whether time was granted, and the thread has not been on time since.
    granted: bool,
}

impl Lateness {
    /// Returns when to wake for this deadline, or to look at the clock.
    pub(super) fn wake_time(&mut self, due: Option<Instant>, now: Instant) -> Option<Instant> {
        self.wake = due.map(|due| due.min(now + STEP));
        self.wake
    }

    /// The thread has been woken, by whatever. Returns by how much to postpone.
    pub(super) fn record_wake(&mut self, now: Instant) -> Duration {
        let wake = self.wake.take();
        let late = wake.map_or(Duration::ZERO, |wake| now.saturating_duration_since(wake));
        let was_late = late > ON_TIME;
        let grants = was_late && !self.granted;
        // Once, so that steps are taken even if the thread is always late.
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

//! The wait for the reset of a usage limit.

use std::time::{Duration, SystemTime};

use crate::TurnResult;

/// Time that is added to the reset of a limit. Without it, a machine whose clock is slightly ahead of the service's
/// clock would send the prompt too early.
const MARGIN: Duration = Duration::from_secs(5);

/// The wait for the reset of a usage limit, after which a prompt is sent again. A pool with a `limit_wait` waits by
/// itself; this type is for programs that wait without it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct LimitWait {
    /// The time at which the prompt is sent again: five seconds after the reset.
    pub until: SystemTime,
    /// The time from now until then.
    pub left: Duration,
}

impl LimitWait {
    /// Returns the wait of a prompt whose turn has this result. `reset` is the time at which the limit is reset, as
    /// [`Session::limit_reset`](crate::Session::limit_reset) returns it. `None` if the turn did not end at a limit, if
    /// the time of the reset is unknown, or if the wait takes longer than `longest`.
    pub fn after(
        result: &TurnResult,
        reset: Option<SystemTime>,
        longest: Duration,
    ) -> Option<Self> {
        let reset = reset.filter(|_| result.is_rate_limited())?;
        let until = reset.checked_add(MARGIN)?;
        let left = until.duration_since(SystemTime::now()).unwrap_or_default();
        (left <= longest).then_some(Self { until, left })
    }
}

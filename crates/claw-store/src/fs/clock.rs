//! The clock by which claims expire.
//!
//! On Unix, this is the clock of [`Instant`](std::time::Instant). The holder of a claim uses the same clock, so both
//! agree on the time of expiry. On Linux, the clock stops while the host is suspended. The holder is suspended too, and
//! continues with the remaining time. The clock restarts when the host restarts, and then no holder is left. On other
//! systems, this is the system clock.

use serde::{Deserialize, Serialize};

/// A time, and the start of the host from which it is measured.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Moment {
    /// The time in milliseconds.
    pub(super) at: u64,
    pub(super) boot: String,
}

impl Moment {
    #[cfg(unix)]
    pub(super) fn now() -> Self {
        let now = rustix::time::clock_gettime(rustix::time::ClockId::Monotonic);
        let millis = now.tv_sec * 1000 + now.tv_nsec / 1_000_000;
        Self {
            at: u64::try_from(millis).unwrap_or(0),
            boot: boot(),
        }
    }

    #[cfg(not(unix))]
    pub(super) fn now() -> Self {
        let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
        let millis = since.unwrap_or_default().as_millis();
        Self {
            at: u64::try_from(millis).unwrap_or(0),
            boot: String::new(),
        }
    }
}

#[cfg(unix)]
fn boot() -> String {
    // Only Linux has this file. On other systems the ID is empty, so a claim that was granted before the host restarted
    // remains until it expires.
    let id = std::fs::read_to_string("/proc/sys/kernel/random/boot_id");
    id.map(|id| id.trim().to_owned()).unwrap_or_default()
}

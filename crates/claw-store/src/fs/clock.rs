//! The clock that claims end by.
//!
//! On Unix it is the one that [`Instant`](std::time::Instant) has, so that a holder of a claim and this store agree on
//! when it ends. On Linux it stands still while the host is suspended: then the holder does as well, and goes on with
//! the time that was left. It begins anew when the host starts, and no holder has outlived that. Elsewhere it is the
//! clock of the system.

use serde::{Deserialize, Serialize};

/// A moment, and the start of the host that it counts from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Moment {
    /// In milliseconds.
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
    // Only Linux has it. Elsewhere a claim from before a start of the host ends when its time is over.
    let id = std::fs::read_to_string("/proc/sys/kernel/random/boot_id");
    id.map(|id| id.trim().to_owned()).unwrap_or_default()
}

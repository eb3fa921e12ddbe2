//! The deadline of a call to a server.

use std::future::Future;
use std::time::Duration;

use tokio::time::{Instant, timeout_at};

#[cfg(any(feature = "object-store", feature = "postgres"))]
use crate::StoreError;

/// The deadline of a call.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Deadline {
    at: Instant,
    timeout: Duration,
}

impl Deadline {
    /// Returns the deadline of a call that begins now.
    pub(crate) fn after(timeout: Duration) -> Self {
        let now = Instant::now();
        // A timeout that is too long for the clock is replaced by a century.
        let never = || now + Duration::from_hours(24 * 36_500);
        Self {
            at: now.checked_add(timeout).unwrap_or_else(never),
            timeout,
        }
    }

    #[cfg(feature = "redis")]
    pub(crate) fn is_over(&self) -> bool {
        Instant::now() >= self.at
    }

    /// Waits for a call until the deadline. `late` creates the error if the deadline passes first.
    #[cfg(feature = "redis")]
    pub(crate) async fn wait<T, E>(
        &self,
        call: impl Future<Output = Result<T, E>>,
        late: impl FnOnce(String) -> E,
    ) -> Result<T, E> {
        let done = timeout_at(self.at, call).await;
        done.unwrap_or_else(|_| Err(late(self.late())))
    }

    fn late(&self) -> String {
        format!("no answer in {:?}", self.timeout)
    }
}

#[cfg(any(feature = "object-store", feature = "postgres"))]
impl Deadline {
    /// Waits for a call that stores nothing. If the deadline passes, the store counts as unavailable.
    pub(crate) async fn storing_nothing<T>(
        &self,
        call: impl Future<Output = Result<T, StoreError>>,
    ) -> Result<T, StoreError> {
        let done = timeout_at(self.at, call).await;
        done.unwrap_or_else(|_| Err(StoreError::unavailable(self.late())))
    }

    /// Waits for a call that may store. If the deadline passes, the call may have taken effect. After the deadline, the
    /// call is not begun.
    pub(crate) async fn storing<T>(
        &self,
        call: impl Future<Output = Result<T, StoreError>>,
    ) -> Result<T, StoreError> {
        if Instant::now() >= self.at {
            return Err(StoreError::unavailable(self.late()));
        }
        let done = timeout_at(self.at, call).await;
        done.unwrap_or_else(|_| Err(StoreError::uncertain(self.late())))
    }
}

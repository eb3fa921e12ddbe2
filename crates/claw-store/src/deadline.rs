//! The end of the time that a call to a server has.

use std::future::Future;
use std::time::Duration;

use tokio::time::{Instant, timeout_at};

#[cfg(any(feature = "object-store", feature = "postgres"))]
use crate::StoreError;

/// When a call has to be over.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Deadline {
    at: Instant,
    timeout: Duration,
}

impl Deadline {
    /// That of a call that begins now.
    pub(crate) fn after(timeout: Duration) -> Self {
        let now = Instant::now();
        // A time-out without end is one of a century.
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

    /// Waits for a call. `late` makes its error where the time is over before.
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
    /// Waits for what stores nothing: at the end of the time the store is away.
    pub(crate) async fn storing_nothing<T>(
        &self,
        call: impl Future<Output = Result<T, StoreError>>,
    ) -> Result<T, StoreError> {
        let done = timeout_at(self.at, call).await;
        done.unwrap_or_else(|_| Err(StoreError::unavailable(self.late())))
    }

    /// Waits for what may have been done at the end of the time. It is not begun after that.
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

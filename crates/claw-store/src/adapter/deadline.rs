//! The deadline of a call to a server.

use std::future::Future;
use std::time::Duration;

use tokio::time::{Instant, timeout_at};

use crate::StoreError;

/// The deadline of a call.
#[derive(Debug, Clone, Copy)]
pub struct Deadline {
    at: Instant,
    timeout: Duration,
}

impl Deadline {
    /// Returns the deadline of a call that begins now.
    pub fn after(timeout: Duration) -> Self {
        let now = Instant::now();
        // A very long timeout would exceed the range of the clock. Its deadline is then a century from now.
        let never = || now + Duration::from_hours(24 * 36_500);
        Self {
            at: now.checked_add(timeout).unwrap_or_else(never),
            timeout,
        }
    }

    /// Whether the deadline has passed.
    pub fn has_passed(&self) -> bool {
        Instant::now() >= self.at
    }

    /// Waits for a call until the deadline. `late` creates the error if the deadline passes first.
    ///
    /// # Errors
    ///
    /// Fails with the errors of the call, and with the error of `late`.
    pub async fn wait<T, E>(
        &self,
        call: impl Future<Output = Result<T, E>>,
        late: impl FnOnce(String) -> E,
    ) -> Result<T, E> {
        let done = timeout_at(self.at, call).await;
        done.unwrap_or_else(|_| Err(late(self.late())))
    }

    /// Waits for a call that stores nothing. If the deadline passes, the error is that the store is unavailable.
    ///
    /// # Errors
    ///
    /// Fails with the errors of the call, and with [`StoreError::Unavailable`] after the deadline.
    pub async fn storing_nothing<T>(
        &self,
        call: impl Future<Output = Result<T, StoreError>>,
    ) -> Result<T, StoreError> {
        let done = timeout_at(self.at, call).await;
        done.unwrap_or_else(|_| Err(StoreError::unavailable(self.late())))
    }

    /// Waits for a call that may store something. If the deadline passes during the call, the call may have taken
    /// effect. If the deadline has already passed, the call is not begun.
    ///
    /// # Errors
    ///
    /// Fails with the errors of the call, and with [`StoreError::Uncertain`] after the deadline. If the call was not
    /// begun, fails with [`StoreError::Unavailable`].
    pub async fn storing<T>(
        &self,
        call: impl Future<Output = Result<T, StoreError>>,
    ) -> Result<T, StoreError> {
        if Instant::now() >= self.at {
            return Err(StoreError::unavailable(self.late()));
        }
        let done = timeout_at(self.at, call).await;
        done.unwrap_or_else(|_| Err(StoreError::uncertain(self.late())))
    }

    fn late(&self) -> String {
        format!("no answer in {:?}", self.timeout)
    }
}

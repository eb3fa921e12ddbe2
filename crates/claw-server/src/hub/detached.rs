//! Work that continues when its caller is dropped.

use std::panic::resume_unwind;

use super::error::HubError;

/// Runs work in a separate task, and waits for its result. The work continues if the returned future is dropped, such as when a
/// client closes its connection.
///
/// # Errors
///
/// Fails with [`HubError::Busy`] if the runtime shuts down before the work has ended.
///
/// # Panics
///
/// Panics if the work panics.
pub(crate) async fn run<T: Send + 'static>(
    work: impl Future<Output = T> + Send + 'static,
) -> Result<T, HubError> {
    tokio::spawn(work)
        .await
        .map_err(|error| match error.try_into_panic() {
            Ok(panic) => resume_unwind(panic),
            Err(_) => HubError::Busy("the server ends"),
        })
}

//! Repeats calls to the store while the store is unreachable.

use std::time::Duration;

use tokio::time::{Instant, sleep};

use super::HubError;

/// Interval between two calls to an unreachable store.
const PAUSE: Duration = Duration::from_millis(250);

/// Repeats a call while the store is unreachable, for at most `patience`. Before each pause, calls `waits(true)`, which
/// returns whether the call may be repeated. After the last pause, calls `waits(false)`.
pub(super) async fn while_away<T, F>(
    patience: Duration,
    mut call: impl FnMut() -> F,
    mut waits: impl FnMut(bool) -> bool,
) -> Result<T, HubError>
where
    F: Future<Output = Result<T, HubError>>,
{
    let until = Instant::now() + patience;
    let mut is_waiting = false;
    loop {
        let done = call().await;
        if let Err(error) = &done
            && error.is_store_away()
            && Instant::now() + PAUSE < until
            && waits(true)
        {
            if !is_waiting {
                tracing::warn!(%error, "the store is away: it is waited for");
            }
            is_waiting = true;
            sleep(PAUSE).await;
            continue;
        }
        if is_waiting {
            waits(false);
        }
        return done;
    }
}

#[cfg(test)]
mod tests {
    use std::cell::{Cell, RefCell};

    use claw_client::store::{StoreError, StoredError};

    use super::*;

    fn away() -> HubError {
        StoredError::from(StoreError::unavailable("nobody is there")).into()
    }

    /// Makes a call that fails `fail` times with this error. Returns whether the call succeeded in the end, the number
    /// of attempts, and the arguments of `waits`.
    async fn tried(fail: usize, error: fn() -> HubError) -> (bool, usize, Vec<bool>) {
        let (calls, reported) = (Cell::new(0), RefCell::default());
        let call = || {
            calls.set(calls.get() + 1);
            let is_failed = calls.get() <= fail;
            std::future::ready(if is_failed { Err(error()) } else { Ok(()) })
        };
        let done = while_away(Duration::from_secs(2), call, |is| {
            Vec::push(&mut reported.borrow_mut(), is);
            true
        });
        (done.await.is_ok(), calls.get(), reported.take())
    }

    #[tokio::test(start_paused = true)]
    async fn a_store_that_comes_back_is_waited_for_and_no_other_error() {
        assert_eq!(tried(0, away).await, (true, 1, vec![]));
        assert_eq!(tried(2, away).await, (true, 3, vec![true, true, false]));
        let unkept = || HubError::Unkept(std::io::Error::other(StoreError::uncertain("cut off")));
        assert!(tried(1, unkept).await.0);
        let refused = || StoredError::from(StoreError::refused("no")).into();
        assert_eq!(tried(1, refused).await, (false, 1, vec![]));
        let busy = || HubError::Busy("the server ends");
        assert_eq!(tried(1, busy).await, (false, 1, vec![]));
    }

    #[tokio::test(start_paused = true)]
    async fn the_wait_has_an_end() {
        let began = Instant::now();
        let (is_done, calls, reported) = tried(usize::MAX, away).await;
        assert!(!is_done && began.elapsed() < Duration::from_secs(2));
        assert_eq!((calls, reported.last()), (8, Some(&false)));
    }
}

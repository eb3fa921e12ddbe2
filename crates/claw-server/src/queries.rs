//! Limits queries that read much data from the disk. A limited number of queries run, others wait, and further queries
//! are refused. If the caller of a query no longer waits for the result, the query ends.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use claw_sessions::on_pool;
use tokio::sync::{AcquireError, OwnedSemaphorePermit, Semaphore, TryAcquireError};

use crate::hub::HubError;

/// The maximum number of queries of one kind that run at once. The limit is low, because the rest of the server needs
/// the disk too.
const RUNNING: usize = 2;
/// The maximum number of queries of one kind that run or wait. A further query is refused.
const MOST: usize = 32;

/// Limits the number of concurrent queries of a kind.
#[derive(Debug)]
pub(crate) struct QueryLimiter {
    running: Arc<Semaphore>,
    present: Arc<Semaphore>,
}

impl Default for QueryLimiter {
    fn default() -> Self {
        Self {
            running: Arc::new(Semaphore::new(RUNNING)),
            present: Arc::new(Semaphore::new(MOST)),
        }
    }
}

impl QueryLimiter {
    /// Waits until a query may run.
    ///
    /// # Errors
    ///
    /// Fails with [`HubError::Busy`] if too many queries wait.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe. If the future is dropped, the query leaves the queue.
    pub(crate) async fn acquire(&self) -> Result<QuerySlot, HubError> {
        let present = self.present.clone().try_acquire_owned();
        let present =
            present.map_err(|_: TryAcquireError| HubError::Busy("too many queries wait"))?;
        let running = self.running.clone().acquire_owned().await;
        let running = running.map_err(|_: AcquireError| HubError::Busy("the server ends"))?;
        Ok(QuerySlot {
            _present: present,
            _running: running,
        })
    }
}

/// The right to run a query.
#[derive(Debug)]
pub(crate) struct QuerySlot {
    _present: OwnedSemaphorePermit,
    _running: OwnedSemaphorePermit,
}

impl QuerySlot {
    /// Runs a query on a thread for blocking calls. The query receives a flag that is set when the caller no longer
    /// waits for the result. The slot is released when the query has ended.
    ///
    /// # Cancel safety
    ///
    /// If the future is dropped, the flag is set.
    pub(crate) async fn run<T: Send + 'static>(
        self,
        query: impl FnOnce(&Arc<AtomicBool>) -> T + Send + 'static,
    ) -> T {
        let flag = CancelOnDrop(Arc::default());
        let is_cancelled = flag.0.clone();
        on_pool::run(move || {
            let _slot = self;
            query(&is_cancelled)
        })
        .await
    }
}

/// Sets a query's flag when this value is dropped.
struct CancelOnDrop(Arc<AtomicBool>);

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;

    use futures::FutureExt as _;

    use super::*;

    #[tokio::test]
    async fn some_run_some_wait_and_more_are_refused() {
        let limiter = QueryLimiter::default();
        let mut running = Vec::new();
        for _ in 0..RUNNING {
            running.push(limiter.acquire().await.unwrap());
        }
        let mut waiting: Vec<_> = (RUNNING..MOST)
            .map(|_| Box::pin(limiter.acquire()))
            .collect();
        for one in &mut waiting {
            assert!(one.now_or_never().is_none());
        }
        assert!(matches!(limiter.acquire().await, Err(HubError::Busy(_))));
        // A cancelled query frees its place, and a finished query lets the next one run.
        drop(waiting.pop());
        assert!(limiter.acquire().now_or_never().is_none());
        running.pop();
        assert!(waiting.remove(0).await.is_ok());
    }

    #[tokio::test]
    async fn a_query_without_a_reader_is_cancelled_and_has_its_place_until_it_ends() {
        let limiter = QueryLimiter::default();
        let slot = limiter.acquire().await.unwrap();
        let ((begun_sender, begun), (ended_sender, ended)) = (channel(), channel());
        let query = tokio::spawn(slot.run(move |is_cancelled| {
            begun_sender.send(()).unwrap();
            while !is_cancelled.load(Ordering::Relaxed) {
                std::thread::yield_now();
            }
            ended_sender.send(()).unwrap();
        }));
        on_pool::run(move || begun.recv().unwrap()).await;
        assert_eq!(limiter.running.available_permits(), RUNNING - 1);
        query.abort();
        on_pool::run(move || ended.recv().unwrap()).await;
        let all = u32::try_from(RUNNING).unwrap();
        drop(limiter.running.acquire_many(all).await.unwrap());
    }
}

//! Bounds the updates that are queued for the client.

use std::collections::VecDeque;
use std::io;
use std::sync::{Arc, Mutex, PoisonError};

use serde::Serialize;
use tokio::sync::Semaphore;

/// The maximum size of all updates that are queued for the client, in bytes. If a client does not read, only the
/// updates of its sessions stop.
const MOST: usize = 4 << 20;

/// The text that identifies a written line as a session update.
const UPDATE: &str = "\"method\":\"session/update\"";

/// Limits the size of the updates that are queued between the sessions and the client's pipe. The queue of the
/// protocol's crate itself is unbounded.
#[derive(Debug, Clone)]
pub(crate) struct Outbox(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    free: Semaphore,
    /// The sizes of the updates that are not written yet, in the order of the updates.
    waiting: Mutex<VecDeque<usize>>,
}

/// The error of an update that is sent after the connection has ended.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Disconnected;

impl Outbox {
    pub(crate) fn new() -> Self {
        Self(Arc::new(Shared {
            free: Semaphore::new(MOST),
            waiting: Mutex::default(),
        }))
    }

    /// Waits until there is room for an update, and then calls `send`, which adds it to the queue.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: `send` is either called or not.
    pub(crate) async fn send<T: Serialize>(
        &self,
        update: T,
        send: impl FnOnce(T) -> Result<(), agent_client_protocol::Error>,
    ) -> Result<(), Disconnected> {
        let size = size_of(&update).clamp(1, MOST);
        let permits = u32::try_from(size).unwrap_or(u32::MAX);
        let room = self.0.free.acquire_many(permits).await;
        let room = room.map_err(|_| Disconnected)?;
        // The sizes are in the same order as the updates.
        let mut waiting = self.lock();
        send(update).map_err(|_| Disconnected)?;
        waiting.push_back(size);
        room.forget();
        Ok(())
    }

    /// Frees the room of an update that was written. Lines that are not updates occupy no room.
    pub(crate) fn written(&self, line: &str) {
        let head = &line[..line.floor_char_boundary(100)];
        if head.contains(UPDATE)
            && let Some(size) = self.lock().pop_front()
        {
            self.0.free.add_permits(size);
        }
    }

    /// Ends all calls of [`send`](Self::send) that wait, because no further update will be written.
    pub(crate) fn close(&self) {
        self.0.free.close();
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, VecDeque<usize>> {
        let waiting = self.0.waiting.lock();
        waiting.unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns the length of the JSON of `value`, in bytes.
fn size_of(value: &impl Serialize) -> usize {
    struct Counter(usize);
    impl io::Write for Counter {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0 += bytes.len();
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let mut counter = Counter(0);
    // If the value cannot be written, it is not sent either.
    let _ = serde_json::to_writer(&mut counter, value);
    counter.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn an_update_waits_until_an_earlier_one_is_written() {
        let outbox = Outbox::new();
        let large = "x".repeat(MOST);
        outbox.send(&large, |_| Ok(())).await.unwrap();
        let next = outbox.send("small", |_| Ok(()));
        tokio::pin!(next);
        assert!(futures::poll!(&mut next).is_pending());
        outbox.written(r#"{"jsonrpc":"2.0","id":1,"result":{}}"#);
        assert!(futures::poll!(&mut next).is_pending());
        outbox.written(r#"{"jsonrpc":"2.0","method":"session/update","params":{}}"#);
        next.await.unwrap();
    }

    #[tokio::test]
    async fn the_end_of_the_connection_ends_the_wait() {
        let outbox = Outbox::new();
        outbox.send("x".repeat(MOST), |_| Ok(())).await.unwrap();
        let next = outbox.send("small", |_| Ok(()));
        tokio::pin!(next);
        assert!(futures::poll!(&mut next).is_pending());
        outbox.close();
        assert!(next.await.is_err());
    }
}

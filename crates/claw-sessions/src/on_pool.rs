//! Runs calls of this crate in async programs, on tokio's threads for blocking calls.
//!
//! Every function of this crate may wait for the disk. [`run`] turns a call into a future. [`each`] runs an iterator on
//! another thread and returns its items one by one. [`growth`] and [`changes`] do the same for watches.
//!
//! ```no_run
//! # async fn example() -> Result<(), claw_sessions::Error> {
//! use claw_sessions::{Sessions, on_pool};
//!
//! let sessions = Sessions::of_user()?;
//! let found = sessions.clone();
//! let list = on_pool::run(move || found.list().limit(20).run()).await?;
//! println!("{} sessions", list.sessions.len());
//!
//! let mut hits = on_pool::each(sessions.search("apples").run()?);
//! while let Some(hit) = hits.next().await {
//!     println!("{}", hit?.excerpt);
//! }
//! # Ok(())
//! # }
//! ```

use tokio::sync::mpsc::{Receiver, Sender, channel};
use tokio::task::spawn_blocking;

/// The number of items that are produced in advance.
const AHEAD: usize = 16;

/// Runs a blocking call on a thread of tokio's pool. If the call panics, the panic continues in the caller.
///
/// # Cancel safety
/// The call runs to its end, even if the future is dropped.
///
/// # Panics
/// Panics outside of a tokio runtime, and if the call panics.
pub async fn run<T: Send + 'static>(call: impl FnOnce() -> T + Send + 'static) -> T {
    match spawn_blocking(call).await {
        Ok(value) => value,
        Err(error) => match error.try_into_panic() {
            Ok(panic) => std::panic::resume_unwind(panic),
            // The runtime is shutting down and completes no task.
            Err(_) => std::future::pending().await,
        },
    }
}

/// Items that another thread produces. The thread produces at most sixteen items in advance.
///
/// # Drop
/// When this value is dropped, the thread stops producing items.
#[derive(Debug)]
pub struct Items<T>(Receiver<T>);

impl<T> Items<T> {
    /// Waits for the next item. Returns `None` at the end, or if the producing thread has panicked.
    ///
    /// # Cancel safety
    /// Cancel safe: no item is lost.
    pub async fn next(&mut self) -> Option<T> {
        self.0.recv().await
    }
}

/// Runs a blocking iterator, such as [`Hits`](crate::Hits) or [`Entries`](crate::Entries), on another thread.
///
/// # Panics
/// Panics outside of a tokio runtime.
pub fn each<I>(items: I) -> Items<I::Item>
where
    I: Iterator + Send + 'static,
    I::Item: Send,
{
    make(move |sender| {
        for item in items {
            if sender.blocking_send(item).is_err() {
                break;
            }
        }
    })
}

fn make<T: Send + 'static>(items: impl FnOnce(Sender<T>) + Send + 'static) -> Items<T> {
    let (sender, receiver) = channel(AHEAD);
    spawn_blocking(move || items(sender));
    Items(receiver)
}

/// Converts a watch of a session's transcript into a stream of its items.
///
/// # Panics
/// Panics outside of a tokio runtime.
#[cfg(feature = "watch")]
pub fn growth(mut watch: crate::WatchOne) -> Items<crate::Growth> {
    make(move |sender| until_dropped(&sender, |most| watch.next(most)))
}

/// Converts a watch of sessions into a stream of its changes.
///
/// # Panics
/// Panics outside of a tokio runtime.
#[cfg(feature = "watch")]
pub fn changes(mut watch: crate::Watching) -> Items<crate::Change> {
    make(move |sender| until_dropped(&sender, |most| watch.next(most)))
}

/// The interval at which a thread that waits for a change checks whether the receiver was dropped.
#[cfg(feature = "watch")]
const ANYBODY: std::time::Duration = std::time::Duration::from_millis(200);

#[cfg(feature = "watch")]
fn until_dropped<T>(sender: &Sender<T>, mut next: impl FnMut(std::time::Duration) -> Option<T>) {
    while !sender.is_closed() {
        if let Some(item) = next(ANYBODY)
            && sender.blocking_send(item).is_err()
        {
            break;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_call_is_a_future_and_its_panic_is_the_callers() {
        assert_eq!(run(|| 2).await, 2);
        let panics = tokio::spawn(run(|| -> u8 { panic!("out of luck") }));
        let panic = panics.await.unwrap_err().into_panic();
        assert_eq!(panic.downcast_ref::<&str>(), Some(&"out of luck"));
    }

    #[tokio::test]
    async fn items_come_in_order_and_end_when_nobody_takes_them() {
        let mut items = each(0..100);
        for expected in 0..100 {
            assert_eq!(items.next().await, Some(expected));
        }
        assert_eq!(items.next().await, None);

        let (made, done) = tokio::sync::oneshot::channel::<()>();
        let mut endless = each((0..).inspect(move |_| {
            // The sender is held until the iterator is dropped.
            let _ = &made;
        }));
        assert_eq!(endless.next().await, Some(0));
        drop(endless);
        assert!(done.await.is_err());
    }

    #[cfg(feature = "watch")]
    #[tokio::test]
    async fn a_watch_ends_with_who_watches() {
        let folder = tempfile::tempdir().unwrap();
        let id = "11111111-1111-4111-8111-111111111111";
        let project = folder.path().join("projects/p");
        std::fs::create_dir_all(&project).unwrap();
        std::fs::write(project.join(format!("{id}.jsonl")), "one\n").unwrap();
        let sessions = crate::Sessions::new(folder.path());
        let mut lines = growth(sessions.find(id).unwrap().watch());
        assert!(matches!(lines.next().await, Some(crate::Growth::Line(_))));
        let mut list = changes(sessions.watch().run());
        assert!(matches!(list.next().await, Some(crate::Change::Added(_))));
        // The end of the runtime waits for both threads. They must therefore end.
        drop((lines, list));
    }
}

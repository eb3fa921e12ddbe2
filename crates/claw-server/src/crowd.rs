//! The connections of a server. Where there are too many, those that ask for nothing make room for new ones.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use tokio::sync::Notify;

/// How many connections are looked at to find one that asks for nothing.
const LOOKS: usize = 256;

/// A connection.
#[derive(Debug, Default)]
pub(crate) struct Member {
    /// Requests whose responses have not ended.
    busy: AtomicUsize,
    is_gone: AtomicBool,
    leave: Notify,
}

/// A request of a connection, until its response has ended.
#[derive(Debug)]
pub(crate) struct Busy(Arc<Member>);

impl Member {
    /// A request has come.
    pub(crate) fn busy(self: &Arc<Self>) -> Busy {
        self.busy.fetch_add(1, Ordering::Relaxed);
        Busy(self.clone())
    }

    /// The connection is in use until its end.
    pub(crate) fn stays(&self) {
        self.busy.fetch_add(1, Ordering::Relaxed);
    }

    /// Waits until the connection has to make room.
    pub(crate) async fn leave(&self) {
        self.leave.notified().await;
    }

    /// The connection has ended.
    pub(crate) fn gone(&self) {
        self.is_gone.store(true, Ordering::Relaxed);
    }
}

impl Drop for Busy {
    fn drop(&mut self) {
        self.0.busy.fetch_sub(1, Ordering::Relaxed);
    }
}

/// All connections, the one first that was looked at longest ago.
#[derive(Debug, Default)]
pub(crate) struct Crowd(VecDeque<Arc<Member>>);

impl Crowd {
    /// One more.
    pub(crate) fn join(&mut self, most: usize) -> Arc<Member> {
        if self.0.len() >= most.saturating_mul(2) {
            self.0
                .retain(|member| !member.is_gone.load(Ordering::Relaxed));
        }
        let member = Arc::new(Member::default());
        self.0.push_back(member.clone());
        member
    }

    /// Has a connection leave that asks for nothing. `false` if none is found.
    pub(crate) fn make_room(&mut self) -> bool {
        for _ in 0..LOOKS.min(self.0.len()) {
            let Some(member) = self.0.pop_front() else {
                return false;
            };
            if member.is_gone.load(Ordering::Relaxed) {
                continue;
            }
            if member.busy.load(Ordering::Relaxed) == 0 {
                member.leave.notify_one();
                return true;
            }
            self.0.push_back(member);
        }
        false
    }
}

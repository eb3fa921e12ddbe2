//! A store whose calls have a timeout.

use std::future::ready;
use std::sync::Arc;
use std::time::Duration;

use claw_store::adapter::{Call, Wrap, Wrapped};
use claw_store::{SessionRef, SessionStore, StoreError};
use futures::future::BoxFuture;
use futures::stream::{self, BoxStream};
use futures::{FutureExt as _, StreamExt as _};
use tokio::time::{Instant, timeout, timeout_at};

/// Each time that this number of bytes has arrived, the timeout of a load is extended by a second. A slower load fails.
const SLOWEST: u64 = 64 << 10;

/// Maximum number of sessions in a list.
const MOST: u64 = 1_000_000;

/// The timeout of each call of a store. For loads and lists, the timeout is extended by the data that has arrived.
#[derive(Debug)]
pub(super) struct Timely {
    inner: Arc<dyn SessionStore>,
    limit: Duration,
}

impl Timely {
    pub(super) fn wrap(inner: Arc<dyn SessionStore>, limit: Duration) -> Wrapped<Self> {
        Wrapped(Self { inner, limit })
    }

    fn late(&self) -> String {
        format!("the store did not answer within {:?}", self.limit)
    }

    /// Adds the timeout to a stream of items. `bytes` returns the size of an item.
    fn brings<'a, T: Send + 'a>(
        &'a self,
        items: BoxStream<'a, Result<T, StoreError>>,
        bytes: fn(&T) -> u64,
    ) -> BoxStream<'a, Result<T, StoreError>> {
        let began = Instant::now();
        let state = Some((items, 0_u64));
        let next = move |state: Option<(BoxStream<'a, Result<T, StoreError>>, u64)>| async move {
            let (mut items, brought) = state?;
            let until = began + self.limit + Duration::from_secs(brought / SLOWEST);
            let Ok(item) = timeout_at(until, items.next()).await else {
                let text = format!("{}, or too slowly", self.late());
                return Some((Err(StoreError::unavailable(text)), None));
            };
            let item = item?;
            let brought = brought + item.as_ref().map_or(0, bytes);
            Some((item, Some((items, brought))))
        };
        stream::unfold(state, next).boxed()
    }
}

impl Wrap for Timely {
    fn inner(&self) -> &dyn SessionStore {
        &*self.inner
    }

    /// Adds the timeout to a call. If the timeout passes during a call that stores data, the data may have been stored.
    fn call<'a, T: Send + 'a>(
        &'a self,
        call: Call,
        _session: Option<&'a SessionRef>,
        forward: impl FnOnce() -> BoxFuture<'a, Result<T, StoreError>> + Send + 'a,
    ) -> BoxFuture<'a, Result<T, StoreError>> {
        async move {
            let answered = timeout(self.limit, forward()).await;
            answered.unwrap_or_else(|_| {
                Err(if call.can_store() {
                    StoreError::uncertain(self.late())
                } else {
                    StoreError::unavailable(self.late())
                })
            })
        }
        .boxed()
    }

    fn stream<'a, T: Send + 'a>(
        &'a self,
        call: Call,
        _session: Option<&'a SessionRef>,
        forward: impl FnOnce() -> BoxStream<'a, Result<T, StoreError>> + Send + 'a,
        bytes: fn(&T) -> u64,
    ) -> BoxStream<'a, Result<T, StoreError>> {
        let items = self.brings(forward(), bytes);
        if call != Call::Sessions {
            return items;
        }
        let mut count = 0;
        let counted = items.map(move |listed| {
            count += 1;
            if count > MOST {
                return Err(StoreError::corrupt(format!(
                    "the store lists over {MOST} sessions"
                )));
            }
            listed
        });
        let mut has_failed = false;
        counted
            .take_while(move |listed| ready(!std::mem::replace(&mut has_failed, listed.is_err())))
            .boxed()
    }
}

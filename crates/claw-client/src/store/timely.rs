//! A store whose calls have a timeout.

use std::future::ready;
use std::sync::Arc;
use std::time::Duration;

use claw_store::{
    Appended, Batch, Claim, Claims, DeleteSession, ListSessions, ListSubkeys, ListedSession, Owner,
    ReadSessions, SessionRef, SessionStore, StoreError, StoreKey, StoredLine, Subpath, WriterId,
};
use futures::future::BoxFuture;
use futures::stream::{self, BoxStream};
use futures::{FutureExt as _, StreamExt as _};
use tokio::time::{Instant, timeout, timeout_at};

/// Number of bytes that extend the timeout of a load by a second. A slower load fails.
const SLOWEST: u64 = 64 << 10;

/// Maximum number of sessions in a list.
const MOST: u64 = 1_000_000;

/// Number of bytes that an item of a list counts as.
const LISTED: u64 = 1 << 10;

/// A store whose calls have a timeout. For loads and lists, the timeout is extended by the data that has arrived.
#[derive(Debug)]
pub(super) struct Timely {
    inner: Arc<dyn SessionStore>,
    limit: Duration,
}

impl Timely {
    pub(super) fn new(inner: Arc<dyn SessionStore>, limit: Duration) -> Self {
        Self { inner, limit }
    }

    fn late(&self) -> String {
        format!("the store did not answer within {:?}", self.limit)
    }

    /// Adds the timeout to a call that changes nothing.
    fn asks<'a, T: 'a>(
        &'a self,
        call: BoxFuture<'a, Result<T, StoreError>>,
    ) -> BoxFuture<'a, Result<T, StoreError>> {
        async move {
            let answered = timeout(self.limit, call).await;
            answered.unwrap_or_else(|_| Err(StoreError::unavailable(self.late())))
        }
        .boxed()
    }

    /// Adds the timeout to a call that may have taken effect even if its response did not arrive.
    fn does<'a, T: 'a>(
        &'a self,
        call: BoxFuture<'a, Result<T, StoreError>>,
    ) -> BoxFuture<'a, Result<T, StoreError>> {
        async move {
            let answered = timeout(self.limit, call).await;
            answered.unwrap_or_else(|_| Err(StoreError::uncertain(self.late())))
        }
        .boxed()
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

impl ReadSessions for Timely {
    fn load<'a>(&'a self, key: &'a StoreKey) -> BoxStream<'a, Result<StoredLine, StoreError>> {
        self.brings(self.inner.load(key), |stored| {
            stored.line.as_str().len() as u64
        })
    }

    fn lists(&self) -> Option<&dyn ListSessions> {
        self.inner.lists().map(|_| self as _)
    }

    fn subkeys(&self) -> Option<&dyn ListSubkeys> {
        self.inner.subkeys().map(|_| self as _)
    }
}

impl SessionStore for Timely {
    fn append<'a>(
        &'a self,
        key: &'a StoreKey,
        batch: Batch<'a>,
    ) -> BoxFuture<'a, Result<Appended, StoreError>> {
        self.does(self.inner.append(key, batch))
    }

    fn next_number<'a>(
        &'a self,
        key: &'a StoreKey,
        writer: &'a WriterId,
    ) -> BoxFuture<'a, Result<u64, StoreError>> {
        self.asks(self.inner.next_number(key, writer))
    }

    fn deletes(&self) -> Option<&dyn DeleteSession> {
        self.inner.deletes().map(|_| self as _)
    }

    fn claims(&self) -> Option<&dyn Claims> {
        self.inner.claims().map(|_| self as _)
    }
}

impl ListSessions for Timely {
    fn sessions<'a>(
        &'a self,
        project: Option<&'a str>,
    ) -> BoxStream<'a, Result<ListedSession, StoreError>> {
        let Some(lists) = self.inner.lists() else {
            return stream::empty().boxed();
        };
        let listed = self.brings(lists.sessions(project), |_| LISTED);
        let mut count = 0;
        let counted = listed.map(move |listed| {
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

impl ListSubkeys for Timely {
    fn subkeys<'a>(
        &'a self,
        session: &'a SessionRef,
    ) -> BoxFuture<'a, Result<Vec<Subpath>, StoreError>> {
        match self.inner.subkeys() {
            Some(subkeys) => self.asks(subkeys.subkeys(session)),
            None => gone(),
        }
    }
}

impl DeleteSession for Timely {
    fn delete<'a>(&'a self, key: &'a StoreKey) -> BoxFuture<'a, Result<(), StoreError>> {
        match self.inner.deletes() {
            Some(deletes) => self.does(deletes.delete(key)),
            None => gone(),
        }
    }
}

impl Claims for Timely {
    fn claim<'a>(
        &'a self,
        session: &'a SessionRef,
        owner: &'a Owner,
        ttl: Duration,
    ) -> BoxFuture<'a, Result<Claim, StoreError>> {
        match self.inner.claims() {
            Some(claims) => self.does(claims.claim(session, owner, ttl)),
            None => gone(),
        }
    }

    fn renew<'a>(
        &'a self,
        claim: &'a Claim,
        ttl: Duration,
    ) -> BoxFuture<'a, Result<(), StoreError>> {
        match self.inner.claims() {
            Some(claims) => self.does(claims.renew(claim, ttl)),
            None => gone(),
        }
    }

    fn release<'a>(&'a self, claim: &'a Claim) -> BoxFuture<'a, Result<(), StoreError>> {
        match self.inner.claims() {
            Some(claims) => self.does(claims.release(claim)),
            None => gone(),
        }
    }

    fn holder<'a>(
        &'a self,
        session: &'a SessionRef,
    ) -> BoxFuture<'a, Result<Option<(Owner, Duration)>, StoreError>> {
        match self.inner.claims() {
            Some(claims) => self.asks(claims.holder(session)),
            None => gone(),
        }
    }
}

/// The error of a call whose capability the store had earlier and has no longer.
fn gone<'a, T: Send + 'a>() -> BoxFuture<'a, Result<T, StoreError>> {
    ready(Err(StoreError::refused("the store cannot do it any more"))).boxed()
}

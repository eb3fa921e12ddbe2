//! A store whose calls are counted and timed. The calls have spans if traces are exported.

use std::sync::Arc;
use std::time::Instant;

use claw_client::store::adapter::{Call, Wrap, Wrapped};
use claw_client::store::{SessionRef, SessionStore, StoreError};
use futures::future::BoxFuture;
use futures::stream::{self, BoxStream};
use futures::{FutureExt as _, StreamExt as _};

use super::activity::Activity;
use crate::spans::{About, CallPlace};

/// A store that counts the calls to an inner store.
#[derive(Debug)]
pub(super) struct CountedStore {
    inner: Arc<dyn SessionStore>,
    activity: Arc<Activity>,
}

impl CountedStore {
    pub(super) fn wrap(
        inner: Arc<dyn SessionStore>,
        activity: Arc<Activity>,
    ) -> Arc<dyn SessionStore> {
        Arc::new(Wrapped(Self { inner, activity }))
    }

    fn begin(&self, call: Call, session: Option<&SessionRef>) -> CountOnDrop {
        let spans = &self.activity.spans;
        // The renewal of a claim gets no span, because it happens every few seconds and belongs to no turn.
        let has_span = spans.is_on() && call != Call::Renew;
        let session = session.map(SessionRef::session);
        let place = has_span.then(|| spans.place_of(session)).flatten();
        CountOnDrop {
            activity: self.activity.clone(),
            span: place.map(|place| (place, self.inner.system())),
            error: None,
            name: name(call),
            began: Instant::now(),
            has_failed: false,
            is_deleted: false,
        }
    }
}

/// Returns the name under which the metrics count a call.
fn name(call: Call) -> &'static str {
    match call {
        Call::Append => "append",
        Call::Load => "load",
        Call::NextNumber => "next_number",
        Call::Sessions => "sessions",
        Call::Listed => "listed",
        Call::Subkeys => "subkeys",
        Call::Delete => "delete",
        Call::IsDeleted => "is_deleted",
        Call::Claim => "claim",
        Call::Renew => "renew",
        Call::Release => "release",
        Call::Holder => "holder",
    }
}

/// The kind of failure that is recorded if the caller stops waiting for a call.
const CANCELLED: &str = "cancelled";

/// Returns the kind of an error, for traces. The kind contains no part of the error's text.
fn kind(error: &StoreError) -> &'static str {
    match error {
        StoreError::Refused(_) => "refused",
        StoreError::Unavailable(_) => "unavailable",
        StoreError::Uncertain(_) => "uncertain",
        StoreError::Gap { .. } => "gap",
        StoreError::Incomplete { .. } => "incomplete",
        StoreError::Corrupt(_) => "corrupt",
        _ => "_OTHER",
    }
}

/// Counts a call when it has ended, or when its caller no longer waits for it.
struct CountOnDrop {
    activity: Arc<Activity>,
    name: &'static str,
    /// The position of the call's span in a trace, and the name of the store's system. `None` if the call has no span.
    span: Option<(CallPlace, &'static str)>,
    /// The kind of the error with which the call has failed.
    error: Option<&'static str>,
    began: Instant,
    has_failed: bool,
    /// Whether the store has refused the call because the session was deleted.
    is_deleted: bool,
}

impl CountOnDrop {
    /// Waits for the response of a call. The call counts as failed if the response is an error, or if this future is
    /// dropped before the response. It does not count as failed if another host has claimed the session, or if the
    /// session was deleted.
    async fn wait<A>(
        &mut self,
        answer: impl Future<Output = A>,
        error: impl Fn(&A) -> Option<&StoreError>,
    ) -> A {
        let has_failed = std::mem::replace(&mut self.has_failed, true);
        let error_before = self.error.replace(CANCELLED);
        let answer = answer.await;
        self.is_deleted |= error(&answer).is_some_and(StoreError::is_deleted);
        let is_failure =
            |error: &StoreError| !error.is_held() && !error.is_superseded() && !error.is_deleted();
        let failure = error(&answer).filter(|error| is_failure(error));
        self.has_failed = has_failed || failure.is_some();
        self.error = error_before.or(failure.map(kind));
        answer
    }
}

impl Drop for CountOnDrop {
    fn drop(&mut self) {
        let (took, has_failed) = (self.began.elapsed(), self.has_failed);
        let counts = &self.activity.counts;
        counts.change(|totals| {
            totals.store_call(self.name, took, has_failed);
            totals.refused_deleted += u64::from(self.is_deleted);
        });
        if let Some((place, system)) = self.span.take() {
            let mut attributes = vec![("db.system.name", system), ("db.operation.name", self.name)];
            attributes.extend(self.error.map(|kind| ("error.type", kind)));
            let about = About {
                attributes,
                has_failed,
                ..About::new(self.name)
            };
            self.activity.spans.call(place, about, self.began);
        }
    }
}

impl Wrap for CountedStore {
    fn inner(&self) -> &dyn SessionStore {
        &*self.inner
    }

    /// Counts a call. A call whose future is dropped before its response counts as failed.
    fn call<'a, T: Send + 'a>(
        &'a self,
        call: Call,
        session: Option<&'a SessionRef>,
        forward: impl FnOnce() -> BoxFuture<'a, Result<T, StoreError>> + Send + 'a,
    ) -> BoxFuture<'a, Result<T, StoreError>> {
        async move {
            let mut count = self.begin(call, session);
            count.wait(forward(), |it| it.as_ref().err()).await
        }
        .boxed()
    }

    fn stream<'a, T: Send + 'a>(
        &'a self,
        call: Call,
        session: Option<&'a SessionRef>,
        forward: impl FnOnce() -> BoxStream<'a, Result<T, StoreError>> + Send + 'a,
        _bytes: fn(&T) -> u64,
    ) -> BoxStream<'a, Result<T, StoreError>> {
        // The counter is a part of the stream's state. If the stream is dropped between two items, no item is awaited,
        // so the call counts as successful.
        stream::unfold(
            (forward(), self.begin(call, session)),
            async |(mut items, mut count)| {
                let item = count.wait(items.next(), |it| it.as_ref()?.as_ref().err());
                let item = item.await?;
                Some((item, (items, count)))
            },
        )
        .boxed()
    }
}

#[cfg(test)]
mod tests {
    use claw_client::store::MemoryStore;

    use super::*;

    /// Returns the number of calls that have failed.
    fn failures(activity: &Activity) -> u64 {
        let totals = activity.counts.totals();
        totals.store.values().map(|(_, failures)| failures).sum()
    }

    #[tokio::test]
    async fn a_stream_has_failed_if_an_item_is_an_error_or_does_not_come() {
        let activity = Arc::new(Activity::new(std::iter::empty()));
        let store = CountedStore {
            inner: Arc::new(MemoryStore::new()),
            activity: activity.clone(),
        };
        let items = |items: Vec<Result<u8, StoreError>>| {
            let never = stream::pending();
            store.stream(
                Call::Load,
                None,
                || stream::iter(items).chain(never).boxed(),
                |_| 1,
            )
        };
        // A stream that is dropped between two items counts as successful.
        let mut read = items(vec![Ok(1), Ok(2)]);
        assert!(read.next().await.is_some());
        drop(read);
        assert_eq!(failures(&activity), 0);
        let mut late = items(vec![Ok(1)]);
        assert!(late.next().await.is_some());
        assert!(late.next().now_or_never().is_none());
        drop(late);
        assert_eq!(failures(&activity), 1);
        let mut wrong = items(vec![Err(StoreError::unavailable("gone".to_owned())), Ok(1)]);
        assert!(wrong.next().await.unwrap().is_err());
        assert!(wrong.next().await.is_some());
        drop(wrong);
        assert_eq!(failures(&activity), 2);
    }
}

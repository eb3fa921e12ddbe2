//! A store whose calls a test delays, fails or counts.

use std::fmt;
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use claw_store::adapter::{Wrap, Wrapped};
use claw_store::{Owner, SessionRef, SessionStore, StoreError};
use futures::future::{BoxFuture, FutureExt as _};
use futures::stream::{self, BoxStream, StreamExt as _, TryStreamExt as _};

pub use claw_store::adapter::Call;

/// The changes that a test makes to the calls of an [`Intercepted`] store.
pub trait Intercept: fmt::Debug + Send + Sync + 'static {
    /// Called before each call is forwarded. The call is forwarded when the returned future is ready. If the future
    /// returns an error, the call fails with this error.
    fn before(&self, call: Call) -> impl Future<Output = Result<(), StoreError>> + Send;

    /// Called before each call is forwarded, with the session that the call reads or changes. `session` is `None` if the
    /// call is not about one session. The call is forwarded when the returned future is ready. If the future returns an
    /// error, the call fails with this error. By default, this function calls [`before`](Self::before). An implementation
    /// that overrides it decides itself whether `before` is called.
    fn before_of(
        &self,
        call: Call,
        _session: Option<&SessionRef>,
    ) -> impl Future<Output = Result<(), StoreError>> + Send {
        self.before(call)
    }

    /// Whether the store has the capability to which this call belongs. By default, the store has the capabilities of
    /// the inner store.
    fn has(&self, _call: Call) -> bool {
        true
    }

    /// Changes the response to [`Claims::holder`](claw_store::Claims::holder). By default, the response is not changed.
    fn holder(&self, holder: Option<(Owner, Duration)>) -> Option<(Owner, Duration)> {
        holder
    }
}

/// A store that calls an [`Intercept`] before it forwards each call to another store.
pub type Intercepted<I, S> = Wrapped<Interceptor<I, S>>;

/// The parts of an [`Intercepted`] store.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Interceptor<I, S> {
    /// The store to which the calls are forwarded.
    pub inner: Arc<S>,
    /// The functions that are called before each call is forwarded.
    pub intercept: I,
}

/// Creates a store that forwards its calls to `inner`.
pub fn intercepted<I: Intercept, S: SessionStore>(
    inner: Arc<S>,
    intercept: I,
) -> Intercepted<I, S> {
    Wrapped(Interceptor { inner, intercept })
}

impl<I: Intercept, S: SessionStore> Wrap for Interceptor<I, S> {
    fn inner(&self) -> &dyn SessionStore {
        &*self.inner
    }

    fn has(&self, call: Call) -> bool {
        self.intercept.has(call)
    }

    fn call<'a, T: Send + 'a>(
        &'a self,
        call: Call,
        session: Option<&'a SessionRef>,
        forward: impl FnOnce() -> BoxFuture<'a, Result<T, StoreError>> + Send + 'a,
    ) -> BoxFuture<'a, Result<T, StoreError>> {
        async move {
            self.intercept.before_of(call, session).await?;
            forward().await
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
        let begun = async move {
            self.intercept.before_of(call, session).await?;
            Ok::<_, StoreError>(forward())
        };
        stream::once(begun).try_flatten().boxed()
    }

    fn holder(&self, holder: Option<(Owner, Duration)>) -> Option<(Owner, Duration)> {
        self.intercept.holder(holder)
    }
}

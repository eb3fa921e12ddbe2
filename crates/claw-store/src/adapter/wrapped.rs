//! A store that adds something to each call to another store, such as a timeout.

use std::fmt;
use std::future::ready;
use std::ops::Deref;
use std::time::Duration;

use futures::future::{BoxFuture, FutureExt as _};
use futures::stream::{self, BoxStream, StreamExt as _};

use super::Result;
use crate::{
    Appended, Batch, Claim, Claims, DeleteSession, ListSessions, ListSubkeys, ListedSession, Owner,
    ReadSessions, SessionRef, SessionStore, StoreError, StoreKey, StoredLine, Subpath, WriterId,
};

/// A call to a store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "these are the calls of a store")]
pub enum Call {
    /// The call of [`SessionStore::append`].
    Append,
    /// The call of [`ReadSessions::load`].
    Load,
    /// The call of [`SessionStore::next_number`].
    NextNumber,
    /// The call of [`ListSessions::sessions`].
    Sessions,
    /// The call of [`ListSessions::listed`].
    Listed,
    /// The call of [`ListSubkeys::subkeys`].
    Subkeys,
    /// The call of [`DeleteSession::delete`] or of [`DeleteSession::delete_session`].
    Delete,
    /// The call of [`DeleteSession::is_deleted`].
    IsDeleted,
    /// The call of [`Claims::claim`].
    Claim,
    /// The call of [`Claims::renew`].
    Renew,
    /// The call of [`Claims::release`].
    Release,
    /// The call of [`Claims::holder`].
    Holder,
}

impl Call {
    /// Whether the call changes what is stored.
    pub fn can_store(self) -> bool {
        match self {
            Self::Append | Self::Delete | Self::Claim | Self::Renew | Self::Release => true,
            Self::Load
            | Self::NextNumber
            | Self::Sessions
            | Self::Listed
            | Self::Subkeys
            | Self::Holder
            | Self::IsDeleted => false,
        }
    }
}

/// Determines what a [`Wrapped`] store does before, after or instead of each call of the inner store.
pub trait Wrap: fmt::Debug + Send + Sync + 'static {
    /// Returns the store that gets the calls.
    fn inner(&self) -> &dyn SessionStore;

    /// Whether the [`Wrapped`] store supports this call. Asked only if the inner store supports the call. Default:
    /// `true`.
    fn has(&self, _call: Call) -> bool {
        true
    }

    /// Makes a call. `session` is the session that the call is about. `forward` forwards the call to the inner store.
    fn call<'a, T: Send + 'a>(
        &'a self,
        call: Call,
        session: Option<&'a SessionRef>,
        forward: impl FnOnce() -> BoxFuture<'a, Result<T>> + Send + 'a,
    ) -> BoxFuture<'a, Result<T>>;

    /// Makes a call that returns a stream. `session` is the session that the call is about. It is `None` if the call is
    /// about several sessions. `forward` forwards the call to the inner store. `bytes` returns the size of an item, in
    /// bytes.
    fn stream<'a, T: Send + 'a>(
        &'a self,
        call: Call,
        session: Option<&'a SessionRef>,
        forward: impl FnOnce() -> BoxStream<'a, Result<T>> + Send + 'a,
        bytes: fn(&T) -> u64,
    ) -> BoxStream<'a, Result<T>>;

    /// Returns the response to [`Claims::holder`]. `holder` is the response of the inner store.
    fn holder(&self, holder: Option<(Owner, Duration)>) -> Option<(Owner, Duration)> {
        holder
    }
}

/// A store that forwards each call to another store. The call goes through the methods of a [`Wrap`]. The store has
/// those capabilities of the other store for which [`Wrap::has`] returns `true`.
#[derive(Debug, Clone, Default)]
#[expect(clippy::exhaustive_structs, reason = "every caller makes one")]
pub struct Wrapped<W>(pub W);

/// The size that is assumed for each entry of a list, in bytes.
const LISTED: u64 = 1 << 10;

impl<W> Deref for Wrapped<W> {
    type Target = W;

    fn deref(&self) -> &W {
        &self.0
    }
}

impl<W: Wrap> Wrapped<W> {
    fn claim_call<'a, T: Send + 'a>(
        &'a self,
        call: Call,
        session: &'a SessionRef,
        forward: impl FnOnce(&'a dyn Claims) -> BoxFuture<'a, Result<T>> + Send + 'a,
    ) -> BoxFuture<'a, Result<T>> {
        match self.inner().claims() {
            Some(claims) => self.call(call, Some(session), move || forward(claims)),
            None => gone(),
        }
    }
}

impl<W: Wrap> ReadSessions for Wrapped<W> {
    fn load<'a>(&'a self, key: &'a StoreKey) -> BoxStream<'a, Result<StoredLine>> {
        let forward = move || self.inner().load(key);
        self.stream(Call::Load, Some(key.session()), forward, |stored| {
            stored.line.as_str().len() as u64
        })
    }

    fn lists(&self) -> Option<&dyn ListSessions> {
        let lists = self.inner().lists().filter(|_| self.has(Call::Sessions));
        lists.map(|_| self as _)
    }

    fn subkeys(&self) -> Option<&dyn ListSubkeys> {
        let subkeys = self.inner().subkeys().filter(|_| self.has(Call::Subkeys));
        subkeys.map(|_| self as _)
    }
}

impl<W: Wrap> ListSessions for Wrapped<W> {
    fn sessions<'a>(&'a self, project: Option<&'a str>) -> BoxStream<'a, Result<ListedSession>> {
        match self.inner().lists() {
            Some(lists) => {
                let forward = move || lists.sessions(project);
                self.stream(Call::Sessions, None, forward, |_| LISTED)
            }
            None => stream::once(gone()).boxed(),
        }
    }

    fn listed<'a>(
        &'a self,
        session: &'a SessionRef,
    ) -> BoxFuture<'a, Result<Option<ListedSession>>> {
        match self.inner().lists() {
            Some(lists) => self.call(Call::Listed, Some(session), move || lists.listed(session)),
            None => gone(),
        }
    }
}

impl<W: Wrap> ListSubkeys for Wrapped<W> {
    fn subkeys<'a>(&'a self, session: &'a SessionRef) -> BoxFuture<'a, Result<Vec<Subpath>>> {
        match self.inner().subkeys() {
            Some(subkeys) => self.call(Call::Subkeys, Some(session), move || {
                subkeys.subkeys(session)
            }),
            None => gone(),
        }
    }
}

impl<W: Wrap> SessionStore for Wrapped<W> {
    fn append<'a>(
        &'a self,
        key: &'a StoreKey,
        batch: Batch<'a>,
    ) -> BoxFuture<'a, Result<Appended>> {
        let session = Some(key.session());
        self.call(Call::Append, session, move || {
            self.inner().append(key, batch)
        })
    }

    fn next_number<'a>(
        &'a self,
        key: &'a StoreKey,
        writer: &'a WriterId,
    ) -> BoxFuture<'a, Result<u64>> {
        self.call(Call::NextNumber, Some(key.session()), move || {
            self.inner().next_number(key, writer)
        })
    }

    fn deletes(&self) -> Option<&dyn DeleteSession> {
        let deletes = self.inner().deletes().filter(|_| self.has(Call::Delete));
        deletes.map(|_| self as _)
    }

    fn claims(&self) -> Option<&dyn Claims> {
        let claims = self.inner().claims().filter(|_| self.has(Call::Claim));
        claims.map(|_| self as _)
    }

    fn system(&self) -> &'static str {
        self.inner().system()
    }
}

impl<W: Wrap> DeleteSession for Wrapped<W> {
    fn delete<'a>(&'a self, key: &'a StoreKey) -> BoxFuture<'a, Result<()>> {
        match self.inner().deletes() {
            Some(deletes) => {
                let session = Some(key.session());
                self.call(Call::Delete, session, move || deletes.delete(key))
            }
            None => gone(),
        }
    }

    fn delete_session<'a>(&'a self, session: &'a SessionRef) -> BoxFuture<'a, Result<()>> {
        match self.inner().deletes() {
            Some(deletes) => self.call(Call::Delete, Some(session), move || {
                deletes.delete_session(session)
            }),
            None => gone(),
        }
    }

    fn is_deleted<'a>(&'a self, session: &'a SessionRef) -> BoxFuture<'a, Result<bool>> {
        match self.inner().deletes() {
            Some(deletes) => self.call(Call::IsDeleted, Some(session), move || {
                deletes.is_deleted(session)
            }),
            None => gone(),
        }
    }
}

impl<W: Wrap> Claims for Wrapped<W> {
    fn claim<'a>(
        &'a self,
        session: &'a SessionRef,
        owner: &'a Owner,
        ttl: Duration,
    ) -> BoxFuture<'a, Result<Claim>> {
        self.claim_call(Call::Claim, session, move |claims| {
            claims.claim(session, owner, ttl)
        })
    }

    fn renew<'a>(&'a self, claim: &'a Claim, ttl: Duration) -> BoxFuture<'a, Result<()>> {
        self.claim_call(Call::Renew, &claim.session, move |claims| {
            claims.renew(claim, ttl)
        })
    }

    fn release<'a>(&'a self, claim: &'a Claim) -> BoxFuture<'a, Result<()>> {
        self.claim_call(Call::Release, &claim.session, move |claims| {
            claims.release(claim)
        })
    }

    fn holder<'a>(
        &'a self,
        session: &'a SessionRef,
    ) -> BoxFuture<'a, Result<Option<(Owner, Duration)>>> {
        let holder = self.claim_call(Call::Holder, session, move |claims| claims.holder(session));
        async move { Ok(self.0.holder(holder.await?)) }.boxed()
    }
}

/// Returns the error for a call that the store does not support any more.
fn gone<'a, T: Send + 'a>() -> BoxFuture<'a, Result<T>> {
    ready(Err(StoreError::refused("the store cannot do it any more"))).boxed()
}

//! The interface for authors of adapters. It contains the traits that an adapter implements, and functions that several
//! adapters need. The crates claw-store-postgres, claw-store-redis and claw-store-bucket use this interface. An adapter
//! in another crate can do everything that they can.
//!
//! An adapter implements [`ReadAdapter`] and, unless it is read-only, [`Adapter`]. It then has every capability of
//! [`ReadSessions`] and [`SessionStore`]. A store that lacks a capability implements those two traits itself.
//! [`Wrapped`] is a store that forwards its calls to another store.
//!
//! | task of the adapter | items |
//! | --- | --- |
//! | find the new lines of a batch | [`Batch::plan`], [`Batch::check_lengths`] |
//! | keep the list entry of a session | [`Summary::text_after`](crate::Summary::text_after), [`Summary::parse`](crate::Summary::parse) |
//! | refuse a writer whose claim has ended | [`NewestClaim`], [`Claim::granted`], [`CLAIM_ATTEMPTS`], [`contended`] |
//! | keep the timeout of a call | `Deadline` (feature `adapter`), [`TIMEOUT`] |
//! | report errors | [`Failure`], and the constructors of [`StoreError`] |
//! | read in pages, within limits | [`pages`], [`items`], [`subkeys_in_pages`], [`check_subkeys`], [`LINE_LIMIT`] |
//! | use parts of keys in names | [`names`] |
//! | find data that no session uses | [`Leftover`], and [`FindLeftovers`] |
//! | open the store by a URL | [`Scheme`], for [`open`](crate::open) |
//!
//! The conformance suite in the module `store` of claw-testkit checks an adapter; the module `faults` there has tests
//! for adapters of stores with a server.

mod claims;
#[cfg(feature = "adapter")]
mod deadline;
mod failure;
pub mod names;
mod pages;
mod scheme;
mod wrapped;

use std::fmt;
use std::future::Future;
use std::time::Duration;

use futures::future::{BoxFuture, FutureExt as _};
use futures::stream::BoxStream;

pub use claims::{CLAIM_ATTEMPTS, NewestClaim, contended};
#[cfg(feature = "adapter")]
#[cfg_attr(docsrs, doc(cfg(feature = "adapter")))]
pub use deadline::Deadline;
pub use failure::{Failure, FailureKind};
pub use pages::{MOST_SUBKEYS, check_subkeys, items, pages, subkeys_in_pages};
pub use scheme::{Foreign, Open, OpenForeign, Scheme, Sdk};
pub use wrapped::{Call, Wrap, Wrapped};

use crate::store::{OTHER, entry_in};
use crate::{
    Appended, Batch, Claim, Claims, DeleteSession, FindLeftovers, Leftover, ListSessions,
    ListSubkeys, ListedSession, Owner, ReadSessions, SessionRef, SessionStore, StoreError,
    StoreKey, StoredLine, Subpath, WriterId,
};

/// The result of a call of a store.
pub type Result<T, E = StoreError> = std::result::Result<T, E>;

/// The default timeout of each call to a server.
pub const TIMEOUT: Duration = Duration::from_secs(30);

/// The default maximum length of a line, in bytes.
pub const LINE_LIMIT: usize = 64 << 20;

/// An adapter of a store that has every capability of [`ReadSessions`]. Each method does the same as the method with
/// this name in [`ReadSessions`], [`ListSessions`] or [`ListSubkeys`].
pub trait ReadAdapter: fmt::Debug + Send + Sync + 'static {
    /// See [`ReadSessions::load`].
    fn load<'a>(&'a self, key: &'a StoreKey) -> BoxStream<'a, Result<StoredLine>>;

    /// See [`ListSessions::sessions`].
    fn sessions<'a>(&'a self, project: Option<&'a str>) -> BoxStream<'a, Result<ListedSession>>;

    /// See [`ListSessions::listed`]. The default reads the list of the session's project.
    fn listed(
        &self,
        session: &SessionRef,
    ) -> impl Future<Output = Result<Option<ListedSession>>> + Send {
        async move {
            let list = ReadAdapter::sessions(self, Some(session.project()));
            entry_in(list, session).await
        }
    }

    /// See [`ListSubkeys::subkeys`].
    fn subkeys(&self, session: &SessionRef) -> impl Future<Output = Result<Vec<Subpath>>> + Send;
}

/// An adapter of a store that has every capability of [`SessionStore`]. Each method does the same as the method with
/// this name in [`SessionStore`], [`DeleteSession`], [`Claims`] or [`FindLeftovers`].
pub trait Adapter: ReadAdapter {
    /// See [`SessionStore::system`].
    const SYSTEM: &'static str = OTHER;

    /// See [`SessionStore::append`].
    fn append(
        &self,
        key: &StoreKey,
        batch: Batch<'_>,
    ) -> impl Future<Output = Result<Appended>> + Send;

    /// See [`SessionStore::next_number`].
    fn next_number(
        &self,
        key: &StoreKey,
        writer: &WriterId,
    ) -> impl Future<Output = Result<u64>> + Send;

    /// See [`DeleteSession::delete`].
    fn delete(&self, key: &StoreKey) -> impl Future<Output = Result<()>> + Send;

    /// See [`DeleteSession::delete_session`].
    fn delete_session(&self, session: &SessionRef) -> impl Future<Output = Result<()>> + Send;

    /// See [`DeleteSession::is_deleted`].
    fn is_deleted(&self, session: &SessionRef) -> impl Future<Output = Result<bool>> + Send;

    /// See [`Claims::claim`].
    fn claim(
        &self,
        session: &SessionRef,
        owner: &Owner,
        ttl: Duration,
    ) -> impl Future<Output = Result<Claim>> + Send;

    /// See [`Claims::renew`].
    fn renew(&self, claim: &Claim, ttl: Duration) -> impl Future<Output = Result<()>> + Send;

    /// See [`Claims::release`].
    fn release(&self, claim: &Claim) -> impl Future<Output = Result<()>> + Send;

    /// See [`Claims::holder`].
    fn holder(
        &self,
        session: &SessionRef,
    ) -> impl Future<Output = Result<Option<(Owner, Duration)>>> + Send;

    /// See [`FindLeftovers::leftovers`]. The default finds nothing.
    fn leftovers(&self, _removes: bool) -> impl Future<Output = Result<Vec<Leftover>>> + Send {
        async { Ok(Vec::new()) }
    }
}

impl<A: ReadAdapter> ReadSessions for A {
    fn load<'a>(&'a self, key: &'a StoreKey) -> BoxStream<'a, Result<StoredLine>> {
        ReadAdapter::load(self, key)
    }

    fn lists(&self) -> Option<&dyn ListSessions> {
        Some(self)
    }

    fn subkeys(&self) -> Option<&dyn ListSubkeys> {
        Some(self)
    }
}

impl<A: ReadAdapter> ListSessions for A {
    fn sessions<'a>(&'a self, project: Option<&'a str>) -> BoxStream<'a, Result<ListedSession>> {
        ReadAdapter::sessions(self, project)
    }

    fn listed<'a>(
        &'a self,
        session: &'a SessionRef,
    ) -> BoxFuture<'a, Result<Option<ListedSession>>> {
        ReadAdapter::listed(self, session).boxed()
    }
}

impl<A: ReadAdapter> ListSubkeys for A {
    fn subkeys<'a>(&'a self, session: &'a SessionRef) -> BoxFuture<'a, Result<Vec<Subpath>>> {
        ReadAdapter::subkeys(self, session).boxed()
    }
}

impl<A: Adapter> SessionStore for A {
    fn append<'a>(
        &'a self,
        key: &'a StoreKey,
        batch: Batch<'a>,
    ) -> BoxFuture<'a, Result<Appended>> {
        Adapter::append(self, key, batch).boxed()
    }

    fn next_number<'a>(
        &'a self,
        key: &'a StoreKey,
        writer: &'a WriterId,
    ) -> BoxFuture<'a, Result<u64>> {
        Adapter::next_number(self, key, writer).boxed()
    }

    fn deletes(&self) -> Option<&dyn DeleteSession> {
        Some(self)
    }

    fn claims(&self) -> Option<&dyn Claims> {
        Some(self)
    }

    fn leftovers(&self) -> Option<&dyn FindLeftovers> {
        Some(self)
    }

    fn system(&self) -> &'static str {
        A::SYSTEM
    }
}

impl<A: Adapter> DeleteSession for A {
    fn delete<'a>(&'a self, key: &'a StoreKey) -> BoxFuture<'a, Result<()>> {
        Adapter::delete(self, key).boxed()
    }

    fn delete_session<'a>(&'a self, session: &'a SessionRef) -> BoxFuture<'a, Result<()>> {
        Adapter::delete_session(self, session).boxed()
    }

    fn is_deleted<'a>(&'a self, session: &'a SessionRef) -> BoxFuture<'a, Result<bool>> {
        Adapter::is_deleted(self, session).boxed()
    }
}

impl<A: Adapter> FindLeftovers for A {
    fn leftovers(&self, removes: bool) -> BoxFuture<'_, Result<Vec<Leftover>>> {
        Adapter::leftovers(self, removes).boxed()
    }
}

impl<A: Adapter> Claims for A {
    fn claim<'a>(
        &'a self,
        session: &'a SessionRef,
        owner: &'a Owner,
        ttl: Duration,
    ) -> BoxFuture<'a, Result<Claim>> {
        Adapter::claim(self, session, owner, ttl).boxed()
    }

    fn renew<'a>(&'a self, claim: &'a Claim, ttl: Duration) -> BoxFuture<'a, Result<()>> {
        Adapter::renew(self, claim, ttl).boxed()
    }

    fn release<'a>(&'a self, claim: &'a Claim) -> BoxFuture<'a, Result<()>> {
        Adapter::release(self, claim).boxed()
    }

    fn holder<'a>(
        &'a self,
        session: &'a SessionRef,
    ) -> BoxFuture<'a, Result<Option<(Owner, Duration)>>> {
        Adapter::holder(self, session).boxed()
    }
}

//! Refuses stores in buckets, because this build does not support them.

use std::future::ready;
use std::sync::Arc;

use claw_client::store::{ReadSessions, SessionStore, StoreError};
use claw_store::adapter::{Foreign, Scheme};
use futures::future::{BoxFuture, FutureExt as _};

/// The scheme of the URLs of stores in buckets.
pub(super) const SCHEME: Scheme = Scheme::new(&["s3"], open).foreign(open_foreign);

fn open(_: &str) -> BoxFuture<'_, Result<Arc<dyn SessionStore>, StoreError>> {
    ready(Err(error())).boxed()
}

fn open_foreign<'a>(
    _: &'a str,
    _: Foreign<'a>,
) -> BoxFuture<'a, Result<Arc<dyn ReadSessions>, StoreError>> {
    ready(Err(error())).boxed()
}

fn error() -> StoreError {
    StoreError::refused("stores in buckets need claw-cli's feature s3, which is not built in")
}

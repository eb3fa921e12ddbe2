//! A store in an S3 bucket.

use std::future::ready;
use std::sync::Arc;

use claw_client::store::{ReadSessions, SessionStore, StoreError};
use claw_store::adapter::{Foreign, Scheme};
use claw_store_bucket::{Builder, ForeignStore, Store};
use futures::future::{BoxFuture, FutureExt as _};

/// The scheme of the URLs of stores in buckets, `s3://bucket/folder`. The other settings come from the usual
/// environment variables: `AWS_REGION`, `AWS_ACCESS_KEY_ID`, `AWS_ENDPOINT` …
pub(super) const SCHEME: Scheme = Scheme::new(&["s3"], open).foreign(open_foreign);

fn open(url: &str) -> BoxFuture<'_, Result<Arc<dyn SessionStore>, StoreError>> {
    async move { Ok(Arc::new(builder(url)?.open().await?) as _) }.boxed()
}

/// Opens a store that an SDK's example has written. The examples of both SDKs use the same names of objects, below the
/// folder of the URL.
fn open_foreign<'a>(
    url: &'a str,
    _: Foreign<'a>,
) -> BoxFuture<'a, Result<Arc<dyn ReadSessions>, StoreError>> {
    let store = builder(url).and_then(ForeignStore::new);
    ready(store.map(|store| Arc::new(store) as _)).boxed()
}

fn builder(url: &str) -> Result<Builder, StoreError> {
    let place = url.strip_prefix("s3://").unwrap_or_default();
    let (bucket, folder) = place.split_once('/').unwrap_or((place, ""));
    let client = claw_store_bucket::s3()
        .map_err(StoreError::refused)?
        .with_bucket_name(bucket)
        .build()
        .map_err(StoreError::refused)?;
    let mut builder = Store::builder(Arc::new(client));
    let folder = folder.trim_end_matches('/');
    if !folder.is_empty() {
        builder = builder.prefix(folder);
    }
    Ok(builder)
}

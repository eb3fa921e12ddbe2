//! A store in an S3 bucket.

use std::sync::Arc;

use claw_client::store::{ReadSessions, SessionStore, StoreError};
use claw_store::{BucketBuilder, BucketStore, ForeignBucket};
use object_store::aws::AmazonS3Builder;

/// Opens the store in `bucket/folder`. The other settings are read from the environment, under their usual names:
/// `AWS_REGION`, `AWS_ACCESS_KEY_ID`, `AWS_ENDPOINT` …
pub(super) async fn open(place: &str) -> Result<Arc<dyn SessionStore>, StoreError> {
    Ok(Arc::new(builder(place)?.open().await?))
}

/// Opens a store that was written there by the example store of an official SDK.
pub(super) fn open_foreign(place: &str) -> Result<Arc<dyn ReadSessions>, StoreError> {
    Ok(Arc::new(ForeignBucket::new(builder(place)?)?))
}

fn builder(place: &str) -> Result<BucketBuilder, StoreError> {
    let (bucket, folder) = place.split_once('/').unwrap_or((place, ""));
    let client = AmazonS3Builder::from_env()
        .with_bucket_name(bucket)
        .build()
        .map_err(StoreError::refused)?;
    let mut builder = BucketStore::builder(Arc::new(client));
    let folder = folder.trim_end_matches('/');
    if !folder.is_empty() {
        builder = builder.prefix(folder);
    }
    Ok(builder)
}

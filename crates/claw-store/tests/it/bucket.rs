//! The store in a bucket.

use std::sync::Arc;

use claw_store::BucketStore;
use claw_testkit::store::conformance;
use object_store::memory::InMemory;

#[tokio::test]
async fn the_store_in_a_bucket_of_memory_conforms() {
    let report = conformance(async || {
        let objects = Arc::new(InMemory::new());
        Arc::new(BucketStore::open(objects).await.expect("a store"))
    })
    .await;
    assert!(report.passed_over.is_empty());
}

//! The store in memory.

use std::sync::Arc;

use claw_store::MemoryStore;
use claw_testkit::store::conformance;

#[tokio::test]
async fn the_store_in_memory_conforms() {
    let report = conformance(async || Arc::new(MemoryStore::new())).await;
    assert!(report.skipped.is_empty());
}

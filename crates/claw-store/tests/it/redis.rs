//! The store in a Redis server, against a real server on loopback.

mod contents;
mod faults;
mod foreign;
mod server;
mod setup;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use claw_store::RedisStore;
use claw_testkit::store::conformance;

use crate::given::{assert_stored, batch, line, note, said, session, texts};

/// A prefix that no other test has.
fn fresh_prefix() -> String {
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    format!("t{}", NEXT.fetch_add(1, Ordering::Relaxed))
}

async fn fresh(url: &str) -> RedisStore {
    RedisStore::builder(url)
        .prefix(fresh_prefix())
        .connect()
        .await
        .expect("a store")
}

#[tokio::test]
async fn the_store_in_redis_conforms() {
    let server = server::shared();
    let report = conformance(async || Arc::new(fresh(server.url()).await)).await;
    assert!(report.passed_over.is_empty());
}

#[tokio::test]
async fn the_store_in_a_cluster_of_one_conforms() {
    let server = server::start(&["--cluster-enabled", "yes"]);
    server::take_all_slots(&server).await;
    let report = conformance(async || Arc::new(fresh(server.url()).await)).await;
    assert!(report.passed_over.is_empty());
}

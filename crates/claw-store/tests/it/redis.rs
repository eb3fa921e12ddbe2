//! The store in a Redis server, against a real server on loopback.

mod contents;
mod faults;
mod foreign;
mod server;
mod setup;

use std::sync::Arc;

use claw_store::RedisStore;
use claw_testkit::store::conformance;

use crate::given::{assert_stored, batch, fresh_name, line, note, said, session, texts};

async fn fresh(url: &str) -> RedisStore {
    RedisStore::builder(url)
        .prefix(fresh_name())
        .connect()
        .await
        .expect("a store")
}

#[tokio::test]
async fn the_store_in_redis_conforms() {
    let server = server::shared();
    let report = conformance(async || Arc::new(fresh(server.url()).await)).await;
    assert!(report.skipped.is_empty());
}

#[tokio::test]
async fn the_store_in_a_cluster_of_one_conforms() {
    let server = server::start(&["--cluster-enabled", "yes"]);
    server::take_all_slots(&server).await;
    let report = conformance(async || Arc::new(fresh(server.url()).await)).await;
    assert!(report.skipped.is_empty());
}

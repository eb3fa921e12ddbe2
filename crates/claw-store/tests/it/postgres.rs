//! The store in a Postgres database, against a real server on loopback.

mod bouncer;
mod contents;
mod faults;
mod foreign;
mod server;
mod setup;

use std::sync::Arc;

use claw_store::PostgresStore;
use claw_testkit::store::conformance;

use crate::given::{assert_stored, batch, fresh_name, line, note, said, session, texts};

async fn fresh(url: &str) -> PostgresStore {
    PostgresStore::builder(url)
        .schema(fresh_name())
        .connect()
        .await
        .expect("a store")
}

#[tokio::test]
async fn the_store_in_postgres_conforms() {
    let server = server::shared();
    let report = conformance(async || Arc::new(fresh(server.url()).await)).await;
    assert!(report.skipped.is_empty());
}

//! The store in a Postgres database, against a real server on loopback.

mod bouncer;
mod contents;
mod faults;
mod foreign;
mod server;
mod setup;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use claw_store::PostgresStore;
use claw_testkit::store::conformance;

use crate::given::{assert_stored, batch, line, note, said, session, texts};

/// A schema that no other test has.
fn fresh_schema() -> String {
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    format!("t{}", NEXT.fetch_add(1, Ordering::Relaxed))
}

async fn fresh(url: &str) -> PostgresStore {
    PostgresStore::builder(url)
        .schema(fresh_schema())
        .connect()
        .await
        .expect("a store")
}

#[tokio::test]
async fn the_store_in_postgres_conforms() {
    let server = server::shared();
    let report = conformance(async || Arc::new(fresh(server.url()).await)).await;
    assert!(report.passed_over.is_empty());
}

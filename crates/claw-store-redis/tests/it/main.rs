//! Tests of the store in a Redis server, with a real server on loopback.
#![cfg(unix)]
#![expect(clippy::expect_used, reason = "a test ends where something fails")]

mod contents;
mod faults;
mod foreign;
mod server;
mod setup;

use std::sync::Arc;

use claw_store::StoreError;
use claw_store_redis::{SCHEME, Store};
use claw_testkit::store::conformance;
use claw_testkit::store::samples::{
    assert_stored, batch, fresh_name, line, note, session, texts, user_line,
};

async fn fresh(url: &str) -> Store {
    Store::builder(url)
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

#[tokio::test]
async fn a_store_is_opened_by_its_url() {
    let server = server::shared();
    let opened = claw_store::open(server.url(), &[SCHEME]).await;
    let text = format!("{:?}", opened.expect("a store"));
    assert!(text.starts_with("Store"), "{text}");
    let wrong = "redis://user:secret@127.0.0.1:1/no-number";
    let error = claw_store::open(wrong, &[SCHEME])
        .await
        .expect_err("a wrong URL");
    assert!(matches!(error, StoreError::Refused(_)), "{error:?}");
    assert!(
        !format!("{error} {error:?}").contains("secret"),
        "{error:?}"
    );
}

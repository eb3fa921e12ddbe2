//! Tests of the store in a bucket, with a real S3 server on loopback.
#![cfg(unix)]
#![expect(clippy::expect_used, reason = "a test ends where something fails")]

mod clock;
mod contents;
mod faults;
mod foreign;
mod opening;
mod server;
mod turns;

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use claw_store::{Line, SessionStore, StoreError, StoreKey, WriterId};
use claw_store_bucket::Store;
use claw_testkit::store::conformance;
use claw_testkit::store::samples::{
    assert_stored, batch, fresh_name, line, note, session, texts, user_line,
};
use object_store::aws::{AmazonS3, AmazonS3Builder};
use object_store::memory::InMemory;
use object_store::{ObjectStore, RetryConfig};

use server::Server;

/// A timeout that no call of a test reaches.
const LONG: Duration = Duration::from_mins(1);

/// Returns a builder of a client with its default number of retries.
fn patient(address: SocketAddr) -> AmazonS3Builder {
    claw_store_bucket::s3()
        .expect("a processor with cryptography")
        .with_endpoint(format!("http://{address}"))
        .with_allow_http(true)
        .with_bucket_name(server::BUCKET)
        .with_region("us-east-1")
        .with_access_key_id("tests")
        .with_secret_access_key("secret-of-tests")
}

/// Returns a client without retries.
fn client(address: SocketAddr) -> Arc<AmazonS3> {
    let retry = RetryConfig {
        max_retries: 0,
        ..RetryConfig::default()
    };
    let client = patient(address).with_retry(retry).build();
    Arc::new(client.expect("a client"))
}

async fn open(
    objects: Arc<dyn ObjectStore>,
    prefix: &str,
    timeout: Duration,
) -> Result<Store, StoreError> {
    let settings = Store::builder(objects);
    settings.prefix(prefix).timeout(timeout).open().await
}

async fn fresh(server: &Server) -> Store {
    let objects = client(server.address());
    open(objects, &fresh_name(), LONG).await.expect("a store")
}

/// Stores lines, without a claim.
async fn append(store: &Store, key: &StoreKey, writer: &WriterId, number: u64, lines: &[Line]) {
    let appended = store.append(key, batch(writer, number, lines, None)).await;
    appended.expect("an append");
}

#[tokio::test]
async fn the_store_in_a_bucket_conforms() {
    let server = server::shared();
    let report = conformance(async || Arc::new(fresh(&server).await)).await;
    assert!(report.skipped.is_empty());
}

#[tokio::test]
async fn the_store_in_a_bucket_in_memory_conforms() {
    let report = conformance(async || {
        let objects = Arc::new(InMemory::new());
        Arc::new(Store::open(objects).await.expect("a store"))
    })
    .await;
    assert!(report.skipped.is_empty());
}

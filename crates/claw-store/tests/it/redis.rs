//! The store in a Redis server, against a real server on loopback.

mod contents;
mod faults;
mod foreign;
mod server;
mod setup;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use claw_store::{
    Batch, Epoch, Line, RedisStore, SessionRef, SessionStore, StoreError, StoreKey, WriterId,
};
use claw_testkit::store::conformance;
use futures::TryStreamExt as _;

use server::Server;

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

fn session() -> SessionRef {
    SessionRef::new("-work-project", "s1").expect("a key")
}

fn line(text: &str) -> Line {
    Line::new(text).expect("a line")
}

/// A line without a UUID.
fn note(text: &str) -> Line {
    line(&format!(r#"{{"type":"note","text":"{text}"}}"#))
}

/// A line with a UUID.
fn said(uuid: &str) -> Line {
    line(&format!(r#"{{"type":"user","uuid":"{uuid}"}}"#))
}

fn batch<'a>(
    writer: &'a WriterId,
    number: u64,
    lines: &'a [Line],
    epoch: Option<Epoch>,
) -> Batch<'a> {
    Batch {
        writer,
        number,
        lines,
        epoch,
    }
}

async fn texts(store: &RedisStore, key: &StoreKey) -> Result<Vec<String>, StoreError> {
    store
        .load(key)
        .map_ok(|stored| stored.line.as_str().to_owned())
        .try_collect()
        .await
}

async fn assert_stored(store: &RedisStore, key: &StoreKey, lines: &[Line]) {
    let expected: Vec<_> = lines.iter().map(Line::as_str).collect();
    assert_eq!(texts(store, key).await.expect("a load"), expected);
}

#[tokio::test]
async fn the_store_in_redis_conforms() {
    let server = Server::shared();
    let report = conformance(async || Arc::new(fresh(&server.url()).await)).await;
    assert!(report.passed_over.is_empty());
}

#[tokio::test]
async fn the_store_in_a_cluster_of_one_conforms() {
    let server = Server::start(&["--cluster-enabled", "yes"]);
    server.take_all_slots().await;
    let report = conformance(async || Arc::new(fresh(&server.url()).await)).await;
    assert!(report.passed_over.is_empty());
}

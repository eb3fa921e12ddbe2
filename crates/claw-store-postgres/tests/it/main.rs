//! Tests of the store in a Postgres database, with a real server on loopback.
#![cfg(unix)]
#![expect(clippy::expect_used, reason = "a test ends where something fails")]

mod bouncer;
mod contents;
mod faults;
mod foreign;
mod server;
mod setup;

use std::sync::Arc;

use claw_store::adapter::{Foreign, Sdk};
use claw_store::{StoreError, WriterId};
use claw_store_postgres::{SCHEME, Store};
use claw_testkit::store::conformance;
use claw_testkit::store::samples::{
    assert_stored, batch, fresh_name, line, note, session, texts, user_line,
};

async fn fresh(url: &str) -> Store {
    Store::builder(url)
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

#[tokio::test]
async fn a_store_is_opened_by_its_url() {
    let server = server::shared();
    let opened = claw_store::open(server.url(), &[SCHEME]).await;
    let text = format!("{:?}", opened.expect("a store"));
    assert!(text.starts_with("Store"), "{text}");
    let schema = fresh_name();
    let url = format!("{}?schema={schema}", server.url());
    let opened = claw_store::open(&url, &[SCHEME]).await.expect("a store");
    let (key, writer, lines) = (session().main(), WriterId::new("w"), [note("x")]);
    let appended = opened.append(&key, batch(&writer, 0, &lines, None));
    appended.await.expect("an append");
    let same = Store::builder(server.url()).schema(&schema).connect();
    let same = same.await.expect("a store");
    assert_stored(&same, &key, &lines).await;
    let layout = Foreign {
        sdk: Sdk::Python,
        name: None,
    };
    let foreign = claw_store::open_foreign(&url, layout, &[SCHEME]).await;
    let error = foreign.expect_err("a schema that has no effect");
    assert!(matches!(error, StoreError::Refused(_)), "{error:?}");
    let wrong = "postgres://user:secret@127.0.0.1:1/x?nonsense=1";
    let error = claw_store::open(wrong, &[SCHEME])
        .await
        .expect_err("a wrong URL");
    assert!(matches!(error, StoreError::Refused(_)), "{error:?}");
    assert!(
        !format!("{error} {error:?}").contains("secret"),
        "{error:?}"
    );
}

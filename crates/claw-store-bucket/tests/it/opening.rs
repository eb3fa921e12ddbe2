//! Tests of buckets that cannot be opened as a store.

use std::sync::Arc;

use claw_store::StoreError;
use claw_store_bucket::Store;
use claw_testkit::store::faults::Proxy;
use object_store::aws::S3ConditionalPut;

use crate::server;
use crate::{LONG, client, fresh_name, open, patient};

fn refused(store: Result<Store, StoreError>) -> String {
    match store {
        Err(StoreError::Refused(why)) => why.to_string(),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_bucket_that_is_not_there_is_refused() {
    let server = server::shared();
    let objects = patient(server.address()).with_bucket_name("none").build();
    let objects = Arc::new(objects.expect("a client"));
    let why = refused(open(objects, "p", LONG).await);
    assert!(why.contains("there is no such bucket"), "{why}");
    assert!(!why.contains("://"), "{why}");
}

#[tokio::test]
async fn a_client_without_conditions_is_refused() {
    let server = server::shared();
    let objects = patient(server.address()).with_conditional_put(S3ConditionalPut::Disabled);
    let objects = Arc::new(objects.build().expect("a client"));
    let why = refused(open(objects, &fresh_name(), LONG).await);
    assert!(why.contains("conditional put"), "{why}");
}

#[tokio::test]
async fn a_server_that_ignores_conditions_is_refused() {
    let server = server::shared();
    for (header, lacks) in [
        ("if-none-match", "creates an object that is there"),
        ("if-match", "changes an older version"),
    ] {
        let proxy = Proxy::without_header(server.address(), header).await;
        let why = refused(open(client(proxy.address()), &fresh_name(), LONG).await);
        assert!(why.contains(lacks), "{why}");
    }
}

#[tokio::test]
async fn a_server_that_is_away_is_away() {
    let server = server::start();
    let address = server.address();
    drop(server);
    let error = open(client(address), "p", LONG)
        .await
        .expect_err("it is away");
    assert!(matches!(error, StoreError::Unavailable(_)), "{error:?}");
    let text = format!("{error} {error:?}");
    assert!(!text.contains("://") && !text.contains("secret"), "{text}");
}

#[tokio::test]
async fn a_folder_that_cannot_be_is_refused() {
    let server = server::shared();
    for prefix in ["a//b", "../a", "a/./b"] {
        refused(open(client(server.address()), prefix, LONG).await);
    }
    let store = open(client(server.address()), "tenants/a", LONG)
        .await
        .expect("a store");
    let shown = format!("{store:?} {:?}", Store::builder(client(server.address())));
    assert!(shown.contains("tenants/a") && !shown.contains("secret") && !shown.contains("://"));
}

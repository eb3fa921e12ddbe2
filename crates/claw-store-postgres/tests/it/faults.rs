//! Tests of broken connections, of servers that end or do not respond, and of hosts that are stopped.

use std::sync::Arc;
use std::time::{Duration, Instant};

use claw_store::{Owner, SessionStore as _, StoreError, WriterId};
use claw_store_postgres::Store;
use claw_testkit::store::faults;
use claw_testkit::store::faults::{Fault, Place, Proxy};

use crate::server::{self, Server, url};
use crate::{batch, fresh_name, note, session};

/// The timeout of a store whose calls time out in a test.
const SHORT: Duration = Duration::from_secs(2);

/// A timeout that no call of a test reaches.
const LONG: Duration = Duration::from_mins(1);

/// Returns a store behind a proxy, the same store without the proxy, and the proxy.
async fn behind(server: &Server, fault: Fault, timeout: Duration) -> (Store, Store, Proxy) {
    let place = Place::Commit {
        commit: "COMMIT",
        word: "cardinality",
    };
    let proxy = Proxy::start(server.address(), place, fault).await;
    let schema = fresh_name();
    let open = |address, timeout| {
        Store::builder(&url(address))
            .schema(&schema)
            .timeout(timeout)
            .connect()
    };
    let direct = open(server.address(), LONG).await.expect("a store");
    let behind = open(proxy.address(), timeout)
        .await
        .expect("a store behind the proxy");
    (behind, direct, proxy)
}

#[tokio::test]
async fn an_append_that_timed_out_and_landed_is_stored_once() {
    let server = server::shared();
    let behind = behind(&server, Fault::HoldAnswer, SHORT).await;
    faults::repeated_append_is_stored_once(behind, Some(true)).await;
}

#[tokio::test]
async fn an_append_whose_connection_ended_before_the_commit_is_stored_once() {
    let server = server::shared();
    let behind = behind(&server, Fault::CutCommit, SHORT).await;
    faults::repeated_append_is_stored_once(behind, Some(false)).await;
}

#[tokio::test]
async fn an_append_whose_connection_ended_before_the_answer_is_stored_once() {
    let server = server::shared();
    let behind = behind(&server, Fault::CutAnswer, SHORT).await;
    // Whether the first append was stored depends on the moment at which the connection ended. Both outcomes are valid.
    faults::repeated_append_is_stored_once(behind, None).await;
}

#[tokio::test]
async fn a_host_that_was_stopped_stores_nothing_after_a_newer_claim() {
    let server = server::shared();
    let (old, new, proxy) = behind(&server, Fault::HoldCommit, LONG).await;
    faults::stopped_host_stores_nothing(old, &new, &proxy).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_was_killed_has_all_that_it_answered() {
    let server = Arc::new(server::start());
    let store = crate::fresh(server.url()).await;
    faults::killed_server_has_all_that_it_answered(server, &store).await;
}

#[tokio::test]
async fn a_call_to_a_server_that_is_stopped_ends_at_its_time_out() {
    let server = server::start();
    let store = Store::builder(server.url())
        .timeout(SHORT)
        .connect()
        .await
        .expect("a store");
    let key = session().main();
    let writer = WriterId::new("w");
    let lines = [note("x")];
    store
        .append(&key, batch(&writer, 0, &lines, None))
        .await
        .expect("an append");
    let stopped = server.stop().expect("stopped");
    let began = Instant::now();
    let error = store
        .append(&key, batch(&writer, 1, &lines, None))
        .await
        .expect_err("no answer");
    // The call timed out before the commit.
    assert!(matches!(error, StoreError::Unavailable(_)), "{error:?}");
    let error = crate::texts(&store, &key).await.expect_err("no answer");
    assert!(matches!(error, StoreError::Unavailable(_)), "{error:?}");
    let claims = store.claims().expect("claims");
    let owner = Owner::new("o");
    let error = claims.holder(&session()).await.expect_err("no answer");
    assert!(matches!(error, StoreError::Unavailable(_)), "{error:?}");
    let session = session();
    let claim = claims.claim(&session, &owner, SHORT);
    // The call timed out while it waited for a connection, so nothing was sent.
    let error = claim.await.expect_err("no answer");
    assert!(matches!(error, StoreError::Unavailable(_)), "{error:?}");
    assert!(
        began.elapsed() >= SHORT * 4,
        "each has waited for its time-out"
    );
    assert!(began.elapsed() < SHORT * 40, "and for no other");
    drop(stopped);
    let appended = store
        .append(&key, batch(&writer, 1, &lines, None))
        .await
        .expect("a repeat");
    assert_eq!(appended.total, 2);
}

//! Tests of broken connections, of servers that end or do not respond, and of hosts that are stopped.

use std::sync::Arc;
use std::time::{Duration, Instant};

use claw_store::{Owner, ReadSessions as _, SessionStore as _, StoreError, Subpath, WriterId};
use claw_store_redis::Store;
use claw_testkit::store::faults;
use claw_testkit::store::faults::{Fault, Place, Proxy};
use futures::future::join;

use crate::server::{self, Server, url};
use crate::{assert_stored, batch, fresh_name, note, session};

/// The timeout of a store whose calls time out in a test.
const SHORT: Duration = Duration::from_secs(2);

/// A timeout that no call of a test reaches.
const LONG: Duration = Duration::from_mins(1);

/// A text that only the call of the script that stores contains: the beginning of a line.
const STORES: &str = r#"{"type":"#;

/// Returns a store behind a proxy, the same store without the proxy, and the proxy.
async fn behind(
    server: &Server,
    word: &'static str,
    fault: Fault,
    timeout: Duration,
) -> (Store, Store, Proxy) {
    let proxy = Proxy::start(
        server.address(),
        Place::Commit { commit: word, word },
        fault,
    )
    .await;
    let prefix = fresh_name();
    let open = |address, timeout| {
        Store::builder(&url(address))
            .prefix(&prefix)
            .timeout(timeout)
            .connect()
    };
    let direct = open(server.address(), LONG).await.expect("a store");
    // After these calls, the server has loaded the scripts.
    let other = claw_store::SessionRef::new("p", "other").expect("a key");
    let writer = WriterId::new("w");
    direct
        .append(&other.main(), batch(&writer, 0, &[note("x")], None))
        .await
        .expect("an append");
    let claims = direct.claims().expect("claims");
    claims
        .claim(&other, &Owner::new("direct"), LONG)
        .await
        .expect("a claim");
    let behind = open(proxy.address(), timeout)
        .await
        .expect("a store behind the proxy");
    (behind, direct, proxy)
}

/// Returns the prefix of a store's keys.
fn prefix_of(store: &Store) -> String {
    let shown = format!("{store:?}");
    shown.split('"').nth(1).expect("a prefix").to_owned()
}

#[tokio::test]
async fn an_append_that_timed_out_and_landed_is_stored_once() {
    let server = server::shared();
    let behind = behind(&server, STORES, Fault::HoldAnswer, SHORT).await;
    faults::repeated_append_is_stored_once(behind, Some(true)).await;
}

#[tokio::test]
async fn an_append_whose_connection_ended_before_the_script_is_stored_once() {
    let server = server::shared();
    let behind = behind(&server, STORES, Fault::CutCommit, SHORT).await;
    faults::repeated_append_is_stored_once(behind, Some(false)).await;
}

#[tokio::test]
async fn an_append_whose_connection_ended_before_the_answer_is_stored_once() {
    let server = server::shared();
    let behind = behind(&server, STORES, Fault::CutAnswer, SHORT).await;
    // Whether the first append was stored depends on the moment at which the connection ended. Both outcomes are valid.
    faults::repeated_append_is_stored_once(behind, None).await;
}

#[tokio::test]
async fn an_append_that_lands_after_its_repeat_is_stored_once() {
    let server = server::shared();
    let (store, direct, proxy) = behind(&server, STORES, Fault::HoldCommit, SHORT).await;
    let key = session().main();
    let writer = WriterId::new("w");
    let lines = [note("x"), note("x")];
    let error = store
        .append(&key, batch(&writer, 0, &lines, None))
        .await
        .expect_err("no answer");
    assert!(matches!(error, StoreError::Uncertain(_)), "{error:?}");
    proxy.fault_occurred().await;
    store
        .append(&key, batch(&writer, 0, &lines, None))
        .await
        .expect("a repeat");
    proxy.resume();
    proxy.commit_answered().await;
    assert_stored(&direct, &key, &lines).await;
}

#[tokio::test]
async fn a_claim_that_lands_after_its_repeat_does_not_supersede_it() {
    let server = server::shared();
    let (store, direct, proxy) = behind(&server, "this-owner", Fault::HoldCommit, SHORT).await;
    let (session, owner) = (session(), Owner::new("this-owner"));
    let claims = store.claims().expect("claims");
    let late = claims.claim(&session, &owner, LONG).await;
    assert!(matches!(late, Err(StoreError::Uncertain(_))), "{late:?}");
    proxy.fault_occurred().await;
    let claim = claims.claim(&session, &owner, LONG).await.expect("a claim");
    proxy.resume();
    proxy.commit_answered().await;
    let writer = WriterId::new("w");
    direct
        .append(
            &session.main(),
            batch(&writer, 0, &[note("x")], Some(claim.epoch)),
        )
        .await
        .expect("an append");
}

#[tokio::test]
async fn a_claim_that_is_renewed_before_another_lands_stays() {
    let server = server::shared();
    let (other, direct, proxy) = behind(&server, "the-other", Fault::HoldCommit, LONG).await;
    let (session, one) = (session(), Owner::new("one"));
    let claims = direct.claims().expect("claims");
    let claim = claims
        .claim(&session, &one, Duration::from_millis(1))
        .await
        .expect("a claim");
    while claims.holder(&session).await.expect("a holder").is_some() {}
    // The other owner has read that the claim has expired.
    let taken = async {
        let owner = Owner::new("the-other");
        let claims = other.claims().expect("claims");
        claims.claim(&session, &owner, LONG).await
    };
    let renewed = async {
        proxy.fault_occurred().await;
        claims.renew(&claim, LONG).await.expect("a renewal");
        proxy.resume();
    };
    let (taken, ()) = join(taken, renewed).await;
    assert!(taken.as_ref().is_err_and(StoreError::is_held), "{taken:?}");
}

#[tokio::test]
async fn a_transcript_that_is_made_anew_before_an_append_lands_is_seen() {
    let server = server::shared();
    let (store, direct, proxy) = behind(&server, STORES, Fault::HoldCommit, LONG).await;
    let key = session().main();
    let (writer, other) = (WriterId::new("w"), WriterId::new("other"));
    direct
        .append(&key, batch(&other, 0, &[note("a")], None))
        .await
        .expect("an append");
    let lines = [note("b")];
    let append = store.append(&key, batch(&writer, 0, &lines, None));
    let anew = async {
        proxy.fault_occurred().await;
        let deletes = direct.deletes().expect("deletes");
        deletes.delete(&key).await.expect("a delete");
        // The new transcript has the same number of lines from the same number of writers.
        direct
            .append(&key, batch(&other, 0, &[note("longer")], None))
            .await
            .expect("an append");
        proxy.resume();
    };
    let (appended, ()) = join(append, anew).await;
    assert_eq!(appended.expect("an append").total, 2);
    assert_stored(&direct, &key, &[note("longer"), note("b")]).await;
}

#[tokio::test]
async fn lines_that_are_removed_before_an_append_lands_are_missed() {
    let server = server::shared();
    let (store, direct, proxy) = behind(&server, STORES, Fault::HoldCommit, LONG).await;
    let key = session().main();
    let (writer, other) = (WriterId::new("w"), WriterId::new("other"));
    direct
        .append(&key, batch(&other, 0, &[note("a"), note("b")], None))
        .await
        .expect("an append");
    let lines = [note("c")];
    let append = store.append(&key, batch(&writer, 0, &lines, None));
    let mut client = server::client(&server).await;
    let removed = async {
        proxy.fault_occurred().await;
        let mut remove = redis::cmd("LPOP");
        remove.arg(format!("{}:{{-work-project/s1}}:lines", prefix_of(&store)));
        let () = remove.query_async(&mut client).await.expect("a loss");
        proxy.resume();
    };
    let (appended, ()) = join(append, removed).await;
    assert!(
        matches!(appended, Err(StoreError::Incomplete { .. })),
        "{appended:?}"
    );
}

#[tokio::test]
async fn a_transcript_that_is_made_before_a_delete_lands_is_deleted_too() {
    let server = server::shared();
    let (store, direct, proxy) = behind(&server, "subagents/one", Fault::HoldCommit, LONG).await;
    let session = session();
    let at = |path| session.at(Subpath::new(path).expect("a path"));
    let writer = WriterId::new("w");
    let lines = [note("a")];
    for key in [session.main(), at("subagents/one")] {
        direct
            .append(&key, batch(&writer, 0, &lines, None))
            .await
            .expect("an append");
    }
    let key = session.main();
    let delete = store.deletes().expect("deletes").delete(&key);
    let made = async {
        proxy.fault_occurred().await;
        direct
            .append(&at("subagents/two"), batch(&writer, 0, &lines, None))
            .await
            .expect("an append");
        proxy.resume();
    };
    let (deleted, ()) = join(delete, made).await;
    deleted.expect("a delete");
    for key in [session.main(), at("subagents/one"), at("subagents/two")] {
        assert_stored(&direct, &key, &[]).await;
    }
    let subkeys = direct.subkeys().expect("subkeys").subkeys(&session).await;
    assert!(subkeys.expect("subkeys").is_empty());
}

#[tokio::test]
async fn a_host_that_was_stopped_stores_nothing_after_a_newer_claim() {
    let server = server::shared();
    let (old, new, proxy) = behind(&server, STORES, Fault::HoldCommit, LONG).await;
    faults::stopped_host_stores_nothing(old, &new, &proxy).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_was_killed_has_all_that_it_answered() {
    let server = Arc::new(server::start(&[]));
    let store = crate::fresh(server.url()).await;
    faults::killed_server_has_all_that_it_answered(server, &store).await;
}

#[tokio::test]
async fn a_call_to_a_server_that_is_stopped_ends_at_its_time_out() {
    let server = server::start(&[]);
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
    let session = session();
    let claims = store.claims().expect("claims");
    let owner = Owner::new("o");
    let claim = claims.claim(&session, &owner, LONG).await.expect("a claim");
    let stopped = server.stop().expect("stopped");
    let began = Instant::now();
    // The stopped server may carry out the renewal later.
    let error = claims.renew(&claim, LONG).await.expect_err("no answer");
    assert!(matches!(error, StoreError::Uncertain(_)), "{error:?}");
    let error = store
        .append(&key, batch(&writer, 1, &lines, None))
        .await
        .expect_err("no answer");
    // The call timed out before the script that stores was sent.
    assert!(matches!(error, StoreError::Unavailable(_)), "{error:?}");
    let error = crate::texts(&store, &key).await.expect_err("no answer");
    assert!(matches!(error, StoreError::Unavailable(_)), "{error:?}");
    let error = claims.holder(&session).await.expect_err("no answer");
    assert!(matches!(error, StoreError::Unavailable(_)), "{error:?}");
    let error = claims.claim(&session, &owner, LONG).await;
    let error = error.expect_err("no answer");
    assert!(matches!(error, StoreError::Unavailable(_)), "{error:?}");
    assert!(
        began.elapsed() >= SHORT * 5,
        "each has waited for its time-out"
    );
    assert!(began.elapsed() < SHORT * 50, "and for no other");
    drop(stopped);
    let appended = store
        .append(&key, batch(&writer, 1, &lines, None))
        .await
        .expect("a repeat");
    assert_eq!(appended.total, 2);
    assert_stored(&store, &key, &[note("x"), note("x")]).await;
}

#[tokio::test]
async fn a_slow_call_does_not_end_those_beside_it() {
    let server = server::shared();
    let (store, direct, proxy) = behind(&server, STORES, Fault::HoldCommit, LONG).await;
    let key = session().main();
    let (slow, other) = (WriterId::new("slow"), session().main());
    let lines = [note("x")];
    let append = store.append(&key, batch(&slow, 0, &lines, None));
    let load = async {
        proxy.fault_occurred().await;
        // A call that is dropped does not close the connection of the other calls.
        let dropped = store.load(&other);
        drop(dropped);
        proxy.resume();
        crate::texts(&store, &other).await.expect("a load")
    };
    let (appended, _) = join(append, load).await;
    appended.expect("an append");
    assert_stored(&direct, &key, &lines).await;
}

//! Tests of broken connections, of servers that end or do not respond, and of hosts that are stopped.

use std::sync::Arc;
use std::time::{Duration, Instant};

use claw_store::{Owner, Retry, SessionStore as _, StoreError, Subpath, WriterId};
use claw_store_bucket::Store;
use claw_testkit::store::faults::{self, claim_after};
use claw_testkit::store::faults::{Fault, Place, Proxy};
use object_store::ObjectStore;

use crate::server::{self, Server};
use crate::{
    LONG, assert_stored, batch, client, fresh_name, note, open, patient, session, user_line,
};

/// The timeout of a store whose calls time out in a test.
const SHORT: Duration = Duration::from_secs(2);

/// Returns a store behind a proxy, the same store without the proxy, and the proxy.
async fn behind(
    server: &Server,
    word: &'static str,
    fault: Fault,
    timeout: Duration,
) -> (Store, Store, Proxy) {
    let proxy = Proxy::start(server.address(), Place::Put(word), fault).await;
    let (direct, behind) = (client(server.address()), client(proxy.address()));
    let prefix = fresh_name();
    let direct = open(direct, &prefix, LONG).await.expect("a store");
    let behind = open(behind, &prefix, timeout).await.expect("a store");
    (behind, direct, proxy)
}

#[tokio::test]
async fn an_append_that_timed_out_and_landed_is_stored_once() {
    let server = server::shared();
    let behind = behind(&server, "/parts/", Fault::HoldAnswer, SHORT).await;
    faults::repeated_append_is_stored_once(behind, Some(true)).await;
}

#[tokio::test]
async fn an_append_whose_connection_ended_before_the_answer_is_stored_once() {
    let server = server::shared();
    let behind = behind(&server, "/parts/", Fault::CutAnswer, SHORT).await;
    faults::repeated_append_is_stored_once(behind, Some(true)).await;
}

#[tokio::test]
async fn an_append_whose_connection_ended_before_the_request_is_stored_once() {
    let server = server::shared();
    let behind = behind(&server, "/parts/", Fault::CutCommit, SHORT).await;
    faults::repeated_append_is_stored_once(behind, Some(false)).await;
}

/// The client repeats a request that had succeeded, and finds the object that it created.
#[tokio::test]
async fn what_the_client_repeats_is_stored_once() {
    let server = server::shared();
    for fault in [Fault::CutAnswer, Fault::CutCommit] {
        for word in ["/parts/", "/sessions/"] {
            let proxy = Proxy::start(server.address(), Place::Put(word), fault).await;
            let objects: Arc<dyn ObjectStore> =
                Arc::new(patient(proxy.address()).build().expect("a client"));
            let store = open(objects, &fresh_name(), LONG).await.expect("a store");
            let (key, writer) = (session().main(), WriterId::new("w"));
            let lines = [note("x"), note("x")];
            let appended = loop {
                match store.append(&key, batch(&writer, 0, &lines, None)).await {
                    Ok(appended) => break appended,
                    Err(error) => assert_ne!(error.retry(), Retry::No, "{error:?}"),
                }
            };
            proxy.fault_occurred().await;
            assert_eq!(appended.total, 2);
            assert_stored(&store, &key, &lines).await;
        }
    }
}

#[tokio::test]
async fn a_claim_whose_answer_was_lost_is_the_owners() {
    let server = server::shared();
    for fault in [Fault::HoldAnswer, Fault::CutAnswer, Fault::CutCommit] {
        let (store, direct, proxy) = behind(&server, "/sessions/", fault, SHORT).await;
        let (session, owner) = (session(), Owner::new("o"));
        let claims = store.claims().expect("claims");
        let error = claims
            .claim(&session, &owner, LONG)
            .await
            .expect_err("no answer");
        assert_eq!(error.retry(), Retry::MayBeDone, "{error:?}");
        proxy.fault_occurred().await;
        let claim = claims.claim(&session, &owner, LONG).await.expect("a claim");
        let direct = direct.claims().expect("claims");
        let error = direct
            .claim(&session, &Owner::new("other"), LONG)
            .await
            .expect_err("it is held");
        assert!(error.is_held(), "{error:?}");
        direct.renew(&claim, LONG).await.expect("a renewal");
    }
}

#[tokio::test]
async fn a_host_that_was_stopped_stores_nothing_after_a_newer_claim() {
    let server = server::shared();
    // The delayed request registers a transcript, creates its first part, or creates a later part.
    for (word, begun) in [("/sessions/", 1_u64), ("/parts/", 0), ("/parts/", 2)] {
        let (old, new, proxy) = behind(&server, word, Fault::None, LONG).await;
        let (session, ttl) = (session(), Duration::from_millis(200));
        let claims = old.claims().expect("claims");
        let claim = claims.claim(&session, &Owner::new("old"), ttl).await;
        let epoch = Some(claim.expect("a claim").epoch);
        let (key, writer) = (session.main(), WriterId::new("old"));
        let before: Vec<_> = (0..begun).map(|n| note(&n.to_string())).collect();
        let other = session.at(Subpath::new("subagents/b").expect("a path"));
        // To register a transcript, the append is to a transcript that does not exist yet.
        let late_key = if word == "/parts/" {
            key.clone()
        } else {
            other
        };
        old.append(&key, batch(&writer, 0, &before, epoch))
            .await
            .expect("an append");
        // The last request of the older claim's owner is delayed. The owner does not renew its claim.
        proxy.set_fault(Fault::HoldCommit);
        let number = if late_key == key { begun } else { 0 };
        let lines = [user_line("late"), note("late")];
        let late = tokio::spawn({
            let (key, lines, writer) = (late_key.clone(), lines.clone(), writer.clone());
            async move {
                let batch = batch(&writer, number, &lines, epoch);
                let done = old.append(&key, batch).await;
                (old, done)
            }
        });
        proxy.fault_occurred().await;
        let newer = claim_after(&new, &session, &Owner::new("new")).await;
        proxy.resume();
        let (old, done) = late.await.expect("the older one");
        let error = done.expect_err("an old epoch");
        assert!(error.is_superseded(), "{word}: {error:?}");
        // The owner of the older claim can store nothing more, in this transcript and in another one.
        let beside = session.at(Subpath::new("subagents/a").expect("a path"));
        for (key, number) in [(&key, begun), (&beside, 0)] {
            let batch = batch(&writer, number, &lines, epoch);
            let error = old.append(key, batch).await.expect_err("an old epoch");
            assert!(error.is_superseded(), "{error:?}");
        }
        let writer = WriterId::new("new");
        new.append(
            &key,
            batch(&writer, 0, &[user_line("b")], Some(newer.epoch)),
        )
        .await
        .expect("an append");
        let expected: Vec<_> = before.into_iter().chain([user_line("b")]).collect();
        assert_stored(&new, &key, &expected).await;
        for key in [&beside, &late_key] {
            if *key != session.main() {
                assert_stored(&new, key, &[]).await;
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_was_killed_has_all_that_it_answered() {
    let server = Arc::new(server::start());
    let store = crate::fresh(&server).await;
    faults::killed_server_has_all_that_it_answered(server, &store).await;
}

#[tokio::test]
async fn a_call_to_a_server_that_is_stopped_ends_at_its_time_out() {
    let server = server::start();
    let objects = client(server.address());
    let prefix = fresh_name();
    let store = open(objects, &prefix, SHORT).await.expect("a store");
    let session = session();
    let key = session.main();
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
    // The stopped server may carry out the request later.
    assert!(matches!(error, StoreError::Uncertain(_)), "{error:?}");
    let beside = session.at(Subpath::new("subagents/a").expect("a path"));
    let error = store
        .append(&beside, batch(&writer, 0, &lines, None))
        .await
        .expect_err("no answer");
    // The call timed out before the request that stores.
    assert!(matches!(error, StoreError::Unavailable(_)), "{error:?}");
    let error = crate::texts(&store, &key).await.expect_err("no answer");
    assert!(matches!(error, StoreError::Unavailable(_)), "{error:?}");
    let claims = store.claims().expect("claims");
    let error = claims.holder(&session).await.expect_err("no answer");
    assert!(matches!(error, StoreError::Unavailable(_)), "{error:?}");
    let owner = Owner::new("o");
    let claim = claims.claim(&session, &owner, SHORT);
    let error = claim.await.expect_err("no answer");
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
}

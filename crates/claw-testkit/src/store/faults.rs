//! Causes faults of connections and servers. With them, the tests of an adapter check that no line is lost or stored
//! twice, and that a writer whose claim has ended stores no line.
//!
//! Each function is a separate test. A [`Proxy`] between the store and its server causes the fault.

mod proxy;

use std::sync::Arc;
use std::time::Duration;

use claw_store::{Claim, Owner, Retry, SessionRef, SessionStore, StoreError, WriterId};
use futures::TryStreamExt as _;
use tokio::task::spawn_blocking;

pub use proxy::{Fault, Place, Proxy};

use super::samples::{assert_stored, batch, line, note, session, three_lines, user_line};
use crate::server::Server;

/// A store that reaches its server through a proxy, a store that reaches the same server directly, and the proxy.
pub type Behind<S> = (S, S, Proxy);

/// Checks that an append without a response fails with [`StoreError::Uncertain`], and that a repetition of the append
/// stores the lines only once. `is_stored_at_once` is the expected answer to the question whether the first append
/// stores the lines. `None` accepts both answers.
///
/// # Panics
///
/// Panics if the store behaves differently.
pub async fn repeated_append_is_stored_once<S: SessionStore>(
    (store, direct, proxy): Behind<S>,
    is_stored_at_once: Option<bool>,
) {
    let key = session().main();
    let writer = WriterId::new("w");
    // Two of the lines have the same text, so only their numbers distinguish them.
    let lines = [note("x"), user_line("a"), note("x")];
    let append = store.append(&key, batch(&writer, 0, &lines, None));
    let error = append.await.expect_err("no answer");
    assert_eq!(error.retry(), Retry::MayBeDone, "{error:?}");
    assert!(matches!(error, StoreError::Uncertain(_)), "{error:?}");
    let text = format!("{error} {error:?}");
    assert!(!text.contains("://") && !text.contains("secret"), "{text}");
    proxy.fault_occurred().await;
    let repeat = store.append(&key, batch(&writer, 0, &lines, None));
    let appended = repeat.await.expect("a repeat");
    if let Some(is_stored_at_once) = is_stored_at_once {
        assert_eq!(appended.new, if is_stored_at_once { 0 } else { 3 });
    }
    assert_eq!(appended.total, 3);
    assert_stored(&direct, &key, &lines).await;
}

/// Claims a session as soon as the claim of another owner has ended.
///
/// # Panics
///
/// Panics if the store has no claims, or if the claim fails with another error than [`StoreError::Held`].
pub async fn claim_after(store: &impl SessionStore, session: &SessionRef, owner: &Owner) -> Claim {
    let claims = store.claims().expect("claims");
    loop {
        match claims.claim(session, owner, Duration::from_mins(10)).await {
            Ok(claim) => return claim,
            Err(StoreError::Held { .. }) => {}
            Err(error) => panic!("{error:?}"),
        }
    }
}

/// Checks that a host stores nothing if its append is withheld until another host has claimed the session. `proxy` is
/// between `old` and its server, and has the fault [`Fault::HoldCommit`].
///
/// # Panics
///
/// Panics if the store behaves differently.
pub async fn stopped_host_stores_nothing(
    old: impl SessionStore + 'static,
    new: &impl SessionStore,
    proxy: &Proxy,
) {
    let (session, ttl) = (session(), Duration::from_millis(200));
    let claims = old.claims().expect("claims");
    let claim = claims.claim(&session, &Owner::new("old"), ttl).await;
    let epoch = Some(claim.expect("a claim").epoch);
    // The last append of the old host is withheld, and the host does not renew its claim.
    let writer = WriterId::new("old");
    let (key, lines) = (session.main(), [user_line("late"), note("late")]);
    let late = tokio::spawn({
        let (key, lines, writer) = (key.clone(), lines.clone(), writer.clone());
        async move {
            let done = old.append(&key, batch(&writer, 0, &lines, epoch)).await;
            (old, done)
        }
    });
    proxy.fault_occurred().await;
    let newer = claim_after(new, &session, &Owner::new("new")).await;
    proxy.resume();
    let (old, done) = late.await.expect("the older one");
    let error = done.expect_err("an old epoch");
    assert!(error.is_superseded(), "{error:?}");
    // Later lines of the old host are not stored either, not even in another transcript.
    let beside = session.at(claw_store::Subpath::new("subagents/a").expect("a path"));
    for key in [&key, &beside] {
        let append = old.append(key, batch(&writer, 0, &lines, epoch)).await;
        let error = append.expect_err("an old epoch");
        assert!(error.is_superseded(), "{error:?}");
    }
    let writer = WriterId::new("new");
    new.append(
        &key,
        batch(&writer, 0, &[user_line("b")], Some(newer.epoch)),
    )
    .await
    .expect("an append");
    assert_stored(new, &key, &[user_line("b")]).await;
}

/// Checks that a server that is killed and restarted during appends still has all lines that it has confirmed.
///
/// # Panics
///
/// Panics if the store behaves differently.
pub async fn killed_server_has_all_that_it_answered(
    server: Arc<Server>,
    store: &impl SessionStore,
) {
    let key = session().main();
    let writer = WriterId::new("w");
    let lines: Vec<_> = (0..400).map(|n| note(&n.to_string())).collect();
    let (mut answered, mut failed, mut next_kill) = (0, 0, 50);
    let mut killing = None;
    while answered < lines.len() {
        if answered == next_kill {
            next_kill += 100;
            let server = server.clone();
            killing = Some(spawn_blocking(move || {
                server.kill_and_restart().expect("a restart");
            }));
        }
        let next = &lines[answered..=answered];
        match store
            .append(&key, batch(&writer, answered as u64, next, None))
            .await
        {
            Ok(appended) => {
                answered += 1;
                assert_eq!(appended.total, answered as u64);
            }
            Err(error) => {
                assert_ne!(error.retry(), Retry::No, "{error:?}");
                failed += 1;
                if let Some(killing) = killing.take() {
                    killing.await.expect("a restart");
                }
            }
        }
    }
    assert!(failed > 0, "appends met a server that was killed");
    assert_stored(store, &key, &lines).await;
}

/// Checks that a load fails with [`StoreError::Incomplete`] if the session is deleted during the load and is then
/// created again with the same lines. The store contains the session that [`fill`](super::samples::fill) creates.
///
/// # Panics
///
/// Panics if the store behaves differently.
pub async fn deleted_session_is_no_shorter_session(store: &impl SessionStore) {
    let (key, writer) = (session().main(), WriterId::new("many"));
    let lines: Vec<_> = (0..3000).map(|n| note(&n.to_string())).collect();
    let append = store.append(&key, batch(&writer, 0, &lines, None));
    append.await.expect("an append");
    let mut load = store.load(&key);
    load.try_next().await.expect("a line").expect("a line");
    let deletes = store.deletes().expect("deletes");
    deletes.delete(&key).await.expect("a delete");
    let all = [three_lines().to_vec(), lines].concat();
    let append = store.append(&key, batch(&writer, 0, &all, None));
    append.await.expect("an append");
    let rest: Result<Vec<_>, _> = load.try_collect().await;
    assert!(
        matches!(rest, Err(StoreError::Incomplete { .. })),
        "{rest:?}"
    );
}

/// Checks that a store with a limit of 1 MiB refuses a longer line. The store contains the session that
/// [`fill`](super::samples::fill) creates.
///
/// # Panics
///
/// Panics if the store behaves differently.
pub async fn too_long_line_is_not_stored(store: &impl SessionStore) {
    let (key, writer) = (session().main(), WriterId::new("w"));
    let large = line(&format!(r#"{{"text":"{}"}}"#, "x".repeat(1 << 20)));
    let lines = [note("d"), large];
    let append = store.append(&key, batch(&writer, 3, &lines, None));
    let error = append.await.expect_err("it is too long");
    assert!(matches!(error, StoreError::Refused(_)), "{error:?}");
    assert_stored(store, &key, &three_lines()).await;
}

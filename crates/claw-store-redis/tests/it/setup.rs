//! Tests of connecting, of the requirements for the server, and of the permissions that a user needs.

use std::time::Duration;

use claw_store::{Owner, ReadSessions as _, Retry, SessionStore as _, StoreError, WriterId};
use claw_store_redis::Store;
use futures::TryStreamExt as _;

use crate::server::{self, free_address, url};
use crate::{assert_stored, batch, fresh, fresh_name, note, session, user_line};

/// The permissions that a user of the server needs, as the crate's README lists them.
const RIGHTS: &str = "+evalsha +script|load +info +time +hget +hmget +hset +hdel +hlen +hstrlen \
    +llen +lrange +rpush +scard +sadd +sismember +zcard +zadd +zrem +zscore +zrangebylex +unlink";

#[tokio::test]
async fn errors_say_what_helps_and_no_secret() {
    let server = server::start(&["--requirepass", "the-password"]);
    let shown = |error: &StoreError| format!("{error} {error:?}");
    let away = free_address().expect("a port");
    let error = Store::connect(&format!("redis://:secret-of-tests@{away}"))
        .await
        .expect_err("nobody is there");
    assert!(matches!(error, StoreError::Unavailable(_)), "{error:?}");
    assert!(!shown(&error).contains("secret-of-tests"), "{error:?}");
    let at = server.address();
    for (wrong, prefix) in [
        (format!("redis://:secret-of-tests@{at}"), "claw"),
        (format!("redis://nobody:secret-of-tests@{at}"), "claw"),
        (format!("redis://{at}"), "claw"),
        (format!("redis://:the-password@{at}/99"), "claw"),
        ("redis://:secret-of-tests@a b".to_owned(), "claw"),
        (format!("redis://:the-password@{at}"), ""),
        (format!("redis://:the-password@{at}"), "{claw}"),
    ] {
        let builder = Store::builder(&wrong).prefix(prefix);
        assert!(!format!("{builder:?}").contains("secret-of-tests"));
        let error = builder.connect().await.expect_err("a wrong setting");
        assert!(
            matches!(error, StoreError::Refused(_)),
            "{wrong}: {error:?}"
        );
        assert!(!shown(&error).contains("secret-of-tests"), "{error:?}");
    }
    // With the feature `tls`, the handshake fails, because this port has no TLS.
    let error = Store::connect(&format!("rediss://:secret-of-tests@{at}"))
        .await
        .expect_err("no TLS");
    assert_eq!(
        matches!(error, StoreError::Refused(_)),
        !cfg!(feature = "tls"),
        "{error:?}"
    );
    assert!(!shown(&error).contains("secret-of-tests"), "{error:?}");
    let store = Store::connect(&format!("redis://:the-password@{at}"))
        .await
        .expect("a store");
    assert!(!format!("{store:?}").contains("the-password"));
}

#[tokio::test]
async fn a_server_that_removes_keys_when_it_is_full_is_refused() {
    let server = server::start(&["--maxmemory-policy", "allkeys-lru"]);
    let error = Store::connect(server.url()).await.expect_err("its policy");
    assert!(matches!(error, StoreError::Refused(_)), "{error:?}");
    assert!(error.to_string().contains("allkeys-lru"), "{error}");
    let server = server::start(&["--maxmemory-policy", "volatile-lru"]);
    Store::connect(server.url()).await.expect("a store");
}

#[tokio::test]
async fn a_server_that_cannot_store_now_stores_nothing_and_loads() {
    let server = server::start(&[]);
    let store = fresh(server.url()).await;
    let key = session().main();
    let writer = WriterId::new("w");
    let lines = [user_line("a"), note("b")];
    store
        .append(&key, batch(&writer, 0, &lines, None))
        .await
        .expect("an append");
    let mut client = server::client(&server).await;
    for (set, reset) in [
        // The memory of the server is full.
        ("CONFIG SET maxmemory 1", "CONFIG SET maxmemory 0"),
        // The server is a replica of a server that it cannot reach.
        ("REPLICAOF 127.0.0.1 1", "REPLICAOF NO ONE"),
        // The server has fewer replicas than it requires.
        (
            "CONFIG SET min-replicas-to-write 1",
            "CONFIG SET min-replicas-to-write 0",
        ),
    ] {
        let mut run = async |command: &str| {
            let mut words = redis::Cmd::new();
            for word in command.split(' ') {
                words.arg(word);
            }
            let () = words.query_async(&mut client).await.expect("a change");
        };
        run(set).await;
        let more = [user_line("c"), note("d")];
        let error = store
            .append(&key, batch(&writer, 2, &more, None))
            .await
            .expect_err("it cannot store");
        assert!(
            matches!(error, StoreError::Unavailable(_)),
            "{set}: {error:?}"
        );
        let claims = store.claims().expect("claims");
        let error = claims
            .claim(&session(), &Owner::new("o"), Duration::from_mins(1))
            .await
            .expect_err("it cannot store");
        assert_eq!(error.retry(), Retry::Later, "{set}: {error:?}");
        assert_stored(&store, &key, &lines).await;
        run(reset).await;
    }
    store
        .append(&key, batch(&writer, 2, &[user_line("c")], None))
        .await
        .expect("an append");
}

#[tokio::test]
async fn a_server_that_takes_no_more_connections_is_away() {
    let server = server::start(&["--requirepass", "the-password", "--maxclients", "1"]);
    let url = format!("redis://:the-password@{}", server.address());
    let held = redis::Client::open(&*url).expect("a client");
    let held = held
        .get_multiplexed_async_connection()
        .await
        .expect("the only connection");
    let error = Store::connect(&url)
        .await
        .expect_err("no connection is left");
    assert!(matches!(error, StoreError::Unavailable(_)), "{error:?}");
    drop(held);
}

#[tokio::test]
async fn a_user_with_few_rights_has_the_keys_of_one_prefix() {
    let server = server::shared();
    let prefix = fresh_name();
    let mut client = server::client(&server).await;
    let mut user = redis::cmd("ACL");
    user.arg(&["SETUSER", &prefix, "on", ">secret", "resetkeys"])
        .arg(format!("~{prefix}:{{*"));
    for right in RIGHTS.split(' ') {
        user.arg(right);
    }
    let () = user.query_async(&mut client).await.expect("a user");
    let url = format!("redis://{prefix}:secret@{}", server.address());
    let open = |prefix: &str| Store::builder(&url).prefix(prefix).connect();
    let store = open(&prefix).await.expect("a store");
    let key = session().main();
    let writer = WriterId::new("w");
    let lines = [user_line("a"), note("b")];
    let claims = store.claims().expect("claims");
    let claim = claims
        .claim(&session(), &Owner::new("o"), Duration::from_mins(1))
        .await
        .expect("a claim");
    store
        .append(&key, batch(&writer, 0, &lines, Some(claim.epoch)))
        .await
        .expect("an append");
    let beside = session().at(claw_store::Subpath::new("a").expect("a path"));
    store
        .append(&beside, batch(&writer, 0, &lines, Some(claim.epoch)))
        .await
        .expect("an append");
    claims
        .renew(&claim, Duration::from_mins(1))
        .await
        .expect("a renewal");
    claims.release(&claim).await.expect("a release");
    assert_stored(&store, &key, &lines).await;
    let listed: Vec<_> = store
        .lists()
        .expect("lists")
        .sessions(None)
        .try_collect()
        .await
        .expect("a list");
    assert_eq!(listed.len(), 1);
    let subkeys = store.subkeys().expect("subkeys").subkeys(&session()).await;
    assert_eq!(subkeys.expect("subkeys").len(), 1);
    store
        .deletes()
        .expect("deletes")
        .delete(&key)
        .await
        .expect("a delete");
    let mut user = redis::cmd("ACL");
    user.arg(&["SETUSER", &prefix, "-info"]);
    let () = user
        .query_async(&mut client)
        .await
        .expect("no right to ask");
    let other = open(&fresh_name()).await.expect("a store");
    let error = other
        .append(&key, batch(&writer, 0, &lines, None))
        .await
        .expect_err("it has no right to other keys");
    assert!(matches!(error, StoreError::Refused(_)), "{error:?}");
}

#[tokio::test]
async fn stores_with_two_prefixes_have_nothing_in_common() {
    let server = server::shared();
    let (one, other) = (fresh(server.url()).await, fresh(server.url()).await);
    let key = session().main();
    let writer = WriterId::new("w");
    one.append(&key, batch(&writer, 0, &[user_line("a")], None))
        .await
        .expect("an append");
    assert_stored(&other, &key, &[]).await;
    let listed: Vec<_> = other
        .lists()
        .expect("lists")
        .sessions(None)
        .try_collect()
        .await
        .expect("a list");
    assert!(listed.is_empty());
}

#[tokio::test]
async fn an_epoch_is_higher_also_where_the_server_has_lost_the_claim() {
    let server = server::shared();
    let prefix = fresh_name();
    let builder = Store::builder(server.url()).prefix(&prefix);
    let store = builder.connect().await.expect("a store");
    let claims = store.claims().expect("claims");
    let ttl = Duration::from_mins(1);
    let first = claims
        .claim(&session(), &Owner::new("one"), ttl)
        .await
        .expect("a claim");
    let mut client = server::client(&server).await;
    let mut delete = redis::cmd("DEL");
    let () = delete
        .arg(format!("{prefix}:{{-work-project/s1}}:claim"))
        .query_async(&mut client)
        .await
        .expect("a loss");
    let second = claims
        .claim(&session(), &Owner::new("other"), ttl)
        .await
        .expect("a claim");
    assert!(second.epoch > first.epoch);
    let error = claims.renew(&first, ttl).await.expect_err("an old claim");
    assert!(error.is_superseded(), "{error:?}");
}

#[tokio::test]
async fn a_session_with_many_transcripts_is_listed_and_deleted() {
    let server = server::shared();
    let store = &fresh(server.url()).await;
    let writer = &WriterId::new("w");
    let lines = &[note("a")];
    futures::future::join_all((0..1201).map(|n| async move {
        let key = session().at(claw_store::Subpath::new(&format!("a{n}")).expect("a path"));
        let batch = batch(writer, 0, lines, None);
        store.append(&key, batch).await.expect("an append");
    }))
    .await;
    let key = session().main();
    store
        .append(&key, batch(writer, 0, lines, None))
        .await
        .expect("an append");
    let subkeys = store.subkeys().expect("subkeys");
    assert_eq!(
        subkeys.subkeys(&session()).await.expect("subkeys").len(),
        1201
    );
    store
        .deletes()
        .expect("deletes")
        .delete(&key)
        .await
        .expect("a delete");
    assert_eq!(subkeys.subkeys(&session()).await.expect("subkeys").len(), 0);
    assert_stored(store, &key, &[]).await;
}

#[tokio::test]
async fn more_sessions_than_a_page_are_listed() {
    let server = server::shared();
    let store = &fresh(server.url()).await;
    let writer = &WriterId::new("w");
    let lines = &[note("a")];
    futures::future::join_all((0..250).map(|n| async move {
        let key = claw_store::SessionRef::new(["p", "p-", "p0"][n % 3], n.to_string());
        let key = key.expect("a key").main();
        store
            .append(&key, batch(writer, 0, lines, None))
            .await
            .expect("an append");
    }))
    .await;
    let lists = store.lists().expect("lists");
    for (project, count) in [
        (None, 250),
        (Some("p"), 84),
        (Some("p-"), 83),
        (Some("p0"), 83),
    ] {
        let listed: Vec<_> = lists.sessions(project).try_collect().await.expect("a list");
        assert_eq!(listed.len(), count, "{project:?}");
    }
}

#[tokio::test]
async fn a_store_goes_on_after_its_server_was_restarted() {
    let server = server::start(&[]);
    let store = fresh(server.url()).await;
    let key = session().main();
    let writer = WriterId::new("w");
    store
        .append(&key, batch(&writer, 0, &[note("a")], None))
        .await
        .expect("an append");
    server.kill_and_restart().expect("a restart");
    let _ = store.next_number(&key, &writer).await;
    store
        .append(&key, batch(&writer, 1, &[note("b")], None))
        .await
        .expect("an append");
    assert_stored(&store, &key, &[note("a"), note("b")]).await;
    let error = Store::connect(&url(free_address().expect("a port")))
        .await
        .expect_err("nobody is there");
    assert_eq!(error.retry(), Retry::Later);
}

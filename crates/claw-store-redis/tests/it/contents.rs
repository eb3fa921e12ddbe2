//! Tests of keys that another program has changed or removed.

use claw_store::{ReadSessions as _, SessionStore as _, StoreError, Subpath, WriterId};
use claw_store_redis::Store;
use claw_testkit::store::faults;
use claw_testkit::store::samples::{entries_are_read_alone, fill};
use futures::{StreamExt as _, TryStreamExt as _};
use redis::aio::MultiplexedConnection;

use crate::server::{self, Server};
use crate::{batch, fresh_name, note, session, texts};

/// Returns a store with a session of three lines, a connection, and the beginning of the names of the session's keys.
async fn filled(server: &Server) -> (Store, MultiplexedConnection, String) {
    let prefix = fresh_name();
    let store = Store::builder(server.url())
        .prefix(&prefix)
        .line_limit(1 << 20)
        .connect()
        .await
        .expect("a store");
    fill(&store).await;
    let keys = format!("{prefix}:{{-work-project/s1}}");
    (store, server::client(server).await, keys)
}

/// Runs a command. `KEYS` in it is replaced by the beginning of the names of the session's keys.
async fn run(client: &mut MultiplexedConnection, keys: &str, command: &[&str]) {
    let mut run = redis::Cmd::new();
    for word in command {
        run.arg(word.replace("KEYS", keys));
    }
    let () = run.query_async(client).await.expect("a change");
}

async fn append_to(store: &Store) -> Result<claw_store::Appended, StoreError> {
    let writer = WriterId::new("w");
    let lines = [note("d")];
    let key = session().main();
    store.append(&key, batch(&writer, 3, &lines, None)).await
}

#[tokio::test]
async fn lines_that_were_removed_are_missed() {
    let server = server::shared();
    for change in [
        ["LTRIM", "KEYS:lines", "1", "-1"].as_slice(),
        &["LTRIM", "KEYS:lines", "0", "-2"],
        &["LREM", "KEYS:lines", "1", note("b").as_str()],
        &["RPUSH", "KEYS:lines", "{}"],
        &["DEL", "KEYS:lines"],
        &["DEL", "KEYS:meta"],
        &["DEL", "KEYS:lines", "KEYS:meta", "KEYS:uuids"],
        &["DEL", "KEYS:lines", "KEYS:meta", "KEYS:writers"],
    ] {
        let (store, mut client, keys) = filled(&server).await;
        run(&mut client, &keys, change).await;
        let key = session().main();
        if change.len() < 4 || change[0] != "DEL" {
            let loaded = texts(&store, &key).await;
            let Err(StoreError::Incomplete { key: found, .. }) = loaded else {
                panic!("{change:?}: {loaded:?}");
            };
            assert_eq!(found, key);
        }
        // The store appends no line to a transcript from which lines are missing.
        let appended = append_to(&store).await;
        assert!(
            matches!(appended, Err(StoreError::Incomplete { .. })),
            "{change:?}: {appended:?}"
        );
        let next = store.next_number(&key, &WriterId::new("w")).await;
        assert!(
            matches!(next, Err(StoreError::Incomplete { .. })),
            "{change:?}: {next:?}"
        );
    }
}

#[tokio::test]
async fn what_is_known_of_lines_and_was_removed_is_missed() {
    let server = server::shared();
    for change in [
        ["SREM", "KEYS:uuids", "a"].as_slice(),
        &["HDEL", "KEYS:writers", "w"],
    ] {
        let (store, mut client, keys) = filled(&server).await;
        run(&mut client, &keys, change).await;
        let appended = append_to(&store).await;
        assert!(
            matches!(appended, Err(StoreError::Incomplete { .. })),
            "{change:?}: {appended:?}"
        );
        // The change has not removed a line, so a load still returns all lines.
        let loaded = texts(&store, &session().main()).await.expect("a load");
        assert_eq!(loaded.len(), 3);
    }
}

#[tokio::test]
async fn a_line_that_was_replaced_by_another_is_missed() {
    let server = server::shared();
    for other in [
        "{}".to_owned(),
        format!(r#"{{"text":"{}"}}"#, "x".repeat(1000)),
    ] {
        let (store, mut client, keys) = filled(&server).await;
        run(&mut client, &keys, &["LSET", "KEYS:lines", "1", &other]).await;
        let loaded = texts(&store, &session().main()).await;
        assert!(
            matches!(loaded, Err(StoreError::Incomplete { .. })),
            "{loaded:?}"
        );
    }
}

#[tokio::test]
async fn what_is_no_line_is_an_error() {
    let server = server::shared();
    let large = "x".repeat(50_000_000);
    for change in [
        ["LSET", "KEYS:lines", "1", "no JSON"].as_slice(),
        &["LSET", "KEYS:lines", "1", "[1]"],
        &["LSET", "KEYS:lines", "1", "{\n}"],
        &["LSET", "KEYS:lines", "1", ""],
        &["LSET", "KEYS:lines", "1", &large],
        &["HSET", "KEYS:meta", "lines", "-1"],
        &["HSET", "KEYS:meta", "bytes", &large],
        &["SET", "KEYS:meta", "x"],
        &["SET", "KEYS:lines", "x"],
    ] {
        let (store, mut client, keys) = filled(&server).await;
        run(&mut client, &keys, change).await;
        let loaded = texts(&store, &session().main()).await;
        assert!(
            matches!(loaded, Err(StoreError::Corrupt(_))),
            "{:?}: {loaded:?}",
            &change[..2]
        );
    }
}

#[tokio::test]
async fn a_key_of_another_kind_is_an_error_of_the_next_append_which_stores_nothing() {
    let server = server::shared();
    for name in ["claim", "meta", "lines", "uuids", "writers"] {
        let (store, mut client, keys) = filled(&server).await;
        let key = format!("KEYS:{name}");
        run(&mut client, &keys, &["SET", &key, "x"]).await;
        let appended = append_to(&store).await;
        assert!(
            matches!(appended, Err(StoreError::Corrupt(_))),
            "{name}: {appended:?}"
        );
    }
    // The script that stores reads this key before its first write.
    let (store, mut client, keys) = filled(&server).await;
    run(&mut client, &keys, &["SET", "KEYS:subs", "x"]).await;
    let key = session().at(Subpath::new("a").expect("a path"));
    let writer = WriterId::new("w");
    let error = store
        .append(&key, batch(&writer, 0, &[note("x")], None))
        .await
        .expect_err("no list of transcripts");
    assert!(matches!(error, StoreError::Corrupt(_)), "{error:?}");
    assert_eq!(texts(&store, &key).await.expect("a load").len(), 0);
}

#[tokio::test]
async fn a_claim_that_is_none_is_an_error() {
    let server = server::shared();
    for change in [
        ["HSET", "KEYS:claim", "epoch", "one"].as_slice(),
        &["HSET", "KEYS:claim", "epoch", "18446744073709551615"],
        &["HSET", "KEYS:claim", "epoch", "-1"],
        &["HSET", "KEYS:claim", "expires", "never"],
        &["SET", "KEYS:claim", "x"],
    ] {
        let (store, mut client, keys) = filled(&server).await;
        run(&mut client, &keys, change).await;
        let owner = claw_store::Owner::new("o");
        let claims = store.claims().expect("claims");
        let claimed = claims
            .claim(&session(), &owner, std::time::Duration::from_mins(1))
            .await;
        assert!(
            matches!(claimed, Err(StoreError::Corrupt(_))),
            "{change:?}: {claimed:?}"
        );
    }
}

#[tokio::test]
async fn a_key_that_is_none_is_an_error() {
    let server = server::shared();
    let long = "x".repeat(50_000_000);
    for path in ["../../x", "/x", "C:x", "a/../../b", "a\u{1}b", &long] {
        let (store, mut client, keys) = filled(&server).await;
        run(&mut client, &keys, &["ZADD", "KEYS:subs", "0", path]).await;
        let session = session();
        let subkeys = store.subkeys().expect("subkeys").subkeys(&session).await;
        let Err(StoreError::Corrupt(why)) = subkeys else {
            panic!("{subkeys:?}");
        };
        assert!(why.to_string().len() < 1000);
    }
    let long = format!("p/{long}");
    for name in ["", "x", "p/../x", "p/%2f", "p/\u{1}", &long] {
        let (store, mut client, keys) = filled(&server).await;
        let prefix = keys.split(':').next().expect("a prefix");
        let names = format!("{prefix}:{{sessions}}:names");
        run(&mut client, &keys, &["ZADD", &names, "0", name]).await;
        let listed: Vec<_> = store.lists().expect("lists").sessions(None).collect().await;
        assert!(
            matches!(listed[..], [Err(StoreError::Corrupt(_))]),
            "{}",
            listed.len()
        );
    }
}

#[tokio::test]
async fn a_summary_that_is_none_is_an_error() {
    let server = server::shared();
    let large = "x".repeat(50_000_000);
    for summary in ["no JSON", "[1]", "\"\"", &large] {
        let (store, mut client, keys) = filled(&server).await;
        run(
            &mut client,
            &keys,
            &["HSET", "KEYS:meta", "summary", summary],
        )
        .await;
        let listed: Vec<_> = store.lists().expect("lists").sessions(None).collect().await;
        assert!(
            matches!(listed[..], [Err(StoreError::Corrupt(_))]),
            "{listed:?}"
        );
        let appended = append_to(&store).await;
        assert!(
            matches!(appended, Err(StoreError::Corrupt(_))),
            "{appended:?}"
        );
        entries_are_read_alone(&store).await;
    }
}

#[tokio::test]
async fn a_too_long_line_is_not_stored() {
    let server = server::shared();
    let (store, _, _) = filled(&server).await;
    faults::too_long_line_is_not_stored(&store).await;
}

#[tokio::test]
async fn a_session_that_is_deleted_during_a_load_is_no_shorter_session() {
    let server = server::shared();
    let (store, _, _) = filled(&server).await;
    faults::deleted_session_is_no_shorter_session(&store).await;
}

#[tokio::test]
async fn lines_that_are_stored_during_a_load_are_not_part_of_it() {
    let server = server::shared();
    let (store, _, _) = filled(&server).await;
    let key = session().main();
    let writer = WriterId::new("many");
    // The lines have different lengths, so that pages end at different places.
    let lines: Vec<_> = (0..2000)
        .map(|n| note(&"x".repeat(n * 7919 % 5000)))
        .collect();
    store
        .append(&key, batch(&writer, 0, &lines, None))
        .await
        .expect("an append");
    let mut load = store.load(&key);
    load.try_next().await.expect("a line").expect("a line");
    store
        .append(&key, batch(&writer, 2000, &[note("later")], None))
        .await
        .expect("an append");
    let rest: Vec<_> = load.try_collect().await.expect("the rest");
    assert_eq!(rest.len(), 2002);
    let stored = rest.iter().map(|stored| &stored.line).skip(2);
    assert!(stored.eq(&lines), "the lines come back as they were");
    assert_eq!(texts(&store, &key).await.expect("a load").len(), 2004);
}

#[tokio::test]
async fn a_session_that_is_gone_leaves_the_list_once_nobody_can_be_making_it() {
    let server = server::shared();
    let (store, mut client, keys) = filled(&server).await;
    let prefix = keys.split(':').next().expect("a prefix");
    let (names, times) = (
        format!("{prefix}:{{sessions}}:names"),
        format!("{prefix}:{{sessions}}:times"),
    );
    let lists = store.lists().expect("lists");
    let mut in_list = async |is_old: bool| {
        if is_old {
            run(
                &mut client,
                &keys,
                &["ZADD", &times, "1", "-work-project/s1"],
            )
            .await;
        }
        let listed: Vec<_> = lists.sessions(None).try_collect().await.expect("a list");
        let mut count = redis::cmd("ZCARD");
        let count: usize = count
            .arg(&names)
            .query_async(&mut client)
            .await
            .expect("a count");
        (listed.len(), count)
    };
    // A session that exists stays in the list, independent of the time at which it was added.
    assert_eq!(in_list(true).await, (1, 1));
    let key = session().main();
    let deletes = store.deletes().expect("deletes");
    // The session was added recently, so a writer may be creating it again.
    let writer = WriterId::new("w");
    deletes.delete(&key).await.expect("a delete");
    assert_eq!(in_list(false).await, (0, 0), "its time was long ago");
    store
        .append(&key, batch(&writer, 0, &[note("a")], None))
        .await
        .expect("an append");
    deletes.delete(&key).await.expect("a delete");
    assert_eq!(in_list(false).await, (0, 1));
    assert_eq!(in_list(true).await, (0, 0));
}

/// No call of a store leaves such keys. Another program has removed or added keys.
#[tokio::test]
async fn keys_that_no_session_uses_are_named() {
    let server = server::shared();
    let meta = "a part of a transcript whose key meta is missing";
    let cases: &[(&[&str], &str, &[&str])] = &[
        (&["HLEN", "KEYS:meta"], "", &[]),
        (&["DEL", "KEYS:lines"], "", &[]),
        (&["DEL", "KEYS:meta"], meta, &["lines", "uuids", "writers"]),
        (
            &["SET", "KEYS:more", "x"],
            "claw knows no such key",
            &["more"],
        ),
        (
            &["SET", "KEYS:claim:x", "x"],
            "claw knows no such key",
            &["claim:x"],
        ),
        (
            &["HSET", "KEYS:meta:subagents/a", "lines", "1"],
            "a part of a transcript that the key subs of its session does not name",
            &["meta:subagents/a"],
        ),
        (
            &["DEL", "INDEX:names"],
            "a part of a session that the list of sessions does not have",
            &["lines", "meta", "uuids", "writers"],
        ),
    ];
    for (change, what, named) in cases {
        let (store, mut client, keys) = filled(&server).await;
        let index = keys.replace("{-work-project/s1}", "{sessions}");
        let change: Vec<_> = change
            .iter()
            .map(|it| it.replace("INDEX", &index))
            .collect();
        let change: Vec<_> = change.iter().map(String::as_str).collect();
        let claims = store.claims().expect("claims");
        let owner = claw_store::Owner::new("o");
        let (session, ttl) = (session(), std::time::Duration::from_mins(1));
        let claim = claims.claim(&session, &owner, ttl);
        claim.await.expect("a claim");
        run(&mut client, &keys, &change).await;
        let leftovers = store.leftovers().expect("leftovers");
        let found = leftovers.leftovers(true).await.expect("a list");
        let names: Vec<_> = found.iter().map(|found| &*found.place).collect();
        let expected: Vec<_> = named.iter().map(|name| format!("{keys}:{name}")).collect();
        assert_eq!(names, expected, "{change:?}");
        assert!(found.iter().all(|found| found.what == *what), "{found:?}");
        let again = leftovers.leftovers(true).await.expect("a list");
        assert_eq!(again, found, "nothing is removed");
    }
    let (store, _, keys) = filled(&server).await;
    let beside = session().at(Subpath::new("subagents/a").expect("a path"));
    let writer = WriterId::new("w");
    let lines = [note("x")];
    let appended = store.append(&beside, batch(&writer, 0, &lines, None));
    appended.await.expect("an append");
    let leftovers = store.leftovers().expect("leftovers");
    assert_eq!(leftovers.leftovers(true).await.expect("a list"), []);
    let deletes = store.deletes().expect("deletes");
    deletes.delete_session(&session()).await.expect("a delete");
    assert_eq!(leftovers.leftovers(true).await.expect("a list"), []);
    let alone = claw_store::SessionRef::new("-work-project", "s2").expect("a key");
    let alone = alone.at(Subpath::new("subagents/a").expect("a path"));
    let appended = store.append(&alone, batch(&writer, 0, &lines, None));
    appended.await.expect("an append");
    let found = leftovers.leftovers(true).await.expect("a list");
    let keys = keys.replace("/s1}", "/s2}");
    let names = [
        "lines:subagents/a",
        "meta:subagents/a",
        "subs",
        "writers:subagents/a",
    ];
    let expected: Vec<_> = names.iter().map(|name| format!("{keys}:{name}")).collect();
    assert!(
        found.iter().map(|found| &found.place).eq(&expected),
        "{found:?}"
    );
}

//! Tests of keys that the official SDKs' examples write.

use claw_store::{ReadSessions as _, SessionRef, StoreError, Subpath, WriterId, copy_session};
use claw_store_redis::{ForeignStore, Store};
use futures::TryStreamExt as _;
use redis::aio::MultiplexedConnection;

use crate::server::{self, Server};
use crate::{assert_stored, fresh, fresh_name, line, session};

/// A line as the examples write it, with escapes and spaces.
const FIRST: &str = r#"{"type": "user", "uuid": "a", "text": "\ud800 \u00e9"}"#;

async fn run(client: &mut MultiplexedConnection, command: &[&str]) {
    let mut run = redis::Cmd::new();
    for word in command {
        run.arg(word);
    }
    let () = run.query_async(client).await.expect("a change");
}

/// Returns a store of the keys that the examples write, and their prefix.
async fn filled(server: &Server) -> (ForeignStore, String) {
    // The prefix contains the special characters of patterns.
    let prefix = format!("{}[*]", fresh_name());
    let mut client = server::client(server).await;
    let key = |name: &str| format!("{prefix}:{name}");
    let (main, agent) = (
        key("-work-project:s1"),
        key("-work-project:s1:subagents/agent-1"),
    );
    for command in [
        &["RPUSH", &*main, FIRST, r#"{"n": 1}"#][..],
        &["RPUSH", &agent, r#"{"n": 9}"#],
        &[
            "SADD",
            &key("-work-project:s1:__subkeys"),
            "subagents/agent-1",
        ],
        &[
            "ZADD",
            &key("-work-project:__sessions"),
            "1764000000002",
            "s1",
        ],
        &["RPUSH", &key("other:s2"), "{}"],
        &["ZADD", &key("other:__sessions"), "1764000000005", "s2"],
    ] {
        run(&mut client, command).await;
    }
    let settings = Store::builder(server.url());
    // The examples also accept a colon at the end of the prefix.
    let settings = settings.prefix(format!("{prefix}:")).line_limit(1 << 20);
    (ForeignStore::new(&settings).expect("settings"), prefix)
}

#[tokio::test]
async fn keys_of_the_examples_are_read_and_copied() {
    let server = server::shared();
    let (foreign, _) = filled(&server).await;
    let subpath = Subpath::new("subagents/agent-1").expect("a path");
    let subkeys = foreign.subkeys().expect("subkeys");
    let session = session();
    let found = subkeys.subkeys(&session).await.expect("subkeys");
    assert_eq!(found, std::slice::from_ref(&subpath));
    for (project, expected) in [
        (
            None,
            &[
                ("-work-project/s1", 1_764_000_000_002),
                ("other/s2", 1_764_000_000_005),
            ][..],
        ),
        (Some("other"), &[("other/s2", 1_764_000_000_005)]),
        (Some("-work"), &[]),
    ] {
        let listed = foreign.lists().expect("lists").sessions(project);
        let listed: Vec<_> = listed.try_collect().await.expect("a list");
        let listed: Vec<_> = listed
            .iter()
            .map(|listed| (listed.session.to_string(), listed.modified))
            .collect();
        let expected: Vec<_> = expected
            .iter()
            .map(|(name, at)| ((*name).to_owned(), *at))
            .collect();
        assert_eq!(listed, expected);
    }
    let store = fresh(server.url()).await;
    let source = WriterId::new("the example");
    for new in [3, 0] {
        let copied = copy_session(&foreign, &store, &session, &source).await;
        assert_eq!(copied.expect("a copy"), new);
    }
    assert_stored(&store, &session.main(), &[FIRST, r#"{"n": 1}"#].map(line)).await;
    assert_stored(&store, &session.at(subpath), &[line(r#"{"n": 9}"#)]).await;
}

#[tokio::test]
async fn a_long_list_is_read_in_pages() {
    let server = server::shared();
    let (foreign, prefix) = filled(&server).await;
    let mut client = server::client(&server).await;
    let key = format!("{prefix}:long:s3");
    let long = format!(r#"{{"text":"{}"}}"#, "x".repeat(10_000));
    for _ in 0..25 {
        let mut push = vec!["RPUSH", &key];
        push.extend([&*long; 100]);
        run(&mut client, &push).await;
    }
    let session = SessionRef::new("long", "s3").expect("a key").main();
    let loaded: Vec<_> = foreign.load(&session).try_collect().await.expect("lines");
    assert_eq!(loaded.len(), 2500);
    let places = loaded.iter().map(|stored| stored.position);
    assert!(places.eq(0..2500));
    assert!(loaded.iter().all(|stored| stored.line == line(&long)));
}

#[tokio::test]
async fn what_is_no_entry_is_an_error() {
    let server = server::shared();
    let long = "x".repeat(2 << 20);
    for text in ["no JSON", "[1]", &long] {
        let (foreign, prefix) = filled(&server).await;
        let mut client = server::client(&server).await;
        run(
            &mut client,
            &["RPUSH", &format!("{prefix}:-work-project:s1"), text],
        )
        .await;
        let key = session().main();
        let loaded: Result<Vec<_>, _> = foreign.load(&key).try_collect().await;
        assert!(matches!(loaded, Err(StoreError::Corrupt(_))), "{loaded:?}");
    }
    let (foreign, prefix) = filled(&server).await;
    let mut client = server::client(&server).await;
    let key = format!("{prefix}:-work-project:s1:__subkeys");
    run(&mut client, &["SADD", &key, "../../x"]).await;
    let error = foreign
        .subkeys()
        .expect("subkeys")
        .subkeys(&session())
        .await;
    assert!(matches!(error, Err(StoreError::Corrupt(_))), "{error:?}");
}

//! Tests of buckets with the objects that the official SDKs' examples write.

use claw_store::{ReadSessions as _, SessionRef, StoreError, Subpath, WriterId, copy_session};
use claw_store_bucket::{ForeignStore, Store};
use futures::TryStreamExt as _;
use object_store::ObjectStoreExt as _;
use object_store::path::Path;

use crate::server::{self, Server};
use crate::{assert_stored, client, fresh, fresh_name, line, session};

/// A bucket with the objects that the examples write.
struct Example {
    server: std::sync::Arc<Server>,
    prefix: String,
}

impl Example {
    fn new() -> Self {
        Self {
            server: server::shared(),
            prefix: format!("{}/transcripts", fresh_name()),
        }
    }

    async fn put(&self, name: &str, body: &str) {
        let path = Path::parse(format!("{}/{name}", self.prefix)).expect("a name");
        let objects = client(self.server.address());
        let put = objects.put(&path, body.to_owned().into()).await;
        put.expect("an object");
    }

    fn open(&self) -> ForeignStore {
        let settings = Store::builder(client(self.server.address()));
        // The examples also accept a slash at the end of the prefix.
        let settings = settings
            .prefix(format!("{}/", self.prefix))
            .line_limit(1 << 20);
        ForeignStore::new(settings).expect("a bucket")
    }
}

const FIRST: &str = r#"{"type":"user","uuid":"a","text":"\ud800 \u00e9"}"#;

async fn filled() -> Example {
    let example = Example::new();
    let session = "-work-project/s1";
    // The objects are not created in the order of their names.
    for (name, body) in [
        (
            "part-1764000000002-00ff00.jsonl",
            "{\"n\":2}\n{\"n\":3}\n".to_owned(),
        ),
        (
            "part-1764000000001-ffffff.jsonl",
            format!("{FIRST}\n\n{{\"n\":1}}"),
        ),
        (
            "subagents/agent-1/part-1764000000009-000000.jsonl",
            "{\"n\":9}\n".to_owned(),
        ),
        ("notes.txt", "of somebody else".to_owned()),
    ] {
        example.put(&format!("{session}/{name}"), &body).await;
    }
    example
        .put("other/s2/part-1764000000005-000000.jsonl", "{}\n")
        .await;
    // The session has a transcript of a sub-agent and no main transcript.
    example
        .put(
            "other/s3/subagents/x/part-1764000000005-000000.jsonl",
            "{}\n",
        )
        .await;
    example
}

#[tokio::test]
async fn objects_of_the_examples_are_read_and_copied() {
    let example = filled().await;
    let foreign = example.open();
    let agent = session().at(Subpath::new("subagents/agent-1").expect("a path"));
    let session = session();
    let subkeys = foreign.subkeys().expect("subkeys").subkeys(&session);
    assert_eq!(
        subkeys.await.expect("subkeys"),
        [Subpath::new("subagents/agent-1").expect("a path")]
    );
    for (project, expected) in [
        (None, &["-work-project/s1", "other/s2"][..]),
        (Some("other"), &["other/s2"]),
        (Some("-work"), &[]),
    ] {
        let listed = foreign.lists().expect("lists").sessions(project);
        let listed: Vec<_> = listed.try_collect().await.expect("a list");
        let names: Vec<_> = listed
            .iter()
            .map(|listed| listed.session.to_string())
            .collect();
        assert_eq!(names, expected);
        if let Some(first) = listed.first().filter(|_| project.is_none()) {
            assert_eq!(first.modified, 1_764_000_000_002);
        }
    }
    let store = fresh(&example.server).await;
    let source = WriterId::new("the example");
    for new in [5, 0] {
        let copied = copy_session(&foreign, &store, &session, &source).await;
        assert_eq!(copied.expect("a copy"), new);
    }
    let lines = [FIRST, r#"{"n":1}"#, r#"{"n":2}"#, r#"{"n":3}"#].map(line);
    assert_stored(&store, &session.main(), &lines).await;
    assert_stored(&store, &agent, &[line(r#"{"n":9}"#)]).await;
}

#[tokio::test]
async fn what_is_no_entry_is_an_error() {
    let long = "x".repeat(2 << 20);
    for body in ["no JSON\n", "[1]\n", "{\n}\n", long.as_str()] {
        let example = filled().await;
        example
            .put("-work-project/s1/part-1764000000003-000000.jsonl", body)
            .await;
        let foreign = example.open();
        let key = session().main();
        let loaded: Result<Vec<_>, _> = foreign.load(&key).try_collect().await;
        assert!(matches!(loaded, Err(StoreError::Corrupt(_))), "{loaded:?}");
    }
    let example = filled().await;
    example
        .put("-work-project/s1/C:x/part-1764000000003-000000.jsonl", "{}")
        .await;
    let foreign = example.open();
    let session = session();
    let found = foreign.subkeys().expect("subkeys").subkeys(&session).await;
    assert!(matches!(found, Err(StoreError::Corrupt(_))), "{found:?}");
    let unknown = SessionRef::new("..", "s1").expect("a key").main();
    let loaded: Result<Vec<_>, _> = foreign.load(&unknown).try_collect().await;
    assert!(matches!(loaded, Err(StoreError::Refused(_))), "{loaded:?}");
}

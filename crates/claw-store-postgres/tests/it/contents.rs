//! Tests of tables in which another program has changed or removed rows.

use claw_store::{ReadSessions as _, SessionStore as _, StoreError, WriterId};
use claw_store_postgres::Store;
use claw_testkit::store::faults;
use claw_testkit::store::samples::{entries_are_read_alone, fill};
use futures::StreamExt as _;

use crate::server::{self, Server};
use crate::{batch, fresh_name, note, session, texts};

/// Returns a store with two sessions of three lines each, and a connection whose search path contains the store's
/// schema.
async fn filled(server: &Server) -> (Store, tokio_postgres::Client) {
    let schema = fresh_name();
    let store = Store::builder(server.url())
        .schema(&schema)
        .line_limit(1 << 20)
        .connect()
        .await
        .expect("a store");
    let client = server::client(server).await;
    client
        .batch_execute(&format!("SET search_path = {schema}"))
        .await
        .expect("its tables");
    fill(&store).await;
    (store, client)
}

async fn after(change: &str) -> Result<Vec<String>, StoreError> {
    let server = server::shared();
    let (store, client) = filled(&server).await;
    client.batch_execute(change).await.expect("a change");
    texts(&store, &session().main()).await
}

#[tokio::test]
async fn lines_that_were_removed_are_missed() {
    for (gone, missing) in [
        ("position = 0", "line 0 of 3"),
        ("position = 1", "line 1 of 3"),
        ("position = 2", "line 2 of 3"),
        ("true", "line 0 of 3"),
    ] {
        let loaded = after(&format!("DELETE FROM lines WHERE {gone}")).await;
        let Err(StoreError::Incomplete { key, what, .. }) = loaded else {
            panic!("{gone}: {loaded:?}");
        };
        assert_eq!(key, session().main());
        assert!(what.contains(missing), "{what}");
    }
}

#[tokio::test]
async fn what_is_no_line_is_an_error() {
    for change in [
        "UPDATE lines SET line = 'no JSON' WHERE position = 1",
        "UPDATE lines SET line = '[1]' WHERE position = 1",
        "UPDATE lines SET line = E'{\n}' WHERE position = 1",
        "UPDATE lines SET line = '' WHERE position = 1",
        "UPDATE lines SET line = repeat('x', 200000000) WHERE position = 1",
        "UPDATE transcripts SET lines = -1",
        "ALTER TABLE lines ALTER line TYPE bytea USING convert_to(line, 'UTF8')",
    ] {
        let loaded = after(change).await;
        assert!(
            matches!(loaded, Err(StoreError::Corrupt(_))),
            "{change}: {loaded:?}"
        );
    }
    let change = "ALTER TABLE lines ALTER line DROP NOT NULL; UPDATE lines SET line = NULL";
    let loaded = after(change).await;
    assert!(
        matches!(loaded, Err(StoreError::Incomplete { .. })),
        "{loaded:?}"
    );
    for change in ["DROP TABLE lines", "ALTER TABLE lines DROP line"] {
        let loaded = after(change).await;
        assert!(
            matches!(loaded, Err(StoreError::Refused(_))),
            "{change}: {loaded:?}"
        );
    }
}

#[tokio::test]
async fn lines_behind_the_end_are_an_error_of_the_next_append() {
    let server = server::shared();
    let (store, client) = filled(&server).await;
    client
        .batch_execute("INSERT INTO lines SELECT transcript, 3, NULL, '{}' FROM lines LIMIT 1")
        .await
        .expect("a line");
    let key = session().main();
    assert_eq!(texts(&store, &key).await.expect("a load").len(), 3);
    let writer = WriterId::new("w");
    let error = store
        .append(&key, batch(&writer, 3, &[note("d")], None))
        .await
        .expect_err("its place is taken");
    assert!(matches!(error, StoreError::Corrupt(_)), "{error:?}");
}

#[tokio::test]
async fn a_key_that_is_none_is_an_error() {
    let server = server::shared();
    for path in ["../../x", "/x", "C:x", "a/../../b", "a\u{1}b"] {
        let (store, client) = filled(&server).await;
        client
            .execute(
                "INSERT INTO transcripts (session_id, subpath, lines) SELECT id, $1, 1 FROM sessions",
                &[&path],
            )
            .await
            .expect("a transcript");
        let session = session();
        let subkeys = store.subkeys().expect("subkeys").subkeys(&session).await;
        assert!(
            matches!(subkeys, Err(StoreError::Corrupt(_))),
            "{path}: {subkeys:?}"
        );
    }
    let (store, client) = filled(&server).await;
    client
        .batch_execute("DROP INDEX lines_uuid; ALTER TABLE sessions DROP CONSTRAINT sessions_project_session_key")
        .await
        .expect("no index, which would refuse the long name");
    client
        .batch_execute("UPDATE sessions SET session = repeat('x', 100000000)")
        .await
        .expect("a name");
    let listed: Vec<_> = store.lists().expect("lists").sessions(None).collect().await;
    assert!(
        matches!(listed[..], [Err(StoreError::Corrupt(_))]),
        "{listed:?}"
    );
}

#[tokio::test]
async fn a_summary_that_is_none_is_an_error() {
    let server = server::shared();
    for summary in ["'no JSON'", "'[1]'", "repeat('x', 100000000)"] {
        let (store, client) = filled(&server).await;
        client
            .batch_execute(&format!("UPDATE transcripts SET summary = {summary}"))
            .await
            .expect("a summary");
        let listed: Vec<_> = store.lists().expect("lists").sessions(None).collect().await;
        assert!(
            matches!(listed[..], [Err(StoreError::Corrupt(_))]),
            "{listed:?}"
        );
        let writer = WriterId::new("w");
        let error = store
            .append(&session().main(), batch(&writer, 3, &[note("d")], None))
            .await
            .expect_err("it cannot be folded into");
        assert!(matches!(error, StoreError::Corrupt(_)), "{error:?}");
        entries_are_read_alone(&store).await;
    }
}

#[tokio::test]
async fn a_too_long_line_is_not_stored() {
    let server = server::shared();
    let (store, _) = filled(&server).await;
    faults::too_long_line_is_not_stored(&store).await;
}

#[tokio::test]
async fn a_session_that_is_deleted_during_a_load_is_no_shorter_session() {
    let server = server::shared();
    let (store, _) = filled(&server).await;
    faults::deleted_session_is_no_shorter_session(&store).await;
}

/// No call of a store leaves such rows. An operator has deleted the others.
#[tokio::test]
async fn rows_that_no_session_uses_are_named() {
    let server = server::shared();
    let (store, client) = filled(&server).await;
    let leftovers = store.leftovers().expect("leftovers");
    assert_eq!(leftovers.leftovers(true).await.expect("a list"), []);
    let deletes = store.deletes().expect("deletes");
    let gone = claw_store::SessionRef::new("-work-project", "s3").expect("a key");
    let (writer, lines) = (WriterId::new("w"), [note("x")]);
    for key in [
        gone.main(),
        session().at(claw_store::Subpath::new("a").expect("a path")),
    ] {
        let appended = store.append(&key, batch(&writer, 0, &lines, None));
        appended.await.expect("an append");
    }
    deletes.delete_session(&gone).await.expect("a delete");
    assert_eq!(leftovers.leftovers(true).await.expect("a list"), []);
    let changes = "
        INSERT INTO lines (transcript, position, line) SELECT 1000001, n, '{}' FROM generate_series(0, 4) n;
        INSERT INTO writers (transcript, writer, next) VALUES (1000002, 'w', 1);
        INSERT INTO transcripts (session_id, subpath, lines) VALUES (1000003, '', 7);
        DELETE FROM transcripts USING sessions s
            WHERE session_id = s.id AND s.session = 's1' AND subpath = ''";
    client.batch_execute(changes).await.expect("changes");
    let found = leftovers.leftovers(true).await.expect("a list");
    let schema = client
        .query_one("SELECT current_schema()", &[])
        .await
        .expect("a name");
    let schema: String = schema.get(0);
    let found: Vec<_> = found
        .iter()
        .map(|found| (found.place.replace(&schema, "S"), found.count, found.unit))
        .collect();
    // The transcript that is gone had three lines of one writer.
    let own = |table: &str| {
        let is_own = |(place, ..): &&(String, u64, &str)| {
            place.starts_with(&format!("S.{table}, transcript"))
        };
        found
            .iter()
            .filter(is_own)
            .map(|(_, count, _)| *count)
            .collect::<Vec<_>>()
    };
    assert_eq!(own("lines"), [3, 5], "{found:?}");
    assert_eq!(own("writers"), [1, 1], "{found:?}");
    assert!(
        found
            .iter()
            .any(|(place, ..)| place.starts_with("S.transcripts, id ")),
        "{found:?}"
    );
    assert!(
        found.contains(&(session().to_string(), 1, "line")),
        "{found:?}"
    );
    assert_eq!(found.len(), 6, "{found:?}");
    assert_eq!(leftovers.leftovers(true).await.expect("a list").len(), 6);
}

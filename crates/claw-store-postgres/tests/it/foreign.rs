//! Tests of tables that the official SDKs' examples write.

use claw_store::{
    ReadSessions as _, Retry, SessionRef, StoreError, Subpath, WriterId, copy_session,
};
use claw_store_postgres::{ForeignStore, ForeignTable, Store};
use futures::TryStreamExt as _;
use tokio_postgres::Client;

use crate::server::{self, Server};
use crate::{fresh, fresh_name};

/// A table that an example creates, and a connection to its server.
struct Example {
    table: ForeignTable,
    client: Client,
    /// The SQL value of the subpath for the main transcript.
    main: &'static str,
    name: String,
}

impl Example {
    async fn typescript(server: &Server) -> Self {
        let table = ForeignTable::typescript();
        let columns = "id bigserial PRIMARY KEY, project_key text NOT NULL, session_id text NOT NULL, \
            subpath text, entry jsonb NOT NULL, created_at timestamptz NOT NULL DEFAULT now()";
        Self::make(server, table, "claude_session_entries", columns, "NULL").await
    }

    async fn python(server: &Server) -> Self {
        let table = ForeignTable::python();
        let columns = "project_key text NOT NULL, session_id text NOT NULL, subpath text NOT NULL DEFAULT '', \
            seq bigserial, entry jsonb NOT NULL, \
            mtime bigint NOT NULL DEFAULT (extract(epoch FROM now()) * 1000)::bigint, \
            PRIMARY KEY (project_key, session_id, subpath, seq)";
        Self::make(server, table, "claude_session_store", columns, "''").await
    }

    async fn make(
        server: &Server,
        table: ForeignTable,
        name: &str,
        columns: &str,
        main: &'static str,
    ) -> Self {
        let name = format!("{}.{name}", fresh_name());
        let schema = name.split('.').next().expect("a schema");
        let client = server::client(server).await;
        client
            .batch_execute(&format!(
                "CREATE SCHEMA {schema}; CREATE TABLE {name} ({columns})"
            ))
            .await
            .expect("a table");
        Self {
            // The examples write the name without quotes.
            table: table.named(name.to_uppercase()),
            client,
            main,
            name,
        }
    }

    async fn insert(&self, project: &str, session: &str, subpath: Option<&str>, entries: &str) {
        let subpath = subpath.map_or(self.main.to_owned(), |path| format!("'{path}'"));
        let sql = format!(
            "INSERT INTO {} (project_key, session_id, subpath, entry)
            SELECT '{project}', '{session}', {subpath}, entry FROM ({entries}) entries (entry)",
            self.name
        );
        self.client.batch_execute(&sql).await.expect("entries");
    }

    async fn open(&self, server: &Server) -> ForeignStore {
        let settings = Store::builder(server.url()).line_limit(1 << 20);
        ForeignStore::connect(settings, self.table.clone())
            .await
            .expect("a table")
    }
}

async fn texts(store: &ForeignStore, session: &SessionRef) -> Result<Vec<String>, StoreError> {
    let key = session.main();
    let lines = store.load(&key);
    lines
        .map_ok(|stored| stored.line.as_str().to_owned())
        .try_collect()
        .await
}

/// Checks that the entries of an example's table are read and copied.
async fn is_read_and_copied(server: &Server, example: Example) {
    let session = SessionRef::new("p", "s1").expect("a key");
    let entries = r#"VALUES ('{"uuid": "u1", "type": "user", "text": "a  b"}'::jsonb), ('{"type": "note"}'), ('{"type": "note"}')"#;
    example.insert("p", "s1", None, entries).await;
    example.insert("p", "s2", None, "SELECT '{}'::jsonb").await;
    example.insert("q", "s1", None, "SELECT '{}'::jsonb").await;
    let agent = "subagents/agent-1";
    example
        .insert(
            "p",
            "s1",
            Some(agent),
            "SELECT '{\"of\": \"agent\"}'::jsonb",
        )
        .await;
    let many = "SELECT jsonb_build_object('type', 'n', 'n', n, 'x', repeat(md5(n::text), 30)) FROM generate_series(1, 2500) n";
    example.insert("p", "s3", None, many).await;
    let store = example.open(server).await;
    let lines = [
        r#"{"type":"user","text":"a  b","uuid":"u1"}"#,
        r#"{"type":"note"}"#,
        r#"{"type":"note"}"#,
    ];
    assert_eq!(texts(&store, &session).await.expect("a load"), lines);
    let lists = store.lists().expect("lists");
    let mut listed: Vec<_> = lists.sessions(None).try_collect().await.expect("a list");
    listed.sort_by(|a, b| a.session.cmp(&b.session));
    let names: Vec<_> = listed
        .iter()
        .map(|listed| listed.session.to_string())
        .collect();
    assert_eq!(names, ["p/s1", "p/s2", "p/s3", "q/s1"]);
    assert!(
        listed
            .iter()
            .all(|listed| listed.modified > 1_000_000_000_000)
    );
    let of_q: Vec<_> = lists
        .sessions(Some("q"))
        .try_collect()
        .await
        .expect("a list");
    assert_eq!(of_q.len(), 1);
    let subkeys = store.subkeys().expect("subkeys").subkeys(&session).await;
    assert_eq!(
        subkeys.expect("subkeys"),
        [Subpath::new(agent).expect("a path")]
    );
    // A first copy stores all lines in their order, and a second copy stores only new lines.
    let (to, source) = (fresh(server.url()).await, WriterId::new("example"));
    for new in [4, 0] {
        assert_eq!(
            copy_session(&store, &to, &session, &source)
                .await
                .expect("a copy"),
            new
        );
    }
    assert_eq!(
        crate::texts(&to, &session.main()).await.expect("a load"),
        lines
    );
    example.insert("p", "s1", None, entries).await;
    // Of the appended entries, only two are new, because one has a known UUID.
    assert_eq!(
        copy_session(&store, &to, &session, &source)
            .await
            .expect("a copy"),
        2
    );
    let large = SessionRef::new("p", "s3").expect("a key");
    assert_eq!(
        copy_session(&store, &to, &large, &source)
            .await
            .expect("a copy"),
        2500
    );
    let copied = crate::texts(&to, &large.main()).await.expect("a load");
    assert_eq!(copied, texts(&store, &large).await.expect("a load"));
    assert!(
        copied
            .iter()
            .zip(1..)
            .all(|(line, n)| line.starts_with(&format!(r#"{{"type":"n","n":{n},"#)))
    );
    // Each of these rows either is not a JSON object, or is longer than a line may be.
    for (session, entry) in [
        ("bad1", "SELECT '[1]'::jsonb"),
        (
            "bad2",
            "SELECT jsonb_build_object('x', repeat('x', 50000000))",
        ),
    ] {
        example.insert("p", session, None, entry).await;
        let session = SessionRef::new("p", session).expect("a key");
        let loaded = texts(&store, &session).await;
        assert!(matches!(loaded, Err(StoreError::Corrupt(_))), "{loaded:?}");
    }
    example
        .insert("p", "s1", Some("../../x"), "SELECT '{}'::jsonb")
        .await;
    let subkeys = store.subkeys().expect("subkeys").subkeys(&session).await;
    assert!(
        matches!(subkeys, Err(StoreError::Corrupt(_))),
        "{subkeys:?}"
    );
}

#[tokio::test]
async fn a_table_of_the_typescript_example_is_read_and_copied() {
    let server = server::shared();
    let example = Example::typescript(&server).await;
    is_read_and_copied(&server, example).await;
}

#[tokio::test]
async fn a_table_of_the_python_example_is_read_and_copied() {
    let server = server::shared();
    let example = Example::python(&server).await;
    is_read_and_copied(&server, example).await;
}

#[tokio::test]
async fn a_table_that_is_another_one_is_refused() {
    let server = server::shared();
    let typescript = Example::typescript(&server).await.name;
    for table in [
        ForeignTable::typescript().named("missing"),
        ForeignTable::python().named(typescript),
        ForeignTable::python().named("a; DROP TABLE b"),
        ForeignTable::python().named("a.b.c"),
        ForeignTable::python().named(""),
    ] {
        let settings = Store::builder(server.url());
        let error = ForeignStore::connect(settings, table.clone())
            .await
            .expect_err("another table");
        assert_eq!(error.retry(), Retry::No, "{table:?}: {error:?}");
    }
}

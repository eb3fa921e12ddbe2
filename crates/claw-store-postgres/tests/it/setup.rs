//! Tests of connecting, of creating the tables, and of keys with the maximum length.

use claw_store::{
    Line, Owner, ReadSessions as _, Retry, SessionRef, SessionStore as _, StoreError, WriterId,
};
use claw_store_postgres::Store;
use claw_testkit::store::samples::{fill, three_lines};
use futures::TryStreamExt as _;
use futures::future::{join_all, try_join_all};

use crate::server::{self, free_address, url};
use crate::{assert_stored, batch, fresh, fresh_name, line, note, session, user_line};

/// The number of versions that the tables have had.
const VERSIONS: i64 = 3;

#[tokio::test(flavor = "multi_thread")]
async fn hosts_that_start_at_once_make_the_tables_once() {
    let server = server::shared();
    let schema = fresh_name();
    let stores = (0..12).map(|_| {
        Store::builder(server.url())
            .schema(&schema)
            .connections(1)
            .connect()
    });
    let stores = try_join_all(stores).await.expect("stores");
    let key = session().main();
    let writer = WriterId::new("w");
    for (number, store) in stores.iter().enumerate() {
        store
            .append(&key, batch(&writer, number as u64, &[note("x")], None))
            .await
            .expect("an append");
    }
    let client = server::client(&server).await;
    let migrations = format!("SELECT count(*) FROM {schema}.migrations");
    let row = client.query_one(&migrations, &[]).await.expect("a count");
    assert_eq!(row.get::<_, i64>(0), VERSIONS);
}

#[tokio::test]
async fn tables_are_made_by_a_role_that_may_and_used_by_one_that_may_not() {
    let server = server::shared();
    let schema = fresh_name();
    let client = server::client(&server).await;
    let role = format!("role_{schema}");
    client
        .batch_execute(&format!("CREATE ROLE {role} LOGIN"))
        .await
        .expect("a role");
    let url = format!("postgres://{role}@{}/postgres", server.address());
    let open = |migrate| {
        Store::builder(&url)
            .schema(&schema)
            .migrate(migrate)
            .connect()
    };
    for migrate in [false, true] {
        let error = open(migrate).await.expect_err("there are no tables");
        assert_eq!(error.retry(), Retry::No, "{error:?}");
    }
    Store::builder(server.url())
        .schema(&schema)
        .connect()
        .await
        .expect("a store");
    client
        .batch_execute(&format!(
            "GRANT USAGE ON SCHEMA {schema} TO {role};
             GRANT SELECT ON ALL TABLES IN SCHEMA {schema} TO {role};
             GRANT INSERT, UPDATE, DELETE ON {schema}.sessions, {schema}.transcripts, {schema}.writers,
                 {schema}.lines TO {role}"
        ))
        .await
        .expect("rights");
    for migrate in [false, true] {
        let store = open(migrate).await.expect("a store");
        let key = SessionRef::new("p", format!("s{migrate}"))
            .expect("a key")
            .main();
        let writer = WriterId::new("w");
        let lines = [user_line("a")];
        store
            .append(&key, batch(&writer, 0, &lines, None))
            .await
            .expect("an append");
        assert_stored(&store, &key, &lines).await;
    }
}

#[tokio::test]
async fn tables_of_a_newer_version_are_refused() {
    let server = server::shared();
    let schema = fresh_name();
    let open = || Store::builder(server.url()).schema(&schema).connect();
    open().await.expect("a store");
    let newer = format!("INSERT INTO {schema}.migrations (version) VALUES (1000)");
    let client = server::client(&server).await;
    client.batch_execute(&newer).await.expect("a version");
    let error = open().await.expect_err("a newer version");
    assert_eq!(error.retry(), Retry::No);
    let text = error.to_string();
    assert!(text.contains("the tables have version 1000"), "{text}");
}

#[tokio::test]
async fn a_database_that_cannot_keep_every_text_is_refused() {
    let server = server::shared();
    let client = server::client(&server).await;
    client
        .batch_execute("CREATE DATABASE latin ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0")
        .await
        .expect("a database");
    let url = server
        .url()
        .replace("/postgres", "/latin")
        .replace("postgres:/latin", "postgres:/");
    let error = Store::connect(&url).await.expect_err("its encoding");
    assert_eq!(error.retry(), Retry::No);
    assert!(error.to_string().contains("LATIN1"), "{error}");
}

#[tokio::test]
async fn errors_say_what_helps_and_no_secret() {
    let server = server::shared();
    let away = url(free_address().expect("a port"));
    let shown = |error: &StoreError| format!("{error} {error:?}");
    let error = Store::connect(&away).await.expect_err("nobody is there");
    assert_eq!(error.retry(), Retry::Later, "{error:?}");
    assert!(!shown(&error).contains("secret-of-tests"), "{error:?}");
    let at = server.address();
    for (wrong, schema) in [
        (
            format!("postgres://nobody:secret-of-tests@{at}/postgres"),
            "claw",
        ),
        (
            format!("postgres://claw:secret-of-tests@{at}/unknown"),
            "claw",
        ),
        (
            format!("postgres://claw:secret-of-tests@{at}/postgres?sslmode=require"),
            "claw",
        ),
        (
            "postgres://claw@localhost/x?secret-of-tests=b".to_owned(),
            "claw",
        ),
        ("host=localhost secret-of-tests".to_owned(), "claw"),
        (server.url().to_owned(), ""),
        (server.url().to_owned(), "a\"; DROP SCHEMA public; --"),
        (server.url().to_owned(), "1a"),
    ] {
        let builder = Store::builder(&wrong).schema(schema);
        assert!(!format!("{builder:?}").contains("secret-of-tests"));
        let error = builder.connect().await.expect_err(&wrong);
        assert_eq!(error.retry(), Retry::No, "{wrong}: {error:?}");
        assert!(!shown(&error).contains("secret-of-tests"), "{error:?}");
    }
    let store = fresh(server.url()).await;
    assert!(!format!("{store:?}").contains("secret-of-tests"));
}

#[tokio::test]
async fn keys_writers_and_uuids_may_be_as_long_as_they_can_be() {
    let server = server::shared();
    let store = fresh(server.url()).await;
    // The texts cannot be compressed. Postgres compresses an index entry, which may then have at
    // most 2,704 bytes.
    let long = |seed: u64, bytes: usize| -> String {
        let mut state = seed;
        let letters = (0..bytes).map(|_| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            char::from(b'!' + u8::try_from((state >> 33) % 90).expect("a letter"))
        });
        letters
            .map(|letter| {
                if matches!(letter, '\\' | ':' | '/' | '.' | '"') {
                    'x'
                } else {
                    letter
                }
            })
            .collect()
    };
    let session = SessionRef::new(long(1, 1024), long(2, 1024)).expect("a key");
    let subpath = claw_store::Subpath::new(&long(3, 1024)).expect("a subpath");
    let beside = session.at(subpath.clone());
    let uuid = long(4, 100_000);
    let lines = [
        user_line(&uuid),
        user_line(&uuid[1..]),
        line(r#"{"uuid":"nul\u0000"}"#),
    ];
    for writer in ["nul\0", &long(5, 128), ""] {
        let writer = WriterId::new(writer);
        store
            .append(&beside, batch(&writer, 0, &lines, None))
            .await
            .expect("an append");
        assert_eq!(
            store.next_number(&beside, &writer).await.expect("a number"),
            3
        );
    }
    assert_stored(&store, &beside, &lines).await;
    let subkeys = store.subkeys().expect("subkeys").subkeys(&session).await;
    assert_eq!(subkeys.expect("subkeys"), [subpath]);
}

#[tokio::test]
async fn calls_wait_for_a_connection_and_leave_none_behind() {
    let server = server::shared();
    let schema = fresh_name();
    let name = format!("app_{schema}");
    let store = Store::builder(&format!("{}?application_name={name}", server.url()))
        .schema(&schema)
        .connections(2)
        .connect()
        .await
        .expect("a store");
    let keys: Vec<_> = (0..20)
        .map(|n| SessionRef::new("p", format!("s{n}")).expect("a key").main())
        .collect();
    let writer = WriterId::new("w");
    let lines = [user_line("a")];
    let appends = keys
        .iter()
        .map(|key| store.append(key, batch(&writer, 0, &lines, None)));
    try_join_all(appends).await.expect("appends");
    // A call that is dropped at any moment releases its connection.
    join_all(keys.iter().map(|key| async {
        let load = store.load(key).try_collect::<Vec<_>>();
        let append = store.append(key, batch(&writer, 1, &lines, None));
        futures::future::select(Box::pin(load), append).await;
    }))
    .await;
    let listed: Vec<_> = store
        .lists()
        .expect("lists")
        .sessions(Some("p"))
        .try_collect()
        .await
        .expect("a list");
    assert_eq!(listed.len(), 20);
    let count = format!("SELECT count(*) FROM pg_stat_activity WHERE application_name = '{name}'");
    let client = server::client(&server).await;
    // The server notices with a delay that a connection was closed.
    while client
        .query_one(&count, &[])
        .await
        .expect("a count")
        .get::<_, i64>(0)
        > 2
    {}
}

/// The columns of sizes have no version, so that a host of an older claw connects to tables that have them.
#[tokio::test]
async fn columns_of_sizes_are_added_to_tables_of_an_older_claw() {
    let server = server::shared();
    let schema = fresh_name();
    let open = |migrate| {
        Store::builder(server.url())
            .schema(&schema)
            .migrate(migrate)
            .connect()
    };
    fill(&open(true).await.expect("a store")).await;
    let client = server::client(&server).await;
    let drop = format!("ALTER TABLE {schema}.transcripts DROP bytes, DROP sized");
    client.batch_execute(&drop).await.expect("older tables");
    let error = open(false).await.expect_err("the tables lack columns");
    assert_eq!(error.retry(), Retry::No, "{error:?}");
    assert!(error.to_string().contains("columns"), "{error}");
    let store = open(true).await.expect("a store");
    let expected = [Some(length(&three_lines()))];
    assert_eq!(sizes(&store).await, expected);
    assert_eq!(sizes(&open(false).await.expect("a store")).await, expected);
}

#[tokio::test]
async fn lines_of_an_older_claw_are_measured_once() {
    let server = server::shared();
    let schema = fresh_name();
    let open = || Store::builder(server.url()).schema(&schema).connect();
    let store = open().await.expect("a store");
    fill(&store).await;
    let client = server::client(&server).await;
    client
        .batch_execute(&format!("SET search_path = {schema}"))
        .await
        .expect("its tables");
    // Stores lines as a host with an older version of claw does.
    let [old, new] = ["old ä", "new"].map(note);
    client
        .execute(
            "WITH t AS (UPDATE transcripts SET lines = lines + 1 RETURNING id, lines)
            INSERT INTO lines SELECT id, lines - 1, NULL, $1 FROM t",
            &[&old.as_str()],
        )
        .await
        .expect("an older append");
    let writer = WriterId::new("w");
    let lines = [new.clone()];
    let appended = store
        .append(&session().main(), batch(&writer, 3, &lines, None))
        .await;
    assert_eq!(appended.expect("an append").total, 5);
    let mut all = three_lines().to_vec();
    all.extend([old, new]);
    assert_eq!(sizes(&store).await, [Some(length(&all))]);
    let kept = "SELECT count(*) FROM transcripts WHERE sized = lines";
    let kept = client.query_one(kept, &[]).await.expect("a count");
    assert_eq!(kept.get::<_, i64>(0), 1);
    // Removes a line that was measured. Its length remains in the size, because measured lines are not read
    // again. An append adds the length of the new line.
    let gone = "DELETE FROM lines WHERE position = 0";
    client.batch_execute(gone).await.expect("a change");
    let more = [note("more")];
    let appended = store
        .append(&session().main(), batch(&writer, 4, &more, None))
        .await;
    appended.expect("an append");
    all.extend(more);
    assert_eq!(
        sizes(&open().await.expect("a store")).await,
        [Some(length(&all))]
    );
    // If lines are missing, the list contains the session without a size.
    let unmeasured = "UPDATE transcripts SET sized = 0, bytes = 0";
    client.batch_execute(unmeasured).await.expect("a change");
    assert_eq!(sizes(&store).await, [None]);
}

#[tokio::test]
async fn a_role_that_may_only_read_lists_sessions() {
    let server = server::shared();
    let schema = fresh_name();
    let store = Store::builder(server.url()).schema(&schema).connect();
    let store = store.await.expect("a store");
    fill(&store).await;
    let client = server::client(&server).await;
    let role = format!("role_{schema}");
    client
        .batch_execute(&format!(
            "UPDATE {schema}.transcripts SET sized = 0, bytes = 0;
            CREATE ROLE {role} LOGIN;
            GRANT USAGE ON SCHEMA {schema} TO {role};
            GRANT SELECT ON ALL TABLES IN SCHEMA {schema} TO {role}"
        ))
        .await
        .expect("a role");
    let url = format!("postgres://{role}@{}/postgres", server.address());
    let reader = Store::builder(&url).schema(&schema).migrate(false);
    let reader = reader.connect().await.expect("a store");
    let size = Some(length(&three_lines()));
    // The first list measures the lines, and finds out that it may not keep the result.
    for expected in [size, None] {
        assert_eq!(sizes(&reader).await, [expected]);
    }
    for of in [&store, &reader] {
        assert_eq!(sizes(of).await, [size]);
    }
}

async fn sizes(store: &Store) -> Vec<Option<u64>> {
    let listed = store.lists().expect("lists").sessions(None);
    let sizes = listed.map_ok(|listed| listed.size);
    sizes.try_collect().await.expect("a list")
}

/// Returns the length of lines, each with a line feed.
fn length(lines: &[Line]) -> u64 {
    let lengths = lines.iter().map(|line| line.as_str().len() as u64 + 1);
    lengths.sum()
}

#[tokio::test]
async fn a_list_goes_on_over_many_pages() {
    let server = server::shared();
    let store = fresh(server.url()).await;
    let writer = WriterId::new("w");
    let lines = [user_line("a")];
    let mut keys = Vec::new();
    for n in 0..150 {
        for project in ["a", "b"] {
            keys.push(SessionRef::new(project, format!("s{n:03}")).expect("a key"));
        }
    }
    for n in 0..230 {
        let subpath = claw_store::Subpath::new(&format!("subagents/agent-{n:03}"));
        let key = keys[0].at(subpath.expect("a subpath"));
        store
            .append(&key, batch(&writer, 0, &lines, None))
            .await
            .expect("an append");
    }
    for key in &keys {
        store
            .append(&key.main(), batch(&writer, 0, &lines, None))
            .await
            .expect("an append");
    }
    let lists = store.lists().expect("lists");
    keys.sort();
    let listed: Vec<_> = lists
        .sessions(None)
        .map_ok(|listed| listed.session)
        .try_collect()
        .await
        .expect("a list");
    assert_eq!(listed, keys);
    let listed: Vec<_> = lists
        .sessions(Some("b"))
        .try_collect()
        .await
        .expect("a list");
    assert_eq!(listed.len(), 150);
    let subkeys = store.subkeys().expect("subkeys").subkeys(&keys[0]).await;
    assert_eq!(subkeys.expect("subkeys").len(), 230);
}

#[tokio::test]
async fn an_owner_that_cannot_be_stored_is_refused() {
    let server = server::shared();
    let store = fresh(server.url()).await;
    let session = session();
    let error = store
        .claims()
        .expect("claims")
        .claim(
            &session,
            &Owner::new("nul\0"),
            std::time::Duration::from_secs(1),
        )
        .await
        .expect_err("a NUL");
    assert_eq!(error.retry(), Retry::No, "{error:?}");
}

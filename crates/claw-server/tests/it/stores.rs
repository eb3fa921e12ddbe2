//! The list of a server whose sessions are kept in a store.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use claw_client::store::{
    Batch, Line, MemoryStore, SessionRef, SessionStore, StoreError, StoreKey, StoreOptions,
    Subpath, WriterId,
};
use claw_server::{NewUser, Project, Role, Users};
use claw_store::FsStore;
use claw_testkit::agent::Script;
use claw_testkit::store::{Call, Intercept, Intercepted, intercepted};
use futures::future::{join_all, pending};
use serde_json::{Value, json};

use crate::client::{Response, Running, soon};
use crate::faults::Row;
use crate::list::{id, page, refresh, write};
use crate::past::{is_copied, two_turns};

/// A store that counts how often it is listed, and does not answer if it is silent. It has no other capability.
type Listing = Intercepted<Lists, MemoryStore>;

#[derive(Debug, Default)]
struct Lists {
    is_silent: bool,
    count: AtomicUsize,
}

impl Intercept for Lists {
    async fn before(&self, call: Call) -> Result<(), StoreError> {
        if call == Call::Sessions {
            self.count.fetch_add(1, Relaxed);
            if self.is_silent {
                pending::<()>().await;
            }
        }
        Ok(())
    }

    fn has(&self, call: Call) -> bool {
        call == Call::Sessions
    }
}

fn silent() -> Arc<Listing> {
    let lists = Lists {
        is_silent: true,
        ..Lists::default()
    };
    Arc::new(intercepted(Arc::default(), lists))
}

async fn running(store: Arc<Listing>) -> Running {
    Running::start_as(Script::reply("Hi."), |builder| builder.store(store)).await
}

/// Stores a session as another host has written it.
async fn store(store: &Listing, number: u64) {
    append(store, number, "b0000000").await;
}

/// Appends a line to a session in the store. Lines differ in how their UUIDs begin.
async fn append(store: &Listing, number: u64, begin: &str) {
    let line = json!({"type": "user", "uuid": format!("{begin}-0000-4000-8000-{number:012}"), "parentUuid": null,
        "sessionId": id(number), "cwd": "/elsewhere", "timestamp": "2026-01-01T00:00:00.000Z",
        "message": {"role": "user", "content": format!("Stored number {number}")}});
    append_all(store, number, &[line]).await;
}

/// Appends lines to a session in the store.
async fn append_all(store: &Listing, number: u64, lines: &[Value]) {
    let session = SessionRef::new("shop", id(number)).unwrap();
    append_to(store, &session.main(), lines).await;
}

/// Keeps an entry beside a session in the store.
async fn keep(store: &Listing, number: u64, record: &Value) {
    let session = SessionRef::new("shop", id(number)).unwrap();
    let key = session.at(Subpath::new("claw/kept").unwrap());
    append_to(store, &key, std::slice::from_ref(record)).await;
}

pub(crate) async fn append_to(store: &dyn SessionStore, key: &StoreKey, lines: &[Value]) {
    let lines = lines
        .iter()
        .map(|line| Line::new(line.to_string()).unwrap());
    let (writer, lines) = (WriterId::random(), lines.collect::<Vec<_>>());
    let batch = Batch {
        writer: &writer,
        number: 0,
        lines: &lines,
        epoch: None,
    };
    store.append(key, batch).await.unwrap();
}

#[tokio::test]
async fn a_store_that_does_not_answer_keeps_nobody_from_the_disk() {
    let silent = silent();
    let running = running(silent.clone()).await;
    write(&running, 1, 1);
    refresh(&running, 1);
    let pages = join_all((0..20).map(|_| page(&running, ""))).await;
    assert!(pages.iter().all(|(ids, _)| *ids == [id(1)]));
    assert_eq!(
        silent.intercept.count.load(Relaxed),
        1,
        "one reading for all"
    );
    running.end().await;
}

#[tokio::test]
async fn pages_have_each_session_of_the_disk_and_of_the_store_once() {
    let listing = Arc::new(Listing::default());
    let running = running(listing.clone()).await;
    for number in 0..8 {
        write(&running, number, number);
        refresh(&running, number);
    }
    // The newest ones of the disk, which another host has gone on with, and one that the disk does not have.
    for number in [5, 6, 7, 9] {
        store(&listing, number).await;
    }
    let mut all = Vec::new();
    let mut query = "limit=2".to_owned();
    loop {
        let (ids, next) = page(&running, &query).await;
        all.extend(ids);
        let Some(next) = next else { break };
        query = format!("limit=2&cursor={next}");
    }
    let disk_alone = [4, 3, 2, 1, 0].map(id);
    assert_eq!(all[4..], disk_alone, "{all:?}");
    all[..4].sort();
    assert_eq!(all[..4], [5, 6, 7, 9].map(id));
    let (found, _) = page(&running, "q=stored%20NUMBER%209").await;
    assert_eq!(found, [id(9)]);
    // Those that the store has are smaller than the transcripts on disk.
    let entry = format!("/api/sessions/{}/entry", id(9));
    let entry = running.ask("GET", &entry, &Value::Null).await.json();
    let size = entry["size"].as_u64().unwrap();
    let larger = async |bytes: u64| page(&running, &format!("largerThan={bytes}")).await.0;
    assert_eq!(larger(size - 1).await.len(), 9);
    assert_eq!(larger(size).await, disk_alone);
    running.end().await;
}

#[tokio::test]
async fn what_is_archived_on_this_disk_stays_there_when_it_is_stored() {
    let listing = Arc::new(Listing::default());
    let running = running(listing.clone()).await;
    write(&running, 1, 1);
    refresh(&running, 1);
    store(&listing, 1).await;
    store(&listing, 2).await;
    let path = format!("/api/sessions/{}", id(1));
    let body = json!({"archived": true, "title": "Put away"});
    let answer = running.ask("PATCH", &path, &body).await;
    assert_eq!(answer.status, 204, "{}", answer.body);
    assert_eq!(page(&running, "").await.0, [id(2)]);
    assert_eq!(
        page(&running, "archived=true&q=put%20away").await.0,
        [id(1)]
    );
    running.end().await;
}

#[tokio::test]
async fn a_session_that_the_store_alone_has_is_archived_until_it_is_written_to() {
    let listing = Arc::new(Listing::default());
    let running = running(listing.clone()).await;
    store(&listing, 2).await;
    let path = format!("/api/sessions/{}", id(2));
    let change = async |body| running.ask("PATCH", &path, &body).await.status;
    assert_eq!(change(json!({"archived": true, "tag": "red"})).await, 204);
    assert!(page(&running, "").await.0.is_empty());
    assert_eq!(page(&running, "archived=true").await.0, [id(2)]);
    // Another title leaves it there.
    assert_eq!(change(json!({"title": "Put away"})).await, 204);
    assert_eq!(page(&running, "archived=true&q=put").await.0, [id(2)]);
    let of_list = format!("{path}/entry");
    let entry = running.ask("GET", &of_list, &Value::Null).await.json();
    assert_eq!(
        (&entry["title"], &entry["tag"], &entry["archived"]),
        (&json!("Put away"), &json!("red"), &json!(true))
    );
    assert_eq!(change(json!({"archived": false})).await, 204);
    assert_eq!(page(&running, "").await.0, [id(2)]);
    assert_eq!(change(json!({"archived": true})).await, 204);
    // Another host goes on with it.
    append(&listing, 2, "b0000001").await;
    soon(async { while page(&running, "").await.0.is_empty() {} }).await;
    // Nobody has this one.
    let path = format!("/api/sessions/{}", id(3));
    let body = json!({"archived": true});
    assert_eq!(running.ask("PATCH", &path, &body).await.status, 404);
    running.end().await;
}

#[tokio::test]
async fn a_copy_of_what_the_store_alone_has_ends_before_a_prompt_or_with_its_turn() {
    let listing = Arc::new(Listing::default());
    let running = running(listing.clone()).await;
    let lines = two_turns(&id(2), Path::new("/elsewhere"));
    append_all(&listing, 2, &lines).await;
    is_copied(&running, &id(2)).await;
    // The copies are in the store as well, beside what they are copies of.
    let projects = running.folder.path().join("config/projects");
    assert!(!projects.exists() || projects.read_dir().unwrap().next().is_none());
    soon(async { while page(&running, "").await.0.len() < 4 {} }).await;
    running.end().await;
}

/// What sessions have cost that other hosts have run, or a process here in a copy that is gone.
#[tokio::test]
async fn what_the_store_has_is_counted_once_and_what_is_not_counted_is_named() {
    let listing = Arc::new(Listing::default());
    let running = running(listing.clone()).await;
    // The disk has the first of the two turns, and the store has both.
    let lines = two_turns(&id(1), &running.folder.path().join("shop"));
    let name = |line: &Value, name: &str| {
        let mut line = line.clone();
        line["message"]["id"] = json!(name);
        line
    };
    let lines = [
        lines[0].clone(),
        name(&lines[1], "m1"),
        lines[2].clone(),
        name(&lines[3], "m2"),
    ];
    write(&running, 1, 1);
    let hub = running.server.hub();
    let transcript = hub.sessions().find(&id(1)).unwrap();
    let text = format!("{}\n{}\n", lines[0], lines[1]);
    std::fs::write(transcript.transcript(), text).unwrap();
    refresh(&running, 1);
    append_all(&listing, 1, &lines).await;
    // The store alone has this one, with what the CLI wrote of the cost.
    let mut alone = two_turns(&id(2), Path::new("/elsewhere")).to_vec();
    alone.push(
        json!({"type": "cost-state", "sessionId": id(2), "totalCostUSD": 0.25, "modelUsage": {}}),
    );
    append_all(&listing, 2, &alone).await;
    let ask = async || {
        running
            .ask("GET", "/api/usage?by=session", &Value::Null)
            .await
    };
    let answer = ask().await;
    assert_eq!(answer.header("claw-missing"), None, "{}", answer.body);
    let usage = answer.json();
    assert_eq!(usage[&id(1)]["answers"], 2, "{usage}");
    assert_eq!(usage[&id(2)]["answers"], 1, "{usage}");
    assert_eq!(usage[&id(2)]["cost"]["usd"], 0.25, "{usage}");
    let projects = "/api/usage?by=project";
    let projects = running.ask("GET", projects, &Value::Null).await.json();
    assert_eq!(projects["shop"]["answers"], 3, "{projects}");
    // Who opens it sees what it has cost before a turn is run.
    let path = format!("/api/sessions/{}", id(2));
    let opened = running.ask("GET", &path, &Value::Null).await.json();
    assert_eq!(opened["state"]["costUsd"], 0.25, "{opened}");
    assert_eq!(opened["state"]["costIsEstimate"], false, "{opened}");
    // An answer that is kept beside the conversation was paid for as well. The list does not say when it was kept.
    let mut entry = name(&two_turns(&id(2), Path::new("/elsewhere"))[1], "m3");
    entry["uuid"] = json!("c0000000-0000-4000-8000-000000000003");
    let record = json!({"host": "http://other", "line": entry.to_string()});
    keep(&listing, 2, &record).await;
    let usage = ask().await.json();
    assert_eq!(usage[&id(2)]["answers"], 2, "{usage}");
    // A session of another ID than its lines have.
    append_all(&listing, 3, &two_turns(&id(4), Path::new("/elsewhere"))).await;
    let answer = soon(async {
        loop {
            let answer = ask().await;
            if answer.header("claw-missing").is_some() {
                break answer;
            }
        }
    })
    .await;
    let missing = answer.header("claw-missing").unwrap();
    assert_eq!(missing, "1 session of the store is not counted");
    let page = running.ask("GET", "/usage", &Value::Null).await.body;
    assert!(page.contains(missing), "{page}");
    running.end().await;
}

#[tokio::test]
async fn a_search_finds_what_the_disk_and_the_store_have_each_once() {
    let listing = Arc::new(Listing::default());
    let running = running(listing.clone()).await;
    for number in [1, 2] {
        write(&running, number, number);
        refresh(&running, number);
    }
    // Another host has gone on with the second one, and the disk does not have the third.
    store(&listing, 2).await;
    store(&listing, 3).await;
    let found = async |text: &str| {
        let path = format!("/api/search?q={text}");
        let answer = running.ask("GET", &path, &Value::Null).await;
        assert_eq!(answer.status, 200, "{}", answer.body);
        let hits = answer.json();
        let hits = hits.as_array().unwrap().iter();
        let hits = hits.map(|hit| {
            let part = |name: &str| hit[name].as_str().unwrap().to_owned();
            (part("sessionId"), part("excerpt"))
        });
        let missing = answer.header("claw-missing").map(str::to_owned);
        (hits.collect::<Vec<_>>(), missing)
    };
    let (mut hits, missing) = found("NUMBER").await;
    assert_eq!(missing, None);
    assert_eq!(hits.pop(), Some((id(1), "Fruit number 1".to_owned())));
    hits.sort();
    let stored = [2, 3].map(|number| (id(number), format!("Stored number {number}")));
    assert_eq!(hits, stored);
    // The list of the store's sessions that pages share may be older.
    append(&listing, 4, "b0000000").await;
    keep(&listing, 4, &json!({"host": "http://other", "line": "{}"})).await;
    let (hits, missing) = found("number%204").await;
    assert_eq!(hits, [(id(4), "Stored number 4".to_owned())]);
    let missing = missing.unwrap();
    assert_eq!(
        missing,
        "entries kept beside sessions, which are not searched: 1"
    );
    running.end().await;
}

/// A user of one project, on a server whose store has sessions of two, and of a third one that the server does not have.
/// The store is a folder, and the index is in another one.
#[tokio::test]
async fn a_search_in_the_store_finds_only_what_the_user_sees() {
    let folder = tempfile::tempdir().unwrap();
    let store = Arc::new(FsStore::new(folder.path().join("store")));
    let projects = ["shop", "blog", "elsewhere"];
    for (number, project) in (1..).zip(projects) {
        let session = SessionRef::new(project, id(number)).unwrap();
        let line = json!({"type": "user", "uuid": id(number), "parentUuid": null, "sessionId": id(number),
            "cwd": "/elsewhere", "timestamp": "2026-01-01T00:00:00.000Z",
            "message": {"role": "user", "content": "Two plums"}});
        append_to(&*store, &session.main(), &[line]).await;
    }
    let (file, index) = (
        folder.path().join("users.json"),
        folder.path().join("index"),
    );
    let blog = folder.path().join("blog");
    std::fs::create_dir(&blog).unwrap();
    let mut bo = NewUser::new("bo", Role::View);
    bo.projects = Some(vec![blog.clone()]);
    let token = Users::add(&file, bo).unwrap().expose().to_owned();
    let users = Users::open(&file).unwrap();
    let options = StoreOptions::new(store).index_folder(&index);
    let running = Running::start_in(Script::reply("Hi."), folder, |builder| {
        let blog = Project::new(&blog).unwrap().store_project("blog");
        builder.project(blog).users(users).store(options)
    })
    .await;
    let address = running.address;
    let own = format!(
        "GET /api/search?q=plums HTTP/1.1\r\nHost: {address}\r\nAuthorization: Bearer {token}\r\nConnection: close\r\n\r\n"
    );
    for _ in 0..2 {
        let found = |answer: Response| -> BTreeSet<String> {
            assert_eq!(answer.header("claw-missing"), None, "{}", answer.body);
            let hits = answer.json();
            let hits = hits.as_array().unwrap().iter();
            hits.map(|hit| hit["transcript"].as_str().unwrap().to_owned())
                .collect()
        };
        let all = running.ask("GET", "/api/search?q=plums", &Value::Null);
        let expected = [format!("blog/{}", id(2)), format!("shop/{}", id(1))];
        assert_eq!(found(all.await), expected.clone().into());
        assert_eq!(
            found(running.raw(&own).await),
            BTreeSet::from([expected[0].clone()])
        );
    }
    assert!(index.join("blog").join(id(2)).is_file());
    assert!(!index.join("elsewhere").exists());
    running.end().await;
}

/// Two hosts of one store. The texts of a deleted session leave the index of the host that deletes it at once, and the
/// index of the other one with the next round of retention, also if that deletes nothing.
#[tokio::test]
async fn a_deleted_session_leaves_the_indexes_of_all_hosts() {
    let folder = tempfile::tempdir().unwrap();
    let store = Arc::new(MemoryStore::new());
    for number in [1, 2] {
        let session = SessionRef::new("shop", id(number)).unwrap();
        let line = json!({"type": "user", "uuid": id(number), "parentUuid": null, "sessionId": id(number),
            "cwd": "/elsewhere", "timestamp": "2026-01-01T00:00:00.000Z",
            "message": {"role": "user", "content": "Two plums"}});
        append_to(&*store, &session.main(), &[line]).await;
    }
    let start = async |name: &str| {
        let index = folder.path().join(name);
        let options = StoreOptions::new(store.clone()).index_folder(&index);
        let running =
            Running::start_as(Script::reply("Hi."), |builder| builder.store(options)).await;
        let search = running.ask("GET", "/api/search?q=plums", &Value::Null);
        let hits = search.await.json();
        assert_eq!(hits.as_array().unwrap().len(), 2, "{hits}");
        (running, index.join("shop"))
    };
    let ((one, of_one), (other, of_other)) = (start("one").await, start("other").await);
    let has = |index: &Path| [1, 2].map(|number| index.join(id(number)).is_file());
    assert_eq!((has(&of_one), has(&of_other)), ([true; 2], [true; 2]));
    let path = format!("/api/sessions/{}", id(1));
    let deleted = one.ask("DELETE", &path, &Value::Null).await;
    assert_eq!(deleted.status, 204, "{}", deleted.body);
    assert_eq!(has(&of_one), [false, true]);
    let round = other.server.hub().delete_old().await.unwrap();
    assert_eq!((round.deleted, round.kept), (0, 0));
    assert_eq!(has(&of_other), [false, true]);
    one.end().await;
    other.end().await;
}

#[tokio::test]
async fn a_search_says_that_the_store_does_not_answer() {
    let running = running(silent()).await;
    write(&running, 1, 1);
    refresh(&running, 1);
    let answer = running
        .ask("GET", "/api/search?q=fruit", &Value::Null)
        .await;
    assert_eq!(answer.json()[0]["sessionId"], id(1), "{}", answer.body);
    let missing = answer.header("claw-missing").unwrap();
    assert!(missing.contains("the store cannot be reached"), "{missing}");
    running.end().await;
}

#[tokio::test]
async fn a_report_says_that_the_store_does_not_answer() {
    let silent = silent();
    let running = running(silent).await;
    let answer = running.ask("GET", "/api/usage", &Value::Null).await;
    assert_eq!(answer.status, 200, "{}", answer.body);
    let missing = answer.header("claw-missing").unwrap();
    assert!(missing.contains("may lack some"), "{missing}");
    running.end().await;
}

#[tokio::test]
async fn calls_to_the_store_are_counted_and_those_that_fail() {
    #[derive(Debug)]
    struct Fails;
    impl Intercept for Fails {
        async fn before(&self, call: Call) -> Result<(), StoreError> {
            match call {
                Call::Sessions => Err(StoreError::unavailable("gone")),
                _ => Ok(()),
            }
        }
    }
    let store: Arc<Intercepted<Fails, MemoryStore>> = Arc::new(intercepted(Arc::default(), Fails));
    let running = Running::start_as(Script::reply("Hi."), |builder| builder.store(store)).await;
    page(&running, "").await;
    let metrics = running.ask("GET", "/metrics", &Value::Null).await.body;
    for name in [
        "claw_store_errors_total{db_operation_name=\"sessions\"} ",
        "db_client_operation_duration_seconds_count{db_system_name=\"memory\",db_operation_name=\"sessions\"} ",
    ] {
        let value = metrics.lines().find_map(|line| line.strip_prefix(name));
        let value: u64 = value
            .unwrap_or_else(|| panic!("{metrics}"))
            .parse()
            .unwrap();
        assert!(value > 0, "{metrics}");
    }
    running.end().await;
}

/// No process waits for the answer, so only the list of the store has the request.
#[tokio::test]
async fn a_deferred_request_of_a_session_that_is_not_live_is_counted_with_its_age() {
    let in_store = Arc::new(intercepted(Arc::default(), Lists::default()));
    store(&in_store, 1).await;
    store(&in_store, 2).await;
    let mark = json!({"type": "attachment", "uuid": "c0000000-0000-4000-8000-000000000001",
        "sessionId": id(1), "attachment": {"type": "hook_deferred_tool", "toolUseID": "t-1"}});
    append_all(&in_store, 1, &[mark]).await;
    let running = running(in_store.clone()).await;
    let metric = async |name: &str| {
        let metrics = running.ask("GET", "/metrics", &Value::Null).await.body;
        let mut lines = metrics.lines();
        let value = lines.find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
        let value = value.unwrap_or_else(|| panic!("{name}: {metrics}"));
        value.parse::<f64>().unwrap()
    };
    let row = Row::of("nobody answers a request");
    row.is_counted(&running, "claw_requests_deferred").await;
    row.is_live(&running, "deferred", "request").await;
    assert!((metric("claw_requests_deferred").await - 1.0).abs() < f64::EPSILON);
    soon(async { while metric("claw_oldest_request_seconds").await <= 0.0 {} }).await;
    let live = running.ask("GET", "/api/live", &Value::Null).await.json();
    assert_eq!(live.as_array().unwrap().len(), 1, "{live}");
    assert_eq!(live[0]["id"], json!(id(1)));
    assert_eq!(live[0]["phase"], "deferred");
    assert_eq!(live[0]["waitsFor"], json!({"kind": "request"}));
    assert_eq!(live[0]["pid"], Value::Null);
    assert!(live[0]["phaseSeconds"].as_f64().unwrap() > 0.0, "{live}");
    // All of these requests have read the list of the store once.
    assert_eq!(in_store.intercept.count.load(Relaxed), 1);
    running.end().await;
}

//! Deletion of sessions.

use std::fs;
use std::sync::Arc;
use std::time::Duration;

use claw_client::store::{
    Claims as _, DeleteSession as _, MemoryStore, Owner, ReadSessions as _, SessionRef,
    StoreOptions,
};
use claw_testkit::agent::Script;
use futures::TryStreamExt as _;
use serde_json::{Value, json};

use crate::client::{Response, Running};
use crate::disk::transcript;
use crate::list::page;

const ID: &str = "11111111-1111-4111-8111-111111111111";

async fn delete(running: &Running, query: &str) -> Response {
    let path = format!("/api/sessions/{ID}{query}");
    running.ask("DELETE", &path, &Value::Null).await
}

/// Asserts that a request is refused with this status and kind.
#[track_caller]
fn refused(response: &Response, status: u16, kind: &str) {
    assert_eq!(response.status, status, "{}", response.body);
    assert_eq!(response.json()["error"]["kind"], kind, "{}", response.body);
}

async fn read(running: &Running) -> Response {
    let path = format!("/api/sessions/{ID}");
    running.ask("GET", &path, &Value::Null).await
}

async fn metric(running: &Running, name: &str) -> String {
    let metrics = running.ask("GET", "/metrics", &Value::Null).await.body;
    let mut lines = metrics.lines();
    let line = lines.find_map(|line| line.strip_prefix(&format!("{name} ")));
    line.unwrap_or_else(|| panic!("no {name} in {metrics}"))
        .to_owned()
}

async fn in_store(store: Arc<MemoryStore>) -> Running {
    Running::start_as(Script::reply("Hi."), |builder| {
        builder.store(StoreOptions::new(store))
    })
    .await
}

fn stored() -> SessionRef {
    SessionRef::new("shop", ID).unwrap()
}

#[tokio::test]
async fn a_session_on_disk_is_deleted_with_all_that_belongs_to_it() {
    let running = Running::start(Script::reply("Hi.")).await;
    transcript(&running, ID);
    let found = running.server.hub().sessions().find(ID).unwrap();
    let agents = found.transcript().with_extension("").join("subagents");
    fs::create_dir_all(&agents).unwrap();
    fs::write(agents.join("agent-1.jsonl"), "{}\n").unwrap();
    let history = running.folder.path().join("config/file-history");
    let other = "22222222-2222-4222-8222-222222222222";
    for id in [ID, other] {
        fs::create_dir_all(history.join(id)).unwrap();
        fs::write(history.join(id).join("1@v1"), "before").unwrap();
    }
    assert_eq!(page(&running, "").await.0, [ID]);
    let gone = delete(&running, "").await;
    assert_eq!(gone.status, 204, "{}", gone.body);
    assert!(!found.transcript().exists() && !agents.exists());
    assert!(!found.transcript().with_extension("").exists());
    assert!(!history.join(ID).exists() && history.join(other).exists());
    assert_eq!(page(&running, "").await.0, [""; 0]);
    refused(&read(&running).await, 404, "notFound");
    refused(&delete(&running, "").await, 404, "notFound");
    assert_eq!(metric(&running, "claw_sessions_deleted_total").await, "1");
    for path in ["x", "..%2F..%2Fx"] {
        let path = format!("/api/sessions/{path}");
        let gone = running.ask("DELETE", &path, &Value::Null).await;
        refused(&gone, 404, "notFound");
    }
    running.end().await;
}

#[tokio::test]
async fn a_session_of_no_project_is_not_deleted() {
    let running = Running::start(Script::reply("Hi.")).await;
    transcript(&running, ID);
    let found = running.server.hub().sessions().find(ID).unwrap();
    let text = fs::read_to_string(found.transcript()).unwrap();
    let cwd = running.folder.path().join("shop");
    let elsewhere = text.replace(cwd.to_str().unwrap(), "/elsewhere");
    fs::write(found.transcript(), elsewhere).unwrap();
    refused(&delete(&running, "").await, 404, "notFound");
    assert!(found.transcript().exists());
    running.end().await;
}

#[tokio::test]
async fn a_live_session_is_deleted_only_if_it_is_to_be_ended() {
    let running = Running::start(Script::reply("Hi.")).await;
    transcript(&running, ID);
    let resumed = running
        .ask("POST", "/api/sessions", &json!({"resume": ID}))
        .await;
    assert_eq!(resumed.status, 201, "{}", resumed.body);
    let mut events = running.events(ID, None).await;
    running.prompt(ID, "Hi").await;
    events
        .until("change", |change| {
            change["value"]["content"]["type"] == "turnEnd"
        })
        .await;
    let found = running.server.hub().sessions().find(ID).unwrap();
    for query in ["", "?end=false"] {
        refused(&delete(&running, query).await, 409, "live");
        assert!(found.transcript().exists());
    }
    refused(&delete(&running, "?end=perhaps").await, 400, "badRequest");
    assert_eq!(read(&running).await.status, 200);
    let gone = delete(&running, "?end=true").await;
    assert_eq!(gone.status, 204, "{}", gone.body);
    events.until("closed", |_| true).await;
    assert!(!found.transcript().exists());
    assert!(running.server.hub().live().is_empty());
    refused(&read(&running).await, 404, "notFound");
    // A session of which nothing is written.
    let new = running.session().await;
    let path = format!("/api/sessions/{new}?end=true");
    let gone = running.ask("DELETE", &path, &Value::Null).await;
    assert_eq!(gone.status, 204, "{}", gone.body);
    running.end().await;
}

#[tokio::test]
async fn a_session_that_was_deleted_from_the_store_does_not_come_back_from_a_disk() {
    let store = Arc::new(MemoryStore::new());
    let running = in_store(store.clone()).await;
    transcript(&running, ID);
    // Only this disk has the session. The store gets its tombstone nevertheless.
    let gone = delete(&running, "").await;
    assert_eq!(gone.status, 204, "{}", gone.body);
    assert!(store.is_deleted(&stored()).await.unwrap());
    running.end().await;

    // Another host, whose disk has a copy.
    let other = in_store(store.clone()).await;
    transcript(&other, ID);
    refused(&read(&other).await, 410, "deleted");
    let resumed = other
        .ask("POST", "/api/sessions", &json!({"resume": ID}))
        .await;
    refused(&resumed, 410, "deleted");
    let lines: Vec<_> = store.load(&stored().main()).try_collect().await.unwrap();
    assert!(lines.is_empty());
    // There it can be deleted too.
    assert_eq!(delete(&other, "").await.status, 204);
    assert_eq!(page(&other, "").await.0, [""; 0]);
    other.end().await;
}

#[tokio::test]
async fn a_session_that_another_program_has_claimed_is_not_deleted() {
    let store = Arc::new(MemoryStore::new());
    let running = in_store(store.clone()).await;
    transcript(&running, ID);
    let owner = Owner::new("elsewhere").at("http://127.0.0.1:9");
    let claim = store.claim(&stored(), &owner, Duration::from_mins(5)).await;
    let claim = claim.unwrap();
    for query in ["", "?end=true"] {
        refused(&delete(&running, query).await, 409, "elsewhere");
    }
    assert!(!store.is_deleted(&stored()).await.unwrap());
    assert!(running.server.hub().sessions().find(ID).is_ok());
    store.release(&claim).await.unwrap();
    assert_eq!(delete(&running, "").await.status, 204);
    running.end().await;
}

#[cfg(feature = "cluster")]
mod of_several_hosts {
    use claw_client::store::{Batch, Line, SessionStore as _, WriterId};

    use super::*;
    use crate::cluster::{LONG, hosts};

    #[tokio::test]
    async fn the_host_that_has_a_session_deletes_it_and_no_host_brings_it_back() {
        let [(one, way), (other, _)] = hosts(LONG, || Script::reply("Hi.")).await;
        let lines = [Line::new(
            json!({"type": "user", "uuid": "b0000000-0000-4000-8000-000000000001", "parentUuid": null,
                "sessionId": ID, "cwd": "/elsewhere", "timestamp": "2026-01-01T00:00:00.000Z",
                "message": {"role": "user", "content": "Hi"}})
            .to_string(),
        )
        .unwrap()];
        let writer = WriterId::random();
        let main = stored().main();
        way.append(&main, batch_of(&writer, &lines)).await.unwrap();
        let resumed = one
            .ask("POST", "/api/sessions", &json!({"resume": ID}))
            .await;
        assert_eq!(resumed.status, 201, "{}", resumed.body);
        // The other host forwards the request.
        refused(&delete(&other, "").await, 409, "live");
        assert_eq!(page(&other, "").await.0, [ID]);
        let gone = delete(&other, "?end=true").await;
        assert_eq!(gone.status, 204, "{}", gone.body);
        for host in [&one, &other] {
            refused(&read(host).await, 410, "deleted");
        }
        assert_eq!(metric(&one, "claw_sessions_deleted_total").await, "1");
        assert_eq!(page(&one, "").await.0, [""; 0]);
        // A line that comes late, of a writer without a claim.
        let late = way.append(&main, batch_of(&writer, &lines));
        let error = late.await.unwrap_err();
        assert!(error.is_deleted(), "{error}");
        other.end().await;
        one.end().await;
    }

    fn batch_of<'a>(writer: &'a WriterId, lines: &'a [Line]) -> Batch<'a> {
        Batch {
            writer,
            number: 0,
            lines,
            epoch: None,
        }
    }
}

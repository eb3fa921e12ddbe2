//! Sessions that were not used for a long time are deleted.

use std::fmt;
use std::fs::{self, File};
use std::io::Write as _;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

use claw_client::store::{
    Claims as _, ListSessions as _, MemoryStore, Owner, SessionRef, SessionStore, StoreError,
    StoreOptions, WriterId, copy_session,
};
use claw_server::ServerBuilder;
use claw_sessions::Sessions;
use claw_store::FsStore;
use claw_testkit::Gates;
use claw_testkit::agent::Script;
use claw_testkit::store::{Call, Intercept, Intercepted, intercepted};
use futures::TryStreamExt as _;
use futures::future::BoxFuture;
use serde_json::{Value, json};
use tokio::time::timeout;

use crate::client::{Running, soon};
use crate::disk::transcript;
use crate::list::page;
use crate::stores::append_to;

const DAY: Duration = Duration::from_hours(24);

fn id(digit: u8) -> String {
    "11111111-1111-4111-8111-111111111111".replace('1', &digit.to_string())
}

/// Writes a session that was changed last before this time.
fn write(running: &Running, id: &str, age: Duration) {
    transcript(running, id);
    let hub = running.server.hub();
    let session = hub.sessions().find(id).unwrap();
    // The time of its last message counts, and that of its file.
    let time = jiff::Timestamp::now() - age;
    let time = time.strftime("%Y-%m-%dT%H:%M:%S.000Z").to_string();
    let text = fs::read_to_string(session.transcript()).unwrap();
    let text = text.replace("2026-01-01T00:00:00.000Z", &time);
    fs::write(session.transcript(), text).unwrap();
    let file = File::options().write(true).open(session.transcript());
    file.unwrap()
        .set_modified(SystemTime::now().checked_sub(age).unwrap())
        .unwrap();
    hub.refresh(&session);
}

async fn running(setup: impl FnOnce(ServerBuilder) -> ServerBuilder) -> Running {
    Running::start_as(Script::reply("Hi."), setup).await
}

fn keep(builder: ServerBuilder, keep: Duration, archive: Option<&Path>) -> ServerBuilder {
    builder.limits(|limits| {
        limits.keep = Some(keep);
        limits.archive = archive.map(|folder| Arc::new(FsStore::new(folder)) as _);
    })
}

#[tokio::test]
async fn old_sessions_of_a_disk_are_archived_and_deleted() {
    let archive = tempfile::tempdir().unwrap();
    let path = archive.path().join("old");
    let running = running(|builder| keep(builder, 90 * DAY, Some(path.as_path()))).await;
    write(&running, &id(1), 91 * DAY);
    write(&running, &id(2), 89 * DAY);
    write(&running, &id(3), 100 * DAY);
    write(&running, &id(4), 100 * DAY);
    // A session that is live stays.
    let resumed = json!({"resume": id(4)});
    let resumed = running.ask("POST", "/api/sessions", &resumed).await;
    assert_eq!(resumed.status, 201, "{}", resumed.body);
    let before = running.server.hub().sessions().find(&id(1)).unwrap();
    let text = fs::read_to_string(before.transcript()).unwrap();
    let round = running.server.hub().delete_old().await.unwrap();
    assert_eq!((round.deleted, round.kept, round.has_more), (2, 1, false));
    let mut left = page(&running, "").await.0;
    left.sort();
    assert_eq!(left, [id(2), id(4)]);
    // The archive is read as sessions of a disk are.
    let archived = Sessions::new(&path);
    let found = archived.find(&id(1)).unwrap();
    assert_eq!(fs::read_to_string(found.transcript()).unwrap(), text);
    assert_eq!(archived.list().run().unwrap().sessions.len(), 2);
    let again = running.server.hub().delete_old().await.unwrap();
    assert_eq!((again.deleted, again.kept), (0, 1));
    let metrics = running.ask("GET", "/metrics", &Value::Null).await.body;
    assert!(metrics.contains("\nclaw_sessions_expired_total 2\n"));
    running.end().await;
}

#[tokio::test]
async fn without_a_limit_nothing_is_deleted_and_without_an_archive_nothing_is_copied() {
    let running = running(|builder| builder).await;
    write(&running, &id(1), 4000 * DAY);
    let round = running.server.hub().delete_old().await.unwrap();
    assert_eq!((round.deleted, round.kept), (0, 0));
    assert_eq!(page(&running, "").await.0, [id(1)]);
    running.end().await;
}

#[tokio::test]
async fn a_session_that_cannot_be_archived_stays() {
    let file = tempfile::NamedTempFile::new().unwrap();
    let running = running(|builder| keep(builder, DAY, Some(file.path()))).await;
    write(&running, &id(1), 2 * DAY);
    let round = running.server.hub().delete_old().await.unwrap();
    assert_eq!((round.deleted, round.kept), (0, 1));
    assert_eq!(page(&running, "").await.0, [id(1)]);
    running.end().await;
}

/// Sessions of a store, in memory and in a folder. The disk's copy of one that another host has continued is old, and
/// stays.
#[tokio::test]
async fn sessions_of_a_store_are_old_by_its_clock() {
    let folder = tempfile::tempdir().unwrap();
    let stores: [Arc<dyn SessionStore>; 2] = [
        Arc::new(MemoryStore::new()),
        Arc::new(FsStore::new(folder.path().join("store"))),
    ];
    for store in stores {
        let options = StoreOptions::new(store.clone());
        let archive = folder.path().join("archive");
        let running =
            running(|builder| keep(builder.store(options), DAY, Some(archive.as_path()))).await;
        write(&running, &id(1), 2 * DAY);
        write(&running, &id(2), 2 * DAY);
        let session = |digit| SessionRef::new("shop", id(digit)).unwrap();
        // The store has the session since now.
        let here = running.server.hub().sessions().find(&id(1)).unwrap();
        let import = claw_client::store::Import::new(&here).to(session(1));
        import.run(&*store).await.unwrap();
        let round = running.server.hub().delete_old().await.unwrap();
        assert_eq!((round.deleted, round.kept), (1, 0));
        let deletes = store.deletes().unwrap();
        assert!(deletes.is_deleted(&session(2)).await.unwrap());
        assert!(!deletes.is_deleted(&session(1)).await.unwrap());
        running.end().await;

        // A server that keeps nothing. Another program has claimed the session at first.
        let archive = folder.path().join("archive of the store");
        let options = StoreOptions::new(store.clone());
        let setup = |builder: ServerBuilder| {
            keep(
                builder.store(options),
                Duration::ZERO,
                Some(archive.as_path()),
            )
        };
        let running = Running::start_as(Script::reply("Hi."), setup).await;
        let claims = store.claims().unwrap();
        let claim = claims.claim(&session(1), &Owner::new("other"), DAY).await;
        let claim = claim.unwrap();
        let round = async || loop {
            let round = running.server.hub().delete_old().await.unwrap();
            // The session is not yet a millisecond old.
            if round.deleted + round.kept > 0 {
                return round;
            }
        };
        assert_eq!((round().await.deleted, round().await.kept), (0, 1));
        claims.release(&claim).await.unwrap();
        assert_eq!(round().await.deleted, 1);
        assert!(deletes.is_deleted(&session(1)).await.unwrap());
        let archived = FsStore::new(&archive);
        let copy = MemoryStore::new();
        let writer = WriterId::new("test");
        let lines = copy_session(&archived, &copy, &session(1), &writer).await;
        assert_eq!(lines.unwrap(), 2);
        let listed: Vec<_> = copy.sessions(None).try_collect().await.unwrap();
        assert_eq!(listed.len(), 1);
        running.end().await;
    }
}

/// What happens while the first session is copied into the archive.
type Meanwhile = Box<dyn FnOnce() -> BoxFuture<'static, ()> + Send>;

#[derive(Default)]
struct Archiving(Mutex<Option<Meanwhile>>);

impl fmt::Debug for Archiving {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Archiving")
    }
}

impl Intercept for Archiving {
    async fn before(&self, call: Call) -> Result<(), StoreError> {
        if call == Call::Append {
            let meanwhile = self.0.lock().unwrap().take();
            if let Some(meanwhile) = meanwhile {
                meanwhile().await;
            }
        }
        Ok(())
    }
}

type Archive = Arc<Intercepted<Archiving, MemoryStore>>;

fn archive() -> Archive {
    Arc::new(intercepted(Arc::default(), Archiving::default()))
}

/// Adds a line with a new UUID to a session of a store.
async fn append(store: &MemoryStore, session: &SessionRef) {
    let id = session.session();
    let uuid = uuid::Uuid::new_v4().to_string();
    let line = json!({"type": "user", "uuid": uuid, "parentUuid": null, "sessionId": id, "cwd": "/shop",
        "timestamp": "2026-01-01T00:00:00.000Z", "message": {"role": "user", "content": "Hi."}});
    append_to(store, &session.main(), &[line]).await;
}

#[tokio::test]
async fn a_session_of_a_disk_that_is_continued_during_the_round_stays() {
    let archive = archive();
    let running = running(|builder| {
        builder.limits(|limits| {
            limits.keep = Some(90 * DAY);
            limits.archive = Some(archive.clone());
        })
    })
    .await;
    write(&running, &id(1), 100 * DAY);
    write(&running, &id(2), 95 * DAY);
    let session = running.server.hub().sessions().find(&id(2)).unwrap();
    let path = session.transcript().to_owned();
    let meanwhile: Meanwhile = Box::new(|| {
        Box::pin(async move {
            let text = fs::read_to_string(&path).unwrap();
            let mut last: Value = serde_json::from_str(text.lines().last().unwrap()).unwrap();
            let now = jiff::Timestamp::now().strftime("%Y-%m-%dT%H:%M:%S.000Z");
            last["timestamp"] = now.to_string().into();
            // The file is never empty: the server watches it.
            let mut file = File::options().append(true).open(&path).unwrap();
            file.write_all(format!("{last}\n").as_bytes()).unwrap();
        })
    });
    *archive.intercept.0.lock().unwrap() = Some(meanwhile);
    let round = running.server.hub().delete_old().await.unwrap();
    assert_eq!((round.deleted, round.kept), (1, 1));
    assert_eq!(page(&running, "").await.0, [id(2)]);
    assert!(session.transcript().exists());
    running.end().await;
}

#[tokio::test]
async fn a_session_of_a_store_that_is_continued_during_the_round_stays() {
    let (archive, store) = (archive(), Arc::new(MemoryStore::new()));
    let options = StoreOptions::new(store.clone());
    let running = running(|builder| {
        builder.store(options).limits(|limits| {
            limits.keep = Some(Duration::ZERO);
            limits.archive = Some(archive.clone());
        })
    })
    .await;
    let session = |digit| SessionRef::new("shop", id(digit)).unwrap();
    append(&store, &session(1)).await;
    append(&store, &session(2)).await;
    let stored = store.clone();
    let meanwhile: Meanwhile = Box::new(move || {
        Box::pin(async move {
            let listed: Vec<_> = stored.sessions(None).try_collect().await.unwrap();
            for listed in listed {
                append(&stored, &listed.session).await;
            }
        })
    });
    *archive.intercept.0.lock().unwrap() = Some(meanwhile);
    // The sessions are old when the clock has gone on by a millisecond.
    let listed: Vec<_> = store.sessions(None).try_collect().await.unwrap();
    let newest = listed.iter().map(|listed| listed.modified).max().unwrap();
    while jiff::Timestamp::now().as_millisecond() <= newest {
        tokio::task::yield_now().await;
    }
    let round = running.server.hub().delete_old().await.unwrap();
    assert_eq!((round.deleted, round.kept), (0, 2));
    let listed: Vec<_> = store.sessions(None).try_collect().await.unwrap();
    assert_eq!(listed.len(), 2);
    running.end().await;
}

/// A store whose lists wait at a gate while `is_slow` is set.
#[derive(Debug, Default)]
struct SlowLists {
    is_slow: AtomicBool,
    gates: Gates,
}

impl Intercept for SlowLists {
    async fn before(&self, call: Call) -> Result<(), StoreError> {
        if call == Call::Sessions && self.is_slow.load(Relaxed) {
            self.gates.wait("list").await.unwrap();
        }
        Ok(())
    }
}

/// A list that takes longer than a request waits for it. The round removes the texts of a session that another host has
/// deleted, and deletes an old session.
#[tokio::test]
async fn a_round_reads_a_slow_list_to_its_end() {
    let folder = tempfile::tempdir().unwrap();
    let index = folder.path().join("index");
    let store = Arc::new(intercepted(
        Arc::<MemoryStore>::default(),
        SlowLists::default(),
    ));
    let session = |digit| SessionRef::new("shop", id(digit)).unwrap();
    append(&store.inner, &session(1)).await;
    append(&store.inner, &session(2)).await;
    let options = StoreOptions::new(store.clone()).index_folder(&index);
    let running = running(|builder| keep(builder.store(options), 90 * DAY, None)).await;
    write(&running, &id(3), 91 * DAY);
    running
        .ask("GET", "/api/search?q=hi", &Value::Null)
        .await
        .json();
    let indexed = || [1, 2].map(|digit| index.join("shop").join(id(digit)).is_file());
    assert_eq!(indexed(), [true, true]);
    let deletes = store.inner.deletes().unwrap();
    deletes.delete_session(&session(1)).await.unwrap();

    let slow = &store.intercept;
    slow.is_slow.store(true, Relaxed);
    let hub = running.server.hub().clone();
    let mut round = tokio::spawn(async move { hub.delete_old().await });
    soon(slow.gates.reached("list")).await;
    tokio::time::pause();
    let early = timeout(Duration::from_secs(20), &mut round).await;
    assert!(early.is_err(), "{early:?}");
    tokio::time::resume();
    slow.gates.open("list");
    let round = soon(round).await.unwrap().unwrap();
    assert_eq!((round.deleted, round.kept), (1, 0));
    assert_eq!(indexed(), [false, true]);
    running.end().await;
}

#[tokio::test]
async fn a_round_that_waits_for_a_list_ends_with_the_server() {
    let store = Arc::new(intercepted(
        Arc::<MemoryStore>::default(),
        SlowLists::default(),
    ));
    let options = StoreOptions::new(store.clone());
    let running = running(|builder| keep(builder.store(options), DAY, None)).await;
    let slow = &store.intercept;
    slow.is_slow.store(true, Relaxed);
    let hub = running.server.hub().clone();
    let round = tokio::spawn(async move { hub.delete_old().await });
    soon(slow.gates.reached("list")).await;
    running.end().await;
    let round = soon(round).await.unwrap().unwrap();
    assert_eq!((round.deleted, round.has_more), (0, true));
}

#[cfg(feature = "cluster")]
#[tokio::test]
async fn of_several_hosts_one_makes_a_round_at_a_time() {
    use crate::cluster::{LONG, hosts};
    let [(one, way)] = hosts(LONG, || Script::reply("Hi.")).await;
    // The hosts of the tests keep everything.
    assert_eq!(one.server.hub().delete_old().await.unwrap().deleted, 0);
    one.end().await;
    let store: Arc<MemoryStore> = way.inner.clone();
    let round = SessionRef::new("claw", "retention").unwrap();
    let owner = Owner::new("other").at("http://127.0.0.1:9");
    let busy = store.claim(&round, &owner, DAY).await.unwrap();
    let host = crate::cluster::host_with(&way, |limits| limits.keep = Some(DAY)).await;
    write(&host, &id(1), 2 * DAY);
    let hub = host.server.hub();
    let idle = hub.delete_old().await.unwrap();
    assert_eq!((idle.deleted, idle.has_more), (0, true));
    store.release(&busy).await.unwrap();
    assert_eq!(hub.delete_old().await.unwrap().deleted, 1);
    assert!(
        store
            .holder(&round)
            .await
            .unwrap()
            .is_none_or(|(owner, _)| owner.name != "other")
    );
    host.end().await;
}

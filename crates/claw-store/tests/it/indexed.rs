//! Tests of the index of a store's sessions. The index returns the same results as the same sessions on a disk. It
//! reads only what has changed, and survives damage, deletions and other processes.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use claw_sessions::{LineSearch, Prices, Sessions, UsageCache, UsageReport, Zone};
use claw_store::{
    Batch, FsStore, IndexedUsage, LeftOut, Line, ListSessions, ListedSession, MemoryStore,
    ReadSessions, SessionIndex, SessionRef, SessionStore, StoreError, StoreKey, StoredError,
    StoredLine, StoredSessions, Subpath, WriterId,
};
use claw_testkit::store::{Call, Intercept, Intercepted, intercepted};
use futures::future::{BoxFuture, join_all};
use futures::stream::{BoxStream, StreamExt as _};
use proptest::prelude::*;
use serde_json::{Value, json};

/// Counts the loads of transcripts. While `fails` is set, every load fails.
#[derive(Debug, Default)]
struct Loads {
    count: AtomicUsize,
    fails: std::sync::atomic::AtomicBool,
}

impl Intercept for Loads {
    async fn before(&self, call: Call) -> Result<(), StoreError> {
        if call == Call::Load {
            self.count.fetch_add(1, Ordering::Relaxed);
            if self.fails.load(Ordering::Relaxed) {
                return Err(StoreError::unavailable("a test"));
            }
        }
        Ok(())
    }
}

/// A store with sessions, and an index of it.
struct Place<S: SessionStore> {
    folder: tempfile::TempDir,
    store: Arc<Intercepted<Loads, S>>,
    /// The number of lines in each transcript, for the next append.
    numbers: BTreeMap<StoreKey, u64>,
}

impl<S: SessionStore> Place<S> {
    fn new(store: S) -> Self {
        Self {
            folder: tempfile::tempdir().unwrap(),
            store: Arc::new(intercepted(Arc::new(store), Loads::default())),
            numbers: BTreeMap::new(),
        }
    }

    fn index(&self) -> SessionIndex {
        let sessions = StoredSessions::new(self.store.clone());
        sessions.index(Some(self.files()))
    }

    fn files(&self) -> PathBuf {
        self.folder.path().join("claw-index").join("store")
    }

    async fn append(&mut self, key: &StoreKey, lines: &[Value]) {
        let lines: Vec<_> = lines
            .iter()
            .map(|line| Line::new(line.to_string()).unwrap())
            .collect();
        let number = self.numbers.entry(key.clone()).or_default();
        let batch = Batch {
            writer: &WriterId::new("w"),
            number: *number,
            lines: &lines,
            epoch: None,
        };
        self.store.append(key, batch).await.unwrap();
        *number += lines.len() as u64;
    }

    /// The number of transcripts that were loaded since the last call.
    fn loads(&self) -> usize {
        self.store.intercept.count.swap(0, Ordering::Relaxed)
    }
}

/// Returns what a search in these files finds, as JSON without the paths.
fn found_on_disk(sessions: &Sessions, text: &str, ignore_case: bool, all: bool) -> Vec<Value> {
    let mut search = sessions.search(text);
    if ignore_case {
        search = search.ignore_case();
    }
    if all {
        search = search.everything();
    }
    let hits = search.run().unwrap().filter_map(Result::ok);
    let hits = hits.map(|hit| {
        let mut hit = serde_json::to_value(hit).unwrap();
        let members = hit.as_object_mut().unwrap();
        members.remove("configDir");
        members.remove("transcript");
        hit
    });
    hits.collect()
}

async fn found(
    index: &SessionIndex,
    text: &str,
    ignore_case: bool,
    all: bool,
) -> (Vec<Value>, LeftOut) {
    let mut search = LineSearch::new(text, ignore_case);
    if all {
        search = search.everything();
    }
    let mut found = Vec::new();
    let left_out = index.search(None, search, |listed, hits| {
        for hit in hits {
            let (place, hit) = (&hit, &hit.hit);
            assert_eq!(place.transcript.session(), &listed.session);
            found.push(json!({
                "sessionId": listed.session.session(), "subagent": place.subagent, "line": place.line,
                "kind": hit.kind, "uuid": hit.uuid, "timestamp": hit.timestamp,
                "excerpt": hit.excerpt, "found": hit.found,
            }));
        }
        true
    });
    let left_out = left_out.await.unwrap();
    (found, left_out)
}

fn cache() -> UsageCache {
    UsageCache::new(Prices::shipped().clone(), Zone::default())
}

fn value(report: &UsageReport) -> Value {
    let mut value = serde_json::to_value(report).unwrap();
    value.as_object_mut().unwrap().remove("byConfigDir");
    value
}

async fn used(index: &SessionIndex) -> (Value, LeftOut) {
    let mut cache = cache();
    let IndexedUsage {
        sessions, left_out, ..
    } = index.usage(None, &cache).await.unwrap();
    let sessions = sessions.into_iter().map(|(_, answers)| answers);
    let nowhere = Sessions::new(Path::new(""));
    let report = nowhere.usage().of(sessions).run_cached(&mut cache).unwrap();
    (value(&report), left_out)
}

fn id(number: usize) -> String {
    format!("00000000-0000-4000-8000-{number:012}")
}

fn session(number: usize) -> SessionRef {
    SessionRef::new("-work-project", id(number)).unwrap()
}

fn agent(number: usize) -> StoreKey {
    session(number).at(Subpath::new("subagents/agent-a1").unwrap())
}

fn prompt(number: usize, text: &str) -> Value {
    json!({"type": "user", "sessionId": id(number), "cwd": "/work/project", "timestamp": "t",
        "message": {"role": "user", "content": text}})
}

fn answer(number: usize, message: &str, tokens: u64) -> Value {
    json!({
        "type": "assistant", "sessionId": id(number), "requestId": "r", "timestamp": "2026-11-22T10:00:00.000Z",
        "message": {"id": message, "model": "claude-opus-4-1",
            "content": [{"type": "text", "text": format!("It is {message}")}, {"type": "tool_use", "input": {"a": "pears"}}],
            "usage": {"input_tokens": tokens, "output_tokens": 2 * tokens}},
    })
}

/// Returns a place with three sessions. The first one has a sub-agent.
async fn filled<S: SessionStore>(store: S) -> Place<S> {
    let mut place = Place::new(store);
    for number in 0..3 {
        let name = format!("m{number}");
        let lines = [prompt(number, "two apples"), answer(number, &name, 5)];
        place.append(&session(number).main(), &lines).await;
    }
    let lines = [prompt(0, "apples for the agent"), answer(0, "m-agent", 7)];
    place.append(&agent(0), &lines).await;
    place
}

/// Returns the files of a folder with their contents.
fn contents(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    for project in fs::read_dir(folder).into_iter().flatten().flatten() {
        for file in fs::read_dir(project.path()).unwrap().flatten() {
            found.insert(file.path(), fs::read(file.path()).unwrap());
        }
    }
    found
}

fn any_line() -> impl Strategy<Value = Value> {
    let text = prop_oneof![
        Just("two apples"),
        Just("ÄPFEL \"and\" pears\n"),
        Just("<task-notification> apples"),
        Just("nothing"),
    ];
    let kind = prop_oneof![
        Just("user"),
        Just("assistant"),
        Just("custom-title"),
        Just("cost-state")
    ];
    let id = prop_oneof![Just("m1"), Just("m2"), Just("m3")];
    (text, kind, id, 0..3_u8, any::<bool>()).prop_map(|(text, kind, id, form, is_copy)| {
        let content = match form {
            0 => json!(text),
            1 => json!([{"type": "text", "text": text}, {"type": "thinking", "thinking": "pears"}]),
            _ => json!([{"type": "tool_result", "content": text}]),
        };
        let mut line = json!({
            "type": kind, "timestamp": "2026-11-22T10:00:00.000Z", "cwd": "/work/project",
            "requestId": "r", "totalCostUSD": 0.5, "customTitle": text,
            "message": {"id": id, "model": "claude-opus-4-1", "content": content,
                "usage": {"input_tokens": text.len(), "output_tokens": 3}},
        });
        if is_copy {
            line["forkedFrom"] = json!({"sessionId": "other"});
        }
        line
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// The sessions of a disk are stored line by line. The index of the store is called twice, so
    /// the second call reads the files of the index.
    #[test]
    fn a_store_answers_as_the_disk_does(
        sessions in proptest::collection::vec(
            (proptest::collection::vec(any_line(), 1..6), proptest::collection::vec(any_line(), 0..4)),
            1..4
        ),
        text in prop_oneof![Just("apples"), Just("äpfel"), Just("\"and\""), Just("pears"), Just("\n")],
        ignore_case: bool,
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(async {
            let disk = tempfile::tempdir().unwrap();
            let mut place = Place::new(FsStore::new(disk.path().join("store")).sync(false));
            let project = disk.path().join("projects/-work-project");
            for (number, (main, beside)) in sessions.iter().enumerate() {
                let agents = project.join(id(number)).join("subagents");
                fs::create_dir_all(&agents).unwrap();
                for (key, path, lines) in [
                    (session(number).main(), project.join(format!("{}.jsonl", id(number))), main),
                    (agent(number), agents.join("agent-a1.jsonl"), beside),
                ] {
                    if !lines.is_empty() {
                        place.append(&key, lines).await;
                        let text: Vec<_> = lines.iter().map(|line| format!("{line}\n")).collect();
                        fs::write(&path, text.concat()).unwrap();
                    }
                }
                // The store's list contains the modification time of the stored file. Both files
                // get the same time, so that both lists have the same order.
                let stored = disk.path().join(format!("store/projects/-work-project/{}.jsonl", id(number)));
                let time = std::time::UNIX_EPOCH + std::time::Duration::from_secs(1_780_000_000 + number as u64);
                for path in [project.join(format!("{}.jsonl", id(number))), stored] {
                    fs::File::options().write(true).open(path).unwrap().set_modified(time).unwrap();
                }
            }
            let on_disk = Sessions::new(disk.path());
            let expected = value(&on_disk.usage().run_cached(&mut cache()).unwrap());
            let index = place.index();
            for _ in 0..2 {
                assert_eq!(used(&index).await.0, expected);
                for all in [false, true] {
                    let expected = found_on_disk(&on_disk, text, ignore_case, all);
                    assert_eq!(found(&index, text, ignore_case, all).await.0, expected, "{text} {all}");
                }
            }
        });
    }
}

#[tokio::test]
async fn a_second_call_reads_what_has_changed_alone() {
    let mut place = filled(MemoryStore::new()).await;
    let index = place.index();
    let (first, left_out) = used(&index).await;
    assert_eq!(left_out.sentences(), Vec::<String>::new());
    // The index loads the main transcript and the kept entries of each session, and the transcript
    // of one sub-agent.
    assert_eq!(place.loads(), 7);
    // Opens the same index again, as another process does.
    let index = place.index();
    assert_eq!(used(&index).await.0, first);
    let (hits, _) = found(&index, "apples", false, false).await;
    assert_eq!((hits.len(), place.loads()), (4, 0));

    place
        .append(&session(1).main(), &[answer(1, "later", 9)])
        .await;
    let (second, _) = used(&index).await;
    assert_eq!(place.loads(), 2);
    assert_eq!(second["total"]["answers"], 5);
    assert_eq!(found(&index, "later", false, false).await.0.len(), 1);
    assert_eq!(place.loads(), 0);

    // A sub-agent's line does not change the session's time in the list. It changes the revision,
    // so the session is read again.
    place.append(&agent(0), &[answer(0, "agents", 9)]).await;
    assert_eq!(found(&index, "agents", false, false).await.0.len(), 1);
    assert_eq!(place.loads(), 3);
    assert_eq!(used(&index).await.0["total"]["answers"], 6);
    assert_eq!(place.loads(), 0);
}

#[tokio::test]
async fn a_deleted_session_leaves_the_index() {
    let place = filled(MemoryStore::new()).await;
    let index = place.index();
    used(&index).await;
    assert_eq!(contents(&place.files()).len(), 3);
    let store = &place.store.inner;
    let deletes = store.deletes().unwrap();
    deletes.delete_session(&session(0)).await.unwrap();
    let (hits, left_out) = found(&index, "apples", false, false).await;
    assert_eq!(hits.len(), 2);
    assert_eq!(left_out.sentences(), Vec::<String>::new());
    let left: BTreeSet<_> = contents(&place.files()).into_keys().collect();
    let folder = place.files().join("-work-project");
    assert_eq!(left, [1, 2].map(|number| folder.join(id(number))).into());
    // A list of one project does not remove the entries of other projects.
    let other = index.usage(Some("other"), &cache()).await.unwrap();
    assert!(other.sessions.is_empty());
    assert_eq!(contents(&place.files()).len(), 2);
}

#[tokio::test]
async fn a_damaged_file_is_made_again() {
    let place = filled(MemoryStore::new()).await;
    let index = place.index();
    let (expected, _) = used(&index).await;
    let (hits, _) = found(&index, "apples", false, false).await;
    let files = contents(&place.files());
    let (path, bytes) = files.first_key_value().unwrap();
    let mut damaged: Vec<Vec<u8>> = (0..bytes.len())
        .step_by(7)
        .map(|at| {
            let mut other = bytes.clone();
            other[at] ^= 1;
            other
        })
        .collect();
    damaged.extend(
        (0..bytes.len())
            .step_by(31)
            .map(|end| bytes[..end].to_vec()),
    );
    damaged.push([&bytes[..], b"more"].concat());
    for damaged in damaged {
        fs::write(path, &damaged).unwrap();
        assert_eq!(used(&index).await.0, expected);
        assert_eq!(found(&index, "apples", false, false).await.0, hits);
        if damaged.len() <= bytes.len() {
            let now = fs::read(path).unwrap();
            let head = |bytes: &[u8]| String::from_utf8_lossy(bytes).contains("claw-index 2\n");
            assert!(head(&now));
            assert_eq!(now.len(), bytes.len());
        }
    }
    assert!(place.loads() > 100);
    // A session's file contains the entry of another session. The index does not use it.
    let (_, other) = files.last_key_value().unwrap();
    fs::write(path, other).unwrap();
    assert_eq!(used(&index).await.0, expected);
    place.loads();
    assert_eq!(found(&index, "apples", false, false).await.0, hits);
    assert_eq!(place.loads(), 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn several_use_one_folder_at_once() {
    let mut place = filled(MemoryStore::new()).await;
    for number in 3..100 {
        let lines = [
            prompt(number, "two apples"),
            answer(number, &format!("m{number}"), 1),
        ];
        place.append(&session(number).main(), &lines).await;
    }
    let expected = used(&place.index()).await.0;
    for _ in 0..3 {
        fs::remove_dir_all(place.files()).unwrap();
        let calls = (0..6).map(|number| {
            let index = place.index();
            let expected = &expected;
            async move {
                if number % 2 == 0 {
                    let (used, left_out) = used(&index).await;
                    assert_eq!(&used, expected);
                    assert_eq!(left_out.sentences(), Vec::<String>::new());
                } else {
                    let (hits, left_out) = found(&index, "apples", false, false).await;
                    assert_eq!(hits.len(), 101);
                    assert_eq!(left_out.sentences(), Vec::<String>::new());
                }
            }
        });
        join_all(calls).await;
        assert_eq!(contents(&place.files()).len(), 100);
    }
}

#[tokio::test]
async fn what_cannot_be_read_is_named() {
    let mut place = filled(MemoryStore::new()).await;
    // Appends lines of another session to a transcript, so that the transcript cannot be read.
    place
        .append(&session(7).main(), &[prompt(3, "apples")])
        .await;
    let broken = json!({"type": "assistant", "sessionId": id(8), "message": {"usage": {"input_tokens": "apples"}}});
    place.append(&session(8).main(), &[broken]).await;
    let own = session(1).at(Subpath::new("claw/kept").unwrap());
    let kept = json!({"host": "a", "line": answer(1, "kept", 3).to_string()});
    place.append(&own, &[kept]).await;
    let index = place.index();
    for _ in 0..2 {
        let (used, left_out) = used(&index).await;
        assert_eq!(used["total"]["answers"], 5);
        let [one, two] = &left_out.sentences()[..] else {
            panic!("{left_out:?}")
        };
        assert!(
            one.starts_with(&format!("-work-project/{} is left out: ", id(7))),
            "{one}"
        );
        assert_eq!(
            two,
            &format!(
                "-work-project/{}: 1 line cannot be read, and is left out",
                id(8)
            )
        );
        for all in [false, true] {
            let (_, left_out) = found(&index, "no such text", false, all).await;
            assert!(left_out.lines.is_empty(), "{left_out:?}");
        }
        let (hits, left_out) = found(&index, "It is kept", false, false).await;
        assert_eq!(hits.len(), 0);
        let last = left_out.sentences().pop().unwrap();
        assert_eq!(
            last,
            "1 entry that is kept beside a session was not searched"
        );
    }
    // If the store is unreachable, the call fails and returns no partial result.
    place.append(&session(2).main(), &[prompt(2, "more")]).await;
    place.store.intercept.fails.store(true, Ordering::Relaxed);
    let error = index.usage(None, &cache()).await.unwrap_err();
    assert!(
        matches!(error, StoredError::Store(StoreError::Unavailable(_))),
        "{error}"
    );
}

#[tokio::test]
async fn a_line_of_ten_megabytes_is_found_and_counted() {
    let mut place = filled(MemoryStore::new()).await;
    let long = "more pears, ".repeat(10_000_000 / 12);
    let mut last = answer(1, "long", 9);
    last["message"]["content"] =
        json!([{"type": "text", "text": format!("{long}and a plum at the end")}]);
    place
        .append(
            &session(1).main(),
            &[prompt(1, &format!("{long}and a kiwi")), last],
        )
        .await;
    let index = place.index();
    for loads in [7, 0, 0] {
        for (text, excerpt) in [
            ("a PLUM at", "pears, and a plum at the end"),
            ("a kiwi", "pears, and a kiwi"),
        ] {
            let (hits, left_out) = found(&index, text, true, false).await;
            assert_eq!(left_out.sentences(), Vec::<String>::new());
            assert_eq!(hits.len(), 1);
            let found = hits[0]["excerpt"].as_str().unwrap();
            assert!(found.ends_with(excerpt) && found.len() < 200, "{found}");
        }
        let (used, left_out) = used(&index).await;
        assert_eq!(
            (&used["total"]["answers"], left_out.sentences().len()),
            (&json!(5), 0)
        );
        assert_eq!(place.loads(), loads);
    }
}

/// Searches do not read lines over 32 MiB. Each search reports the place of such a line, also if its text does not occur.
#[tokio::test]
async fn a_line_that_is_too_long_for_a_search_is_named() {
    let mut place = filled(MemoryStore::new()).await;
    let long = "more pears, ".repeat((32 << 20) / 12 + 1);
    let lines = [prompt(0, "a plum"), prompt(0, &long), prompt(0, &long)];
    place.append(&agent(0), &lines).await;
    let lines = [prompt(2, &long)];
    place.append(&session(2).main(), &lines).await;
    let index = place.index();
    let named = [
        format!(
            "-work-project/{}: line 3 cannot be read, and is left out",
            id(2)
        ),
        format!(
            "-work-project/{}: 2 lines cannot be read, and are left out. The first one is line 4 of {}",
            id(0),
            agent(0)
        ),
    ];
    for _ in 0..2 {
        for (text, count) in [("apples", 4), ("plum", 1), ("pears", 0), ("nothing", 0)] {
            let (hits, left_out) = found(&index, text, true, false).await;
            let sentences: BTreeSet<_> = left_out.sentences().into_iter().collect();
            assert_eq!(sentences, named.clone().into(), "{text}");
            assert_eq!(hits.len(), count, "{text}");
        }
    }
    let (_, left_out) = found(&index, "plum", false, true).await;
    let sentences: BTreeSet<_> = left_out.sentences().into_iter().collect();
    assert_eq!(sentences, named.into());
}

#[tokio::test]
async fn an_index_that_cannot_be_written_changes_no_answer() {
    let place = filled(MemoryStore::new()).await;
    let (expected, _) = used(&place.index()).await;
    let without = StoredSessions::new(place.store.clone()).index(None);
    assert_eq!(used(&without).await.0, expected);
    fs::remove_dir_all(place.folder.path().join("claw-index")).unwrap();
    fs::write(place.folder.path().join("claw-index"), "a file").unwrap();
    let (used, left_out) = used(&place.index()).await;
    assert_eq!(used, expected);
    let sentences = left_out.sentences();
    assert_eq!(sentences.len(), 1);
    assert!(
        sentences[0].starts_with("the index was not written"),
        "{sentences:?}"
    );
}

#[cfg(unix)]
#[tokio::test]
async fn only_the_user_can_read_the_index() {
    use std::os::unix::fs::PermissionsExt as _;
    let place = filled(MemoryStore::new()).await;
    used(&place.index()).await;
    let mode = |path: &Path| path.metadata().unwrap().permissions().mode() & 0o777;
    let folder = place.files();
    assert_eq!(mode(folder.parent().unwrap()), 0o700);
    assert_eq!(mode(&folder.join("-work-project")), 0o700);
    for file in contents(&folder).into_keys() {
        assert_eq!(mode(&file), 0o600);
    }
}

/// A store that reports no revisions, and one time for all sessions.
#[derive(Debug)]
struct Unrevised(MemoryStore, i64);

impl ReadSessions for Unrevised {
    fn load<'a>(&'a self, key: &'a StoreKey) -> BoxStream<'a, Result<StoredLine, StoreError>> {
        ReadSessions::load(&self.0, key)
    }

    fn lists(&self) -> Option<&dyn ListSessions> {
        Some(self)
    }
}

impl ListSessions for Unrevised {
    fn sessions<'a>(
        &'a self,
        project: Option<&'a str>,
    ) -> BoxStream<'a, Result<ListedSession, StoreError>> {
        let listed = self.0.lists().unwrap().sessions(project);
        let time = self.1;
        let listed = listed.map(move |listed| {
            let listed = listed?;
            Ok(ListedSession::new(listed.session, time).summary(listed.summary))
        });
        listed.boxed()
    }
}

impl SessionStore for Unrevised {
    fn append<'a>(
        &'a self,
        key: &'a StoreKey,
        batch: Batch<'a>,
    ) -> BoxFuture<'a, Result<claw_store::Appended, StoreError>> {
        SessionStore::append(&self.0, key, batch)
    }

    fn next_number<'a>(
        &'a self,
        key: &'a StoreKey,
        writer: &'a WriterId,
    ) -> BoxFuture<'a, Result<u64, StoreError>> {
        SessionStore::next_number(&self.0, key, writer)
    }
}

#[tokio::test]
async fn without_revisions_an_old_session_alone_is_taken_from_the_index() {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    let now = i64::try_from(now.unwrap().as_millis()).unwrap();
    let minute = 60 * 1000;
    for (time, again, by_time) in [(now - 59 * minute, 6, 0), (now - 61 * minute, 0, 3)] {
        let mut place = Place::new(Unrevised(MemoryStore::new(), time));
        for number in 0..3 {
            let lines = [answer(number, &format!("m{number}"), 5)];
            place.append(&session(number).main(), &lines).await;
        }
        let index = place.index();
        assert_eq!(used(&index).await.1.by_time, 0);
        assert_eq!(place.loads(), 6);
        let (used, left_out) = used(&index).await;
        assert_eq!(used["total"]["answers"], 3);
        assert_eq!((place.loads(), left_out.by_time), (again, by_time));
        assert_eq!(left_out.sentences().len(), usize::from(by_time > 0));
    }
}

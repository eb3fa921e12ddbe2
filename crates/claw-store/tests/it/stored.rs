//! Tests of checkouts, imports and copies: a session moves from a disk into a store and back.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock};

use claw_sessions::Sessions;
use claw_store::{
    Batch, Import, Limits, Line, MemoryStore, ReadSessions, SessionRef, SessionStore, StoreError,
    StoreKey, StoredError, StoredLine, StoredSessions, Subpath, WriterId,
};
use futures::TryStreamExt as _;
use futures::future::BoxFuture;
use futures::stream::{self, BoxStream, StreamExt as _};

/// The ID of the session in the recording, and the subpath of its agent's transcript.
static NAMES: LazyLock<(String, String)> = LazyLock::new(|| {
    let manifest: serde_json::Value = serde_json::from_str(&fixture("manifest.json")).unwrap();
    let path = &manifest["transcripts"]["transcript.2.ndjson"]["path"];
    let path = path.as_str().unwrap().strip_suffix(".jsonl").unwrap();
    let (_, path) = path.split_once("/-work-project/").unwrap();
    let (id, agent) = path.split_once('/').unwrap();
    (id.to_owned(), agent.to_owned())
});

fn id() -> &'static str {
    &NAMES.0
}

fn agent_path() -> &'static str {
    &NAMES.1
}

fn fixture(name: &str) -> String {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures");
    fs::read_to_string(fixtures.join("session_mirror_agent").join(name)).unwrap()
}

/// A configuration folder with the session of the recording.
fn recorded() -> (tempfile::TempDir, Sessions) {
    let config = tempfile::tempdir().unwrap();
    let project = config.path().join("projects/-work-project");
    fs::create_dir_all(project.join(id()).join("subagents")).unwrap();
    let main = project.join(format!("{}.jsonl", id()));
    fs::write(main, fixture("transcript.ndjson")).unwrap();
    let agent = project.join(id()).join(agent_path());
    fs::write(
        agent.with_extension("jsonl"),
        fixture("transcript.2.ndjson"),
    )
    .unwrap();
    fs::write(agent.with_extension("meta.json"), meta()).unwrap();
    let sessions = Sessions::new(config.path());
    (config, sessions)
}

/// Returns the sub-agent's metadata, as the CLI mirrored it last.
fn meta() -> String {
    let frames = frames();
    let last = frames[agent_path()]
        .iter()
        .rev()
        .find(|line| line.as_str().contains("agent_metadata"));
    let mut value: serde_json::Value = serde_json::from_str(last.unwrap().as_str()).unwrap();
    value.as_object_mut().unwrap().remove("type");
    value.to_string()
}

/// Returns the lines that the CLI mirrored, by subpath. The subpath of the main transcript is empty.
fn frames() -> BTreeMap<String, Vec<Line>> {
    let mut mirrored = BTreeMap::<_, Vec<_>>::new();
    for line in fixture("stdout.ndjson").lines() {
        let frame: serde_json::Value = serde_json::from_str(line).unwrap();
        if frame["type"] != "transcript_mirror" {
            continue;
        }
        let (_, path) = frame["filePath"]
            .as_str()
            .unwrap()
            .split_once(id())
            .unwrap();
        let path = path.trim_start_matches('/').trim_end_matches(".jsonl");
        // The members are in another order than in the file, as in some stores.
        let entries = frame["entries"].as_array().unwrap();
        let lines = entries
            .iter()
            .map(|entry| Line::new(entry.to_string()).unwrap());
        mirrored.entry(path.to_owned()).or_default().extend(lines);
    }
    mirrored
}

fn session() -> SessionRef {
    SessionRef::new("-work-project", id()).unwrap()
}

fn agent() -> StoreKey {
    session().at(Subpath::new(agent_path()).unwrap())
}

async fn texts(store: &dyn ReadSessions, key: &StoreKey) -> Vec<String> {
    let lines: Vec<_> = store.load(key).try_collect().await.unwrap();
    lines
        .into_iter()
        .map(|stored| stored.line.as_str().to_owned())
        .collect()
}

/// Returns the texts of all files of a folder, by path.
fn files(folder: &Path) -> BTreeMap<PathBuf, String> {
    let mut found = BTreeMap::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(inner) = folders.pop() {
        for entry in fs::read_dir(inner).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let text = fs::read_to_string(&path).unwrap();
                found.insert(path.strip_prefix(folder).unwrap().to_owned(), text);
            }
        }
    }
    found
}

fn equal(one: &str, other: &str) -> bool {
    let read = |text: &str| serde_json::from_str::<serde_json::Value>(text).unwrap();
    read(one) == read(other)
}

#[tokio::test]
async fn what_is_imported_is_checked_out_as_it_was() {
    let (config, sessions) = recorded();
    let store = Arc::new(MemoryStore::new());
    let imported = Import::new(&sessions.find(id()).unwrap())
        .run(&*store)
        .await
        .unwrap();
    assert!(imported.problems.is_empty(), "{:?}", imported.problems);
    assert_eq!(
        imported.transcripts,
        [(session().main(), 22), (agent(), 12)]
    );
    let within = tempfile::tempdir().unwrap();
    let stored = StoredSessions::new(store);
    let checkout = stored.checkout(&session(), within.path()).await.unwrap();
    let (mut before, mut now) = (files(config.path()), files(checkout.config()));
    let name = Path::new("projects/-work-project")
        .join(id())
        .join(agent_path())
        .with_extension("meta.json");
    assert!(equal(
        &before.remove(&name).unwrap(),
        &now.remove(&name).unwrap()
    ));
    // The record of the lines that came from the store is an additional file.
    now.remove(Path::new("claw-checkout.json")).unwrap();
    assert!(before == now);
    let lines: Vec<_> = checkout
        .transcripts()
        .iter()
        .map(|of| (of.key.clone(), of.lines))
        .collect();
    assert_eq!(lines, imported.transcripts);
    let before = sessions.find(id()).unwrap();
    let now = checkout.session();
    assert_eq!(
        before.messages().read().unwrap().messages,
        now.messages().read().unwrap().messages
    );
    assert_eq!(
        now.subagents().subagents[0]
            .metadata()
            .unwrap()
            .get("agentType")
            .unwrap()
            .as_str()
            .unwrap(),
        "counter"
    );
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(checkout.config()), 0o700);
        assert_eq!(mode(&now.folder().join("subagents")), 0o700);
        for of in checkout.transcripts() {
            assert_eq!(mode(&of.path), 0o600);
        }
    }
    checkout.close().await.unwrap();
    assert_eq!(fs::read_dir(within.path()).unwrap().count(), 0);
}

#[tokio::test]
async fn a_second_import_adds_nothing_and_a_grown_transcript_the_rest() {
    let (_config, sessions) = recorded();
    let found = sessions.find(id()).unwrap();
    let store = MemoryStore::new();
    Import::new(&found).run(&store).await.unwrap();
    let before = (
        texts(&store, &session().main()).await,
        texts(&store, &agent()).await,
    );
    assert_eq!(Import::new(&found).run(&store).await.unwrap().new, 0);
    found.rename("Counted").unwrap();
    found.rename("Counted").unwrap();
    assert_eq!(Import::new(&found).run(&store).await.unwrap().new, 2);
    let now = (
        texts(&store, &session().main()).await,
        texts(&store, &agent()).await,
    );
    assert_eq!(now.0[..before.0.len()], before.0);
    assert_eq!(now.0.len(), before.0.len() + 2);
    assert_eq!(now.1, before.1);
    let first: Vec<_> = before
        .1
        .iter()
        .filter(|line| line.starts_with(r#"{"type":"agent_metadata""#))
        .collect();
    assert_eq!(first.len(), 1);
}

#[tokio::test]
async fn an_import_repairs_what_a_mirror_has_lost() {
    let (_config, sessions) = recorded();
    let found = sessions.find(id()).unwrap();
    let store = MemoryStore::new();
    let writer = WriterId::random();
    let mirrored = frames();
    // The third frame of the main transcript was lost. The sub-agent's transcript is complete.
    let main: Vec<_> = mirrored[""]
        .iter()
        .enumerate()
        .filter(|(at, _)| !(13..16).contains(at))
        .map(|(_, line)| line.clone())
        .collect();
    for (key, lines) in [
        (session().main(), &main),
        (agent(), &mirrored[agent_path()]),
    ] {
        let batch = Batch {
            writer: &writer,
            number: 0,
            lines,
            epoch: None,
        };
        store.append(&key, batch).await.unwrap();
    }
    let lost: Vec<_> = mirrored[""][13..16]
        .iter()
        .map(|line| line.as_str().to_owned())
        .collect();
    let imported = Import::new(&found).run(&store).await.unwrap();
    let texts = texts(&store, &session().main()).await;
    assert!(
        texts[main.len()..]
            .iter()
            .zip(&lost)
            .all(|(one, other)| equal(one, other)),
        "{texts:?}"
    );
    assert_eq!(imported.new, 3);
}

#[tokio::test]
async fn what_the_cli_does_not_mirror_is_left_out_and_broken_lines_are_told() {
    let (_config, sessions) = recorded();
    let found = sessions.find(id()).unwrap();
    let lines = concat!(
        "{\"type\":\"user\",\"uuid\":\"u1\",\"message\":{\"role\":\"user\",\"content\":\"api-request\"}}\r\n",
        "{\"type\":\"api-request\",\"n\":1}\n{\"type\":\"api-request-blob\"}\n\n",
        "{broken\n[1]\n{\"type\":\"user\",\"uuid\":\"u2\"}\n{\"cut"
    );
    fs::write(found.transcript(), lines).unwrap();
    let store = MemoryStore::new();
    let imported = Import::new(&found).run(&store).await.unwrap();
    assert_eq!(texts(&store, &session().main()).await.len(), 2);
    assert_eq!(imported.left_out, 2);
    let broken: Vec<_> = imported
        .problems
        .iter()
        .map(|problem| problem.line.unwrap())
        .collect();
    assert_eq!(broken, [5, 6, 8]);
    assert!(
        imported.problems[0]
            .to_string()
            .ends_with("line 5: the line is not a JSON object")
    );
}

#[tokio::test]
async fn a_batch_has_five_hundred_lines_or_a_megabyte() {
    let (_config, sessions) = recorded();
    let found = sessions.find(id()).unwrap();
    let notes = (0..1200).map(|n| format!("{{\"type\":\"note\",\"n\":{n}}}"));
    let large = "x".repeat(700_000);
    let large = (0..5).map(|n| format!("{{\"type\":\"large\",\"n\":{n},\"x\":\"{large}\"}}"));
    let text = notes.chain(large).collect::<Vec<_>>().join("\n");
    fs::write(found.transcript(), &text).unwrap();
    let store = Given::new(Vec::new());
    Import::new(&found).run(&store).await.unwrap();
    let batches = store.batches.lock().unwrap().clone();
    assert_eq!(batches[..6], [500, 500, 202, 2, 1, 12]);
}

/// A store that returns given lines.
#[derive(Debug)]
struct Given {
    lines: Vec<StoredLine>,
    is_endless: bool,
    batches: std::sync::Mutex<Vec<usize>>,
}

impl Given {
    fn new(lines: Vec<StoredLine>) -> Self {
        Self {
            lines,
            is_endless: false,
            batches: std::sync::Mutex::default(),
        }
    }
}

impl ReadSessions for Given {
    fn load<'a>(&'a self, _: &'a StoreKey) -> BoxStream<'a, Result<StoredLine, StoreError>> {
        let given = stream::iter(self.lines.iter().cloned().map(Ok));
        if !self.is_endless {
            return given.boxed();
        }
        let line = Line::new(format!(
            "{{\"type\":\"note\",\"x\":\"{}\"}}",
            "x".repeat(1 << 20)
        ))
        .unwrap();
        stream::iter(0..)
            .map(move |at| Ok(StoredLine::new(at, line.clone())))
            .boxed()
    }
}

impl SessionStore for Given {
    fn append<'a>(
        &'a self,
        _: &'a StoreKey,
        batch: Batch<'a>,
    ) -> BoxFuture<'a, Result<claw_store::Appended, StoreError>> {
        self.batches.lock().unwrap().push(batch.lines.len());
        let done = claw_store::Appended::new(batch.lines.len() as u64, 1);
        Box::pin(async move { Ok(done) })
    }

    fn next_number<'a>(
        &'a self,
        _: &'a StoreKey,
        _: &'a WriterId,
    ) -> BoxFuture<'a, Result<u64, StoreError>> {
        Box::pin(async { Ok(0) })
    }
}

async fn refused(store: Given, limits: Limits) -> StoredError {
    let within = tempfile::tempdir().unwrap();
    let stored = StoredSessions::new(Arc::new(store)).limits(limits);
    let error = stored
        .checkout(&session(), within.path())
        .await
        .unwrap_err();
    assert_eq!(
        fs::read_dir(within.path()).unwrap().count(),
        0,
        "nothing is left"
    );
    error
}

#[tokio::test]
async fn a_hostile_store_is_refused() {
    let line = |text: &str| Line::new(text).unwrap();
    let none = refused(Given::new(Vec::new()), Limits::default()).await;
    assert!(none.is_not_found(), "{none}");
    let mut endless = Given::new(Vec::new());
    endless.is_endless = true;
    let error = refused(endless, Limits::default().bytes(20 << 20)).await;
    assert!(
        matches!(error, StoredError::LimitExceeded { what: "bytes", .. }),
        "{error}"
    );
    let many = (0..11).map(|at| StoredLine::new(at, line("{}"))).collect();
    let error = refused(Given::new(many), Limits::default().lines(10)).await;
    assert!(
        matches!(error, StoredError::LimitExceeded { what: "lines", .. }),
        "{error}"
    );
    let long = vec![StoredLine::new(
        0,
        line(&format!("{{\"x\":\"{}\"}}", "x".repeat(1000))),
    )];
    let error = refused(Given::new(long), Limits::default().line(1000)).await;
    assert!(error.to_string().contains("bytes a line"), "{error}");
    let other = vec![StoredLine::new(
        0,
        line(r#"{"type":"user","sessionId":"another"}"#),
    )];
    let error = refused(Given::new(other), Limits::default()).await;
    assert!(error.to_string().contains("\"another\""), "{error}");
    let gap = vec![
        StoredLine::new(0, line("{}")),
        StoredLine::new(2, line("{}")),
    ];
    let error = refused(Given::new(gap), Limits::default()).await;
    assert!(
        matches!(error, StoredError::Store(StoreError::Corrupt(_))),
        "{error}"
    );
    for id in ["..", "../../x", "not-a-uuid"] {
        let session = SessionRef::new("p", id).unwrap();
        let within = tempfile::tempdir().unwrap();
        let stored = StoredSessions::new(Arc::new(Given::new(Vec::new())));
        let error = stored.checkout(&session, within.path()).await.unwrap_err();
        assert!(
            matches!(
                error,
                StoredError::Sessions(claw_sessions::Error::InvalidId { .. })
            ),
            "{error}"
        );
    }
}

#[tokio::test]
async fn an_odd_project_stays_within_the_folder() {
    let store = MemoryStore::new();
    let session = SessionRef::new("../../odd/project", id()).unwrap();
    let writer = WriterId::new("w");
    let lines = [Line::new("{\"type\":\"user\"}").unwrap()];
    let batch = Batch {
        writer: &writer,
        number: 0,
        lines: &lines,
        epoch: None,
    };
    store.append(&session.main(), batch).await.unwrap();
    let within = tempfile::tempdir().unwrap();
    let stored = StoredSessions::new(Arc::new(store));
    let checkout = stored.checkout(&session, within.path()).await.unwrap();
    let projects = checkout.config().join("projects");
    assert_eq!(
        checkout.session().transcript(),
        projects
            .join("%2E.%2F..%2Fodd%2Fproject")
            .join(format!("{}.jsonl", id()))
    );
    // An import stores the session under the key from which it was checked out.
    let imported = Import::new(checkout.session())
        .run(&**stored.store())
        .await
        .unwrap();
    assert_eq!(
        (imported.new, &imported.transcripts[0].0),
        (0, &session.main())
    );
    let other = stored
        .checkout_as(&session, within.path(), "-another")
        .await
        .unwrap();
    assert!(
        other
            .session()
            .transcript()
            .parent()
            .unwrap()
            .ends_with("projects/-another")
    );
}

//! Tests of sessions on several disks that are synchronised by a store.

use std::fs::{self, File};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use claw_sessions::{Session, Sessions, slug};
use claw_store::{
    FsStore, MemoryStore, Owner, PullOutcome, Pulled, SessionRef, SessionStore, SessionSync,
    StoredSessions, SyncOutcome, Synced,
};
use futures::TryStreamExt as _;
use futures::executor::block_on;
use serde_json::{Value, json};
use tempfile::TempDir;

const ONE: &str = "11111111-1111-4111-8111-111111111111";
const PROJECT: &str = "sums";

/// A machine with a configuration folder, and a directory of the project.
struct Machine {
    folder: TempDir,
    store: Arc<dyn SessionStore>,
}

impl Machine {
    fn new(store: &Arc<dyn SessionStore>) -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir_all(folder.path().join(PROJECT)).unwrap();
        Self {
            folder,
            store: Arc::clone(store),
        }
    }

    fn work(&self) -> PathBuf {
        claw_sessions::real_path(&self.folder.path().join(PROJECT)).unwrap()
    }

    fn sessions(&self) -> Sessions {
        Sessions::new(self.folder.path().join("config"))
    }

    fn transcript(&self, id: &str) -> PathBuf {
        let folder = self.sessions().projects().join(slug(&self.work()));
        folder.join(format!("{id}.jsonl"))
    }

    fn agent(&self, id: &str) -> PathBuf {
        let folder = self.transcript(id).with_extension("");
        folder.join("subagents/agent-a1.jsonl")
    }

    /// Adds entries with these UUIDs to the session.
    fn grow(&self, uuids: &[&str]) {
        let work = self.work();
        let entries = uuids.iter().map(|uuid| format!("{}\n", entry(uuid, &work)));
        append(&self.transcript(ONE), &entries.collect::<String>());
    }

    fn sync(&self) -> SessionSync {
        let stored = StoredSessions::new(Arc::clone(&self.store));
        SessionSync::new(
            stored,
            self.sessions(),
            self.folder.path().join("config/state"),
        )
    }

    /// Stores the sessions. Returns the results of those that were not unchanged.
    fn push(&self) -> Vec<Synced> {
        let mut all = Vec::new();
        block_on(self.sync().run(|synced| all.push(synced))).unwrap();
        all.retain(|synced| !matches!(synced.outcome, SyncOutcome::Unchanged));
        all
    }

    /// Stores the only session, and returns the number of new lines.
    fn stored(&self) -> u64 {
        match &*self.push() {
            [
                Synced {
                    outcome: SyncOutcome::Stored { new, .. },
                    problems,
                    ..
                },
            ] => {
                assert!(problems.is_empty(), "{problems:?}");
                *new
            }
            [] => 0,
            other => panic!("{other:?}"),
        }
    }

    fn pull(&self) -> Vec<Pulled> {
        let mut all = Vec::new();
        let sync = self.sync();
        block_on(sync.pull(self.work()).run(|pulled| all.push(pulled))).unwrap();
        all
    }

    /// Pulls the only session of the store.
    fn pulled(&self) -> PullOutcome {
        let mut all = self.pull();
        assert_eq!(all.len(), 1, "{all:?}");
        let only = all.remove(0);
        assert!(only.left.is_empty(), "{only:?}");
        only.outcome
    }

    fn all(&self) -> Vec<Session> {
        self.sessions().all().unwrap().sessions
    }
}

fn memory() -> Arc<dyn SessionStore> {
    Arc::new(MemoryStore::new())
}

fn entry(uuid: &str, work: &Path) -> Value {
    json!({
        "type": "user", "uuid": uuid, "parentUuid": null, "sessionId": ONE, "cwd": work,
        "message": {"role": "user", "content": uuid},
    })
}

fn append(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    let mut file = File::options()
        .create(true)
        .append(true)
        .open(path)
        .unwrap();
    file.write_all(text.as_bytes()).unwrap();
}

/// The UUIDs of the entries of a transcript, in order.
fn uuids(path: &Path) -> Vec<String> {
    let text = fs::read_to_string(path).unwrap();
    let lines = text.lines().map(|line| serde_json::from_str(line).unwrap());
    lines
        .filter_map(|line: Value| Some(line["uuid"].as_str()?.to_owned()))
        .collect()
}

/// The UUIDs of the entries of a session in the store, in order. Each line names the session.
fn stored(store: &Arc<dyn SessionStore>, id: &str) -> Vec<String> {
    let key = SessionRef::new(PROJECT, id).unwrap().main();
    let lines: Vec<_> = block_on(store.load(&key).try_collect()).unwrap();
    let uuid = |line: &claw_store::StoredLine| {
        let line: Value = serde_json::from_str(line.line.as_str()).unwrap();
        assert_eq!(line["sessionId"], id);
        Some(line["uuid"].as_str()?.to_owned())
    };
    lines.iter().filter_map(uuid).collect()
}

#[test]
fn only_new_and_complete_lines_are_stored() {
    let store = memory();
    let one = Machine::new(&store);
    one.grow(&["a", "b"]);
    let path = one.transcript(ONE);
    append(&path, "{\"type\":\"last-prompt\",\"sessionId\":");
    assert_eq!((one.stored(), one.stored()), (2, 0));
    append(&path, &format!("\"{ONE}\"}}\n"));
    one.grow(&["c"]);
    append(&one.agent(ONE), &format!("{}\n", entry("s", &one.work())));
    append(
        &one.agent(ONE).with_extension("meta.json"),
        "{\"agentType\":\"x\"}",
    );
    assert_eq!((one.stored(), one.stored()), (4, 0));
    append(
        &one.agent(ONE),
        &format!("{}\n{{\"torn", entry("t", &one.work())),
    );
    assert_eq!((one.stored(), one.stored()), (1, 0));
    // The record of a directory and the CLI's records of requests are not stored.
    append(
        &path,
        "{\"type\":\"relocated\"}\n{\"type\":\"api-request\"}\n",
    );
    assert_eq!(one.stored(), 0);
    // Without its state, the session is compared with the store, with the same result.
    fs::remove_dir_all(one.folder.path().join("config/state")).unwrap();
    assert_eq!(one.stored(), 0);
    assert_eq!(stored(&store, ONE), ["a", "b", "c"]);
    let two = Machine::new(&store);
    assert!(matches!(two.pulled(), PullOutcome::New));
    assert_eq!(uuids(&two.agent(ONE)), ["s", "t"]);
    assert!(two.agent(ONE).with_extension("meta.json").exists());
}

#[test]
fn a_line_that_is_no_record_is_named_and_all_others_are_stored() {
    let store = memory();
    let one = Machine::new(&store);
    one.grow(&["a"]);
    append(&one.transcript(ONE), "nonsense\n");
    one.grow(&["b"]);
    let [synced] = &*one.push() else { panic!() };
    assert!(matches!(synced.outcome, SyncOutcome::Stored { new: 2, .. }));
    let [problem] = &*synced.problems else {
        panic!("{synced:?}")
    };
    assert_eq!(problem.line, Some(2));
    assert!(one.push().is_empty());
    append(&one.transcript(ONE), "more nonsense\n");
    let [synced] = &*one.push() else { panic!() };
    assert_eq!(synced.problems[0].line, Some(4));
}

#[test]
fn a_line_with_the_uuid_of_another_one_is_named() {
    let store = memory();
    let one = Machine::new(&store);
    let add = |uuid: &str, content: &str| {
        let mut line = entry(uuid, &one.work());
        line["message"]["content"] = json!(content);
        append(&one.transcript(ONE), &format!("{line}\n"));
    };
    one.grow(&["a", "b"]);
    add("b", "other");
    one.grow(&["a"]);
    let lines = |synced: &Synced| {
        let problems = synced.problems.iter();
        problems.filter_map(|it| it.line).collect::<Vec<_>>()
    };
    let [synced] = &*one.push() else { panic!() };
    assert!(matches!(synced.outcome, SyncOutcome::Stored { new: 2, .. }));
    assert_eq!(lines(synced), [3]);
    assert!(one.push().is_empty());
    // Several lines with one UUID are added later.
    one.grow(&["c", "c"]);
    assert_eq!(one.push().len(), 1);
    one.grow(&["d"]);
    assert_eq!(one.stored(), 1);
    one.grow(&["e"]);
    add("a", "other");
    append(&one.transcript(ONE), "nonsense\n");
    one.grow(&["f"]);
    let [synced] = &*one.push() else { panic!() };
    let SyncOutcome::Stored { new: 2, .. } = synced.outcome else {
        panic!("{synced:?}")
    };
    assert_eq!(lines(synced), [3, 9, 10]);
    assert_eq!(stored(&store, ONE), ["a", "b", "c", "d", "e", "f"]);
    assert!(one.push().is_empty());
}

#[test]
fn a_session_goes_to_and_fro() {
    let store = memory();
    let (one, two) = (Machine::new(&store), Machine::new(&store));
    one.grow(&["a"]);
    one.stored();
    assert!(matches!(two.pulled(), PullOutcome::New));
    let info = two.sessions().find(ONE).unwrap().directory().unwrap();
    assert_eq!(info, Some(two.work()));
    for _ in 0..2 {
        assert_eq!(two.stored(), 0);
        assert!(matches!(two.pulled(), PullOutcome::Unchanged));
    }
    two.grow(&["b"]);
    assert_eq!(two.stored(), 1);
    // The other machine lacks the new lines. `sync` reports that until a pull has brought them.
    append(&one.transcript(ONE), "{\"type\":\"mode\"}\n");
    let [synced] = &*one.push() else { panic!() };
    assert!(
        matches!(synced.outcome, SyncOutcome::Behind { .. }),
        "{synced:?}"
    );
    assert!(matches!(one.pulled(), PullOutcome::Extended));
    assert!(matches!(one.pulled(), PullOutcome::Unchanged));
    assert_eq!(uuids(&one.transcript(ONE)), ["a", "b"]);
    let directory = one.sessions().find(ONE).unwrap().directory().unwrap();
    assert_eq!(directory, Some(one.work()));
    one.grow(&["c"]);
    one.stored();
    assert!(matches!(two.pulled(), PullOutcome::Extended));
    assert_eq!(uuids(&two.transcript(ONE)), ["a", "b", "c"]);
    assert_eq!(stored(&store, ONE), ["a", "b", "c"]);
    assert_eq!((one.all().len(), two.all().len()), (1, 1));
}

#[test]
fn a_session_that_grows_on_both_sides_is_kept_twice() {
    let store = memory();
    let (one, two) = (Machine::new(&store), Machine::new(&store));
    one.grow(&["a"]);
    one.stored();
    two.pull();
    one.grow(&["b"]);
    two.grow(&["x"]);
    one.stored();
    let before = fs::read(two.transcript(ONE)).unwrap();
    // The session of the store is written under another ID, once.
    let PullOutcome::Forked {
        id,
        is_changed: true,
    } = two.pulled()
    else {
        panic!()
    };
    assert!(matches!(
        two.pulled(),
        PullOutcome::Forked {
            is_changed: false,
            ..
        }
    ));
    assert_eq!(fs::read(two.transcript(ONE)).unwrap(), before);
    let fork = two.transcript(id.as_str());
    assert_eq!(uuids(&fork), ["a", "b"]);
    assert!(!fs::read_to_string(&fork).unwrap().contains(ONE));
    // The session of this disk is stored under another ID. The copy from the store is not stored again.
    let [synced] = &*two.push() else { panic!() };
    let SyncOutcome::Forked { to, .. } = &synced.outcome else {
        panic!("{synced:?}")
    };
    assert_eq!(stored(&store, to.session()), ["a", "x"]);
    assert_eq!(stored(&store, ONE), ["a", "b"]);
    assert!(two.push().is_empty());
    two.grow(&["y"]);
    assert_eq!(two.stored(), 1);
    assert_eq!(stored(&store, to.session()), ["a", "x", "y"]);
    // Both sessions continue, each under its ID.
    one.grow(&["c"]);
    one.stored();
    let pulled = two.pull();
    assert_eq!(pulled.len(), 2);
    assert_eq!(uuids(&fork), ["a", "b", "c"]);
    assert_eq!(two.all().len(), 2);
    // The same holds without the records of forks.
    fs::remove_dir_all(two.folder.path().join("config/state/forks")).unwrap();
    two.grow(&["z"]);
    assert_eq!(two.stored(), 1);
    let pulled = one.pull();
    let new = pulled
        .iter()
        .filter(|it| matches!(it.outcome, PullOutcome::New));
    assert_eq!(new.count(), 1);
    assert_eq!(uuids(&one.transcript(to.session())), ["a", "x", "y", "z"]);
    assert_eq!(uuids(&one.transcript(ONE)), ["a", "b", "c"]);
}

#[test]
fn a_file_that_was_changed_is_not_merged() {
    let store = memory();
    let one = Machine::new(&store);
    one.grow(&["a", "b", "c"]);
    one.stored();
    let path = one.transcript(ONE);
    let text = fs::read_to_string(&path).unwrap();
    // The file lost its last line, so the store has more lines.
    let cut: Vec<_> = text.split_inclusive('\n').take(2).collect();
    fs::write(&path, cut.concat()).unwrap();
    let [synced] = &*one.push() else { panic!() };
    assert!(
        matches!(synced.outcome, SyncOutcome::Behind { .. }),
        "{synced:?}"
    );
    // An entry of the file has other contents.
    fs::write(
        &path,
        text.replace("\"content\":\"b\"", "\"content\":\"B\""),
    )
    .unwrap();
    let [synced] = &*one.push() else { panic!() };
    let SyncOutcome::Forked { to, .. } = &synced.outcome else {
        panic!("{synced:?}")
    };
    assert_eq!(stored(&store, to.session()), ["a", "b", "c"]);
    assert_eq!(stored(&store, ONE), ["a", "b", "c"]);
    assert!(one.push().is_empty());
}

#[test]
fn a_session_that_another_process_writes_is_stored_later() {
    let store = memory();
    let one = Machine::new(&store);
    one.grow(&["a"]);
    let claims = store.claims().unwrap();
    let (session, owner) = (SessionRef::new(PROJECT, ONE).unwrap(), Owner::new("other"));
    let claim = block_on(claims.claim(&session, &owner, Duration::from_mins(1))).unwrap();
    let [synced] = &*one.push() else { panic!() };
    let SyncOutcome::Failed(error) = &synced.outcome else {
        panic!("{synced:?}")
    };
    assert!(error.to_string().contains("held by other"), "{error}");
    block_on(claims.release(&claim)).unwrap();
    assert_eq!(one.stored(), 1);
    assert!(block_on(claims.holder(&session)).unwrap().is_none());
}

#[test]
fn a_plan_changes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let store: Arc<dyn SessionStore> =
        Arc::new(FsStore::new(folder.path().join("store")).sync(false));
    let (one, two) = (Machine::new(&store), Machine::new(&store));
    one.grow(&["a"]);
    one.stored();
    let plan = |machine: &Machine| {
        let mut all = Vec::new();
        let sync = machine.sync();
        block_on(
            sync.pull(machine.work())
                .plan(|pulled| all.push(pulled.outcome)),
        )
        .unwrap();
        assert_eq!(all.len(), 1);
        all.remove(0)
    };
    assert!(matches!(plan(&two), PullOutcome::New));
    assert!(two.all().is_empty());
    two.pull();
    one.grow(&["b"]);
    one.stored();
    assert!(matches!(plan(&two), PullOutcome::Extended));
    two.grow(&["x"]);
    assert!(matches!(
        plan(&two),
        PullOutcome::Forked {
            is_changed: true,
            ..
        }
    ));
    assert_eq!(
        (uuids(&two.transcript(ONE)), two.all().len()),
        (vec!["a".into(), "x".into()], 1)
    );
}

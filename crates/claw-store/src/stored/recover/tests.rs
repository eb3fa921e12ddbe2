use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::sync::Arc;

use futures::TryStreamExt as _;
use futures::executor::block_on;

use super::*;
use crate::{
    Batch, Claims as _, Line, LocalSession, MemoryStore, ReadSessions as _, SessionStore as _,
    StoreKey, Subpath, WriterId,
};

const ID: &str = "4f6e1c3a-8f0b-4b43-9c57-1f2d3e4a5b6c";
const TTL: Duration = Duration::from_mins(1);

/// A store with a session, and a folder for checkouts.
struct Host {
    store: Arc<MemoryStore>,
    stored: StoredSessions,
    session: SessionRef,
    within: tempfile::TempDir,
}

impl Host {
    fn new() -> Self {
        let store = Arc::new(MemoryStore::new());
        let host = Self {
            stored: StoredSessions::new(store.clone()),
            session: SessionRef::new("p", ID).unwrap(),
            within: tempfile::tempdir().unwrap(),
            store,
        };
        host.append("first", &["a", "b"]);
        host
    }

    fn append(&self, writer: &str, uuids: &[&str]) {
        let lines: Vec<_> = uuids
            .iter()
            .map(|uuid| Line::new(entry(uuid)).unwrap())
            .collect();
        let batch = Batch {
            writer: &WriterId::new(writer),
            number: 0,
            lines: &lines,
            epoch: None,
        };
        block_on(self.store.append(&self.session.main(), batch)).unwrap();
    }

    /// Checks the session out, appends entries to its transcript, and leaves the checkout as a killed process does.
    fn killed(&self, uuids: &[&str]) {
        let checkout = block_on(self.stored.checkout(&self.session, self.within.path())).unwrap();
        fs::write(checkout.config().join(".credentials.json"), "SECRET").unwrap();
        let mut file = OpenOptions::new()
            .append(true)
            .open(checkout.session().transcript())
            .unwrap();
        for uuid in uuids {
            writeln!(file, "{}", entry(uuid)).unwrap();
        }
        checkout.kill();
    }

    fn recover(&self) -> Vec<Recovered> {
        let owner = Owner::new("next");
        block_on(self.stored.recover(self.within.path(), &owner, TTL))
    }

    fn uuids(&self, key: &StoreKey) -> Vec<String> {
        let lines: Vec<_> = block_on(self.store.load(key).try_collect()).unwrap();
        lines
            .iter()
            .filter_map(|stored| stored.line.uuid().map(ToOwned::to_owned))
            .collect()
    }

    fn kept(&self) -> Vec<(String, Option<String>, String)> {
        let kept = block_on(self.stored.kept(&self.session)).unwrap();
        let kept = kept.into_iter();
        kept.map(|kept| (kept.host, kept.after, kept.line))
            .collect()
    }

    fn left(&self) -> usize {
        fs::read_dir(self.within.path()).unwrap().count()
    }
}

fn entry(uuid: &str) -> String {
    format!(r#"{{"type":"user","uuid":"{uuid}"}}"#)
}

#[test]
fn what_a_killed_process_had_not_stored_is_stored_and_nothing_is_left() {
    let host = Host::new();
    host.killed(&["c", "d"]);
    let recovered = host.recover();
    assert!(
        matches!(
            recovered[..],
            [Recovered {
                outcome: Outcome::Stored(2),
                ..
            }]
        ),
        "{recovered:?}"
    );
    assert_eq!(host.uuids(&host.session.main()), ["a", "b", "c", "d"]);
    assert_eq!(host.left(), 0);
    assert!(host.recover().is_empty());
    assert!(
        block_on(host.store.holder(&host.session))
            .unwrap()
            .is_none()
    );
}

#[test]
fn what_a_killed_process_had_not_stored_of_a_deleted_session_is_dropped() {
    let host = Host::new();
    host.killed(&["c", "d"]);
    block_on(host.stored.delete(&host.session, &Owner::new("other"))).unwrap();
    let recovered = host.recover();
    assert!(
        matches!(
            recovered[..],
            [Recovered {
                outcome: Outcome::Deleted,
                ..
            }]
        ),
        "{recovered:?}"
    );
    assert_eq!(host.uuids(&host.session.main()), [""; 0]);
    assert_eq!(host.left(), 0);
}

#[cfg(target_os = "linux")]
#[test]
fn a_session_whose_cli_still_runs_is_stored_after_its_end() {
    let host = Host::new();
    let mut cli = std::process::Command::new("cat")
        .stdin(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let checkout = block_on(host.stored.checkout(&host.session, host.within.path())).unwrap();
    checkout.written_by(cli.id()).unwrap();
    let transcript = checkout.session().transcript().to_owned();
    checkout.kill();
    let is_in_use = |error: &StoredError| matches!(error, StoredError::InUse { session, pid } if *session == host.session && *pid == cli.id());
    let recovered = host.recover();
    assert!(
        matches!(&recovered[..], [Recovered { outcome: Outcome::Later(error), .. }] if is_in_use(error)),
        "{recovered:?}"
    );
    let one = host
        .stored
        .recover_one(host.within.path(), &host.session, "next", None);
    let one = block_on(one).unwrap_err();
    assert!(is_in_use(&one), "{one}");
    // The CLI writes its last line and ends.
    let mut file = OpenOptions::new().append(true).open(transcript).unwrap();
    writeln!(file, "{}", entry("c")).unwrap();
    cli.kill().unwrap();
    cli.wait().unwrap();
    assert_eq!(host.recover().len(), 1);
    assert_eq!(host.uuids(&host.session.main()), ["a", "b", "c"]);
    assert_eq!(host.left(), 0);
}

#[test]
fn a_sub_agent_that_began_is_stored() {
    let host = Host::new();
    let checkout = block_on(host.stored.checkout(&host.session, host.within.path())).unwrap();
    let agents = checkout.session().folder().join("subagents");
    fs::create_dir_all(&agents).unwrap();
    fs::write(agents.join("agent-1.jsonl"), entry("x") + "\n").unwrap();
    checkout.kill();
    assert_eq!(host.recover().len(), 1);
    let key = host.session.at(Subpath::new("subagents/agent-1").unwrap());
    assert_eq!(host.uuids(&key), ["x"]);
}

#[test]
fn a_session_that_had_not_gone_on_is_removed() {
    let host = Host::new();
    host.killed(&[]);
    assert!(host.recover().is_empty());
    assert_eq!(host.left(), 0);
}

#[test]
fn another_checkout_does_not_remove_what_is_nowhere_else() {
    let host = Host::new();
    host.killed(&["c"]);
    let checkout = block_on(host.stored.checkout(&host.session, host.within.path())).unwrap();
    block_on(checkout.close()).unwrap();
    assert_eq!(host.recover().len(), 1);
    assert_eq!(host.uuids(&host.session.main()), ["a", "b", "c"]);
}

#[test]
fn where_another_host_went_on_the_store_stays_and_the_entries_are_kept_beside_it() {
    let host = Host::new();
    host.killed(&["c"]);
    host.append("other", &["z"]);
    let recovered = host.recover();
    assert!(
        matches!(
            recovered[..],
            [Recovered {
                outcome: Outcome::Kept(1),
                ..
            }]
        ),
        "{recovered:?}"
    );
    assert_eq!(host.uuids(&host.session.main()), ["a", "b", "z"]);
    assert_eq!(
        host.kept(),
        [("next".to_owned(), Some("b".to_owned()), entry("c"))]
    );
    // No folder is left, and a checkout does not contain the kept entry.
    assert!(host.recover().is_empty());
    assert_eq!(host.left(), 0);
    let checkout = block_on(host.stored.checkout(&host.session, host.within.path())).unwrap();
    assert_eq!(checkout.transcripts().len(), 1);
    block_on(checkout.close()).unwrap();
}

#[test]
fn what_another_host_went_on_without_is_kept_while_that_host_has_the_session() {
    let host = Host::new();
    host.killed(&["c"]);
    host.append("other", &["z"]);
    let claim = block_on(host.store.claim(&host.session, &Owner::new("other"), TTL)).unwrap();
    assert_eq!(host.recover().len(), 1);
    assert_eq!(host.kept().len(), 1);
    assert_eq!(host.left(), 0);
    block_on(host.store.renew(&claim, TTL)).unwrap();
}

#[test]
fn a_session_in_the_own_folder_is_found_again_and_each_entry_is_kept_once() {
    let host = Host::new();
    let config = tempfile::tempdir().unwrap();
    let project = config.path().join("projects/p");
    fs::create_dir_all(&project).unwrap();
    let transcript = project.join(ID).with_extension("jsonl");
    let write = |uuids: &[&str]| {
        let lines: Vec<_> = uuids.iter().map(|uuid| entry(uuid) + "\n").collect();
        fs::write(&transcript, lines.concat()).unwrap();
        let note = LocalSession::new(host.within.path(), &host.session, config.path());
        note.unwrap().leave();
    };
    write(&["a", "b", "c"]);
    assert_eq!(host.recover().len(), 1);
    assert_eq!(host.uuids(&host.session.main()), ["a", "b", "c"]);
    host.append("other", &["z"]);
    write(&["a", "b", "c", "d"]);
    assert_eq!(host.recover().len(), 1);
    write(&["a", "b", "c", "d", "e"]);
    let brought = host
        .stored
        .recover_one(host.within.path(), &host.session, "one", None);
    assert_eq!(block_on(brought).unwrap().kept, 1);
    assert_eq!(host.uuids(&host.session.main()), ["a", "b", "c", "z"]);
    let after = Some("c".to_owned());
    assert_eq!(
        host.kept(),
        [
            ("next".to_owned(), after.clone(), entry("d")),
            ("one".to_owned(), after, entry("e")),
        ]
    );
    assert_eq!(host.left(), 0);
    assert!(transcript.exists(), "the user's own files stay");
}

#[test]
fn while_another_process_has_the_session_it_waits_without_secrets() {
    let host = Host::new();
    host.killed(&["c"]);
    let claim = block_on(host.store.claim(&host.session, &Owner::new("other"), TTL)).unwrap();
    let recovered = host.recover();
    assert!(
        matches!(
            recovered[..],
            [Recovered {
                outcome: Outcome::Later(_),
                ..
            }]
        ),
        "{recovered:?}"
    );
    let secrets = fs::read_dir(host.within.path()).unwrap().flatten();
    assert!(
        secrets
            .into_iter()
            .all(|entry| !entry.path().join(".credentials.json").exists())
    );
    block_on(host.store.release(&claim)).unwrap();
    assert_eq!(host.recover().len(), 1);
    assert_eq!(host.uuids(&host.session.main()), ["a", "b", "c"]);
    assert_eq!(host.left(), 0);
}

#[test]
fn what_began_in_the_folder_is_stored_too() {
    let host = Host::new();
    let checkout = block_on(host.stored.checkout(&host.session, host.within.path())).unwrap();
    // Writes another session into the checkout, as a CLI does for a fork or after `/clear`. The session that was
    // checked out has not changed.
    let id = "9969212f-13f2-4efc-894f-c2b4e65d5fa0";
    let beside = checkout.session().transcript().with_file_name(id);
    fs::write(beside.with_extension("jsonl"), entry("x") + "\n").unwrap();
    checkout.kill();
    assert_eq!(host.recover().len(), 2);
    let fork = SessionRef::new("p", id).unwrap();
    assert_eq!(host.uuids(&fork.main()), ["x"]);
    assert_eq!(host.uuids(&host.session.main()), ["a", "b"]);
    assert_eq!(host.left(), 0);
}

#[test]
fn another_store_does_not_get_what_came_from_this_one() {
    let (host, other) = (Host::new(), MemoryStore::new());
    host.killed(&["c"]);
    let stored = StoredSessions::new(Arc::new(other));
    let owner = Owner::new("next");
    let recovered = block_on(stored.recover(host.within.path(), &owner, TTL));
    let [
        Recovered {
            outcome: Outcome::Later(error),
            ..
        },
    ] = &recovered[..]
    else {
        panic!("{recovered:?}");
    };
    assert!(error.is_not_found(), "{error}");
    let key = host.session.main();
    let there: Vec<_> = block_on(stored.store().load(&key).try_collect()).unwrap();
    assert!(there.is_empty());
    assert_eq!(host.recover().len(), 1);
    assert_eq!(host.uuids(&key), ["a", "b", "c"]);
}

#[test]
fn a_session_that_is_left_for_later_is_stored_later() {
    let host = Host::new();
    let checkout = block_on(host.stored.checkout(&host.session, host.within.path())).unwrap();
    fs::write(checkout.config().join(".credentials.json"), "SECRET").unwrap();
    let transcript = checkout.session().transcript().to_owned();
    let mut file = OpenOptions::new().append(true).open(&transcript).unwrap();
    writeln!(file, "{}", entry("c")).unwrap();
    // Closes the file before the checkout. Windows would keep the name of a deleted file while the file is open.
    drop(file);
    let config = checkout.config().to_owned();
    checkout.leave();
    assert!(transcript.exists() && !config.join(".credentials.json").exists());
    assert_eq!(host.recover().len(), 1);
    assert_eq!(host.uuids(&host.session.main()), ["a", "b", "c"]);
    assert_eq!(host.left(), 0);
}

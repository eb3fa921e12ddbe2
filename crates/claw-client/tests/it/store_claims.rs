//! Claims that are lost: the CLI and everything that it started end before another host can have the session.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;

use claw_client::store::{Claims, Epoch, MemoryStore, Owner, SessionRef, StoreError, StoreOptions};
use claw_client::types::{Map, QueryOptions};
use claw_client::{Session, SessionBuilder};
use claw_testkit::Block;
use claw_testkit::agent::{Child, Script, Step};
use claw_testkit::store::{Call, Intercept, Intercepted, intercepted};
use futures::future;
use serde_json::json;
use tokio::sync::{Notify, Semaphore};

use crate::agent::soon;
use crate::proc::{come_true, marked};
use crate::process::options;
use crate::slow::Nothing;

const TTL: Duration = Duration::from_secs(5);

/// Lets a store answer no claim any more. It has no other capability.
#[derive(Debug, Default)]
struct Silence(AtomicBool);

impl Intercept for Silence {
    async fn before(&self, call: Call) -> Result<(), StoreError> {
        if matches!(call, Call::Renew | Call::Release) && self.0.load(Relaxed) {
            future::pending::<()>().await;
        }
        Ok(())
    }

    fn has(&self, call: Call) -> bool {
        call == Call::Claim
    }
}

/// A CLI that obeys nothing, has started a daemon, and says what fills every room.
fn unruly(folder: &Path, mark: &str, store: StoreOptions) -> SessionBuilder {
    let line = Step::message([Block::text("x".repeat(8000))]);
    let steps = vec![
        Step::Child(Child::new().daemon()),
        Step::repeat(200, [line]),
        Step::Hang,
    ];
    let script = Script::new([Step::Turn(steps)])
        .ignore_sigterm()
        .ignore_eof();
    let mut options = options(folder, &script);
    let env = options.env.get_or_insert_default();
    env.insert("CLAW_TEST_STORE_CLAIM", Some(mark.to_owned()));
    Session::builder(options)
        .buffer(256 << 10)
        .store(store.ttl(TTL))
}

/// Fills the room for messages that nobody reads.
async fn fill(session: &Session) {
    let full = async {
        loop {
            let error = session.call(Nothing).await.unwrap_err();
            if !error.is_refused() {
                return assert!(error.is_backlogged(), "{error}");
            }
        }
    };
    soon(full).await;
}

#[tokio::test]
async fn a_lost_claim_ends_what_nobody_reads_with_all_that_it_started() {
    let folder = tempfile::tempdir().unwrap();
    let mark = format!("unread {}", std::process::id());
    let store = Arc::new(Intercepted::<Silence, MemoryStore>::default());
    let builder = unruly(folder.path(), &mark, StoreOptions::from(store.clone()));
    let session = soon(builder.connect()).await.unwrap();
    let turn = session.send("Go").await.unwrap();
    fill(&session).await;
    let running = || marked(&format!("CLAW_TEST_STORE_CLAIM={mark}")).len();
    assert!(running() >= 2, "the CLI and its daemon run");
    store.intercept.0.store(true, Relaxed);
    come_true("the end of the CLI and its daemon", || running() == 0).await;
    // All of it before the claim's time is over.
    let reference = session.mirror().unwrap().session();
    assert!(store.inner.holder(&reference).await.unwrap().is_some());
    // Whoever reads later is told why.
    let error = soon(turn.result()).await.unwrap_err();
    assert!(
        error.to_string().contains("the claim could not be renewed"),
        "{error}"
    );
    assert!(error.store().is_some(), "{error}");
}

#[tokio::test]
async fn a_session_that_another_host_took_ends_although_nobody_reads() {
    let folder = tempfile::tempdir().unwrap();
    let mark = format!("taken {}", std::process::id());
    let store = Arc::new(MemoryStore::new());
    let owner = Owner::new("first");
    let options = StoreOptions::from(store.clone()).owner(owner.clone());
    let builder = unruly(folder.path(), &mark, options);
    let session = soon(builder.connect()).await.unwrap();
    let turn = session.send("Go").await.unwrap();
    fill(&session).await;
    let reference = session.mirror().unwrap().session();
    // As if the host had been stopped for longer than its claim lasts.
    let again = store.claim(&reference, &owner, Duration::ZERO).await;
    store.release(&again.unwrap()).await.unwrap();
    let second = Owner::new("second");
    store.claim(&reference, &second, TTL).await.unwrap();
    let running = || marked(&format!("CLAW_TEST_STORE_CLAIM={mark}")).len();
    come_true("the end of the CLI and its daemon", || running() == 0).await;
    let error = soon(turn.result()).await.unwrap_err();
    assert!(error.store().unwrap().is_superseded(), "{error}");
    assert!(error.to_string().contains("second"), "{error}");
}

/// No CLI, one that ends at once, and a folder for the recording that cannot be made: nobody waits for the claim of a
/// session that did not start.
#[tokio::test]
async fn a_session_that_does_not_start_is_free_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let program = claw_testkit::processes::program().unwrap();
    let ends = [("SCRIPTED_PROCESS", Some("exit=7".to_owned()))];
    let file = folder.path().join("file");
    std::fs::write(&file, "no folder").unwrap();
    let id = "4f6e1c3a-8f0b-4b43-9c57-1f2d3e4a5b6c";
    let session = SessionRef::new("p", id).unwrap();
    let store = Arc::new(MemoryStore::new());
    let missing = folder.path().join("missing");
    for (program, recording) in [(&missing, None), (&program, None), (&program, Some(&file))] {
        let options = QueryOptions::default()
            .path_to_claude_code_executable(program)
            .env(ends.clone().into_iter().collect::<Map<_>>())
            .session_id(id)
            .cwd(folder.path());
        let mut builder = Session::builder(options).store(
            StoreOptions::from(store.clone())
                .project("p")
                .ttl(Duration::from_hours(1)),
        );
        if let Some(recording) = recording {
            builder = builder.record(recording);
        }
        let error = soon(builder.connect()).await.unwrap_err();
        assert!(error.store().is_none(), "{error}");
        let holder = store.holder(&session).await.unwrap();
        assert_eq!(holder, None, "after {error}");
    }
}

/// Clones of the same options are one owner, to whom a store gives its own claim again.
#[tokio::test]
async fn a_session_that_this_program_runs_already_is_refused_and_one_that_ends_is_waited_for() {
    let folder = tempfile::tempdir().unwrap();
    let store = Arc::new(MemoryStore::new());
    let stored = StoreOptions::from(store.clone()).project("p");
    let id = "4f6e1c3a-8f0b-4b43-9c57-1f2d3e4a5b6c";
    let turns = Script::new([Step::Turns(vec![Step::message([Block::text("Yes")])])]);
    let connect = |stored: &StoreOptions| {
        let options = options(folder.path(), &turns).session_id(id);
        soon(Session::builder(options).store(stored.clone()).connect())
    };
    let first = connect(&stored).await.unwrap();
    let error = connect(&stored).await.unwrap_err();
    assert!(error.store().unwrap().is_held(), "{error}");
    // Whose claim it is, is said as for any other holder.
    assert!(
        error.to_string().contains(&std::process::id().to_string()),
        "{error}"
    );
    assert_eq!(soon(first.ask("Still?")).await.unwrap(), "Yes");
    // Another project's session of this name is another one, as is another store's.
    let other = connect(&stored.clone().project("q")).await.unwrap();
    soon(other.close()).await.unwrap();
    // By the last handle, which a turn is as well.
    let turn = first.send("And now?").await.unwrap();
    drop(first);
    let error = connect(&stored).await.unwrap_err();
    assert!(error.store().unwrap().is_held(), "{error}");
    drop(turn);
    let second = connect(&stored).await.unwrap();
    soon(second.close()).await.unwrap();
    let third = connect(&stored).await.unwrap();
    soon(third.close()).await.unwrap();
    let session = SessionRef::new("p", id).unwrap();
    assert_eq!(store.holder(&session).await.unwrap(), None);
}

/// Lets a store have another writer at the first lines, and report it when the gate is open.
#[derive(Debug)]
struct Taken {
    asked: Notify,
    gate: Semaphore,
}

impl Intercept for Taken {
    async fn before(&self, call: Call) -> Result<(), StoreError> {
        if call != Call::Append {
            return Ok(());
        }
        self.asked.notify_one();
        let _open = self.gate.acquire().await;
        Err(StoreError::Superseded {
            epoch: Epoch(1),
            newer: Epoch(2),
            owner: None,
        })
    }

    fn has(&self, _: Call) -> bool {
        false
    }
}

#[tokio::test]
async fn an_answer_whose_lines_the_store_refuses_is_none() {
    let folder = tempfile::tempdir().unwrap();
    let id = "4f6e1c3a-8f0b-4b43-9c57-1f2d3e4a5b6c";
    let projects = folder.path().join("projects/p");
    std::fs::create_dir_all(&projects).unwrap();
    let transcript = projects.join(format!("{id}.jsonl"));
    std::fs::write(&transcript, "{\"type\":\"user\",\"uuid\":\"1\"}\n").unwrap();
    let path = json!(transcript);
    let told = format!(r#"{{"type":"transcript_mirror","filePath":{path},"entries":[]}}"#);
    let turn = Step::Turn(vec![Step::Text(told), Step::message([Block::text("Yes")])]);
    let options = options(folder.path(), &Script::new([turn])).session_id(id);
    let taken = Taken {
        asked: Notify::new(),
        gate: Semaphore::new(0),
    };
    let store = Arc::new(intercepted(Arc::new(MemoryStore::new()), taken));
    let stored = StoreOptions::from(store.clone())
        .project("p")
        .result_delay(Duration::from_hours(1));
    let recording = folder.path().join("recording");
    let builder = Session::builder(options).store(stored).record(&recording);
    let session = soon(builder.connect()).await.unwrap();
    let turn = soon(session.send("Go")).await.unwrap();
    soon(store.intercept.asked.notified()).await;
    // The result is read, and waits for its lines.
    come_true("the result", || {
        let read = std::fs::read_to_string(recording.join("stdout.ndjson"));
        read.is_ok_and(|read| read.contains("\"type\":\"result\""))
    })
    .await;
    store.intercept.gate.add_permits(1);
    let error = soon(turn.result()).await.unwrap_err();
    assert!(error.store().unwrap().is_superseded(), "{error}");
    soon(session.process().exited()).await;
}

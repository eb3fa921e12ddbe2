//! Sessions of the real CLI in a store.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use claw_client::store::{
    Claims as _, FsStore, MemoryStore, Owner, ReadSessions as _, SessionRef, SessionStore,
    StoreError, StoreOptions, StoredSessions, Subpath,
};
use claw_client::types::{Message, QueryOptions};
use claw_client::{PermissionResult, Received, Session, SessionBuilder};
use claw_testkit::api::{Api, scenarios};
use claw_testkit::store::{Call, Intercept, intercepted};
use futures::{StreamExt as _, TryStreamExt as _};
use serde_json::{Value, json};

use super::cli::Cli;
use super::decisions::{says, scenario};
use crate::agent::soon;

pub(super) const PROJECT: &str = "shared";

pub(super) fn stored<S: SessionStore>(options: QueryOptions, store: &Arc<S>) -> SessionBuilder {
    Session::builder(options)
        .can_use_tool(|_| async { PermissionResult::allow() })
        .store(StoreOptions::from(store.clone()).project(PROJECT))
}

pub(super) async fn lines<S: SessionStore>(
    store: &Arc<S>,
    session: &SessionRef,
    subpath: Option<&str>,
) -> Vec<String> {
    let key = match subpath {
        Some(path) => session.at(Subpath::new(path).unwrap()),
        None => session.main(),
    };
    let lines = store
        .load(&key)
        .map_ok(|stored| stored.line.as_str().to_owned());
    lines.try_collect().await.unwrap()
}

/// What the CLI mirrored, by the path of each transcript.
pub(super) fn mirrored(recording: &Path) -> BTreeMap<String, Vec<Value>> {
    let stdout = std::fs::read_to_string(recording.join("stdout.ndjson")).unwrap();
    let mut files: BTreeMap<_, Vec<Value>> = BTreeMap::new();
    for line in stdout.lines() {
        let frame: Value = serde_json::from_str(line).unwrap();
        if frame["type"] == "transcript_mirror" {
            let entries = frame["entries"].as_array().unwrap().clone();
            let path = frame["filePath"].as_str().unwrap().to_owned();
            files.entry(path).or_default().extend(entries);
        }
    }
    files
}

pub(super) fn values(lines: &[String]) -> Vec<Value> {
    lines
        .iter()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// Every file below a folder that has this text.
pub(super) fn files_with(folder: &Path, text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if entry.file_type().unwrap().is_dir() {
            found.extend(files_with(&path, text));
        } else if std::fs::read(&path)
            .is_ok_and(|bytes| memchr::memmem::find(&bytes, text.as_bytes()).is_some())
        {
            found.push(path.display().to_string());
        }
    }
    found
}

#[tokio::test]
async fn a_conversation_goes_on_on_another_host() {
    goes_on_on_another_host(MemoryStore::new()).await;
}

#[tokio::test]
async fn a_conversation_goes_on_on_another_host_from_a_shared_folder() {
    let folder = tempfile::tempdir().unwrap();
    goes_on_on_another_host(FsStore::new(folder.path())).await;
}

async fn goes_on_on_another_host(store: impl SessionStore) {
    let api = Api::start(scenarios::text()).await.unwrap();
    let store = Arc::new(store);
    let one = Cli::new(&api);
    let recording = one.folder().join("recording");
    let builder = stored(one.options(), &store).record(&recording);
    let session = soon(builder.connect()).await.unwrap();
    soon(session.ask("The word is plum.")).await.unwrap();
    let stored_session = session.mirror().unwrap().session();
    // What was said is stored before its answer is there.
    let said = lines(&store, &stored_session, None).await;
    assert!(
        said.iter().any(|line| line.contains("The word is plum.")),
        "{said:?}"
    );
    assert!(
        said.iter()
            .any(|line| line.contains(r#""type":"assistant""#)),
        "{said:?}"
    );
    soon(session.close()).await.unwrap();

    // Entry by entry what the CLI says that it writes, and byte for byte what it writes.
    let all = lines(&store, &stored_session, None).await;
    let files = mirrored(&recording);
    let (path, entries) = files.first_key_value().unwrap();
    assert_eq!(files.len(), 1);
    assert_eq!(values(&all), *entries);
    let file = std::fs::read_to_string(path).unwrap();
    let written: Vec<_> = file
        .lines()
        .filter(|line| !line.contains(r#""type":"api-request"#))
        .collect();
    assert_eq!(all, written);

    let other = Cli::new(&api);
    let options = other.options().resume(stored_session.session());
    let session = soon(stored(options, &store).connect()).await.unwrap();
    soon(session.ask("Which word?")).await.unwrap();
    assert_eq!(session.mirror().unwrap().session(), stored_session);
    let asked = api.requests().last().unwrap().body.to_string();
    assert!(
        asked.contains("The word is plum."),
        "the model was told what was said"
    );
    soon(session.close()).await.unwrap();
    let more = lines(&store, &stored_session, None).await;
    assert_eq!(more[..all.len()], all, "the earlier lines are as they were");
    assert!(
        more[all.len()..]
            .iter()
            .any(|line| line.contains("Which word?"))
    );
    // Nothing of the conversation is left on the second host.
    assert_eq!(files_with(other.folder(), "plum"), [""; 0]);
}

#[tokio::test]
async fn sub_agents_are_stored_and_taken_along() {
    let api = Api::start(scenarios::subagent()).await.unwrap();
    let store = Arc::new(MemoryStore::new());
    let one = Cli::new(&api);
    let recording = one.folder().join("recording");
    let session = soon(stored(one.options(), &store).record(&recording).connect())
        .await
        .unwrap();
    soon(session.ask("Ask the counter.")).await.unwrap();
    let stored_session = session.mirror().unwrap().session();
    soon(session.close()).await.unwrap();
    let subkeys = store
        .subkeys()
        .unwrap()
        .subkeys(&stored_session)
        .await
        .unwrap();
    let files = mirrored(&recording);
    assert_eq!((subkeys.len(), files.len()), (1, 2));
    let agent = lines(&store, &stored_session, Some(subkeys[0].as_str())).await;
    let (_, entries) = files
        .iter()
        .find(|(path, _)| path.replace('\\', "/").contains("/subagents/"))
        .unwrap();
    let is_metadata = |value: &Value| value["type"] == "agent_metadata";
    let conversation = |values: Vec<Value>| -> Vec<Value> {
        values
            .into_iter()
            .filter(|value| !is_metadata(value))
            .collect()
    };
    assert_eq!(conversation(values(&agent)), conversation(entries.clone()));
    // The last state of the sub-agent counts.
    let last = |values: &[Value]| values.iter().rfind(|value| is_metadata(value)).cloned();
    assert_eq!(last(&values(&agent)), last(entries));
}

#[tokio::test]
async fn a_session_that_another_process_has_is_refused_by_its_name() {
    let api = Api::start(scenarios::text()).await.unwrap();
    let store = Arc::new(MemoryStore::new());
    let one = Cli::new(&api);
    let session = soon(stored(one.options(), &store).connect()).await.unwrap();
    soon(session.ask("Hi")).await.unwrap();
    let id = session.mirror().unwrap().session();
    let other = Cli::new(&api);
    let resume = || stored(other.options().resume(id.session()), &store);
    let error = soon(resume().connect()).await.unwrap_err();
    assert!(error.store().unwrap().is_held(), "{error}");
    assert!(
        error
            .to_string()
            .contains(&format!("process {}", std::process::id())),
        "{error}"
    );
    soon(session.close()).await.unwrap();
    // It was given up at the end.
    let session = soon(resume().connect()).await.unwrap();
    soon(session.close()).await.unwrap();
}

#[tokio::test]
async fn a_lost_claim_ends_the_cli_and_none_of_its_lines_is_stored() {
    let api = Api::start(scenarios::slow()).await.unwrap();
    let store = Arc::new(MemoryStore::new());
    let cli = Cli::new(&api);
    let ttl = Duration::from_secs(3);
    let options = StoreOptions::from(store.clone()).project(PROJECT).ttl(ttl);
    let owner = Owner::new("first");
    let builder = Session::builder(cli.options()).store(options.owner(owner.clone()));
    let session = soon(builder.connect()).await.unwrap();
    let turn = session.send("Hi").await.unwrap();
    let id = session.mirror().unwrap().session();
    // As if the host had been stopped for longer than its claim lasts.
    let again = store.claim(&id, &owner, Duration::ZERO).await.unwrap();
    store.release(&again).await.unwrap();
    let newer = store
        .claim(&id, &Owner::new("second"), Duration::from_mins(10))
        .await
        .unwrap();
    let before = lines(&store, &id, None).await;
    let error = soon(turn.result()).await.unwrap_err();
    assert!(error.store().unwrap().is_superseded(), "{error}");
    assert!(error.to_string().contains("second"), "{error}");
    soon(session.process().exited()).await;
    assert_eq!(lines(&store, &id, None).await, before);
    assert_eq!(newer.session, id);
}

/// Lets a store take no lines. It has no capability.
#[derive(Debug)]
struct Dead;

impl Intercept for Dead {
    async fn before(&self, call: Call) -> Result<(), StoreError> {
        if call == Call::Append {
            std::future::pending::<()>().await;
        }
        Ok(())
    }

    fn has(&self, _: Call) -> bool {
        false
    }
}

#[tokio::test]
async fn a_dead_store_holds_up_neither_a_result_nor_the_end() {
    let api = Api::start(scenarios::text()).await.unwrap();
    let cli = Cli::new(&api);
    let (result, close) = (Duration::from_millis(500), Duration::from_secs(2));
    let dead = intercepted(Arc::new(MemoryStore::new()), Dead);
    let options = StoreOptions::from(Arc::new(dead));
    let options = options.result_delay(result).close_delay(close);
    let builder = Session::builder(cli.options()).store(options);
    let session = soon(builder.connect()).await.unwrap();
    let mut messages = session.messages().unwrap();
    let turn = session.send("Hi").await.unwrap();
    soon(turn.result()).await.unwrap();
    // Without the bounds, both would take for ever.
    soon(session.close()).await.unwrap();
    let mut told = Vec::new();
    while let Some(received) = soon(messages.next()).await {
        if let Ok(Received::Message(Message::MirrorError(error))) = received {
            told.push(error.error.clone());
        }
    }
    assert!(!told.is_empty(), "what is not stored is told");
}

#[tokio::test]
async fn a_dead_store_and_ten_sub_agents_hold_up_a_result_by_the_bound() {
    let agent = |number| {
        let prompt = format!("Say {number}, agent.");
        json!({"type": "tool_use", "name": "Agent", "input": {
            "description": "Say a number", "prompt": prompt, "subagent_type": "general-purpose",
            "run_in_background": false
        }})
    };
    let agents: Vec<_> = (0..10).map(agent).collect();
    let rules = json!([
        {"when": {"tool_result": ""}, "answer": says("Ten, say the agents.")},
        {"when": {"prompt": "agent."}, "answer": says("Here it is.")},
        {"answer": {"message": agents}}
    ]);
    let api = Api::start(scenario(&rules)).await.unwrap();
    let cli = Cli::new(&api);
    let bound = Duration::from_secs(2);
    let dead = intercepted(Arc::new(MemoryStore::new()), Dead);
    let options = StoreOptions::from(Arc::new(dead));
    let options = options.result_delay(bound).close_delay(bound);
    let builder = Session::builder(cli.options())
        .can_use_tool(|_| async { PermissionResult::allow() })
        .store(options);
    let session = soon(builder.connect()).await.unwrap();
    let began = Instant::now();
    let result = soon(session.send("Ask ten.").await.unwrap().result())
        .await
        .unwrap();
    let took = began.elapsed();
    // What the CLI says of its own time has none of the store's.
    let own = result.duration();
    let delay = took.saturating_sub(own);
    println!("ten sub-agents: {took:?}, of which the CLI took {own:?}");
    // Held up for each agent, it would be late by ten times the bound.
    assert!(delay < 2 * bound + own, "{delay:?}");
    soon(session.close()).await.unwrap();
    let mut agents = Vec::new();
    for project in std::fs::read_dir(cli.home().join(".claude/projects")).unwrap() {
        let path = project.unwrap().path();
        agents.extend(files_with(&path, "Here it is."));
    }
    agents.retain(|path| path.replace('\\', "/").contains("/subagents/"));
    assert_eq!(agents.len(), 10, "{agents:?}");
}

#[tokio::test]
async fn what_a_host_could_not_store_is_stored_at_its_next_start_or_kept_beside() {
    let api = Api::start(scenarios::text()).await.unwrap();
    let store = Arc::new(MemoryStore::new());
    let (one, other) = (Cli::new(&api), Cli::new(&api));
    // A host that had no store.
    let session = soon(Session::builder(one.options()).connect())
        .await
        .unwrap();
    let result = soon(session.send("The word is plum.").await.unwrap().result())
        .await
        .unwrap();
    let id = result.session_id().clone();
    soon(session.close()).await.unwrap();
    let session = soon(stored(one.options().resume(id.clone()), &store).connect())
        .await
        .unwrap();
    let reference = session.mirror().unwrap().session();
    soon(session.close()).await.unwrap();
    assert!(
        lines(&store, &reference, None)
            .await
            .iter()
            .any(|line| line.contains("plum"))
    );

    // Another one goes on, while the first has something that it never stored.
    let session = soon(stored(other.options().resume(id.clone()), &store).connect())
        .await
        .unwrap();
    soon(session.ask("Which word?")).await.unwrap();
    soon(session.close()).await.unwrap();
    let here = claw_sessions::Sessions::new(one.home().join(".claude"));
    let transcript = here.find(id.as_str()).unwrap().transcript().to_owned();
    let mut text = std::fs::read_to_string(&transcript).unwrap();
    text += "{\"type\":\"user\",\"uuid\":\"00000000-0000-4000-8000-00000000dead\"}\n";
    std::fs::write(&transcript, &text).unwrap();
    let before = lines(&store, &reference, None).await;
    // The first one goes on with what the store has, and what only its disk has is kept beside it, once.
    for _ in 0..2 {
        let resume = one.options().resume(id.clone());
        let session = soon(stored(resume, &store).connect()).await.unwrap();
        soon(session.ask("And now?")).await.unwrap();
        soon(session.close()).await.unwrap();
    }
    let after = lines(&store, &reference, None).await;
    assert!(after.len() > before.len() && after.starts_with(&before));
    assert!(!after.iter().any(|line| line.contains("dead")));
    let kept = StoredSessions::new(store.clone()).kept(&reference).await;
    let kept = kept.unwrap();
    let [kept] = &kept[..] else {
        panic!("{kept:?}");
    };
    assert!(kept.line.contains("-00000000dead"), "{kept:?}");
    assert!(kept.after.is_some(), "{kept:?}");
    assert_eq!(std::fs::read_to_string(&transcript).unwrap(), text);
}

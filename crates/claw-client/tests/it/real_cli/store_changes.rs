//! Conversations that do not simply go on, while they are stored: `/clear`, a compaction, a rewind.

use std::path::Path;
use std::sync::Arc;

use claw_client::Session;
use claw_client::store::{Claims as _, MemoryStore, SessionRef};
use claw_client::types::Message;
use claw_client::types::message::UserMessage;
use claw_client::types::options::PermissionMode;
use claw_testkit::api::{Api, scenarios};
use serde_json::{Value, json};

use super::cli::Cli;
use super::decisions::{says, scenario, uses};
use super::stores::{lines, mirrored, stored, values};
use crate::agent::{next, soon};

type Store = Arc<MemoryStore>;

/// What the CLI says that it has written to the main transcript of a session.
fn told(recording: &Path, session: &SessionRef) -> Vec<Value> {
    let name = format!("{}.jsonl", session.session());
    let mut files = mirrored(recording).into_iter();
    let found = files.find(|(path, _)| path.ends_with(&name));
    found.map(|(_, entries)| entries).unwrap_or_default()
}

/// The stored lines, of which the first ones are as they were, and the others are what the CLI has told.
async fn assert_whole(
    store: &Store,
    session: &SessionRef,
    before: &[String],
    recording: &Path,
) -> Vec<String> {
    let now = lines(store, session, None).await;
    assert_eq!(now[..before.len()], *before, "what was there is as it was");
    let told = told(recording, session);
    assert!(!told.is_empty());
    assert_eq!(values(&now[before.len()..]), told);
    now
}

fn has(lines: &[String], text: &str) -> bool {
    lines.iter().any(|line| line.contains(text))
}

async fn ask(session: &Session, prompt: &str) {
    soon(session.ask(prompt)).await.unwrap();
}

/// The session that follows one in the store. The CLI may tell of it behind the result of its first turn.
async fn following(session: &Session, first: &SessionRef) -> SessionRef {
    let mirror = session.mirror().unwrap();
    soon(mirror.following(first)).await.unwrap()
}

#[tokio::test]
async fn after_clear_the_old_session_is_whole_and_the_new_one_is_another() {
    let api = Api::start(scenarios::text()).await.unwrap();
    let store = Store::default();
    let cli = Cli::new(&api);
    let recording = cli.folder().join("recording");
    let builder = stored(cli.options(), &store).record(&recording);
    let session = soon(builder.connect()).await.unwrap();
    ask(&session, "Before.").await;
    let first = session.mirror().unwrap().session();
    ask(&session, "/clear").await;
    ask(&session, "After.").await;
    let second = following(&session, &first).await;
    for session in [&first, &second] {
        assert!(store.holder(session).await.unwrap().is_some());
    }
    soon(session.close()).await.unwrap();
    let before = assert_whole(&store, &first, &[], &recording).await;
    let after = assert_whole(&store, &second, &[], &recording).await;
    assert!(has(&before, "Before.") && !has(&before, "After."));
    assert!(has(&after, "After.") && !has(&after, "Before."));
    // Another host goes on with each.
    for (reference, said) in [(&first, "Before."), (&second, "After.")] {
        assert_eq!(store.holder(reference).await.unwrap(), None);
        let other = Cli::new(&api);
        let options = other.options().resume(reference.session());
        let session = soon(stored(options, &store).connect()).await.unwrap();
        ask(&session, "Which word?").await;
        let asked = api.requests().last().unwrap().body.to_string();
        assert!(asked.contains(said), "{asked}");
        soon(session.close()).await.unwrap();
    }
}

/// `/clear` in a session that came out of the store: the new one is in the same folder for temporary files.
#[tokio::test]
async fn a_resumed_session_is_cleared() {
    let api = Api::start(scenarios::text()).await.unwrap();
    let store = Store::default();
    let cli = Cli::new(&api);
    let session = soon(stored(cli.options(), &store).connect()).await.unwrap();
    ask(&session, "Before.").await;
    let first = session.mirror().unwrap().session();
    soon(session.close()).await.unwrap();
    let before = lines(&store, &first, None).await;
    let other = Cli::new(&api);
    let recording = other.folder().join("recording");
    let options = other.options().resume(first.session());
    let builder = stored(options, &store).record(&recording);
    let session = soon(builder.connect()).await.unwrap();
    ask(&session, "/clear").await;
    ask(&session, "After.").await;
    let second = following(&session, &first).await;
    soon(session.close()).await.unwrap();
    let after = assert_whole(&store, &second, &[], &recording).await;
    assert!(has(&after, "After.") && !has(&after, "Before."));
    let now = lines(&store, &first, None).await;
    assert_eq!(now[..before.len()], before);
    assert!(!has(&now, "After."));
}

#[tokio::test]
async fn a_compacted_conversation_is_stored_as_it_is_written() {
    let api = Api::start(scenarios::compact()).await.unwrap();
    let store = Store::default();
    let cli = Cli::new(&api);
    let recording = cli.folder().join("recording");
    let builder = stored(cli.options(), &store).record(&recording);
    let session = soon(builder.connect()).await.unwrap();
    for prompt in ["One.", "Two.", "/compact", "Three."] {
        ask(&session, prompt).await;
    }
    let reference = session.mirror().unwrap().session();
    soon(session.close()).await.unwrap();
    let all = assert_whole(&store, &reference, &[], &recording).await;
    assert!(has(&all, "compact_boundary") && has(&all, "They said hello."));
    let sessions = claw_sessions::Sessions::new(cli.home().join(".claude"));
    let file = sessions.find(reference.session()).unwrap();
    let file = std::fs::read_to_string(file.transcript()).unwrap();
    let written = file
        .lines()
        .filter(|line| !line.contains(r#""type":"api-request"#));
    assert_eq!(all, written.collect::<Vec<_>>(), "byte for byte");
    // Another host goes on from the summary.
    let other = Cli::new(&api);
    let recording = other.folder().join("recording");
    let options = other.options().resume(reference.session());
    let builder = stored(options, &store).record(&recording);
    let session = soon(builder.connect()).await.unwrap();
    ask(&session, "Four.").await;
    let asked = api.requests().last().unwrap().body["messages"].to_string();
    assert!(asked.contains("They said hello.") && asked.contains("Three."));
    assert!(!asked.contains("One."), "{asked}");
    soon(session.close()).await.unwrap();
    assert_whole(&store, &reference, &all, &recording).await;
}

#[tokio::test]
async fn a_conversation_goes_on_from_an_earlier_message() {
    let api = Api::start(scenarios::text()).await.unwrap();
    let store = Store::default();
    let cli = Cli::new(&api);
    let session = soon(stored(cli.options(), &store).connect()).await.unwrap();
    let mut turn = session.send("One.").await.unwrap();
    let mut at = None;
    while let Some(message) = next(&mut turn).await.unwrap() {
        if let Message::Assistant(answer) = message {
            at = Some(answer.uuid.clone());
        }
    }
    ask(&session, "Two.").await;
    let reference = session.mirror().unwrap().session();
    soon(session.close()).await.unwrap();
    let before = lines(&store, &reference, None).await;
    let other = Cli::new(&api);
    let recording = other.folder().join("recording");
    let options = other.options().resume(reference.session());
    let options = options.resume_session_at(at.unwrap());
    let builder = stored(options, &store).record(&recording);
    let session = soon(builder.connect()).await.unwrap();
    ask(&session, "Three.").await;
    assert_eq!(session.mirror().unwrap().session(), reference);
    let asked = api.requests().last().unwrap().body["messages"].to_string();
    assert!(asked.contains("One.") && !asked.contains("Two."), "{asked}");
    soon(session.close()).await.unwrap();
    let all = assert_whole(&store, &reference, &before, &recording).await;
    // The other branch stays, and whoever goes on is on the new one.
    assert!(has(&all, "Two.") && has(&all, "Three."));
    let third = Cli::new(&api);
    let options = third.options().resume(reference.session());
    let session = soon(stored(options, &store).connect()).await.unwrap();
    ask(&session, "Four.").await;
    let asked = api.requests().last().unwrap().body["messages"].to_string();
    assert!(
        asked.contains("Three.") && !asked.contains("Two."),
        "{asked}"
    );
    soon(session.close()).await.unwrap();
}

#[tokio::test]
async fn files_are_brought_back_while_the_session_is_stored() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("work/a.txt");
    let write = json!({"file_path": file, "content": "new\n"});
    let scenario = scenario(&json!([
        {"when": {"tool_result": ""}, "answer": says("Written.")},
        {"answer": uses("Write", &write)}
    ]));
    let api = Api::start(scenario).await.unwrap();
    let store = Store::default();
    let cli = Cli::in_folder(&api, folder.path());
    let recording = cli.folder().join("recording");
    let options = cli.options().enable_file_checkpointing(true);
    let options = options.permission_mode(PermissionMode::AcceptEdits);
    let builder = stored(options, &store).record(&recording);
    let session = soon(builder.connect()).await.unwrap();
    let prompt = UserMessage::prompt("Write it.");
    let id = prompt.uuid.clone().unwrap();
    soon(session.send(prompt).await.unwrap().result())
        .await
        .unwrap();
    assert!(file.exists());
    assert!(soon(session.rewind_files(id)).await.unwrap().can_rewind);
    assert!(!file.exists());
    let reference = session.mirror().unwrap().session();
    soon(session.close()).await.unwrap();
    let all = assert_whole(&store, &reference, &[], &recording).await;
    assert!(has(&all, "file-history-snapshot"), "{all:?}");
}

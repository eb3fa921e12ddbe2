//! One conversation in two sessions of one program, with clones of the same options.

use std::sync::Arc;

use claw_client::store::{MemoryStore, SessionRef, StoreOptions};
use claw_client::{Session, SessionBuilder};
use claw_testkit::api::{Api, scenarios};

use super::cli::Cli;
use super::stores::{PROJECT, lines};
use crate::agent::soon;

fn resumed(cli: &Cli, options: &StoreOptions, session: &SessionRef) -> SessionBuilder {
    Session::builder(cli.options().resume(session.session())).store(options.clone())
}

/// Whether the model got all of these prompts at last, and the store has them.
async fn assert_whole(api: &Api, store: &Arc<MemoryStore>, session: &SessionRef, all: &[&str]) {
    let requests = api.requests();
    let last = requests.iter().rev().find(|request| request.is_message());
    let asked = last.unwrap().body["messages"].to_string();
    let stored = lines(store, session, None).await.concat();
    for prompt in all {
        assert!(asked.contains(prompt), "{prompt}: {asked}");
        assert!(stored.contains(prompt), "{prompt}: {stored}");
    }
}

#[tokio::test]
async fn a_session_that_this_program_runs_is_refused_until_it_has_ended() {
    let api = Api::start(scenarios::text()).await.unwrap();
    let store = Arc::new(MemoryStore::new());
    let options = StoreOptions::from(store.clone()).project(PROJECT);
    let (here, there) = (Cli::new(&api), Cli::new(&api));
    let builder = Session::builder(here.options()).store(options.clone());
    let first = soon(builder.connect()).await.unwrap();
    soon(first.ask("The first prompt")).await.unwrap();
    let session = first.mirror().unwrap().session();
    let error = soon(resumed(&there, &options, &session).connect()).await;
    let error = error.unwrap_err();
    assert!(error.store().unwrap().is_held(), "{error}");
    // It has taken nothing away from the first one.
    soon(first.ask("The second prompt")).await.unwrap();
    soon(first.close()).await.unwrap();
    let second = soon(resumed(&there, &options, &session).connect()).await;
    let second = second.unwrap();
    soon(second.ask("The third prompt")).await.unwrap();
    soon(second.close()).await.unwrap();
    let all = ["The first prompt", "The second prompt", "The third prompt"];
    assert_whole(&api, &store, &session, &all).await;
}

/// What the dropped one has not stored yet belongs to the conversation.
#[tokio::test]
async fn a_session_that_was_dropped_is_waited_for() {
    let api = Api::start(scenarios::text()).await.unwrap();
    let store = Arc::new(MemoryStore::new());
    let options = StoreOptions::from(store.clone()).project(PROJECT);
    let cli = Cli::new(&api);
    let builder = Session::builder(cli.options()).store(options.clone());
    let mut running = soon(builder.connect()).await.unwrap();
    let session = running.mirror().unwrap().session();
    let all = ["The first prompt", "The second prompt", "The third prompt"];
    for prompt in all {
        soon(running.ask(prompt)).await.unwrap();
        drop(running);
        let next = soon(resumed(&cli, &options, &session).connect()).await;
        running = next.unwrap();
    }
    soon(running.ask("The last prompt")).await.unwrap();
    soon(running.close()).await.unwrap();
    assert_whole(&api, &store, &session, &all).await;
}

//! A session that the real CLI writes is watched from its first line to its last.
#![cfg(all(feature = "watch", feature = "tokio"))]

use std::fs;
use std::time::Duration;

use claw_client::types::{Map, QueryOptions};
use claw_sessions::{Change, Growth, Sessions, on_pool};
use claw_testkit::api::{Api, scenarios};
use futures::TryStreamExt as _;

async fn soon<T>(future: impl Future<Output = T>) -> T {
    let soon = tokio::time::timeout(Duration::from_mins(1), future);
    soon.await.expect("took over a minute")
}

#[tokio::test]
async fn every_line_of_a_running_cli_comes_once_and_in_order() {
    let folder = tempfile::tempdir().unwrap();
    let (home, work) = (folder.path().join("home"), folder.path().join("work"));
    fs::create_dir(&home).unwrap();
    fs::create_dir(&work).unwrap();
    let api = Api::start(scenarios::parallel_tools()).await.unwrap();
    let mut env = Map::default();
    for (name, value) in api.env() {
        env.insert(name, Some(value));
    }
    for name in ["HOME", "USERPROFILE"] {
        env.insert(name, Some(home.display().to_string()));
    }
    let options = QueryOptions::default()
        .env(env)
        .cwd(&work)
        .path_to_claude_code_executable(claw_testkit::claude().unwrap());

    // Begun before there is anything to see.
    let sessions = Sessions::new(home.join(".claude"));
    let mut changes = on_pool::changes(sessions.watch().project(&work).run());
    let query = soon(claw_client::query("Do it.", options)).await.unwrap();
    let run = tokio::spawn(query.try_collect::<Vec<_>>());
    let session = loop {
        match soon(changes.next()).await.unwrap() {
            Change::Added(session) => break session,
            other => assert!(matches!(other, Change::Changed(_)), "{other:?}"),
        }
    };
    let mut lines = on_pool::growth(session.watch());
    soon(run).await.unwrap().unwrap();
    let written = fs::read_to_string(session.transcript()).unwrap();
    let mut seen = String::new();
    for number in 1..=written.lines().count() as u64 {
        let growth = soon(lines.next()).await.unwrap();
        let Growth::Line(line) = growth else {
            panic!("{growth:?}")
        };
        assert_eq!(line.number(), number);
        seen += std::str::from_utf8(line.raw().unwrap()).unwrap();
        seen.push('\n');
    }
    assert_eq!(seen, written);
    session.delete().unwrap();
    assert!(matches!(soon(lines.next()).await, Some(Growth::Removed)));
    let removed = loop {
        match soon(changes.next()).await.unwrap() {
            Change::Removed { session_id, .. } => break session_id,
            other => assert!(matches!(other, Change::Changed(_)), "{other:?}"),
        }
    };
    assert_eq!(&removed, session.id());
}

//! Sessions with the scripted agent as a process.

use std::path::Path;
use std::time::Duration;

use claw_client::transport::Shutdown;
use claw_client::types::{Map, QueryOptions};
use claw_client::{Error, Session};
use claw_testkit::agent::{self, Script, Step};
use futures::{StreamExt, TryStreamExt};

use crate::agent::soon;
use crate::proc::is_ended_by;

/// Options that run this script.
pub(crate) fn options(folder: &Path, script: &Script) -> QueryOptions {
    let file = folder.join("script.json");
    std::fs::write(&file, serde_json::to_vec(script).unwrap()).unwrap();
    let mut env = Map::default();
    env.insert("CLAW_AGENT_SCRIPT", Some(file.display().to_string()));
    QueryOptions::default()
        .env(env)
        .path_to_claude_code_executable(agent::program().unwrap())
}

fn crash() -> [Step; 2] {
    [Step::Stderr("fatal: it burns\n".into()), Step::Exit(3)]
}

fn is_the_crash(error: &Error) {
    let exited = error.exited().unwrap_or_else(|| panic!("{error}"));
    assert_eq!(
        (exited.exit.code(), exited.stderr.trim()),
        (Some(3), "fatal: it burns")
    );
    let text = error.to_string();
    assert!(
        text.contains(&exited.exit.to_string()) && text.contains("it burns"),
        "{text}"
    );
}

#[tokio::test]
async fn a_crash_at_the_start_is_told_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let options = options(folder.path(), &Script::new(crash()));
    is_the_crash(
        &soon(Session::builder(options.clone()).connect())
            .await
            .unwrap_err(),
    );
    let messages = soon(claw_client::query("Hi", options)).await.unwrap();
    is_the_crash(&soon(messages.try_collect::<Vec<_>>()).await.unwrap_err());
}

#[tokio::test]
async fn a_crash_fails_all_that_waits() {
    let folder = tempfile::tempdir().unwrap();
    let mut steps = vec![Step::expect_prompt(), Step::expect_prompt()];
    steps.push(Step::expect_request("interrupt"));
    steps.extend(crash());
    let options = options(folder.path(), &Script::new(steps));
    let session = soon(Session::builder(options).connect()).await.unwrap();
    let (first, second) = (
        session.send("1").await.unwrap(),
        session.send("2").await.unwrap(),
    );
    is_the_crash(&soon(session.interrupt()).await.unwrap_err());
    is_the_crash(&soon(first.result()).await.unwrap_err());
    is_the_crash(&soon(second.result()).await.unwrap_err());
    is_the_crash(&soon(session.close()).await.unwrap_err());
    is_the_crash(&soon(session.send("3")).await.unwrap_err());
}

#[tokio::test]
async fn half_a_line_at_the_end_is_told_by_the_error_of_the_end() {
    let half = r#"{"type":"assistant","message":{"con"#;
    for code in [0, 3] {
        let folder = tempfile::tempdir().unwrap();
        let steps = [
            Step::expect_prompt(),
            Step::Raw(half.into()),
            Step::Exit(code),
        ];
        let options = options(folder.path(), &Script::new(steps));
        let session = soon(Session::builder(options).connect()).await.unwrap();
        let messages = session.messages().unwrap();
        let turn = session.send("Go").await.unwrap();
        let items: Vec<_> = soon(messages.collect()).await;
        assert!(items.iter().rev().skip(1).all(Result::is_ok), "{items:?}");
        let errors = [
            items.into_iter().last().unwrap().unwrap_err(),
            soon(turn.result()).await.unwrap_err(),
        ];
        for error in errors {
            let text = error.to_string();
            assert!(text.contains("in the middle of line "), "{text}");
            // What it says may be secret.
            assert!(!text.contains("assistant"), "{text}");
        }
    }
}

#[tokio::test]
async fn stderr_is_given_on() {
    let folder = tempfile::tempdir().unwrap();
    let steps = [Step::Stderr("a word\n".into()), Step::Turns(vec![])];
    let options = options(folder.path(), &Script::new(steps));
    let (lines, mut line) = tokio::sync::mpsc::unbounded_channel();
    let builder = Session::builder(options).stderr(move |line| drop(lines.send(line.to_owned())));
    let session = soon(builder.connect()).await.unwrap();
    assert_eq!(soon(line.recv()).await.unwrap(), "a word");
    assert!(soon(session.close()).await.unwrap().is_success());
}

#[tokio::test]
async fn one_that_does_not_end_is_ended() {
    let folder = tempfile::tempdir().unwrap();
    let script = Script::new([Step::expect_prompt(), Step::Hang]).ignore_sigterm();
    let session = soon(Session::builder(options(folder.path(), &script)).connect())
        .await
        .unwrap();
    let turn = session.send("Go").await.unwrap();
    let ladder = Shutdown::now().terminate(Duration::from_millis(50));
    let exit = soon(session.close_with(ladder)).await.unwrap();
    assert!(exit.is_forced() && is_ended_by(exit, 9), "{exit}");
    assert!(soon(turn.result()).await.unwrap_err().is_closed());
}

/// A program of Windows cannot close it.
#[cfg(unix)]
#[tokio::test]
async fn a_stdout_that_is_closed_ends_the_session() {
    let folder = tempfile::tempdir().unwrap();
    let script = Script::new([Step::expect_prompt(), Step::CloseStdout, Step::Hang]);
    let session = soon(Session::builder(options(folder.path(), &script)).connect())
        .await
        .unwrap();
    let turn = session.send("Go").await.unwrap();
    let error = soon(turn.result()).await.unwrap_err();
    assert!(error.to_string().contains("closed its stdout"), "{error}");
    assert!(session.process().exit().is_some());
}

/// Starts sessions behind a program that writes a line for each.
#[cfg(unix)]
pub(crate) fn behind(
    starts: &Path,
) -> impl Fn(QueryOptions) -> claw_client::SessionBuilder + use<> {
    let line = format!("echo start >> {}; exec \"$@\"", starts.display());
    move |options| {
        let prefix = claw_client::transport::Prefix::exec(["sh", "-c", &line, "sh"]);
        Session::builder(options).launcher(prefix)
    }
}

#[cfg(unix)]
#[tokio::test]
async fn a_launcher_runs_the_cli_with_the_options() {
    let folder = tempfile::tempdir().unwrap();
    let starts = folder.path().join("starts");
    let options = options(folder.path(), &Script::reply("Four."));
    let session = behind(&starts)(options);
    let session = soon(session.connect()).await.unwrap();
    assert_eq!(soon(session.ask("2 + 2?")).await.unwrap(), "Four.");
    assert_eq!(std::fs::read_to_string(&starts).unwrap(), "start\n");
}

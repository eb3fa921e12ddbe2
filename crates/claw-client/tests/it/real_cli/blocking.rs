//! A program without async, and the real CLI.

use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::OnceLock;

use claw_client::blocking::Session;
use claw_client::types::Message;
use claw_client::{Error, Received};
use claw_testkit::api::{Api, scenarios};

use super::cli::Cli;
use crate::proc::{marked, wait_until};

/// The API needs a runtime of its own.
fn with_api(test: impl FnOnce(&Cli)) {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let api = runtime.block_on(Api::start(scenarios::text())).unwrap();
    test(&Cli::new(&api));
}

#[test]
fn a_conversation_without_async() {
    with_api(|cli| {
        let session = Session::builder(cli.options()).connect().unwrap();
        assert_eq!(
            session.ask("What is 2 + 2?").unwrap(),
            "Two and two make 4."
        );
        assert!(
            session.info().unwrap().commands.len() + session.list_models().unwrap().models.len()
                > 0
        );
        let text: Result<String, Error> = session.send("Again?").unwrap().text_stream().collect();
        assert_eq!(text.unwrap(), "Two and two make 4.");
        assert!(session.close().unwrap().is_success());

        let query = claw_client::blocking::query("What is 2 + 2?", cli.options()).unwrap();
        let received: Result<Vec<Received>, Error> = query.collect();
        let received = received.unwrap();
        let messages = received.iter().filter_map(Received::message);
        assert_eq!(
            messages
                .filter(|message| Message::is_result(message))
                .count(),
            1
        );
    });
}

#[test]
fn a_compaction_without_async() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let api = runtime.block_on(Api::start(scenarios::compact())).unwrap();
    let session = Session::builder(Cli::new(&api).options())
        .connect()
        .unwrap();
    assert!(session.compact().unwrap_err().is_not_compacted());
    session.ask("Hello?").unwrap();
    let done = session.compact_with("Keep the greeting.").unwrap();
    assert!(done.pre_tokens.get() > 0, "{done:?}");
    session.close().unwrap();
}

/// What nobody drops: it is there when the program ends.
static KEPT: OnceLock<Session> = OnceLock::new();

/// Runs itself once more as a program whose `main` returns while a session is still there.
#[test]
fn main_returns_while_a_session_is_there() {
    const FOLDER: &str = "CLAW_TEST_EARLY_FOLDER";
    let begin = |cli: &Cli| {
        let session = Session::builder(cli.options()).connect().unwrap();
        let _turn = session.send("What is 2 + 2?").unwrap();
        let mark = format!("HOME={}", cli.home().display());
        wait_until("the CLI", || !marked(&mark).is_empty());
        KEPT.set(session).unwrap();
    };
    if let Some(folder) = std::env::var_os(FOLDER) {
        let runtime = tokio::runtime::Runtime::new().unwrap();
        let api = runtime.block_on(Api::start(scenarios::text())).unwrap();
        return begin(&Cli::in_folder(&api, Path::new(&folder)));
    }
    let folder = tempfile::tempdir().unwrap();
    let ended = Command::new(std::env::current_exe().unwrap())
        .args([
            "--exact",
            "real_cli::blocking::main_returns_while_a_session_is_there",
        ])
        .env(FOLDER, folder.path())
        .stdout(Stdio::null())
        .status()
        .unwrap();
    assert!(ended.success(), "{ended}");
    let mark = format!("HOME={}", folder.path().join("home").display());
    wait_until("the end of the CLI", || marked(&mark).is_empty());
}

//! What is left of shells that the CLI runs: nothing. Claude Code has shells on Windows only where Git Bash is.

use std::path::Path;
use std::process::{Command, Stdio};

use claw_testkit::Block;
use claw_testkit::api::{Answer, Api, Rule, Scenario, scenarios};
use serde_json::json;

use super::cli::Cli;
use super::kills::{Doing, busy};
use super::leftovers::{connect, mark, none_left, start};
use crate::proc::{come_true, marked, wait_until};

/// As `none_left`, where tasks have to go on meanwhile.
pub(super) async fn none_left_soon(cli: &Cli) {
    let mark = mark(cli);
    come_true("the end of all processes", || marked(&mark).is_empty()).await;
}

/// A conversation that runs this command, in the background or not, and then says something.
pub(super) fn shell(file: &Path, background: bool) -> Scenario {
    let command = format!("echo > {}; sleep 1000", file.display());
    let input = json!({"command": command, "description": "d", "run_in_background": background});
    let run = Answer::message([Block::tool_use("Bash", input)]);
    let text = Answer::message([Block::text("Running.")]);
    Scenario::new(
        "shell",
        [Rule::new(text).on_tool_result(""), Rule::new(run)],
    )
}

#[tokio::test]
async fn dropped_while_a_shell_runs() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("runs");
    let api = Api::start(shell(&file, false)).await.unwrap();
    let cli = Cli::new(&api);
    let messages = start(&cli).await;
    come_true("the shell", || file.exists()).await;
    assert_runs(&cli).await;
    drop(messages);
    none_left(&cli);
}

#[tokio::test]
async fn dropped_while_a_background_shell_runs() {
    // The CLI of a query exits after the result, and ends its background shells. The CLI of a session does not exit.
    let background = busy(Doing::Background, false).await;
    assert_runs(&background.cli).await;
    drop(background.session);
    none_left(&background.cli);
}

/// The CLI runs, and at least the shell. A process that is becoming another program has no environment for a moment.
async fn assert_runs(cli: &Cli) {
    let mark = mark(cli);
    come_true("the shell's process", || marked(&mark).len() > 1).await;
}

/// What the host of [`a_killed_host`] does until it is killed.
async fn be_a_host(folder: &Path) {
    let file = folder.join("runs");
    let api = Api::start(shell(&file, true)).await.unwrap();
    let cli = Cli::in_folder(&api, folder);
    let session = connect(cli.options()).await;
    let _turn = session.send("Go").await.unwrap();
    std::future::pending::<()>().await;
}

/// Runs itself once more as the host, in a process that can be killed.
#[tokio::test]
async fn a_killed_host() {
    const FOLDER: &str = "CLAW_TEST_HOST_FOLDER";
    if let Some(folder) = std::env::var_os(FOLDER) {
        return be_a_host(Path::new(&folder)).await;
    }
    let api = Api::start(scenarios::text()).await.unwrap();
    let cli = Cli::new(&api);
    let mut host = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "--nocapture", "real_cli::shells::a_killed_host"])
        .env(FOLDER, cli.folder())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    wait_until("the host's shell", || cli.folder().join("runs").exists());
    assert!(marked(&mark(&cli)).len() > 1);
    host.kill().unwrap();
    host.wait().unwrap();
    none_left(&cli);
}

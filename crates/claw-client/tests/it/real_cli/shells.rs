//! What is left of shells that the CLI runs: nothing. Claude Code has shells on Windows only where Git Bash is.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use claw_testkit::Block;
use claw_testkit::api::{Answer, Api, Rule, Scenario, scenarios};
use serde_json::json;

use super::cli::Cli;
use super::leftovers::{mark, none_left, start};
use crate::agent::{next, soon};
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
async fn dropped_while_shells_run() {
    for background in [false, true] {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("runs");
        let api = Api::start(shell(&file, background)).await.unwrap();
        let cli = Cli::new(&api);
        let mut messages = start(&cli).await;
        // Somebody has to read, or nothing is asked: the driver does.
        let running = async {
            while !file.exists() {
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        };
        soon(running).await;
        if background {
            while let Some(message) = next(&mut messages).await.unwrap() {
                if message.is_result() {
                    break;
                }
            }
        }
        // The CLI, and at least the shell. A process that is becoming another program has no environment for a moment.
        come_true("the shell", || marked(&mark(&cli)).len() > 1).await;
        drop(messages);
        none_left(&cli);
    }
}

/// What the host of [`a_killed_host`] does until it is killed.
async fn be_a_host(folder: &Path) {
    let file = folder.join("runs");
    let api = Api::start(shell(&file, true)).await.unwrap();
    let cli = Cli::in_folder(&api, folder);
    let _messages = start(&cli).await;
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

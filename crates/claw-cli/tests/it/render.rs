//! The example `render`, with the real CLI.
#![cfg(unix)]

use std::path::PathBuf;
use std::process::Stdio;

use claw_testkit::api::scenarios;
use tokio::process::Command;

use crate::real_cli::{Place, wait};

/// Where `cargo test` and `cargo nextest run` put it: beside the folder of this test.
fn built() -> PathBuf {
    let test = std::env::current_exe().unwrap();
    let path = test.ancestors().nth(2).unwrap().join("examples/render");
    assert!(
        path.is_file(),
        "{} is not built: run all tests of the package, or `cargo build -p claw-cli --examples`",
        path.display()
    );
    path
}

#[tokio::test]
async fn a_session_is_drawn_while_it_runs() {
    let place = Place::new(scenarios::bash()).await;
    let mut command = Command::new(built());
    command
        .arg("Write \u{1b}[31mhello.")
        .envs(place.api.env())
        .env("HOME", place.folder.path().join("home"))
        .env("CLAW_CLAUDE_PATH", claw_testkit::claude().unwrap())
        .current_dir(place.folder.path().join("work"))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true);
    let drawn = wait(command.output()).await;
    assert_eq!((drawn.code, &*drawn.stderr), (Some(0), ""));
    let mut rest = &*drawn.stdout;
    for part in [
        "> Write \\u{1b}[31mhello.\n",
        "● Bash(echo hello",
        "The file is written.",
        "\n— done: 2 turns,",
    ] {
        let at = rest.find(part);
        rest = &rest[at.unwrap_or_else(|| panic!("{part:?} in {:?}", drawn.stdout))..];
    }
    assert_eq!(drawn.stdout.matches("The file is written.").count(), 1);
    assert!(!drawn.stdout.contains('\u{1b}'));
}

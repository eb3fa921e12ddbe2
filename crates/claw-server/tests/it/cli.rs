//! What a server says of the CLI, with the real one.

use std::path::Path;

use claw_client::QueryOptions;
use claw_client::types::Map;
use claw_server::{CliInfo, CliProblemKind, Project, Server};
use claw_sessions::Sessions;

/// What a server says whose sessions have this CLI, and this environment.
async fn cli(executable: &Path, env: &[(&str, &str)]) -> CliInfo {
    let folder = tempfile::tempdir().unwrap();
    let home = folder.path().to_str().unwrap();
    let mut all = Map::default();
    for name in [
        "ANTHROPIC_API_KEY",
        "ANTHROPIC_AUTH_TOKEN",
        "CLAUDE_CODE_OAUTH_TOKEN",
        "CLAUDE_CONFIG_DIR",
    ] {
        all.insert(name.to_owned(), None);
    }
    for (name, value) in [("HOME", home)].iter().chain(env) {
        all.insert((*name).to_owned(), Some((*value).to_owned()));
    }
    let options = QueryOptions::default()
        .env(all)
        .path_to_claude_code_executable(executable);
    let server = Server::builder()
        .sessions(Sessions::new(folder.path().join("config")))
        .project(Project::new(folder.path()).unwrap())
        .options(options)
        .build()
        .unwrap();
    server.cli().await
}

#[tokio::test]
async fn the_version_and_the_account_are_told() {
    let claude = claw_testkit::claude().unwrap();
    let info = cli(&claude, &[("ANTHROPIC_API_KEY", "sk-ant-of-tests")]).await;
    assert_eq!(info.problem, None);
    let version = info.version.unwrap();
    assert!(version.starts_with("2.1."), "{version}");
    // The source of the key, and not the key.
    assert_eq!(info.account.as_deref(), Some("ANTHROPIC_API_KEY"));
}

#[tokio::test]
async fn what_is_wrong_is_told_with_what_mends_it() {
    let claude = claw_testkit::claude().unwrap();
    let info = cli(&claude, &[]).await;
    let problem = info.problem.unwrap();
    assert_eq!(problem.kind, CliProblemKind::NotLoggedIn);
    assert_eq!(problem.command.as_deref(), Some("claude auth login"));
    assert!(info.version.is_some() && info.account.is_none());

    let info = cli(Path::new("/nowhere/claude"), &[]).await;
    assert_eq!(info.problem.unwrap().kind, CliProblemKind::NotFound);

    let folder = tempfile::tempdir().unwrap();
    let broken = folder.path().join("claude");
    std::fs::write(&broken, "no program").unwrap();
    let info = cli(&broken, &[]).await;
    assert_eq!(info.problem.unwrap().kind, CliProblemKind::NotRunning);
}

/// A program in the place of the CLI.
#[cfg(unix)]
fn script(folder: &Path, text: &str) -> std::path::PathBuf {
    use std::os::unix::fs::PermissionsExt as _;

    let file = folder.join("claude");
    std::fs::write(&file, format!("#!/bin/sh\n{text}\n")).unwrap();
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o755)).unwrap();
    file
}

#[cfg(unix)]
#[tokio::test]
async fn a_program_that_does_not_say_a_version_is_not_the_cli() {
    let folder = tempfile::tempdir().unwrap();
    let other = script(folder.path(), "echo 'ls (GNU coreutils) 9.1'");
    let info = cli(&other, &[]).await;
    let problem = info.problem.unwrap();
    assert_eq!(
        (info.version, problem.kind),
        (None, CliProblemKind::NotRunning)
    );
    let said = r#"says "ls (GNU coreutils) 9.1""#;
    assert!(problem.text.contains(said), "{}", problem.text);
}

#[cfg(unix)]
#[tokio::test]
async fn a_cli_that_never_stops_writing_is_not_read_to_its_end() {
    let folder = tempfile::tempdir().unwrap();
    let flood = script(folder.path(), "exec yes");
    let problem = cli(&flood, &[]).await.problem.unwrap();
    assert_eq!(problem.kind, CliProblemKind::NotRunning);
    // It ended when nobody read any more, and not by the limit of time.
    assert!(
        problem.text.contains("does not tell its version"),
        "{}",
        problem.text
    );
}

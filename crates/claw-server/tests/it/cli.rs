//! What a server says of the CLI, with the real one.

use std::net::SocketAddr;
use std::path::Path;

use claw_client::QueryOptions;
use claw_client::types::Map;
use claw_server::{CliInfo, CliProblemKind, Project, Server};
use claw_sessions::Sessions;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
#[cfg(unix)]
use tracing::Level;

use crate::client::soon;
#[cfg(unix)]
use crate::faults::Row;
#[cfg(unix)]
use crate::metrics::Log;

/// What a server says whose sessions have this CLI, and this environment.
async fn cli(executable: &Path, env: &[(&str, &str)]) -> CliInfo {
    let folder = tempfile::tempdir().unwrap();
    server(folder.path(), executable, env).cli().await
}

/// A server whose sessions have this CLI, and this environment, with a home in this folder.
fn server(folder: &Path, executable: &Path, env: &[(&str, &str)]) -> Server {
    let home = folder.to_str().unwrap();
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
    Server::builder()
        .sessions(Sessions::new(folder.join("config")))
        .project(Project::new(folder).unwrap())
        .options(options)
        .build()
        .unwrap()
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

/// The response to `GET /ready`.
async fn ready(address: SocketAddr) -> String {
    let mut stream = TcpStream::connect(address).await.unwrap();
    let request = format!("GET /ready HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut response = String::new();
    soon(stream.read_to_string(&mut response)).await.unwrap();
    response
}

#[cfg(unix)]
#[tokio::test]
async fn a_host_without_claude_or_a_login_is_not_ready() {
    let log = Log::new(Level::WARN);
    let folder = tempfile::tempdir().unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let server = server(folder.path(), &folder.path().join("claude"), &[]);
    let serving = tokio::spawn(async move { server.serve(listener, std::future::pending()).await });
    let none = ready(address).await;
    assert!(none.starts_with("HTTP/1.1 503"), "{none}");
    assert!(none.contains("claude is not found"), "{none}");
    let is_reported = async |fault: &str, text: &str| {
        let row = Row::of(fault);
        row.is_logged(&log, "no session can work").await;
        row.is_shown(text, text);
        soon(async {
            while !log.text().contains(text) {
                tokio::task::yield_now().await;
            }
        })
        .await;
    };
    let text = "Claude Code is not installed on the server's machine, or claw does not find it.";
    is_reported("`claude` is missing, or does not run", text).await;
    script(
        folder.path(),
        "case $1 in --version) echo 2.1.330;; auth) echo '{\"loggedIn\": false}';; esac",
    );
    soon(async {
        loop {
            let response = ready(address).await;
            if response.contains("nobody is logged in") {
                assert!(response.starts_with("HTTP/1.1 503"), "{response}");
                break;
            }
            assert!(response.starts_with("HTTP/1.1 200"), "{response}");
        }
    })
    .await;
    let text = "Nobody is logged in to Claude Code on the server's machine.";
    is_reported("nobody is logged in to `claude`", text).await;
    serving.abort();
}

//! What a session leaves behind: nothing, by what the system says.

use std::path::Path;
use std::process::{Command, Stdio};

use claw_client::types::control::PermissionResult;
use claw_client::types::options::McpServerConfig;
use claw_client::types::{Map, QueryOptions};
use claw_client::{Query, Session, SessionBuilder};
use claw_testkit::Block;
use claw_testkit::api::{Answer, Api, Rule, Scenario, scenarios};
use serde_json::json;

use super::cli::Cli;
use super::patience;
use super::shells::shell;
use crate::agent::soon;
use crate::proc::{come_true, kill, marked, wait_until};

/// A variable of the environment that only one test's processes have.
pub(super) fn mark(cli: &Cli) -> String {
    format!("HOME={}", cli.home().display())
}

/// Waits until there are no more processes.
pub(super) fn none_left(cli: &Cli) {
    let mark = mark(cli);
    wait_until("the end of all processes", || marked(&mark).is_empty());
}

/// Options and a callback that allows every tool.
fn allowing(options: QueryOptions) -> SessionBuilder {
    Session::builder(options).can_use_tool(|_| async { PermissionResult::allow() })
}

/// A query in which every tool is allowed. With its result the CLI ends, and with the CLI its background shells.
pub(super) async fn start(cli: &Cli) -> Query {
    soon(allowing(cli.options()).query("Go")).await.unwrap()
}

/// A session in which every tool is allowed.
pub(super) async fn connect(options: QueryOptions) -> Session {
    soon(allowing(options).connect()).await.unwrap()
}

#[tokio::test]
async fn dropped_before_the_handshake() {
    let api = Api::start(scenarios::text()).await.unwrap();
    let cli = Cli::new(&api);
    let messages = start(&cli).await;
    come_true("the CLI", || !marked(&mark(&cli)).is_empty()).await;
    drop(messages);
    none_left(&cli);
}

#[tokio::test]
async fn dropped_in_mid_text() {
    let api = Api::start(scenarios::slow()).await.unwrap();
    let cli = Cli::new(&api);
    let messages = start(&cli).await;
    api.gates().open("first");
    soon(api.gates().reached("half")).await;
    drop(messages);
    none_left(&cli);
}

/// The CLI's options with a server that the CLI starts and ends, and that does not end by itself.
fn with_server(cli: &Cli) -> QueryOptions {
    let program = claw_testkit::processes::program().unwrap();
    let server = McpServerConfig::stdio(program.display().to_string(), ["mcp-asking", "wait"]);
    let servers: Map<_> = [("asking", server)].into_iter().collect();
    cli.options().mcp_servers(servers)
}

#[tokio::test]
async fn dropped_while_a_server_runs() {
    let api = Api::start(scenarios::slow()).await.unwrap();
    let cli = Cli::new(&api);
    let builder = Session::builder(with_server(&cli));
    let messages = soon(builder.query("Go")).await.unwrap();
    soon(api.gates().reached("first")).await;
    come_true("the server", || marked(&mark(&cli)).len() > 1).await;
    drop(messages);
    none_left(&cli);
}

#[test]
fn dropped_outside_of_a_runtime() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let (api, cli, messages) = runtime.block_on(async {
        let api = Api::start(scenarios::slow()).await.unwrap();
        let cli = Cli::new(&api);
        let messages = start(&cli).await;
        api.gates().open("first");
        soon(api.gates().reached("half")).await;
        (api, cli, messages)
    });
    drop(runtime);
    drop(messages);
    none_left(&cli);
    drop(api);
}

/// A session is closed while this runs that its CLI has started.
async fn is_closed_while(cli: &Cli, options: QueryOptions, runs: impl FnMut() -> bool) {
    let session = connect(options).await;
    soon(session.send("Go").await.unwrap().result())
        .await
        .unwrap();
    come_true("what it has started", runs).await;
    // By itself: no signal was needed, however slow the machine is.
    let exit = soon(session.close_with(patience())).await.unwrap();
    assert!(exit.is_success() && !exit.is_forced(), "{exit}");
    none_left(cli);
}

#[tokio::test]
async fn closed_while_a_server_and_a_background_shell_run() {
    let api = Api::start(scenarios::text()).await.unwrap();
    let cli = Cli::new(&api);
    let mark = mark(&cli);
    is_closed_while(&cli, with_server(&cli), || marked(&mark).len() > 1).await;
    // Claude Code has Bash on Windows only where Git Bash is.
    if cfg!(unix) {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("runs");
        let api = Api::start(shell(&file, true)).await.unwrap();
        let cli = Cli::new(&api);
        is_closed_while(&cli, cli.options(), || file.exists()).await;
    }
}

/// The CLI's options and a conversation in which a daemon is started, as `tmux` would be one.
#[cfg(unix)]
fn with_daemon(cli: &Cli) -> QueryOptions {
    cli.options()
}

/// Likewise. Claude Code has Bash on Windows only where Git Bash is: a server starts the daemon.
#[cfg(not(unix))]
fn with_daemon(cli: &Cli) -> QueryOptions {
    let program = claw_testkit::processes::program().unwrap();
    let server =
        McpServerConfig::stdio(program.display().to_string(), ["daemon=wait", "mcp-asking"]);
    cli.options()
        .mcp_servers([("asking", server)].into_iter().collect::<Map<_>>())
}

#[tokio::test]
async fn a_daemon_that_was_asked_for_survives_a_clean_end() {
    let command = "setsid --fork sleep 1000 </dev/null >/dev/null 2>&1; echo started";
    let started = Rule::new(Answer::message([Block::text("Started.")]));
    let run = Answer::message([Block::tool_use(
        "Bash",
        json!({"command": command, "description": "d"}),
    )]);
    let rules = if cfg!(unix) {
        vec![started.on_tool_result(""), Rule::new(run)]
    } else {
        vec![started]
    };
    let api = Api::start(Scenario::new("daemon", rules)).await.unwrap();
    let cli = Cli::new(&api);
    let builder =
        Session::builder(with_daemon(&cli)).can_use_tool(|_| async { PermissionResult::allow() });
    let session = soon(builder.connect()).await.unwrap();
    assert_eq!(soon(session.ask("Go")).await.unwrap(), "Started.");
    let mark = mark(&cli);
    come_true("the CLI and the daemon", || marked(&mark).len() > 1).await;
    let exit = soon(session.close_with(patience())).await.unwrap();
    assert!(exit.is_clean() && exit.is_success(), "{exit}");
    drop(session);
    // All but the daemon.
    come_true("the daemon alone", || marked(&mark).len() <= 1).await;
    let [daemon] = marked(&mark)[..] else {
        panic!("the daemon is gone")
    };
    kill(daemon);
    none_left(&cli);
}

/// What the host of [`a_killed_host`] does until it is killed.
async fn be_a_host(folder: &Path) {
    let api = Api::start(scenarios::slow()).await.unwrap();
    let cli = Cli::in_folder(&api, folder);
    let builder = Session::builder(with_server(&cli));
    let _messages = soon(builder.query("Go")).await.unwrap();
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
        .args([
            "--exact",
            "--nocapture",
            "real_cli::leftovers::a_killed_host",
        ])
        .env(FOLDER, cli.folder())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    // The CLI and its server.
    wait_until("the host's processes", || marked(&mark(&cli)).len() > 1);
    host.kill().unwrap();
    host.wait().unwrap();
    none_left(&cli);
}

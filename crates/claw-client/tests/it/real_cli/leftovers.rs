//! What a session leaves behind: nothing, by what the system says.

use std::path::Path;
use std::process::{Command, Stdio};

use claw_client::types::control::PermissionResult;
use claw_client::types::options::McpServerConfig;
use claw_client::types::{Map, QueryOptions};
use claw_client::{Query, Session};
use claw_testkit::api::{Api, scenarios};

use super::cli::Cli;
use crate::agent::soon;
use crate::proc::{come_true, marked, wait_until};

/// A variable of the environment that only one test's processes have.
pub(super) fn mark(cli: &Cli) -> String {
    format!("HOME={}", cli.home().display())
}

/// Waits until there are no more processes.
pub(super) fn none_left(cli: &Cli) {
    let mark = mark(cli);
    wait_until("the end of all processes", || marked(&mark).is_empty());
}

/// A turn in which every tool is allowed.
pub(super) async fn start(cli: &Cli) -> Query {
    let builder =
        Session::builder(cli.options()).can_use_tool(|_| async { PermissionResult::allow() });
    soon(builder.query("Go")).await.unwrap()
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

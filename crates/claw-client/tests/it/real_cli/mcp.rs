//! MCP servers in this process, with the real CLI.

use std::sync::atomic::Ordering;
use std::time::Duration;

use claw_client::types::control::{
    ManifestOutcome, McpConnection, McpSetServers, McpStatus, PermissionResult,
};
use claw_client::types::message::SystemInit;
use claw_client::types::options::{McpSdkServer, McpServerConfig};
use claw_client::types::{Map, Message};
use claw_client::{McpServer, Session, SessionBuilder};
use claw_testkit::Block;
use claw_testkit::api::{Answer, Api, ApiRequest, Rule, Scenario, ToolResult};
use serde_json::json;

use super::{cli::Cli, patience};
use crate::agent::{next, soon};
use crate::mcp::server::Bench;

/// The model uses this tool, and then says what it got.
fn uses(tool: &str) -> Scenario {
    let name = format!("mcp__bench__{tool}");
    scenario(Block::tool_use(name, json!({"a": 1, "b": 2})))
}

fn scenario(block: Block) -> Scenario {
    let rules = [
        Rule::new(Answer::message([Block::text("That is it.")])).on_tool_result(""),
        Rule::new(Answer::message([block])),
    ];
    Scenario::new("mcp", rules)
}

fn builder(cli: &Cli) -> SessionBuilder {
    Session::builder(cli.options()).can_use_tool(|_| async { PermissionResult::allow() })
}

/// What the API was told that the tool gave.
async fn tool_result(api: &Api) -> ToolResult {
    let results = |request: &ApiRequest| request.conversation().tool_results;
    let told = |request: &ApiRequest| request.is_message() && !results(request).is_empty();
    results(&soon(api.received(told)).await).remove(0)
}

async fn init(messages: &mut claw_client::Messages) -> Box<SystemInit> {
    loop {
        if let Message::SystemInit(init) = next(messages).await.unwrap().unwrap() {
            return init;
        }
    }
}

#[tokio::test]
async fn a_tool_is_called() {
    let api = Api::start(uses("add")).await.unwrap();
    let cli = Cli::new(&api);
    let (bench, mut called) = Bench::new();
    let session = soon(builder(&cli).mcp_server("bench", bench).connect())
        .await
        .unwrap();
    // It is what the server answered to claw that the CLI goes by.
    let parked = session.info().unwrap().sdk_mcp_manifests_parked.as_ref();
    let outcome = parked.and_then(|parked| parked.get("bench"));
    assert_eq!(outcome, Some(&ManifestOutcome::Parked));
    let answer = soon(session.ask("What is 1 + 2?")).await.unwrap();
    assert_eq!(answer, "That is it.");
    assert_eq!(soon(called.recv()).await.unwrap(), "add");
    assert_eq!(tool_result(&api).await.text, "The sum is 3");
    let status = soon(session.call(McpStatus::new())).await.unwrap();
    let [bench] = status.mcp_servers.as_slice() else {
        panic!("{status:?}")
    };
    assert_eq!(bench.status, McpConnection::Connected);
    soon(session.close_with(patience())).await.unwrap();
}

#[tokio::test]
async fn a_list_that_changes_is_read_again() {
    let api = Api::start(uses("grow")).await.unwrap();
    let cli = Cli::new(&api);
    let (bench, _called) = Bench::new();
    let session = soon(builder(&cli).mcp_server("bench", bench).connect())
        .await
        .unwrap();
    let mut messages = session.messages().unwrap();
    let has_it = |init: &SystemInit| init.tools.iter().any(|tool| tool == "mcp__bench__later");
    soon(session.ask("Grow.")).await.unwrap();
    assert!(!has_it(&*init(&mut messages).await));
    assert_eq!(tool_result(&api).await.text, "grown");
    soon(session.ask("And now?")).await.unwrap();
    assert!(has_it(&*init(&mut messages).await));
    soon(session.close_with(patience())).await.unwrap();
}

#[tokio::test]
async fn a_tool_that_never_answers_ends_with_an_interrupt() {
    let api = Api::start(uses("wait")).await.unwrap();
    let cli = Cli::new(&api);
    let (bench, mut called) = Bench::new();
    let facts = bench.facts.clone();
    let session = soon(builder(&cli).mcp_server("bench", bench).connect())
        .await
        .unwrap();
    let turn = session.send("Wait.").await.unwrap();
    assert_eq!(soon(called.recv()).await.unwrap(), "wait");
    // The session goes on meanwhile.
    soon(session.call(McpStatus::new())).await.unwrap();
    soon(session.interrupt()).await.unwrap();
    assert!(soon(turn.result()).await.unwrap().is_error());
    soon(facts.at_work(0)).await;
    assert_eq!(facts.told.load(Ordering::SeqCst), 1);
    soon(session.close_with(patience())).await.unwrap();
}

#[tokio::test]
async fn a_tool_that_takes_too_long_is_given_up() {
    let api = Api::start(uses("stay")).await.unwrap();
    let cli = Cli::new(&api);
    let (bench, _called) = Bench::new();
    let bench = McpServer::new(bench).timeout(Duration::from_secs(1));
    let session = soon(builder(&cli).mcp_server("bench", bench).connect())
        .await
        .unwrap();
    soon(session.ask("Stay.")).await.unwrap();
    let result = tool_result(&api).await;
    assert!(result.text.contains("timed out after 1s"), "{result:?}");
    soon(session.close_with(patience())).await.unwrap();
}

#[tokio::test]
async fn a_tool_that_panics_fails_and_no_more() {
    let api = Api::start(uses("panic")).await.unwrap();
    let cli = Cli::new(&api);
    let (bench, _called) = Bench::new();
    let session = soon(builder(&cli).mcp_server("bench", bench).connect())
        .await
        .unwrap();
    soon(session.ask("Panic.")).await.unwrap();
    let result = tool_result(&api).await;
    assert!(
        result.is_error && result.text.contains("panicked"),
        "{result:?}"
    );
    soon(session.close_with(patience())).await.unwrap();
}

#[tokio::test]
async fn a_server_comes_and_goes() {
    let api = Api::start(uses("add")).await.unwrap();
    let cli = Cli::new(&api);
    let (bench, mut called) = Bench::new();
    let session = soon(builder(&cli).connect()).await.unwrap();
    let added = soon(session.add_mcp_server("bench", bench)).await.unwrap();
    assert_eq!(added.added, ["bench"]);
    assert!(added.errors.is_empty(), "{added:?}");
    assert_eq!(soon(session.ask("1 + 2?")).await.unwrap(), "That is it.");
    assert_eq!(soon(called.recv()).await.unwrap(), "add");
    assert_eq!(tool_result(&api).await.text, "The sum is 3");
    let removed = soon(session.remove_mcp_server("bench")).await.unwrap();
    assert_eq!(removed.removed, ["bench"]);
    // With the server its sender has gone.
    assert_eq!(soon(called.recv()).await, None);
    soon(session.close_with(patience())).await.unwrap();
}

#[tokio::test]
async fn a_resource_is_read() {
    let read = json!({"server": "bench", "uri": "memo:1"});
    let api = Api::start(scenario(Block::tool_use("ReadMcpResourceTool", read)))
        .await
        .unwrap();
    let cli = Cli::new(&api);
    let (bench, _called) = Bench::new();
    let session = soon(builder(&cli).mcp_server("bench", bench).connect())
        .await
        .unwrap();
    soon(session.ask("Read.")).await.unwrap();
    let memo = tool_result(&api).await;
    assert!(memo.text.contains("remember"), "{memo:?}");
    soon(session.close_with(patience())).await.unwrap();
}

/// What a server may ask of the CLI, and what not.
#[tokio::test]
async fn a_server_asks_the_cli() {
    for (tool, answer) in [("ping", "EmptyResult"), ("elicit", "-32601")] {
        let api = Api::start(uses(tool)).await.unwrap();
        let cli = Cli::new(&api);
        let (bench, _called) = Bench::new();
        let session = soon(builder(&cli).mcp_server("bench", bench).connect())
            .await
            .unwrap();
        soon(session.ask("Ask.")).await.unwrap();
        let result = tool_result(&api).await;
        assert!(result.text.contains(answer), "{tool}: {result:?}");
        soon(session.close_with(patience())).await.unwrap();
    }
}

/// It is refused at once: the CLI would wait as long as its variable says.
#[tokio::test]
async fn a_server_that_nobody_serves_fails() {
    let api = Api::start(uses("add")).await.unwrap();
    let cli = Cli::new(&api);
    let mut options = cli.options();
    let wait = Duration::from_mins(10).as_millis().to_string();
    let env = options.env.get_or_insert_default();
    env.insert("MCP_TIMEOUT", Some(wait));
    let session = soon(Session::builder(options).connect()).await.unwrap();
    let nobody = McpServerConfig::from(McpSdkServer::new("nobody"));
    let set = McpSetServers::new(Map::from_iter([("nobody", nobody)]));
    soon(session.call(set)).await.unwrap();
    let failed = async {
        loop {
            let status = session.call(McpStatus::new()).await.unwrap();
            if status.mcp_servers[0].status == McpConnection::Failed {
                return;
            }
        }
    };
    soon(failed).await;
    soon(session.close_with(patience())).await.unwrap();
}

//! MCP servers in this process, with the scripted agent.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use claw_client::types::control::McpSetServersResponse;
use claw_client::types::options::McpServerConfig;
use claw_client::types::{Map, QueryOptions};
use claw_client::{McpServer, Session};
use claw_testkit::agent::{Script, Step};
use serde_json::{Value, json};

use crate::agent::{Agent, answers, builder, connect_as, soon};
use crate::log::Log;

pub(crate) mod server;

use server::Bench;

/// A message for a server.
fn says(id: &str, server: &str, message: &Value) -> Step {
    let mut message = message.clone();
    message["jsonrpc"] = json!("2.0");
    let request = json!({"subtype": "mcp_message", "server_name": server, "message": message});
    Step::Line(json!({"type": "control_request", "request_id": id, "request": request}))
}

/// Steps, and a gate that tells that they are done.
fn script(steps: impl IntoIterator<Item = Step>) -> Script {
    Script::new(steps.into_iter().chain([Step::gate("done")]))
}

fn call(id: &str, number: u32, tool: &str) -> Step {
    let params = json!({"name": tool, "arguments": {"a": 1, "b": 2}});
    says(
        id,
        "bench",
        &json!({"id": number, "method": "tools/call", "params": params}),
    )
}

/// Waits for one more answer of ours.
fn answered() -> Step {
    serde_json::from_value(json!({"expect": {"type": "control_response"}})).unwrap()
}

/// Waits for the end of a script, and gives the lines that the agent took.
async fn done(session: Session, agent: Agent) -> Vec<Value> {
    soon(agent.gates.reached("done")).await;
    soon(session.close()).await.unwrap();
    agent.received().await
}

fn mcp(received: &[Value], id: &str) -> Value {
    let [answer] = answers(received, id)[..] else {
        panic!("{id} has not one answer: {received:#?}")
    };
    answer["response"]["mcp_response"].clone()
}

fn text(answer: &Value) -> &str {
    answer["result"]["content"][0]["text"].as_str().unwrap()
}

/// What `initialize` says.
fn initialized(received: &[Value]) -> &Value {
    &received[0]["request"]
}

#[tokio::test]
async fn the_handshake_goes_ahead_and_a_tool_answers() {
    let (bench, _called) = Bench::new();
    let read = json!({"id": 3, "method": "resources/read", "params": {"uri": "memo:1"}});
    let greet = json!({"id": 7, "method": "prompts/get", "params": {"name": "greet"}});
    let steps = script([
        call("q1", 2, "add"),
        says("q2", "bench", &read),
        says("q3", "bench", &json!({"id": 4, "method": "ping"})),
        says("q4", "bench", &json!({"id": 5, "method": "no/such/method"})),
        says("q5", "bench", &json!({"id": 6, "method": 7})),
        says("q6", "bench", &greet),
        answered(),
        answered(),
        answered(),
        answered(),
        answered(),
        answered(),
    ]);
    let bench = McpServer::new(bench).timeout(Duration::from_secs(9));
    let (session, agent) = connect_as(builder().mcp_server("bench", bench), steps).await;
    let received = done(session, agent).await;

    let begun = initialized(&received);
    assert_eq!(begun["sdkMcpServers"], json!(["bench"]));
    assert_eq!(
        begun["sdkMcpServerConfigs"],
        json!({"bench": {"timeout": 9000}})
    );
    let manifest = &begun["sdkMcpServerManifests"]["bench"];
    let version = &manifest["initializeResult"]["protocolVersion"];
    assert_eq!(version, "2025-11-25");
    let tools = manifest["toolsListResult"]["tools"].as_array().unwrap();
    assert_eq!(tools[0]["name"], "add");

    assert_eq!(text(&mcp(&received, "q1")), "The sum is 3");
    assert_eq!(mcp(&received, "q1")["id"], 2);
    let memo = &mcp(&received, "q2")["result"]["contents"][0];
    assert_eq!(memo["text"], "remember");
    assert_eq!(mcp(&received, "q3")["result"], json!({}));
    assert_eq!(mcp(&received, "q4")["error"]["code"], -32601);
    let greeting = &mcp(&received, "q6")["result"]["messages"][0];
    assert_eq!(greeting["content"]["text"], "Please greet.");
    let unread = mcp(&received, "q5");
    assert_eq!(
        (&unread["id"], &unread["error"]["code"]),
        (&json!(6), &json!(-32603))
    );
}

/// As a CLI does that knows no manifests: before it answers `initialize`.
#[tokio::test]
async fn a_handshake_before_the_session_is_answered() {
    let (bench, _called) = Bench::new();
    let who = json!({"name": "claude-code", "version": "2.1.329"});
    let hello = json!({"id": 0, "method": "initialize", "params": {
        "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": who}});
    let handshake = |n: u32| {
        let id = |name: &str| format!("{name}{n}");
        let ready = json!({"method": "notifications/initialized"});
        [
            says(&id("hello"), "bench", &hello),
            answered(),
            says(&id("ready"), "bench", &ready),
            answered(),
            says(
                &id("list"),
                "bench",
                &json!({"id": 1, "method": "tools/list"}),
            ),
            answered(),
        ]
    };
    let mut steps = vec![Step::expect_initialize()];
    steps.extend(handshake(1));
    steps.push(Step::Initialized);
    // With another one everything begins anew, the ids included; what was asked before is over.
    steps.push(call("old", 2, "stay"));
    steps.push(Step::gate("old"));
    steps.extend(handshake(2));
    steps.push(answered());
    steps.extend([call("new", 2, "add"), answered()]);
    let builder = builder().mcp_server("bench", bench.clone());
    let (session, agent) = connect_as(builder, script(steps)).await;
    soon(agent.gates.reached("old")).await;
    soon(bench.facts.at_work(1)).await;
    agent.gates.open("old");
    soon(bench.facts.at_work(0)).await;
    let received = done(session, agent).await;
    for n in [1, 2] {
        let hello = mcp(&received, &format!("hello{n}"));
        assert_eq!(hello["id"], 0);
        assert_eq!(hello["result"]["protocolVersion"], "2025-11-25");
        assert_eq!(mcp(&received, &format!("ready{n}"))["result"], json!({}));
        let list = mcp(&received, &format!("list{n}"));
        assert_eq!(list["result"]["tools"].as_array().unwrap().len(), 8);
    }
    assert!(mcp(&received, "old")["error"]["message"].is_string());
    assert_eq!(text(&mcp(&received, "new")), "The sum is 3");
}

/// MCP 2026-07-28 has no handshake: each request names its version.
#[tokio::test]
async fn requests_that_name_a_version_need_no_handshake() {
    let (bench, _called) = Bench::new();
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let request = |id: &str, number: u32, method: &str, mut params: Value| {
        params["_meta"] = meta.clone();
        let message = json!({"id": number, "method": method, "params": params});
        [says(id, "bench", &message), answered()]
    };
    let sum = json!({"name": "add", "arguments": {"a": 1, "b": 2}});
    let mut steps = vec![Step::expect_request("mcp_set_servers")];
    // A request that names no version needs a handshake.
    steps.extend([call("early", 1, "add"), answered()]);
    steps.extend(request("discover", 2, "server/discover", json!({})));
    steps.extend(request("list", 3, "tools/list", json!({})));
    steps.extend(request("sum", 4, "tools/call", sum));
    steps.push(Step::Reply(
        json!({"added": ["bench"], "removed": [], "errors": {}}),
    ));
    let (session, agent) = connect_as(builder(), script(steps)).await;
    // claw begins no handshake with a server that is added later.
    soon(session.add_mcp_server("bench", bench)).await.unwrap();
    let received = done(session, agent).await;

    assert!(mcp(&received, "early")["error"]["message"].is_string());
    let discovered = mcp(&received, "discover");
    let versions = discovered["result"]["supportedVersions"].as_array();
    assert!(
        versions.is_some_and(|versions| versions.contains(&json!("2026-07-28"))),
        "{discovered}"
    );
    let list = mcp(&received, "list");
    assert_eq!(list["result"]["tools"].as_array().unwrap().len(), 8);
    assert_eq!(text(&mcp(&received, "sum")), "The sum is 3");
}

#[tokio::test]
async fn a_call_that_never_answers_holds_up_nothing_and_is_cancelled() {
    let (bench, mut called) = Bench::new();
    let cancelled = json!({"method": "notifications/cancelled", "params": {"requestId": 4}});
    let take_back =
        |id: &str| Step::Line(json!({"type": "control_cancel_request", "request_id": id}));
    let steps = script([
        call("q1", 2, "stay"),
        call("q2", 3, "wait"),
        call("q3", 4, "wait"),
        call("q4", 5, "add"),
        answered(),
        Step::gate("cancel"),
        // In both ways in which a call may be taken back.
        take_back("q1"),
        take_back("q2"),
        says("q5", "bench", &cancelled),
        answered(),
        Step::Turn(vec![]),
    ]);
    let builder = builder().mcp_server("bench", bench.clone());
    let (session, agent) = connect_as(builder, steps).await;
    for _ in 0..4 {
        soon(called.recv()).await.unwrap();
    }
    soon(bench.facts.at_work(3)).await;
    soon(session.interrupt()).await.unwrap();
    agent.gates.open("cancel");
    let turn = session.send("Go on").await.unwrap();
    assert!(!soon(turn.result()).await.unwrap().is_error());
    // Those that listen are told, the other one is dropped.
    soon(bench.facts.at_work(0)).await;
    assert_eq!(bench.facts.told.load(Ordering::SeqCst), 2);
    let received = done(session, agent).await;
    for id in ["q1", "q2", "q3"] {
        assert!(answers(&received, id).is_empty(), "{id}");
    }
    assert_eq!(text(&mcp(&received, "q4")), "The sum is 3");
    assert_eq!(mcp(&received, "q5")["result"], json!({}));
}

#[tokio::test]
async fn a_panic_is_an_error_and_no_more() {
    let (bench, _called) = Bench::new();
    let read = json!({"id": 3, "method": "resources/read", "params": {"uri": "memo:panic"}});
    let steps = script([
        call("q1", 2, "panic"),
        answered(),
        says("q2", "bench", &read),
        answered(),
        call("q3", 4, "add"),
        answered(),
    ]);
    let log = Log::new();
    let (session, agent) = connect_as(builder().mcp_server("bench", bench), steps).await;
    let received = done(session, agent).await;
    let failed = mcp(&received, "q1");
    assert_eq!(failed["result"]["isError"], true);
    assert!(text(&failed).contains("panicked") && !text(&failed).contains("on purpose"));
    assert_eq!(mcp(&received, "q2")["error"]["code"], -32603);
    assert_eq!(text(&mcp(&received, "q3")), "The sum is 3");
    assert!(log.text().contains("on purpose"), "{}", log.text());
}

/// What a server sends comes as `mcp_message`, and what the CLI answers to it as another.
#[tokio::test]
async fn a_server_tells_and_asks_the_client() {
    let (bench, _called) = Bench::new();
    let pong = says("q4", "bench", &json!({"id": 0, "result": {}}));
    let steps = script([
        call("q1", 2, "grow"),
        Step::expect_request("mcp_message"),
        Step::Reply(Value::Null),
        answered(),
        says("q2", "bench", &json!({"id": 3, "method": "tools/list"})),
        answered(),
        call("q3", 4, "ping"),
        Step::expect_request("mcp_message"),
        Step::Reply(Value::Null),
        pong,
        answered(),
        answered(),
        call("q5", 5, "progress"),
        Step::expect_request("mcp_message"),
        Step::ReplyError("who are you?".to_owned()),
        answered(),
    ]);
    let (session, agent) = connect_as(builder().mcp_server("bench", bench), steps).await;
    let received = done(session, agent).await;
    let sent: Vec<_> = received
        .iter()
        .filter(|line| line["request"]["subtype"] == "mcp_message")
        .map(|line| &line["request"])
        .collect();
    let methods: Vec<_> = sent.iter().map(|sent| &sent["message"]["method"]).collect();
    assert_eq!(
        methods,
        [
            "notifications/tools/list_changed",
            "ping",
            "notifications/progress"
        ]
    );
    assert!(sent.iter().all(|sent| sent["server_name"] == "bench"));
    assert_eq!(text(&mcp(&received, "q1")), "grown");
    let tools = mcp(&received, "q2")["result"]["tools"].clone();
    assert_eq!(tools.as_array().unwrap().len(), 9);
    assert_eq!(text(&mcp(&received, "q3")), "EmptyResult(EmptyObject)");
    let refused = mcp(&received, "q5")["error"]["message"].to_string();
    assert!(refused.contains("who are you?"), "{refused}");
}

#[tokio::test]
async fn servers_come_and_go() {
    let (first, _called) = Bench::new();
    let (second, _called) = Bench::new();
    let set = |added: &[&str], removed: &[&str]| {
        Step::Reply(json!({"added": added, "removed": removed, "errors": {}}))
    };
    let steps = script([
        Step::expect_request("mcp_set_servers"),
        says(
            "q1",
            "other",
            &json!({"id": 0, "method": "initialize", "params": {
            "protocolVersion": "2025-11-25", "capabilities": {},
            "clientInfo": {"name": "c", "version": "1"}}}),
        ),
        answered(),
        set(&["other"], &[]),
        Step::expect_request("initialize"),
        Step::Initialized,
        Step::expect_request("mcp_set_servers"),
        set(&[], &["bench"]),
        Step::expect_request("mcp_set_servers"),
        call("q2", 2, "add"),
        answered(),
        Step::ReplyError("not now".to_owned()),
        Step::gate("refused"),
        says("q3", "third", &json!({"id": 0, "method": "ping"})),
        answered(),
    ]);
    let (session, agent) = connect_as(builder().mcp_server("bench", first), steps).await;
    let error = soon(session.add_mcp_server("bench", second.clone()))
        .await
        .unwrap_err();
    assert!(error.is_bad_request(), "{error}");
    let error = soon(session.remove_mcp_server("other")).await.unwrap_err();
    assert!(error.is_bad_request(), "{error}");
    let second = McpServer::new(second).timeout(Duration::from_secs(3));
    let answer: McpSetServersResponse = soon(session.add_mcp_server("other", second.clone()))
        .await
        .unwrap();
    assert_eq!(answer.added, ["other"]);
    soon(session.reinitialize()).await.unwrap();
    let answer = soon(session.remove_mcp_server("bench")).await.unwrap();
    assert_eq!(answer.removed, ["bench"]);
    let error = soon(session.add_mcp_server("third", second))
        .await
        .unwrap_err();
    assert!(error.to_string().contains("not now"), "{error}");
    agent.gates.open("refused");
    let received = done(session, agent).await;
    let sets: Vec<_> = received
        .iter()
        .filter(|line| line["request"]["subtype"] == "mcp_set_servers")
        .map(|line| line["request"]["servers"].clone())
        .collect();
    let (bench, other) = (
        json!({"type": "sdk", "name": "bench"}),
        json!({"type": "sdk", "name": "other", "timeout": 3000}),
    );
    assert_eq!(sets[0], json!({"bench": bench, "other": other}));
    assert_eq!(sets[1], json!({"other": other}));
    assert!(mcp(&received, "q1")["result"]["capabilities"]["tools"].is_object());
    // Gone, and never there.
    for id in ["q2", "q3"] {
        let message = mcp(&received, id)["error"]["message"].to_string();
        assert!(message.contains("there is no MCP server"), "{message}");
    }
    let mut again = received
        .iter()
        .filter(|line| line["request"]["subtype"] == "initialize");
    let again = &again.next_back().unwrap()["request"];
    assert_eq!(again["sdkMcpServers"], json!(["bench", "other"]));
    assert_eq!(again.get("sdkMcpServerManifests"), None);
}

/// Neither a slow handshake nor a server that panics in it holds the start up.
#[tokio::test]
async fn a_server_that_is_late_is_asked_by_the_cli() {
    use claw_client::rmcp::model::{
        ErrorData, InitializeRequestParams, InitializeResult, ServerConfig,
    };
    use claw_client::rmcp::service::RequestContext;
    use claw_client::rmcp::{RoleServer, ServerHandler};

    struct Late;
    impl ServerHandler for Late {
        async fn initialize(
            &self,
            _: InitializeRequestParams,
            _: RequestContext<RoleServer>,
        ) -> Result<InitializeResult, ErrorData> {
            std::future::pending().await
        }
    }
    struct Broken;
    impl ServerHandler for Broken {
        fn get_info(&self) -> ServerConfig {
            panic!("on purpose")
        }
    }
    let (bench, _called) = Bench::new();
    let builder = builder()
        .mcp_server("bench", bench)
        .mcp_server("broken", Broken)
        .mcp_server("late", Late);
    let (session, agent) = connect_as(builder, script([])).await;
    let received = done(session, agent).await;
    let begun = initialized(&received);
    assert_eq!(begun["sdkMcpServers"], json!(["bench", "broken", "late"]));
    let manifests = begun["sdkMcpServerManifests"].as_object().unwrap();
    assert_eq!(manifests.keys().collect::<Vec<_>>(), ["bench"]);
}

#[tokio::test]
async fn one_name_is_one_server() {
    let (bench, _called) = Bench::new();
    let declared: Map<_> = [("bench", McpServerConfig::stdio("true", ["1"]))]
        .into_iter()
        .collect();
    let builder = Session::builder(QueryOptions::default().mcp_servers(declared));
    let (pipe, _agent) = Agent::start(Script::new([]));
    let error = builder
        .mcp_server("bench", bench)
        .transport(pipe)
        .connect()
        .await
        .unwrap_err();
    assert!(error.to_string().contains("mcp_servers"), "{error}");
}

/// Every way in which a session ends, with handlers at work: no task and no server is left.
#[tokio::test]
async fn nothing_of_a_server_outlives_its_session() {
    for way in ["close", "drop", "crash", "no start"] {
        let (bench, mut called) = Bench::new();
        let facts = Arc::downgrade(&bench.facts);
        let before = tokio::runtime::Handle::current()
            .metrics()
            .num_alive_tasks();
        let mut steps = vec![call("q1", 2, "stay"), call("q2", 3, "wait")];
        steps.push(Step::gate("end"));
        steps.push(Step::Exit(3));
        if way == "no start" {
            steps.insert(0, Step::Exit(1));
        }
        let (pipe, agent) = Agent::start(Script::new(steps));
        let session = soon(
            builder()
                .mcp_server("bench", bench)
                .transport(pipe)
                .connect(),
        )
        .await;
        if way == "no start" {
            session.unwrap_err();
        } else {
            let session = session.unwrap();
            for _ in 0..2 {
                soon(called.recv()).await.unwrap();
            }
            match way {
                "close" => drop(soon(session.close()).await.unwrap()),
                "crash" => {
                    agent.gates.open("end");
                    // The handle is kept: the session is over all the same.
                    soon(gone(&facts, before)).await;
                    soon(session.interrupt()).await.unwrap_err();
                }
                _ => drop(session),
            }
        }
        agent.gates.open("end");
        agent.gone().await;
        soon(gone(&facts, before)).await;
    }
}

/// Waits until the server is gone, and every task but those that were there before.
async fn gone(facts: &std::sync::Weak<server::Facts>, before: usize) {
    let alive = || {
        tokio::runtime::Handle::current()
            .metrics()
            .num_alive_tasks()
    };
    while facts.strong_count() > 0 || alive() > before {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

#[test]
fn the_guide_shows_the_example() {
    let guide = include_str!("../../../../docs/guides/mcp.md");
    let example = include_str!("../../examples/calculator.rs");
    let (_, program) = example.split_once("prints\")]\n\n").unwrap();
    assert!(
        guide.contains(program),
        "copy the program from one to the other"
    );
}

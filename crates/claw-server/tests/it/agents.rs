//! Sub-agents and tasks: in the state of a session, stopped, and from disk.

use claw_testkit::agent::{Script, Step};
use serde_json::{Value, json};

use crate::client::{Running, soon};

const ID: &str = "11111111-1111-4111-8111-111111111111";

fn system(subtype: &str, mut body: Value) -> Step {
    body["type"] = "system".into();
    body["subtype"] = subtype.into();
    body["uuid"] = "$uuid".into();
    body["session_id"] = "$session_id".into();
    Step::Line(body)
}

fn started(task: &str, tool: &str) -> Step {
    let body = json!({"task_id": task, "tool_use_id": tool, "description": format!("Search {task}"),
        "task_type": "local_agent", "subagent_type": "Explore"});
    system("task_started", body)
}

fn ended(task: &str, tool: &str, status: &str) -> Step {
    let body = json!({"task_id": task, "tool_use_id": tool, "status": status, "output_file": "", "summary": "Enough.",
        "usage": {"total_tokens": 12, "tool_uses": 3, "duration_ms": 400}});
    system("task_notification", body)
}

fn says(tool: &str, text: &str) -> Step {
    Step::Line(
        json!({"type": "assistant", "parent_tool_use_id": tool, "uuid": "$uuid", "session_id": "$session_id",
        "message": {"id": format!("msg_{tool}_{text}"), "type": "message", "role": "assistant", "model": "$model",
        "content": [{"type": "text", "text": text}], "stop_reason": null, "stop_sequence": null,
        "usage": {"input_tokens": 1, "output_tokens": 2}}}),
    )
}

/// Two agents side by side, one of which goes on after the turn.
fn two() -> Script {
    Script::new([
        Step::Turn(vec![
            started("k1", "toolu_1"),
            started("k2", "toolu_2"),
            says("toolu_1", "one"),
            says("toolu_2", "two"),
            says("toolu_1", "three"),
            Step::request(
                "can_use_tool",
                json!({"tool_name": "Bash", "input": {"command": "ls"}, "tool_use_id": "toolu_3", "agent_id": "k2"}),
            ),
            Step::expect_request("stop_task"),
            Step::Reply(json!({})),
            Step::gate("first"),
            ended("k1", "toolu_1", "stopped"),
        ]),
        Step::expect_request("stop_task"),
        Step::Reply(json!({})),
        Step::gate("second"),
        ended("k2", "toolu_2", "completed"),
        Step::gate("never"),
    ])
}

async fn read(running: &Running, path: &str) -> Value {
    let read = running.ask("GET", path, &Value::Null).await;
    assert_eq!(read.status, 200, "{}", read.body);
    read.json()
}

async fn stop(running: &Running, session: &str, task: &str) -> Value {
    let path = format!("/api/sessions/{session}/tasks/{task}/stop");
    let stopped = running.ask("POST", &path, &Value::Null).await;
    assert_eq!(stopped.status, 200, "{}", stopped.body);
    stopped.json()
}

/// The IDs, the states and the tokens of the tasks of a session.
fn states(view: &Value) -> Vec<(String, String, Option<u64>)> {
    let tasks = view["tasks"].as_array().unwrap().iter();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let state = |task: &Value| {
        let content = &task["content"];
        let (id, state) = (text(&content["taskId"]), text(&content["state"]));
        (id, state, content["tokens"].as_u64())
    };
    tasks.map(state).collect()
}

fn stops(running: &Running) -> Vec<Value> {
    let received = running.agent.received().into_iter();
    let stops = received.filter(|line| line["request"]["subtype"] == "stop_task");
    stops
        .map(|line| line["request"]["task_id"].clone())
        .collect()
}

#[tokio::test]
async fn agents_are_in_the_state_of_a_session_and_each_is_stopped_once() {
    let running = Running::start(two()).await;
    let session = running.session().await;
    let mut events = running.events(&session, None).await;
    running.prompt(&session, "Search").await;
    let asked = events.until("request", |_| true).await;
    let request = asked.last().unwrap().data.clone();
    assert_eq!(request["agent"], "Search k2");
    let view = read(&running, &format!("/api/sessions/{session}")).await;
    assert_eq!(view["state"]["agents"], 2);
    let task = |id: &str, state: &str, tokens| (id.to_owned(), state.to_owned(), tokens);
    assert_eq!(
        states(&view),
        [task("k1", "running", None), task("k2", "running", None)]
    );
    let id = request["id"].as_str().unwrap();
    let answer = format!("/api/sessions/{session}/requests/{id}");
    let deny = json!({"decision": "deny"});
    assert_eq!(running.ask("POST", &answer, &deny).await.status, 200);

    assert_eq!(
        stop(&running, &session, "k1").await,
        json!({"stopped": true})
    );
    assert_eq!(stops(&running), ["k1"]);
    running.agent.gates().open("first");
    events.until("state", |state| state["agents"] == 1).await;
    events
        .until("state", |state| state["phase"] == "idle")
        .await;
    for task in ["k1", "unknown", "%2F..%2F"] {
        assert_eq!(
            stop(&running, &session, task).await,
            json!({"stopped": false})
        );
    }
    assert_eq!(stops(&running), ["k1"]);

    // The other one goes on after the turn.
    assert_eq!(
        stop(&running, &session, "k2").await,
        json!({"stopped": true})
    );
    assert_eq!(stops(&running), ["k1", "k2"]);
    running.agent.gates().open("second");
    events.until("state", |state| state["agents"] == 0).await;
    let view = read(&running, &format!("/api/sessions/{session}")).await;
    assert_eq!(
        states(&view),
        [
            task("k1", "stopped", Some(12)),
            task("k2", "completed", Some(12))
        ]
    );
    running.end().await;
}

#[tokio::test]
async fn what_an_agent_says_is_in_its_card_alone() {
    let running = Running::start(two()).await;
    let session = running.session().await;
    let mut events = running.events(&session, None).await;
    running.prompt(&session, "Search").await;
    events.until("request", |_| true).await;
    let window =
        async |query: &str| read(&running, &format!("/s/{session}/elements?{query}")).await;
    let main = window("").await;
    let html = main["html"].as_str().unwrap();
    assert!(
        html.contains("Search k1") && html.contains("Search k2"),
        "{html}"
    );
    assert!(!html.contains("three"), "{html}");
    let card = window("agent=e-toolu_1.agent").await;
    let html = card["html"].as_str().unwrap();
    assert!(
        html.contains("one") && html.contains("three") && !html.contains("two"),
        "{html}"
    );
    assert_eq!((&card["before"], &card["after"]), (&json!(0), &json!(0)));

    // Whoever looks for an element in a card is told the way.
    let found = read(&running, &format!("/s/{session}/find?q=three")).await;
    let hit = found["hits"][0].as_str().unwrap();
    let around = window(&format!("around={hit}")).await;
    assert_eq!(around["cards"], json!(["e-toolu_1.agent"]));
    assert!(
        around["html"]
            .as_str()
            .unwrap()
            .contains("id=\"e-toolu_1.agent\"")
    );
    let none = format!("/s/{session}/elements?agent=e-nowhere");
    assert_eq!(running.ask("GET", &none, &Value::Null).await.status, 404);
    let close = format!("/api/sessions/{session}/close");
    assert_eq!(running.ask("POST", &close, &Value::Null).await.status, 204);
    running.end().await;
}

#[tokio::test]
async fn agents_from_disk_have_their_transcripts_and_none_is_running() {
    let running = Running::start(Script::reply("Hi.")).await;
    crate::disk::transcript(&running, ID);
    let main = running.server.hub().sessions().find(ID).unwrap();
    let main = main.transcript().to_owned();
    let line = |kind: &str, uuid: &str, agent: Option<&str>, message: Value| {
        json!({"type": kind, "uuid": uuid, "parentUuid": null, "sessionId": ID, "isSidechain": agent.is_some(),
            "agentId": agent, "timestamp": "2026-01-01T00:00:01.000Z", "cwd": "/", "version": "2.1.330",
            "userType": "external", "message": message})
            .to_string()
    };
    let answer = |id: &str, content: Value| {
        json!({"id": id, "type": "message", "role": "assistant", "model": "m", "content": content,
            "stop_reason": null, "stop_sequence": null, "usage": {"input_tokens": 1, "output_tokens": 2}})
    };
    let input = json!({"description": "Look below", "prompt": "Look"});
    let uses = json!([{"type": "tool_use", "id": "toolu_below", "name": "Agent", "input": input}]);
    let started = line(
        "assistant",
        "b0000000-0000-4000-8000-000000000001",
        None,
        answer("msg_a", uses),
    );
    let text = std::fs::read_to_string(&main).unwrap();
    std::fs::write(&main, format!("{text}{started}\n")).unwrap();
    let agents = main.with_extension("").join("subagents");
    std::fs::create_dir_all(&agents).unwrap();
    let said = [
        line(
            "user",
            "b0000000-0000-4000-8000-000000000002",
            Some("a1"),
            json!({"role": "user", "content": "Look"}),
        ),
        line(
            "assistant",
            "b0000000-0000-4000-8000-000000000003",
            Some("a1"),
            answer("msg_b", json!([{"type": "text", "text": "It is dark."}])),
        ),
    ];
    std::fs::write(agents.join("agent-a1.jsonl"), said.join("\n") + "\n").unwrap();
    let about =
        json!({"agentType": "Explore", "description": "Look below", "toolUseId": "toolu_below"});
    std::fs::write(agents.join("agent-a1.meta.json"), about.to_string()).unwrap();

    let resumed = running
        .ask("POST", "/api/sessions", &json!({"resume": ID}))
        .await;
    assert_eq!(resumed.status, 201, "{}", resumed.body);
    let view = soon(read(&running, &format!("/api/sessions/{ID}"))).await;
    assert_eq!(view["state"]["agents"], 0);
    let agent = &view["tasks"][0]["content"];
    assert_eq!(
        (&agent["state"], &agent["description"], &agent["agentType"]),
        (&json!("stopped"), &json!("Look below"), &json!("Explore"))
    );
    let path = format!("/s/{ID}/elements?agent=e-toolu_below.agent");
    let card = read(&running, &path).await;
    assert!(
        card["html"].as_str().unwrap().contains("It is dark."),
        "{card}"
    );
    running.end().await;
}

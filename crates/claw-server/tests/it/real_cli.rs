//! The server with the real CLI and the scripted API.

use std::collections::BTreeSet;
#[cfg(unix)]
use std::{fs::File, io::Write as _};

use claw_client::types::Map;
#[cfg(unix)]
use claw_client::types::options::McpServerConfig;
use claw_client::{QueryOptions, Session};
use claw_server::{Hosting, ServerBuilder};
use claw_testkit::Block;
use claw_testkit::agent::Script;
use claw_testkit::api::{Api, ApiRequest, Reply, Rule, Scenario, scenarios};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::client::{Events, Running, soon};
use crate::faults::elements;
use crate::hosting;

/// Sessions of the real CLI, whose home is in this folder.
fn real(builder: ServerBuilder, api: &Api, folder: &std::path::Path) -> ServerBuilder {
    real_with(builder, api, folder, &[])
}

/// Sessions of the real CLI with more variables in their environment.
pub(crate) fn real_with(
    builder: ServerBuilder,
    api: &Api,
    folder: &std::path::Path,
    more: &[(&str, Option<&str>)],
) -> ServerBuilder {
    let mut env = Map::default();
    for (name, value) in api.env() {
        env.insert(name, Some(value));
    }
    let at = |name: &str| folder.join(name).display().to_string();
    env.insert("HOME", Some(at("home")));
    env.insert("CLAUDE_CONFIG_DIR", Some(at("config")));
    for (name, value) in more {
        env.insert(*name, value.map(str::to_owned));
    }
    let options = QueryOptions::default()
        .env(env)
        .path_to_claude_code_executable(claw_testkit::claude().unwrap());
    builder.options(options).session(Session::builder)
}

/// A server with the real CLI, on a folder that may have something in it already.
pub(crate) async fn start(api: &Api, folder: TempDir) -> Running {
    start_with(api, folder, |builder| builder).await
}

/// The same, with changes of the server.
pub(crate) async fn start_with(
    api: &Api,
    folder: TempDir,
    change: impl FnOnce(ServerBuilder) -> ServerBuilder,
) -> Running {
    let path = folder.path().to_owned();
    std::fs::create_dir_all(path.join("home")).unwrap();
    Running::start_in(Script::reply("nothing"), folder, |builder| {
        change(real(builder, api, &path))
    })
    .await
}

/// Sends the scenario's prompt, and allows what is asked for.
async fn approved(running: &Running, session: &str) {
    let mut events = running.events(session, None).await;
    let sent = running.prompt(session, &scenarios::bash().prompt).await;
    assert_eq!(sent.status, 202, "{}", sent.body);
    let request = events.until("request", |_| true).await;
    let request = &request.last().unwrap().data;
    assert_eq!(request["tool"], "Bash");
    let id = request["id"].as_str().unwrap();
    let path = format!("/api/sessions/{session}/requests/{id}");
    let allow = json!({"decision": "allow"});
    let answered = running.ask("POST", &path, &allow).await;
    assert_eq!(answered.status, 200, "{}", answered.body);
    let ended = events
        .until("state", |state| state["phase"] == "idle")
        .await;
    assert_eq!(ended.last().unwrap().data["error"], Value::Null);
}

/// The elements of a conversation itself: what a transcript has as well.
fn said(elements: &[Value]) -> Vec<(String, String)> {
    let content = |element: &Value| {
        let content = &element["content"];
        let kind = content["type"].as_str()?;
        let is_said = ["userInput", "assistantText", "tool"].contains(&kind);
        let text = content["text"].as_str().unwrap_or_default();
        is_said.then(|| (kind.to_owned(), text.to_owned()))
    };
    elements.iter().filter_map(content).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_tool_is_approved_and_after_a_restart_the_session_goes_on_without_a_doubled_element() {
    let api = Api::start(scenarios::bash()).await.unwrap();
    let running = start(&api, tempfile::tempdir().unwrap()).await;
    let session = running.session().await;
    approved(&running, &session).await;
    let before = elements(&running, &session).await;
    let folder = running.end_and_keep().await;

    // Another server on the same disk.
    std::fs::remove_dir_all(folder.path().join("shop")).unwrap();
    let running = start(&api, folder).await;
    let history = elements(&running, &session).await;
    assert_eq!(said(&history), said(&before));
    soon(approved(&running, &session)).await;
    let after = elements(&running, &session).await;
    let ids: BTreeSet<_> = after
        .iter()
        .map(|element| element["id"].to_string())
        .collect();
    assert_eq!(ids.len(), after.len(), "{after:#?}");
    let twice = [said(&before), said(&before)].concat();
    assert_eq!(said(&after), twice);
    // The CLI has resumed: the model has heard all of it.
    let last = api.requests().into_iter().rfind(ApiRequest::is_message);
    let messages = last.unwrap().body["messages"].as_array().unwrap().len();
    assert!(messages >= 6, "{messages}");
    running.end().await;
}

/// Sends a prompt, and waits until it is answered. Gives the session that has got it.
pub(crate) async fn said_to(running: &Running, session: &str, text: &str) -> String {
    let sent = running.prompt(session, text).await;
    assert_eq!(sent.status, 202, "{}", sent.body);
    let session = sent.json()["session"].as_str().unwrap().to_owned();
    let live = running.server.hub().open(&session).await.unwrap();
    let mut viewer = live.viewer(None);
    while live.read(|conversation| conversation.state().queued > 0) {
        soon(viewer.next()).await.unwrap();
    }
    session
}

/// What the model was asked last.
fn heard(api: &Api) -> String {
    let last = api.requests().into_iter().rfind(ApiRequest::is_message);
    last.unwrap().body["messages"].to_string()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn after_clear_a_session_goes_on_under_its_new_id_for_everybody() {
    let api = Api::start(Scenario::always([Block::text("Yes.")]));
    let api = api.await.unwrap();
    let running = start(&api, tempfile::tempdir().unwrap()).await;
    let first = running.session().await;
    let mut events = running.events(&first, None).await;
    assert_eq!(said_to(&running, &first, "The word is apple.").await, first);
    said_to(&running, &first, "/clear").await;
    let moved = events.until("moved", |_| true).await;
    let moved = &moved.last().unwrap().data;
    let new = moved["session"].as_str().unwrap().to_owned();
    assert_eq!(moved["from"], first.as_str());
    assert_ne!(new, first);
    // Whoever knows the earlier ID alone is led on, and learns the new one.
    assert_eq!(said_to(&running, &first, "The word is pear.").await, new);
    assert!(!heard(&api).contains("apple"), "{}", heard(&api));
    let path = format!("/api/sessions/{first}");
    let view = running.ask("GET", &path, &Value::Null).await;
    assert_eq!(view.json()["id"], new.as_str());
    assert_eq!(running.server.hub().live().len(), 1);
    // Closed and opened again, it goes on where it was, and not with what was cleared.
    let close = format!("/api/sessions/{new}/close");
    assert_eq!(running.ask("POST", &close, &Value::Null).await.status, 204);
    assert_eq!(said_to(&running, &first, "Which word?").await, new);
    let both = (heard(&api).contains("apple"), heard(&api).contains("pear"));
    assert_eq!(both, (false, true), "{}", heard(&api));
    // So it is after a restart.
    let folder = running.end_and_keep().await;
    std::fs::remove_dir_all(folder.path().join("shop")).unwrap();
    let running = start(&api, folder).await;
    assert_eq!(said_to(&running, &first, "And now?").await, new);
    assert!(heard(&api).contains("pear"), "{}", heard(&api));
    // What was cleared is there by its name, and goes on by itself.
    let resume = json!({"resume": first});
    let old = running.ask("POST", "/api/sessions", &resume).await.json();
    assert_eq!(old["id"], first.as_str());
    assert_eq!(said_to(&running, &first, "Go on.").await, first);
    let both = (heard(&api).contains("apple"), heard(&api).contains("pear"));
    assert_eq!(both, (true, false), "{}", heard(&api));
    let folder = running.end_and_keep().await;
    // No two processes have written to one transcript.
    let projects = std::fs::read_dir(folder.path().join("config/projects")).unwrap();
    let files = projects.flat_map(|project| std::fs::read_dir(project.unwrap().path()).unwrap());
    let mut transcripts = 0;
    for file in files.map(|file| file.unwrap().path()) {
        let Some("jsonl") = file.extension().and_then(|end| end.to_str()) else {
            continue;
        };
        transcripts += 1;
        let id = file.file_stem().unwrap().to_str().unwrap();
        for line in std::fs::read_to_string(&file).unwrap().lines() {
            let line: Value = serde_json::from_str(line).unwrap();
            assert!(
                line["sessionId"].as_str().is_none_or(|of| of == id),
                "{line}"
            );
        }
    }
    assert_eq!(transcripts, 2);
}

#[cfg(unix)]
/// A command that runs in the background until a line is written to the pipe `end`.
fn in_background() -> Scenario {
    let command =
        json!({"command": "head -n 1 end", "description": "Wait", "run_in_background": true});
    let run = json!({"type": "tool_use", "name": "Bash", "input": command});
    let says = |text: &str| json!({"message": [{"type": "text", "text": text}]});
    let scenario = json!({"name": "in_background", "prompt": "Wait for it", "rules": [
        {"when": {"reminder": "task-notification"}, "answer": says("It has ended.")},
        {"when": {"tool_result": ""}, "answer": says("It runs.")},
        {"when": {"tool": "Bash"}, "answer": {"message": [run]}},
        {"answer": says("A title")}]});
    serde_json::from_value(scenario).unwrap()
}

#[cfg(unix)]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_runs_in_the_background_is_counted_until_it_ends_and_the_model_reads_its_outcome() {
    let scenario = in_background();
    let prompt = scenario.prompt.clone();
    let api = Api::start(scenario).await.unwrap();
    let running = start(&api, tempfile::tempdir().unwrap()).await;
    let pipe = running.folder.path().join("shop/end");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    assert!(made.unwrap().success());
    let session = running.session().await;
    let mut events = running.events(&session, None).await;
    running.prompt(&session, &prompt).await;
    let mut until = async |phase: &str, tasks: u64| {
        let is_it = |state: &Value| state["phase"] == phase && state["backgroundTasks"] == tasks;
        events.until("state", is_it).await;
    };
    until("running", 1).await;
    until("idle", 1).await;
    // Open for both, so that nobody waits for the other end.
    let mut end = File::options().read(true).write(true).open(pipe).unwrap();
    end.write_all(b"over\n").unwrap();
    until("running", 0).await;
    until("idle", 0).await;
    let said = said(&elements(&running, &session).await);
    assert_eq!(said.last().unwrap().1, "It has ended.");
    running.end().await;
}

/// A server of the hosting contract with the real CLI, in a folder that may be an earlier server's.
async fn host(api: &Api, folder: TempDir) -> Running {
    let path = folder.path().to_owned();
    std::fs::create_dir_all(path.join("home")).unwrap();
    let _ = std::fs::remove_dir_all(path.join("shop"));
    let hosting = Some(Hosting::new("shop"));
    Running::start_serving(Script::reply("nothing"), folder, hosting, |builder| {
        real(builder, api, &path)
    })
    .await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_hosted_session_goes_on_after_a_restart_and_is_denied_what_nobody_allows() {
    let api = Api::start(scenarios::bash()).await.unwrap();
    let prompt = &scenarios::bash().prompt;
    let folder = tempfile::tempdir().unwrap();
    let running = host(&api, folder).await;
    let (one, two) = tokio::join!(
        hosting::turn(&running, "demo-1", prompt),
        hosting::turn(&running, "demo-1", prompt)
    );
    let session = claw_server::hosted_session("demo-1").unwrap();
    for events in [&one, &two] {
        let messages = hosting::messages(events);
        let of = |kind: &'static str| {
            messages
                .iter()
                .filter(move |message| message["type"] == kind)
        };
        assert_eq!(of("system").next().unwrap()["subtype"], "init");
        let result: Vec<_> = of("result").collect();
        assert_eq!(result.len(), 1, "{messages:#?}");
        assert_eq!(result[0]["session_id"], session.as_str());
        assert_eq!(result[0]["permission_denials"][0]["tool_name"], "Bash");
        assert_eq!(of("stream_event").count(), 0);
        assert_eq!(events.last().unwrap().0, "done");
    }
    let folder = running.end_and_keep().await;

    // Another server on the same disk.
    let running = host(&api, folder).await;
    let three = hosting::turn(&running, "demo-1", prompt).await;
    assert_eq!(three.last().unwrap().0, "done");
    let last = api.requests().into_iter().rfind(ApiRequest::is_message);
    let heard = last.unwrap().body["messages"].to_string();
    assert_eq!(heard.matches(&**prompt).count(), 3, "{heard}");
    running.end().await;
}

/// A server whose sessions are logged in with a subscription.
async fn subscribed(api: &Api, folder: TempDir) -> Running {
    let path = folder.path().to_owned();
    std::fs::create_dir_all(path.join("home")).unwrap();
    let login = [
        ("ANTHROPIC_API_KEY", None),
        ("CLAUDE_CODE_OAUTH_TOKEN", Some("sk-ant-oat01-scripted")),
    ];
    Running::start_in(Script::reply("nothing"), folder, |builder| {
        real_with(builder, api, &path, &login)
    })
    .await
}

/// Sends a prompt, and gives the state after its turn.
async fn state_after(running: &Running, session: &str) -> Value {
    said_to(running, session, "Well?").await;
    let path = format!("/api/sessions/{session}");
    let view = running.ask("GET", &path, &Value::Null).await.json();
    view["state"].clone()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_limits_of_a_subscription_are_known_and_a_session_costs_what_the_cli_says() {
    let name = |name: &str| format!("anthropic-ratelimit-unified-{name}");
    // The CLI leaves out a window whose reset is further away than the window is long.
    let now = std::time::SystemTime::UNIX_EPOCH.elapsed().unwrap();
    let reset = now.as_secs() + 3600;
    let reply = Reply::new([Block::text("Yes.")])
        .usage("input_tokens", 1_000)
        .usage("output_tokens", 500)
        .header(name("status"), "allowed")
        .header(name("representative-claim"), "five_hour")
        .header(name("reset"), reset.to_string())
        .header(name("5h-status"), "allowed")
        .header(name("5h-utilization"), "0.42")
        .header(name("5h-reset"), reset.to_string())
        .header(name("7d-status"), "allowed")
        .header(name("7d-utilization"), "0.13")
        .header(name("7d-reset"), reset.to_string());
    let scenario = Scenario::new("limits", [Rule::new(reply.into())]);
    let api = Api::start(scenario).await.unwrap();
    let running = subscribed(&api, tempfile::tempdir().unwrap()).await;
    let session = running.session().await;
    let first = state_after(&running, &session).await;
    assert_eq!(first["turn"]["isEstimate"], false, "{first}");
    assert_eq!(first["turn"]["outputTokens"], 500);
    let cost = first["turn"]["costUsd"].as_f64().unwrap();
    assert!(cost > 0.0);
    let is = |state: &Value, turns: f64| {
        let all = state["costUsd"].as_f64().unwrap();
        assert!((all - turns * cost).abs() < cost / 100.0, "{state}");
        assert_eq!(state["costIsEstimate"], false);
    };
    is(&first, 1.0);
    is(&state_after(&running, &session).await, 2.0);
    let limits = running.ask("GET", "/api/limits", &Value::Null).await.json();
    let windows = limits["windows"].as_array().unwrap();
    let windows: Vec<_> = windows
        .iter()
        .map(|window| (&window["kind"], &window["used"], &window["resets"]))
        .collect();
    let resets = json!(1000.0 * f64::from(u32::try_from(reset).unwrap()));
    assert_eq!(
        windows,
        [
            (&json!("five_hour"), &json!(42.0), &resets),
            (&json!("seven_day"), &json!(13.0), &resets)
        ]
    );
    let folder = running.end_and_keep().await;

    // Another server on the same disk: the session has cost something before it.
    std::fs::remove_dir_all(folder.path().join("shop")).unwrap();
    let running = subscribed(&api, folder).await;
    let list = running.ask("GET", "/api/sessions", &Value::Null).await;
    let listed = &list.json()["sessions"][0]["cost"];
    assert_eq!(listed["isEstimate"], false, "{}", list.body);
    let path = format!("/api/sessions/{session}");
    let opened = running.ask("GET", &path, &Value::Null).await.json();
    is(&opened["state"], 2.0);
    assert_eq!(opened["state"]["costUsd"], listed["usd"]);
    is(&state_after(&running, &session).await, 3.0);
    running.end().await;
}

/// A conversation by these rules.
fn scenario(rules: &Value) -> Scenario {
    serde_json::from_value(json!({"name": "asked", "rules": rules})).unwrap()
}

fn says(text: &str) -> Value {
    json!({"message": [{"type": "text", "text": text}]})
}

fn uses(tool: &str, input: &Value) -> Value {
    json!({"message": [{"type": "tool_use", "name": tool, "input": input}]})
}

/// Answers the request that comes next, and gives it.
async fn answered(running: &Running, session: &str, events: &mut Events, answer: &Value) -> Value {
    let request = events.until("request", |_| true).await;
    let request = request.last().unwrap().data.clone();
    let id = request["id"].as_str().unwrap();
    let path = format!("/api/sessions/{session}/requests/{id}");
    let response = running.ask("POST", &path, answer).await;
    assert_eq!(response.status, 200, "{}", response.body);
    request
}

#[cfg(unix)]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_mcp_server_asks_a_person_and_gets_the_values() {
    let cases = [
        (
            json!({"decision": "accept", "content": {"name": "Ada"}}),
            "accept:Ada",
        ),
        (json!({"decision": "decline"}), "decline:"),
        (json!({"decision": "cancel"}), "cancel:"),
    ];
    for (answer, expected) in cases {
        let api = Api::start(scenario(&json!([
            {"when": {"tool_result": expected}, "answer": says(expected)},
            {"when": {"tool_result": ""}, "answer": says("something else")},
            {"answer": uses("mcp__asking__ask", &json!({}))}
        ])));
        let api = api.await.unwrap();
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().to_owned();
        std::fs::create_dir_all(path.join("home")).unwrap();
        let running = Running::start_in(Script::reply("nothing"), folder, |builder| {
            real(builder, &api, &path).session(|options| {
                let program = claw_testkit::processes::program().unwrap();
                let program = program.display().to_string();
                let server = McpServerConfig::stdio(program, ["mcp-asking"]);
                let servers: Map<_> = [("asking", server)].into_iter().collect();
                let allowed = vec!["mcp__asking__ask".to_owned()];
                Session::builder(options.mcp_servers(servers).allowed_tools(allowed))
            })
        })
        .await;
        let session = running.session().await;
        let mut events = running.events(&session, None).await;
        running.prompt(&session, "Go").await;
        let request = answered(&running, &session, &mut events, &answer).await;
        assert_eq!(
            (&request["kind"], &request["title"]),
            (&json!("form"), &json!("asking asks: Which name?"))
        );
        assert_eq!(request["form"]["fields"][0]["required"], true);
        events
            .until("state", |state| state["phase"] == "idle")
            .await;
        let shown = elements(&running, &session).await;
        let shown = shown
            .iter()
            .any(|element| element["content"]["text"] == expected);
        assert!(shown, "{expected}");
        running.end().await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_plan_that_is_approved_with_its_edits_is_carried_out_without_more_questions() {
    let folder = tempfile::tempdir().unwrap();
    let made = folder.path().join("shop/made.txt");
    let api = Api::start(scenario(&json!([
        {"when": {"tool_result": "made.txt"}, "answer": says("It is made.")},
        {"when": {"tool_result": ""}, "answer": uses("Write", &json!({"file_path": made, "content": "made"}))},
        {"answer": uses("ExitPlanMode", &json!({"plan": "1. Make it."}))}
    ])));
    let api = api.await.unwrap();
    let running = start(&api, folder).await;
    let session = running.session().await;
    let settings = format!("/api/sessions/{session}/settings");
    let planning = running
        .ask("POST", &settings, &json!({"mode": "plan"}))
        .await;
    assert_eq!(planning.status, 200, "{}", planning.body);
    let mut events = running.events(&session, None).await;
    running.prompt(&session, "Plan").await;
    let answer = json!({"decision": "allow", "mode": "acceptEdits"});
    let request = answered(&running, &session, &mut events, &answer).await;
    assert_eq!(
        (&request["kind"], &request["modes"]),
        (&json!("plan"), &json!(["acceptEdits"]))
    );
    let seen = events
        .until("state", |state| state["phase"] == "idle")
        .await;
    assert!(
        seen.iter().all(|event| event.kind != "request"),
        "{seen:#?}"
    );
    assert_eq!(seen.last().unwrap().data["mode"], "acceptEdits");
    assert_eq!(std::fs::read_to_string(made).unwrap(), "made");
    running.end().await;
}

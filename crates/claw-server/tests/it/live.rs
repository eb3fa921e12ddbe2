//! What is seen of sessions that wait or hang: in the list of live sessions, in the metrics, and in the log.

use std::time::Duration;

use claw_testkit::Block;
use claw_testkit::agent::{Script, Step};
#[cfg(unix)]
use claw_testkit::api::{Api, scenarios};
use serde_json::{Value, json};
use tracing::Level;

use crate::client::{Running, soon};
use crate::faults::{Row, elements};
use crate::metrics::Log;

/// How long a process may be silent.
const SILENCE: Duration = Duration::from_millis(200);

/// A server with a CLI that calls this tool, if it is given, and hangs.
async fn hanging(tool: Option<&str>) -> Running {
    let called = tool.map(|name| Step::message([Block::tool_use(name, json!({}))]));
    let steps = called.into_iter().chain([Step::Hang]).collect();
    Running::start_as(Script::new([Step::Turn(steps)]), |builder| {
        builder.limits(|limits| limits.silence = SILENCE)
    })
    .await
}

/// The only live session, once this holds for it.
async fn live(running: &Running, is: impl Fn(&Value) -> bool) -> Value {
    soon(async {
        loop {
            let all = running.ask("GET", "/api/live", &Value::Null).await.json();
            assert!(all.as_array().unwrap().len() < 2, "{all}");
            if let Some(item) = all.get(0).filter(|item| is(item)) {
                return item.clone();
            }
        }
    })
    .await
}

/// The value of a metric.
async fn metric(running: &Running, name: &str) -> f64 {
    let metrics = running.ask("GET", "/metrics", &Value::Null).await.body;
    let mut values = metrics.lines().filter_map(|line| {
        let (known, value) = line.rsplit_once(' ')?;
        (known == name).then(|| value.parse().unwrap())
    });
    values.next().unwrap_or_else(|| panic!("{name}: {metrics}"))
}

/// Ends a server whose CLI hangs.
async fn end(running: Running, session: &str) {
    let close = format!("/api/sessions/{session}/close");
    running.ask("POST", &close, &Value::Null).await;
    running.end().await;
}

#[tokio::test]
async fn a_silent_cli_is_in_the_list_in_the_metrics_and_once_in_the_log() {
    let row = Row::of("the CLI hangs in a turn");
    let log = Log::new(Level::WARN);
    let running = hanging(None).await;
    let session = running.session().await;
    let idle = live(&running, |_| true).await;
    assert_eq!(
        (&idle["id"], &idle["phase"]),
        (&json!(session), &json!("idle"))
    );
    assert_eq!(
        (&idle["waitsFor"], &idle["pid"]),
        (&Value::Null, &Value::Null)
    );
    running.prompt(&session, "Are you there?").await;
    let silent = live(&running, |item| item["silentSeconds"].is_f64()).await;
    assert_eq!(silent["phase"], "running");
    assert_eq!(silent["waitsFor"], json!({"kind": "message"}));
    row.is_live(&running, "running", "message").await;
    row.names(Row::LIVE, "silentSeconds");
    row.is_in_phase(&running, &session, "running", "Working")
        .await;
    assert!(
        silent["since"].as_f64() > idle["since"].as_f64(),
        "{silent}"
    );
    let name = "claw_session_process_events_total{event=\"silent\"}";
    soon(async { while metric(&running, name).await < 1.0 {} }).await;
    row.is_counted(&running, "claw_sessions_silent").await;
    row.is_logged(&log, "the session's process is silent").await;
    row.is_logged(&log, "waits_for=\"message\"").await;
    let least = SILENCE.as_secs_f64();
    assert!(metric(&running, "claw_longest_silence_seconds").await >= least);
    // The search for silent sessions has run several times more.
    live(&running, |item| {
        item["silentSeconds"].as_f64() > Some(3.0 * least)
    })
    .await;
    end(running, &session).await;
    let text = log.end();
    let lines = text.lines().filter(|line| line.contains("is silent"));
    let lines: Vec<_> = lines.collect();
    assert_eq!(lines.len(), 1, "{text}");
    for part in [&*session, "waits_for=\"message\""] {
        assert!(lines[0].contains(part), "{part}: {text}");
    }
}

#[tokio::test]
async fn a_server_or_a_tool_that_hangs_is_named() {
    for (fault, tool, waits) in [
        (
            "an MCP server does not answer a call",
            "mcp__github__search",
            json!({"kind": "mcpServer", "name": "github"}),
        ),
        (
            "a tool, or a hook around it, hangs without a heartbeat",
            "Bash",
            json!({"kind": "tool", "name": "Bash"}),
        ),
    ] {
        let row = Row::of(fault);
        let log = Log::new(Level::WARN);
        let running = hanging(Some(tool)).await;
        let session = running.session().await;
        running.prompt(&session, "Search.").await;
        live(&running, |item| {
            item["silentSeconds"].is_f64() && item["waitsFor"] == waits
        })
        .await;
        let name = "claw_session_process_events_total{event=\"silent\"}";
        soon(async { while metric(&running, name).await < 1.0 {} }).await;
        let kind = waits["kind"].as_str().unwrap();
        row.is_live(&running, "running", kind).await;
        row.is_counted(&running, "claw_sessions_silent").await;
        row.is_logged(&log, &format!("waits_for=\"{kind}\"")).await;
        // The row of the tool refers to this one for the page.
        let of_page = Row::of("an MCP server does not answer a call");
        of_page
            .is_in_phase(&running, &session, "running", "Working")
            .await;
        let shown = elements(&running, &session).await;
        let kinds = shown.iter().map(|element| &element["content"]["type"]);
        assert!(kinds.eq(["userInput", "toolCall"]), "{shown:?}");
        end(running, &session).await;
        let text = log.end();
        let name = format!("name={}", waits["name"]);
        assert!(text.contains(&name), "{text}");
        assert!(text.contains("the session's process is silent"), "{text}");
    }
}

#[tokio::test]
async fn a_request_that_waits_is_no_silence_and_its_age_is_measured() {
    let script = Script::new([Step::Turn(vec![
        Step::message([Block::tool_use("Bash", json!({"command": "ls"}))]),
        Step::permission([Step::tool_result("7")], [Step::tool_error("no")]),
        Step::message([Block::text("Then not.")]),
    ])]);
    let running = Running::start_as(script, |builder| {
        builder.limits(|limits| limits.silence = SILENCE)
    })
    .await;
    let session = running.session().await;
    let mut events = running.events(&session, None).await;
    running.prompt(&session, "List.").await;
    let row = Row::of("nobody answers a request");
    row.is_live(&running, "asking", "request").await;
    row.is_in_phase(&running, &session, "asking", "Asks you")
        .await;
    row.is_in_phase(&running, &session, "asking", "Waits for an answer")
        .await;
    let asks = live(&running, |item| item["phase"] == "asking").await;
    assert_eq!(asks["waitsFor"], json!({"kind": "request", "name": "Bash"}));
    let least = 2.0 * SILENCE.as_secs_f64();
    let asks = live(&running, |item| item["phaseSeconds"].as_f64() > Some(least)).await;
    assert_eq!(asks["silentSeconds"], Value::Null);
    row.is_counted(&running, "claw_oldest_request_seconds")
        .await;
    assert!(metric(&running, "claw_oldest_request_seconds").await >= least);
    assert!(metric(&running, "claw_sessions_silent").await < 1.0);
    running.deny(&session).await;
    events
        .until("state", |state| state["phase"] == "idle")
        .await;
    assert!(metric(&running, "claw_oldest_request_seconds").await < least);
    assert!(metric(&running, "claw_request_wait_seconds_count").await > 0.0);
    assert!(metric(&running, "claw_request_wait_seconds_sum").await >= least);
    running.end().await;
}

#[cfg(unix)]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_hook_that_hangs_at_the_start_of_the_real_cli_is_named() {
    let api = Api::start(scenarios::text()).await.unwrap();
    let folder = tempfile::tempdir().unwrap();
    let (config, gate) = (folder.path().join("config"), folder.path().join("gate"));
    let made = std::process::Command::new("mkfifo").arg(&gate).status();
    assert!(made.unwrap().success());
    let hook = json!({"type": "command", "command": format!("cat '{}'", gate.display())});
    let settings = json!({"hooks": {"SessionStart": [{"hooks": [hook]}]}});
    std::fs::create_dir(&config).unwrap();
    std::fs::write(config.join("settings.json"), settings.to_string()).unwrap();
    let running = crate::real_cli::start(&api, folder).await;
    let session = running.session().await;
    let mut events = running.events(&session, None).await;
    running.prompt(&session, "Hello?").await;
    let waits = live(&running, |item| item["waitsFor"]["kind"] == "hook").await;
    assert_eq!(waits["waitsFor"]["name"], "SessionStart:startup");
    assert_eq!(waits["phase"], "starting");
    drop(std::fs::File::options().write(true).open(&gate).unwrap());
    events
        .until("state", |state| state["phase"] == "idle")
        .await;
    let idle = live(&running, |item| item["pid"].is_u64()).await;
    assert_eq!(idle["waitsFor"], Value::Null);
    let version = metric_line(&running, "claw_cli_info").await;
    assert!(version.contains("version=\"2."), "{version}");
    running.end().await;
}

/// The line of a metric with labels.
#[cfg(unix)]
async fn metric_line(running: &Running, name: &str) -> String {
    let metrics = running.ask("GET", "/metrics", &Value::Null).await.body;
    let mut lines = metrics.lines();
    let line = lines.find(|line| line.starts_with(&format!("{name}{{")));
    line.unwrap_or_else(|| panic!("{name}: {metrics}"))
        .to_owned()
}

#[tokio::test]
async fn a_line_about_a_session_has_its_id() {
    let script = Script::new([Step::Turn(vec![
        Step::Text("no JSON".to_owned()),
        Step::message([Block::text("Hi.")]),
    ])]);
    let log = Log::new(Level::WARN);
    let running = Running::start(script).await;
    let session = running.session().await;
    let mut events = running.events(&session, None).await;
    running.prompt(&session, "Hi?").await;
    events
        .until("state", |state| state["phase"] == "idle")
        .await;
    running.end().await;
    let text = log.end();
    let mut lines = text.lines();
    let line = lines.find(|line| line.contains("a line of claude cannot be read"));
    let id = format!("session.id={session:?}");
    assert!(line.unwrap().contains(&id), "{text}");
}

//! What delays a start, and what is not connected, is shown: with the real CLI.
#![cfg(unix)]

use std::fs::{self, File};

use claw_testkit::api::{Api, scenarios};
use serde_json::{Value, json};

use crate::client::Running;
use crate::real_cli::start;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_hook_that_runs_and_a_server_that_is_not_connected_are_shown() {
    let api = Api::start(scenarios::text()).await.unwrap();
    let folder = tempfile::tempdir().unwrap();
    let (config, gate) = (folder.path().join("config"), folder.path().join("gate"));
    let made = std::process::Command::new("mkfifo").arg(&gate).status();
    assert!(made.unwrap().success());
    let hook = json!({"type": "command", "command": format!("cat '{}'", gate.display())});
    let settings = json!({"hooks": {"SessionStart": [{"hooks": [hook]}]}});
    fs::create_dir(&config).unwrap();
    fs::write(config.join("settings.json"), settings.to_string()).unwrap();
    let server = json!({"type": "stdio", "command": "/no/such/program"});
    let servers = json!({"mcpServers": {"broken": server}});
    fs::write(config.join(".claude.json"), servers.to_string()).unwrap();
    let running: Running = start(&api, folder).await;
    let session = running.session().await;
    let mut events = running.events(&session, None).await;
    running.prompt(&session, "Hello?").await;
    let has = |text: &'static str| move |data: &Value| data.to_string().contains(text);
    let hook = "The hook SessionStart:startup has been running for ";
    events.until("change", has(hook)).await;
    drop(File::options().write(true).open(&gate).unwrap());
    let server = "The MCP server broken is not connected: failed.";
    events.until("change", has(server)).await;
    events
        .until("state", |state| state["phase"] == "idle")
        .await;
    // A second turn says it no second time.
    running.prompt(&session, "And now?").await;
    events
        .until("state", |state| state["phase"] == "running")
        .await;
    events
        .until("state", |state| state["phase"] == "idle")
        .await;
    let path = format!("/api/sessions/{session}/elements");
    let elements = running.ask("GET", &path, &Value::Null).await;
    assert_eq!(
        elements.body.matches(server).count(),
        1,
        "{}",
        elements.body
    );
    running.end().await;
}

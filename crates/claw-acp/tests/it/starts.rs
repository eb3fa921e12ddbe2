//! What delays a start, and what is not connected, is sent to the client: with the real CLI.
#![cfg(unix)]

use std::fs::{self, File};

use claw_testkit::api::{Api, scenarios};
use serde_json::{Value, json};

use crate::editor::everything;
use crate::real_cli::editor_that_can;

const HOOK: &str = "The hook SessionStart:startup has been running for ";
const SERVER: &str = "The MCP server broken is not connected: failed.";

/// A client that shows notices, and one that shows none.
#[tokio::test]
async fn a_hook_that_runs_and_a_server_that_is_not_connected_are_sent_once() {
    for (capabilities, kind) in [(everything(), "notice"), (json!({}), "agent_message_chunk")] {
        let api = Api::start(scenarios::text()).await.unwrap();
        let editor = editor_that_can(&api, capabilities, |_, _| None).await;
        let (home, gate) = (
            editor.folder.path().join("home"),
            editor.folder.path().join("gate"),
        );
        let made = std::process::Command::new("mkfifo").arg(&gate).status();
        assert!(made.unwrap().success());
        let hook = json!({"type": "command", "command": format!("cat '{}'", gate.display())});
        let settings = json!({"hooks": {"SessionStart": [{"hooks": [hook]}]}});
        fs::create_dir_all(home.join(".claude")).unwrap();
        fs::write(home.join(".claude/settings.json"), settings.to_string()).unwrap();
        let server = json!({"type": "stdio", "command": "/no/such/program"});
        let servers = json!({"mcpServers": {"broken": server}});
        fs::write(home.join(".claude.json"), servers.to_string()).unwrap();
        let new = json!({"cwd": editor.folder.path().join("work"), "mcpServers": []});
        let asked = editor.send("session/new", new).await;
        let is_of_kind = |update: &Value, text: &str| {
            update["sessionUpdate"] == kind && update.to_string().contains(text)
        };
        editor
            .wait(|line| is_of_kind(&line["params"]["update"], HOOK))
            .await;
        drop(File::options().write(true).open(&gate).unwrap());
        let session = editor.answer(asked).await.unwrap();
        let session = session["sessionId"].as_str().unwrap();
        for _ in 0..2 {
            editor.prompt(session, "Hello?").await.unwrap();
        }
        let updates = editor.updates();
        let said = updates.iter().filter(|update| is_of_kind(update, SERVER));
        assert_eq!(said.count(), 1, "{updates:#?}");
        editor.leave().await.unwrap();
    }
}

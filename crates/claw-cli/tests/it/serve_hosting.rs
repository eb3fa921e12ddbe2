//! `claw serve --hosting` as a process, with the scripted agent.

use std::io::{BufRead as _, BufReader, Read as _};
use std::process::{Command, Stdio};

use claw_testkit::agent::Script;

use crate::serve::{Place, ask};

/// The command of the hosting contract, in an environment without its variables.
fn hosting(place: &Place) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_claw"));
    command
        .args(["serve", "--hosting", "--project"])
        .arg(place.at("shop"))
        .arg("--options")
        .arg(place.at("options.json"))
        .env("CLAW_AGENT_SCRIPT", place.at("script.json"))
        .env("CLAW_AGENT_GATES", place.at("gates"))
        .env("CLAUDE_CONFIG_DIR", place.at("config"))
        .env_remove("AGENT_AUTH_TOKEN")
        .env_remove("MODEL")
        .env_remove("PORT");
    command
}

#[test]
fn the_hosting_contract_takes_its_settings_from_the_environment() {
    const TOKEN: &str = "0123456789abcdef";
    let place = Place::new(&Script::reply("Four."));
    let mut command = hosting(&place);
    command
        .env("AGENT_AUTH_TOKEN", TOKEN)
        .env("MODEL", "sonnet")
        .env("PORT", "0")
        .arg("--log-requests")
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let line = lines.next().unwrap().unwrap();
    // All addresses: there is a token.
    let port = line.strip_prefix("Listens on http://0.0.0.0:").unwrap();
    let address = format!("127.0.0.1:{port}");
    let health = ask(&address, "GET /health", "", "");
    assert!(health.ends_with(r#"{"status":"ok"}"#), "{health}");
    let messages = "POST /sessions/demo-1/messages";
    let body = r#"{"prompt": "2 + 2?"}"#;
    let refused = ask(&address, messages, "", body);
    assert!(refused.starts_with("HTTP/1.1 401"), "{refused}");
    let own = format!("Authorization: Bearer {TOKEN}\r\n");
    let turn = ask(&address, messages, &own, body);
    assert!(turn.starts_with("HTTP/1.1 200"), "{turn}");
    assert!(
        turn.contains("Four.") && turn.contains("event: done"),
        "{turn}"
    );
    child.kill().unwrap();
    let mut said = String::new();
    child.wait().unwrap();
    let mut stderr = child.stderr.take().unwrap();
    stderr.read_to_string(&mut said).unwrap();
    assert!(said.contains("/sessions/{id}/messages"), "{said}");
    assert!(
        said.contains("other machines") && !said.contains("demo-1"),
        "{said}"
    );
}

#[test]
fn the_hosting_contract_is_not_served_openly_by_mistake() {
    let place = Place::new(&Script::reply("Four."));
    for (arguments, variable, value, error) in [
        (
            &["--listen", "0.0.0.0:0"][..],
            "HOME",
            "/",
            "needs a token or a gateway",
        ),
        (
            &[],
            "AGENT_AUTH_TOKEN",
            "",
            "AGENT_AUTH_TOKEN: a token has 16 characters",
        ),
        (
            &["--behind-gateway"],
            "AGENT_AUTH_TOKEN",
            "short",
            "AGENT_AUTH_TOKEN: a token has 16 characters",
        ),
        (&[], "PORT", "http", "PORT: \"http\" is not a port"),
        (&["--project", "."], "HOME", "/", "one project"),
    ] {
        let output = hosting(&place)
            .args(arguments)
            .env(variable, value)
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(3), "{arguments:?}");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(said.contains(error), "{said}");
    }
    // Without a token and a gateway: loopback.
    let mut child = hosting(&place)
        .env("PORT", "0")
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let line = lines.next().unwrap().unwrap();
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(line.starts_with("Listens on http://127.0.0.1:"), "{line}");
}

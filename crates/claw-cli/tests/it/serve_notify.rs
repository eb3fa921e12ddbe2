//! `claw serve --notify` as a process.

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpListener;
use std::process::Command;

use claw_testkit::agent::Script;
use serde_json::{Value, json};

use crate::claw::script;
use crate::serve::{Place, Served};

const SECRET: &str = "0123456789abcdef";

/// A server whose `claude` writes its environment down, and ends.
fn failing(place: &Place) -> Command {
    let claude = place.at("claude.sh");
    let environment = place.at("environment");
    script(
        &claude,
        &format!("#!/bin/sh\nenv > '{}'\nexit 1\n", environment.display()),
    );
    let options = json!({"pathToClaudeCodeExecutable": claude});
    fs::write(place.at("options.json"), options.to_string()).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_claw"));
    command
        .args(["serve", "--listen", "127.0.0.1:0", "--project"])
        .arg(place.at("shop"))
        .arg("--options")
        .arg(place.at("options.json"))
        .env("CLAUDE_CONFIG_DIR", place.at("config"))
        .env_remove("XDG_RUNTIME_DIR");
    command
}

/// Takes one request: its head and its body.
fn take(listener: &TcpListener) -> (String, Value) {
    let (stream, _) = listener.accept().unwrap();
    let mut stream = BufReader::new(stream);
    let (mut head, mut length) = (String::new(), 0);
    loop {
        let mut line = String::new();
        stream.read_line(&mut line).unwrap();
        let line = line.to_ascii_lowercase();
        if let Some(given) = line.strip_prefix("content-length: ") {
            length = given.trim().parse().unwrap();
        }
        if line == "\r\n" {
            break;
        }
        head += &line;
    }
    let mut body = vec![0; length];
    stream.read_exact(&mut body).unwrap();
    stream
        .get_mut()
        .write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
        .unwrap();
    (head, serde_json::from_slice(&body).unwrap())
}

#[test]
fn a_failure_is_told_and_claude_gets_neither_address_nor_secret() {
    let place = Place::new(&Script::default());
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/hook", listener.local_addr().unwrap());
    let mut command = failing(&place);
    command
        .env("CLAW_NOTIFY", url)
        .env("CLAW_NOTIFY_SECRET", SECRET)
        .stdin(std::process::Stdio::null());
    let served = Served::of(command);
    let session = served.ask("POST /api/sessions", &json!({"project": "shop"}));
    let id = session["id"].as_str().unwrap();
    let prompts = format!("POST /api/sessions/{id}/prompts");
    served.ask(&prompts, &json!({"text": "Hello"}));
    let (head, body) = take(&listener);
    assert!(head.contains("webhook-signature: v1,"), "{head}");
    assert_eq!(
        (&body["kind"], &body["session"]),
        (&json!("failed"), &json!(id))
    );
    let environment = fs::read_to_string(place.at("environment")).unwrap();
    assert!(environment.contains("PATH="), "{environment}");
    assert!(!environment.contains("CLAW_NOTIFY"), "{environment}");
}

#[test]
fn what_other_users_could_read_is_refused_and_so_is_what_has_no_secret() {
    let place = Place::new(&Script::default());
    for (arguments, error) in [
        (
            &[
                "--notify",
                "http://127.0.0.1:1/x",
                "--notify-format",
                "slack",
            ][..],
            "CLAW_NOTIFY",
        ),
        (
            &[
                "--notify",
                "http://127.0.0.1:1/x?chat_id=1",
                "--notify-format",
                "telegram",
            ],
            "CLAW_NOTIFY",
        ),
        (&["--notify", "http://127.0.0.1:1/x"], "need a secret"),
        (&["--notify-content"], "--notify is missing"),
    ] {
        let mut command = failing(&place);
        command
            .env_remove("CLAW_NOTIFY")
            .env_remove("CLAW_NOTIFY_SECRET");
        let output = command.args(arguments).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(3), "{said}");
        assert!(said.contains(error), "{said}");
    }
}

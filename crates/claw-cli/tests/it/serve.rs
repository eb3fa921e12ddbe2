//! `claw serve` as a process, with the scripted agent.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};

use claw_testkit::agent::{self, Script};

/// A server, killed at the end.
struct Served(Child);

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Sends a request, with these headers, and gives the whole answer.
fn ask(address: &str, request: &str, headers: &str, body: &str) -> String {
    let mut stream = TcpStream::connect(address).unwrap();
    let length = body.len();
    write!(
        stream,
        "{request} HTTP/1.1\r\nHost: {address}\r\n{headers}Connection: close\r\nContent-Type: \
         application/json\r\nContent-Length: {length}\r\n\r\n{body}"
    )
    .unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

#[test]
fn a_server_says_how_to_log_in_and_answers_a_prompt() {
    let folder = tempfile::tempdir().unwrap();
    let shop = folder.path().join("shop");
    std::fs::create_dir(&shop).unwrap();
    let script = folder.path().join("script.json");
    std::fs::write(&script, serde_json::to_vec(&Script::says("Four.")).unwrap()).unwrap();
    let options = folder.path().join("options.json");
    let program = agent::program().unwrap();
    let text = serde_json::json!({"pathToClaudeCodeExecutable": program});
    std::fs::write(&options, text.to_string()).unwrap();
    let mut child = Command::new(env!("CARGO_BIN_EXE_claw"))
        .args(["serve", "--listen", "127.0.0.1:0", "--project"])
        .arg(&shop)
        .arg("--options")
        .arg(&options)
        .env("CLAW_AGENT_SCRIPT", &script)
        .env("CLAUDE_CONFIG_DIR", folder.path().join("config"))
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let _served = Served(child);
    let mut after = |what: &str| {
        let line = lines.next().unwrap().unwrap();
        line.split_once(what)
            .unwrap_or_else(|| panic!("{line}"))
            .1
            .to_owned()
    };
    let link = after("http://");
    let token = after("Token for programs: ");
    let (address, path) = link.split_once('/').unwrap();
    let login = ask(address, &format!("GET /{path}"), "", "");
    assert!(login.starts_with("HTTP/1.1 303"), "{login}");
    let own = format!("Authorization: Bearer {token}\r\n");
    let with = |request: &str, body: &str| ask(address, request, &own, body);
    let new = with("POST /api/sessions", r#"{"project": "shop"}"#);
    assert!(new.starts_with("HTTP/1.1 201"), "{new}");
    let session: serde_json::Value =
        serde_json::from_str(new.split_once("\r\n\r\n").unwrap().1).unwrap();
    let id = session["id"].as_str().unwrap();
    // Its events end with the session.
    let mut events = TcpStream::connect(address).unwrap();
    write!(events, "GET /api/sessions/{id}/events HTTP/1.1\r\nHost: {address}\r\nAuthorization: Bearer {token}\r\n\r\n").unwrap();
    let sent = with(
        &format!("POST /api/sessions/{id}/prompts"),
        r#"{"text": "2 + 2?"}"#,
    );
    assert!(sent.starts_with("HTTP/1.1 202"), "{sent}");
    let said = BufReader::new(events).lines().map(Result::unwrap);
    let mut said = said.filter(|line| line.starts_with("data: "));
    assert!(said.any(|line| line.contains("Four.")));
    assert!(said.any(|line| line.contains(r#""phase":"idle""#)));
}

#[test]
fn a_server_for_other_machines_needs_a_token() {
    let folder = tempfile::tempdir().unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_claw"))
        .args(["serve", "--listen", "0.0.0.0:0", "--project"])
        .arg(folder.path())
        .env("CLAUDE_CONFIG_DIR", folder.path())
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(3));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("needs a token"), "{said}");
}

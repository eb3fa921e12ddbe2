//! The log of `claw serve`, as text and as JSON.

use std::io::Read as _;
use std::process::{Command, Stdio};
use std::thread;

use claw_testkit::Block;
use claw_testkit::agent::{Script, Step};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use crate::serve::{Place, Served, ask};

const TOKEN: &str = "hidden-token-of-the-server";
const KEY: &str = "sk-ant-hidden-key";
const PROMPT: &str = "hidden prompt";
const ANSWER: &str = "hidden answer";

/// Starts a server with the log at this level, and lets a session have a turn and a second one in which its process dies.
/// Returns the ID of the session, the path of the login link, and the log.
fn logged(format: &str, levels: &str) -> (String, String, String) {
    let script = Script::new([
        Step::Turn(vec![Step::message([Block::text(ANSWER)])]),
        Step::Turn(vec![Step::message([Block::text(ANSWER)]), Step::Exit(3)]),
    ]);
    let place = Place::new(&script);
    std::fs::write(place.at("token"), TOKEN).unwrap();
    let mut command = place.command();
    command
        .arg("--token-file")
        .arg(place.at("token"))
        .args(["--log-requests", "--log-format", format])
        .env("RUST_LOG", levels)
        .env("ANTHROPIC_API_KEY", KEY)
        .stderr(Stdio::piped());
    let mut served = Served::with_token(command, TOKEN);
    let mut log = served.child.stderr.take().unwrap();
    let log = thread::spawn(move || {
        let mut text = String::new();
        log.read_to_string(&mut text).unwrap();
        text
    });
    let key = format!("X-Claw-Key: {}\r\n", "a1".repeat(32));
    let login = ask(&served.address, &format!("POST {}", served.login), &key, "");
    assert!(login.starts_with("HTTP/1.1 204"), "{login}");
    let session = served.ask("POST /api/sessions", &json!({"project": "shop"}));
    let id = session["id"].as_str().unwrap().to_owned();
    let mut events = served.events(&id);
    for _ in 0..2 {
        let prompts = format!("POST /api/sessions/{id}/prompts");
        served.ask(&prompts, &json!({"text": PROMPT}));
        assert!(events.any(|line| line.contains(r#""phase":"running""#)));
        assert!(events.any(|line| line.contains(r#""phase":"idle""#)));
    }
    served.ask("GET /api/search?q=hidden-query", &Value::Null);
    drop(events);
    kill_process(Pid::from_child(&served.child), Signal::TERM).unwrap();
    assert!(served.child.wait().unwrap().success());
    (id, served.login.clone(), log.join().unwrap())
}

fn assert_no_secret(log: &str, login: &str) {
    let code = login.rsplit('/').next().unwrap();
    for secret in [TOKEN, KEY, PROMPT, ANSWER, code, "hidden"] {
        assert!(!log.contains(secret), "{secret}: {log}");
    }
}

#[test]
fn each_line_of_json_is_an_object_with_the_session_and_no_secret() {
    let (id, login, log) = logged("json", "trace");
    assert_no_secret(&log, &login);
    let lines: Vec<Value> = log
        .lines()
        .map(|line| serde_json::from_str(line).unwrap_or_else(|_| panic!("{line}")))
        .collect();
    for line in &lines {
        for field in ["timestamp", "level", "target"] {
            assert!(line[field].is_string(), "{line}");
        }
    }
    let of = |message: &str| {
        let found = lines.iter().filter(|line| line["message"] == message);
        found.collect::<Vec<_>>()
    };
    let requests = of("request");
    let prompt = requests.iter().find(|line| line["status"] == 202);
    assert_eq!(prompt.unwrap()["route"], "/api/sessions/{id}/prompts");
    // Lines of the pool and of the driver of a process.
    for message in [
        "a process is ready",
        "a process has ended by itself",
        "the session is over",
    ] {
        let found = of(message);
        assert!(!found.is_empty(), "{message}: {log}");
        for line in found {
            assert_eq!(line["session.id"], *id, "{line}");
        }
    }
}

#[test]
fn each_line_of_text_has_the_session_and_no_secret() {
    let (id, login, log) = logged("text", "trace");
    assert_no_secret(&log, &login);
    for message in [
        "a process is ready",
        "a process has ended by itself",
        "the session is over",
    ] {
        let found: Vec<_> = log.lines().filter(|line| line.contains(message)).collect();
        assert!(!found.is_empty(), "{message}: {log}");
        for line in found {
            assert!(line.contains(&format!("session.id=\"{id}\"")), "{line}");
        }
    }
    assert!(
        log.contains("route=\"/api/sessions/{id}/prompts\" status=202"),
        "{log}"
    );
}

#[test]
fn without_levels_the_log_has_warnings_and_the_requests() {
    let (id, _, log) = logged("text", "");
    let warned = log.lines().any(|line| {
        line.contains(" WARN ") && line.contains("ended by itself") && line.contains(&id)
    });
    assert!(warned, "{log}");
    assert!(log.contains("INFO claw_server"), "{log}");
    assert!(!log.contains("DEBUG"), "{log}");
    assert!(!log.contains("INFO claw_client"), "{log}");
}

#[test]
fn a_level_that_is_none_is_refused_by_its_name() {
    let place = Place::new(&Script::reply("Four."));
    let run = |command: &mut Command| command.env("RUST_LOG", "warn,claw_server=loud").output();
    let output = run(&mut place.command()).unwrap();
    assert_eq!(output.status.code(), Some(3));
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(
        text.contains(r#"RUST_LOG: "claw_server=loud" is not LEVEL or TARGET=LEVEL"#),
        "{text}"
    );
}

//! `claw serve --otlp` with the real CLI, and a collector on loopback.

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader, Write as _};
use std::net::TcpListener;
use std::process::Command;
use std::sync::{Arc, Mutex};
use std::thread;

use claw_testkit::agent::Script;
use claw_testkit::api::{Api, scenarios};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use crate::serve::{Place, Served};

const TOKEN: &str = "hidden-token-of-the-server";
const PROMPT: &str = "hidden prompt";

/// What a collector has received.
#[derive(Default)]
struct Received {
    /// The spans, each with the name of its service.
    spans: Vec<(String, Value)>,
    /// The bodies and headers of claw's requests.
    texts: Vec<String>,
}

/// A collector that takes traces as JSON.
struct Collector {
    address: String,
    received: Arc<Mutex<Received>>,
}

impl Collector {
    fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let received = Arc::<Mutex<Received>>::default();
        let kept = received.clone();
        thread::spawn(move || {
            for stream in listener.incoming().map(Result::unwrap) {
                let kept = kept.clone();
                thread::spawn(move || {
                    let mut stream = BufReader::new(stream);
                    while let Some((head, body)) = request(&mut stream) {
                        kept.lock().unwrap().add(&head, &body);
                        let _ = stream.get_mut().write_all(
                            b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}",
                        );
                    }
                });
            }
        });
        Self { address, received }
    }

    /// The spans with this name, of this service.
    fn spans(&self, service: &str, name: &str) -> Vec<Value> {
        let received = self.received.lock().unwrap();
        let found = received.spans.iter();
        let found = found.filter(|(of, span)| of == service && span["name"] == name);
        found.map(|(_, span)| span.clone()).collect()
    }
}

impl Received {
    fn add(&mut self, head: &str, body: &str) {
        if !head.starts_with("POST /v1/traces ") {
            return;
        }
        let sent: Value = serde_json::from_str(body).unwrap();
        for resource in sent["resourceSpans"].as_array().unwrap() {
            let service = attributes(&resource["resource"])["service.name"].clone();
            if service == "claw" {
                self.texts.push(format!("{head}\n{body}"));
            }
            for scope in resource["scopeSpans"].as_array().unwrap() {
                for span in scope["spans"].as_array().unwrap() {
                    self.spans.push((service.clone(), span.clone()));
                }
            }
        }
    }
}

/// Reads a request: its head and its body.
fn request(stream: &mut impl BufRead) -> Option<(String, String)> {
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        if stream.read_line(&mut head).ok()? == 0 {
            return None;
        }
    }
    let length = head.lines().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        name.eq_ignore_ascii_case("content-length")
            .then(|| value.trim().parse::<usize>().unwrap())
    });
    let mut body = vec![0; length.unwrap_or_default()];
    stream.read_exact(&mut body).ok()?;
    Some((head, String::from_utf8(body).unwrap()))
}

fn attributes(of: &Value) -> BTreeMap<String, String> {
    let all = of["attributes"].as_array().unwrap().iter();
    let texts = all.filter_map(|one| {
        let text = one["value"]["stringValue"].as_str()?;
        Some((one["key"].as_str()?.to_owned(), text.to_owned()))
    });
    texts.collect()
}

/// Runs a server with a session of the real CLI that has two turns, and ends it in order.
fn serve(place: &Place, api: &Api, arguments: &[&str], env: &[(&str, &str)]) -> String {
    let options = json!({
        "pathToClaudeCodeExecutable": claw_testkit::claude().unwrap(),
        "env": api.env().into_iter().collect::<BTreeMap<_, _>>(),
    });
    fs::write(place.at("options.json"), options.to_string()).unwrap();
    fs::write(place.at("token"), TOKEN).unwrap();
    let mut command: Command = place.command();
    command
        .arg("--token-file")
        .arg(place.at("token"))
        .args(arguments)
        .env("HOME", place.at("home"))
        .envs(env.iter().copied());
    let mut served = Served::with_token(command, TOKEN);
    let session = served.ask("POST /api/sessions", &json!({"project": "shop"}));
    let id = session["id"].as_str().unwrap().to_owned();
    let mut events = served.events(&id);
    for _ in 0..2 {
        let prompts = format!("POST /api/sessions/{id}/prompts");
        served.ask(&prompts, &json!({"text": PROMPT}));
        assert!(events.any(|line| line.contains(r#""phase":"running""#)));
        assert!(events.any(|line| line.contains(r#""phase":"idle""#)));
    }
    kill_process(Pid::from_child(&served.child), Signal::TERM).unwrap();
    assert!(served.child.wait().unwrap().success());
    id
}

/// What the CLI needs to export its own traces.
fn telemetry(collector: &Collector) -> [(&str, &str); 5] {
    [
        ("CLAUDE_CODE_ENABLE_TELEMETRY", "1"),
        ("CLAUDE_CODE_ENHANCED_TELEMETRY_BETA", "1"),
        ("OTEL_TRACES_EXPORTER", "otlp"),
        ("OTEL_EXPORTER_OTLP_PROTOCOL", "http/json"),
        ("OTEL_EXPORTER_OTLP_ENDPOINT", &collector.address),
    ]
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn turns_of_claw_and_of_the_cli_are_in_one_trace() {
    let collector = Collector::start();
    let api = Api::start(scenarios::text()).await.unwrap();
    let place = Place::new(&Script::reply(""));
    let mut env = telemetry(&collector).to_vec();
    env.push(("OTEL_EXPORTER_OTLP_HEADERS", "x-key=hidden-key"));
    let id = serve(&place, &api, &["--otlp", &collector.address], &env);
    let sessions = collector.spans("claw", "claw.session");
    let [session] = &sessions[..] else {
        panic!("{sessions:?}");
    };
    assert_eq!(session.get("parentSpanId"), None, "{session}");
    assert_eq!(attributes(session)["session.id"], id);
    let turns = collector.spans("claw", "invoke_agent");
    assert_eq!(turns.len(), 2, "{turns:?}");
    let of_cli = collector.spans("claude-code", "claude_code.interaction");
    assert_eq!(of_cli.len(), 2, "{of_cli:?}");
    for span in turns.iter().chain(&of_cli) {
        assert_eq!(span["traceId"], session["traceId"], "{span}");
        assert_eq!(span["parentSpanId"], session["spanId"], "{span}");
        assert_eq!(attributes(span)["session.id"], id, "{span}");
    }
    let time = |span: &Value, name: &str| span[name].as_str().unwrap().parse::<u128>().unwrap();
    for turn in &turns {
        assert_eq!(attributes(turn)["claw.outcome"], "answered", "{turn}");
        for name in ["claw.wait", "claw.mark"] {
            let waits = collector.spans("claw", name);
            let found = waits
                .iter()
                .filter(|wait| wait["parentSpanId"] == turn["spanId"]);
            let [wait] = &found.collect::<Vec<_>>()[..] else {
                panic!("{name}: {waits:?}");
            };
            assert!(time(wait, "startTimeUnixNano") <= time(wait, "endTimeUnixNano"));
            assert!(time(wait, "endTimeUnixNano") <= time(turn, "endTimeUnixNano"));
        }
    }
    let received = collector.received.lock().unwrap();
    for text in &received.texts {
        assert!(text.contains("x-key: hidden-key\r\n"), "{text}");
        for secret in [TOKEN, PROMPT] {
            assert!(!text.contains(secret), "{text}");
        }
    }
}

/// Without `--otlp`, the CLI begins traces of its own.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn without_a_collector_the_cli_has_no_parent() {
    let collector = Collector::start();
    let api = Api::start(scenarios::text()).await.unwrap();
    let place = Place::new(&Script::reply(""));
    serve(&place, &api, &[], &telemetry(&collector));
    assert!(collector.spans("claw", "claw.session").is_empty());
    let of_cli = collector.spans("claude-code", "claude_code.interaction");
    assert_eq!(of_cli.len(), 2, "{of_cli:?}");
    let parents = of_cli.iter().filter_map(|span| span.get("parentSpanId"));
    let is_set = |parent: &&Value| parent.as_str().is_some_and(|parent| !parent.is_empty());
    assert_eq!(parents.filter(is_set).count(), 0, "{of_cli:?}");
}

#[test]
fn a_collector_that_cannot_be_one_is_refused_without_its_headers() {
    let place = Place::new(&Script::reply(""));
    for (url, headers, expected) in [
        (
            "collector:4318",
            "",
            "--otlp: the address of traces is not one",
        ),
        (
            "http://127.0.0.1:4318",
            "hidden-key",
            "OTEL_EXPORTER_OTLP_HEADERS: the headers of traces are not a list",
        ),
    ] {
        let mut command = place.command();
        command.args(["--otlp", url]);
        let output = command.env("OTEL_EXPORTER_OTLP_HEADERS", headers).output();
        let output = output.unwrap();
        let text = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(3), "{text}");
        assert!(text.contains(expected), "{text}");
        assert!(!text.contains("hidden"), "{text}");
    }
}

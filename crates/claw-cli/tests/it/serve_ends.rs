//! `claw serve` that is ended at any moment, with the real CLI and the scripted API: every prompt that was accepted is in
//! a transcript, or marked and shown by the next server, and none runs twice.
//!
//! A few runs with a few sessions: `cargo xtask kills` has more of both, and shows the figures.
#![cfg(unix)]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use claw_testkit::Block;
use claw_testkit::api::{Api, ApiRequest, Scenario};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use tempfile::TempDir;

/// How many sessions have their prompts sent again after the end.
const AGAIN: usize = 8;

/// A server of the real CLI.
struct Served {
    child: Child,
    address: String,
    token: String,
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Served {
    fn start(folder: &Path) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_claw"))
            .args(["serve", "--print-secrets", "--listen", "127.0.0.1:0"])
            .args(["--processes", "4", "--project"])
            .arg(folder.join("shop"))
            .arg("--options")
            .arg(folder.join("options.json"))
            .env("CLAUDE_CONFIG_DIR", folder.join("config"))
            .env("HOME", folder.join("home"))
            .env_remove("XDG_RUNTIME_DIR")
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let mut after = |what: &str| {
            let line = lines.next().unwrap().unwrap();
            line.split_once(what).unwrap().1.to_owned()
        };
        let link = after("http://");
        let token = after("Token for programs: ");
        Self {
            child,
            address: link.split_once('/').unwrap().0.to_owned(),
            token,
        }
    }

    fn caller(&self) -> Caller {
        Caller {
            address: self.address.clone(),
            token: self.token.clone(),
        }
    }

    fn end(mut self, signal: Signal) {
        kill_process(Pid::from_child(&self.child), signal).unwrap();
        self.child.wait().unwrap();
    }
}

#[derive(Clone)]
struct Caller {
    address: String,
    token: String,
}

impl Caller {
    fn open(&self, request: &str, body: &Value) -> std::io::Result<TcpStream> {
        let Self { address, token } = self;
        let body = if body.is_null() {
            String::new()
        } else {
            body.to_string()
        };
        let length = body.len();
        let mut stream = TcpStream::connect(address)?;
        write!(
            stream,
            "{request} HTTP/1.1\r\nHost: {address}\r\nAuthorization: Bearer {token}\r\nConnection: close\r\n\
             Content-Type: application/json\r\nContent-Length: {length}\r\n\r\n{body}"
        )?;
        Ok(stream)
    }

    /// The status and the body of a whole answer. `None` if the server is gone.
    fn ask(&self, request: &str, body: &Value) -> Option<(u16, Value)> {
        let mut answer = String::new();
        let mut stream = self.open(request, body).ok()?;
        stream.read_to_string(&mut answer).ok()?;
        let (head, body) = answer.split_once("\r\n\r\n")?;
        let status = head.split(' ').nth(1)?.parse().ok()?;
        Some((status, serde_json::from_str(body).unwrap_or_default()))
    }

    /// Waits until all prompts of a session are answered.
    fn idle(&self, session: &str) {
        let request = format!("GET /api/sessions/{session}/events");
        let stream = self.open(&request, &Value::Null).unwrap();
        let mut lines = BufReader::new(stream).lines().map(Result::unwrap);
        let is_idle =
            lines.any(|line| line.starts_with("data: ") && line.contains(r#""queued":0"#));
        assert!(is_idle, "its stream ended: {session}");
    }
}

/// A prompt that was sent.
#[derive(Debug, Clone)]
struct Sent {
    session: String,
    uuid: String,
    text: String,
    accepted: bool,
}

impl Sent {
    /// The part of the text that no other prompt has: transcripts and marks are searched for it.
    fn mark(&self) -> &str {
        let mark = self.text.strip_prefix("Answer ");
        mark.and_then(|mark| mark.strip_suffix('.')).unwrap()
    }
}

/// What a prompt is known by, wherever it is.
fn mark(number: usize, which: usize) -> String {
    format!("prompt-{number}-{which}-of-this-test")
}

/// Opens a session and sends two prompts, as long as the server is there.
fn client(caller: &Caller, run: u64, number: usize, sent: &mpsc::Sender<Sent>) -> Option<()> {
    let (_, session) = caller.ask("POST /api/sessions", &json!({"project": "shop"}))?;
    let session = session["id"].as_str()?.to_owned();
    for which in 0..2 {
        let uuid = format!("{number:08x}-{which:04x}-4000-8000-{run:012x}");
        let text = format!("Answer {}.", mark(number, which));
        let request = format!("POST /api/sessions/{session}/prompts");
        let answer = caller.ask(&request, &json!({"text": text, "uuid": uuid}));
        let accepted = answer.as_ref().is_some_and(|(status, _)| *status == 202);
        let (session, is_gone) = (session.clone(), answer.is_none());
        let one = Sent {
            session,
            uuid,
            text,
            accepted,
        };
        sent.send(one).unwrap();
        if is_gone {
            return None;
        }
    }
    Some(())
}

/// How often each prompt stands in the transcripts as what a user has said.
fn transcripts(folder: &Path) -> Vec<String> {
    let mut said = Vec::new();
    let projects = fs::read_dir(folder.join("config/projects"))
        .into_iter()
        .flatten();
    let files = projects
        .flatten()
        .flat_map(|project| fs::read_dir(project.path()).unwrap());
    for file in files.flatten().filter(|file| file.path().is_file()) {
        let text = fs::read_to_string(file.path()).unwrap();
        let lines = text
            .lines()
            .filter_map(|line| serde_json::from_str::<Value>(line).ok());
        for line in lines {
            if line["type"] == "user" || line["attachment"]["type"] == "queued_command" {
                said.push(line.to_string());
            }
        }
    }
    said
}

/// How often the model was asked each prompt.
fn asked(api: &Api) -> BTreeMap<String, usize> {
    let mut asked = BTreeMap::new();
    for request in api
        .requests()
        .iter()
        .filter(|request| ApiRequest::is_message(request))
    {
        let messages = request.body["messages"].as_array().unwrap();
        let last = messages.last().unwrap().to_string();
        // Earlier prompts without an answer stand before it.
        if let Some(at) = last.rfind("prompt-") {
            let mark = last[at..].split_once("-of-this-test").unwrap().0;
            *asked.entry(format!("{mark}-of-this-test")).or_default() += 1;
        }
    }
    asked
}

/// What came of the prompts of some runs.
#[derive(Debug, Default)]
struct Figures {
    runs: usize,
    accepted: usize,
    in_a_transcript: usize,
    marked: usize,
    never_sent: usize,
    sent_again: usize,
    longest_end: Duration,
}

impl Figures {
    fn run(&mut self, run: u64, sessions: usize, signal: Signal, api: &Api, folder: &Path) {
        let _ = fs::remove_dir_all(folder.join("config"));
        let before = asked(api);
        let served = Served::start(folder);
        let (caller, (tell, sent)) = (served.caller(), mpsc::channel());
        // Spread over the time that all prompts take, and the same for each run of a number.
        let random = run.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32;
        let moment = 300 + random % (200 * sessions as u64);
        let clients: Vec<_> = (0..sessions)
            .map(|number| {
                let (caller, tell) = (caller.clone(), tell.clone());
                std::thread::spawn(move || client(&caller, run, number, &tell).is_some())
            })
            .collect();
        drop(tell);
        // The moment is what is tried here, and nothing waits for it.
        std::thread::sleep(Duration::from_millis(moment));
        let began = Instant::now();
        served.end(signal);
        self.longest_end = self.longest_end.max(began.elapsed());
        for client in clients {
            client.join().unwrap();
        }
        let accepted: Vec<_> = sent.iter().filter(|sent: &Sent| sent.accepted).collect();

        let said = transcripts(folder);
        let served = Served::start(folder);
        let caller = served.caller();
        let (_, list) = caller
            .ask("GET /api/sessions?limit=500", &Value::Null)
            .unwrap();
        let listed: BTreeMap<_, _> = list["sessions"]
            .as_array()
            .unwrap()
            .iter()
            .map(|item| {
                (
                    item["id"].as_str().unwrap().to_owned(),
                    item["phase"].clone(),
                )
            })
            .collect();
        let mut unsent = BTreeSet::new();
        for one in &accepted {
            let mark = one.mark();
            let times = said.iter().filter(|line| line.contains(mark)).count();
            assert!(times <= 1, "it ran {times} times: {one:?}");
            self.in_a_transcript += times;
            if times == 1 {
                continue;
            }
            assert_eq!(
                listed.get(&one.session),
                Some(&json!("cut")),
                "run {run}: lost: {one:?}"
            );
            let path = format!("GET /api/sessions/{}", one.session);
            let (_, view) = caller.ask(&path, &Value::Null).unwrap();
            let unanswered = view["state"]["unanswered"].as_array().unwrap();
            let kept = unanswered.iter().find(|kept| kept["uuid"] == one.uuid);
            let kept = kept.unwrap_or_else(|| panic!("run {run}: lost: {one:?}: {view}"));
            let (_, elements) = caller
                .ask(&format!("{path}/elements"), &Value::Null)
                .unwrap();
            assert!(
                elements.to_string().contains(mark),
                "run {run}: not shown: {one:?}"
            );
            self.marked += 1;
            if kept["sent"] == false {
                self.never_sent += 1;
                unsent.insert(one.uuid.clone());
            }
        }

        // Whoever is not sure sends a prompt again.
        let sessions: BTreeSet<_> = accepted.iter().map(|one| &one.session).collect();
        let step = sessions.len().div_ceil(AGAIN).max(1);
        let sessions: BTreeSet<_> = sessions.into_iter().step_by(step).collect();
        let of_these = |one: &&Sent| sessions.contains(&one.session);
        let mut sent_again = BTreeSet::new();
        for one in accepted.iter().filter(of_these) {
            let request = format!("POST /api/sessions/{}/prompts", one.session);
            let again = json!({"text": one.text, "uuid": one.uuid});
            let (status, body) = caller.ask(&request, &again).unwrap();
            let is_unsent = unsent.contains(&one.uuid);
            assert_eq!(status, if is_unsent { 202 } else { 200 }, "{one:?}: {body}");
            let (status, body) = caller.ask(&request, &again).unwrap();
            assert_eq!(status, 200, "{one:?}: {body}");
            if is_unsent {
                sent_again.insert(&one.uuid);
            }
        }
        self.sent_again += sent_again.len();
        for session in &sessions {
            caller.idle(session);
        }
        served.end(Signal::TERM);
        let (said, after) = (transcripts(folder), asked(api));
        for one in &accepted {
            let mark = one.mark();
            let times = said.iter().filter(|line| line.contains(mark)).count();
            let is_answered = sent_again.contains(&one.uuid);
            assert!(
                times <= 1 && times >= usize::from(is_answered),
                "run {run}: it ran {times} times: {one:?}"
            );
            let asked = |at: &BTreeMap<String, usize>| at.get(mark).copied().unwrap_or_default();
            let times = asked(&after) - asked(&before);
            assert!(
                times <= 1,
                "run {run}: the model was asked {times} times: {one:?}"
            );
        }
        self.runs += 1;
        self.accepted += accepted.len();
    }
}

fn number(variable: &str, otherwise: usize) -> usize {
    std::env::var(variable).map_or(otherwise, |text| text.parse().unwrap())
}

#[expect(clippy::print_stderr, reason = "the figures of a long comparison")]
async fn ends(signal: Signal) {
    let api = Api::start(Scenario::always([Block::text("Yes.")]))
        .await
        .unwrap();
    let folder = TempDir::new().unwrap();
    let at = |name: &str| -> PathBuf { folder.path().join(name) };
    for name in ["shop", "home"] {
        fs::create_dir(at(name)).unwrap();
    }
    let options = json!({
        "pathToClaudeCodeExecutable": claw_testkit::claude().unwrap(),
        "env": api.env().into_iter().collect::<BTreeMap<_, _>>(),
    });
    fs::write(at("options.json"), options.to_string()).unwrap();
    let runs = number("CLAW_TEST_ENDS", 2);
    let sessions = number("CLAW_TEST_ENDS_SESSIONS", 6);
    let mut figures = Figures::default();
    for run in 1..=runs as u64 {
        figures.run(run, sessions, signal, &api, folder.path());
        eprintln!("{signal:?}: {figures:?}");
    }
    assert_eq!(figures.accepted, figures.in_a_transcript + figures.marked);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_that_is_told_to_end_loses_no_prompt() {
    ends(Signal::TERM).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_that_is_killed_loses_no_prompt() {
    ends(Signal::KILL).await;
}

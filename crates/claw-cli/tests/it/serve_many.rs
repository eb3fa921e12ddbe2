//! `claw serve` on several hosts with one Postgres, with the real CLI: hosts are killed in mid-turn, and another one goes
//! on with the session.
//!
//! A few kills with a few sessions. `CLAW_TEST_MANY` is how often, `CLAW_TEST_MANY_SESSIONS` how many sessions. The `crowd`
//! has `CLAW_TEST_MANY_CROWD` sessions with `CLAW_TEST_MANY_PROMPTS` prompts each, on `CLAW_TEST_MANY_HOSTS` hosts, which
//! have no store with `CLAW_TEST_MANY_STORE=0`. `CLAW_TEST_MANY_CUTS` is how often a host is cut off from the store for
//! longer than a claim lasts. Times are limited with `CLAW_TEST_MANY_TIMES=1` alone, which `cargo xtask many` sets on a
//! machine that does nothing else.
#![cfg(unix)]

mod clocks;
mod crowd;
mod deferred;
mod faults;
mod kept;
mod proxy;
mod upgrade;
mod usage;

use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex, mpsc};
use std::time::{Duration, Instant};
use std::{fmt, fs};

use claw_store::{SessionRef, SessionStore};
use claw_testkit::Block;
use claw_testkit::api::{Api, ApiRequest, Scenario};
use claw_testkit::server::{Server, free_address};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use tempfile::TempDir;

const TOKEN: &str = "the-token-of-all-hosts";
const KEY: &str = "the-key-that-all-hosts-have-in-common";
const TTL: Duration = Duration::from_secs(15);
/// Only what hangs takes longer.
const PATIENCE: Duration = Duration::from_mins(5);

/// A host: a server with a disk of its own.
struct Host {
    child: Child,
    address: String,
    folder: PathBuf,
}

impl Drop for Host {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// What all hosts have in common.
struct Place {
    folder: TempDir,
    store: Server,
    api: Api,
    /// How many hosts there were.
    hosts: AtomicUsize,
}

impl Place {
    async fn new(scenario: Scenario) -> Self {
        Self::on(Server::postgres(&[]).unwrap(), scenario).await
    }

    /// Likewise, with this store.
    async fn on(store: Server, scenario: Scenario) -> Self {
        let api = Api::start(scenario);
        let place = Self {
            folder: TempDir::new().unwrap(),
            store,
            api: api.await.unwrap(),
            hosts: AtomicUsize::new(0),
        };
        let mut options = json!({
            "pathToClaudeCodeExecutable": claw_testkit::claude().unwrap(),
            "env": place.api.env().into_iter().collect::<BTreeMap<_, _>>(),
        });
        // The CLI does not run with the library that moves the clock of a host.
        options["env"]["LD_PRELOAD"] = Value::Null;
        fs::write(place.path("options.json"), options.to_string()).unwrap();
        fs::write(place.path("token"), TOKEN).unwrap();
        place
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// The store, opened as a host opens it.
    async fn open(&self) -> Arc<dyn SessionStore> {
        let schemes = [claw_store_postgres::SCHEME, claw_store_redis::SCHEME];
        claw_store::open(self.store.url(), &schemes).await.unwrap()
    }

    /// Starts a host with these arguments.
    fn host(&self, args: &[&str]) -> Host {
        self.host_at(args, self.store.url())
    }

    /// Likewise, with another way to the store.
    fn host_at(&self, args: &[&str], store: &str) -> Host {
        self.host_with(args, Some(store), &[])
    }

    /// Starts a host that has neither a store nor other hosts.
    fn lone_host(&self) -> Host {
        self.host_with(&[], None, &[])
    }

    /// Starts a host with these variables.
    fn host_with(&self, args: &[&str], store: Option<&str>, env: &[(String, String)]) -> Host {
        let folder = self.path(&format!("host-{}", self.hosts.fetch_add(1, Relaxed)));
        self.host_in(folder, args, store, env)
    }

    /// Starts a host with the disk of an earlier one.
    fn host_in(
        &self,
        folder: PathBuf,
        args: &[&str],
        store: Option<&str>,
        env: &[(String, String)],
    ) -> Host {
        let claw = Path::new(env!("CARGO_BIN_EXE_claw"));
        // The address has to be known before the host is.
        let address = free_address().unwrap().to_string();
        self.host_of(claw, folder, address, args, store, |command| {
            command.envs(env.iter().cloned());
        })
    }

    /// Starts a host with these arguments and another way to the store. Its log is in a file, whose path is returned.
    fn logged_host(&self, args: &[&str], store: &str) -> (Host, PathBuf) {
        let (folder, log) = (self.path("logged-host"), self.path("log"));
        let file = fs::File::create(&log).unwrap();
        let claw = Path::new(env!("CARGO_BIN_EXE_claw"));
        let address = free_address().unwrap().to_string();
        let host = self.host_of(claw, folder, address, args, Some(store), |command| {
            command.stderr(file);
        });
        (host, log)
    }

    /// Starts a host of this `claw` at an address. Its command is changed first.
    fn host_of(
        &self,
        claw: &Path,
        folder: PathBuf,
        address: String,
        args: &[&str],
        store: Option<&str>,
        change: impl FnOnce(&mut Command),
    ) -> Host {
        for name in ["shop", "home", "tmp"] {
            fs::create_dir_all(folder.join(name)).unwrap();
        }
        let mut command = Command::new(claw);
        command
            .args(["serve", "--listen", &address])
            .args(args)
            .env_remove("XDG_RUNTIME_DIR");
        if !args.contains(&"--processes") {
            command.args(["--processes", "4"]);
        }
        if let Some(store) = store {
            command
                .args(["--advertise", &format!("http://{address}")])
                .args(["--store-project", "shop"])
                .env("CLAW_STORE", store)
                .env("CLAW_CLUSTER_KEY", KEY);
        }
        command
            .arg("--project")
            .arg(folder.join("shop"))
            .arg("--token-file")
            .arg(self.path("token"))
            .arg("--options")
            .arg(self.path("options.json"))
            .env("CLAUDE_CONFIG_DIR", folder.join("config"))
            .env("HOME", folder.join("home"))
            .env("TMPDIR", folder.join("tmp"))
            .stdout(Stdio::piped());
        change(&mut command);
        let mut child = command.spawn().unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let (told, first) = mpsc::channel();
        std::thread::spawn(move || told.send(lines.next().unwrap().unwrap()));
        let line = first
            .recv_timeout(PATIENCE)
            .expect("a host does not tell where it listens");
        assert!(line.contains("Listens on"), "{line}");
        Host {
            child,
            address,
            folder,
        }
    }
}

/// One request. `None` if the host is gone before it has answered.
fn ask(address: &str, request: &str, body: &Value) -> Option<(u16, Value)> {
    let answer = whole(address, request, body)?;
    let (head, body) = answer.split_once("\r\n\r\n")?;
    let status = head.split(' ').nth(1)?.parse().ok()?;
    Some((status, serde_json::from_str(body).unwrap_or_default()))
}

/// What a host answers, if that is no JSON.
fn text(address: &str, request: &str) -> Option<String> {
    whole(address, request, &Value::Null)
}

fn whole(address: &str, request: &str, body: &Value) -> Option<String> {
    let body = match body {
        Value::Null => String::new(),
        body => body.to_string(),
    };
    let length = body.len();
    let mut stream = TcpStream::connect(address).ok()?;
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    write!(
        stream,
        "{request} HTTP/1.1\r\nHost: {address}\r\nAuthorization: Bearer {TOKEN}\r\nConnection: close\r\n\
         Content-Type: application/json\r\nContent-Length: {length}\r\n\r\n{body}"
    )
    .ok()?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).ok()?;
    Some(answer)
}

/// Asks the hosts in turn, as a load balancer does: one that is not there is passed over, and one that refuses for now
/// is asked again.
fn balanced(hosts: &[String], turn: usize, request: &str, body: &Value) -> (u16, Value) {
    let began = Instant::now();
    let mut at = turn;
    loop {
        let answer = ask(&hosts[at % hosts.len()], request, body);
        at += 1;
        match answer {
            Some((status, body)) if status < 500 => return (status, body),
            last => assert!(
                began.elapsed() < PATIENCE,
                "{request} is not answered: {last:?}"
            ),
        }
        std::thread::sleep(Duration::from_millis(100));
    }
}

/// Waits until all prompts of a session are answered, or were cut.
fn settled(hosts: &[String], session: &str) -> Value {
    settled_within(hosts, session, PATIENCE)
}

fn settled_within(hosts: &[String], session: &str, within: Duration) -> Value {
    let request = format!("GET /api/sessions/{session}");
    let began = Instant::now();
    loop {
        let (status, view) = balanced(hosts, 0, &request, &Value::Null);
        assert_eq!(status, 200, "{view}");
        let state = &view["state"];
        if state["queued"] == 0
            && !["starting", "running"].contains(&state["phase"].as_str().unwrap())
        {
            return view;
        }
        assert!(began.elapsed() < within, "it does not end: {view}");
        std::thread::sleep(Duration::from_millis(100));
    }
}

fn mark(run: usize, session: usize, which: usize) -> String {
    format!("prompt-{run}-{session}-{which}-of-this-test")
}

/// The last mark in a text.
fn mark_in(text: &str) -> Option<String> {
    let (mark, _) = text[text.rfind("prompt-")?..].split_once("-of-this-test")?;
    Some(format!("{mark}-of-this-test"))
}

/// How often the model was asked each prompt.
fn asked(api: &Api) -> BTreeMap<String, usize> {
    let mut asked = BTreeMap::new();
    let requests = api.requests();
    for request in requests.iter().filter(|it| ApiRequest::is_message(it)) {
        let messages = request.body["messages"].as_array().unwrap();
        // A host that goes on in another folder says so behind the prompt.
        let answered = messages.iter().rposition(|it| it["role"] == "assistant");
        let after = &messages[answered.map_or(0, |at| at + 1)..];
        let last = Value::from(after).to_string();
        if let Some(mark) = mark_in(&last) {
            *asked.entry(mark).or_default() += 1;
        }
    }
    asked
}

/// The processes whose environment names the folder.
fn processes(folder: &Path) -> BTreeSet<String> {
    let name = folder.to_str().unwrap().as_bytes();
    let all = fs::read_dir("/proc").unwrap().flatten();
    let ours = all.filter(|entry| {
        let environ = fs::read(entry.path().join("environ")).unwrap_or_default();
        environ.windows(name.len()).any(|part| part == name)
    });
    ours.map(|entry| entry.file_name().into_string().unwrap())
        .collect()
}

fn number(variable: &str, otherwise: usize) -> usize {
    std::env::var(variable).map_or(otherwise, |text| text.parse().unwrap())
}

/// Limits a time, where times are what is asked for.
fn is_timely(took: Duration, limit: Duration) {
    let is_asked = number("CLAW_TEST_MANY_TIMES", 0) == 1;
    assert!(!is_asked || took < limit, "{took:?}");
}

/// What came of the kills.
#[derive(Default)]
struct Figures {
    kills: usize,
    accepted: usize,
    cut: usize,
    never_sent: usize,
    /// From the kill of a host until another one had its session.
    takeovers: Vec<Duration>,
    /// From the kill until the session's next prompt was answered.
    answers: Vec<Duration>,
}

impl fmt::Display for Figures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let of = |times: &[Duration]| {
            let mut times = times.to_vec();
            times.sort_unstable();
            let median = times.get(times.len() / 2).copied().unwrap_or_default();
            let worst = times.last().copied().unwrap_or_default();
            format!("median {median:.1?}, worst {worst:.1?}")
        };
        write!(
            f,
            "{} kills, {} prompts accepted, {} of them unanswered, {} never sent; {} sessions taken over: {}; their next \
             prompts answered: {}",
            self.kills,
            self.accepted,
            self.cut,
            self.never_sent,
            self.takeovers.len(),
            of(&self.takeovers),
            of(&self.answers),
        )
    }
}

/// The address of the host that has claimed each of these sessions.
async fn claims(place: &Place, sessions: &[String]) -> BTreeMap<String, Option<String>> {
    let store = place.open().await;
    let mut claims = BTreeMap::new();
    for id in sessions {
        let session = SessionRef::new("shop", id.as_str()).unwrap();
        let holder = store.claims().unwrap().holder(&session).await.unwrap();
        let address = holder.and_then(|(owner, _)| owner.address);
        let host = address.map(|url| url.strip_prefix("http://").unwrap().to_owned());
        claims.insert(id.clone(), host);
    }
    claims
}

/// A session of which hosts have accepted two prompts before one of them is killed.
struct Client {
    run: usize,
    session: usize,
    hosts: Vec<String>,
    /// Where it says which session it has.
    ids: Arc<Mutex<Vec<String>>>,
    /// Dropped when both prompts are accepted: a prompt that comes after the kill continues the session, which then shows
    /// no prompt before it as unanswered.
    accepting: mpsc::Sender<()>,
    /// When a host was killed, and which are left.
    killed: mpsc::Receiver<(Instant, Vec<String>)>,
}

/// What came of a client's session.
struct Outcome {
    id: String,
    accepted: usize,
    cut: usize,
    never_sent: usize,
    takeover: Duration,
    answer: Duration,
}

impl Client {
    fn talk(self) -> Outcome {
        let (run, session) = (self.run, self.session);
        let text = |which| format!("Answer {}.", mark(run, session, which));
        let project = json!({"project": "shop"});
        let (status, opened) = balanced(&self.hosts, session, "POST /api/sessions", &project);
        assert_eq!(status, 201, "{opened}");
        let id = opened["id"].as_str().unwrap().to_owned();
        self.ids.lock().unwrap().push(id.clone());
        let request = format!("POST /api/sessions/{id}/prompts");
        let uuid = |which| format!("{session:08x}-{which:04x}-4000-8000-{run:012x}");
        let sent = 0..2;
        for which in sent.clone() {
            let body = json!({"text": text(which), "uuid": uuid(which)});
            let (status, answer) = balanced(&self.hosts, session + which + 1, &request, &body);
            assert!([200, 202].contains(&status), "{status}: {answer}");
        }
        drop(self.accepting);
        let (killed, left) = self.killed.recv().unwrap();
        let view = settled(&left, &id);
        let takeover = killed.elapsed();
        let unanswered = view["state"]["unanswered"].as_array().cloned();
        let unanswered = unanswered.unwrap_or_default();
        let (mut cut, mut never_sent) = (0, 0);
        for which in sent.clone() {
            let body = json!({"text": text(which), "uuid": uuid(which)});
            let (status, answer) = balanced(&left, which, &request, &body);
            let found = unanswered.iter().find(|cut| cut["uuid"] == uuid(which));
            let is_unsent = found.is_some_and(|cut| cut["sent"] == false);
            cut += usize::from(found.is_some());
            never_sent += usize::from(is_unsent);
            let expected = if is_unsent { 202 } else { 200 };
            assert_eq!(status, expected, "{which}: {answer}: {view}");
        }
        // The session goes on.
        let (status, answer) = balanced(&left, session, &request, &json!({"text": text(9)}));
        assert_eq!(status, 202, "{answer}");
        settled(&left, &id);
        Outcome {
            id,
            accepted: sent.len(),
            cut,
            never_sent,
            takeover,
            answer: killed.elapsed(),
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_host_that_is_killed_is_followed_by_another_one() {
    let place = Place::new(Scenario::always([Block::text("Yes.")])).await;
    let kills = number("CLAW_TEST_MANY", 2);
    let sessions = number("CLAW_TEST_MANY_SESSIONS", 4);
    let mut hosts: Vec<_> = (0..3).map(|_| place.host(&[])).collect();
    let mut figures = Figures::default();
    for run in 0..kills {
        let addresses: Vec<_> = hosts.iter().map(|host| host.address.clone()).collect();
        let random = (run as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32;
        let moment = Duration::from_millis(random % 1500);
        let (accepting, accepted) = mpsc::channel();
        let ids = Arc::new(Mutex::default());
        let clients: Vec<_> = (0..sessions)
            .map(|session| {
                let (tell, killed) = mpsc::channel();
                let (hosts, ids) = (addresses.clone(), ids.clone());
                let accepting = accepting.clone();
                let client = Client {
                    run,
                    session,
                    hosts,
                    ids,
                    accepting,
                    killed,
                };
                (tell, std::thread::spawn(move || client.talk()))
            })
            .collect();
        drop(accepting);
        while accepted.recv().is_ok() {}
        std::thread::sleep(moment);
        let victim = hosts.remove(run % 3);
        let (address, folder) = (victim.address.clone(), victim.folder.clone());
        kill_process(Pid::from_child(&victim.child), Signal::KILL).unwrap();
        let killed = Instant::now();
        drop(victim);
        let left: Vec<_> = hosts.iter().map(|host| host.address.clone()).collect();
        for (tell, _) in &clients {
            tell.send((killed, left.clone())).unwrap();
        }
        // The claims of the dead host last for a while.
        let known = Vec::clone(&ids.lock().unwrap());
        let mut lost = claims(&place, &known).await;
        lost.retain(|_, host| host.as_ref() == Some(&address));
        for (session, (_, client)) in clients.into_iter().enumerate() {
            let outcome = client.join().unwrap();
            figures.accepted += outcome.accepted;
            figures.cut += outcome.cut;
            figures.never_sent += outcome.never_sent;
            if lost.contains_key(&outcome.id) {
                figures.takeovers.push(outcome.takeover);
                figures.answers.push(outcome.answer);
                is_timely(outcome.takeover, TTL + Duration::from_secs(2));
                // A process is started for it, and a prompt that was cut off is sent before it.
                is_timely(outcome.answer, TTL + Duration::from_secs(5));
            }
            let now = claims(&place, std::slice::from_ref(&outcome.id)).await;
            let host = now[&outcome.id].as_ref();
            let is_left = host.is_some_and(|host| left.contains(host));
            assert!(is_left, "{} is at {host:?}", outcome.id);
            let times = asked(&place.api);
            let times = |which| times.get(&mark(run, session, which)).copied();
            for which in 0..2 {
                let times = times(which).unwrap_or_default();
                assert!(times <= 1, "the model was asked {times} times: {which}");
            }
            assert_eq!(times(9), Some(1), "{} did not go on", outcome.id);
        }
        let remain = processes(&folder);
        assert!(
            remain.is_empty(),
            "processes of the killed host are left: {remain:?}"
        );
        hosts.push(place.host(&[]));
        figures.kills += 1;
        eprintln!("{figures}");
    }
}

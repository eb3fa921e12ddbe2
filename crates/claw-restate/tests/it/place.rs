//! Workers with one store and one Restate, and what they talk to.

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::time::Duration;
use std::{fs, thread};

use claw_restate::TurnOutcome;
use claw_store::SessionRef;
use claw_testkit::api::{Api, Scenario};
use claw_testkit::server::{Server, free_address};
use futures::TryStreamExt as _;
use hyper::Method;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::time::timeout;

use crate::http::send;
use crate::restate::Restate;

/// How many minutes an answer may take, unless a variable says so: prompts of a long run wait for each other.
const ANSWER: usize = 10;
/// The name of the project in the store.
pub(crate) const PROJECT: &str = "shop";
const KEY: &str = "the-key-that-all-workers-have-in-common";

/// What the workers have in common.
pub(crate) struct Place {
    pub(crate) folder: TempDir,
    pub(crate) api: Api,
    pub(crate) restate: Restate,
    /// The store, if it is not a folder.
    postgres: Option<Server>,
    workers: AtomicUsize,
}

/// A worker, with a disk of its own.
pub(crate) struct Worker {
    pub(crate) child: Child,
    pub(crate) address: SocketAddr,
    pub(crate) log: PathBuf,
}

/// A proxy for HTTP/2 before the workers.
pub(crate) struct Proxy {
    pub(crate) child: Child,
    config: PathBuf,
    pub(crate) address: SocketAddr,
}

impl Place {
    pub(crate) async fn new(scenario: Scenario) -> Self {
        Self::with(scenario, "").await
    }

    /// With a store in Postgres. A worker that is suspended may have the lock of a folder.
    pub(crate) async fn on_postgres(scenario: Scenario) -> Self {
        let mut place = Self::new(scenario).await;
        place.postgres = Some(Server::postgres(&[]).unwrap());
        place
    }

    /// The URL of the store.
    pub(crate) fn store(&self) -> String {
        match &self.postgres {
            Some(server) => server.url().to_owned(),
            None => self.folder.path().join("store").display().to_string(),
        }
    }

    /// `more` is added to the configuration of Restate's server.
    pub(crate) async fn with(scenario: Scenario, more: &str) -> Self {
        let folder = TempDir::new().unwrap();
        let api = Api::start(scenario).await.unwrap();
        let place = Self {
            folder,
            api,
            restate: Restate::start(more).await,
            postgres: None,
            workers: AtomicUsize::new(0),
        };
        place.options(&json!({"permissionMode": "bypassPermissions", "allowDangerouslySkipPermissions": true}));
        place
    }

    /// Has the CLI ask for permissions.
    pub(crate) fn asks(&self) {
        self.options(&json!({"permissionMode": "default"}));
    }

    fn options(&self, more: &Value) {
        let mut options = more.clone();
        options["pathToClaudeCodeExecutable"] = json!(claw_testkit::claude().unwrap());
        options["env"] = json!(self.api.env().into_iter().collect::<BTreeMap<_, _>>());
        fs::write(self.folder.path().join("options.json"), options.to_string()).unwrap();
    }

    pub(crate) fn worker(&self) -> Worker {
        self.worker_with(&[])
    }

    pub(crate) fn worker_with(&self, args: &[&str]) -> Worker {
        let number = self.workers.fetch_add(1, Relaxed);
        let folder = self.folder.path().join(format!("worker-{number}"));
        for name in ["project", "home", "tmp"] {
            fs::create_dir_all(folder.join(name)).unwrap();
        }
        let log = folder.join("log");
        let mut child = Command::new(env!("CARGO_BIN_EXE_claw-restate"))
            .args(["--listen", "127.0.0.1:0", "--ttl", "3"])
            .args(["--store-project", PROJECT])
            .env("CLAW_STORE", self.store())
            .arg("--options")
            .arg(self.folder.path().join("options.json"))
            .args(args)
            .current_dir(folder.join("project"))
            .env("CLAW_CLUSTER_KEY", KEY)
            .env("CLAUDE_CONFIG_DIR", folder.join("config"))
            .env("HOME", folder.join("home"))
            .env("TMPDIR", folder.join("tmp"))
            .env("IS_SANDBOX", "1")
            .stdout(Stdio::piped())
            .stderr(fs::File::create(&log).unwrap())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let line = lines.next().map(Result::unwrap).unwrap_or_default();
        let address = line.strip_prefix("Listens on ");
        let address = address.unwrap_or_else(|| panic!("{}", fs::read_to_string(&log).unwrap()));
        Worker {
            child,
            address: address.parse().unwrap(),
            log,
        }
    }

    /// Ends a worker, and starts another one at its address, which has an empty disk.
    pub(crate) fn again(&self, worker: &mut Worker, args: &[&str]) {
        worker.child.kill().unwrap();
        worker.child.wait().unwrap();
        let address = worker.address.to_string();
        *worker = self.worker_with(&[args, &["--listen", &address]].concat());
    }

    /// Three workers behind a proxy.
    pub(crate) async fn three(&self, args: &[&str]) -> (Vec<Worker>, Proxy) {
        let workers: Vec<_> = (0..3).map(|_| self.worker_with(args)).collect();
        let proxy = Proxy::start(self, &workers.iter().collect::<Vec<_>>()).await;
        self.restate.register(proxy.address).await;
        (workers, proxy)
    }

    /// The lines of a session in the store.
    pub(crate) async fn transcript(&self, session: &str) -> Vec<String> {
        let store = claw_store::open(&self.store(), &[claw_store_postgres::SCHEME])
            .await
            .unwrap();
        let key = SessionRef::new(PROJECT, session).unwrap().main();
        let lines = store
            .load(&key)
            .map_ok(|stored| stored.line.as_str().to_owned())
            .try_collect();
        lines.await.unwrap()
    }

    /// Asks a session, and returns the outcome of the turn.
    pub(crate) async fn prompt(&self, session: &str, text: &str) -> TurnOutcome {
        let (status, answer) = self
            .call(session, "prompt", &[], &json!({"prompt": text}))
            .await;
        assert_eq!(status, 200, "{answer}");
        serde_json::from_value(answer).unwrap()
    }

    pub(crate) async fn call(
        &self,
        session: &str,
        handler: &str,
        headers: &[(&str, &str)],
        body: &Value,
    ) -> (u16, Value) {
        let url = self.restate.url(session, handler);
        let limit = number("CLAW_TEST_RESTATE_MINUTES", ANSWER);
        let limit = Duration::from_mins(limit.try_into().unwrap());
        let answered = timeout(limit, send(Method::POST, &url, headers, body)).await;
        answered.expect("an answer in time").unwrap()
    }
}

/// A number that a variable has.
pub(crate) fn number(variable: &str, otherwise: usize) -> usize {
    std::env::var(variable).map_or(otherwise, |text| text.parse().unwrap())
}

/// Which worker has the claim, by what `status` says.
pub(crate) fn has_claim(status: &Value, workers: &[Worker]) -> Option<usize> {
    let address = status["address"].as_str()?;
    let is_it = |worker: &Worker| address == format!("http://{}", worker.address);
    workers.iter().position(is_it)
}

impl Worker {
    /// Its disk.
    pub(crate) fn folder(&self) -> &Path {
        self.log.parent().unwrap()
    }

    pub(crate) fn signal(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.child), signal).unwrap();
    }

    pub(crate) fn text(&self) -> String {
        fs::read_to_string(&self.log).unwrap()
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        if thread::panicking() {
            eprintln!("worker {}:\n{}", self.address, self.text());
        }
    }
}

impl Proxy {
    /// Starts the proxy before workers, with the configuration of the guide.
    pub(crate) async fn start(place: &Place, workers: &[&Worker]) -> Self {
        let address = free_address().unwrap();
        let mut config = include_str!("../../haproxy.cfg").to_owned();
        let (head, _) = config.split_once("    server one").unwrap();
        config = head.replace("bind :9080", &format!("bind {address}"));
        let servers = workers.iter().enumerate();
        let servers =
            servers.map(|(number, worker)| format!("    server w{number} {}\n", worker.address));
        config.extend(servers);
        let path = place.folder.path().join("haproxy.cfg");
        fs::write(&path, config).unwrap();
        let child = Command::new("haproxy")
            .arg("-db")
            .arg("-f")
            .arg(&path)
            .spawn();
        let child = child.unwrap_or_else(|error| {
            panic!("haproxy: {error}: on Debian, `apt-get install haproxy` brings it")
        });
        let proxy = Self {
            child,
            config: path,
            address,
        };
        while tokio::net::TcpStream::connect(address).await.is_err() {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        proxy
    }

    /// With what it runs.
    pub(crate) fn configuration(&self) -> String {
        fs::read_to_string(&self.config).unwrap()
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

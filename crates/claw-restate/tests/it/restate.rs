//! Restate's server, in a temporary folder.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use std::{env, fs};

use claw_testkit::server::free_address;
use hyper::Method;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::time::sleep;

use crate::http::send;

/// How long the server may take to start, and to end.
const START: Duration = Duration::from_mins(1);

pub(crate) struct Restate {
    folder: TempDir,
    ingress: SocketAddr,
    admin: SocketAddr,
    child: Child,
}

/// The server's program.
fn program() -> PathBuf {
    let named = env::var_os("CLAW_TEST_RESTATE");
    let named = named.expect("CLAW_TEST_RESTATE names Restate's server: `cargo xtask restate` installs it and prints its path");
    named.into()
}

impl Restate {
    /// Starts a server. `more` is added to its configuration.
    pub(crate) async fn start(more: &str) -> Self {
        let folder = TempDir::new().unwrap();
        let [node, ingress, admin] = [(); 3].map(|()| free_address().unwrap());
        // It tells nobody of it, and takes little memory.
        let config = format!(
            "listen-mode = \"tcp\"\nbind-ip = \"127.0.0.1\"\nbind-port = {}\nadvertised-host = \"127.0.0.1\"\n\
             disable-telemetry = true\ndefault-num-partitions = 4\nrocksdb-total-memory-size = \"256 MiB\"\n\
             base-dir = \"{}\"\n[ingress]\nbind-port = {}\n[admin]\nbind-port = {}\n{more}\n",
            node.port(),
            folder.path().join("data").display(),
            ingress.port(),
            admin.port(),
        );
        fs::write(folder.path().join("restate.toml"), config).unwrap();
        let child = spawn(&folder);
        let mut server = Self {
            folder,
            ingress,
            admin,
            child,
        };
        server.ready().await;
        server
    }

    async fn ready(&mut self) {
        let began = Instant::now();
        for url in [
            format!("http://{}/health", self.admin),
            format!("http://{}/restate/health", self.ingress),
        ] {
            while !matches!(
                send(Method::GET, &url, &[], &Value::Null).await,
                Ok((200, _))
            ) {
                let ended = self.child.try_wait().unwrap();
                let log = || fs::read_to_string(self.folder.path().join("log")).unwrap();
                assert!(ended.is_none() && began.elapsed() < START, "{}", log());
                sleep(Duration::from_millis(50)).await;
            }
        }
    }

    /// Has the server call workers at an address.
    pub(crate) async fn register(&self, address: SocketAddr) {
        let url = format!("http://{}/deployments", self.admin);
        let body = json!({"uri": format!("http://{address}"), "force": true});
        let (status, answer) = send(Method::POST, &url, &[], &body).await.unwrap();
        // 200: it knows them already.
        assert!([200, 201].contains(&status), "{status}: {answer}");
    }

    /// Changes settings of the service, as an operator can.
    pub(crate) async fn patch_service(&self, service: &str, body: &Value) {
        let url = format!("http://{}/services/{service}", self.admin);
        let (status, answer) = send(Method::PATCH, &url, &[], body).await.unwrap();
        assert_eq!(status, 200, "{answer}");
    }

    /// The URL of a handler of a session.
    pub(crate) fn url(&self, session: &str, handler: &str) -> String {
        format!("http://{}/ClaudeSession/{session}/{handler}", self.ingress)
    }

    /// Ends the server with a signal, and starts it again with what it has kept.
    pub(crate) async fn restart(&mut self, signal: Signal) {
        kill_process(Pid::from_child(&self.child), signal).unwrap();
        self.child.wait().unwrap();
        self.child = spawn(&self.folder);
        self.ready().await;
    }
}

fn spawn(folder: &TempDir) -> Child {
    let log = fs::File::create(folder.path().join("log")).unwrap();
    Command::new(program())
        .args(["--no-logo", "--config-file"])
        .arg(folder.path().join("restate.toml"))
        .stdin(Stdio::null())
        .stdout(log.try_clone().unwrap())
        .stderr(log)
        .spawn()
        .unwrap()
}

impl Drop for Restate {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

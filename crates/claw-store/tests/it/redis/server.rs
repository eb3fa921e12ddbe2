//! A Redis server in a temporary folder.

use std::fs;
use std::net::{SocketAddr, TcpListener};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::thread;
use std::time::Duration;

use redis::aio::MultiplexedConnection;
use redis::{AsyncConnectionConfig, Client, ConnectionLike as _};
use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;

/// A server on loopback that writes all it answers to its file first. It ends with the drop, and all that it has stored
/// with it.
pub(crate) struct Server {
    folder: TempDir,
    pub(crate) address: SocketAddr,
    options: Vec<String>,
    child: Mutex<Child>,
}

impl Server {
    /// A server that tests share which neither stop it nor reach out of their own prefix.
    pub(crate) fn shared() -> Arc<Self> {
        static SHARED: Mutex<Weak<Server>> = Mutex::new(Weak::new());
        let mut shared = SHARED.lock().unwrap_or_else(PoisonError::into_inner);
        shared.upgrade().unwrap_or_else(|| {
            let server = Arc::new(Self::start(&[]));
            *shared = Arc::downgrade(&server);
            server
        })
    }

    pub(crate) fn start(options: &[&str]) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let options: Vec<_> = options.iter().map(ToString::to_string).collect();
        for _ in 0..20 {
            let address = free_address();
            if let Some(child) = start(folder.path(), address, &options) {
                return Self {
                    folder,
                    address,
                    options,
                    child: Mutex::new(child),
                };
            }
            // Somebody else has taken the port.
        }
        panic!("the server does not start: {}", log(folder.path()));
    }

    pub(crate) fn url(&self) -> String {
        url(self.address)
    }

    /// A connection that is not the store's.
    pub(crate) async fn client(&self) -> MultiplexedConnection {
        let client = Client::open(self.url()).expect("a client");
        let config = AsyncConnectionConfig::new().set_response_timeout(None);
        let connection = client.get_multiplexed_async_connection_with_config(&config);
        connection.await.expect("a connection")
    }

    /// Makes a cluster of it, with no other server.
    pub(crate) async fn take_all_slots(&self) {
        let mut client = self.client().await;
        let mut take = redis::cmd("CLUSTER");
        take.arg("ADDSLOTSRANGE").arg(0).arg(16383);
        let () = take.query_async(&mut client).await.expect("its slots");
        loop {
            let mut info = redis::cmd("CLUSTER");
            let info: String = info
                .arg("INFO")
                .query_async(&mut client)
                .await
                .expect("its state");
            if info.contains("cluster_state:ok") {
                return;
            }
        }
    }

    /// Ends the server at once, and starts it again.
    pub(crate) fn kill_and_restart(&self) {
        let mut child = self.child.lock().unwrap_or_else(PoisonError::into_inner);
        child.kill().expect("its end");
        child.wait().expect("its end");
        let started = start(self.folder.path(), self.address, &self.options);
        *child = started.unwrap_or_else(|| panic!("no restart: {}", log(self.folder.path())));
    }

    /// Stops it, until the drop of what is returned.
    pub(crate) fn stop(&self) -> Stopped {
        let child = self.child.lock().unwrap_or_else(PoisonError::into_inner);
        signal(child.id(), Signal::STOP);
        Stopped(child.id())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let child = self.child.get_mut();
        let child = child.unwrap_or_else(PoisonError::into_inner);
        let _ = child.kill();
        let _ = child.wait();
    }
}

/// A server that is stopped. It goes on with the drop.
pub(crate) struct Stopped(u32);

impl Drop for Stopped {
    fn drop(&mut self) {
        signal(self.0, Signal::CONT);
    }
}

pub(crate) fn url(address: SocketAddr) -> String {
    format!("redis://{address}")
}

pub(crate) fn free_address() -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    listener.local_addr().expect("its address")
}

/// Starts a server, and waits until it takes connections. `None` if it ends.
fn start(folder: &Path, address: SocketAddr, options: &[String]) -> Option<Child> {
    let log = fs::File::create(folder.join("log")).expect("a log");
    let spawned = Command::new("redis-server")
        .args(["--bind", "127.0.0.1", "--port", &address.port().to_string()])
        .args([
            "--appendonly",
            "yes",
            "--appendfsync",
            "always",
            "--save",
            "",
        ])
        .args(options)
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(log.try_clone().expect("a log"))
        .stderr(log)
        .spawn();
    let mut child = spawned.unwrap_or_else(|error| {
        panic!("no redis-server ({error}): on Debian, `apt-get install redis-server` brings it")
    });
    while child.try_wait().expect("its status").is_none() {
        if takes_connections(address) {
            return Some(child);
        }
        thread::sleep(Duration::from_millis(20));
    }
    None
}

/// Whether it answers, and has read its file.
fn takes_connections(address: SocketAddr) -> bool {
    let client = Client::open(url(address)).expect("a client");
    let connection = client.get_connection_with_timeout(Duration::from_secs(5));
    let Ok(mut connection) = connection else {
        return false;
    };
    match connection.req_command(&redis::cmd("PING")) {
        Ok(_) => true,
        // It wants a password.
        Err(error) => error.code() == Some("NOAUTH"),
    }
}

fn log(folder: &Path) -> String {
    fs::read_to_string(folder.join("log")).unwrap_or_default()
}

fn signal(process: u32, signal: Signal) {
    if let Some(id) = i32::try_from(process).ok().and_then(Pid::from_raw) {
        // One that has ended needs none.
        let _ = kill_process(id, signal);
    }
}

//! A Postgres server in a temporary folder.

use std::net::{SocketAddr, TcpListener};
use std::os::unix::fs::chown;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;
use std::{fs, io, thread};

use rustix::process::{Pid, Signal, geteuid, kill_process};
use tempfile::TempDir;
use tokio_postgres::{Client, NoTls};

/// Who runs the servers where the tests are root, whom they refuse.
const NOBODY: u32 = 65534;

/// A server on loopback. It ends with the drop, and all that it has stored with it.
pub(crate) struct Server {
    folder: TempDir,
    pub(crate) address: SocketAddr,
    child: Mutex<Child>,
}

impl Server {
    /// A server that tests share which neither stop it nor reach out of their own schema.
    pub(crate) fn shared() -> Arc<Self> {
        static SHARED: Mutex<Weak<Server>> = Mutex::new(Weak::new());
        let mut shared = SHARED.lock().unwrap_or_else(PoisonError::into_inner);
        shared.upgrade().unwrap_or_else(|| {
            let server = Arc::new(Self::start());
            *shared = Arc::downgrade(&server);
            server
        })
    }

    pub(crate) fn start() -> Self {
        let folder = folder();
        run(program("initdb")
            .args(["-D", "data", "-U", "claw", "-A", "trust", "-E", "UTF8"])
            .args(["--locale=C", "--no-sync", "--no-instructions"])
            .current_dir(folder.path()));
        let address = free_address();
        let child = start(folder.path(), address);
        Self {
            folder,
            address,
            child: Mutex::new(child),
        }
    }

    pub(crate) fn url(&self) -> String {
        url(self.address)
    }

    /// A connection that is not the store's.
    pub(crate) async fn client(&self) -> Client {
        connect(&self.url()).await.expect("a connection")
    }

    /// Ends the server and all its processes at once, and starts it again.
    pub(crate) fn kill_and_restart(&self) {
        let mut child = self.child.lock().unwrap_or_else(PoisonError::into_inner);
        signal(&processes(child.id()), Signal::KILL);
        child.wait().expect("its end");
        *child = start(self.folder.path(), self.address);
    }

    /// Stops all its processes, until the drop of what is returned.
    pub(crate) fn stop(&self) -> Stopped {
        let child = self.child.lock().unwrap_or_else(PoisonError::into_inner);
        let mut stopped = processes(child.id());
        // The first is the one that starts the others.
        signal(&stopped[..1], Signal::STOP);
        stopped = processes(child.id());
        signal(&stopped, Signal::STOP);
        Stopped(stopped)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let child = self.child.get_mut();
        let child = child.unwrap_or_else(PoisonError::into_inner);
        // Ends at once, and takes its other processes and its shared memory along.
        signal(&[child.id()], Signal::QUIT);
        let _ = child.wait();
    }
}

/// Processes that are stopped. They go on with the drop.
pub(crate) struct Stopped(Vec<u32>);

impl Drop for Stopped {
    fn drop(&mut self) {
        signal(&self.0, Signal::CONT);
    }
}

pub(crate) fn url(address: SocketAddr) -> String {
    format!("postgres://claw:secret-of-tests@{address}/postgres")
}

pub(crate) async fn connect(url: &str) -> Result<Client, tokio_postgres::Error> {
    let (client, connection) = tokio_postgres::connect(url, NoTls).await?;
    tokio::spawn(connection);
    Ok(client)
}

/// A folder that belongs to who runs the servers.
pub(crate) fn folder() -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    if geteuid().is_root() {
        chown(folder.path(), Some(NOBODY), Some(NOBODY)).expect("a folder of nobody");
    }
    folder
}

pub(crate) fn free_address() -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    listener.local_addr().expect("its address")
}

/// A command that does not run as root.
pub(crate) fn command(program: &Path) -> Command {
    let mut command = Command::new(program);
    if geteuid().is_root() {
        command.uid(NOBODY).gid(NOBODY);
    }
    command
}

/// A program of the server: of the search path, or of the newest version where Debian puts them.
fn program(name: &str) -> Command {
    let versions = fs::read_dir("/usr/lib/postgresql").into_iter().flatten();
    let mut found: Vec<PathBuf> = versions
        .filter_map(|version| Some(version.ok()?.path().join("bin").join(name)))
        .filter(|path| path.is_file())
        .collect();
    found.sort_by_key(|path| path.to_string_lossy().len());
    let paths = std::env::var_os("PATH").unwrap_or_default();
    found.extend(
        std::env::split_paths(&paths)
            .map(|folder| folder.join(name))
            .filter(|path| path.is_file()),
    );
    let path = found.pop();
    command(&path.unwrap_or_else(|| {
        panic!("there is no {name}: on Debian, `apt-get install postgresql` brings it")
    }))
}

/// Starts a server, and waits until it takes connections.
fn start(folder: &Path, address: SocketAddr) -> Child {
    for _ in 0..100 {
        let log = fs::File::create(folder.join("log")).expect("a log");
        let mut child = program("postgres")
            .args(["-D", "data", "-h", "127.0.0.1", "-k", "", "-F"])
            .args(["-p", &address.port().to_string()])
            .args(["-c", "max_connections=200"])
            .current_dir(folder)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(log.try_clone().expect("a log"))
            .spawn()
            .expect("a server");
        while child.try_wait().expect("its status").is_none() {
            if takes_connections(address) {
                return child;
            }
            thread::sleep(Duration::from_millis(20));
        }
        // The processes of one that was killed may not have ended yet.
    }
    panic!(
        "the server does not start: {:?}",
        fs::read_to_string(folder.join("log"))
    );
}

fn takes_connections(address: SocketAddr) -> bool {
    let output = program("pg_isready")
        .args(["-h", "127.0.0.1", "-p", &address.port().to_string()])
        .output();
    output.expect("an answer").status.success()
}

fn run(command: &mut Command) {
    let output = command.output().expect("a program of the server");
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
}

/// A process and those that it has started, as Linux lists them.
fn processes(first: u32) -> Vec<u32> {
    let mut found = vec![first];
    let path = format!("/proc/{first}/task/{first}/children");
    match fs::read_to_string(path) {
        Ok(children) => found.extend(
            children
                .split_whitespace()
                .filter_map(|id| id.parse::<u32>().ok()),
        ),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => panic!("{error}"),
    }
    found
}

fn signal(processes: &[u32], signal: Signal) {
    for id in processes {
        if let Some(id) = i32::try_from(*id).ok().and_then(Pid::from_raw) {
            // One that has ended needs none.
            let _ = kill_process(id, signal);
        }
    }
}

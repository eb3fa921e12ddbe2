//! Real servers for stores, on loopback and in temporary folders: Postgres, Redis and an S3 server. This module exists
//! only on Unix.
//!
//! The tests of the adapters, the tests of `claw --store` and the benchmarks all start these servers. The programs of
//! the servers must be installed on the machine. If a program is missing, the error describes how to get it.

mod postgres;
mod redis;
mod s3;

use std::net::{SocketAddr, TcpListener};
use std::os::unix::fs::chown;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};
use std::{fs, io, thread};

use rustix::process::{Pid, Signal, geteuid, kill_process};
use tempfile::TempDir;

pub use s3::BUCKET;

/// The user that runs a server if the tests run as root, because Postgres refuses root.
const NOBODY: u32 = 65534;

/// Maximum time for the start of a server.
const START: Duration = Duration::from_mins(1);

/// Creates the command that runs a server in a folder, for an address.
type MakeCommand = dyn Fn(&Path, SocketAddr) -> io::Result<Command> + Send + Sync;

/// The command that starts a server, and the function that checks whether the server is ready.
struct Recipe {
    command: Box<MakeCommand>,
    is_ready: fn(SocketAddr) -> bool,
    /// The signal that ends the server immediately.
    end: Signal,
}

/// A server for tests, which listens on loopback. Dropping the `Server` ends the server and removes all data that it
/// has stored.
pub struct Server {
    folder: TempDir,
    address: SocketAddr,
    url: String,
    recipe: Recipe,
    child: Mutex<Child>,
}

impl std::fmt::Debug for Server {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Server")
            .field("url", &self.url)
            .finish_non_exhaustive()
    }
}

impl Server {
    fn start(
        folder: TempDir,
        recipe: Recipe,
        url: impl Fn(SocketAddr) -> String,
    ) -> io::Result<Self> {
        let mut attempts = 0;
        loop {
            let address = free_address()?;
            match start(folder.path(), address, &recipe) {
                Ok(child) => {
                    return Ok(Self {
                        folder,
                        address,
                        url: url(address),
                        recipe,
                        child: Mutex::new(child),
                    });
                }
                // The start may have failed because another program has taken the port. It is tried again with another
                // port.
                Err(error) if attempts == 5 || error.kind() == io::ErrorKind::NotFound => {
                    return Err(error);
                }
                Err(_) => attempts += 1,
            }
        }
    }

    /// Returns a server that several tests use at the same time. The first caller starts the server with `start`. The
    /// server ends when the last test drops it. A test must not stop a shared server, and must use only its own schema,
    /// prefix or folder.
    ///
    /// # Errors
    /// Fails with the errors of `start`.
    pub fn shared(
        shared: &'static Mutex<Weak<Self>>,
        start: impl FnOnce() -> io::Result<Self>,
    ) -> io::Result<Arc<Self>> {
        let mut shared = shared.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(server) = shared.upgrade() {
            return Ok(server);
        }
        let server = Arc::new(start()?);
        *shared = Arc::downgrade(&server);
        Ok(server)
    }

    /// Returns the address at which the server listens.
    #[must_use]
    pub const fn address(&self) -> SocketAddr {
        self.address
    }

    /// Returns the URL under which a store reaches the server. For an S3 server it is the endpoint.
    #[must_use]
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Kills all processes of the server, and starts the server again at the same address. After that, the server has
    /// only the data that it had saved to disk.
    ///
    /// # Errors
    /// Fails if the server does not start again. The error's text quotes the server's output.
    pub fn kill_and_restart(&self) -> io::Result<()> {
        self.kill_and_restart_after(|| {})
    }

    /// Does the same as [`kill_and_restart`](Self::kill_and_restart), and calls `meanwhile` before the server is
    /// started again.
    ///
    /// # Errors
    /// Fails with the same errors as [`kill_and_restart`](Self::kill_and_restart).
    pub fn kill_and_restart_after(&self, meanwhile: impl FnOnce()) -> io::Result<()> {
        let mut child = self.child();
        signal(&processes(child.id())?, Signal::KILL);
        child.wait()?;
        meanwhile();
        let begun = Instant::now();
        loop {
            match start(self.folder.path(), self.address, &self.recipe) {
                Ok(started) => {
                    *child = started;
                    return Ok(());
                }
                // This also fails as long as processes of the killed server still run.
                Err(_) if begun.elapsed() < START => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// Pauses all processes of the server with SIGSTOP, until the returned value is dropped.
    ///
    /// # Errors
    /// Fails if the server's processes cannot be listed.
    pub fn stop(&self) -> io::Result<Stopped> {
        let first = self.child().id();
        // The first process is stopped first, because it starts the other processes.
        signal(&[first], Signal::STOP);
        let stopped = processes(first)?;
        signal(&stopped, Signal::STOP);
        Ok(Stopped(stopped))
    }

    fn child(&self) -> MutexGuard<'_, Child> {
        self.child.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let mut child = self.child();
        signal(&[child.id()], self.recipe.end);
        // The folder of the server is removed next. `wait` may fail if the server has already ended.
        let _ = child.wait();
    }
}

/// The paused processes of a server. Dropping the `Stopped` lets them continue.
#[derive(Debug)]
pub struct Stopped(Vec<u32>);

impl Drop for Stopped {
    fn drop(&mut self) {
        signal(&self.0, Signal::CONT);
    }
}

/// Returns an address on loopback whose port no program uses.
///
/// # Errors
/// Fails if no port is free.
pub fn free_address() -> io::Result<SocketAddr> {
    TcpListener::bind("127.0.0.1:0")?.local_addr()
}

/// Creates a temporary folder. A program that was started with [`command`] can write to it.
///
/// # Errors
/// Fails if the folder cannot be created.
pub fn folder() -> io::Result<TempDir> {
    let folder = tempfile::tempdir()?;
    if geteuid().is_root() {
        chown(folder.path(), Some(NOBODY), Some(NOBODY))?;
    }
    Ok(folder)
}

/// Creates a command for a program that must not run as root, which some servers refuse. If the caller is root, the
/// program runs as the user `nobody`.
#[must_use]
pub fn command(program: &Path) -> Command {
    let mut command = Command::new(program);
    if geteuid().is_root() {
        command.uid(NOBODY).gid(NOBODY);
    }
    command
}

/// Starts a server, and waits until it responds.
fn start(folder: &Path, address: SocketAddr, recipe: &Recipe) -> io::Result<Child> {
    let path = folder.join("log");
    let log = fs::File::create(&path)?;
    let mut command = (recipe.command)(folder, address)?;
    command
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(log.try_clone()?)
        .stderr(log);
    let name = command.get_program().to_owned();
    let mut child = command
        .spawn()
        .map_err(|error| io::Error::new(error.kind(), format!("{}: {error}", name.display())))?;
    let begun = Instant::now();
    while child.try_wait()?.is_none() && begun.elapsed() < START {
        if (recipe.is_ready)(address) {
            return Ok(child);
        }
        thread::sleep(Duration::from_millis(20));
    }
    let _ = child.kill();
    child.wait()?;
    let log = fs::read_to_string(&path)?;
    Err(io::Error::other(format!(
        "{} does not start: {log}",
        name.display()
    )))
}

/// Returns a process and its children, as Linux lists them.
fn processes(first: u32) -> io::Result<Vec<u32>> {
    let mut found = vec![first];
    match fs::read_to_string(format!("/proc/{first}/task/{first}/children")) {
        Ok(children) => {
            let ids = children.split_whitespace();
            found.extend(ids.filter_map(|id| id.parse::<u32>().ok()));
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Err(error),
    }
    Ok(found)
}

fn signal(processes: &[u32], signal: Signal) {
    for id in processes {
        if let Some(id) = i32::try_from(*id).ok().and_then(Pid::from_raw) {
            // The result is ignored, because a process that has already ended needs no signal.
            let _ = kill_process(id, signal);
        }
    }
}

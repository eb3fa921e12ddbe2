//! Servers on loopback in temporary folders, which keep what they answer for on the disk.

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::os::unix::fs::chown;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use std::{env, fs, thread};

use rustix::process::{Pid, Signal, geteuid, kill_process};
use tempfile::TempDir;

use crate::Result;

/// The bucket of the S3 server.
pub(super) const BUCKET: &str = "conversations";

/// Who runs Postgres where this is root, whom it refuses.
const NOBODY: u32 = 65534;

/// A server. It ends with the drop, and all that it has stored with it.
pub(super) struct Server {
    _folder: TempDir,
    child: Child,
    end: Signal,
    pub(super) url: String,
}

/// Postgres with its own settings: an insert is answered when it is on the disk.
pub(super) fn postgres() -> Result<Server> {
    let (initdb, postgres) = (program("initdb")?, program("postgres")?);
    let folder = tempfile::tempdir()?;
    let command = |program: &Path| {
        let mut command = Command::new(program);
        command.current_dir(folder.path()).args(["-D", "data"]);
        if geteuid().is_root() {
            command.uid(NOBODY).gid(NOBODY);
        }
        command
    };
    if geteuid().is_root() {
        chown(folder.path(), Some(NOBODY), Some(NOBODY))?;
    }
    let made = command(&initdb)
        .args(["-U", "claw", "-A", "trust", "-E", "UTF8", "--locale=C"])
        .output()?;
    if !made.status.success() {
        return Err(String::from_utf8_lossy(&made.stderr).into());
    }
    let address = free_address()?;
    let mut server = command(&postgres);
    server.args(["-h", "127.0.0.1", "-k", ""]);
    server.args(["-p", &address.port().to_string()]);
    let url = format!("postgres://claw:none@{address}/postgres");
    // It ends at once then, and takes its other processes and its shared memory along.
    start(server, folder, address, url, Signal::QUIT, |_| true)
}

/// Redis, which answers when what it stores is on the disk.
pub(super) fn redis() -> Result<Server> {
    let folder = tempfile::tempdir()?;
    let address = free_address()?;
    let mut server = Command::new(program("redis-server")?);
    server.args(["--bind", "127.0.0.1", "--save", "", "--appendonly", "yes"]);
    server.args(["--appendfsync", "always"]);
    server.args(["--port", &address.port().to_string()]);
    let url = format!("redis://{address}");
    start(server, folder, address, url, Signal::KILL, |_| true)
}

/// The S3 server of the tests, which is written in Python.
pub(super) fn s3() -> Result<Server> {
    let python = env::var_os("CLAW_TEST_MINISTACK").unwrap_or_else(|| "python3".into());
    let found = Command::new(&python)
        .args(["-c", "import ministack"])
        .output()?;
    if !found.status.success() {
        return Err(format!("{} has no ministack", python.display()).into());
    }
    let folder = tempfile::tempdir()?;
    let address = free_address()?;
    let mut server = Command::new(python);
    server
        .args(["-c", "from ministack.app import main; main()"])
        .env("SERVICES", "s3")
        .env("BIND_HOST", "127.0.0.1")
        .env("GATEWAY_PORT", address.port().to_string())
        .env("S3_PERSIST", "1")
        .env("S3_DATA_DIR", folder.path().join("objects"))
        .env("STATE_DIR", folder.path().join("state"));
    let url = format!("bucket:{address}");
    start(server, folder, address, url, Signal::KILL, |address| {
        has_bucket(address).unwrap_or(false)
    })
}

/// Starts a server, and waits until it takes connections.
fn start(
    mut command: Command,
    folder: TempDir,
    address: SocketAddr,
    url: String,
    end: Signal,
    is_ready: fn(SocketAddr) -> bool,
) -> Result<Server> {
    let log = folder.path().join("log");
    let child = command
        .current_dir(folder.path())
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(fs::File::create(&log)?)
        .spawn()?;
    let mut server = Server {
        _folder: folder,
        child,
        end,
        url,
    };
    let begun = Instant::now();
    while server.child.try_wait()?.is_none() && begun.elapsed() < Duration::from_mins(1) {
        if TcpStream::connect(address).is_ok() && is_ready(address) {
            return Ok(server);
        }
        thread::sleep(Duration::from_millis(20));
    }
    Err(format!("the server does not start: {}", fs::read_to_string(log)?).into())
}

/// Makes the bucket, and says whether it is there.
fn has_bucket(address: SocketAddr) -> Result<bool> {
    let mut stream = TcpStream::connect(address)?;
    write!(
        stream,
        "PUT /{BUCKET} HTTP/1.1\r\nHost: {address}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
    )?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer)?;
    Ok(answer.starts_with("HTTP/1.1 200"))
}

impl Drop for Server {
    fn drop(&mut self) {
        if let Ok(id) = i32::try_from(self.child.id())
            && let Some(id) = Pid::from_raw(id)
        {
            // One that has ended needs none.
            let _ = kill_process(id, self.end);
        }
        let _ = self.child.wait();
    }
}

fn free_address() -> Result<SocketAddr> {
    Ok(TcpListener::bind("127.0.0.1:0")?.local_addr()?)
}

/// A program of a server: where Debian puts those of Postgres, or of the search path.
fn program(name: &str) -> Result<PathBuf> {
    let versions = fs::read_dir("/usr/lib/postgresql").into_iter().flatten();
    let mut folders: Vec<PathBuf> = versions
        .filter_map(|version| Some(version.ok()?.path().join("bin")))
        .collect();
    folders.extend(env::split_paths(&env::var_os("PATH").unwrap_or_default()));
    let mut found = folders.iter().map(|folder| folder.join(name));
    let found = found.find(|path| path.is_file());
    Ok(found.ok_or_else(|| format!("there is no {name}"))?)
}

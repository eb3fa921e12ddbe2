//! An S3 server in a temporary folder.

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;
use std::{env, fs, thread};

use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;

/// The bucket that each server has.
pub(crate) const BUCKET: &str = "conversations";

/// Starts the server with another clock.
const PROGRAM: &str = "
import datetime, os
import ministack.core.responses as responses

class Clock(datetime.datetime):
    @classmethod
    def now(cls, tz=None):
        return super().now(tz) + datetime.timedelta(seconds=int(os.environ['CLOCK_IS_AHEAD']))

responses.datetime = Clock
from ministack.app import main
main()
";

/// A server on loopback, which keeps objects in files. It ends with the drop, and all that it has stored with it.
pub(crate) struct Server {
    folder: TempDir,
    pub(crate) address: SocketAddr,
    child: Mutex<Child>,
}

impl Server {
    /// A server that tests share which neither stop it nor reach out of their own folder.
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
        Self::with_clock_ahead(0)
    }

    /// A server whose clock is ahead by so many seconds, or behind.
    pub(crate) fn with_clock_ahead(seconds: i64) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let address = free_address();
        let child = start(folder.path(), address, seconds);
        let server = Self {
            folder,
            address,
            child: Mutex::new(child),
        };
        let answer = request(address, &format!("PUT /{BUCKET}")).expect("an answer");
        assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
        server
    }

    /// Ends the server at once, and starts it again.
    pub(crate) fn kill_and_restart(&self) {
        let mut child = self.child.lock().unwrap_or_else(PoisonError::into_inner);
        child.kill().expect("its end");
        child.wait().expect("its end");
        *child = start(self.folder.path(), self.address, 0);
    }

    /// Stops the server, until the drop of what is returned.
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

/// A process that is stopped. It goes on with the drop.
pub(crate) struct Stopped(u32);

impl Drop for Stopped {
    fn drop(&mut self) {
        signal(self.0, Signal::CONT);
    }
}

fn free_address() -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    listener.local_addr().expect("its address")
}

/// Starts a server, and waits until it answers.
fn start(folder: &Path, address: SocketAddr, clock_is_ahead: i64) -> Child {
    let python = env::var_os("CLAW_TEST_MINISTACK").unwrap_or_else(|| "python3".into());
    let log = fs::File::create(folder.join("log")).expect("a log");
    let mut child = Command::new(&python)
        .args(["-c", PROGRAM])
        .env("CLOCK_IS_AHEAD", clock_is_ahead.to_string())
        .env("SERVICES", "s3")
        .env("BIND_HOST", "127.0.0.1")
        .env("GATEWAY_PORT", address.port().to_string())
        .env("S3_PERSIST", "1")
        .env("S3_DATA_DIR", folder.join("objects"))
        .env("STATE_DIR", folder.join("state"))
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(log)
        .spawn()
        .unwrap_or_else(|error| panic!("{}: {error}", python.display()));
    while child.try_wait().expect("its status").is_none() {
        if request(address, "GET /_ministack/health").is_some() {
            return child;
        }
        thread::sleep(Duration::from_millis(20));
    }
    panic!(
        "the S3 server does not start: `pip install ministack==1.5.33` brings it, and CLAW_TEST_MINISTACK names the \
         Python that has it: {:?}",
        fs::read_to_string(folder.join("log"))
    );
}

/// An answer, if there is one.
fn request(address: SocketAddr, what: &str) -> Option<String> {
    let mut stream = TcpStream::connect(address).ok()?;
    let head = format!(
        "{what} HTTP/1.1\r\nHost: {address}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
    );
    stream.write_all(head.as_bytes()).ok()?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).ok()?;
    (!answer.is_empty()).then_some(answer)
}

fn signal(process: u32, signal: Signal) {
    if let Some(id) = i32::try_from(process).ok().and_then(Pid::from_raw) {
        // One that has ended needs none.
        let _ = kill_process(id, signal);
    }
}

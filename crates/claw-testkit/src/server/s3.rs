//! An S3 server, which is written in Python.

use std::io::{self, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::process::Command;
use std::{env, path};

use rustix::process::Signal;

use super::{Recipe, Server};

/// The name of the bucket that every S3 server of this module has.
pub const BUCKET: &str = "conversations";

/// A Python program that starts the server with a clock that is ahead or behind.
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

impl Server {
    /// Starts an S3 server that has the bucket [`BUCKET`] and keeps its objects in files. The server's clock is ahead
    /// of the machine's clock by `clock_ahead` seconds, or behind it if the number is negative.
    ///
    /// Install the server with `pip install ministack==1.5.33`. The environment variable `CLAW_TEST_MINISTACK` contains
    /// the path of the Python interpreter in whose environment the server is installed. Default: `python3`.
    ///
    /// # Errors
    /// Fails if the server is missing or does not start.
    pub fn s3(clock_ahead: i64) -> io::Result<Self> {
        let python = env::var_os("CLAW_TEST_MINISTACK").unwrap_or_else(|| "python3".into());
        let found = Command::new(&python)
            .args(["-c", "import ministack"])
            .output();
        if !found.is_ok_and(|output| output.status.success()) {
            let text = format!(
                "{} has no ministack: `pip install ministack==1.5.33` brings it, and CLAW_TEST_MINISTACK names the \
                 Python that has it",
                python.display()
            );
            return Err(io::Error::new(io::ErrorKind::NotFound, text));
        }
        let recipe = Recipe {
            command: Box::new(move |folder: &path::Path, address| {
                let mut command = Command::new(&python);
                command
                    .args(["-c", PROGRAM])
                    .env("CLOCK_IS_AHEAD", clock_ahead.to_string())
                    .env("SERVICES", "s3")
                    .env("BIND_HOST", "127.0.0.1")
                    .env("GATEWAY_PORT", address.port().to_string())
                    .env("S3_PERSIST", "1")
                    .env("S3_DATA_DIR", folder.join("objects"))
                    .env("STATE_DIR", folder.join("state"));
                Ok(command)
            }),
            is_ready: |address| {
                request(address, "GET /_ministack/health").is_ok_and(|answer| !answer.is_empty())
            },
            end: Signal::KILL,
        };
        let server = Self::start(tempfile::tempdir()?, recipe, |address| {
            format!("http://{address}")
        })?;
        let answer = request(server.address(), &format!("PUT /{BUCKET}"))?;
        if answer.starts_with("HTTP/1.1 200") {
            Ok(server)
        } else {
            Err(io::Error::other(answer))
        }
    }
}

fn request(address: SocketAddr, what: &str) -> io::Result<String> {
    let mut stream = TcpStream::connect(address)?;
    let head = format!(
        "{what} HTTP/1.1\r\nHost: {address}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
    );
    stream.write_all(head.as_bytes())?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer)?;
    Ok(answer)
}

//! A Redis server.

use std::io::{self, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::process::Command;
use std::time::Duration;

use rustix::process::Signal;

use super::{Recipe, Server};

impl Server {
    /// Starts a Redis server that writes each change to disk before it responds. `options` are additional command-line
    /// options of the server. Debian's package `redis-server` contains Redis.
    ///
    /// # Errors
    /// Fails if Redis is missing or does not start.
    pub fn redis(options: &[&str]) -> io::Result<Self> {
        let options: Vec<_> = options.iter().map(ToString::to_string).collect();
        let recipe = Recipe {
            command: Box::new(move |_, address| {
                let mut command = Command::new("redis-server");
                command
                    .args(["--bind", "127.0.0.1", "--save", "", "--appendonly", "yes"])
                    .args(["--appendfsync", "always"])
                    .args(["--port", &address.port().to_string()])
                    .args(&options);
                Ok(command)
            }),
            is_ready: |address| is_ready(address).unwrap_or(false),
            end: Signal::KILL,
        };
        let started = Self::start(tempfile::tempdir()?, recipe, |address| {
            format!("redis://{address}")
        });
        started.map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => io::Error::new(
                error.kind(),
                format!("{error}: on Debian, `apt-get install redis-server` brings it"),
            ),
            _ => error,
        })
    }
}

/// Whether the server responds and has loaded its data.
fn is_ready(address: SocketAddr) -> io::Result<bool> {
    let mut stream = TcpStream::connect(address)?;
    stream.set_read_timeout(Some(Duration::from_secs(5)))?;
    stream.write_all(b"PING\r\n")?;
    let mut answer = [0; 16];
    let length = stream.read(&mut answer)?;
    let answer = &answer[..length];
    // `-NOAUTH` means that the server requires a password.
    Ok(answer.starts_with(b"+PONG") || answer.starts_with(b"-NOAUTH"))
}

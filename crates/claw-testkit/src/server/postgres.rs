//! A Postgres server.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::{env, fs, io};

use rustix::process::Signal;

use super::{Recipe, Server, command, folder};

impl Server {
    /// Starts a Postgres server that accepts every connection from loopback without a password. `options` are
    /// command-line options of the server. For example, with the option `-F`, the server does not wait for the disk.
    /// Debian's package `postgresql` contains Postgres.
    ///
    /// # Errors
    /// Fails if Postgres is missing or does not start.
    pub fn postgres(options: &[&str]) -> io::Result<Self> {
        let folder = folder()?;
        let made = command(&program("initdb")?)
            .args(["-D", "data", "-U", "claw", "-A", "trust", "-E", "UTF8"])
            .args(["--locale=C", "--no-sync", "--no-instructions"])
            .current_dir(folder.path())
            .output()?;
        if !made.status.success() {
            let text = String::from_utf8_lossy(&made.stderr);
            return Err(io::Error::other(text.into_owned()));
        }
        let options: Vec<_> = options.iter().map(ToString::to_string).collect();
        let recipe = Recipe {
            command: Box::new(move |_, address| {
                let mut command = command(&program("postgres")?);
                command
                    .args(["-D", "data", "-h", "127.0.0.1", "-k", ""])
                    .args(["-p", &address.port().to_string()])
                    .args(&options);
                Ok(command)
            }),
            is_ready,
            // This signal ends the server immediately, together with its child processes and its shared memory.
            end: Signal::QUIT,
        };
        Self::start(folder, recipe, |address| {
            format!("postgres://claw:secret-of-tests@{address}/postgres")
        })
    }
}

fn is_ready(address: SocketAddr) -> bool {
    let Ok(program) = program("pg_isready") else {
        return false;
    };
    let asked = command(&program)
        .args(["-h", "127.0.0.1", "-p", &address.port().to_string()])
        .output();
    asked.is_ok_and(|output| output.status.success())
}

/// Returns the path of a Postgres program. Searches the search path, and then the folder of the newest version that
/// Debian's packages have installed.
fn program(name: &str) -> io::Result<PathBuf> {
    let versions = fs::read_dir("/usr/lib/postgresql").into_iter().flatten();
    let mut debian: Vec<_> = versions
        .filter_map(|version| Some(version.ok()?.path().join("bin")))
        .collect();
    debian.sort_by_key(|path| path.to_string_lossy().into_owned());
    let paths = env::var_os("PATH").unwrap_or_default();
    let folders = env::split_paths(&paths).chain(debian.into_iter().rev());
    let mut found = folders.map(|folder| folder.join(name));
    found.find(|path| path.is_file()).ok_or_else(|| {
        let text = format!("there is no {name}: on Debian, `apt-get install postgresql` brings it");
        io::Error::new(io::ErrorKind::NotFound, text)
    })
}

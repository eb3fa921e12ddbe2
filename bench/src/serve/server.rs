//! A server in a separate process.

use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use super::client::Client;
use crate::{Result, pipe, process};

/// A running server. It is killed when this value is dropped.
pub(crate) struct Server {
    child: Child,
    pub(crate) client: Client,
    /// The path that logs a browser in.
    pub(crate) login: String,
    _folder: tempfile::TempDir,
}

impl Server {
    /// Starts `claw serve` for this number of sessions. `CLAW_BENCH_SERVE` is the path of the program. With the address of
    /// a collector of traces, it also has an audit log, limits, and a log in JSON.
    pub(crate) fn claw(
        script: &Path,
        sessions: usize,
        collector: Option<SocketAddr>,
    ) -> Result<Self> {
        let program = std::env::var_os("CLAW_BENCH_SERVE").ok_or(
            "CLAW_BENCH_SERVE is not set: run `cargo xtask bench serve`, which builds claw",
        )?;
        let folder = tempfile::tempdir()?;
        // The agent is found by its name in the PATH, as on most machines. Reading a file of options instead would use
        // memory, which would hide the measured amounts.
        let programs = folder.path().join("bin");
        fs::create_dir(&programs)?;
        std::os::unix::fs::symlink(agent()?, programs.join("claude"))?;
        let project = folder.path().join("shop");
        fs::create_dir(&project)?;
        let mut command = Command::new(program);
        command.args(["serve", "--print-secrets", "--listen", "127.0.0.1:0"]);
        command.arg("--project").arg(project);
        command.env("PATH", programs);
        command.arg("--processes").arg(sessions.to_string());
        if let Some(collector) = collector {
            let limits = folder.path().join("limits.toml");
            let rows = "[projects]\nproject = \"*\"\nprocesses = 10000\nturns-per-hour = 10000\ncost-per-day = 1e6\n";
            fs::write(&limits, rows)?;
            command
                .arg("--audit")
                .arg(folder.path().join("audit.jsonl"));
            command.arg("--limits").arg(limits);
            command.args(["--log-format", "json", "--otlp"]);
            command.arg(format!("http://{collector}"));
        }
        let (child, lines) = start(command, folder.path(), script, 2)?;
        let behind = |line: &str, what: &str| {
            let text = line
                .split_once(what)
                .map(|(_, rest)| rest.trim().to_owned());
            text.ok_or_else(|| format!("claw serve said {line:?}"))
        };
        let link = behind(&lines[0], "http://")?;
        let (address, login) = link.split_once('/').ok_or("no login link")?;
        Ok(Self {
            child,
            client: Client {
                address: address.parse()?,
                token: Some(behind(&lines[1], "Token for programs:")?),
            },
            login: format!("/{login}"),
            _folder: folder,
        })
    }

    /// Starts the minimal server on the Python SDK.
    pub(crate) fn python(script: &Path) -> Result<Self> {
        let folder = tempfile::tempdir()?;
        let sdks = pipe::sdks()?;
        let mut command = Command::new(sdks.join("venv/bin/python"));
        command.arg(sdks.join("hosting.py")).arg(agent()?);
        let (child, lines) = start(command, folder.path(), script, 1)?;
        Ok(Self {
            child,
            client: Client {
                address: lines[0].trim().parse()?,
                token: None,
            },
            login: String::new(),
            _folder: folder,
        })
    }

    /// The memory of the server itself, without its agents, in KiB. Pages of files, such as those of the executable, do
    /// not count: the kernel's cache decides how many of them are mapped.
    pub(crate) fn memory(&self) -> Result<f64> {
        let path = format!("/proc/{}/smaps_rollup", self.child.id());
        let text =
            fs::read_to_string(path).map_err(|error| format!("the server ended: {error}"))?;
        let line = text
            .lines()
            .find_map(|line| line.strip_prefix("Anonymous:"));
        let line = line.ok_or("no Anonymous")?;
        Ok(line.trim().trim_end_matches(" kB").parse()?)
    }

    /// Seconds of processor time so far, without those of the agents.
    pub(crate) fn cpu(&self) -> Result<f64> {
        process::cpu_of(self.child.id())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // The call fails if the server has already ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Starts a server, and reads the first lines that it prints.
fn start(
    mut command: Command,
    folder: &Path,
    script: &Path,
    lines: usize,
) -> Result<(Child, Vec<String>)> {
    for (name, _) in std::env::vars() {
        if name.starts_with("ANTHROPIC") || name.starts_with("CLAUDE") {
            command.env_remove(name);
        }
    }
    command
        .env("CLAUDE_CONFIG_DIR", folder.join("config"))
        .env("HOME", folder)
        .env("CLAW_AGENT_SCRIPT", script)
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(Stdio::piped());
    let mut child = command.spawn()?;
    let out = child.stdout.take().ok_or("no stdout")?;
    let mut out = BufReader::new(out);
    let mut output = Vec::new();
    for _ in 0..lines {
        let mut line = String::new();
        if out.read_line(&mut line)? == 0 {
            return Err(format!("{command:?} ended with {}", child.wait()?).into());
        }
        output.push(line);
    }
    // The rest of the output is read and shown, so that the pipe never becomes full.
    std::thread::spawn(move || {
        for line in out.lines().map_while(std::io::Result::ok) {
            let _ = writeln!(std::io::stderr(), "server: {line}");
        }
    });
    Ok((child, output))
}

/// The path of the scripted agent that writes times, which is built beside this program.
fn agent() -> Result<PathBuf> {
    let path = std::env::current_exe()?.with_file_name("stamped");
    if path.is_file() {
        Ok(path)
    } else {
        Err(format!("no {}: build all binaries", path.display()).into())
    }
}

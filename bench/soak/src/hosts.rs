//! The processes under test: their start, their orderly end, and their end by a signal.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};
use tokio::io::{AsyncBufReadExt as _, BufReader, Lines};
use tokio::process::{Child, ChildStdout, Command};
use tokio::time::timeout;

use crate::client::Client;
use crate::samples::HOST;
use crate::{Result, agent};

/// The maximum time for the start or the end of a host.
pub(crate) const PATIENCE: Duration = Duration::from_secs(90);

/// The settings that all hosts of a run share.
#[derive(Clone)]
pub(crate) struct Setting {
    /// The name of this run, which distinguishes its processes from those of other runs.
    pub(crate) run: String,
    pub(crate) folder: PathBuf,
    pub(crate) claw: PathBuf,
    pub(crate) claude: PathBuf,
    /// The environment variables of the scripted API.
    pub(crate) api: Vec<(&'static str, String)>,
    pub(crate) pace: Duration,
}

impl Setting {
    pub(crate) fn folder_of(&self, host: &str) -> PathBuf {
        self.folder.join(host)
    }

    /// The journal of a host's scripted agents. It is outside of the measured folders.
    pub(crate) fn journal_of(&self, host: &str) -> PathBuf {
        self.folder.join(format!("{host}.journal"))
    }

    /// Creates the folders of a host, and the command that starts it.
    pub(crate) fn command(&self, host: &str, program: &Path, has_real: bool) -> Result<Command> {
        let folder = self.folder_of(host);
        for name in ["config", "home", "shop", "tmp"] {
            fs::create_dir_all(folder.join(name))?;
        }
        let mut command = Command::new(program);
        command.env_clear();
        for name in ["PATH", "LANG"] {
            if let Some(value) = std::env::var_os(name) {
                command.env(name, value);
            }
        }
        let mut path = vec![self.folder.join("bin")];
        path.extend(std::env::split_paths(
            &std::env::var_os("PATH").unwrap_or_default(),
        ));
        command
            .env("PATH", std::env::join_paths(path)?)
            .env("CLAUDE_CONFIG_DIR", folder.join("config"))
            .env("HOME", folder.join("home"))
            .env("TMPDIR", folder.join("tmp"))
            .env(HOST, format!("{}-{host}", self.run))
            .env(agent::JOURNAL, self.journal_of(host))
            .envs(self.api.iter().map(|(name, value)| (name, value)))
            .current_dir(folder.join("shop"))
            .stdout(Stdio::piped())
            .stderr(
                fs::File::options()
                    .append(true)
                    .create(true)
                    .open(self.folder.join(format!("{host}.stderr")))?,
            )
            .kill_on_drop(true);
        if has_real {
            command.env(agent::REAL, &self.claude);
        }
        Ok(command)
    }

    /// Starts a server.
    pub(crate) async fn serve(&self, host: &str, has_real: bool, args: &[&str]) -> Result<Served> {
        let mut command = self.command(host, &self.claw, has_real)?;
        command
            .args([
                "serve",
                "--print-secrets",
                "--listen",
                "127.0.0.1:0",
                "--project",
            ])
            .arg(self.folder_of(host).join("shop"))
            .args(args)
            .stdin(Stdio::null());
        let mut child = command
            .spawn()
            .map_err(|error| format!("{}: {error}", self.claw.display()))?;
        let out = child.stdout.take().ok_or("no stdout")?;
        let mut lines = BufReader::new(out).lines();
        let link = after(&mut lines, "http://").await?;
        let token = after(&mut lines, "Token for programs: ").await?;
        // The rest of its output is read too, so that its pipe is never full.
        tokio::spawn(async move { while let Ok(Some(_)) = lines.next_line().await {} });
        let (address, _) = link.split_once('/').ok_or("no link")?;
        Ok(Served {
            child,
            client: Client {
                address: address.parse()?,
                token,
            },
        })
    }
}

async fn after(lines: &mut Lines<BufReader<ChildStdout>>, what: &str) -> Result<String> {
    let line = timeout(PATIENCE, lines.next_line()).await??;
    let line = line.ok_or("claw serve said nothing")?;
    let (_, rest) = line
        .split_once(what)
        .ok_or_else(|| format!("claw serve said {line:?}"))?;
    Ok(rest.trim().to_owned())
}

/// A running server.
pub(crate) struct Served {
    pub(crate) child: Child,
    pub(crate) client: Client,
}

impl Served {
    pub(crate) fn process(&self) -> u32 {
        self.child.id().unwrap_or_default()
    }

    /// Sends the server a signal, and waits for its end.
    pub(crate) async fn end(mut self, signal: Signal) -> Result {
        send(self.process(), signal);
        timeout(PATIENCE, self.child.wait())
            .await
            .map_err(|_| "a server does not end")??;
        Ok(())
    }
}

pub(crate) fn send(process: u32, signal: Signal) {
    if let Some(pid) = i32::try_from(process).ok().and_then(Pid::from_raw) {
        // The call fails if the process has already ended.
        let _ = kill_process(pid, signal);
    }
}

/// Whether a process is the CLI, scripted or real, and a child of this one.
pub(crate) fn is_cli_of(process: u32, parent: u32) -> bool {
    let command = fs::read(format!("/proc/{process}/cmdline")).unwrap_or_default();
    let program = command.split(|&byte| byte == 0).next().unwrap_or_default();
    let program = Path::new(std::str::from_utf8(program).unwrap_or_default());
    program.file_name() == Some(OsStr::new(agent::NAME)) && parent_of(process) == Some(parent)
}

fn parent_of(process: u32) -> Option<u32> {
    let text = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // The second field, which is the name, may contain any characters.
    text.rsplit_once(')')?
        .1
        .split_whitespace()
        .nth(1)?
        .parse()
        .ok()
}

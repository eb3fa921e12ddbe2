//! Checks whether sessions can begin: whether the CLI runs, its version, and the account that is logged in to it.

use std::path::PathBuf;
use std::process::Stdio;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, PoisonError};
use std::time::{Duration, Instant};

use claw_client::transport::{CommandSpec, TransportError, discover, environment};
use claw_client::{QueryOptions, is_version};
use claw_sessions::on_pool;
use serde::Deserialize;
use tokio::io::AsyncReadExt as _;
use tokio::process::Command;
use tokio::sync::Mutex;
use tokio::time::timeout;

use super::Api;
use super::types::{CliInfo, CliProblem, CliProblemKind};
use crate::Wall;
use crate::hub::HubError;

/// Timeout of one call of the CLI.
const PATIENCE: Duration = Duration::from_secs(10);

/// Time for which the result of a check is reused. A result with a problem is not reused, because a person may have
/// solved the problem.
const FRESH: Duration = Duration::from_mins(1);

/// The age of a result with a problem at which [`is_usable`] begins another check.
const SOON: Duration = Duration::from_secs(10);
/// The age of a result without a problem at which [`is_usable`] begins another check.
const LATER: Duration = Duration::from_mins(5);

/// Maximum number of bytes that are read from the output of one call.
const MOST: u64 = 64 << 10;

/// Maximum length of a text from the CLI when it is shown to people, in characters.
const LONGEST: usize = 200;

/// The CLI of a server's sessions.
#[derive(Debug)]
pub(crate) struct Cli {
    /// The options with which the CLI is started. `None` if the host program creates the sessions with a function. The server
    /// then does not know which CLI they run.
    options: Option<QueryOptions>,
    /// The wall behind which the CLI runs. It is the wall of the first project.
    wall: Option<Wall>,
    /// The last result without a problem. The lock is held during a check, so that concurrent requests share one check.
    checked: Mutex<Option<(Instant, CliInfo)>>,
    /// The time of the last check, and the kind of the problem that it has found.
    known: std::sync::Mutex<Option<(Instant, Option<CliProblemKind>)>>,
    /// Whether a check runs for [`is_usable`].
    is_checking: AtomicBool,
}

/// The output of `claude auth status`.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct AuthStatus {
    logged_in: bool,
    auth_method: Option<String>,
    api_provider: Option<String>,
    email: Option<String>,
    api_key_source: Option<String>,
}

impl Cli {
    pub(crate) fn new(options: Option<QueryOptions>, wall: Option<Wall>) -> Self {
        Self {
            options,
            wall,
            checked: Mutex::default(),
            known: std::sync::Mutex::default(),
            is_checking: AtomicBool::new(false),
        }
    }

    /// Returns the problem that the last check has found, and whether another check is due.
    fn known(&self) -> (Option<CliProblemKind>, bool) {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let Some((at, problem)) = &*known else {
            return (None, true);
        };
        let age = if problem.is_some() { SOON } else { LATER };
        (problem.clone(), at.elapsed() >= age)
    }

    /// Runs the CLI to read its version and its login. Returns the last result instead if it has no problem and is less
    /// than a minute old.
    pub(crate) async fn check(&self) -> CliInfo {
        let Some(options) = &self.options else {
            return CliInfo::default();
        };
        let mut checked = self.checked.lock().await;
        if let Some((time, info)) = &*checked
            && time.elapsed() < FRESH
        {
            return info.clone();
        }
        let info = check(options, self.wall.as_ref()).await;
        let kind = info.problem.as_ref().map(|problem| problem.kind.clone());
        let now = Some((Instant::now(), kind.clone()));
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let before = std::mem::replace(&mut *known, now).and_then(|(_, kind)| kind);
        drop(known);
        if let Some(problem) = &info.problem
            && kind != before
        {
            tracing::warn!(problem = problem.text, "no session can work");
        }
        *checked = info
            .problem
            .is_none()
            .then(|| (Instant::now(), info.clone()));
        info
    }
}

/// Checks whether sessions can begin, for a route that needs no token and is called often. The call itself only checks whether
/// the CLI exists. Whether the CLI runs and has a login is taken from the last check. If that check is too old, a new check
/// begins, and this call does not wait for it.
///
/// # Errors
///
/// Fails with the reason why no session can begin.
pub(super) async fn is_usable(api: &Arc<Api>) -> Result<(), HubError> {
    let cli = &api.cli;
    let Some(options) = cli.options.clone() else {
        return Ok(());
    };
    // If the CLI runs behind a wall, which is a sandbox, the server cannot search for it. Only the check, which starts the
    // CLI, shows whether it exists.
    let is_missing = cli.wall.is_none() && {
        let found = on_pool::run(move || discover(&options).map(drop)).await;
        matches!(found, Err(TransportError::NotFound { .. }))
    };
    let (problem, is_old) = cli.known();
    let is_back = !is_missing && problem == Some(CliProblemKind::NotFound);
    if (is_old || is_back) && !cli.is_checking.swap(true, Ordering::Relaxed) {
        let api = api.clone();
        tokio::spawn(async move {
            api.cli.check().await;
            api.cli.is_checking.store(false, Ordering::Relaxed);
        });
    }
    if is_missing {
        return Err(HubError::Busy("claude is not found on this host"));
    }
    match problem {
        None | Some(CliProblemKind::NotFound) => Ok(()),
        Some(CliProblemKind::NotRunning) => Err(HubError::Busy("claude does not run on this host")),
        Some(CliProblemKind::NotLoggedIn) => {
            Err(HubError::Busy("nobody is logged in to claude on this host"))
        }
    }
}

/// Returns the version of the CLI that these options select, and the account that is logged in to it. If no session
/// can work, also returns the reason. The call starts the CLI twice, for at most 10 seconds each time.
///
/// # Cancel safety
///
/// Cancel safe: if this call has started a CLI, that CLI is killed.
pub async fn check_cli(options: &QueryOptions) -> CliInfo {
    check(options, None).await
}

/// Checks the CLI as [`check_cli`] does. With a wall, the CLI runs behind it. If the wall runs the CLI on another host, the CLI
/// may continue there after the call has timed out.
async fn check(options: &QueryOptions, wall: Option<&Wall>) -> CliInfo {
    let problem = |kind, text: String, command: Option<&str>| CliInfo {
        problem: Some(CliProblem {
            kind,
            text,
            command: command.map(str::to_owned),
        }),
        ..CliInfo::default()
    };
    let found = match wall {
        Some(_) => {
            let named = options.path_to_claude_code_executable.clone();
            Ok(named.unwrap_or_else(|| "claude".into()))
        }
        None => discover(options),
    };
    let path = match found {
        Ok(path) => path,
        Err(error @ TransportError::NotFound { .. }) => {
            tracing::debug!("{error}");
            let text =
                "Claude Code is not installed on the server's machine, or claw does not find it.";
            return problem(
                CliProblemKind::NotFound,
                text.to_owned(),
                Some("npm install -g @anthropic-ai/claude-code"),
            );
        }
        Err(error) => return problem(CliProblemKind::NotRunning, error.to_string(), None),
    };
    let version = match output(options, wall, &path, &["--version"]).await {
        Ok((true, text)) => {
            let version = text.split_whitespace().next().unwrap_or_default();
            if !is_version(version) {
                let (path, line) = (path.display(), text.lines().next().unwrap_or_default());
                let line = shown(line);
                let text = format!("{path} does not tell its version, but says {line:?}.");
                return problem(CliProblemKind::NotRunning, text, None);
            }
            shown(version)
        }
        Ok((false, _)) => {
            let text = format!("{} does not tell its version.", path.display());
            return problem(CliProblemKind::NotRunning, text, None);
        }
        Err(error) => {
            let text = format!("{} does not run: {error}.", path.display());
            return problem(CliProblemKind::NotRunning, text, None);
        }
    };
    let mut info = CliInfo {
        version: Some(version),
        ..CliInfo::default()
    };
    // Older CLIs do not have this command. The login is then unknown.
    let status = output(options, wall, &path, &["auth", "status"]).await;
    let status = status
        .ok()
        .and_then(|(_, text)| serde_json::from_str::<AuthStatus>(&text).ok());
    match status {
        Some(status) if status.logged_in => info.account = Some(shown(&status.account())),
        Some(_) => {
            info.problem = Some(CliProblem {
                kind: CliProblemKind::NotLoggedIn,
                text: "Nobody is logged in to Claude Code on the server's machine.".to_owned(),
                command: Some("claude auth login".to_owned()),
            });
        }
        None => {}
    }
    info
}

impl AuthStatus {
    /// Returns the email address of the account. If there is none, returns the source of its key.
    fn account(self) -> String {
        let provider = self
            .api_provider
            .filter(|provider| provider != "firstParty");
        let method = self.auth_method.map(|method| method.replace('_', " "));
        self.email
            .or(provider)
            .or(self.api_key_source)
            .or(method)
            .unwrap_or_default()
    }
}

/// Removes control characters from a text of the CLI, and shortens it to [`LONGEST`].
fn shown(text: &str) -> String {
    let text = text.chars().filter(|it| !it.is_control());
    text.take(LONGEST).collect()
}

/// Runs the CLI with these arguments. Returns whether it succeeded, and its output.
async fn output(
    options: &QueryOptions,
    wall: Option<&Wall>,
    path: &PathBuf,
    args: &[&str],
) -> Result<(bool, String), String> {
    let mut spec = CommandSpec::new(path).args(args);
    spec.env = environment(options);
    if let Some(wall) = wall {
        spec.cwd.clone_from(&options.cwd);
        spec = wall.wrap(spec).map_err(|error| error.to_string())?;
    }
    let mut command = Command::new(&spec.program);
    command
        .args(&spec.args)
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .kill_on_drop(true);
    for (name, value) in &spec.env {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    let output = timeout(PATIENCE, bounded(&mut command)).await;
    let output = output.map_err(|_| format!("no answer within {} s", PATIENCE.as_secs()))?;
    output.map_err(|error| error.to_string())
}

/// Runs a command until it exits. Returns whether it succeeded, and the first [`MOST`] bytes of its output. The rest is
/// not read.
async fn bounded(command: &mut Command) -> std::io::Result<(bool, String)> {
    let mut child = command.stdout(Stdio::piped()).spawn()?;
    let mut text = Vec::new();
    if let Some(stdout) = child.stdout.take() {
        stdout.take(MOST).read_to_end(&mut text).await?;
    }
    let status = child.wait().await?;
    Ok((
        status.success(),
        String::from_utf8_lossy(&text).into_owned(),
    ))
}

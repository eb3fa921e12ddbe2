//! Runs git and other programs for worktrees. They run without a shell, ask no questions, and have a time limit.

use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use claw_client::transport::environment;
use claw_types::options::QueryOptions;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWriteExt as _};
use tokio::process::{Child, Command};
use tokio::task::JoinHandle;
use tokio::time::timeout;

use super::problem::Problem;

/// Maximum time for a command that only reads.
const READS: Duration = Duration::from_secs(10);
/// Maximum time for a command that changes the repository or connects to a remote. The time includes its hooks.
const CHANGES: Duration = Duration::from_mins(2);
/// Maximum time for a terminated program to remove its lock files. Also the maximum time for which the last output of
/// an ended program is read.
const ENDS: Duration = Duration::from_secs(2);
/// Maximum size of the stored output, in bytes. The rest is read and discarded.
const OUTPUT: usize = 1 << 20;
/// Maximum size of the stored error output, in bytes.
const ERRORS: usize = 16 << 10;

/// The variables that are removed. Some of them select another repository than the one in the folder. The others name programs
/// that ask a person.
const REMOVED: [&str; 15] = [
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_COMMON_DIR",
    "GIT_INDEX_FILE",
    "GIT_OBJECT_DIRECTORY",
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_NAMESPACE",
    "GIT_PREFIX",
    "GIT_SHALLOW_FILE",
    "GIT_GRAFT_FILE",
    "GIT_ASKPASS",
    "SSH_ASKPASS",
    "GIT_PAGER",
    "GIT_EXTERNAL_DIFF",
    "LANGUAGE",
];

/// The variables that are set so that no program asks a person, opens an editor or translates its messages.
const SET: [(&str, &str); 7] = [
    ("GIT_TERMINAL_PROMPT", "0"),
    // If the editor has this name, git starts no program.
    ("GIT_EDITOR", ":"),
    ("GIT_SEQUENCE_EDITOR", ":"),
    ("GIT_MERGE_AUTOEDIT", "no"),
    ("GCM_INTERACTIVE", "never"),
    ("LC_ALL", "C.UTF-8"),
    ("NO_COLOR", "1"),
];

/// The output of a program, and its exit status.
#[derive(Debug)]
pub(super) struct Output {
    /// Whether the exit status is 0.
    pub(super) is_success: bool,
    /// The exit status. `None` if a signal ended the program.
    pub(super) code: Option<i32>,
    stdout: Vec<u8>,
    /// The number of zero bytes in the whole output. `stdout` contains only the beginning of a long output.
    zeros: u64,
    stderr: Vec<u8>,
}

impl Output {
    /// Returns the output as text.
    pub(super) fn text(&self) -> String {
        String::from_utf8_lossy(&self.stdout).into_owned()
    }

    /// Returns the error output as text.
    pub(super) fn errors(&self) -> String {
        String::from_utf8_lossy(&self.stderr).into_owned()
    }

    /// Splits the output at zero bytes. Git writes a zero byte after each path.
    pub(super) fn parts(&self) -> impl Iterator<Item = &[u8]> {
        self.stdout
            .split(|byte| *byte == 0)
            .filter(|part| !part.is_empty())
    }

    /// Returns the number of parts of the whole output, including parts that are not stored.
    pub(super) fn count(&self) -> u64 {
        self.zeros
    }

    /// Returns the output without white space at its end. Returns `None` if the program failed.
    pub(super) fn line(&self) -> Option<String> {
        self.is_success.then(|| self.text().trim_end().to_owned())
    }
}

/// Converts a path in git's output. On Unix, a path need not be UTF-8.
pub(super) fn path(bytes: &[u8]) -> PathBuf {
    #[cfg(unix)]
    return PathBuf::from(<OsStr as std::os::unix::ffi::OsStrExt>::from_bytes(bytes));
    #[cfg(not(unix))]
    PathBuf::from(String::from_utf8_lossy(bytes).into_owned())
}

/// Runs git in a folder.
#[derive(Debug, Clone)]
pub(super) struct Git {
    folder: PathBuf,
}

impl Git {
    pub(super) fn of(folder: &Path) -> Self {
        Self {
            folder: folder.to_owned(),
        }
    }

    /// Runs a command that only reads. No hook runs, and git fetches nothing.
    pub(super) async fn read(&self, arguments: &[&str]) -> Result<Output, Problem> {
        let git = self.reader(arguments);
        run(git, None, READS, None)
            .await
            .map_err(|error| error.of("git"))
    }

    /// Runs a command that only reads, as [`read`](Self::read) does. Each part of its output ends with a zero byte.
    /// Only the parts for which `keep` returns `true` are stored.
    pub(super) async fn find(
        &self,
        arguments: &[&str],
        keep: fn(&[u8]) -> bool,
    ) -> Result<Output, Problem> {
        let git = self.reader(arguments);
        run(git, None, READS, Some(keep))
            .await
            .map_err(|error| error.of("git"))
    }

    fn reader(&self, arguments: &[&str]) -> Command {
        let mut git = self.command(&["-c", "core.hooksPath=/dev/null"]);
        git.args(arguments)
            // In a partial clone, git would otherwise fetch missing objects. For this, it would run a program that the
            // repository's configuration names.
            .env("GIT_NO_LAZY_FETCH", "1")
            .env("GIT_ALLOW_PROTOCOL", "none")
            .env("GIT_OPTIONAL_LOCKS", "0");
        git
    }

    /// Runs a command that changes the repository or connects to a remote. The hooks of the repository run.
    pub(super) async fn change(
        &self,
        arguments: &[&str],
        input: Option<&str>,
    ) -> Result<Output, Problem> {
        let mut git = self.command(&["-c", "core.askPass="]);
        git.args(arguments);
        let input = input.map(|text| text.as_bytes().to_vec());
        run(git, input, CHANGES, None)
            .await
            .map_err(|error| error.of("git"))
    }

    /// Runs a command that connects to a remote, as [`change`](Self::change) does. `ssh` asks no questions, unless the
    /// person has configured another command for `ssh`.
    pub(super) async fn send(&self, arguments: &[&str]) -> Result<Output, Problem> {
        let mut git = self.command(&["-c", "core.askPass="]);
        let has_ssh = ["GIT_SSH", "GIT_SSH_COMMAND"]
            .iter()
            .any(|name| std::env::var_os(name).is_some());
        let own = self.read(&["config", "--get", "core.sshCommand"]).await?;
        if !has_ssh && !own.is_success {
            git.env("GIT_SSH_COMMAND", "ssh -oBatchMode=yes");
        }
        git.args(arguments);
        run(git, None, CHANGES, None)
            .await
            .map_err(|error| error.of("git"))
    }

    fn command(&self, first: &[&str]) -> Command {
        // The configuration of the repository can name a file monitor, a program that would continue to run after the
        // command. So file monitors are switched off.
        let mut git = command("git", &self.folder);
        git.args(["-c", "core.fsmonitor="]).args(first);
        // If the folder has no repository any more, git must not use a repository above it.
        if let Some(above) = self.folder.parent() {
            git.env("GIT_CEILING_DIRECTORIES", above);
        }
        git
    }
}

/// Runs a program in a folder, and writes this input to it.
pub(super) async fn run_program(
    program: &Path,
    folder: &Path,
    arguments: &[String],
    input: &str,
) -> Result<Output, Problem> {
    let mut command = command(program, folder);
    command
        .args(arguments)
        .env("GH_PROMPT_DISABLED", "1")
        .env("GH_NO_UPDATE_NOTIFIER", "1");
    let name = program
        .file_name()
        .map_or_else(String::new, |name| Path::new(name).display().to_string());
    run(command, Some(input.as_bytes().to_vec()), CHANGES, None)
        .await
        .map_err(|error| error.of(&name))
}

/// Creates a command with the server's environment. Removes the variables that contain secrets of claw, and the
/// variables that could make a program ask a person.
fn command(program: impl AsRef<OsStr>, folder: &Path) -> Command {
    let mut command = Command::new(program);
    command
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(cfg!(not(unix)));
    // The program gets its own process group, so that it can be ended together with its child processes.
    #[cfg(unix)]
    command.process_group(0);
    let set = |command: &mut Command, name: OsString, value: Option<OsString>| match value {
        Some(value) => drop(command.env(name, value)),
        None => drop(command.env_remove(name)),
    };
    for (name, value) in environment(&QueryOptions::default()) {
        set(&mut command, name, value);
    }
    for name in REMOVED {
        command.env_remove(name);
    }
    command.envs(SET);
    command
}

/// The reason why a program has no result.
enum Failure {
    Start(io::Error),
    Late,
}

impl Failure {
    fn of(self, program: &str) -> Problem {
        match self {
            Self::Start(error) if error.kind() == io::ErrorKind::NotFound => Problem::new(
                "notInstalled",
                format!("{program} is not installed on the server's machine"),
            ),
            Self::Start(error) => {
                Problem::new("failed", format!("{program} cannot be started: {error}"))
            }
            Self::Late => Problem::new(
                "timeout",
                format!(
                    "{program} did not end in time and was ended: a hook, a signature or a remote may wait for something"
                ),
            ),
        }
    }
}

/// Runs a program until it ends. If it runs longer than `limit`, ends it and all processes in its process group.
async fn run(
    mut command: Command,
    input: Option<Vec<u8>>,
    limit: Duration,
    keep: Option<fn(&[u8]) -> bool>,
) -> Result<Output, Failure> {
    if input.is_some() {
        command.stdin(Stdio::piped());
    }
    let mut child = command.spawn().map_err(Failure::Start)?;
    let mut group = EndGroupOnDrop(group_of(&child));
    let writing = child.stdin.take().zip(input);
    let writing = tokio::spawn(async move {
        if let Some((mut stdin, input)) = writing {
            // An error means that the program has ended without reading all of its input. It is ignored, because the
            // exit status is the result.
            let _ = stdin.write_all(&input).await;
        }
    });
    let stdout = Kept::read(child.stdout.take(), OUTPUT, keep);
    let stderr = Kept::read(child.stderr.take(), ERRORS, None);
    let Ok(status) = timeout(limit, child.wait()).await else {
        end(&mut child).await;
        group.0 = None;
        writing.abort();
        return Err(Failure::Late);
    };
    group.0 = None;
    let status = status.map_err(Failure::Start)?;
    writing.abort();
    // A background process of a hook may still hold the pipes, so the wait for the rest of the output has a limit.
    let (stdout, stderr) = futures::future::join(stdout.finish(), stderr.finish()).await;
    Ok(Output {
        is_success: status.success(),
        code: status.code(),
        stdout: stdout.bytes,
        zeros: stdout.zeros,
        stderr: stderr.bytes,
    })
}

/// Ends a program. First asks it to terminate, so that it can remove its lock files. Then kills it.
async fn end(child: &mut Child) {
    #[cfg(unix)]
    if let Some(group) = group_of(child) {
        use rustix::process::{Signal, kill_process_group};
        let _ = kill_process_group(group, Signal::TERM);
        let _ = timeout(ENDS, child.wait()).await;
        let _ = kill_process_group(group, Signal::KILL);
    }
    let _ = child.kill().await;
}

#[cfg(unix)]
type Group = rustix::process::Pid;
#[cfg(not(unix))]
type Group = std::convert::Infallible;

/// Returns the process group of a program. Returns `None` if the program has ended, or if the system has no process
/// groups.
#[cfg(unix)]
fn group_of(child: &Child) -> Option<Group> {
    Group::from_raw(i32::try_from(child.id()?).ok()?)
}

#[cfg(not(unix))]
fn group_of(_: &Child) -> Option<Group> {
    None
}

/// When it is dropped, sends SIGTERM to the process group of a program. Does nothing if the program has ended before.
struct EndGroupOnDrop(Option<Group>);

impl Drop for EndGroupOnDrop {
    fn drop(&mut self) {
        let Some(group) = self.0.take() else { return };
        #[cfg(unix)]
        let _ = rustix::process::kill_process_group(group, rustix::process::Signal::TERM);
        #[cfg(not(unix))]
        match group {}
    }
}

/// The beginning of a program's output, and the number of zero bytes in the whole output.
#[derive(Debug, Default)]
struct Beginning {
    bytes: Vec<u8>,
    zeros: u64,
}

impl Beginning {
    fn add(&mut self, bytes: &[u8], most: usize) {
        let room = most.saturating_sub(self.bytes.len());
        self.bytes
            .extend_from_slice(&bytes[..bytes.len().min(room)]);
        self.zeros += (bytes.split(|byte| *byte == 0).count() - 1) as u64;
    }
}

/// The task that reads the output of a program, and the beginning of the output.
struct Kept {
    beginning: Arc<Mutex<Beginning>>,
    reading: JoinHandle<()>,
}

impl Kept {
    /// Begins to read. Stores at most `most` bytes. If there is a function `keep`, stores only the parts for which it
    /// returns `true`. Each part ends with a zero byte.
    fn read(
        pipe: Option<impl AsyncRead + Unpin + Send + 'static>,
        most: usize,
        keep: Option<fn(&[u8]) -> bool>,
    ) -> Self {
        let beginning: Arc<Mutex<Beginning>> = Arc::default();
        let kept = beginning.clone();
        let reading = tokio::spawn(async move {
            let Some(mut pipe) = pipe else { return };
            let mut piece = [0; 8 << 10];
            // The last part, whose end was not read yet.
            let mut part = Vec::new();
            while let Ok(length @ 1..) = pipe.read(&mut piece).await {
                let piece = &piece[..length];
                let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
                let Some(keep) = keep else {
                    kept.add(piece, most);
                    continue;
                };
                for byte in piece {
                    if part.len() < most {
                        part.push(*byte);
                    }
                    if *byte == 0 {
                        if keep(&part) {
                            kept.add(&part, most);
                        }
                        part.clear();
                    }
                }
            }
        });
        Self { beginning, reading }
    }

    /// Waits until the end of the output, for at most [`ENDS`]. Returns the stored output.
    async fn finish(mut self) -> Beginning {
        if timeout(ENDS, &mut self.reading).await.is_err() {
            self.reading.abort();
        }
        std::mem::take(
            &mut self
                .beginning
                .lock()
                .unwrap_or_else(PoisonError::into_inner),
        )
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    fn shell(script: &str) -> Command {
        let mut shell = command("sh", Path::new("/"));
        shell.args(["-c", script]);
        shell
    }

    #[tokio::test]
    async fn a_program_that_does_not_end_is_ended_with_what_it_has_started() {
        let folder = tempfile::tempdir().unwrap();
        let mark = folder.path().join("ended");
        let script = format!(
            "trap 'echo bye > {}; exit 1' TERM; sleep 600 & wait",
            mark.display()
        );
        let late = run(shell(&script), None, Duration::from_millis(300), None).await;
        assert!(matches!(late, Err(Failure::Late)));
        assert!(mark.exists());
    }

    #[tokio::test]
    async fn a_program_whose_caller_is_gone_may_remove_its_locks() {
        let folder = tempfile::tempdir().unwrap();
        let (begun, ended) = (folder.path().join("begun"), folder.path().join("ended"));
        for fifo in [&begun, &ended] {
            assert!(
                std::process::Command::new("mkfifo")
                    .arg(fifo)
                    .status()
                    .unwrap()
                    .success()
            );
        }
        let script = format!(
            "trap 'echo bye > {}; exit 1' TERM; echo > {}; sleep 600 & wait",
            ended.display(),
            begun.display()
        );
        let running = tokio::spawn(run(shell(&script), None, READS, None));
        let read = |fifo: PathBuf| tokio::task::spawn_blocking(move || std::fs::read(fifo));
        let soon = |read| timeout(READS, read);
        soon(read(begun)).await.unwrap().unwrap().unwrap();
        running.abort();
        assert_eq!(soon(read(ended)).await.unwrap().unwrap().unwrap(), b"bye\n");
    }

    #[tokio::test]
    async fn a_process_that_holds_the_pipes_is_not_waited_for_and_long_output_is_cut() {
        let held = run(shell("sleep 600 & echo done"), None, READS, None).await;
        assert_eq!(held.ok().unwrap().text(), "done\n");
        let long = run(shell("yes | head -c 3000000; exit 3"), None, READS, None).await;
        let long = long.ok().unwrap();
        assert_eq!((long.stdout.len(), long.code), (OUTPUT, Some(3)));
        let parts = "yes | head -n 900000 | tr '\\n' '\\0'";
        let parts = run(shell(parts), None, READS, None).await.ok().unwrap();
        assert_eq!((parts.stdout.len(), parts.count()), (OUTPUT, 900_000));
        let some = "yes no | head -n 900000 | tr '\\n' '\\0'; printf 'yes\\0no'";
        let some = run(
            shell(some),
            None,
            READS,
            Some(|part| part.starts_with(b"y")),
        );
        let some = some.await.ok().unwrap();
        assert_eq!(some.parts().collect::<Vec<_>>(), [b"yes"]);
        let echo = run(shell("cat"), Some(b"in".to_vec()), READS, None).await;
        assert_eq!(echo.ok().unwrap().text(), "in");
    }
}

//! Runs a testee for one case.

use std::fmt::Write as _;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use claw_types::line_to_value;
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWriteExt as _};
use tokio::process::Command;
use tokio::time::{Instant, sleep, timeout, timeout_at};

use super::judge::{Seen, quoted};
use super::{Case, ConformError, PATIENCE, Verdict};
use crate::processes;

/// The variable that marks the processes of a case.
const MARK: &str = "CLAW_CONFORM_CASE";
/// The time in which the processes of a case have to end after the testee.
const LEFT: Duration = Duration::from_secs(2);
/// The most bytes of a testee's output that are kept. The rest is read and dropped.
const OUTPUT: u64 = 256 << 20;
/// The most bytes of a testee's standard error that are kept.
const STDERR: u64 = 64 << 10;

/// How testees are started.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Testee {
    /// The testee's program and its arguments.
    pub command: Vec<String>,
    /// The program that plays `claude`: a [scripted agent](crate::agent), such as `scripted-agent`.
    pub agent: PathBuf,
    /// Variables that the agent gets, in addition to those of the testee's environment.
    pub agent_environment: Vec<(String, String)>,
}

impl Testee {
    /// Creates a testee that is started with this command, and whose SDK starts this agent.
    pub fn new(
        command: impl IntoIterator<Item = impl Into<String>>,
        agent: impl Into<PathBuf>,
    ) -> Self {
        Self {
            command: command.into_iter().map(Into::into).collect(),
            agent: agent.into(),
            agent_environment: Vec::new(),
        }
    }

    /// Sets a variable of the agent's environment.
    #[must_use]
    pub fn agent_variable(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.agent_environment.push((name.into(), value.into()));
        self
    }
}

/// Starts the testee for a case, waits for its end, and judges what it has written. Ends the processes that it leaves.
///
/// Needs Unix, because the agent is started by a shell script.
///
/// # Errors
/// Fails if the testee cannot be started, or if its files cannot be written.
///
/// # Cancel safety
/// Cancel safe: the testee is killed. The processes that it has started may be left.
pub async fn run(testee: &Testee, case: &Case) -> Result<Verdict, ConformError> {
    let place = Place::new(testee, case).map_err(ConformError::Files)?;
    let mut words = testee.command.iter();
    let program = words.next().map(PathBuf::from).unwrap_or_default();
    let mut child = Command::new(&program)
        .args(words)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .map_err(|source| ConformError::Start { program, source })?;
    let seconds = case.expect.seconds.map(Duration::from_secs);
    let patience = seconds.unwrap_or(PATIENCE);
    let deadline = Instant::now() + patience;

    let (mut output, mut stderr) = (Vec::new(), Vec::new());
    let (stdin, pipe, errors) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
    let given = given(case, &place);
    let mut reading = Box::pin(async {
        tokio::join!(
            collect(pipe, OUTPUT, &mut output),
            collect(errors, STDERR, &mut stderr)
        );
    });
    let mut is_read = false;
    let exit = async {
        if let Some(mut stdin) = stdin {
            // The write fails if the testee has ended without reading its case. Its exit code and its output are judged.
            let _ = stdin.write_all(given.as_bytes()).await;
        }
        tokio::select! {
            status = child.wait() => status,
            () = &mut reading => {
                is_read = true;
                child.wait().await
            }
        }
    };
    let ended = timeout_at(deadline, exit).await;
    if ended.is_err() {
        let _ = child.start_kill();
        let _ = timeout(LEFT, child.wait()).await;
    }
    if is_read {
        drop(reading);
    } else {
        // A process that the SDK has left may hold the testee's pipes open.
        let _ = timeout(LEFT, reading).await;
    }
    let mut faults = Vec::new();
    match ended {
        Ok(Ok(status)) if status.success() => {}
        Ok(Ok(status)) => faults.push(format!(
            "the testee ended with {status}{}",
            last_line(&stderr)
        )),
        Ok(Err(error)) => faults.push(format!("the testee's end is unknown: {error}")),
        Err(_) => {
            let seconds = patience.as_secs();
            faults.push(format!(
                "the testee did not end within {seconds} seconds{}",
                last_line(&stderr)
            ));
        }
    }
    let left = place.end_processes().await;
    faults.extend(left.filter(|_| !case.expect.may_leave));
    let sent = place.sent();
    Ok(Seen::read(&output).judge(&case.expect, &sent, faults))
}

/// Returns the line that the testee gets.
fn given(case: &Case, place: &Place) -> String {
    let mut given = case.input.clone();
    given.entry("prompts").or_insert_with(|| json!(["Hello."]));
    given.insert("case".to_owned(), json!(case.name));
    given.insert("claude".to_owned(), json!(place.claude));
    given.insert("folder".to_owned(), json!(place.project));
    Value::Object(given).to_string() + "\n"
}

/// Reads a pipe to its end, and keeps its first bytes.
async fn collect(pipe: Option<impl AsyncRead + Unpin>, most: u64, kept: &mut Vec<u8>) {
    let Some(mut pipe) = pipe else { return };
    let read = (&mut pipe).take(most).read_to_end(kept).await;
    if read.is_ok() {
        let _ = tokio::io::copy(&mut pipe, &mut tokio::io::sink()).await;
    }
}

fn last_line(stderr: &[u8]) -> String {
    let text = String::from_utf8_lossy(stderr);
    match text.trim().lines().next_back() {
        Some(last) => format!(": {}", quoted(last)),
        None => String::new(),
    }
}

/// The files of a case.
struct Place {
    _folder: TempDir,
    claude: PathBuf,
    project: PathBuf,
    log: PathBuf,
    mark: String,
}

impl Place {
    fn new(testee: &Testee, case: &Case) -> io::Result<Self> {
        let folder = tempfile::tempdir()?;
        let at = |name: &str| folder.path().join(name);
        let project = at("project");
        fs::create_dir(&project)?;
        fs::write(at("script.json"), serde_json::to_string(&case.script)?)?;
        let mark = format!("{}", folder.path().display());
        let mut variables = testee.agent_environment.clone();
        let mut set = |name: &str, value: String| variables.push((name.to_owned(), value));
        set("CLAW_AGENT_SCRIPT", at("script.json").display().to_string());
        set("CLAW_AGENT_LOG", at("log.ndjson").display().to_string());
        set(MARK, mark.clone());
        let claude = at("claude");
        write_program(&claude, &testee.agent, &variables)?;
        Ok(Self {
            claude,
            project,
            log: at("log.ndjson"),
            mark,
            _folder: folder,
        })
    }

    /// Waits for the end of the processes that the SDK has started, and ends those that are left. Returns a fault if
    /// there were any.
    async fn end_processes(&self) -> Option<String> {
        let variable = format!("{MARK}={}", self.mark);
        let until = Instant::now() + LEFT;
        loop {
            let left = processes::with_variable(&variable);
            if left.is_empty() {
                return None;
            }
            if Instant::now() >= until {
                let count = left.len();
                for pid in left {
                    // It may have ended meanwhile.
                    let _ = processes::kill(pid);
                }
                return Some(format!("{count} processes are left after the session"));
            }
            sleep(Duration::from_millis(20)).await;
        }
    }

    /// Returns the lines that the agent has received.
    fn sent(&self) -> Vec<Value> {
        let log = fs::read(&self.log).unwrap_or_default();
        let lines = log.split(|byte| *byte == b'\n');
        let texts = lines.filter_map(|line| std::str::from_utf8(line).ok());
        texts.filter_map(|text| line_to_value(text).ok()).collect()
    }
}

/// Writes a shell script that plays `claude`. It also answers the question for the version, which some SDKs ask first.
fn write_program(path: &Path, agent: &Path, variables: &[(String, String)]) -> io::Result<()> {
    let version = claw_types::CLI_VERSION;
    let mut text = format!(
        "#!/bin/sh\ncase \"$1\" in -v|--version) echo '{version} (Claude Code)'; exit;; esac\n"
    );
    for (name, value) in variables {
        let _ = writeln!(text, "export {name}={}", shell_word(value));
    }
    let _ = writeln!(
        text,
        "exec {} \"$@\"",
        shell_word(&agent.display().to_string())
    );
    fs::write(path, text)?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        fs::set_permissions(path, fs::Permissions::from_mode(0o755))?;
    }
    Ok(())
}

fn shell_word(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

#[cfg(all(test, unix))]
mod tests {
    use super::super::cases;
    use super::*;

    #[tokio::test]
    async fn a_process_that_holds_the_pipes_of_a_testee_is_not_waited_for() {
        let program = processes::program().unwrap().display().to_string();
        let variable = format!("CLAW_TEST_TESTEE={}", std::process::id());
        let testee = Testee::new(
            [
                "env",
                &variable,
                &program,
                "spawn=wait",
                "say={\"end\":true}",
            ],
            "unused",
        );
        let mut case = cases().swap_remove(0);
        case.expect = super::super::Expected {
            seconds: Some(20),
            ..Default::default()
        };
        let begun = Instant::now();
        assert_eq!(run(&testee, &case).await.unwrap(), Verdict::Passed);
        assert!(begun.elapsed() < Duration::from_secs(15));
        let left = processes::with_variable(&variable);
        assert_eq!(left.len(), 1);
        processes::kill(left[0]).unwrap();
    }
}

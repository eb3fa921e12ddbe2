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
use tokio::io::{
    AsyncBufReadExt as _, AsyncRead, AsyncReadExt as _, AsyncWriteExt as _, BufReader,
};
use tokio::process::Command;
use tokio::sync::Notify;
use tokio::time::{Instant, sleep, timeout, timeout_at};

use super::judge::{Seen, quoted};
use super::{Case, ConformError, PATIENCE, Verdict};
use crate::processes;

/// The environment variable that marks the processes of a case.
const MARK: &str = "CLAW_CONFORM_CASE";
/// The time in which the processes of a case must end after the testee has ended.
const LEFT: Duration = Duration::from_secs(2);
/// The maximum number of bytes of a testee's output that are stored. Further output is read and dropped.
const OUTPUT: u64 = 256 << 20;
/// The maximum number of bytes of a testee's standard error that are stored.
const STDERR: u64 = 64 << 10;

/// The commands with which the testee and the agent are started.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Testee {
    /// The testee's program and its arguments.
    pub command: Vec<String>,
    /// The program that the SDK starts in place of `claude`. It is a [scripted agent](crate::agent), such as
    /// `scripted-agent`.
    pub agent: PathBuf,
    /// Environment variables that the agent gets in addition to those that it inherits from the testee.
    pub agent_environment: Vec<(String, String)>,
}

impl Testee {
    /// Creates a testee that is started with this command. Its SDK starts this agent.
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

/// Starts the testee for a case, waits until it has ended, and checks its output. Kills the processes that are left.
///
/// Needs Unix, because the agent is started by a shell script.
///
/// # Errors
/// Fails if the testee cannot be started, or if its files cannot be written.
///
/// # Cancel safety
/// Cancel safe. If the future is dropped, the testee is killed, but the processes that it has started may still run.
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
    let answered = Notify::new();
    let (stdin, pipe, errors) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
    let given = given(case, &place);
    let mut reading = Box::pin(async {
        let errors = collect(errors, STDERR, &mut stderr);
        if case.kill {
            tokio::join!(collect_lines(pipe, &mut output, &answered), errors);
        } else {
            tokio::join!(collect(pipe, OUTPUT, &mut output), errors);
        }
    });
    let mut is_read = false;
    let exit = async {
        if let Some(mut stdin) = stdin {
            // This write fails if the testee has ended without reading its case. Its exit code and its output are
            // checked later.
            let _ = stdin.write_all(given.as_bytes()).await;
        }
        if case.kill {
            tokio::select! {
                () = answered.notified() => child.start_kill()?,
                () = &mut reading => is_read = true,
            }
        }
        tokio::select! {
            status = child.wait() => status,
            () = &mut reading, if !is_read => {
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
        // A process that the SDK left behind may keep the testee's pipes open.
        let _ = timeout(LEFT, reading).await;
    }
    let mut faults = Vec::new();
    match ended {
        Ok(Ok(status)) if status.success() || case.kill => {}
        Ok(Ok(status)) => faults.push(format!(
            "the testee ended with {status}{}",
            ends_of(&stderr)
        )),
        Ok(Err(error)) => faults.push(format!("the testee's end is unknown: {error}")),
        Err(_) => {
            let seconds = patience.as_secs();
            faults.push(format!(
                "the testee did not end within {seconds} seconds{}",
                ends_of(&stderr)
            ));
        }
    }
    let left = place.end_processes().await;
    faults.extend(left.filter(|_| !case.expect.may_leave));
    let sent = place.sent();
    let mut seen = Seen::read(&output);
    // A testee that was killed cannot report the end of its session.
    seen.is_ended |= case.kill;
    Ok(seen.judge(&case.expect, &sent, faults))
}

/// Returns the line with the case that the testee reads.
fn given(case: &Case, place: &Place) -> String {
    let mut given = case.input.clone();
    given.entry("prompts").or_insert_with(|| json!(["Hello."]));
    given.insert("case".to_owned(), json!(case.name));
    given.insert("claude".to_owned(), json!(place.claude));
    given.insert("folder".to_owned(), json!(place.project));
    Value::Object(given).to_string() + "\n"
}

/// Reads the testee's output to its end, and stores its first bytes. Notifies `answered` after the first message of
/// type `assistant`.
async fn collect_lines(
    pipe: Option<impl AsyncRead + Unpin>,
    kept: &mut Vec<u8>,
    answered: &Notify,
) {
    let Some(pipe) = pipe else { return };
    let mut pipe = BufReader::new(pipe);
    let mut has_answered = false;
    while !has_answered && (kept.len() as u64) < OUTPUT {
        let start = kept.len();
        let most = OUTPUT - start as u64;
        let read = (&mut pipe).take(most).read_until(b'\n', kept).await;
        if !read.is_ok_and(|count| count > 0) {
            return;
        }
        let line = std::str::from_utf8(&kept[start..]).ok();
        let event = line.and_then(|line| line_to_value(line).ok());
        has_answered = event.is_some_and(|event| event["message"]["type"] == "assistant");
    }
    if has_answered {
        answered.notify_one();
    }
    let most = OUTPUT.saturating_sub(kept.len() as u64);
    collect(Some(pipe), most, kept).await;
}

/// Reads a pipe to its end, and stores its first bytes.
async fn collect(pipe: Option<impl AsyncRead + Unpin>, most: u64, kept: &mut Vec<u8>) {
    let Some(mut pipe) = pipe else { return };
    let read = (&mut pipe).take(most).read_to_end(kept).await;
    if read.is_ok() {
        let _ = tokio::io::copy(&mut pipe, &mut tokio::io::sink()).await;
    }
}
/// Returns the first and the last line that a testee wrote to standard error. If the testee wrote a stack trace, one of
/// these lines contains the error.
fn ends_of(stderr: &[u8]) -> String {
    let text = String::from_utf8_lossy(stderr);
    let mut lines = text.trim().lines();
    match (lines.next(), lines.next_back()) {
        (Some(first), Some(last)) => format!(": {} … {}", quoted(first), quoted(last)),
        (Some(only), None) => format!(": {}", quoted(only)),
        (None, _) => String::new(),
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
        for (states, partial) in [(false, false), (false, true), (true, false), (true, true)] {
            let mut script = case.script.clone();
            script.state_frames &= states;
            script.partial_messages &= partial;
            let name = format!("script-{states}-{partial}.json");
            fs::write(at(&name), serde_json::to_string(&script)?)?;
        }
        let mark = format!("{}", folder.path().display());
        let mut variables = testee.agent_environment.clone();
        let mut set = |name: &str, value: String| variables.push((name.to_owned(), value));
        set("CLAW_AGENT_LOG", at("log.ndjson").display().to_string());
        set(MARK, mark.clone());
        let claude = at("claude");
        write_program(&claude, folder.path(), &testee.agent, &variables)?;
        Ok(Self {
            claude,
            project,
            log: at("log.ndjson"),
            mark,
            _folder: folder,
        })
    }

    /// Waits until the processes that the SDK started have ended, and kills those that are still running after that
    /// time. Returns a fault if such processes were killed.
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
                    // Killing fails if the process has ended in the meantime.
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

/// Writes a shell script that replaces `claude`. The script also answers the request for the version, which some SDKs
/// send first. Like `claude`, the script writes stream events only if an argument requests them, and session states
/// only if an environment variable requests them.
fn write_program(
    path: &Path,
    folder: &Path,
    agent: &Path,
    variables: &[(String, String)],
) -> io::Result<()> {
    let version = claw_types::CLI_VERSION;
    let mut text = format!(
        "#!/bin/sh\ncase \"$1\" in -v|--version) echo '{version} (Claude Code)'; exit;; esac\n"
    );
    for (name, value) in variables {
        let _ = writeln!(text, "export {name}={}", shell_word(value));
    }
    let folder = shell_word(&folder.display().to_string());
    let _ = write!(
        text,
        "states=false
[ -n \"$CLAUDE_CODE_SDK_READS_SESSION_STATE$CLAUDE_CODE_EMIT_SESSION_STATE_EVENTS\" ] && states=true
case \" $* \" in *' --include-partial-messages '*) partial=true;; *) partial=false;; esac
export CLAW_AGENT_SCRIPT={folder}/script-$states-$partial.json
"
    );
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

    #[tokio::test]
    async fn a_testee_is_killed_after_the_first_answer() {
        let program = processes::program().unwrap().display().to_string();
        let answer = "say={\"message\":{\"type\":\"assistant\"}}";
        let testee = Testee::new([&program, answer, "wait"], "unused");
        let mut case = cases().swap_remove(0);
        case.kill = true;
        case.expect = super::super::Expected {
            messages: vec![json!({"type": "assistant"})],
            ..Default::default()
        };
        assert_eq!(run(&testee, &case).await.unwrap(), Verdict::Passed);
        let silent = Testee::new([&program, "say={\"end\":true}"], "unused");
        let verdict = run(&silent, &case).await.unwrap();
        assert!(matches!(verdict, Verdict::Failed(wrong) if wrong.len() == 1));
    }

    #[test]
    fn an_error_is_quoted_from_either_end_of_a_trace() {
        assert_eq!(ends_of(b" \n"), "");
        assert_eq!(ends_of(b"NameError\n"), ": NameError");
        let trace = b"a.rb:4: no method\nfrom b.rb:2\nfrom c.rb:1\n";
        assert_eq!(ends_of(trace), ": a.rb:4: no method \u{2026} from c.rb:1");
    }

    #[tokio::test]
    async fn the_stand_in_writes_what_was_requested() {
        let folder = tempfile::tempdir().unwrap();
        let program = folder.path().join("claude");
        write_program(&program, folder.path(), Path::new("/bin/sh"), &[]).unwrap();
        for (states, flag, name) in [
            (None, "--verbose", "script-false-false.json"),
            (Some("1"), "--verbose", "script-true-false.json"),
            (None, "--include-partial-messages", "script-false-true.json"),
        ] {
            let mut command = Command::new(&program);
            command
                .args(["-c", "echo $CLAW_AGENT_SCRIPT", flag])
                .env_clear();
            command.envs(states.map(|value| ("CLAUDE_CODE_SDK_READS_SESSION_STATE", value)));
            let output = command.output().await.unwrap();
            let script = String::from_utf8(output.stdout).unwrap();
            assert_eq!(Path::new(script.trim()), folder.path().join(name));
        }
    }
}

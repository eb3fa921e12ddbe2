//! Runs tests, each in a separate process with a timeout.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use super::Platform;
use super::programs::Test;
use xtask::run::Result;

/// The outcome of a test. `Err` contains the output of the test.
pub(super) type Outcome = std::result::Result<(), String>;

/// The maximum number of attempts for a test that fails because of a fault in the runner.
const ATTEMPTS: u32 = 3;

/// Runs all tests, with at most `jobs` at once. `command` returns the command that runs a program.
pub(super) fn all(
    tests: &[(Test, PathBuf)],
    jobs: usize,
    platform: &Platform,
    command: impl Fn(&Path) -> Command + Sync,
) -> Result<Vec<(Test, Outcome)>> {
    let outputs = std::env::temp_dir().join(format!("claw-platform-{}", std::process::id()));
    fs::create_dir_all(&outputs)?;
    let (next, done) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let work = || -> std::result::Result<(), String> {
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some((test, program)) = tests.get(at) else {
                return Ok(());
            };
            let output = outputs.join(at.to_string());
            let mut attempts = 1;
            let outcome = loop {
                let mut command = command(program);
                command.args(["--exact", &test.name, "--nocapture"]);
                let outcome = one(command, &output, platform.patience);
                let outcome = outcome.map_err(|error| error.to_string())?;
                let is_of_runner =
                    |text: &String| platform.fault.is_some_and(|it| text.contains(it));
                if attempts == ATTEMPTS || !outcome.as_ref().is_err_and(is_of_runner) {
                    break outcome;
                }
                attempts += 1;
                println!("again  {test}");
            };
            let word = if outcome.is_ok() { "ok" } else { "FAILED" };
            println!("{word:<6} {test}");
            if let Ok(mut done) = done.lock() {
                done.push((test.clone(), outcome));
            }
        }
    };
    let ended: Vec<_> = thread::scope(|scope| {
        let threads: Vec<_> = (0..jobs.max(1)).map(|_| scope.spawn(work)).collect();
        threads
            .into_iter()
            .map(thread::ScopedJoinHandle::join)
            .collect()
    });
    fs::remove_dir_all(&outputs)?;
    for ended in ended {
        ended.map_err(|_| "a thread that runs tests has panicked")??;
    }
    let mut done = done.into_inner().map_err(|_| "a thread has panicked")?;
    done.sort_by(|(one, _), (other, _)| one.cmp(other));
    Ok(done)
}

fn one(mut command: Command, output: &Path, patience: Duration) -> Result<Outcome> {
    // The output is written to a file and not to a pipe, because processes that the test leaves behind may keep a pipe
    // open.
    let file = File::create(output)?;
    command
        .stdin(Stdio::null())
        .stdout(file.try_clone()?)
        .stderr(file);
    // The test gets its own process group, so that all its processes can be killed.
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    let mut child = command
        .spawn()
        .map_err(|error| format!("a test does not start: {error}"))?;
    let status = wait(&mut child, patience)?;
    let text = String::from_utf8_lossy(&fs::read(output)?).into_owned();
    fs::remove_file(output)?;
    Ok(match status {
        // The program also succeeds if there is no test with this name, so its output is checked, too.
        Some(status) if status.success() && text.contains("test result: ok. 1 passed") => Ok(()),
        Some(status) => Err(format!("{text}\n{status}")),
        None => Err(format!("{text}\nended after {} s", patience.as_secs())),
    })
}

/// Waits for the end of the process. If the process runs too long, kills its process group and returns `None`.
fn wait(child: &mut Child, patience: Duration) -> Result<Option<ExitStatus>> {
    let begun = Instant::now();
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        if begun.elapsed() > patience {
            let group = format!("-{}", child.id());
            Command::new("kill").args(["-9", "--", &group]).status()?;
            child.wait()?;
            return Ok(None);
        }
        thread::sleep(Duration::from_millis(10));
    }
}

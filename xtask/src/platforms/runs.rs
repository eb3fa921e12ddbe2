//! Runs tests, each in a process of its own and with a time-out.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use super::programs::Test;
use xtask::run::Result;

/// What came of a test. `Err` has what it wrote.
pub(super) type Outcome = std::result::Result<(), String>;

/// What came of one try.
enum Ended {
    ByItself(Outcome),
    /// It took too long. What it wrote.
    Stopped(String),
}

/// Runs all tests, so many at once. One that takes too long is run once more if `again`. `command` makes the command that
/// runs a program.
pub(super) fn all(
    tests: &[(Test, PathBuf)],
    jobs: usize,
    patience: Duration,
    again: bool,
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
            let run = || {
                let mut command = command(program);
                command.args(["--exact", &test.name, "--nocapture"]);
                one(command, &output, patience).map_err(|error| error.to_string())
            };
            let mut ended = run()?;
            if again && matches!(ended, Ended::Stopped(_)) {
                println!(
                    "AGAIN  {test}: it took longer than {} s",
                    patience.as_secs()
                );
                ended = run()?;
            }
            let outcome = match ended {
                Ended::ByItself(outcome) => outcome,
                Ended::Stopped(text) => Err(text),
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

fn one(mut command: Command, output: &Path, patience: Duration) -> Result<Ended> {
    // A file and no pipe: what a test leaves behind may hold it open.
    let file = File::create(output)?;
    command
        .stdin(Stdio::null())
        .stdout(file.try_clone()?)
        .stderr(file);
    // So that all of it can be ended.
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    let mut child = command
        .spawn()
        .map_err(|error| format!("a test does not start: {error}"))?;
    let status = wait(&mut child, patience)?;
    let text = String::from_utf8_lossy(&fs::read(output)?).into_owned();
    fs::remove_file(output)?;
    Ok(match status {
        // A name that is none succeeds as well.
        Some(status) if status.success() && text.contains("test result: ok. 1 passed") => {
            Ended::ByItself(Ok(()))
        }
        Some(status) => Ended::ByItself(Err(format!("{text}\n{status}"))),
        None => Ended::Stopped(format!("{text}\nended after {} s", patience.as_secs())),
    })
}

/// Waits for its end. `None`: it took too long, and its process group was killed.
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

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use super::*;

    /// A test that stops for ever the first time, and passes from then on.
    fn outcomes(again: bool) -> Vec<(Test, Outcome)> {
        let folder = tempfile::tempdir().unwrap();
        let script = "[ -e begun ] && exec echo 'test result: ok. 1 passed'; : > begun; sleep 1000";
        let test = Test {
            package: "claw-x".to_owned(),
            program: "it".to_owned(),
            name: "stops".to_owned(),
        };
        let tests = [(test, PathBuf::from("sh"))];
        let patience = Duration::from_secs(3);
        all(&tests, 1, patience, again, |program| {
            let mut command = Command::new(program);
            command.args(["-c", script]).current_dir(folder.path());
            command
        })
        .unwrap()
    }

    #[test]
    fn a_test_that_takes_too_long_is_run_once_more_where_that_is_known_to_happen() {
        let ends = [true, false].map(|again| outcomes(again).remove(0).1);
        assert_eq!(ends[0], Ok(()));
        let text = ends[1].clone().unwrap_err();
        assert!(text.ends_with("ended after 3 s"), "{text}");
    }
}

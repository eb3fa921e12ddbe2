//! Runs the executables of tests side by side. `cargo test` runs one after the other, and the last tests of each leave
//! cores idle.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, PoisonError};
use std::thread;

use serde_json::Value;

use xtask::run::{Result, read, run, spelled};

/// The number of executables that run at once.
const AT_ONCE: usize = 2;

/// Returns the executables of the tests that a `cargo test` command builds, the largest first: they have most tests. Each
/// runs in the folder of its package, as cargo runs it.
///
/// # Errors
/// Fails if a test cannot be built.
pub(super) fn build(test: &mut Command) -> Result<Vec<Command>> {
    let messages = read(test.args(["--no-run", "--message-format=json-render-diagnostics"]))?;
    let mut found = Vec::new();
    for message in messages.lines() {
        let message: Value = serde_json::from_str(message)?;
        let executable = message["executable"]
            .as_str()
            .filter(|_| message["profile"]["test"] == true);
        let (Some(executable), Some(manifest)) = (executable, message["manifest_path"].as_str())
        else {
            continue;
        };
        let folder = Path::new(manifest).parent().unwrap_or(Path::new("."));
        let mut command = Command::new(executable);
        command
            .current_dir(folder)
            .env("CARGO_MANIFEST_DIR", folder);
        found.push((fs::metadata(executable)?.len(), command));
    }
    found.sort_by_key(|(size, _)| std::cmp::Reverse(*size));
    Ok(found.into_iter().map(|(_, command)| command).collect())
}

/// Runs commands, two at once, and prints the output of each as a whole when it has ended. After one fails, the others still
/// run. `folder` keeps the outputs.
///
/// # Errors
/// Fails if a command does not succeed.
pub(super) fn run_all(commands: Vec<Command>, folder: &Path) -> Result {
    fs::create_dir_all(folder)?;
    let queue = Mutex::new(commands.into_iter().enumerate());
    let next = || queue.lock().unwrap_or_else(PoisonError::into_inner).next();
    let work = || {
        let mut failed = Vec::new();
        while let Some((index, mut command)) = next() {
            let path = folder.join(format!("{index}.txt"));
            failed.extend(
                run_into(&mut command, path)
                    .err()
                    .map(|error| error.to_string()),
            );
        }
        failed
    };
    let failed = thread::scope(|scope| {
        let workers: Vec<_> = (0..AT_ONCE).map(|_| scope.spawn(work)).collect();
        let results = workers.into_iter().map(thread::ScopedJoinHandle::join);
        results
            .flat_map(|failed| failed.unwrap_or_else(|_| vec!["a worker panicked".to_owned()]))
            .collect::<Vec<_>>()
    });
    if failed.is_empty() {
        Ok(())
    } else {
        Err(failed.join("\n").into())
    }
}

/// Runs a command with its output in a file, and prints the file.
fn run_into(command: &mut Command, path: PathBuf) -> Result {
    let mut output = File::create(&path)?;
    writeln!(output, "\n$ {}", spelled(command))?;
    let result = run(command.stdout(output.try_clone()?).stderr(output));
    io::copy(&mut File::open(path)?, &mut io::stdout().lock())?;
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str) -> Command {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        command
    }

    #[test]
    #[cfg(unix)]
    fn after_a_failure_the_others_run_and_each_output_is_whole() {
        let folder = tempfile::tempdir().unwrap();
        let scripts = ["echo a; exit 3", "echo b; echo c >&2", "exit 4", "echo d"];
        let failed = run_all(scripts.map(shell).into(), folder.path()).unwrap_err();
        let failed = failed.to_string();
        assert!(
            failed.contains("exit status: 3") && failed.contains("exit status: 4"),
            "{failed}"
        );
        let output =
            |index| fs::read_to_string(folder.path().join(format!("{index}.txt"))).unwrap();
        assert!(output(0).ends_with("exit 3\na\n"));
        assert!(output(1).ends_with("b\nc\n"));
        assert!(output(3).ends_with("d\n"));
    }
}

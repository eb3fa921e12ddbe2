//! Runs commands at the same time, to use all cores. `cargo test` alone runs one executable after the other, and the
//! last tests of each executable leave cores idle. This module also runs tests that failed a second time, one after the
//! other.

use std::fs::{self, File};
use std::io::Write as _;
use std::iter;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, PoisonError};
use std::thread;

use serde_json::Value;

use xtask::run::{Result, read, run, spelled};

/// The number of executables of tests that run at the same time.
const AT_ONCE: usize = 2;
/// The maximum number of failed tests that run again. If more tests fail, the code is the likely cause.
const MOST_AGAIN: usize = 3;

/// The test executable that uses browsers. Its tests run one after the other, and take longer than those of any other
/// executable.
const LONGEST: &str = "page";

/// Builds the executables of a `cargo test` command, and returns the commands that run them. The executable with
/// browsers comes first. The others are sorted by size, the largest first, because large executables usually contain
/// many tests. Each command runs in the folder of its package, as with cargo. The tests of a procedural macro need the
/// library path that `cargo xtask` sets.
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
        let is_longest = message["target"]["name"] == LONGEST;
        found.push((is_longest, fs::metadata(executable)?.len(), command));
    }
    found.sort_by_key(|(is_longest, size, _)| std::cmp::Reverse((*is_longest, *size)));
    Ok(found.into_iter().map(|(_, _, command)| command).collect())
}

/// Runs the executables of tests, two at the same time. When one has ended, prints its whole output. If one fails, the
/// others still run. The outputs are stored in `folder`. If at most three tests fail, these tests run again while no other
/// test runs, because tests with the real CLI can fail on a machine that is too busy. Returns the names of the tests that
/// failed only the first time. The summary of the run contains these names.
///
/// # Errors
/// Fails if a test fails twice, if more than three tests fail, or if an executable does not report which tests failed.
pub(super) fn run_tests(commands: Vec<Command>, folder: &Path) -> Result<Vec<String>> {
    let failed = failures(commands, folder)?;
    let names: Vec<_> = failed.iter().flat_map(|failure| &failure.tests).collect();
    if names.len() > MOST_AGAIN || failed.iter().any(|failure| failure.tests.is_empty()) {
        let errors: Vec<_> = failed.iter().map(|failure| &*failure.error).collect();
        return Err(errors.join("\n").into());
    }
    let names = names.into_iter().cloned().collect();
    for mut failure in failed {
        println!("\nThese tests failed and run again, alone:");
        failure.command.arg("--exact").args(&failure.tests);
        let output = failure.output.with_extension("again.txt");
        run_into(&mut failure.command, &output)?;
    }
    Ok(names)
}

/// A command that failed.
struct Failure {
    command: Command,
    error: String,
    /// The file with the output of the command.
    output: PathBuf,
    /// The names of the tests that failed. Empty if the command does not run tests.
    tests: Vec<String>,
}

fn failures(commands: Vec<Command>, folder: &Path) -> Result<Vec<Failure>> {
    fs::create_dir_all(folder)?;
    let outputs = (0..).map(|index| folder.join(format!("{index}.txt")));
    let queue = Mutex::new(commands.into_iter().zip(outputs));
    let next = || queue.lock().unwrap_or_else(PoisonError::into_inner).next();
    let work = || {
        let mut failed = Vec::new();
        for (mut command, output) in iter::from_fn(next) {
            if let Err(error) = run_into(&mut command, &output) {
                let tests =
                    fs::read(&output).map(|bytes| failed_tests(&String::from_utf8_lossy(&bytes)));
                failed.push(Failure {
                    command,
                    error: error.to_string(),
                    output,
                    tests: tests.unwrap_or_default(),
                });
            }
        }
        failed
    };
    thread::scope(|scope| {
        let workers: Vec<_> = (0..AT_ONCE).map(|_| scope.spawn(work)).collect();
        let mut failed = Vec::new();
        for worker in workers {
            failed.extend(worker.join().map_err(|_| "a worker panicked")?);
        }
        Ok(failed)
    })
}

/// Returns the names in the list of failures at the end of a test executable's output. Names with spaces belong to doc
/// tests and are left out, because no executable runs doc tests.
fn failed_tests(output: &str) -> Vec<String> {
    let lines: Vec<_> = output.lines().collect();
    let list = lines.iter().rposition(|line| *line == "failures:");
    let names = lines[list.map_or(lines.len(), |at| at + 1)..].iter();
    names
        .map_while(|line| line.strip_prefix("    "))
        .filter(|name| !name.contains(' '))
        .map(str::to_owned)
        .collect()
}

/// Runs a command whose output is written to a file, and then prints the file.
fn run_into(command: &mut Command, path: &Path) -> Result {
    let mut output = File::create(path)?;
    writeln!(output, "\n$ {}", spelled(command))?;
    let result = run(command.stdout(output.try_clone()?).stderr(output));
    print!("{}", String::from_utf8_lossy(&fs::read(path)?));
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
        let commands = scripts.into_iter().map(shell).collect();
        let failed = run_tests(commands, folder.path()).unwrap_err();
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

    /// Creates a program that behaves like an executable of tests, and fails in the first runs.
    #[cfg(unix)]
    fn executable(folder: &Path, failed: &[&str], failing_runs: usize) -> Command {
        let names: Vec<_> = failed.iter().map(|name| format!("    {name}")).collect();
        let list = format!(
            "failures:\n\n---- x stdout ----\nfailures:\n\nfailures:\n{}\n\ntest result: FAILED\n",
            names.join("\n")
        );
        let runs = folder.join("runs");
        shell(&format!(
            "echo run >>{0}; test $(wc -l <{0}) -gt {failing_runs} || {{ printf '{list}'; exit 101; }}",
            runs.display()
        ))
    }

    #[test]
    #[cfg(unix)]
    fn few_failed_tests_run_again_and_are_named() {
        for (failed, failing_runs, expected) in [
            (&["a::b", "c"][..], 1, Ok(&["a::b", "c"][..])),
            (&["a::b"], 2, Err(2)),
            (&["a", "b", "c", "d"], 1, Err(1)),
            (&[], 1, Err(1)),
        ] {
            let folder = tempfile::tempdir().unwrap();
            let command = executable(folder.path(), failed, failing_runs);
            let result = run_tests(vec![command, shell("echo passed")], folder.path());
            let runs = fs::read_to_string(folder.path().join("runs")).unwrap();
            match expected {
                Ok(expected) => assert_eq!(result.unwrap(), expected),
                Err(expected) => {
                    assert!(result.unwrap_err().to_string().contains("101"));
                    assert_eq!(runs.lines().count(), expected, "{failed:?}");
                }
            }
        }
    }

    #[test]
    fn the_names_of_failed_tests_are_those_of_the_last_list() {
        let output = "failures:\n    x\n\nfailures:\n    a::b\n    c\n\ntest result: FAILED.\n";
        assert_eq!(failed_tests(output), ["a::b", "c"]);
        assert_eq!(failed_tests("killed"), [""; 0]);
        let documented = "failures:\n    src/lib.rs - f (line 3)\n\ntest result: FAILED.\n";
        assert_eq!(failed_tests(documented), [""; 0]);
    }
}

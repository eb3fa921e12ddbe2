//! Runs other programs.

use std::env;
use std::ffi::OsString;
use std::process::{Command, ExitCode, Stdio};

/// The result of every command. The text of the error is shown to the person at the terminal.
pub type Result<T = ()> = std::result::Result<T, Box<dyn std::error::Error>>;

/// Returns the exit code of a command, and prints its error.
pub fn ended(done: Result<ExitCode>) -> ExitCode {
    done.unwrap_or_else(|error| {
        eprintln!("error: {error}");
        ExitCode::FAILURE
    })
}

/// Returns a command that runs a cargo subcommand, with the same cargo that runs this program.
pub fn cargo(subcommand: &str) -> Command {
    let program = env::var_os("CARGO").unwrap_or_else(|| OsString::from("cargo"));
    let mut command = Command::new(program);
    command.arg(subcommand);
    command
}

/// Runs a command with the stdout and stderr of this process, and prints the command to stderr.
///
/// # Errors
/// Fails if the command cannot be started or does not succeed.
pub fn run(command: &mut Command) -> Result {
    eprintln!("$ {}", spelled(command));
    let status = command
        .stdin(Stdio::null())
        .status()
        .map_err(|error| format!("`{}` did not start: {error}", spelled(command)))?;
    if status.success() {
        Ok(())
    } else {
        Err(format!("`{}` ended with {status}", spelled(command)).into())
    }
}

/// Runs a command and returns its stdout. Its stderr is shown.
///
/// # Errors
/// Fails if the command cannot be started, does not succeed, or writes invalid UTF-8.
pub fn read(command: &mut Command) -> Result<String> {
    let output = command
        .stdin(Stdio::null())
        .stderr(Stdio::inherit())
        .output()
        .map_err(|error| format!("`{}` did not start: {error}", spelled(command)))?;
    if output.status.success() {
        Ok(String::from_utf8(output.stdout)?)
    } else {
        Err(format!("`{}` ended with {}", spelled(command), output.status).into())
    }
}

/// Returns the command in the form in which a person would type it, with the environment variables that were set for
/// it.
pub fn spelled(command: &Command) -> String {
    let mut words = Vec::new();
    for (name, value) in command.get_envs() {
        if let Some(value) = value {
            words.push(format!(
                "{}={:?}",
                name.display(),
                value.display().to_string()
            ));
        }
    }
    let program = std::path::Path::new(command.get_program());
    words.push(
        program
            .file_name()
            .unwrap_or(program.as_os_str())
            .display()
            .to_string(),
    );
    words.extend(command.get_args().map(|arg| arg.display().to_string()));
    words.join(" ")
}

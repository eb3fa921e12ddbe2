//! The defaults of options, which come from the environment and from the configuration file.

#[cfg(feature = "terminal")]
pub(crate) mod command;
#[cfg(feature = "terminal")]
pub(crate) mod file;
mod keys;
pub(crate) mod path;

use std::env;
use std::path::Path;

use clap::Command;
use clap::error::{ContextKind, ContextValue};

#[cfg(all(feature = "terminal", feature = "serve"))]
use self::keys::CONFIG_DIR;
use self::keys::{COMMANDS, is_key, variable};
#[cfg(all(feature = "terminal", feature = "serve"))]
use crate::args::config_dirs::ConfigDirs;
use crate::outcome::Outcome;

/// Adds the defaults of the environment and of the configuration file to the options of the called command, if its
/// options can have defaults.
///
/// # Errors
///
/// Prints the faults of the file with their lines, and fails if there are any.
pub(crate) fn apply(command: Command, called: &str) -> Result<Command, Outcome> {
    if !COMMANDS.contains(&called) {
        return Ok(command);
    }
    let command = with_environment(command, called);
    match path::path() {
        Some(path) => with_file(command, called, &path),
        None => Ok(command),
    }
}

/// Adds the name of the environment variable to an error about its value.
pub(crate) fn with_variable(mut error: clap::Error) -> clap::Error {
    let Some(ContextValue::String(option)) = error.get(ContextKind::InvalidArg) else {
        return error;
    };
    let Some(flag) = option.split([' ', '=']).next() else {
        return error;
    };
    let name = variable(flag.trim_start_matches('-'));
    let is_set = env::var_os(&name).is_some_and(|value| !value.is_empty());
    // A value on the command line takes precedence over the variable, so the error is then not
    // about the variable.
    let is_given = env::args_os().any(|given| {
        let given = given.to_string_lossy();
        given.split('=').next() == Some(flag)
    });
    if is_set && !is_given {
        let both = ContextValue::String(format!("{name}, the default of {option}"));
        error.insert(ContextKind::InvalidArg, both);
    }
    error
}

fn with_environment(command: Command, called: &str) -> Command {
    command.mut_subcommand(called, |sub| {
        sub.mut_args(|arg| {
            let name = arg
                .get_long()
                .filter(|_| is_key(called, &arg))
                .map(variable);
            match name {
                // The name must live as long as the process, so it is leaked.
                Some(name) if env::var_os(&name).is_some_and(|value| !value.is_empty()) => {
                    arg.env(&*name.leak()).hide_env(true)
                }
                _ => arg,
            }
        })
    })
}

/// Returns the configuration folders that the environment or the file names. It is for a command that also runs if the
/// file is not valid.
#[cfg(all(feature = "terminal", feature = "serve"))]
pub(crate) fn config_dirs() -> ConfigDirs {
    let set = env::var(variable(CONFIG_DIR))
        .ok()
        .filter(|set| !set.is_empty());
    let of_file = || {
        let file = file::File::load(&path::path()?).ok()?;
        Some(file.setting("sessions", CONFIG_DIR)?.values.clone())
    };
    let config_dirs = set.map(|set| vec![set]).or_else(of_file);
    ConfigDirs {
        config_dirs: config_dirs.unwrap_or_default(),
    }
}

#[cfg(feature = "terminal")]
fn with_file(command: Command, called: &str, path: &Path) -> Result<Command, Outcome> {
    let file = file::File::read(path)?;
    Ok(command.mut_subcommand(called, |sub| {
        sub.mut_args(|arg| {
            let long = arg.get_long().filter(|_| is_key(called, &arg));
            match long.and_then(|key| file.setting(called, key)) {
                // The values must live as long as the process, so they are leaked.
                Some(setting) => arg.default_values(
                    setting
                        .values
                        .iter()
                        .map(|value| &*value.clone().leak())
                        .collect::<Vec<_>>(),
                ),
                None => arg,
            }
        })
    }))
}

/// Fails if the file is not empty, because this build cannot read it.
#[cfg(not(feature = "terminal"))]
#[expect(clippy::unnecessary_wraps, reason = "the file is read in other builds")]
fn with_file(command: Command, _: &str, path: &Path) -> Result<Command, Outcome> {
    if std::fs::metadata(path).is_ok_and(|file| file.len() > 0) {
        let text = format!(
            "{}: this build does not read it, for it was built without the feature `terminal`",
            path.display()
        );
        crate::outcome::write_stderr(&format!("claw: {}\n", crate::escape::escape(&text)));
    }
    Ok(command)
}

//! Turns a command into a running process.

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::future::Future;
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::sync::Arc;

use claw_types::QueryOptions;

use crate::environment::{DEFAULTS, Default as Variable, by_options};
use crate::supervisor::Supervisor;
use crate::{CommandSpec, Pipes, TransportError};

/// The future that [`Launcher::launch`] returns. It is ready when the command has been started.
pub type Launching = Pin<Box<dyn Future<Output = Result<Pipes, TransportError>> + Send>>;

/// Decides where and how a command is run. The default is [`Local`].
pub trait Launcher: fmt::Debug + Send + Sync {
    /// Runs the command. If the launcher cannot write the command's `files` to a place where the program can read them,
    /// it must return an error for a command that has `files`.
    fn launch(&self, command: CommandSpec) -> Launching;

    /// Whether the command runs in the file system of this machine. If so, claw searches for the program. Otherwise,
    /// claw runs the program that the option `path_to_claude_code_executable` names, or else `claude`.
    fn is_local(&self) -> bool {
        false
    }
}

impl<L: Launcher + ?Sized> Launcher for Arc<L> {
    fn launch(&self, command: CommandSpec) -> Launching {
        (**self).launch(command)
    }

    fn is_local(&self) -> bool {
        (**self).is_local()
    }
}

/// Runs the command as a child of this process, in a separate process session. A thread of claw starts it. The
/// documentation of [`set_launch_hook`](crate::set_launch_hook) explains the consequences.
///
/// # Panics
///
/// The future of a launch panics outside of a tokio runtime, and in a runtime whose I/O is not enabled.
#[derive(Debug, Clone, Copy, Default)]
#[non_exhaustive]
pub struct Local;

impl Local {
    /// Creates the launcher for this machine.
    pub fn new() -> Self {
        Self
    }
}

impl Launcher for Local {
    fn launch(&self, command: CommandSpec) -> Launching {
        Box::pin(async move {
            let spawned = Supervisor::spawn(command).await?;
            let stdin = tokio::process::ChildStdin::from_std(spawned.stdin)?;
            let stdout = tokio::process::ChildStdout::from_std(spawned.stdout)?;
            Ok(Pipes::new(stdout, stdin, spawned.process))
        })
    }

    fn is_local(&self) -> bool {
        true
    }
}

/// Runs the command through another program, such as `ssh host` or `docker exec -i box`.
///
/// The remote side changes to the working directory and sets claw's own defaults for the environment. For both, the
/// remote side needs a POSIX `sh` and `env`. The environment variables of the options reach only the prefix program
/// itself. claw does not put them on a command line, because all users of the machine could read them there. To pass
/// them on, use the prefix program's own means (`docker exec --env NAME`, ssh's `SendEnv`).
///
/// The prefix program has no terminal on which it could ask for a password.
///
/// claw supervises the prefix program. When claw ends the prefix program, it depends on that program what happens to
/// the CLI. In any case, the CLI's stdin is closed.
#[derive(Debug, Clone)]
pub struct Prefix {
    words: Vec<OsString>,
    quoted: bool,
}

impl Prefix {
    /// Creates a launcher with a prefix program that runs the arguments after it unchanged, such as `docker exec -i
    /// box`.
    pub fn exec(words: impl IntoIterator<Item = impl Into<OsString>>) -> Self {
        Self {
            words: words.into_iter().map(Into::into).collect(),
            quoted: false,
        }
    }

    /// Creates a launcher with a prefix program that passes the arguments after it to a POSIX shell, such as `ssh
    /// host`. claw quotes the arguments for that shell.
    pub fn shell(words: impl IntoIterator<Item = impl Into<OsString>>) -> Self {
        Self {
            quoted: true,
            ..Self::exec(words)
        }
    }

    /// Returns the command that runs `command` with the prefix program. Starts nothing. The `program` and `args` of the
    /// result are the words of the prefix, then `sh`, `env` and the words of `command`. The working directory of the
    /// result is that of this process.
    ///
    /// # Errors
    ///
    /// Fails with [`TransportError::InvalidOption`] if the prefix is empty, if `command` has `files`, or if the name of
    /// the program of `command` begins with a dash.
    pub fn wrap(&self, command: CommandSpec) -> Result<CommandSpec, TransportError> {
        if !command.files.is_empty() {
            return Err(TransportError::invalid(
                "delivery",
                "a program behind a prefix reads no files of this machine",
            ));
        }
        let CommandSpec {
            program,
            args,
            env,
            cwd,
            ..
        } = &command;
        if program.as_os_str().as_encoded_bytes().starts_with(b"-") {
            return Err(TransportError::invalid(
                "path_to_claude_code_executable",
                "starts with a dash, which `env` takes for an option behind a prefix; name its path",
            ));
        }
        let mut far: Vec<OsString> = Vec::new();
        if let Some(cwd) = cwd {
            far.extend(["sh", "-c", "cd -- \"$0\" && exec \"$@\""].map(OsString::from));
            far.push(entered(cwd));
        }
        far.push("env".into());
        let by_options: Vec<_> = by_options(&QueryOptions::default())
            .into_iter()
            .map(|(name, _)| (name, None))
            .collect();
        let defaults = DEFAULTS.map(|(name, default)| (name, Some(default)));
        for (name, default) in defaults.into_iter().chain(by_options) {
            let value = match (env.get(OsStr::new(name)), default) {
                (Some(value), _) => value.clone(),
                (None, Some(Variable::SetUnless(_, other)))
                    if env.get(OsStr::new(other)).is_some_and(Option::is_some) =>
                {
                    continue;
                }
                (None, Some(Variable::Set(value) | Variable::SetUnless(value, _))) => {
                    Some(value.into())
                }
                (None, Some(Variable::Remove)) => None,
                (None, None) => continue,
            };
            match value {
                Some(value) => {
                    let mut pair = OsString::from(format!("{name}="));
                    pair.push(value);
                    far.push(pair);
                }
                None => far.extend(["-u", name].map(OsString::from)),
            }
        }
        if program.as_os_str().as_encoded_bytes().contains(&b'=') {
            // Without `sh`, `env` would treat the name of this program as a variable assignment.
            far.extend(["sh", "-c", "exec \"$0\" \"$@\""].map(OsString::from));
        }
        far.push(program.into());
        far.extend(args.iter().cloned());

        let Some((prefix, words)) = self.words.split_first() else {
            return Err(TransportError::invalid("launcher", "the prefix is empty"));
        };
        let mut args = words.to_vec();
        args.extend(
            far.into_iter()
                .map(|word| if self.quoted { quote(&word) } else { word }),
        );
        Ok(CommandSpec {
            program: PathBuf::from(prefix),
            args,
            cwd: None,
            ..command
        })
    }
}

impl Launcher for Prefix {
    fn launch(&self, command: CommandSpec) -> Launching {
        match self.wrap(command) {
            Ok(command) => Local.launch(command),
            Err(error) => Box::pin(std::future::ready(Err(error))),
        }
    }
}

/// Returns a directory in a form that is safe as an argument of `cd`. A relative directory gets the prefix `./`. Then
/// `cd` does not treat it as an option, does not treat `-` as the previous directory, and does not use `CDPATH`.
fn entered(cwd: &Path) -> OsString {
    let cwd = cwd.as_os_str();
    if cwd.as_encoded_bytes().starts_with(b"/") {
        return cwd.to_owned();
    }
    let mut path = OsString::from("./");
    path.push(cwd);
    path
}

/// Quotes a word for a POSIX shell. Parts that are not valid Unicode are replaced.
fn quote(word: &OsStr) -> OsString {
    let word = word.to_string_lossy();
    format!("'{}'", word.replace('\'', r"'\''")).into()
}

#[cfg(test)]
mod tests;

//! Describes the command to run. A launcher starts it as a process.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::TransportError;
use crate::stderr::Callback;

/// A command-line argument that names a file. claw writes the file when it starts the program. Only this user can read
/// the file, and it exists as long as the program runs.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct FileArgument {
    /// The name of the flag, without dashes. For the name `settings`, the argument is `--settings=` and
    /// the file's path.
    pub flag: &'static str,
    /// The content of the file.
    pub content: Vec<u8>,
}

impl FileArgument {
    /// Creates an argument for the flag `flag`, which names a file with this content.
    pub fn new(flag: &'static str, content: impl Into<Vec<u8>>) -> Self {
        let content = content.into();
        Self { flag, content }
    }

    /// Writes the file. It is deleted when the returned path is dropped.
    pub(crate) fn write(&self) -> io::Result<(OsString, tempfile::TempPath)> {
        use std::io::Write as _;
        // On Unix, only this user can read the file. On other systems, the file is in this user's own folder.
        let mut file = tempfile::Builder::new()
            .prefix("claw-")
            .suffix(".json")
            .tempfile()?;
        file.write_all(&self.content)?;
        let path = file.into_temp_path();
        let mut argument = OsString::from(format!("--{}=", self.flag));
        argument.push(&path);
        Ok((argument, path))
    }
}

impl fmt::Debug for FileArgument {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FileArgument")
            .field("flag", &self.flag)
            .finish_non_exhaustive()
    }
}

/// A program with its arguments, environment and working directory, and the settings for its supervision.
///
/// Returned by [`Subprocess::command`](crate::Subprocess::command). A [`Launcher`](crate::Launcher) turns it into a
/// running process.
#[derive(Clone)]
#[non_exhaustive]
pub struct CommandSpec {
    /// The program: a path, or a bare name that the system looks up in `PATH`.
    pub program: PathBuf,
    /// The arguments, without the name of the program.
    pub args: Vec<OsString>,
    /// The arguments that name files. They come after `args`.
    pub files: Vec<FileArgument>,
    /// The changes to the environment that the program inherits from this process. A value sets a variable, and `None`
    /// removes it.
    pub env: BTreeMap<OsString, Option<OsString>>,
    /// The working directory. `None` means the working directory of this process.
    pub cwd: Option<PathBuf>,
    /// Whether the descendants of the process are left running when the process is killed or crashes.
    pub leave_orphans: bool,
    pub(crate) on_stderr: Option<Callback>,
}

impl CommandSpec {
    /// Creates a command that runs `program` without arguments, in the environment and working directory of this
    /// process.
    pub fn new(program: impl Into<PathBuf>) -> Self {
        Self {
            program: program.into(),
            args: Vec::new(),
            files: Vec::new(),
            env: BTreeMap::new(),
            cwd: None,
            leave_orphans: false,
            on_stderr: None,
        }
    }

    /// Adds an argument.
    #[must_use]
    pub fn arg(mut self, arg: impl Into<OsString>) -> Self {
        self.args.push(arg.into());
        self
    }

    /// Adds arguments.
    #[must_use]
    pub fn args(mut self, args: impl IntoIterator<Item = impl Into<OsString>>) -> Self {
        self.args.extend(args.into_iter().map(Into::into));
        self
    }

    /// Sets an environment variable.
    #[must_use]
    pub fn env(mut self, name: impl Into<OsString>, value: impl Into<OsString>) -> Self {
        self.env.insert(name.into(), Some(value.into()));
        self
    }

    /// Sets the working directory.
    #[must_use]
    pub fn cwd(mut self, cwd: impl Into<PathBuf>) -> Self {
        self.cwd = Some(cwd.into());
        self
    }

    /// Sets whether the descendants of the process are left running when the process is killed or crashes. The default
    /// is `false`.
    #[must_use]
    pub fn leave_orphans(mut self, leave: bool) -> Self {
        self.leave_orphans = leave;
        self
    }

    /// Sets the callback that receives the lines that the program writes to stderr. Each line is passed without its
    /// line ending. Secrets in it are masked, and it is truncated to 64 KiB. The callback gets the lines in order, on a
    /// thread that all sessions share. A callback that blocks delays only other callbacks. If a callback falls behind
    /// by 4 MiB, lines are dropped. A single line replaces them and reports their number: `[claw: 12 lines left out]`.
    /// If the callback panics, the panic is logged and has no other effect.
    #[must_use]
    pub fn on_stderr(mut self, callback: impl Fn(&str) + Send + Sync + 'static) -> Self {
        self.on_stderr = Some(Arc::new(callback));
        self
    }

    /// Converts the command for the standard library, without its pipes.
    pub(crate) fn to_std(&self) -> std::process::Command {
        let mut command = std::process::Command::new(&self.program);
        command.args(&self.args);
        for (name, value) in &self.env {
            match value {
                Some(value) => command.env(name, value),
                None => command.env_remove(name),
            };
        }
        if let Some(cwd) = &self.cwd {
            command.current_dir(cwd);
        }
        command
    }

    /// Returns the value of a variable in the environment of the process.
    pub(crate) fn variable(&self, name: &str) -> Option<OsString> {
        let mut env = self.env.iter().rev();
        match env.find(|(found, _)| is_same_variable(found, name)) {
            Some((_, value)) => value.clone(),
            None => std::env::var_os(name),
        }
    }

    /// Returns the error for a failed start. The system reports several different cases as "not found", and this error
    /// distinguishes them. If the system lacks a resource, the result is a plain I/O error that does not blame the
    /// program.
    pub(crate) fn launch_error(&self, source: io::Error) -> TransportError {
        if is_shortage(&source) {
            return TransportError::Io(source);
        }
        if let Some(cwd) = self.cwd.as_deref().filter(|cwd| !cwd.is_dir()) {
            return TransportError::CwdMissing {
                path: cwd.to_owned(),
            };
        }
        let path = self.program.clone();
        let reason = match source.kind() {
            _ if is_in_use(&source) => "it is still being written",
            io::ErrorKind::NotFound if !is_there(&path) => {
                return TransportError::NotFound {
                    searched: vec![path],
                };
            }
            io::ErrorKind::NotFound => {
                "the interpreter or the loader that it names is missing (a script's first line, \
                 or a program made for another C library)"
            }
            io::ErrorKind::PermissionDenied => "it is not executable, or not for this user",
            io::ErrorKind::ArgumentListTooLong => "the command line or environment is too long",
            io::ErrorKind::InvalidInput => "a NUL stands in an argument or in the environment",
            _ if is_foreign(&source) => "it is no program for this system",
            _ => "the system reports an error",
        };
        TransportError::NotLaunchable {
            path,
            reason,
            source,
        }
    }
}

/// Whether two names refer to the same variable. On Windows, names are compared without regard to case.
pub(crate) fn is_same_variable(name: &OsStr, other: &str) -> bool {
    if cfg!(windows) {
        name.eq_ignore_ascii_case(other)
    } else {
        name == other
    }
}

/// Whether the system lacks a process, memory or a descriptor.
fn is_shortage(error: &io::Error) -> bool {
    #[cfg(unix)]
    if let Some(code) = error.raw_os_error() {
        use rustix::io::Errno;
        return [Errno::MFILE, Errno::NFILE, Errno::NOMEM, Errno::AGAIN]
            .iter()
            .any(|shortage| shortage.raw_os_error() == code);
    }
    if cfg!(windows)
        && let Some(code) = error.raw_os_error()
    {
        // These codes mean: too many open files, not enough memory (two codes), not enough system resources, no room in
        // the page file.
        return [4, 8, 14, 1450, 1455].contains(&code);
    }
    error.kind() == io::ErrorKind::OutOfMemory
}

/// Whether the system does not know the format of the program, or the program was made for another machine.
fn is_foreign(error: &io::Error) -> bool {
    let Some(code) = error.raw_os_error() else {
        return false;
    };
    if cfg!(windows) {
        // The format is invalid, or the program is for another machine.
        return [193, 216].contains(&code);
    }
    // `ENOEXEC` has this code on all systems. Apple has additional codes for a damaged program, for a program for
    // another processor, and for a file that is not a program.
    let of_apple = [85, 86, 88];
    code == 8 || cfg!(target_vendor = "apple") && of_apple.contains(&code)
}

/// Whether another process has the program open in a way that prevents its start.
pub(crate) fn is_in_use(error: &io::Error) -> bool {
    // The code of a sharing violation on Windows.
    cfg!(windows) && error.raw_os_error() == Some(32)
        || error.kind() == io::ErrorKind::ExecutableFileBusy
}

/// Whether a program exists on this machine. Returns `false` for a bare name, because the system did not find it.
fn is_there(program: &Path) -> bool {
    program.components().count() > 1 && program.exists()
}

impl fmt::Debug for CommandSpec {
    /// Shows the names of variables and flags, never their values, because settings may contain keys.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let args = self.args.iter().map(|arg| {
            let arg = arg.to_string_lossy();
            match arg.split_once('=') {
                Some((flag, _)) => format!("{flag}=…"),
                None => arg.into_owned(),
            }
        });
        f.debug_struct("CommandSpec")
            .field("program", &self.program)
            .field("args", &args.collect::<Vec<_>>())
            .field("files", &self.files)
            .field("env", &self.env.keys())
            .field("cwd", &self.cwd)
            .field("leave_orphans", &self.leave_orphans)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;

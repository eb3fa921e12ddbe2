//! What can go wrong between us and a CLI process.

use std::io;
use std::path::{Path, PathBuf};

use claw_types::escape;
use claw_types::options::InvalidOption;

use crate::Exit;

/// Why a CLI could not be started, or why its connection ended.
///
/// Its text can be printed: what it quotes is [escaped](escape), so that it steers no terminal.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TransportError {
    /// The working directory does not exist, or is no directory.
    #[error("the working directory {} does not exist", shown(path))]
    CwdMissing {
        /// The directory that was asked for.
        path: PathBuf,
    },
    /// No `claude` was found.
    #[error(
        "claude was not found; looked at: {}. Install it with `npm install -g \
         @anthropic-ai/claude-code`, or name its path in `path_to_claude_code_executable` or \
         CLAW_CLAUDE_PATH",
        list(looked_in)
    )]
    NotFound {
        /// Every place that was looked at, in order.
        looked_in: Vec<PathBuf>,
    },
    /// The file is there, but the system cannot run it.
    #[error("{} exists, but could not be started: {reason}", shown(path))]
    NotLaunchable {
        /// The file.
        path: PathBuf,
        /// What this most likely means.
        reason: &'static str,
        /// What the system said.
        source: io::Error,
    },
    /// Windows would hand a batch file and its arguments to a shell; such a file is not started.
    #[error(
        "{} is a batch file, which is not started: name claude.exe itself",
        shown(path)
    )]
    BatchFile {
        /// The file.
        path: PathBuf,
    },
    /// The hook that [`set_launch_hook`](crate::set_launch_hook) has set gave this error. Nothing was
    /// started.
    #[error("the launch hook failed, so that nothing was started: {0}")]
    LaunchHook(#[source] io::Error),
    /// An option, or two together, that the CLI would refuse or misread.
    #[error(transparent)]
    InvalidOption(#[from] InvalidOption),
    /// The session that was to be resumed is not kept where `claude` looks for it. claw says so before
    /// the start where it knows it for certain; `claude` says so, and ends, where claw does not.
    #[error(
        "there is no session {}{}; `claude` keeps sessions for each user, and for each \
         CLAUDE_CONFIG_DIR",
        escape(id),
        in_folder(looked_in.as_deref())
    )]
    SessionNotFound {
        /// The session that was asked for: its id, its title or its file.
        id: String,
        /// The folder in which all sessions are kept, where claw looked into it. Nothing was started
        /// then.
        looked_in: Option<PathBuf>,
    },
    /// The session that was to be resumed is kept on this machine, but this `claude` did not find it from
    /// its working directory, and ended. (2.1.200 resumes only sessions of the same directory or
    /// repository; 2.1.329 and 2.1.330 resume all.)
    #[error(
        "claude did not find the session {id} from its working directory; it is {}kept in {}. This \
         version resumes sessions of the same directory or repository only",
        of_cwd(cwd.as_deref()),
        shown(file)
    )]
    SessionElsewhere {
        /// The session that was asked for.
        id: String,
        /// The working directory that it was begun in, where its file says so. With this one as `cwd`
        /// it is resumed.
        cwd: Option<PathBuf>,
        /// The file that it is kept in.
        file: PathBuf,
    },
    /// The process ended.
    #[error("claude{} ended: {exit}{}", which(*pid), quote(stderr))]
    Exited {
        /// Which process. `None` where it is not on this machine.
        pid: Option<u32>,
        /// How the process ended.
        exit: Exit,
        /// The end of what it wrote to stderr, secrets masked.
        stderr: String,
    },
    /// The process is still there after SIGKILL and the last wait. It is reaped when it ends.
    #[error("process {pid} did not end, not even on SIGKILL")]
    Stuck {
        /// The process.
        pid: u32,
    },
    /// A recording cannot be played.
    #[error(
        "line {line} of what was written to the recorded claude cannot be read: {}",
        escape(reason)
    )]
    BadRecording {
        /// Which of the lines that the CLI was sent, from 1.
        line: u64,
        /// What is wrong with it.
        reason: String,
    },
    /// A pipe, a file or a thread failed.
    #[error("{}", escape(&.0.to_string()))]
    Io(#[from] io::Error),
}

impl TransportError {
    /// Whether there is no CLI to start (as against one that fails).
    pub fn is_not_found(&self) -> bool {
        matches!(self, Self::NotFound { .. })
    }

    /// Whether nothing was started: trying again without a change is of no use.
    pub fn is_launch_failure(&self) -> bool {
        matches!(
            self,
            Self::CwdMissing { .. }
                | Self::NotFound { .. }
                | Self::NotLaunchable { .. }
                | Self::BatchFile { .. }
                | Self::SessionNotFound {
                    looked_in: Some(_),
                    ..
                }
                | Self::LaunchHook(_)
                | Self::InvalidOption(_)
                | Self::BadRecording { .. }
        )
    }

    /// Whether a process ran, and ended.
    pub fn is_exited(&self) -> bool {
        matches!(
            self,
            Self::Exited { .. }
                | Self::SessionElsewhere { .. }
                | Self::SessionNotFound {
                    looked_in: None,
                    ..
                }
        )
    }

    /// Whether there is no session of that name to resume, or none that this CLI finds from its working
    /// directory.
    pub fn is_session_not_found(&self) -> bool {
        matches!(
            self,
            Self::SessionNotFound { .. } | Self::SessionElsewhere { .. }
        )
    }

    pub(crate) fn invalid(option: &'static str, reason: impl Into<String>) -> Self {
        Self::InvalidOption(InvalidOption::new(option, reason))
    }
}

/// The launch hook was not set: a process was launched before, or one is set already.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a launch hook is set once, before the first process is launched")]
#[non_exhaustive]
pub struct LaunchHookTooLate;

fn list(paths: &[PathBuf]) -> String {
    let shown: Vec<_> = paths.iter().map(|path| shown(path)).collect();
    shown.join(", ")
}

fn shown(path: &Path) -> String {
    escape(&path.to_string_lossy()).into_owned()
}

fn in_folder(folder: Option<&Path>) -> String {
    folder
        .map(|folder| format!(" in {}", shown(folder)))
        .unwrap_or_default()
}

fn of_cwd(cwd: Option<&Path>) -> String {
    cwd.map(|cwd| format!("of the directory {}, ", shown(cwd)))
        .unwrap_or_default()
}

fn which(pid: Option<u32>) -> String {
    pid.map(|pid| format!(" (process {pid})"))
        .unwrap_or_default()
}

fn quote(stderr: &str) -> String {
    match stderr.trim() {
        "" => String::new(),
        text => format!("; stderr: {}", escape(text)),
    }
}

#[cfg(test)]
mod tests;

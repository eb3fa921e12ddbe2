//! Exits of processes, and the steps of a shutdown.

use std::fmt;
use std::process::ExitStatus;
use std::time::Duration;

/// How a CLI process ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Exit {
    status: Option<ExitStatus>,
    forced: bool,
}

impl Exit {
    /// Creates an exit with this status. `forced` says whether claw sent a signal before the process ended.
    pub(crate) fn new(status: Option<ExitStatus>, forced: bool) -> Self {
        Self { status, forced }
    }

    /// Creates the exit of a process that ended with this exit code. On Unix only the lowest eight bits of the code are
    /// used.
    pub fn with_code(code: i32) -> Self {
        #[cfg(unix)]
        let status = std::os::unix::process::ExitStatusExt::from_raw((code & 0xff) << 8);
        #[cfg(windows)]
        let status = std::os::windows::process::ExitStatusExt::from_raw(code.cast_unsigned());
        Self::new(Some(status), false)
    }

    /// Creates the exit of a process that was ended by the signal with this number. On systems without signals, the
    /// exit code is 128 plus this number.
    pub fn with_signal(signal: i32) -> Self {
        #[cfg(unix)]
        {
            let status = std::os::unix::process::ExitStatusExt::from_raw(signal & 0x7f);
            Self::new(Some(status), false)
        }
        #[cfg(not(unix))]
        Self::with_code(128 + signal)
    }

    /// Marks the exit as forced by claw.
    pub(crate) fn forced(self) -> Self {
        Self {
            forced: true,
            ..self
        }
    }

    /// Returns the status that the system reported. `None` if the status is unknown, because the process was not on
    /// this machine or because another part of your program reaped it first.
    pub fn status(self) -> Option<ExitStatus> {
        self.status
    }

    /// Returns the exit code. `None` if a signal ended the process or if the status is unknown.
    pub fn code(self) -> Option<i32> {
        self.status.and_then(|status| status.code())
    }

    /// Returns the number of the signal that ended the process. Always `None` on Windows.
    pub fn signal(self) -> Option<i32> {
        #[cfg(unix)]
        {
            use std::os::unix::process::ExitStatusExt;
            self.status.and_then(|status| status.signal())
        }
        #[cfg(not(unix))]
        None
    }

    /// Whether the exit code was 0.
    pub fn is_success(self) -> bool {
        self.code() == Some(0)
    }

    /// Whether claw forced the process to end: by a signal, on Windows by terminating it, or because its last handle
    /// was dropped.
    pub fn is_forced(self) -> bool {
        self.forced
    }

    /// Whether the process ended by itself. This means that claw did not force it to end, and that no signal ended it.
    /// `true` even for an exit code of 1, because the CLI uses this code to report that the last result was an error.
    /// `false` for an exit code of 128 or more, because programs use such codes to report that a signal ended them.
    pub fn is_clean(self) -> bool {
        !self.forced && self.signal().is_none() && self.code().is_none_or(|code| code < 128)
    }
}

/// Creates the exit of a process that ended with this status and was not forced to end by claw.
impl From<ExitStatus> for Exit {
    fn from(status: ExitStatus) -> Self {
        Self::new(Some(status), false)
    }
}

impl fmt::Display for Exit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.status {
            Some(status) => write!(f, "{status}"),
            None => f.write_str("exit status unknown"),
        }
    }
}

/// The time limits of the steps of a shutdown.
///
/// Before a shutdown, the caller asks the CLI to end (with `end_session`, or by closing its stdin). If the CLI still
/// runs after the time `grace`, it gets SIGTERM. If it still runs after the additional time `terminate`, the CLI and
/// its descendants get SIGKILL. If it still runs after the additional time `kill`, claw stops waiting. On Windows,
/// which has no SIGTERM, the whole job is terminated after `grace`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Shutdown {
    /// The time in which the CLI may end by itself. Default: 5 s.
    pub grace: Duration,
    /// The time in which the CLI may end after SIGTERM. Default: 2 s.
    pub terminate: Duration,
    /// The time in which the system may reap the CLI after SIGKILL. Default: 2 s.
    pub kill: Duration,
}

impl Default for Shutdown {
    fn default() -> Self {
        Self {
            grace: Duration::from_secs(5),
            terminate: Duration::from_secs(2),
            kill: Duration::from_secs(2),
        }
    }
}

impl Shutdown {
    /// Returns the time limits for a session that is no longer needed. The CLI gets SIGTERM at once, and then has 8 s
    /// to end. The limit can be long, because no caller waits for the CLI. (Measured: a CLI with a running command
    /// takes 1.3 to 3.5 s.) Windows has no SIGTERM, so the job of the CLI is terminated at once.
    pub fn now() -> Self {
        Self {
            grace: Duration::ZERO,
            terminate: Duration::from_secs(8),
            ..Self::default()
        }
    }

    /// Sets the time in which the CLI may end by itself.
    #[must_use]
    pub fn grace(mut self, grace: Duration) -> Self {
        self.grace = grace;
        self
    }

    /// Sets the time in which the CLI may end after SIGTERM.
    #[must_use]
    pub fn terminate(mut self, terminate: Duration) -> Self {
        self.terminate = terminate;
        self
    }

    /// Sets the time in which the system may reap the CLI after SIGKILL.
    #[must_use]
    pub fn kill(mut self, kill: Duration) -> Self {
        self.kill = kill;
        self
    }
}

//! How a process ended, and how it is asked to.

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
    /// An end with this status; `forced` says that claw had sent it a signal before.
    pub(crate) fn new(status: Option<ExitStatus>, forced: bool) -> Self {
        Self { status, forced }
    }

    /// The end with this exit code, of which the lowest eight bits count on Unix.
    pub fn with_code(code: i32) -> Self {
        #[cfg(unix)]
        let status = std::os::unix::process::ExitStatusExt::from_raw((code & 0xff) << 8);
        #[cfg(windows)]
        let status = std::os::windows::process::ExitStatusExt::from_raw(code.cast_unsigned());
        Self::new(Some(status), false)
    }

    /// The end by the signal of this number. Where there are no signals, the exit code is 128 and that
    /// number.
    pub fn with_signal(signal: i32) -> Self {
        #[cfg(unix)]
        {
            let status = std::os::unix::process::ExitStatusExt::from_raw(signal & 0x7f);
            Self::new(Some(status), false)
        }
        #[cfg(not(unix))]
        Self::with_code(128 + signal)
    }

    /// The same end, after claw had sent a signal.
    pub(crate) fn forced(self) -> Self {
        Self {
            forced: true,
            ..self
        }
    }

    /// The status that the system gave. `None` where it is not known: there is no process on this
    /// machine, or another part of the host reaped it first.
    pub fn status(self) -> Option<ExitStatus> {
        self.status
    }

    /// The exit code; `None` if a signal ended the process, or the status is not known.
    pub fn code(self) -> Option<i32> {
        self.status.and_then(|status| status.code())
    }

    /// The number of the signal that ended the process. Always `None` on Windows.
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

    /// Whether claw had sent the process a signal (or, on Windows, had terminated it).
    pub fn is_forced(self) -> bool {
        self.forced
    }

    /// Whether the process ended by itself: nobody forced it, no signal ended it. An exit code of 1
    /// is such an end too, since the CLI says with it that the last result was an error; one from
    /// 128 on is not, since that is how a program reports the signal that ended it.
    pub fn is_clean(self) -> bool {
        !self.forced && self.signal().is_none() && self.code().is_none_or(|code| code < 128)
    }
}

/// The end with this status, to which nobody forced the process.
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

/// How long each step of a shutdown may take.
///
/// The caller has already asked the CLI to end (with `end_session`, or by closing its stdin); this
/// is what happens if it does not: after `grace` SIGTERM, after `terminate` more SIGKILL to it and
/// all that it started, and after `kill` more the wait is given up. On Windows, which has no
/// SIGTERM, the whole job is terminated after `grace`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Shutdown {
    /// How long the CLI may take to end by itself. Default 5 s.
    pub grace: Duration,
    /// How long it may take after SIGTERM. Default 2 s.
    pub terminate: Duration,
    /// How long the system may take to reap it after SIGKILL. Default 2 s.
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
    /// What a dropped session gets: SIGTERM at once, and 8 s to obey it, because nobody waits. (A CLI
    /// with a command running was seen to take 1.3 to 3.5 s.)
    pub fn now() -> Self {
        Self {
            grace: Duration::ZERO,
            terminate: Duration::from_secs(8),
            ..Self::default()
        }
    }

    /// Sets how long the CLI may take to end by itself.
    #[must_use]
    pub fn grace(mut self, grace: Duration) -> Self {
        self.grace = grace;
        self
    }

    /// Sets how long the CLI may take after SIGTERM.
    #[must_use]
    pub fn terminate(mut self, terminate: Duration) -> Self {
        self.terminate = terminate;
        self
    }

    /// Sets how long the wait after SIGKILL may take.
    #[must_use]
    pub fn kill(mut self, kill: Duration) -> Self {
        self.kill = kill;
        self
    }
}

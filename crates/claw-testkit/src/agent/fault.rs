//! Faults of an agent, as data.

use std::process::Stdio;

use serde::{Deserialize, Serialize};
use tokio::io::AsyncWrite;

use super::{
    AgentError,
    engine::{Engine, Stop},
};

/// The approximate size of a flood's writes, in bytes.
const CHUNK: usize = 32 * 1024;

/// A command that runs for about 1,000 seconds.
const SLEEP: &[&str] = if cfg!(windows) {
    &["ping", "-n", "1000", "127.0.0.1"]
} else {
    &["sleep", "1000"]
};

/// The way in which an agent dies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Death {
    /// The agent exits with this code.
    Exit(i32),
    /// The agent is ended by the signal with this number, such as 9 for SIGKILL or 11 for SIGSEGV. The agent's program
    /// sends the signal to itself. SIGTERM (15) has the same effect as a SIGTERM from outside. On systems without
    /// signals, the program exits with 128 plus this number.
    Signal(i32),
}

/// Makes an agent die after a given number of bytes of its output, in any step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Cut {
    /// The number of bytes that the agent writes before it dies.
    pub after: u64,
    /// The way in which the agent then dies.
    pub by: Death,
}

impl Cut {
    /// Creates a cut. The agent dies in the way `by` when it has written `after` bytes of output.
    pub fn new(after: u64, by: Death) -> Self {
        Self { after, by }
    }
}

/// A process that an agent starts and leaves running.
///
/// The child's standard input and standard error are the null device. The child inherits the agent's environment.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct Child {
    /// The program and its arguments. Default: `sleep 1000`, or on Windows a command that takes as long.
    pub command: Vec<String>,
    /// Whether the child holds the agent's standard output open.
    pub holds_stdout: bool,
    /// Whether the child detaches like a daemon. It then runs in a separate process session, and is no longer a child
    /// of the agent. Needs the program `setsid` of util-linux. On Windows, the child instead has no console.
    pub daemon: bool,
}

impl Default for Child {
    fn default() -> Self {
        Self {
            command: SLEEP.iter().map(|&word| word.to_owned()).collect(),
            holds_stdout: false,
            daemon: false,
        }
    }
}

impl Child {
    /// Creates a child that sleeps for a thousand seconds, in the agent's process group.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the program that the child runs, and its arguments.
    #[must_use]
    pub fn command(mut self, command: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.command = command.into_iter().map(Into::into).collect();
        self
    }

    /// Makes the child hold the agent's standard output open.
    #[must_use]
    pub fn holds_stdout(mut self) -> Self {
        self.holds_stdout = true;
        self
    }

    /// Makes the child detach like a daemon.
    #[must_use]
    pub fn daemon(mut self) -> Self {
        self.daemon = true;
        self
    }

    /// Starts the child. When this method returns, a daemon has already detached.
    async fn start(&self) -> Result<(), AgentError> {
        let setsid = ["setsid", "--fork"].map(str::to_owned);
        let forks = self.daemon && cfg!(unix);
        let mut words = setsid.iter().filter(|_| forks).chain(&self.command);
        let Some(program) = words.next() else {
            return Err(AgentError::Misplaced {
                what: "a child without a program",
            });
        };
        let stdout = if self.holds_stdout {
            Stdio::inherit()
        } else {
            Stdio::null()
        };
        let mut command = tokio::process::Command::new(program);
        command
            .args(words)
            .stdin(Stdio::null())
            .stdout(stdout)
            .stderr(Stdio::null());
        #[cfg(windows)]
        if self.daemon {
            const DETACHED_PROCESS: u32 = 0x0000_0008;
            command.creation_flags(DETACHED_PROCESS);
        }
        let started = command.spawn();
        let failed = |source| AgentError::Child {
            program: program.clone(),
            source,
        };
        let mut child = started.map_err(failed)?;
        if forks {
            child.wait().await.map_err(failed)?;
        }
        Ok(())
    }
}

/// A flood of output: the same text, written repeatedly.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Flood {
    /// The text that is repeated. If it contains no newline, the flood is one long line.
    pub text: String,
    /// The number of times that the text is written. `None` means endlessly.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub times: Option<u64>,
    /// Whether the flood goes to standard error instead of standard output.
    #[serde(default)]
    pub stderr: bool,
}

impl Flood {
    /// Creates an endless flood on standard output.
    pub fn new(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            times: None,
            stderr: false,
        }
    }

    /// Sets the number of times that the text is written.
    #[must_use]
    pub fn times(mut self, times: u64) -> Self {
        self.times = Some(times);
        self
    }

    /// Sends the flood to standard error.
    #[must_use]
    pub fn stderr(mut self) -> Self {
        self.stderr = true;
        self
    }
}

impl<W: AsyncWrite + Unpin> Engine<'_, W> {
    pub(super) async fn child(&mut self, child: &Child) -> Result<(), Stop> {
        Ok(child.start().await?)
    }

    /// Writes a flood in chunks. Each chunk ends with a complete text. Control requests are answered between the
    /// chunks, and also while no reader reads standard error.
    pub(super) async fn flood(&mut self, flood: &Flood) -> Result<(), Stop> {
        let at_once = (CHUNK / flood.text.len().max(1)).max(1);
        let chunk = flood.text.repeat(at_once);
        let mut left = flood.times;
        while left != Some(0) {
            let now = left.map_or(at_once, |left| {
                usize::try_from(left).unwrap_or(at_once).min(at_once)
            });
            let bytes = &chunk.as_bytes()[..now * flood.text.len()];
            if flood.stderr {
                self.flood_stderr(bytes).await?;
            } else {
                self.write_raw(bytes).await?;
            }
            left = left.map(|left| left - now as u64);
            self.wait(tokio::task::yield_now()).await?;
        }
        Ok(())
    }
}

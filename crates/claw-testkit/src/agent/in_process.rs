//! The agent in this process, as a transport.

use std::sync::{Arc, Mutex, PoisonError};

use claw_transport::{
    Exit, Pipes, Process, ProcessControl, ProcessHost, Transport, TransportError,
};
use serde_json::Value;
use tokio::io::{AsyncWriteExt as _, DuplexStream};

use super::{PIPE, Received, Script, play, stdio::error_line};
use crate::Gates;

/// SIGTERM, which `claude` handles by exiting with 143.
const SIGTERM: i32 = 15;

/// A scripted agent that runs inside this process, but looks like a separate process to a session. It ends with an exit
/// code or with a signal. It can write to stderr, which the session's errors quote. When it is asked to end, it obeys
/// or ignores the request, as its script determines.
///
/// An agent serves as the transport of a session:
///
/// ```
/// use claw_testkit::agent::{Agent, Script};
/// use claw_transport::Transport;
///
/// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
/// let agent = Agent::new(Script::reply("Four."));
/// // With claw-client: `Session::builder(options).transport(agent.clone()).connect().await?`
/// let mut parts = agent.clone().open().await?.into_parts();
/// parts.outgoing.close().await?;
/// assert!(parts.process.exited().await.is_success());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// Clones of an agent are handles of the same agent. It can be opened several times. Each time, it plays
/// its script from the start, like a newly started CLI.
///
/// An agent has no command line, no environment and no process ID ([`Process::pid`] is `None`), because only a real
/// process has them. [`Child::holds_stdout`](super::Child::holds_stdout) has no effect. To test behaviour that needs
/// these, write a program with [`main`](super::main).
#[derive(Debug, Clone)]
pub struct Agent {
    script: Arc<Script>,
    gates: Gates,
    received: Received,
}

impl Agent {
    /// Creates an agent that plays this script.
    pub fn new(script: Script) -> Self {
        Self {
            script: Arc::new(script),
            gates: Gates::new(),
            received: Received::default(),
        }
    }

    /// Returns the gates at which the agent waits. The script's steps and blocks name them.
    pub fn gates(&self) -> &Gates {
        &self.gates
    }

    /// Returns all lines that the agent has read so far, in order: prompts, requests, responses.
    pub fn received(&self) -> Vec<Value> {
        let received = self.received.lock();
        received.unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Plays the script to its end, or until the agent is asked to end.
    async fn run(self, pipe: DuplexStream, mut host: ProcessHost) {
        let (mut reader, mut writer) = tokio::io::split(pipe);
        let exit = {
            let stderr = host.stderr();
            let playing = play(
                &self.script,
                &mut reader,
                &mut writer,
                Box::new(stderr),
                &self.gates,
                &self.received,
            );
            let mut playing = std::pin::pin!(playing);
            loop {
                tokio::select! {
                    biased;
                    order = host.next_control() => match order {
                        ProcessControl::Terminate if self.script.ignore_sigterm => {}
                        ProcessControl::Terminate => break Exit::with_code(128 + SIGTERM),
                        _ => break Exit::with_signal(9),
                    },
                    ended = &mut playing => break match ended {
                        Ok((_, Some(signal))) if signal != SIGTERM => Exit::with_signal(signal),
                        Ok((code, _)) => Exit::with_code(code),
                        Err(error) => {
                            // Writing to this sink cannot fail.
                            let _ = host.stderr().write_all(error_line(&error).as_bytes()).await;
                            Exit::with_code(1)
                        }
                    },
                }
            }
        };
        // The exit is reported before the pipe closes, so that the pipe's reader then knows how the agent ended.
        host.exited(exit);
    }
}

impl Transport for Agent {
    async fn open(self) -> Result<Pipes, TransportError> {
        let (process, host) = Process::hosted();
        let (ours, theirs) = tokio::io::duplex(PIPE);
        let (reader, writer) = tokio::io::split(ours);
        tokio::spawn(self.run(theirs, host));
        Ok(Pipes::new(reader, writer, process))
    }
}

/// Removes and returns the lines that an agent has read.
pub(super) fn take(received: &Mutex<Vec<Value>>) -> Vec<Value> {
    std::mem::take(&mut *received.lock().unwrap_or_else(PoisonError::into_inner))
}

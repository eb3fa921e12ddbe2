//! A scripted agent: a deterministic stand-in for `claude`.
//!
//! The agent speaks the stream-json protocol over any reader and writer, and follows its [`Script`]. It can also fail
//! in ways in which the real `claude` cannot be made to fail: it dies in the middle of a line, floods its output, or
//! hangs.
//!
//! [`Agent`] is an agent in this process, which serves as the transport of a session. [`spawn`] runs an agent behind a
//! pipe in memory:
//!
//! ```
//! use claw_testkit::{Block, Gates, agent::{self, Script, Step}};
//! use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
//!
//! # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
//! let script = Script::new([
//!     Step::Turn(vec![Step::message([Block::text("Hello there!").hold(1, "half")])]),
//!     Step::Raw("{\"type\":\"resu".to_owned()),
//!     Step::Exit(3),
//! ]);
//! let gates = Gates::new();
//! let (pipe, agent) = agent::spawn(script, gates.clone());
//! let (reader, mut writer) = tokio::io::split(pipe);
//! writer
//!     .write_all(b"{\"type\":\"user\",\"message\":{\"role\":\"user\",\"content\":\"Hi\"}}\n")
//!     .await?;
//! gates.reached("half").await;
//! gates.open("half");
//! let mut lines = BufReader::new(reader).lines();
//! let mut last = String::new();
//! while let Some(line) = lines.next_line().await? {
//!     last = line;
//! }
//! assert_eq!(agent.await??.code, 3);
//! assert_eq!(last, "{\"type\":\"resu");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! # })?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! For tests that need a process, the agent is also a program. It is either your own program that calls [`main`], or
//! `scripted-agent`, which `cargo install claw-testkit` installs. The program takes these arguments: `--script FILE`
//! (the script as JSON) or `--builtin NAME`, `--gates FOLDER` ([`Gates::in_folder`](crate::Gates::in_folder)),
//! `--pace-ms N`, and `--log FILE` (a file to which it appends everything that it reads). It ignores all other
//! arguments, so that it can be started exactly as `claude` is. If the caller cannot add arguments, these environment
//! variables have the same effect: `CLAW_AGENT_SCRIPT`, `CLAW_AGENT_BUILTIN`, `CLAW_AGENT_GATES`, `CLAW_AGENT_PACE_MS`,
//! `CLAW_AGENT_LOG`. (In claw's own workspace, [`program`] builds `scripted-agent` and returns its path.)
//!
//! # Everything that can go wrong
//!
//! A program that drives `claude` must handle a process that misbehaves. Therefore, a script can contain faults. They
//! can be combined, and can occur wherever a step is possible:
//!
//! | the agent | in the script |
//! |---|---|
//! | dies, with an exit code or by a signal | [`Step::Exit`], [`Step::Signal`] |
//! | dies inside of a line | [`Step::Raw`], then [`Step::Exit`] or [`Step::Signal`] |
//! | dies at any byte of its output, in any step | [`Script::cut`] |
//! | ignores SIGTERM | [`Script::ignore_sigterm`] |
//! | ignores the end of its input | [`Script::ignore_eof`] |
//! | exits while its child process holds its output | [`Child::holds_stdout`], [`Step::Exit`] |
//! | leaves a daemon, in a separate process session | [`Child::daemon`] |
//! | never answers `initialize` | [`Step::expect_initialize`], [`Step::Hang`] |
//! | answers late | [`Step::expect_initialize`], [`Step::Gate`], [`Step::Initialized`] |
//! | answers twice | [`Step::Initialized`] two times |
//! | answers with a wrong ID | [`Step::answer_to`] |
//! | answers with garbage | [`Step::Text`] with `"$request_id"` in it |
//! | floods its output | [`Flood::new`] |
//! | floods standard error, perhaps with one endless line | [`Flood::stderr`] |
//! | stops reading its input | [`Step::Deaf`] |
//! | closes its output and continues | [`Step::CloseStdout`] |
//! | writes text that is not JSON | [`Step::Text`] |
//! | hangs: does nothing, and does not end | [`Step::Hang`] |
//!
//! This agent never answers `initialize`, ignores SIGTERM and the end of its input, and has started a process:
//!
//! ```
//! use claw_testkit::agent::{Child, Script, Step};
//!
//! let script = Script::new([
//!     Step::expect_initialize(),
//!     Step::Child(Child::new().daemon()),
//!     Step::Text("Debugger listening on port 9229".to_owned()),
//!     Step::Hang,
//! ])
//! .ignore_sigterm()
//! .ignore_eof();
//! // What the program `scripted-agent` reads with `--script`, or from the file that
//! // CLAW_AGENT_SCRIPT names.
//! let file = serde_json::to_string(&script)?;
//! assert_eq!(serde_json::from_str::<Script>(&file)?, script);
//! # Ok::<(), serde_json::Error>(())
//! ```

use std::{
    io,
    path::PathBuf,
    sync::{Arc, Mutex},
};

use serde_json::Value;
use thiserror::Error;
use tokio::{
    io::{AsyncBufReadExt as _, AsyncRead, AsyncWrite, BufReader, DuplexStream},
    sync::{Notify, mpsc},
    task::JoinHandle,
};

use crate::Gates;

mod engine;
mod fault;
mod in_process;
mod line;
mod message;
mod output;
mod permission;
mod result;
mod script;
mod stdio;
mod style;
mod turn;
mod turn_state;

pub use fault::{Child, Cut, Death, Flood};
pub use in_process::Agent;
pub use script::{ApiFailure, Expect, Failure, Permission, Repeat, Script, Step, ToolOutcome};
pub use stdio::{Launch, main, stdio};
pub use style::Style;

use engine::{Engine, Stop};

/// How a scripted agent ended, and what it received.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Outcome {
    /// The exit code that `claude` would have in the same case: the code of [`Step::Exit`], or 128 plus the signal of
    /// [`Step::Signal`]. Without these steps, 1 if the last result was an error, and otherwise 0.
    pub code: i32,
    /// The signal that ends the agent, if any.
    pub signal: Option<i32>,
    /// All lines that the agent has read from its input, in order.
    pub received: Vec<Value>,
}

/// The reason why a scripted agent could not continue.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum AgentError {
    /// Reading the agent's input or writing its output failed. If the client has closed its end of the pipe, the error
    /// is a broken pipe.
    #[error("the agent's input or output failed")]
    Io(#[from] io::Error),
    /// An input line is not JSON. `claude` exits with code 1 on such a line.
    #[error("an input line of {length} bytes is no JSON")]
    NotJson {
        /// The length of the line, in bytes.
        length: usize,
        /// The JSON error.
        source: serde_json::Error,
    },
    /// An input line of type `user` has a message whose role is not `user`. `claude` exits on such a line too.
    #[error("a user line has a message whose role is not \"user\"")]
    NotFromUser,
    /// The input ended while a step was waiting for a line.
    #[error("the input ended before a line of type {expected:?} came")]
    NeverCame {
        /// The type of line that [`Step::Expect`] waited for.
        expected: String,
    },
    /// The script contains a placeholder that the agent does not know.
    #[error("there is no placeholder ${name}")]
    Placeholder {
        /// The name of the placeholder.
        name: String,
    },
    /// The script has a step in a place where the step makes no sense, such as a message outside of a turn.
    #[error("the script is wrong: {what}")]
    Misplaced {
        /// The description of the mistake.
        what: &'static str,
    },
    /// The child process of a [`Step::Child`] could not be started.
    #[error("the child {program} can't be started")]
    Child {
        /// The program of the child.
        program: String,
        /// The system's error.
        source: io::Error,
    },
    /// The scripted program could not read a usable script from the file that it was given.
    #[error("the script {path} can't be used", path = path.display())]
    Script {
        /// The path of the script's file.
        path: PathBuf,
        /// The reason why the script is not usable.
        source: io::Error,
    },
    /// The program was asked for a built-in script that does not exist.
    #[error("there is no built-in script {name:?}")]
    NoSuchScript {
        /// The name of the script.
        name: String,
    },
}

impl AgentError {
    /// Whether `claude` also exits on the same input.
    pub fn is_bad_input(&self) -> bool {
        matches!(self, Self::NotJson { .. } | Self::NotFromUser)
    }
}

/// The size of an operating system pipe on Linux, in bytes.
const PIPE: usize = 64 * 1024;

/// Starts a scripted agent as a task of the current tokio runtime. Returns the client's end of the pipe that is the
/// agent's input and output, and the handle of the task.
///
/// # Panics
/// Panics outside of a tokio runtime.
///
/// # Drop
/// Dropping the returned pipe ends the agent's input, and makes the agent's writes fail.
pub fn spawn(
    script: Script,
    gates: Gates,
) -> (DuplexStream, JoinHandle<Result<Outcome, AgentError>>) {
    let (ours, theirs) = tokio::io::duplex(PIPE);
    let running = tokio::spawn(async move {
        let (reader, writer) = tokio::io::split(theirs);
        run(&script, reader, writer, &gates).await
    });
    (ours, running)
}

/// Plays a script from beginning to end. The agent's input comes from `reader`, and its output goes to `writer`.
///
/// The agent reads its input all the time, even while one of its writes waits for the client to read.
///
/// # Errors
/// Fails if `claude` would exit on the same input, if reading or writing fails, or if the script is not valid.
///
/// # Cancel safety
/// Not cancel safe. If the future is dropped, the agent ends immediately, possibly in the middle of a line.
pub async fn run<R, W>(
    script: &Script,
    reader: R,
    writer: W,
    gates: &Gates,
) -> Result<Outcome, AgentError>
where
    R: AsyncRead + Unpin,
    W: AsyncWrite + Unpin,
{
    let received = Received::default();
    let stderr = Box::new(tokio::io::stderr());
    let (code, signal) = play(script, reader, writer, stderr, gates, &received).await?;
    Ok(Outcome {
        code,
        signal,
        received: in_process::take(&received),
    })
}

/// The lines that an agent has read.
type Received = Arc<Mutex<Vec<Value>>>;

/// The sink for an agent's standard error.
type Stderr<'a> = Box<dyn AsyncWrite + Send + Sync + Unpin + 'a>;

/// Does the same as [`run`], but writes standard error to `stderr`. Returns the exit code, and the signal that ends the
/// agent.
async fn play<R, W>(
    script: &Script,
    reader: R,
    writer: W,
    stderr: Stderr<'_>,
    gates: &Gates,
    received: &Received,
) -> Result<(i32, Option<i32>), AgentError>
where
    R: AsyncRead + Unpin,
    W: AsyncWrite + Unpin,
{
    let (lines, inbox) = mpsc::unbounded_channel();
    let deaf = Notify::new();
    let mut engine = Engine::new(script, writer, stderr, gates, inbox, &deaf, received);
    let stop = tokio::select! {
        stop = engine.play() => stop,
        never = listen(reader, lines, &deaf) => match never {},
    };
    match stop {
        Stop::Exit(Death::Exit(code)) => Ok((code, None)),
        Stop::Exit(Death::Signal(number)) => Ok((128 + number, Some(number))),
        Stop::Failed(error) => Err(error),
        // These two outcomes end a turn, so they cannot occur outside a turn.
        Stop::Interrupted { .. } | Stop::TurnEnded => Err(AgentError::Misplaced {
            what: "a turn ended outside a turn",
        }),
    }
}

/// Builds the program `scripted-agent` and returns its path. The build runs only once in each process.
///
/// This function is meant for the tests of claw's own workspace. It blocks while it runs `cargo build`, which is quick
/// if the program is already built. If cargo is not available, because the tests were built for another platform, the
/// environment variable `CLAW_TEST_PROGRAMS` names the folder of the program.
///
/// # Errors
/// Fails if cargo cannot be run or the build fails. Cargo writes its own messages to standard error.
pub fn program() -> io::Result<PathBuf> {
    crate::program::program("scripted-agent")
}

type Line = Result<Vec<u8>, io::Error>;

/// Sends each input line to the engine, until the input ends or the agent stops reading.
async fn listen<R: AsyncRead + Unpin>(
    reader: R,
    lines: mpsc::UnboundedSender<Line>,
    deaf: &Notify,
) -> std::convert::Infallible {
    let reading = async {
        let mut reader = BufReader::new(reader);
        loop {
            let mut line = Vec::new();
            let read = reader.read_until(b'\n', &mut line).await.map(|_| line);
            match read {
                Ok(line) if line.is_empty() => return drop(lines),
                // Sending cannot fail, because the engine owns the receiver and outlives this task.
                read => drop(lines.send(read)),
            }
        }
    };
    tokio::select! {
        biased;
        () = deaf.notified() => {}
        () = reading => {}
    }
    std::future::pending().await
}

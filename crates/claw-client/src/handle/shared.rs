//! The state that the handles of a session share.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, SystemTime};

use bytes::Bytes;
use claw_codec::LineItem;
use claw_transport::Process;
use claw_types::Json;
use claw_types::control::{ControlRequestBody, Initialize, InitializeResponse};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot};

use super::commands::{Command, CommandSender};
use crate::engine::{CallId, INITIALIZE, TurnId};
use crate::outcome::error::{Cause, Error};
use crate::outcome::usage::UsageTotals;
use crate::waiting::ByteBudget;
use crate::waiting::calls::Answer;
use crate::waiting::inbox::Inbox;
use crate::waiting::requests::RequestReceiver;
use crate::waiting::stdin;

/// The highest number of bytes of prompts that wait to be written to the CLI. The queue of `ask` has the same limit. A
/// single larger prompt is accepted if no other prompt waits.
const OUTBOX: u32 = 8 << 20;

/// The line of a prompt that waits to be written.
pub(crate) struct Sent {
    line: Bytes,
    _room: OwnedSemaphorePermit,
}

impl AsRef<[u8]> for Sent {
    fn as_ref(&self) -> &[u8] {
        &self.line
    }
}

/// Waits until the line fits into the limit. Returns `None` if the session has ended.
pub(crate) async fn sent(outbox: &Arc<Semaphore>, line: Bytes) -> Option<Sent> {
    let size = u32::try_from(line.len()).unwrap_or(u32::MAX).min(OUTBOX);
    // The permit is released when the line was written or dropped.
    let room = outbox.clone().acquire_many_owned(size).await.ok()?;
    Some(Sent { line, _room: room })
}

/// The state that the handles of a session share.
pub(crate) struct Shared {
    pub(crate) process: Process,
    commands: CommandSender,
    pub(crate) inbox: Arc<Inbox>,
    /// The bytes that are free for prompts that wait to be written.
    pub(crate) outbox: Arc<Semaphore>,
    /// The bytes that are free for prompts in the queue of `ask`.
    pub(crate) queue: Arc<Semaphore>,
    /// The bytes of calls, and of answers to requests, that wait to be written.
    pub(crate) to_stdin: ByteBudget,
    turns: AtomicU64,
    calls: AtomicU64,
    /// Whether slash commands and mentions in prompts have no effect
    /// ([`QueryOptions::verbatim_prompts`](claw_types::QueryOptions::verbatim_prompts)).
    pub(crate) verbatim: bool,
    /// The contents of the `initialize` request.
    pub(crate) initialize: Box<Initialize>,
    usage: Mutex<UsageTotals>,
    /// The time at which the API accepts requests again, as the CLI reported it last.
    limit_reset: Mutex<Option<SystemTime>>,
    info: OnceLock<InitializeResponse>,
    /// The receiver of the requests that the application answers itself. `None` if there are none, or once the
    /// application has taken the receiver.
    requests: Mutex<Option<RequestReceiver>>,
    #[cfg(feature = "store")]
    pub(super) mirror: Option<crate::stored::Mirror>,
    /// The MCP servers in this process.
    #[cfg(feature = "mcp")]
    pub(crate) mcp: Arc<crate::mcp::Host>,
}

impl Shared {
    pub(crate) fn new(
        process: Process,
        commands: CommandSender,
        requests: Option<RequestReceiver>,
        verbatim: bool,
        initialize: Box<Initialize>,
    ) -> Self {
        Self {
            process,
            commands,
            inbox: Arc::default(),
            outbox: Arc::new(Semaphore::new(OUTBOX as usize)),
            queue: Arc::new(Semaphore::new(OUTBOX as usize)),
            to_stdin: ByteBudget::default(),
            verbatim,
            initialize,
            usage: Mutex::default(),
            limit_reset: Mutex::default(),
            turns: AtomicU64::new(0),
            calls: AtomicU64::new(INITIALIZE.0 + 1),
            info: OnceLock::new(),
            requests: Mutex::new(requests),
            #[cfg(feature = "store")]
            mirror: None,
            #[cfg(feature = "mcp")]
            mcp: Arc::default(),
        }
    }

    #[cfg(feature = "store")]
    pub(crate) fn with_mirror(self, mirror: Option<crate::stored::Mirror>) -> Self {
        Self { mirror, ..self }
    }

    #[cfg(feature = "mcp")]
    pub(crate) fn with_mcp(self, mcp: Arc<crate::mcp::Host>) -> Self {
        Self { mcp, ..self }
    }

    /// Stores the response to `initialize`.
    pub(crate) fn initialized(&self, payload: &Json) {
        match payload.parse() {
            // If a response is already stored, this is the response to another `initialize`.
            Ok(info) => drop(self.info.set(info)),
            Err(error) => {
                tracing::warn!(error = ?error.to_string(), "the answer to initialize cannot be read");
            }
        }
    }

    /// Adds a result to the usage.
    pub(crate) fn resulted(&self, item: &LineItem) {
        let usage = self.usage.lock();
        usage.unwrap_or_else(PoisonError::into_inner).add(item);
    }

    /// Stores what the CLI reports about the reset of a usage limit.
    pub(crate) fn limited(&self, reset: Option<SystemTime>) {
        *self
            .limit_reset
            .lock()
            .unwrap_or_else(PoisonError::into_inner) = reset;
    }

    /// Returns the CLI's response to `initialize`.
    pub(crate) fn info(&self) -> Option<&InitializeResponse> {
        self.info.get()
    }

    /// Returns the usage so far.
    pub(super) fn usage(&self) -> UsageTotals {
        let usage = self.usage.lock();
        usage.unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Returns what the CLI reported last about the reset of a usage limit.
    pub(super) fn limit_reset(&self) -> Option<SystemTime> {
        *self
            .limit_reset
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the ID of a new turn.
    pub(crate) fn next_turn(&self) -> TurnId {
        TurnId(self.turns.fetch_add(1, Ordering::Relaxed))
    }

    /// Takes the receiver of the CLI's requests, if there is one and it was not taken before.
    pub(crate) fn take_requests(&self) -> Option<RequestReceiver> {
        let requests = self.requests.lock();
        requests.unwrap_or_else(PoisonError::into_inner).take()
    }

    /// Returns the error for callers after the end.
    pub(crate) fn ended(&self) -> Error {
        let ended = self.inbox.ended();
        ended.unwrap_or_else(|| Cause::Closed.into())
    }

    /// Calls the CLI. The response comes through the returned receiver.
    pub(crate) fn call(
        &self,
        body: Box<ControlRequestBody>,
        limit: Option<Duration>,
    ) -> Result<(CallId, oneshot::Receiver<Answer>), Error> {
        let taken = stdin::take(&self.to_stdin, &body).ok_or_else(|| self.not_reading())?;
        let call = CallId(self.calls.fetch_add(1, Ordering::Relaxed));
        let (answer, answered) = oneshot::channel();
        self.command(Command::Call {
            call,
            body,
            limit,
            answer,
            taken,
        })?;
        Ok((call, answered))
    }

    /// Returns the error of a call that exceeds the limit of waiting bytes. If the session has ended, returns the
    /// reason for the end.
    fn not_reading(&self) -> Error {
        let waiting = self.to_stdin.bytes();
        let ended = self.inbox.ended();
        ended.unwrap_or_else(|| Cause::NotReading { waiting }.into())
    }

    pub(crate) fn command(&self, command: Command) -> Result<(), Error> {
        self.commands.send(command).map_err(|_| self.ended())
    }
}

#[cfg(feature = "mcp")]
impl crate::mcp::ToCli for Shared {
    fn message(
        &self,
        message: claw_types::control::McpMessage,
    ) -> Result<oneshot::Receiver<Answer>, Error> {
        let (_, answered) = self.call(Box::new(message.into()), None)?;
        Ok(answered)
    }
}

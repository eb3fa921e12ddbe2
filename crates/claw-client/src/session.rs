//! A conversation with a running CLI.

use std::fmt;
use std::future::Future;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, SystemTime};

use bytes::Bytes;
use claw_codec::LineItem;
use claw_transport::{Exit, Process, Shutdown};
use claw_types::control::{ControlRequestBody, Initialize, InitializeResponse, Interrupt, Request};
use claw_types::{Json, MessageUuid, QueryOptions};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot};

use crate::byte_budget::ByteBudget;
use crate::calls::Answer;
use crate::commands::{Command, CommandSender, PromptTiming};
use crate::engine::{CallId, INITIALIZE, TurnId};
use crate::error::Cause;
use crate::inbox::{Inbox, Stream};
use crate::stdin;
use crate::{Call, Error, Messages, Prompt, Requests, SessionBuilder, Turn, UsageTotals};

/// A conversation with a running CLI, for any number of turns.
///
/// Clones of this type are handles of the same session: one clone can read the messages that another clone's
/// prompts cause. The futures that the methods return borrow nothing, and keep the session alive.
///
/// ```no_run
/// use claw_client::{PermissionResult, QueryOptions, Session};
///
/// # async fn example() -> Result<(), claw_client::Error> {
/// let session = Session::builder(QueryOptions::default())
///     .can_use_tool(|request| async move {
///         match request.tool_name() {
///             "Bash" => PermissionResult::deny("no shell here"),
///             _ => PermissionResult::allow(),
///         }
///     })
///     .connect()
///     .await?;
/// println!("{}", session.ask("What is 2 + 2?").await?);
/// session.close().await?;
/// # Ok(())
/// # }
/// ```
///
/// # On a `current_thread` runtime
///
/// The task of a session runs in the runtime in which the session was started. A `current_thread` runtime runs this
/// task only while the runtime is polled. Between two `block_on`s, and while code of the program blocks the thread, no
/// callback runs and nothing is read (a CLI that has written 64 KiB waits; nothing is lost). At most one second of
/// such a pause is counted toward the deadlines of this session. The CLI's own deadlines, such as that of a hook,
/// continue to run. Dropping the session ends the process at any time.
///
/// # When its runtime is shut down
///
/// The session ends with the runtime in which it was started. Its process is ended in the same way as by
/// [`close`](Self::close), and all operations fail with an error for which [`Error::is_closed`] is true. A call of
/// `close` in another runtime waits for the end.
///
/// # Drop
///
/// The session ends when its last handle is dropped. A [`Turn`] or [`Query`](crate::Query) of the session counts as a
/// handle. The process is then ended and reaped by a thread of claw, which needs no runtime. [`close`](Self::close)
/// ends the process in an orderly way and returns its exit status.
#[derive(Clone)]
pub struct Session {
    pub(crate) shared: Arc<Shared>,
}

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
    /// Whether prompts are taken verbatim.
    pub(crate) verbatim: bool,
    /// The contents of the `initialize` request.
    pub(crate) initialize: Box<Initialize>,
    usage: Mutex<UsageTotals>,
    /// The time at which the API accepts requests again, as the CLI reported it last.
    limit_reset: Mutex<Option<SystemTime>>,
    info: OnceLock<InitializeResponse>,
    /// The requests, until the application takes them.
    requests: Mutex<Option<Requests>>,
    #[cfg(feature = "store")]
    mirror: Option<crate::store::Mirror>,
    /// The MCP servers in this process.
    #[cfg(feature = "mcp")]
    pub(crate) mcp: Arc<crate::mcp::Host>,
}

impl Shared {
    pub(crate) fn new(
        process: Process,
        commands: CommandSender,
        requests: Option<Requests>,
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
    pub(crate) fn with_mirror(self, mirror: Option<crate::store::Mirror>) -> Self {
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

impl Session {
    /// Creates a builder for a session with these options.
    pub fn builder(options: QueryOptions) -> SessionBuilder {
        SessionBuilder::new(options)
    }

    /// Sends a prompt and returns its turn, a stream of messages that ends with the result.
    ///
    /// This method can be called while another turn runs. claw does not queue prompts itself. The CLI starts the
    /// prompt as soon as possible, adds it to the running turn, or answers several queued prompts in one turn. The
    /// turns of prompts that are answered together end with the same result, which may answer any of them; see
    /// [`Turn::merged_into`]. [`ask`](Self::ask) gives each prompt its own answer.
    ///
    /// # Errors
    ///
    /// Fails if the value is not a prompt: [`Error::is_bad_request`] is true for that error. If the session has ended,
    /// fails with the cause of its end.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe. The future waits while more than 8 MiB of earlier prompts wait for the CLI to read them. If the
    /// future is dropped while it waits, nothing is sent.
    pub fn send<P: Into<Prompt>>(
        &self,
        prompt: P,
    ) -> impl Future<Output = Result<Turn, Error>> + Send + use<P> {
        let (session, prompt) = (self.clone(), prompt.into());
        async move {
            let shared = &session.shared;
            let (uuid, line) = prompt.into_line(shared.verbatim)?;
            let line = sent(&shared.outbox, line).await;
            let line = line.ok_or_else(|| shared.ended())?;
            session.prompt(uuid, Bytes::from_owner(line), PromptTiming::AtOnce)
        }
    }

    pub(crate) fn prompt(
        &self,
        uuid: String,
        line: Bytes,
        when: PromptTiming,
    ) -> Result<Turn, Error> {
        let turn = self.open_turn(&uuid)?;
        turn.begin(uuid, line, when)?;
        Ok(turn)
    }

    /// Opens the stream of a turn, before its prompt is sent.
    pub(crate) fn open_turn(&self, uuid: &str) -> Result<Turn, Error> {
        let turn = TurnId(self.shared.turns.fetch_add(1, Ordering::Relaxed));
        let lines = self
            .shared
            .inbox
            .open(Stream::Turn(turn))
            .ok_or(Cause::MessagesTaken)?;
        Ok(Turn::new(
            self.clone(),
            turn,
            lines,
            MessageUuid::from(uuid),
        ))
    }

    /// Returns a stream of all messages of the session, including those between turns. From now on, all messages go to
    /// this stream, and a turn yields only its result. The stream begins with the messages that have had no reader so
    /// far: messages of dropped turns, and messages between turns. Of these, at most the last 1 MiB was kept.
    ///
    /// # Errors
    ///
    /// Fails if an earlier stream of this method still exists: [`Error::is_taken`] is true for that error.
    pub fn messages(&self) -> Result<Messages, Error> {
        let lines = self
            .shared
            .inbox
            .open(Stream::All)
            .ok_or(Cause::MessagesTaken)?;
        Ok(Messages::new(self.clone(), lines))
    }

    /// Returns a stream of the CLI's requests, which your program answers as data: permissions, hooks, elicitations,
    /// dialogs and every other kind. A request for which the builder has a callback goes to that callback, not to this
    /// stream.
    ///
    /// ```no_run
    /// use claw_client::{IncomingRequest, PermissionResult, QueryOptions, Session};
    /// use futures::StreamExt;
    ///
    /// # async fn example() -> Result<(), claw_client::Error> {
    /// let builder = Session::builder(QueryOptions::default()).answer_requests();
    /// let session = builder.connect().await?;
    /// let mut requests = session.requests()?;
    /// tokio::spawn(async move {
    ///     while let Some(request) = requests.next().await {
    ///         if let IncomingRequest::Permission(tool, responder) = request {
    ///             match tool.tool_name() {
    ///                 "Read" => responder.answer(PermissionResult::allow()),
    ///                 name => responder.fail(format!("{name} is not for you")),
    ///             }
    ///         } // Everything else gets its safe answer.
    ///     }
    /// });
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// Fails if this method was already called, or if [`SessionBuilder::answer_requests`] was not called:
    /// [`Error::is_taken`] is true for that error.
    pub fn requests(&self) -> Result<Requests, Error> {
        let requests = self.shared.requests.lock();
        let mut requests = requests.unwrap_or_else(PoisonError::into_inner);
        requests.take().ok_or_else(|| Cause::RequestsTaken.into())
    }

    /// Interrupts the running turn. The future completes when the CLI has acknowledged the interrupt. The turn then
    /// ends with an error result. The response lists the prompts that are still queued; older CLIs do not send that
    /// list.
    ///
    /// # Errors
    ///
    /// Fails with the same errors as [`call`](Self::call).
    ///
    /// # Cancel safety
    ///
    /// The interrupt is carried out even if the future is dropped after its first poll.
    pub fn interrupt(&self) -> Call<Interrupt> {
        self.call(Interrupt::new())
    }

    /// Calls the CLI: sends a control request and waits for the response. This works while messages stream, even if
    /// they are not read. Most kinds of control requests have a separate method, such as
    /// [`set_model`](Self::set_model). This method accepts every kind, with all of its fields. In the other direction,
    /// requests of the CLI to your program arrive through [`requests`](Self::requests) or a callback.
    ///
    /// # Errors
    ///
    /// If the session ends, fails with the cause of its end. For any other error, one of these is true:
    /// [`Error::is_refused`] (the CLI refused the request), [`Error::is_timeout`], [`Error::is_backlogged`],
    /// [`Error::is_not_reading`] or [`Error::is_bad_answer`].
    ///
    /// # Cancel safety
    ///
    /// Cancel safety is the same as for [`Call`].
    pub fn call<R: Request>(&self, body: R) -> Call<R> {
        Call::new(self.shared.clone(), body)
    }

    /// Sends the handshake request `initialize` again, as it was sent when the session began. The CLI does not restart;
    /// it responds with its current state. The CLI sends its unanswered requests again; requests that this session is
    /// processing are not delivered twice.
    ///
    /// # Errors
    ///
    /// Fails with the same errors as [`call`](Self::call).
    pub fn reinitialize(&self) -> Call<Initialize> {
        let initialize = (*self.shared.initialize).clone();
        #[cfg(feature = "mcp")]
        let initialize = self.shared.mcp.declared_in(initialize);
        self.call(initialize)
    }

    /// Returns the tokens and the cost of this session so far, sub-agents included, according to the results that have
    /// arrived. Sends nothing to the CLI.
    ///
    /// [`TurnResult::usage`](crate::TurnResult::usage) returns the tokens of one turn, without sub-agents. The totals
    /// in a result start again at zero after `/clear`; the totals of this method do not. In a resumed session,
    /// the totals of this method start at zero, because the process is new.
    pub fn usage(&self) -> UsageTotals {
        let usage = self.shared.usage.lock();
        usage.unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Ends the session: asks the CLI to end, closes its stdin, and ends the process by a signal if it still runs
    /// after 5 s. Open turns fail with an error for which [`Error::is_closed`] is true.
    ///
    /// # Errors
    ///
    /// Fails if not even SIGKILL ends the process: [`Error::transport`] returns the cause. If the session had already
    /// ended in another way, fails with the cause of that end.
    ///
    /// # Cancel safety
    ///
    /// After the first poll of the future, the session ends even if the future is dropped.
    pub fn close(&self) -> impl Future<Output = Result<Exit, Error>> + Send + 'static + use<> {
        self.close_with(Shutdown::default())
    }

    /// Ends the session as [`close`](Self::close) does, with other time limits.
    pub fn close_with(
        &self,
        steps: Shutdown,
    ) -> impl Future<Output = Result<Exit, Error>> + Send + 'static + use<> {
        let shared = self.shared.clone();
        async move {
            let (done, closed) = oneshot::channel();
            let asked = shared.command(Command::Close { steps, done });
            match (asked, closed.await) {
                (Ok(()), Ok(closed)) => closed,
                _ => match (shared.inbox.ended(), shared.process.exit()) {
                    // The session was already closed by a request.
                    (Some(end), Some(exit)) if end.is_closed() => Ok(exit),
                    // The runtime of the session's task was shut down.
                    (_, None) => Ok(shared.process.shutdown(steps).await?),
                    _ => Err(shared.ended()),
                },
            }
        }
    }

    /// Returns the mirror, which copies the session's transcripts to its store. Returns `None` if
    /// [`SessionBuilder::store`] was not called.
    #[cfg(feature = "store")]
    pub fn mirror(&self) -> Option<&crate::store::Mirror> {
        self.shared.mirror.as_ref()
    }

    /// Waits until the process has ended and, if the session has a store, its lines are stored. After that, another
    /// process may continue the session. The future keeps neither the session nor the process alive.
    #[cfg(any(feature = "pool", feature = "store"))]
    pub(crate) fn finished(&self) -> impl Future<Output = Exit> + Send + use<> {
        let exited = self.process().exited();
        #[cfg(feature = "store")]
        let mirror = self.shared.mirror.clone();
        async move {
            let exit = exited.await;
            #[cfg(feature = "store")]
            if let Some(mirror) = mirror {
                mirror.finished().await;
            }
            exit
        }
    }

    /// Returns the process of the CLI.
    pub fn process(&self) -> &Process {
        &self.shared.process
    }

    /// Returns the CLI's response to `initialize`. `None` before it has arrived.
    pub fn info(&self) -> Option<&InitializeResponse> {
        self.shared.info()
    }

    /// Returns the time at which the usage limit of the login is reset, as the CLI reported it last. `None` if the API
    /// accepts requests, and if the CLI has reported no limit or no time. With an API key the CLI reports none.
    ///
    /// The CLI reports a limit only when it changes: a later turn that ends at the same limit has no
    /// [`RateLimitEvent`](claw_types::Message::RateLimitEvent). See [`LimitWait`](crate::LimitWait).
    pub fn limit_reset(&self) -> Option<SystemTime> {
        *self
            .shared
            .limit_reset
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the number of messages that were discarded because they had no reader. The messages that
    /// [`messages`](Self::messages) still returns are newer.
    pub fn skipped(&self) -> u64 {
        self.shared.inbox.skipped()
    }
}

impl fmt::Debug for Session {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Session")
            .field("process", &self.shared.process)
            .finish_non_exhaustive()
    }
}

//! Connects the engine to a transport: one task per session.

mod beginning;
pub(crate) mod clock;
pub(crate) mod initialize;
pub(crate) mod reading;
pub(crate) mod shutdown;

use std::collections::BTreeMap;
use std::future::Future;
use std::io;
use std::pin::pin;
use std::sync::{Arc, Weak};
use std::time::Duration;

use claw_codec::LineItem;
use claw_transport::{Exit, Outgoing, Shutdown, TransportError};
use claw_types::RequestId;
use claw_types::control::{EndSession, Interrupt};
use futures::future::{BoxFuture, Fuse, FusedFuture};
use futures::{FutureExt, StreamExt};
use tokio::task::{JoinSet, yield_now};
use tokio::time::{Instant, timeout};

use crate::driver::initialize::Confirm;
use crate::driver::reading::Lines;
use crate::driver::shutdown::{ShutdownOutcome, ShutdownState};
use crate::engine::{CallId, Decision, Engine, INITIALIZE, Now, Output, OwnTurn, TurnId};
use crate::handle::commands::{Closed, Command, CommandReceiver, PromptLine, PromptTiming};
use crate::handle::shared::Shared;
use crate::outcome::error::{Cause, Error, rounded};
use crate::requests::callbacks::Callbacks;
use crate::waiting::ByteBudget;
use crate::waiting::LINGER;
use crate::waiting::calls::Waiting;
use crate::waiting::inbox::{Inbox, Stream};
use crate::waiting::stdin::{Stdin, write};
use clock::{Clock, at};

/// The highest number of lines that are read before other events are handled.
const BATCH: usize = 256;

/// The maximum number of lines that are still read in two cases: after the process has ended, and after a deadline has
/// passed, before the deadline takes effect. A pipe can hold fewer lines than this number.
const LEFT_BEHIND: usize = 64 * BATCH;

/// The ID of the call that asks the CLI to end. The driver ignores the response to this call.
const GOODBYE: CallId = CallId(u64::MAX);

/// The ID of the call that interrupts a turn after the CLI was silent for too long. The driver ignores the response to
/// this call.
const STOP: CallId = CallId(u64::MAX - 1);

/// The state of the session's task.
pub(crate) struct Driver {
    pub(crate) engine: Engine,
    pub(crate) inbox: Arc<Inbox>,
    /// The state that the session's handles share. The driver holds only a weak reference. So the process ends when the
    /// last handle is dropped, even if this task is not polled again.
    pub(crate) shared: Weak<Shared>,
    pub(crate) commands: CommandReceiver,
    pub(crate) callbacks: Callbacks,
    pub(crate) waiting: Waiting,
    /// The condition under which the session ends by itself.
    pub(crate) ends: EndCondition,
    /// The task that writes one prompt after another. The task ends when the driver is dropped.
    pub(crate) _feeder: JoinSet<()>,
    /// Whether the response to the handshake has arrived.
    pub(crate) begun: bool,
    /// A result that arrived before the handshake's response. A CLI that does not find its session sends such a result.
    pub(crate) early: Option<(Vec<TurnId>, Option<OwnTurn>, LineItem)>,
    /// Whether the CLI has finished its work before the response to the handshake arrived.
    pub(crate) ended_early: bool,
    /// The options that the handshake's response must confirm.
    pub(crate) confirm: Confirm,
    /// The prompts that are written only after the handshake's response has confirmed the options.
    pub(crate) held: Vec<PromptLine>,
    /// The prompts that are written one at a time. Each prompt is written when no other prompt is unanswered.
    pub(crate) queue: BTreeMap<TurnId, PromptLine>,
    /// The maximum number of bytes that may wait in the inbox for their readers.
    pub(crate) bound: usize,
    pub(crate) clock: Clock,
    pub(crate) shutdown: ShutdownState,
    /// The future that runs the steps that end the process.
    pub(crate) shutdown_task: Fuse<BoxFuture<'static, Closed>>,
    /// Counts the bytes that are queued for stdin but not written yet.
    pub(crate) to_stdin: ByteBudget,
    /// The channel to the writer. `None` once stdin is closed.
    pub(crate) stdin: Option<Stdin>,
}

/// The condition under which a session ends by itself. A run lasts from a prompt until the CLI is
/// idle.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum EndCondition {
    /// The session does not end by itself.
    Never,
    /// The session ends when the CLI has finished the work on its only prompt.
    WithItsPrompt,
    /// The session ends when the CLI has finished the work on its last prompt. `came` is true once the last prompt has
    /// been submitted.
    WithTheLastPrompt { came: bool },
}

enum Event {
    Command(Option<Command>),
    Decided(RequestId, Decision, Duration),
    Line(Option<io::Result<LineItem>>),
    /// The session in the store may no longer be written, for this reason. So the session cannot continue.
    Lost(Error),
    Written(io::Result<()>),
    Exited(Exit),
    ShutdownStep(Closed),
    Room,
    Due,
}

/// Ends the session if the task panics, or is dropped with its runtime. The inbox is ended, so readers do not wait for
/// more messages. The process is ended because no handle can use it without this task.
struct EndOnDrop {
    inbox: Arc<Inbox>,
    shared: Weak<Shared>,
}

impl Drop for EndOnDrop {
    fn drop(&mut self) {
        self.inbox.end(Cause::Closed.into(), false);
        if let Some(shared) = self.shared.upgrade()
            && shared.process.exit().is_none()
        {
            // The first poll sends the request to the supervisor, which carries it out.
            let _ = shared.process.shutdown(Shutdown::default()).now_or_never();
        }
    }
}

impl Driver {
    /// Runs until the session has ended or its last handle was dropped.
    pub(crate) async fn run(
        mut self,
        mut incoming: Lines,
        outgoing: Outgoing,
        exited: impl Future<Output = Exit> + Send,
    ) {
        let _end = EndOnDrop {
            inbox: self.inbox.clone(),
            shared: self.shared.clone(),
        };
        let inbox = self.inbox.clone();
        let (stdin, to_write) = Stdin::new(self.to_stdin.clone());
        self.stdin = Some(stdin);
        let mut writer = pin!(write(outgoing, to_write).fuse());
        let mut exited = pin!(exited.fuse());
        let mut lost = pin!(incoming.lost().fuse());

        loop {
            self.flush();
            if !self.shutdown.is_running() {
                // Drops this sender, so the writer closes stdin after it has written all queued lines.
                self.stdin = None;
            }
            if self.shutdown.has_ended() {
                break;
            }
            let reading = self.shutdown.has_output() && self.may_read();
            let full = self.shutdown.has_output() && !reading;
            let (drained, lingering) = (
                self.shutdown.drain_deadline(),
                self.shutdown.linger_deadline(),
            );
            let ends = drained.into_iter().chain(lingering).min();
            let due = self.clock.wake_time(self.engine.deadline(), ends);
            let event = tokio::select! {
                biased;
                command = self.commands.next() => Event::Command(command),
                (id, decision, waited) = self.callbacks.decided() => Event::Decided(id, decision, waited),
                // The future that reports the loss of the claim is polled before the exit of the process. A lost claim
                // ends the process, and the loss must be reported as the cause.
                why = &mut lost => Event::Lost(why),
                written = &mut writer => Event::Written(written),
                exit = &mut exited => Event::Exited(exit),
                closed = &mut self.shutdown_task => Event::ShutdownStep(closed),
                // Deadlines are polled before the lines, so that many lines in a row cannot delay them.
                () = at(due), if due.is_some() => Event::Due,
                line = incoming.next(), if reading => Event::Line(line),
                () = inbox.room.notified(), if full => Event::Room,
            };
            self.shutdown.postpone(self.clock.record_wake());
            match event {
                Event::Command(None) => {
                    // On other systems, the signal SIGTERM asks the CLI to end. Windows has no such signal, so a
                    // request is sent instead.
                    if cfg!(windows) && self.shutdown.is_running() {
                        self.send_end_session();
                        self.outputs();
                        self.stdin = None;
                        // If the CLI does not read this request, the supervisor ends the CLI.
                        let _ = timeout(LINGER, &mut writer).await;
                    }
                    break;
                }
                Event::Command(Some(command)) => self.command(command),
                Event::Decided(id, decision, waited) => {
                    let now = self.now();
                    self.engine.note_activity(now);
                    self.engine.decide(&id, decision, waited);
                }
                Event::Line(line) => {
                    self.take(line, BATCH, &mut incoming);
                    // Yields to the readers, while the line is still in the CPU's cache. In the meantime, the pipe
                    // fills, and the read buffer becomes reusable.
                    yield_now().await;
                }
                Event::Lost(why) => self.refuse(why),
                Event::Written(Ok(())) | Event::ShutdownStep(Ok(_)) | Event::Room => {}
                Event::Written(Err(error)) => {
                    self.shutdown.broken(error);
                    self.end_unrecorded();
                }
                Event::Exited(exit) => self.shutdown.exited(exit),
                Event::ShutdownStep(Err(error)) => self.shutdown.stuck(error),
                Event::Due => self.handle_deadlines(full, &mut incoming),
            }
        }
        self.sweep().await;
        let owner = self.engine.owner();
        self.inbox.lines(owner, incoming.finish().await);
        self.finish();
    }

    /// Ends the child processes of a CLI that ended by itself in the middle of a turn. The shells among them worked for
    /// this turn, and nothing waits for their result any more.
    fn sweep(&self) -> impl Future<Output = ()> + Send + use<> {
        let by_itself =
            self.shutdown.exit().is_some_and(Exit::is_clean) && !self.shutdown.is_asked();
        let cut_short = by_itself && self.engine.is_in_mid_turn();
        let shared = self.shared.upgrade().filter(|_| cut_short);
        let swept = shared.map(|shared| shared.process.sweep());
        async move {
            if let Some(swept) = swept {
                let _ = timeout(LINGER, swept).await;
            }
        }
    }

    fn now(&mut self) -> Now {
        self.clock.now()
    }

    /// Handles the deadlines that have passed.
    fn handle_deadlines(&mut self, full: bool, incoming: &mut Lines) {
        if full {
            // The inbox is full because the host is not reading. So the silence does not mean that the CLI is stuck.
            let now = self.now();
            self.engine.note_activity(now);
        }
        let now = self.now();
        if self.engine.deadline().is_some_and(|due| due <= now) {
            self.drain_output(incoming);
            self.engine.tick(now);
        }
        let has_passed = |until: Option<Instant>| until.is_some_and(|at| at <= Instant::now());
        if has_passed(self.shutdown.linger_deadline()) {
            self.shutdown.linger_timed_out();
            self.shut_down(Shutdown::default().grace(Duration::ZERO));
        }
        if has_passed(self.shutdown.drain_deadline()) {
            // Output that the process left in the pipe is delivered even if it is read after the deadline.
            self.drain_output(incoming);
            self.shutdown.drain_timed_out();
        }
    }

    fn command(&mut self, command: Command) {
        match command {
            Command::Call {
                call,
                body,
                limit,
                answer,
                taken: _taken,
            } => {
                self.waiting.open(call, answer);
                let now = self.now();
                self.engine.call(now, call, *body, limit);
            }
            Command::Forget(call) => {
                self.waiting.forget(call);
                self.engine.forget(call);
            }
            Command::Prompt(prompt, PromptTiming::InTurn) => {
                self.queue.insert(prompt.turn, prompt);
            }
            Command::Prompt(prompt, PromptTiming::AtOnce) if self.confirm.any() => {
                self.held.push(prompt);
            }
            Command::Prompt(prompt, PromptTiming::AtOnce) => self.prompt(prompt),
            Command::TakeBack(turn) => {
                self.queue.remove(&turn);
            }
            Command::LastPrompt => {
                self.ends = EndCondition::WithTheLastPrompt { came: true };
                if self.held.is_empty() && self.queue.is_empty() && self.engine.is_at_rest() {
                    self.close(Shutdown::default());
                }
            }
            Command::Close { steps, done } => {
                self.shutdown.wait(done);
                self.close(steps);
            }
        }
    }

    fn prompt(&mut self, prompt: PromptLine) {
        let now = self.now();
        self.engine.note_activity(now);
        self.engine.prompt(prompt.turn, &prompt.uuid, prompt.line);
    }

    /// Carries out the engine's outputs. Submits queued prompts while no other prompt is unanswered. Then checks
    /// whether the inbox is full.
    fn flush(&mut self) {
        self.outputs();
        while !self.confirm.any()
            && !self.engine.has_open_prompts()
            && let Some((_, next)) = self.queue.pop_first()
        {
            self.prompt(next);
            self.outputs();
        }
        let bytes = self.inbox.bytes();
        if bytes > 0 && bytes >= self.bound && self.shutdown.exit().is_none() {
            self.engine.backlogged();
            self.inbox.backlogged();
            self.outputs();
        }
    }

    fn outputs(&mut self) {
        while let Some(output) = self.engine.output() {
            self.output(output);
        }
    }

    fn output(&mut self, output: Output) {
        match output {
            Output::Write(line) => {
                let written = self.stdin.as_ref().map(|stdin| stdin.write(line));
                if written == Some(false) {
                    let waiting = self.to_stdin.bytes();
                    self.refuse(Cause::NotReading { waiting }.into());
                }
            }
            Output::Prompt(line) => {
                if let Some(stdin) = &self.stdin {
                    stdin.prompt(line);
                }
            }
            Output::Request { id, body, weight } => self.callbacks.request(id, body, weight),
            Output::Withdraw(id) => self.callbacks.withdraw(&id),
            Output::Answered {
                call: INITIALIZE,
                answer,
            } => self.initialized(answer),
            Output::Answered { call, answer } => self.waiting.answer(call, answer),
            Output::Line { turn, item } => self.inbox.lines(turn, [item]),
            Output::Half(line) => self.shutdown.keep_half(line),
            Output::Result { turns, own, item } if self.begun => {
                self.result(&turns, own.as_ref(), &item);
            }
            Output::Result { turns, own, item } => {
                let another = self.early.replace((turns, own, item));
                if let Some((turns, own, item)) = another {
                    // A CLI that refuses to start a session sends only one result. This is the
                    // second result, so the session begins, and both results are delivered.
                    self.result(&turns, own.as_ref(), &item);
                    self.begin();
                }
            }
            Output::Lost(_) if self.ends == EndCondition::WithItsPrompt => {
                self.inbox.end_without_result(Stream::All);
            }
            Output::Lost(turn) => self.inbox.end_without_result(Stream::Turn(turn)),
            Output::RunEnded if self.begun => self.run_ended(),
            // A CLI that refuses to start a session ends by itself, and its exit contains the reason. So the session
            // waits for the exit, and only records here that the CLI has finished its work.
            Output::RunEnded => self.ended_early = true,
            Output::TooOld { found } => {
                let why = Error::from(Cause::CliTooOld { found });
                self.refuse(why.clone());
                // After this report, no message is delivered. So a result that the old CLI sends directly afterwards is
                // dropped.
                self.report(why);
            }
            Output::Delayed(hook) => self.callbacks.delayed(hook),
            Output::LimitReset(reset) => {
                if let Some(shared) = self.shared.upgrade() {
                    shared.limited(reset);
                }
            }
            Output::Stalled { silent, last, hook } => self.stalled(silent, last, hook),
        }
    }

    fn result(&self, turns: &[TurnId], own: Option<&OwnTurn>, item: &LineItem) {
        if let Some(shared) = self.shared.upgrade() {
            shared.resulted(item);
        }
        self.inbox.result(turns, own, item);
    }

    /// Ends a CLI that was silent for too long. First requests an interrupt of the turn. If the CLI still reads its
    /// input, it then records the interruption.
    fn stalled(&mut self, silent: Duration, last: Option<String>, hook: Option<String>) {
        tracing::warn!(event = "stall", ?silent, ?last, ?hook, "the CLI is silent");
        let now = self.now();
        self.engine.call(now, STOP, Interrupt::new().into(), None);
        let why = Error::from(Cause::Stalled {
            silent: rounded(silent),
            last,
            hook,
        });
        self.shutdown.refuse(why.clone());
        self.shut_down(Shutdown::default());
        self.report(why);
    }

    /// Reports the error to all waiting callers at once, and delivers no more messages. The process may end later.
    fn report(&mut self, why: Error) {
        self.inbox.end(why.clone(), false);
        self.engine.end(why);
    }

    /// Ends the process if its recording could not be written.
    fn end_unrecorded(&mut self) {
        if let ShutdownOutcome::Failed(error) = self.shutdown.outcome()
            && error.is_recording()
            && self.shutdown_task.is_terminated()
        {
            self.shut_down(Shutdown::now());
        }
    }

    /// Ends a session that cannot be used.
    fn refuse(&mut self, why: Error) {
        self.shutdown.refuse(why);
        self.shut_down(Shutdown::now());
    }

    /// Ends the CLI. Asks it to end, then runs `steps`, which use force if necessary.
    fn close(&mut self, steps: Shutdown) {
        if self.shutdown.ask() {
            tracing::debug!("closing");
            self.send_end_session();
        }
        self.shut_down(steps);
    }

    fn send_end_session(&mut self) {
        let now = self.now();
        self.engine
            .call(now, GOODBYE, EndSession::new().into(), None);
    }

    /// Starts the steps that end the process. Does nothing if no handle exists, because the process ends with the last
    /// handle.
    fn shut_down(&mut self, steps: Shutdown) {
        if let Some(shared) = self.shared.upgrade() {
            let process = shared.process.clone();
            let steps = async move { process.shutdown(steps).await.map_err(Error::from) };
            self.shutdown_task = steps.boxed().fuse();
        }
    }

    /// Reports the end to all waiting callers.
    fn finish(&mut self) {
        let (why, complete) = self.end();
        tracing::debug!("the session is over");
        tracing::trace!(?why);
        self.inbox.end(why.clone(), complete);
        self.engine.end(why);
        self.flush();
        self.shutdown.notify_waiters();
    }

    /// Returns the cause of the end, and whether the stream of all messages is complete. If the cause does not contain
    /// the last item, that item is passed to its readers.
    fn end(&mut self) -> (Error, bool) {
        let mut half = self.shutdown.take_half();
        let (why, complete) = match (self.shutdown.outcome(), self.shared.upgrade()) {
            (ShutdownOutcome::Closed, _) | (_, None) => (Cause::Closed.into(), true),
            (ShutdownOutcome::Failed(why), _) => (why, false),
            (ShutdownOutcome::Exited(exit), Some(shared)) => {
                let mut error = shared.process.exit_error(exit);
                let mut complete = exit.is_success() && self.ends == EndCondition::Never;
                if let TransportError::Exited(exited) = &mut error {
                    complete &= half.is_none();
                    exited.cut = half.take();
                }
                (error.into(), complete)
            }
        };
        // If the session was not found, the error already contains the text of the early result. In every other case,
        // the early result is delivered.
        if !why.is_session_not_found() {
            self.early_result();
        }
        // An unfinished last line is left if it is not part of the cause. It is delivered like any other line.
        if let Some(half) = half {
            let owner = self.engine.owner();
            self.inbox.lines(owner, [LineItem::Line(half)]);
        }
        (why, complete)
    }
}

//! Drives a session of the pool into its room.

use std::sync::Arc;

use claw_client::codec::FrameItem;
use claw_client::pool::{PooledSession, PooledTurn};
use claw_client::{Error, Messages, Session, TurnResult};
use claw_sessions::on_pool;
use claw_types::Message;
use claw_types::message::UserMessage;
use futures::future::{AbortHandle, BoxFuture, abortable};
use futures::stream::FuturesUnordered;
use futures::{FutureExt, StreamExt};
use tokio::sync::{mpsc, oneshot};

use super::shared::Shared;
use super::tap::Tap;

/// A prompt on its way to claude.
pub(super) struct Job {
    pub(super) prompt: UserMessage,
    /// Where the lines of its turn go, if somebody wants them. Such a prompt has its turn alone: it waits until no other
    /// one runs, and others wait for it.
    pub(super) tap: Option<Tap>,
}

/// An interrupt, with where its outcome goes.
pub(super) type Interrupt = oneshot::Sender<Result<bool, Error>>;

/// How much of a line that cannot be read is shown, in bytes.
const UNREADABLE: usize = 4096;

/// Something that was waited for.
enum Step {
    Sent(Result<PooledTurn, Error>),
    /// Interrupted before it was sent.
    Stopped,
    Ended(Result<TurnResult, Error>),
    /// It is marked that a turn runs: this prompt can be sent.
    Marked(Box<Job>),
    /// It is marked that no turn runs any more. With why the last one failed, if it did.
    Unmarked(Option<String>),
    Done,
}

struct Driver {
    shared: Arc<Shared>,
    pooled: PooledSession,
    messages: Option<Messages>,
    /// The process of the running turns.
    process: Option<Session>,
    /// Stops the prompt that waits for a process.
    waiting: Option<AbortHandle>,
    turns: usize,
    /// A mark is being written or taken away: no prompt is taken up meanwhile.
    is_marking: bool,
    /// Where the lines of the turn go that runs alone.
    tap: Option<Tap>,
    /// A prompt that waits until it can have its turn alone. No other one is taken up meanwhile.
    held: Option<Job>,
    steps: FuturesUnordered<BoxFuture<'static, Step>>,
}

/// Sends prompts, one after the other, and shows what comes of them, until there can be no more.
pub(super) async fn drive(
    shared: Arc<Shared>,
    pooled: PooledSession,
    mut prompts: mpsc::Receiver<Job>,
    mut interrupts: mpsc::Receiver<Interrupt>,
) {
    let mut driver = Driver {
        shared,
        pooled,
        messages: None,
        process: None,
        waiting: None,
        turns: 0,
        is_marking: false,
        tap: None,
        held: None,
        steps: FuturesUnordered::new(),
    };
    loop {
        tokio::select! {
            // A person's interrupt goes before whatever claude has to say.
            biased;
            done = interrupts.recv() => match done {
                Some(done) => driver.interrupt(done),
                // Nobody is left: what waits for a process is not sent any more.
                None => break,
            },
            item = next(&mut driver.messages) => driver.message(item),
            Some(step) = driver.steps.next() => driver.step(step),
            job = prompts.recv(), if driver.takes_prompts() => match job {
                Some(job) => driver.take(job),
                None => break,
            },
        }
    }
    driver.shared.close();
}

/// The next line, if there is a process.
async fn next(messages: &mut Option<Messages>) -> Option<Result<FrameItem<Message>, Error>> {
    match messages {
        Some(messages) => messages.next_frame().await,
        None => std::future::pending().await,
    }
}

impl Driver {
    fn takes_prompts(&self) -> bool {
        let is_sending = self.waiting.is_some() || self.is_marking;
        !is_sending && self.tap.is_none() && self.held.is_none()
    }

    fn take(&mut self, job: Job) {
        if job.tap.is_some() && self.turns > 0 {
            self.held = Some(job);
        } else {
            self.mark(job);
        }
    }

    /// Marks that a turn runs, and sends the prompt then: what claude has got is marked.
    fn mark(&mut self, job: Job) {
        self.is_marking = true;
        let shared = self.shared.clone();
        let marked = on_pool::run(move || shared.mark());
        self.steps
            .push(marked.map(|()| Step::Marked(Box::new(job))).boxed());
    }

    /// A prompt is answered. If it was the last one, its mark is gone before anybody sees that.
    fn over(&mut self, error: Option<String>) {
        if self.turns > 0 || self.waiting.is_some() || self.is_marking {
            self.shared.with(|room| room.ended(error));
            return;
        }
        self.is_marking = true;
        let shared = self.shared.clone();
        let unmarked = on_pool::run(move || shared.unmark());
        self.steps
            .push(unmarked.map(|()| Step::Unmarked(error)).boxed());
    }

    fn send(&mut self, job: Job) {
        // Before the prompt is sent: its first line may come before anything else is known of it.
        self.tap = job.tap;
        let (sent, stop) = abortable(self.pooled.send(job.prompt));
        self.waiting = Some(stop);
        let sent = sent.map(|sent| sent.map_or(Step::Stopped, Step::Sent));
        self.steps.push(sent.boxed());
    }

    fn interrupt(&mut self, done: Interrupt) {
        if let Some(waiting) = &self.waiting {
            waiting.abort();
        }
        let Some(process) = self.process.clone().filter(|_| self.turns > 0) else {
            let _ = done.send(Ok(self.waiting.is_some()));
            return;
        };
        self.shared.with(crate::room::Room::interrupted);
        let interrupt = process.interrupt();
        let carried_out = async move {
            let _ = done.send(interrupt.await.map(|_| true));
            Step::Done
        };
        self.steps.push(carried_out.boxed());
    }

    fn message(&mut self, item: Option<Result<FrameItem<Message>, Error>>) {
        match item {
            Some(Ok(line)) => self.show(line),
            // The turns say why.
            Some(Err(_)) | None => {
                self.messages = None;
                self.shared.with(crate::room::Room::process_ended);
            }
        }
    }

    fn step(&mut self, step: Step) {
        match step {
            Step::Sent(Ok(turn)) => self.began(turn),
            Step::Sent(Err(error)) => {
                self.waiting = None;
                self.failed(&error.to_string());
                self.over(Some(error.to_string()));
            }
            Step::Stopped => {
                self.waiting = None;
                self.failed("the prompt was interrupted before it was sent");
                self.over(None);
            }
            Step::Marked(job) => {
                self.is_marking = false;
                self.send(*job);
            }
            Step::Unmarked(error) => {
                self.is_marking = false;
                self.shared.with(|room| room.ended(error));
                if let Some(tap) = self.tap.take() {
                    tap.end();
                }
                if let Some(job) = self.held.take() {
                    self.mark(job);
                }
            }
            Step::Ended(result) => self.ended(result),
            Step::Done => {}
        }
    }

    fn began(&mut self, mut turn: PooledTurn) {
        self.waiting = None;
        self.turns += 1;
        self.shared.with(crate::room::Room::started);
        let Some(process) = turn.session().cloned() else {
            // It was over at once.
            self.steps.push(turn.result().map(Step::Ended).boxed());
            return;
        };
        // A new process: from now on its messages come here. What the turn has taken already is older.
        if let Ok(messages) = process.messages() {
            self.messages = Some(messages);
            self.shared.with(crate::room::Room::process);
            while let Some(Some(Ok(line))) = turn.next_frame().now_or_never() {
                let result = match &line {
                    FrameItem::Frame(frame) => frame.value().clone().try_into().ok(),
                    FrameItem::Malformed(_) | FrameItem::TooLong(_) => None,
                };
                self.show(line);
                if let Some(result) = result {
                    self.process = Some(process);
                    return self.ended(Ok(result));
                }
            }
        }
        self.process = Some(process);
        self.steps.push(turn.result().map(Step::Ended).boxed());
    }

    fn ended(&mut self, result: Result<TurnResult, Error>) {
        // What was said before the result is shown before the turn's end.
        while let Some(messages) = &mut self.messages
            && let Some(item) = messages.next_frame().now_or_never()
        {
            self.message(item);
        }
        self.turns -= 1;
        if self.turns == 0 {
            // The pool may end it now.
            self.process = None;
        }
        let error = match result {
            Ok(result) if result.is_error() && !result.interrupted() => {
                Some(result.text().into_owned())
            }
            Ok(_) => None,
            Err(error) => {
                let error = error.to_string();
                self.failed(&error);
                Some(error)
            }
        };
        self.over(error);
    }

    /// The turn that runs alone has no result.
    fn failed(&mut self, error: &str) {
        if let Some(tap) = &mut self.tap {
            tap.fail(error);
        }
    }

    fn show(&self, line: FrameItem<Message>) {
        if let Some(tap) = &self.tap {
            tap.line(&line);
        }
        let unreadable = match line {
            FrameItem::Frame(frame) => {
                let message = frame.into_value();
                return self.shared.with(|room| room.message(&message));
            }
            FrameItem::Malformed(line) => line.excerpt(UNREADABLE),
            FrameItem::TooLong(line) => line.excerpt(UNREADABLE),
        };
        tracing::warn!("a line of claude cannot be read");
        self.shared.with(|room| room.unreadable(&unreadable));
    }
}

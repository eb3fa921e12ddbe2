//! Drives a session of the pool into its room.

use std::sync::Arc;

use claw_client::pool::{PooledSession, PooledTurn};
use claw_client::{Error, Messages, Received, Session, TurnResult};
use claw_sessions::on_pool;
use claw_types::message::UserMessage;
use futures::future::{AbortHandle, BoxFuture, abortable};
use futures::stream::FuturesUnordered;
use futures::{FutureExt, StreamExt};
use tokio::sync::{mpsc, oneshot};

use super::shared::Shared;

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
    Marked(Box<UserMessage>),
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
    steps: FuturesUnordered<BoxFuture<'static, Step>>,
}

/// Sends prompts, one after the other, and shows what comes of them, until there can be no more.
pub(super) async fn drive(
    shared: Arc<Shared>,
    pooled: PooledSession,
    mut prompts: mpsc::Receiver<UserMessage>,
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
            prompt = prompts.recv(), if driver.waiting.is_none() && !driver.is_marking => match prompt {
                Some(prompt) => driver.mark(prompt),
                None => break,
            },
        }
    }
    driver.shared.close();
}

/// The next message, if there is a process.
async fn next(messages: &mut Option<Messages>) -> Option<Result<Received, Error>> {
    match messages {
        Some(messages) => messages.next().await,
        None => std::future::pending().await,
    }
}

impl Driver {
    /// Marks that a turn runs, and sends the prompt then: what claude has got is marked.
    fn mark(&mut self, prompt: UserMessage) {
        self.is_marking = true;
        let shared = self.shared.clone();
        let marked = on_pool::run(move || shared.mark());
        self.steps
            .push(marked.map(|()| Step::Marked(Box::new(prompt))).boxed());
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

    fn send(&mut self, prompt: UserMessage) {
        let (sent, stop) = abortable(self.pooled.send(prompt));
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

    fn message(&mut self, item: Option<Result<Received, Error>>) {
        match item {
            Some(Ok(received)) => show(&self.shared, received),
            // The turns say why.
            Some(Err(_)) | None => self.messages = None,
        }
    }

    fn step(&mut self, step: Step) {
        match step {
            Step::Sent(Ok(turn)) => self.began(turn),
            Step::Sent(Err(error)) => {
                self.waiting = None;
                self.over(Some(error.to_string()));
            }
            Step::Stopped => {
                self.waiting = None;
                self.over(None);
            }
            Step::Marked(prompt) => {
                self.is_marking = false;
                self.send(*prompt);
            }
            Step::Unmarked(error) => {
                self.is_marking = false;
                self.shared.with(|room| room.ended(error));
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
            while let Some(Some(Ok(received))) = turn.next().now_or_never() {
                let result = received
                    .message()
                    .cloned()
                    .and_then(|message| message.try_into().ok());
                show(&self.shared, received);
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
            && let Some(item) = messages.next().now_or_never()
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
            Err(error) => Some(error.to_string()),
        };
        self.over(error);
    }
}

fn show(shared: &Shared, received: Received) {
    match received {
        Received::Message(message) => shared.with(|room| room.message(&message)),
        Received::Unreadable(line) => {
            tracing::warn!("a line of claude cannot be read");
            shared.with(|room| room.unreadable(&line.excerpt(UNREADABLE)));
        }
    }
}

//! Runs prompts in a session of the pool, and adds the messages to the session's conversation.

mod deferral;
mod interruption;
mod limited;
mod lines;

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::{Duration, Instant};

use claw_client::codec::FrameItem;
use claw_client::pool::{PooledSession, PooledTurn};
use claw_client::{Error, Messages, Session, TurnResult};
use claw_sessions::on_pool;
use claw_types::message::{AssistantMessageError, ResultErrorSubtype, UserMessage};
use claw_types::{MessageUuid, SessionId};
use futures::future::{AbortHandle, BoxFuture, abortable};
use futures::stream::FuturesUnordered;
use futures::{FutureExt, StreamExt};
use tokio::sync::{mpsc, oneshot};

use super::HubError;
use super::clock::now;
use super::control::Control;
use super::shared::Shared;
use super::store_away::while_away;
use super::turn_output::TurnSender;
use crate::conversation::Conversation;
use crate::counts::{TurnOutcome, error_reason};
use crate::quota::ReachedLimit;
use crate::quota_book::{Payer, ProcessSlot, QueuePlace};
use crate::spans::About;

use deferral::{Deferral, DeferralStep};
use limited::{Limited, Remarked};
use lines::next;

/// A prompt that is to be sent to claude. The record that the prompt is accepted and unanswered is already on disk or in
/// the store. The channels carry boxed jobs, because even an empty channel allocates memory for 32 elements.
pub(super) struct Job {
    pub(super) prompt: UserMessage,
    pub(super) uuid: MessageUuid,
    /// If set, the driver sends the lines of the prompt's turn over this channel. The turn of such a prompt runs alone. The
    /// prompt waits until no other turn runs, and later prompts wait until its turn has ended.
    pub(super) output: Option<TurnSender>,
    /// Whether the prompt has already waited for the reset of a usage limit. It does not wait a second time.
    pub(super) is_again: bool,
    pub(super) accepted: Instant,
    pub(super) payer: Payer,
    /// The prompt's position in the queues of its user and project.
    pub(super) queued: Option<QueuePlace>,
}

/// The result of an asynchronous step of the driver, such as sending a prompt.
enum Step {
    Deferral(DeferralStep),
    Sent(MessageUuid, Result<Box<PooledTurn>, HubError>),
    /// The prompt was interrupted before it was sent.
    Stopped(MessageUuid),
    Ended(MessageUuid, Result<TurnResult, Error>),
    /// The prompt was taken back, so the CLI sends no result for it.
    Dropped(MessageUuid),
    /// The record of an unanswered prompt was removed. The first field is whether the prompt has a result. The second field
    /// is the error of the prompt's turn, if the turn failed.
    Unmarked(bool, Option<String>),
    /// The CLI's response to the request to cancel a prompt, and the sender that passes the response on.
    TakenBack(
        MessageUuid,
        Result<bool, Error>,
        oneshot::Sender<Result<bool, Error>>,
    ),
    /// The server has tried to record a prompt again, under a new UUID. This prompt is to wait for the reset of a usage
    /// limit.
    Remarked(Box<Remarked>),
    /// The usage limit is reset.
    Reset,
    Done,
}

struct Driver {
    shared: Arc<Shared>,
    pooled: PooledSession,
    messages: Option<Messages>,
    /// The process of the running turns.
    process: Option<Session>,
    /// The prompt that waits for a process, and the handle that ends the wait.
    waiting: Option<(MessageUuid, AbortHandle)>,
    /// The prompts for which the CLI has not yet responded to a request to cancel them.
    taking_back: HashSet<MessageUuid>,
    /// For each sent prompt, the handle that ends the wait for its result.
    running: HashMap<MessageUuid, AbortHandle>,
    /// The prompts that were taken back before they were sent.
    taken_back: HashSet<MessageUuid>,
    turns: usize,
    /// For each prompt that waits, the time at which it was accepted. For each sent prompt, the time at which a process
    /// received it.
    began: HashMap<MessageUuid, Instant>,
    /// The time at which the process received the prompt, if no message of the prompt's turn has arrived yet.
    awaits_first: Option<Instant>,
    /// For each prompt without a result, the time at which it was accepted. For a prompt that is sent again after a
    /// usage limit, the time of the second attempt.
    accepted: HashMap<MessageUuid, Instant>,
    /// The number of processes that the session has had.
    processes: u64,
    /// The state of the deferred permission request, which waits after its process has ended.
    deferral: Deferral,
    /// The prompts that wait for the reset of a usage limit.
    limited: Limited,
    /// The number of ended prompts whose records are being removed.
    unmarking: usize,
    /// The channel over which the driver sends the lines of the running turn. `None` unless that turn runs alone.
    output: Option<TurnSender>,
    /// A prompt whose turn must run alone. It waits until no other turn runs. Until then, the driver takes no other
    /// prompt.
    held: Option<Box<Job>>,
    /// The ID that the process reported last.
    last_id: Option<SessionId>,
    /// The error of the last assistant message of the main conversation in this turn. `None` if the model wrote that message.
    refusal: Option<AssistantMessageError>,
    /// Whether each process continues a fork of the session (a copy with a new ID) instead of the session itself.
    forks: bool,
    /// The new ID under which claude continues the session. `None` after the hub has moved the session to this ID.
    moved: Option<SessionId>,
    /// Whether the server is ending. If so, the driver sends no prompts, and does not remove the records of prompts without
    /// a result.
    is_stopped: bool,
    /// The driver drops these senders when no turn runs any more. Their receivers wait for that.
    stopped: Vec<oneshot::Sender<()>>,
    steps: FuturesUnordered<BoxFuture<'static, Step>>,
    /// The slot with which the session may have a process. `None` if users and projects have no limits.
    slot: Option<Arc<ProcessSlot>>,
    /// Whether the driver last reported to the slot that the session is idle.
    is_slot_idle: bool,
    /// The payer to whom each prompt without a result is charged.
    payers: HashMap<MessageUuid, Payer>,
    /// The positions in the queues of users and projects, for the prompts that no process has received yet.
    queued: HashMap<MessageUuid, QueuePlace>,
}

/// Moves a session to the new ID under which it continues.
pub(super) type OnMoved = Box<dyn Fn(SessionId) -> BoxFuture<'static, ()> + Send + Sync>;

/// The session that [`drive`] sends prompts to.
pub(super) struct Driven {
    /// Called when claude continues the session under a new ID.
    pub(super) on_moved: OnMoved,
    pub(super) pooled: PooledSession,
    /// Whether each process continues a fork of the session (a copy with a new ID) instead of the session itself.
    pub(super) forks: bool,
    /// The longest wait for the reset of a usage limit. `None` means that prompts do not wait.
    pub(super) limit_wait: Option<Duration>,
    pub(super) slot: Option<Arc<ProcessSlot>>,
}

/// Sends prompts one after the other and adds the messages to the conversation. Returns when all senders of a channel
/// were dropped.
pub(super) async fn drive(
    shared: Arc<Shared>,
    Driven {
        on_moved,
        pooled,
        forks,
        limit_wait,
        slot,
    }: Driven,
    mut prompts: mpsc::Receiver<Box<Job>>,
    mut controls: mpsc::Receiver<Control>,
) {
    let mut driver = Driver {
        shared,
        pooled,
        messages: None,
        process: None,
        waiting: None,
        taking_back: HashSet::new(),
        running: HashMap::new(),
        taken_back: HashSet::new(),
        turns: 0,
        began: HashMap::new(),
        awaits_first: None,
        accepted: HashMap::new(),
        processes: 0,
        deferral: Deferral::Nothing,
        limited: Limited::new(limit_wait),
        unmarking: 0,
        output: None,
        held: None,
        last_id: None,
        refusal: None,
        forks,
        moved: None,
        is_stopped: false,
        stopped: Vec::new(),
        steps: FuturesUnordered::new(),
        slot,
        is_slot_idle: false,
        payers: HashMap::new(),
        queued: HashMap::new(),
    };
    loop {
        tokio::select! {
            // The branches are polled in this order, so that a person's interrupt is handled before further lines of
            // claude.
            biased;
            control = controls.recv() => match control {
                Some(Control::Interrupt(done)) => driver.interrupt(done),
                Some(Control::TakeBack(prompt, done)) => driver.take_back(prompt, done),
                Some(Control::Stop(done)) => driver.stop(done),
                Some(Control::Defer(id)) => driver.defer(id),
                Some(Control::Resume(resumption)) => driver.resume(resumption),
                // All handles of the session were dropped. A prompt that still waits for a process is not sent.
                None => break,
            },
            item = next(&mut driver.messages) => driver.message(item),
            Some(step) = driver.steps.next() => driver.step(step),
            job = prompts.recv(), if driver.takes_prompts() => match job {
                Some(job) => driver.take(job),
                None => break,
            },
        }
        if let Some(to) = driver.moved.take() {
            // The following lines belong to the new ID. So the driver reads no lines until the hub has moved the session to
            // this ID, or has refused that.
            on_moved(to).await;
        }
        driver.send_limited();
        driver.update_slot();
        if driver.is_stopped && !driver.is_busy() {
            driver.stopped.clear();
        }
    }
    driver.shared.close();
    driver.shared.session_span();
}

/// Whether the turn ended because its process has spent its budget.
fn has_spent_budget(result: &TurnResult) -> bool {
    match result {
        TurnResult::Error(result) => result.subtype == ResultErrorSubtype::ErrorMaxBudgetUsd,
        _ => false,
    }
}

impl Driver {
    fn takes_prompts(&self) -> bool {
        let is_sending = self.waiting.is_some() || self.is_stopped;
        let is_held = self.output.is_some() || self.held.is_some() || self.limited.is_busy();
        !is_sending && !is_held
    }

    /// Whether a prompt is being sent, or a turn has not ended.
    fn is_busy(&self) -> bool {
        let is_waiting = self.waiting.is_some() || self.limited.is_busy();
        self.turns > 0 || self.unmarking > 0 || is_waiting || self.deferral.is_busy()
    }

    fn take(&mut self, job: Box<Job>) {
        if self.taken_back.remove(&job.uuid) {
            self.finish(job.uuid, None, false);
        } else if job.output.is_some() && self.is_busy() {
            self.held = Some(job);
        } else {
            self.send(job);
        }
    }

    /// Ends a prompt. The record that the prompt is unanswered is removed before viewers see that its turn has ended.
    fn finish(&mut self, uuid: MessageUuid, error: Option<String>, is_answered: bool) {
        self.limited.forget(&uuid);
        self.queued.remove(&uuid);
        self.payers.remove(&uuid);
        self.began.remove(&uuid);
        self.accepted.remove(&uuid);
        self.shared.with(|conversation| conversation.dequeue(&uuid));
        if self.is_stopped && !is_answered {
            // The record of the prompt stays. A restarted server reads it and shows the prompt as unanswered.
            return;
        }
        self.unmarking += 1;
        let shared = self.shared.clone();
        let unsent = shared.peek(Conversation::unsent);
        let unmarked = on_pool::run(move || {
            // The costs are saved before the record of the prompt is removed. If this server is killed in between, the cost
            // of the turn is not lost.
            if let Some(book) = &shared.quotas {
                book.save();
            }
            if is_answered {
                shared.prompts.settle(&shared.id(), &unsent);
            }
            shared.prompts.finish(&uuid, is_answered);
        });
        self.steps.push(
            unmarked
                .map(move |()| Step::Unmarked(is_answered, error))
                .boxed(),
        );
    }

    fn send(&mut self, job: Box<Job>) {
        self.limited.keep(&job);
        if !job.is_again {
            self.began.insert(job.uuid.clone(), job.accepted);
        }
        let accepted = if job.is_again {
            Instant::now()
        } else {
            job.accepted
        };
        self.accepted.insert(job.uuid.clone(), accepted);
        // The output is set before the prompt is sent, because a line of the turn may arrive before the response to
        // `send_after`.
        self.output = job.output;
        let (uuid, shared, pooled) = (job.uuid, self.shared.clone(), self.pooled.clone());
        let (of, prompt) = (uuid.clone(), job.prompt);
        if let Some(queued) = job.queued {
            self.queued.insert(uuid.clone(), queued);
        }
        self.payers.insert(uuid.clone(), job.payer.clone());
        let tenant = job.payer.tenant(&self.shared.project);
        self.pooled.set_tenant(tenant, 1);
        let (slot, payer) = (self.slot.clone(), job.payer);
        let is_alone = !self.has_turn()
            && shared.peek(|it| it.state().background_tasks == 0 && it.state().agents == 0);
        let sent = async move {
            if let Some(book) = &shared.quotas {
                let left = book.left(&payer, now())?;
                // The budget of a running process cannot be changed. So the process is ended, and the prompt starts a
                // new one. A process that runs a turn, a background task or a sub-agent is not ended, and keeps its
                // budget.
                if shared.budget().set_left(left) && is_alone {
                    pooled.end_process().await;
                }
            }
            if let Some(slot) = slot {
                let on_wait = |limit| shared.wait_for_limit(limit);
                slot.acquire(&payer, on_wait).await;
            }
            let send = || {
                let (shared, of) = (shared.clone(), of.clone());
                let before = async move {
                    let began = Instant::now();
                    shared.turn_comes(&of);
                    let (marks, prompt) = (shared.clone(), of.clone());
                    let marked = on_pool::run(move || marks.prompts.sent(&prompt)).await;
                    let about = About {
                        has_failed: marked.is_err(),
                        ..About::new("claw.mark")
                    };
                    shared.span(Some(&of), about, began);
                    marked.map_err(HubError::Unkept)
                };
                pooled.send_after(prompt.clone(), before)
            };
            // A prompt that claude may have received is not sent again.
            let may_wait = |is| shared.wait_for_store(is) && !shared.prompts.is_sent(&of);
            while_away(shared.patience, send, may_wait).await
        };
        let (sent, stop) = abortable(sent);
        self.waiting = Some((uuid.clone(), stop));
        let sent = sent.map(|sent| match sent {
            Ok(sent) => Step::Sent(uuid, sent.map(Box::new)),
            Err(_) => Step::Stopped(uuid),
        });
        self.steps.push(sent.boxed());
    }

    fn step(&mut self, step: Step) {
        match step {
            Step::Sent(uuid, Ok(turn)) => self.on_begin(uuid, *turn),
            Step::Sent(uuid, Err(error)) => {
                self.waiting = None;
                let reason = match &error {
                    HubError::Claude(error) => error_reason(error),
                    _ => "store",
                };
                self.count_end(&uuid, None, TurnOutcome::Failed(reason));
                let error = error.to_string();
                self.failed(&error);
                self.release_slot();
                self.finish_unsent(uuid, Some(error));
            }
            Step::Stopped(uuid) => {
                self.waiting = None;
                self.count_end(&uuid, None, TurnOutcome::Interrupted);
                self.shared.wait_for_store(false);
                self.shared.wait_for_limit(None);
                self.release_slot();
                self.failed("the prompt was interrupted before it was sent");
                self.finish_unsent(uuid, None);
            }
            Step::Unmarked(is_answered, error) => {
                self.unmarking -= 1;
                self.shared.with(|conversation| {
                    if is_answered {
                        conversation.settled();
                    }
                    conversation.ended(error);
                });
                if self.is_busy() {
                    return;
                }
                if let Some(output) = self.output.take() {
                    output.end();
                }
                if let Some(job) = self.held.take_if(|_| !self.is_stopped) {
                    self.send(job);
                }
            }
            Step::Ended(uuid, result) => self.ended(uuid, result),
            Step::Dropped(uuid) => {
                let began = self.began.remove(&uuid);
                self.count_end(&uuid, began, TurnOutcome::Interrupted);
                self.turn_ended();
                self.finish(uuid, None, false);
            }
            Step::TakenBack(uuid, taken, done) => {
                if taken.as_ref().is_ok_and(|taken| *taken) {
                    self.on_taken_back(&uuid);
                }
                self.taking_back.remove(&uuid);
                let _ = done.send(taken);
            }
            Step::Deferral(step) => self.deferral_step(step),
            Step::Remarked(remarked) => self.on_remarked(*remarked),
            Step::Reset => self.on_reset(),
            Step::Done => {}
        }
    }

    /// Whether a process runs a turn.
    fn has_turn(&self) -> bool {
        self.turns > 0 || matches!(self.deferral, Deferral::Running(..))
    }

    /// Ends a prompt that was not sent. If it failed with an error before claude received it, a client may send it
    /// again under the same UUID.
    fn finish_unsent(&mut self, uuid: MessageUuid, error: Option<String>) {
        if error.is_some() && !self.shared.prompts.is_sent(&uuid) {
            self.shared.with(|conversation| conversation.forget(&uuid));
        }
        self.finish(uuid, error, false);
    }

    /// Returns the payer to whom the running turn is charged. This is the payer of the oldest prompt that a process has
    /// received.
    fn charged(&self) -> Option<Payer> {
        let sent = self
            .began
            .iter()
            .filter(|(uuid, _)| !self.queued.contains_key(uuid));
        let (oldest, _) = sent.min_by_key(|(_, began)| **began)?;
        self.payers.get(oldest).cloned()
    }

    /// Reports to the slot whether the session is idle. The process of an idle session may be ended to make room for
    /// another session of the same user or project.
    fn update_slot(&mut self) {
        let is_idle = !self.is_busy();
        if let Some(slot) = &self.slot
            && self.is_slot_idle != is_idle
        {
            self.is_slot_idle = is_idle;
            slot.set_idle(is_idle);
        }
    }

    /// Gives up the session's right to a process if the session has no process.
    fn release_slot(&self) {
        if let Some(slot) = self.slot.as_ref().filter(|_| !self.pooled.has_process()) {
            slot.release();
        }
    }

    fn on_begin(&mut self, uuid: MessageUuid, mut turn: PooledTurn) {
        self.waiting = None;
        self.queued.remove(&uuid);
        if let (Some(slot), Some(payer)) = (&self.slot, self.payers.get(&uuid)) {
            slot.take(payer);
        }
        self.turns += 1;
        let now = Instant::now();
        let accepted = self.began.insert(uuid.clone(), now);
        // If another turn runs, the next message may belong to that turn. So the time to the first message is not
        // measured.
        self.awaits_first = (self.turns == 1).then_some(now);
        self.shared.turn_begins(&uuid);
        if let Some(accepted) = self.accepted.get(&uuid) {
            let wait = About::new("claw.wait");
            self.shared.span(Some(&uuid), wait, *accepted);
        }
        self.shared.counts().change(|totals| {
            totals.begun += 1;
            if let Some(accepted) = accepted {
                totals.waits.add_time(now - accepted);
            }
        });
        self.shared.with(Conversation::started);
        let Some(process) = turn.session().cloned() else {
            // The turn has already ended, so it has no process any more. Only its result is still to be read.
            self.wait_for(uuid, turn);
            return;
        };
        if self.is_stopped {
            // The prompt was sent just before the server began to end, so its turn is interrupted.
            let interrupt = process.interrupt();
            self.steps.push(interrupt.map(|_| Step::Done).boxed());
        }
        // If the process is new, this driver receives its messages from now on. Lines that the turn has already
        // received are older, so they are shown first.
        if self.begin_messages(&process) {
            while let Some(Some(Ok(line))) = turn.next_frame().now_or_never() {
                let result = match &line {
                    FrameItem::Frame(frame) => frame.value().clone().try_into().ok(),
                    FrameItem::Malformed(_) | FrameItem::TooLong(_) => None,
                };
                self.show(line);
                if let Some(result) = result {
                    self.process = Some(process);
                    return self.ended(uuid, Ok(result));
                }
            }
        }
        self.process = Some(process);
        self.wait_for(uuid, turn);
    }

    fn wait_for(&mut self, uuid: MessageUuid, turn: PooledTurn) {
        let (ended, stop) = abortable(turn.result());
        self.running.insert(uuid.clone(), stop);
        let ended = ended.map(|ended| match ended {
            Ok(result) => Step::Ended(uuid, result),
            Err(_) => Step::Dropped(uuid),
        });
        self.steps.push(ended.boxed());
    }

    fn turn_ended(&mut self) {
        self.turns -= 1;
        if !self.has_turn() {
            // No turn uses the process any more. The pool may end the process once this handle is dropped.
            self.process = None;
        }
    }

    fn ended(&mut self, uuid: MessageUuid, result: Result<TurnResult, Error>) {
        // Lines that arrived before the result are shown before the turn ends.
        while let Some(messages) = &mut self.messages
            && let Some(item) = messages.next_frame().now_or_never()
        {
            self.message(item);
        }
        self.running.remove(&uuid);
        let began = self.began.remove(&uuid);
        self.turn_ended();
        if let Deferral::Ending(ending) = &mut self.deferral {
            ending.ended = Some(uuid.clone());
            self.count_end(&uuid, began, TurnOutcome::Deferred);
            self.complete_deferral();
            return;
        }
        if let Ok(result) = &result
            && self.wait_for_reset(&uuid, result)
        {
            self.count_end(&uuid, began, TurnOutcome::Limited);
            return;
        }
        let is_cut_off = |result: &TurnResult| self.is_stopped && result.interrupted();
        let is_answered = result.as_ref().is_ok_and(|result| !is_cut_off(result));
        let outcome = TurnOutcome::of(&result, self.refusal.as_ref());
        self.count_end(&uuid, began, outcome);
        let error = match result {
            Ok(result) if result.is_error() && !result.interrupted() => {
                let text = result.text().into_owned();
                let limit = has_spent_budget(&result).then(|| self.reached_limit(&uuid));
                Some(match limit.flatten() {
                    Some(limit) => format!("{text}: {limit}"),
                    None => text,
                })
            }
            Ok(_) => None,
            Err(error) => {
                let error = error.to_string();
                self.failed(&error);
                if !self.is_stopped {
                    self.shared
                        .with(|conversation| conversation.broken_off(&uuid));
                }
                Some(error)
            }
        };
        self.finish(uuid, error, is_answered);
    }

    /// Returns the cost limit that the payer of a prompt has reached, if there is one.
    fn reached_limit(&self, uuid: &MessageUuid) -> Option<ReachedLimit> {
        let (book, payer) = (self.shared.quotas.as_ref()?, self.payers.get(uuid)?);
        book.left(payer, now()).err()
    }

    /// Counts a turn that has ended. `began` is the time at which a process received its prompt. While the server is
    /// ending, only answered turns are counted here. The others are counted when the session ends.
    fn count_end(&mut self, uuid: &MessageUuid, began: Option<Instant>, outcome: TurnOutcome) {
        self.awaits_first = None;
        if let Some(accepted) = self.accepted.remove(uuid) {
            self.shared.turn_span(uuid, outcome, accepted);
        }
        if self.is_stopped && outcome != TurnOutcome::Answered {
            return;
        }
        let took = began.map(|began| began.elapsed());
        let counts = self.shared.counts();
        counts.change(|totals| totals.ended(outcome, took));
    }

    /// Shows an error in the conversation. If the running turn has an output, the output ends with this error.
    fn failed(&mut self, error: &str) {
        self.shared.with(|conversation| conversation.failed(error));
        if let Some(output) = &mut self.output {
            output.fail(error);
        }
    }
}

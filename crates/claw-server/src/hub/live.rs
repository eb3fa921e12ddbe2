//! Handles of live conversations.

use std::future::Future;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use claw_client::QueryOptions;
use claw_client::pool::{Pool, PooledSession};
use claw_sessions::{Sessions, on_pool};
use claw_types::control::{SetPermissionMode, StopTask};
use claw_types::message::UserMessage;
use claw_types::options::PermissionMode;
use claw_types::{MessageUuid, SessionId};
use tokio::sync::{mpsc, oneshot};
use tracing::Instrument as _;

use super::ask::{dialog_kinds, with_callbacks};
use super::clock::now;
use super::control::Control;
use super::driver::{Driven, Job, OnMoved, drive};
use super::error::CLOSED;
use super::prompts::Refusal;
use super::shared::{LiveTimes, Shared};
use super::source::FromDisk;
use super::store::Build;
use super::store_away::while_away;
use super::turn_output::{TurnReceiver, TurnSender};
use super::uploads::{Folders, Upload};
use super::{HubError, Limits, NewPrompt, Viewer, detached, model};
use crate::conversation::{Answer, AnswerError, Answered, Conversation, Phase};
use crate::quota_book::{Payer, ProcessSlot};
use crate::worktree::Worktree;

/// Capacity of the channels over which the driver receives prompts and commands. While the driver waits for a process,
/// further prompts wait in the channel.
const MOST_WAITING: usize = 16;

/// A live conversation. Clones are handles of the same conversation. The server does not close an unused
/// conversation as long as a clone or a [`Viewer`] of it exists.
///
/// # Drop
///
/// When the last clone is dropped, including the hub's own, the conversation's process ends.
#[derive(Debug, Clone)]
pub struct LiveSession {
    pub(super) shared: Arc<Shared>,
    pub(super) pooled: PooledSession,
    prompts: mpsc::Sender<Box<Job>>,
    pub(super) controls: mpsc::Sender<Control>,
    /// Locked while a prompt is accepted, so that prompts are sent in the order in which they were accepted.
    pub(super) accepting: Arc<tokio::sync::Mutex<()>>,
    /// The configuration folder of the session.
    home: Sessions,
    /// All clones of this handle share this value. Its reference count is the number of clones.
    held: Arc<()>,
    /// The time at which the session became live, in milliseconds since 1970.
    began: i64,
    /// Whether the folder of the session's worktree exists or has existed.
    has_worktree: Arc<AtomicBool>,
}

impl LiveSession {
    pub(super) fn start(
        shared: Arc<Shared>,
        on_moved: OnMoved,
        pool: &Pool,
        mut options: QueryOptions,
        source: FromDisk,
        build: &Build,
        limits: &Limits,
    ) -> Self {
        let stall = limits.stall;
        let (build, conversation) = (build.clone(), shared.clone());
        options.supported_dialog_kinds = dialog_kinds(shared.answer_limit);
        shared.join_trace(&mut options);
        shared.trace_begins();
        let forks = options.fork_session == Some(true);
        // A resumed session has already had a process. That process has created the worktree.
        let has_worktree = options.resume.is_some();
        let home = source.home.clone();
        // The span has the level `ERROR`, so that each filter of the log enables it and each line contains the
        // session's ID.
        let span = tracing::error_span!("session", session.id = shared.id().as_str());
        let of_process = span.clone();
        let pooled = pool.session_builder(options, move |mut options| {
            let _entered = of_process.enter();
            let conversation = conversation.clone();
            conversation.budget().begin(&mut options);
            conversation.with(Conversation::starting);
            with_callbacks(build(options).stall_timeout(stall), &conversation)
        });
        let pooled = pooled.tenant(shared.project.clone(), 1).source(source);
        let pooled = pooled.open();
        let (prompts, to_send) = mpsc::channel(MOST_WAITING);
        let (controls, to_obey) = mpsc::channel(MOST_WAITING);
        let _ = shared.controls.set(controls.downgrade());
        let driven = Driven {
            on_moved,
            pooled: pooled.clone(),
            forks,
            limit_wait: limits.limit_wait,
            slot: shared
                .quotas
                .as_ref()
                .map(|book| Arc::new(ProcessSlot::new(book, pooled.clone()))),
        };
        let task = drive(shared.clone(), driven, to_send, to_obey);
        tokio::spawn(task.instrument(span));
        Self {
            shared,
            pooled,
            prompts,
            controls,
            accepting: Arc::default(),
            home,
            held: Arc::new(()),
            began: now(),
            has_worktree: Arc::new(AtomicBool::new(has_worktree)),
        }
    }

    /// Returns the time at which the conversation became live, in milliseconds since 1970.
    pub(super) fn began(&self) -> i64 {
        self.began
    }

    /// Returns the session's current ID. `/clear` changes the ID.
    pub fn id(&self) -> SessionId {
        self.shared.id()
    }

    /// Returns the name of the project.
    pub fn project(&self) -> &str {
        &self.shared.project
    }

    /// Returns the sessions in the configuration folder of this session.
    pub fn home(&self) -> &Sessions {
        &self.home
    }

    /// Calls `read` with the conversation. The conversation is locked during the call, so `read` should be quick.
    pub fn read<T>(&self, read: impl FnOnce(&Conversation) -> T) -> T {
        self.shared.peek(read)
    }

    /// Returns the time at which the session's phase began, and what the session waits for.
    pub(crate) fn times(&self) -> LiveTimes {
        self.shared.live_times()
    }

    /// Creates a viewer. `after` is the number of the last event that the viewer already has. `None` means that it has
    /// none.
    pub fn viewer(&self, after: Option<u64>) -> Viewer {
        self.shared.viewer(after)
    }

    /// Sends a prompt. The call completes once the record of the accepted prompt is on disk or in the store. After
    /// that, the prompt is not lost even if this server ends suddenly, because a restarted server finds the record.
    /// Returns the prompt's UUID, and whether the prompt is new. A prompt whose UUID was sent before is not new, and is
    /// not sent again.
    ///
    /// # Errors
    ///
    /// Fails with [`HubError::BadRequest`] if the prompt is invalid, with [`HubError::Busy`] if too many prompts wait,
    /// the session was closed meanwhile or the server ends, with [`HubError::Limit`] if a limit of the project is reached,
    /// and with [`HubError::Unkept`] if the prompt cannot be recorded.
    ///
    /// # Cancel safety
    ///
    /// The prompt is sent even if the future is dropped.
    pub async fn prompt(&self, prompt: NewPrompt) -> Result<(MessageUuid, bool), HubError> {
        self.queue(prompt, None, None).await
    }

    /// Sends a prompt as [`prompt`](Self::prompt) does, for a user of the server. `None` means the owner.
    pub(crate) async fn prompt_of(
        &self,
        user: Option<Arc<str>>,
        prompt: NewPrompt,
    ) -> Result<(MessageUuid, bool), HubError> {
        self.queue(prompt, None, user).await
    }

    /// Sends a prompt whose turn runs alone, and returns a receiver of the turn's lines. At most `unread` bytes wait in
    /// the receiver. Over this limit, the remaining lines are left out and the turn continues. If the receiver is
    /// dropped, the turn continues too.
    ///
    /// # Errors
    ///
    /// Fails with the same errors as [`prompt`](Self::prompt).
    pub(crate) async fn prompt_with_output(
        &self,
        prompt: NewPrompt,
        unread: usize,
    ) -> Result<TurnReceiver, HubError> {
        let (output, receiver) = TurnSender::new(unread);
        self.queue(prompt, Some(output), None).await?;
        Ok(receiver)
    }

    async fn queue(
        &self,
        prompt: NewPrompt,
        output: Option<TurnSender>,
        user: Option<Arc<str>>,
    ) -> Result<(MessageUuid, bool), HubError> {
        self.check_worktree()?;
        let folders = self.folders();
        let (uuid, message, uploads) = prompt.message(&folders)?;
        // Runs in a separate task, so that it completes even if this future is dropped. Otherwise the prompt's mark
        // (the record that it is accepted and unanswered) could be written although the prompt is never queued.
        let payer = Payer::new(self.shared.quotas.as_ref(), user, self.project());
        let accepted =
            self.clone()
                .accept(uuid.clone(), message, (folders, uploads), output, payer);
        Ok((uuid, detached::run(accepted).await??))
    }

    /// Fails if the session's worktree was removed. The CLI would otherwise continue in the project's folder. Blocks
    /// for a moment.
    fn check_worktree(&self) -> Result<(), HubError> {
        let Some(worktree) = self.worktree() else {
            return Ok(());
        };
        if worktree.exists() {
            self.has_worktree.store(true, Ordering::Relaxed);
        } else if self.has_worktree.load(Ordering::Relaxed) {
            return Err(HubError::BadRequest(worktree.gone()));
        }
        Ok(())
    }

    /// Returns the git worktree of this session, if it has one.
    pub(crate) fn worktree(&self) -> Option<Worktree> {
        self.read(|conversation| conversation.state().worktree.clone())
    }

    /// Returns the folders of the session. The first process of a session creates the folder of the session's worktree,
    /// but only if the folder does not exist yet. So the files of the first prompt are written into the project's folder.
    /// Blocks for a moment.
    fn folders(&self) -> Folders {
        let exists = self.worktree().is_some_and(|worktree| worktree.exists());
        let (project, working) = (self.shared.prompts.folder(), self.folder());
        Folders {
            project: project.to_owned(),
            files: if exists { &working } else { project }.to_owned(),
            working,
        }
    }

    /// Returns the folder in which the session works. This is the folder of its worktree if it has one, and otherwise the
    /// folder of the project.
    pub(super) fn folder(&self) -> PathBuf {
        let own = self.worktree().map(|worktree| worktree.folder);
        own.unwrap_or_else(|| self.shared.prompts.folder().to_owned())
    }

    /// Writes the files of a prompt, records the prompt as accepted, and queues it. Returns `false` if the prompt was sent
    /// before.
    async fn accept(
        self,
        uuid: MessageUuid,
        message: UserMessage,
        (folders, uploads): (Folders, Vec<Upload>),
        output: Option<TurnSender>,
        payer: Payer,
    ) -> Result<bool, HubError> {
        let _in_order = self.accepting.lock().await;
        // An operation of git may still be changing the files in the session's folder. The prompt waits until git has finished.
        self.shared.operations.ended_in(&folders.working).await;
        self.check_worktree()?;
        if self.read(|conversation| conversation.is_known(&uuid)) {
            return Ok(false);
        }
        let place = self.prompts.try_reserve().map_err(|error| match error {
            mpsc::error::TrySendError::Full(()) => HubError::Busy("too many prompts wait"),
            mpsc::error::TrySendError::Closed(()) => self.closed(),
        })?;
        let shared = &self.shared;
        let book = shared.quotas.as_ref();
        let mut queued = book.map(|book| book.accept(&payer, now())).transpose()?;
        if !uploads.is_empty() {
            let write = move || uploads.iter().try_for_each(|file| file.write(&folders));
            if let Err(error) = on_pool::run(write).await {
                if let Some(queued) = queued {
                    queued.take_back();
                }
                return Err(HubError::Unwritten(error));
            }
        }
        let message = Arc::new(message);
        let mark = || {
            let (shared, uuid, message) = (shared.clone(), uuid.clone(), message.clone());
            on_pool::run(move || shared.prompts.accept(&shared.id(), &uuid, &message))
        };
        let marked = while_away(shared.patience, mark, |is| shared.wait_for_store(is)).await;
        if let Err(error) = marked {
            if let Some(queued) = queued {
                queued.take_back();
            }
            return Err(error);
        }
        let message = Arc::unwrap_or_clone(message);
        let taken = self.shared.with(|conversation| {
            if conversation.is_closed() {
                return Err(self.closed());
            }
            conversation.prompt(&message);
            place.send(Box::new(Job {
                prompt: message,
                uuid: uuid.clone(),
                output,
                is_again: false,
                accepted: Instant::now(),
                payer: payer.clone(),
                queued: queued.take(),
            }));
            Ok(true)
        });
        if let Some(queued) = queued {
            queued.take_back();
        }
        if taken.is_ok() {
            shared.set_payer(payer);
        } else {
            let shared = self.shared.clone();
            on_pool::run(move || shared.prompts.finish(&uuid, false)).await;
        }
        taken
    }

    /// Interrupts the running turn, or cancels the prompt that waits for a process. Completes once the CLI has
    /// acknowledged the interrupt.
    ///
    /// # Errors
    ///
    /// Fails with [`HubError::NothingRuns`] if there is nothing to interrupt, with [`HubError::Claude`] if the CLI
    /// fails, and with [`HubError::Busy`] if the session was closed.
    pub async fn interrupt(&self) -> Result<(), HubError> {
        let (done, outcome) = oneshot::channel();
        let sent = self.controls.send(Control::Interrupt(done)).await;
        sent.map_err(|_| self.closed())?;
        let outcome = outcome.await.map_err(|_| self.closed())?;
        outcome?.then_some(()).ok_or(HubError::NothingRuns)
    }

    /// Returns the error of a call on a session that was closed during the call. The session may be opened again.
    pub(super) fn closed(&self) -> HubError {
        let why = self.shared.prompts.refusal();
        why.map_or(CLOSED, |why| HubError::Busy(why.of_prompt()))
    }

    /// Stops a sub-agent or a task by its task ID. Completes once the CLI has acknowledged the request. Returns
    /// `false` if no such task is running, for example because it has already ended.
    ///
    /// # Errors
    ///
    /// Fails with [`HubError::Claude`] if the CLI fails.
    ///
    /// # Cancel safety
    ///
    /// If the future is dropped, the task may or may not be stopped.
    pub async fn stop_task(&self, task: &str) -> Result<bool, HubError> {
        // If the session has no process, the task has ended with it. So no process is started.
        if !self.read(|conversation| conversation.is_running_task(task)) || !self.pooled.is_live() {
            return Ok(false);
        }
        self.pooled.call(StopTask::new(task)).await?;
        Ok(true)
    }

    /// Answers a request. Only the first answer is accepted. `by` is the name of the person who answers, as other
    /// viewers see it.
    ///
    /// # Errors
    ///
    /// Fails with [`AnswerError`] if the answer is not accepted.
    pub fn answer(&self, id: &str, answer: &Answer, by: &str) -> Result<Answered, AnswerError> {
        let (answered, resumption) = self.shared.answer(id, answer, by)?;
        if let Some(resumption) = resumption {
            self.shared.control(Control::Resume(Box::new(resumption)));
        }
        Ok(answered)
    }

    /// Sets the model, from the next answer on.
    ///
    /// # Errors
    ///
    /// Fails with [`HubError::BadRequest`] if `model` cannot be the name of a model, and with [`HubError::Claude`] if the
    /// CLI refuses the model.
    pub async fn set_model(&self, model: String) -> Result<(), HubError> {
        model::check(Some(&model))?;
        self.pooled.set_model(model.clone()).await?;
        self.shared
            .with(|conversation| conversation.set(|state| state.model = Some(model)));
        Ok(())
    }

    /// Sets the permission mode. This does not check whether the project allows the mode: see
    /// [`Hub::allows`](crate::Hub::allows).
    ///
    /// # Errors
    ///
    /// Fails with [`HubError::Claude`] if the CLI refuses the mode.
    pub async fn set_mode(&self, mode: PermissionMode) -> Result<(), HubError> {
        let request = SetPermissionMode::new(mode.clone());
        let answer = self.pooled.change(request).await?.flatten();
        // The CLI reports the mode in effect, which can differ from the requested mode.
        let mode = answer.and_then(|answer| answer.mode).unwrap_or(mode);
        self.shared
            .with(|conversation| conversation.set(|state| state.mode = Some(mode)));
        Ok(())
    }

    pub(crate) fn set_title(&self, title: &str) {
        self.shared
            .with(|conversation| conversation.set(|state| state.title = Some(title.to_owned())));
    }

    /// Whether this handle belongs to the conversation in `shared`.
    pub(super) fn is_of(&self, shared: &Arc<Shared>) -> bool {
        Arc::ptr_eq(&self.shared, shared)
    }

    /// Records that the conversation is in use.
    pub(super) fn touch(&self) {
        self.shared.with(|_| ());
    }

    /// Returns the time at which the conversation was last used. Returns `None` while it is in use. The caller has
    /// locked the hub, and calls this method on the hub's own clone. Every other clone belongs to a task that uses the
    /// conversation.
    pub(super) fn unused_since(&self) -> Option<Instant> {
        if Arc::strong_count(&self.held) > 1 {
            return None;
        }
        self.shared.unused_since()
    }

    /// Waits until all prompts are answered, except those that wait for the reset of a usage limit.
    pub(super) async fn idle(&self) {
        let mut viewer = self.viewer(Some(self.read(Conversation::newest)));
        let is_busy = |conversation: &Conversation| {
            let state = conversation.state();
            state.queued > 0 && state.phase != Phase::Limited
        };
        while self.read(is_busy) && viewer.next().await.is_some() {}
    }

    /// Ends the process once no turn uses it. The returned future waits for the end.
    pub(super) fn end_process(&self) -> impl Future<Output = ()> + Send + use<> {
        self.pooled.end_process()
    }

    /// Refuses further prompts, with this reason.
    pub(super) fn refuse(&self, why: Refusal) {
        self.shared.prompts.refuse(why);
    }

    /// Asks the driver to defer the oldest waiting request. If it is a permission request, the driver can end its process,
    /// and the request then waits in the store. Does nothing if this server never defers requests. Called when the server
    /// ends.
    pub(super) fn defer(&self) {
        if self.shared.defer_after.is_none() {
            return;
        }
        let first = self.read(|conversation| {
            let mut waits = conversation.requests();
            waits.next().map(|pending| pending.id.clone())
        });
        if let Some(id) = first {
            self.shared.control(Control::Defer(id));
        }
    }

    /// Makes the driver send no more prompts and interrupt the running turns. Called when the server ends. Waits until
    /// the turns have their results.
    pub(super) async fn stop(&self) {
        let (done, stopped) = oneshot::channel();
        if self.controls.send(Control::Stop(done)).await.is_ok() {
            let _ = stopped.await;
        }
    }

    /// Closes the conversation. The records of unanswered prompts stay.
    pub(super) fn close(&self) {
        self.shared.close();
    }

    /// Closes the conversation at a person's request. Also removes the records of its unanswered prompts. Blocks for a
    /// moment.
    pub(super) fn leave(&self) {
        self.shared.prompts.leave(&self.shared.id());
        self.shared.close();
    }
}

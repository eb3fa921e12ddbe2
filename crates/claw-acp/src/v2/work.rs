//! The foreground work of a session, which version 2 reports to the client.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use agent_client_protocol::Error;
use agent_client_protocol::v1::schema::StopReason as V1StopReason;
use agent_client_protocol::v2::schema::{
    ContentBlock, ErrorStopReason, IdleStateUpdate, MessageId, RequiresActionStateUpdate,
    RunningStateUpdate, SessionId, SessionUpdate, StateUpdate, StopReason, UserMessage,
};
use claw_client::TurnResult;
use claw_types::message::internal::{CommandState, InternalMessage};
use claw_types::{Message, MessageUuid};
use tokio::sync::{Mutex as AsyncMutex, oneshot};

use super::sender::Sender;
use crate::outbox::Disconnected;
use crate::stop::stop_reason;

/// The number of a period of foreground work within its session.
pub(super) type WorkNumber = u64;

/// The foreground work of one session.
///
/// Each change is sent while the state is locked, so that the client receives the changes in the right order.
pub(crate) struct Work {
    sender: Sender,
    session: SessionId,
    state: AsyncMutex<State>,
    /// The prompts that are not part of the conversation yet.
    prompts: Mutex<HashMap<MessageUuid, Pending>>,
    /// Whether the client has cancelled the running work.
    is_cancelled: AtomicBool,
}

#[derive(Default)]
struct State {
    phase: Phase,
    /// The number of requests that a person must answer.
    requests: usize,
    number: WorkNumber,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Phase {
    #[default]
    Idle,
    Running,
    RequiresAction,
}

/// A prompt that is not part of the conversation yet.
struct Pending {
    content: Vec<ContentBlock>,
    inserted: oneshot::Sender<WorkNumber>,
}

impl Work {
    pub(super) fn new(sender: Sender, session: SessionId) -> Self {
        Self {
            sender,
            session,
            state: AsyncMutex::default(),
            prompts: Mutex::default(),
            is_cancelled: AtomicBool::new(false),
        }
    }

    fn prompts(&self) -> MutexGuard<'_, HashMap<MessageUuid, Pending>> {
        self.prompts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn send(&self, update: impl Into<SessionUpdate>) -> Result<(), Disconnected> {
        self.sender.send(&self.session, update).await
    }

    /// Adds a prompt that will be sent to the CLI. The returned receiver gets the number of the work that the prompt
    /// becomes part of.
    pub(super) fn add_prompt(
        &self,
        uuid: MessageUuid,
        content: Vec<ContentBlock>,
    ) -> oneshot::Receiver<WorkNumber> {
        let (inserted, number) = oneshot::channel();
        let pending = Pending { content, inserted };
        self.prompts().insert(uuid, pending);
        number
    }

    /// Removes a prompt. Returns `true` if the prompt had not become part of the conversation yet.
    pub(super) fn remove_prompt(&self, uuid: &MessageUuid) -> bool {
        self.prompts().remove(uuid).is_some()
    }

    /// Handles a message of the CLI before its updates are sent. Reports the start of work if the message starts a
    /// turn.
    pub(crate) async fn begin(&self, message: &Message) -> Result<(), Disconnected> {
        match message {
            Message::Internal(InternalMessage::CommandLifecycle(command))
                if command.state == CommandState::Started =>
            {
                self.insert(&command.command_uuid).await
            }
            Message::SystemInit(init) => {
                for uuid in init.user_message_uuids.iter().flatten() {
                    self.insert(uuid).await?;
                }
                self.start(&mut *self.state.lock().await).await
            }
            _ => Ok(()),
        }
    }

    /// Handles a message of the CLI after its updates were sent. Reports the end of work if the message ends a turn.
    pub(crate) async fn end(&self, message: &Message) -> Result<(), Disconnected> {
        let result = match message {
            Message::ResultSuccess(result) => TurnResult::Success(result.clone()),
            Message::ResultError(result) => TurnResult::Error(result.clone()),
            _ => return Ok(()),
        };
        let mut state = self.state.lock().await;
        self.stop(&mut state, stop_reason(&result)).await
    }

    /// Reports that a prompt is now part of the conversation, and that work has begun. If the prompt was not added with
    /// [`add_prompt`](Self::add_prompt), only the beginning of work is reported.
    pub(super) async fn insert(&self, uuid: &MessageUuid) -> Result<(), Disconnected> {
        let mut state = self.state.lock().await;
        let pending = self.prompts().remove(uuid);
        let Some(Pending { content, inserted }) = pending else {
            return self.start(&mut state).await;
        };
        let message = UserMessage::new(MessageId::new(uuid.as_str())).content(content);
        self.send(SessionUpdate::UserMessage(message)).await?;
        self.start(&mut state).await?;
        // Sending fails only if the prompt's task has ended together with the connection.
        let _ = inserted.send(state.number);
        Ok(())
    }

    /// Reports the end of the work with this number. Does nothing if the end of this work was already reported.
    pub(super) async fn finish(
        &self,
        number: WorkNumber,
        outcome: Result<V1StopReason, Error>,
    ) -> Result<(), Disconnected> {
        let mut state = self.state.lock().await;
        if state.number != number {
            return Ok(());
        }
        self.stop(&mut state, outcome).await
    }

    /// Reports the end of all work, because the session was closed.
    pub(super) async fn close(&self) -> Result<(), Disconnected> {
        let mut state = self.state.lock().await;
        self.stop(&mut state, Ok(V1StopReason::Cancelled)).await
    }

    /// Reports the current state.
    pub(super) async fn report(&self) -> Result<(), Disconnected> {
        let state = self.state.lock().await;
        let current = match state.phase {
            Phase::Idle => StateUpdate::Idle(IdleStateUpdate::new()),
            Phase::Running => running(),
            Phase::RequiresAction => StateUpdate::RequiresAction(RequiresActionStateUpdate::new()),
        };
        self.send(SessionUpdate::StateUpdate(current)).await
    }

    /// Stores that the client has cancelled the running work.
    pub(crate) fn cancel(&self) {
        self.is_cancelled.store(true, Ordering::Relaxed);
    }

    /// Waits for a request that a person must answer. During the wait, the work is reported as waiting.
    ///
    /// # Cancel safety
    ///
    /// If the future is dropped, the work is reported as running again.
    pub(super) async fn wait_for<T>(self: &Arc<Self>, request: impl Future<Output = T>) -> T {
        let answered = AnsweredOnDrop(self.clone());
        {
            let mut state = self.state.lock().await;
            state.requests += 1;
            if state.phase == Phase::Running {
                state.phase = Phase::RequiresAction;
                let waits = StateUpdate::RequiresAction(RequiresActionStateUpdate::new());
                // If sending fails, the connection has ended, which also ends the request.
                let _ = self.send(SessionUpdate::StateUpdate(waits)).await;
            }
        }
        let answer = request.await;
        drop(answered);
        answer
    }

    async fn on_answered(&self) {
        let mut state = self.state.lock().await;
        state.requests = state.requests.saturating_sub(1);
        let is_cancelled = self.is_cancelled.load(Ordering::Relaxed);
        if state.requests == 0 && state.phase == Phase::RequiresAction && !is_cancelled {
            state.phase = Phase::Running;
            let _ = self.send(SessionUpdate::StateUpdate(running())).await;
        }
    }

    async fn start(&self, state: &mut State) -> Result<(), Disconnected> {
        if state.phase != Phase::Idle {
            return Ok(());
        }
        state.phase = Phase::Running;
        state.number += 1;
        self.is_cancelled.store(false, Ordering::Relaxed);
        self.send(SessionUpdate::StateUpdate(running())).await
    }

    async fn stop(
        &self,
        state: &mut State,
        outcome: Result<V1StopReason, Error>,
    ) -> Result<(), Disconnected> {
        if state.phase == Phase::Idle {
            return Ok(());
        }
        state.phase = Phase::Idle;
        let reason = if self.is_cancelled.load(Ordering::Relaxed) {
            StopReason::Cancelled
        } else {
            reason(outcome)
        };
        let idle = StateUpdate::Idle(IdleStateUpdate::new().stop_reason(reason));
        self.send(SessionUpdate::StateUpdate(idle)).await
    }
}

/// When it is dropped, reports that a request was answered or withdrawn.
struct AnsweredOnDrop(Arc<Work>);

impl Drop for AnsweredOnDrop {
    fn drop(&mut self) {
        let work = self.0.clone();
        // Without a runtime, there is no connection to which a report could be sent.
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            runtime.spawn(async move { work.on_answered().await });
        }
    }
}

fn running() -> StateUpdate {
    StateUpdate::Running(RunningStateUpdate::new())
}

fn reason(outcome: Result<V1StopReason, Error>) -> StopReason {
    match outcome {
        Ok(V1StopReason::MaxTokens) => StopReason::MaxTokens,
        Ok(V1StopReason::MaxTurnRequests) => StopReason::MaxTurnRequests,
        Ok(V1StopReason::Refusal) => StopReason::Refusal,
        Ok(V1StopReason::Cancelled) => StopReason::Cancelled,
        Ok(_) => StopReason::EndTurn,
        Err(error) => {
            let mut failed = ErrorStopReason::default();
            failed.error = Some(Box::new(error.into()));
            StopReason::Error(failed)
        }
    }
}

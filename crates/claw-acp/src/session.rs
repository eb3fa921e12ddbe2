//! A live session: a process of Claude Code whose messages are converted to updates.

use std::collections::VecDeque;
use std::future::Future;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use agent_client_protocol::Error;
use agent_client_protocol::v1::schema::{
    CompleteElicitationNotification, ConfigOptionUpdate, Cost, CurrentModeUpdate,
    SessionConfigOption, SessionId, SessionInfoUpdate, SessionUpdate, StopReason, UsageUpdate,
};
use claw_client::{Messages, Received, Session, Turn, TurnResult};
use claw_types::api::{Content, StreamEvent};
use claw_types::control::ApplyFlagSettings;
use claw_types::message::{FallbackDirection, FallbackScope, ModelRefusalFallback, UserMessage};
use claw_types::options::{EffortLevel, PermissionMode};
use claw_types::{Message, MessageUuid, QueryOptions, SessionId as ConversationId};
use claw_view::{Input, SessionFolders, Timeline};
use futures::StreamExt as _;
use serde_json::json;
use tokio::sync::watch;
use tokio::task::AbortHandle;
use tokio::time::timeout;

use crate::commands::Commands;
use crate::failure::{failed, invalid, of_claude};
use crate::outbox::Disconnected;
use crate::peer::Peer;
use crate::sent_tools::SentTools;
use crate::settings::{DEFAULT, EFFORT, MODE, MODEL, Settings};
use crate::stop::stop_reason;
use crate::updates::Updates;

/// The maximum time for which a cancelled prompt waits for its result. The CLI usually ends a cancelled turn within a
/// second.
const CANCELLED: Duration = Duration::from_secs(20);
/// The maximum time for which the response to a prompt waits until the updates before the turn's result were sent.
const SENT: Duration = Duration::from_mins(1);
/// The maximum number of remembered results.
const RESULTS: usize = 64;

/// A session with its process.
pub(crate) struct LiveSession {
    pub(crate) id: SessionId,
    session: Session,
    peer: Peer,
    options: QueryOptions,
    settings: Mutex<Settings>,
    view: Mutex<View>,
    /// The UUIDs of results whose updates were sent. The channel is closed when no further message will arrive.
    results: watch::Receiver<VecDeque<MessageUuid>>,
    sent_tools: SentTools,
    folders: SessionFolders,
    /// The task that sends the messages to the client. It also keeps the process alive. It is aborted when this
    /// `LiveSession` is dropped.
    pump: OnceLock<AbortHandle>,
}

impl Drop for LiveSession {
    fn drop(&mut self) {
        if let Some(pump) = self.pump.get() {
            pump.abort();
        }
    }
}

/// The parts of the session's state that are shown to the client.
struct View {
    timeline: Timeline,
    updates: Updates,
    context: Context,
    commands: Commands,
    title: Option<String>,
    /// The ID under which the CLI stores the conversation. `/clear` begins a new conversation.
    conversation: ConversationId,
}

/// The token counts of the conversation.
#[derive(Debug, Default)]
struct Context {
    /// The number of input tokens of the newest request.
    input: u64,
    /// The number of output tokens of the answer to this request.
    output: u64,
    window: u64,
}

impl LiveSession {
    /// Creates a live session from a session that has just been connected, and starts the task that sends its messages
    /// to the client. The task ends when the session or the connection ends.
    pub(crate) fn start(
        id: SessionId,
        session: Session,
        peer: Peer,
        options: QueryOptions,
        settings: Settings,
        sent_tools: SentTools,
        folders: SessionFolders,
    ) -> Result<Arc<Self>, Error> {
        let messages = session.messages();
        let messages = messages.map_err(|error| of_claude("the session cannot be read", &error))?;
        let (sent, results) = watch::channel(VecDeque::new());
        let conversation = options.resume.clone();
        let view = View {
            timeline: Timeline::default(),
            updates: Updates::live(peer.offer.clone()),
            context: Context::default(),
            commands: session
                .info()
                .map_or_else(Commands::default, |info| Commands::new(&info.commands)),
            title: None,
            conversation: conversation.unwrap_or_else(|| id.0.to_string().into()),
        };
        let live = Arc::new(Self {
            id,
            session,
            peer,
            options,
            settings: Mutex::new(settings),
            view: Mutex::new(view),
            results,
            sent_tools,
            folders,
            pump: OnceLock::new(),
        });
        let task = tokio::spawn(pump(Arc::downgrade(&live), messages, sent));
        live.pump.get_or_init(|| task.abort_handle());
        Ok(live)
    }

    /// Returns the options for another process of this session. They are the original options with the settings that
    /// the person has changed since.
    pub(crate) fn options(&self) -> QueryOptions {
        let mut options = self.options.clone();
        self.settings().keep(&mut options);
        options
    }

    /// Returns the ID of the conversation. After `/clear`, it differs from the ID of the session.
    pub(crate) fn conversation(&self) -> ConversationId {
        self.view().conversation.clone()
    }

    /// Whether the process has ended.
    pub(crate) fn has_ended(&self) -> bool {
        self.results.has_changed().is_err()
    }

    pub(crate) fn settings(&self) -> MutexGuard<'_, Settings> {
        let settings = self.settings.lock();
        settings.unwrap_or_else(PoisonError::into_inner)
    }

    fn view(&self) -> MutexGuard<'_, View> {
        self.view.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the foreground work of the session. `None` for a client of version 1.
    #[cfg(feature = "v2-draft")]
    pub(crate) fn work(&self) -> Option<&Arc<crate::v2::Work>> {
        self.peer.work()
    }

    /// Waits until no further message of the process will arrive.
    #[cfg(feature = "v2-draft")]
    pub(crate) async fn ended(&self) {
        let mut results = self.results.clone();
        let ended = async { while results.changed().await.is_ok() {} };
        let _ = timeout(CANCELLED, ended).await;
    }

    /// Returns the update with the commands that the client can offer.
    pub(crate) fn commands(&self) -> SessionUpdate {
        self.view().commands.update()
    }

    /// Sends the commands that the client can offer.
    pub(crate) async fn announce(&self) {
        let update = self.commands();
        // If the client has disconnected, the update is not needed.
        let _ = self.peer.update(&self.id, update).await;
    }

    /// Sends a prompt, and waits until its turn has ended and all updates of the turn were sent. If `cancelled`
    /// completes, the turn is cancelled. `uuid` is the UUID of the prompt in the conversation.
    pub(crate) async fn prompt(
        &self,
        uuid: MessageUuid,
        content: Content,
        cancelled: impl Future<Output = ()>,
    ) -> Result<StopReason, Error> {
        let mut message = UserMessage::prompt(content);
        message.uuid = Some(uuid.clone());
        {
            let mut view = self.view();
            view.updates.prompt(uuid);
            // The timeline must know the prompt, but the client already shows it, so the changes are dropped.
            drop(view.timeline.push(Input::Prompt(&message)));
        }
        let turn = self.session.send(message).await;
        let mut turn = turn.map_err(|error| of_claude("the prompt was not sent", &error))?;
        let ended = tokio::select! {
            ended = turn.last() => Some(ended),
            () = cancelled => None,
        };
        let Some(result) = ended else {
            // The client has cancelled the prompt, so the outcome of the turn does not matter.
            if let Some(Ok(result)) = self.stop(&mut turn).await {
                self.wait_for_updates(&result).await;
            }
            return Ok(StopReason::Cancelled);
        };
        let result = result.map_err(|error| of_claude("the turn has no result", &error))?;
        self.wait_for_updates(&result).await;
        stop_reason(&result)
    }

    /// Ends a turn that was cancelled. Returns `None` if the prompt was still queued and was withdrawn, or if no result
    /// arrives in time.
    async fn stop(&self, turn: &mut Turn) -> Option<Result<TurnResult, claw_client::Error>> {
        let withdrawal = turn.cancel();
        let taken_back = async {
            // A prompt that is still queued can be cancelled without an effect on the running turn.
            if !withdrawal.await.is_ok_and(|it| it.cancelled) {
                self.interrupt().await;
                std::future::pending::<()>().await;
            }
        };
        let stopped = async {
            tokio::select! {
                result = turn.last() => Some(result),
                () = taken_back => None,
            }
        };
        let stopped = timeout(CANCELLED, stopped).await;
        stopped.unwrap_or_else(|_| {
            tracing::warn!(session = %self.id, "a cancelled turn goes on");
            None
        })
    }

    /// Waits until the updates before a result were sent.
    async fn wait_for_updates(&self, result: &TurnResult) {
        let uuid = match result {
            TurnResult::Success(result) => &result.uuid,
            TurnResult::Error(result) => &result.uuid,
            _ => return,
        };
        let mut results = self.results.clone();
        let sent = results.wait_for(|sent| sent.contains(uuid));
        // The response is sent even if the session has ended or the client does not read.
        let _ = timeout(SENT, sent).await;
    }

    /// Ends the running turn, and the background tasks of the session.
    pub(crate) async fn interrupt(&self) {
        #[cfg(feature = "v2-draft")]
        if let Some(work) = self.work() {
            work.cancel();
        }
        if let Err(error) = self.session.interrupt().timeout(CANCELLED).await {
            tracing::warn!(session = %self.id, %error, "the interrupt failed");
        }
    }

    /// Sets the permission mode.
    pub(crate) async fn set_mode(&self, mode: &str) -> Result<(), Error> {
        let mode = PermissionMode::from(mode);
        if !self.settings().has_mode(&mode) {
            return Err(invalid(format!("there is no mode `{mode}`")));
        }
        let call = self.session.set_permission_mode(mode.clone());
        let answer = call.await;
        let answer = answer.map_err(|error| of_claude("the mode was not set", &error))?;
        // The mode in effect can differ from the requested mode.
        self.mode_changed(answer.and_then(|answer| answer.mode).unwrap_or(mode))
            .await;
        Ok(())
    }

    /// Sets a config option, and returns all options.
    pub(crate) async fn set_option(
        &self,
        option: &str,
        value: &str,
    ) -> Result<Vec<SessionConfigOption>, Error> {
        match option {
            MODE => self.set_mode(value).await?,
            MODEL => {
                if !self.settings().has_model(value) {
                    return Err(invalid(format!("there is no model `{value}`")));
                }
                let call = self.session.set_model(value);
                call.await
                    .map_err(|error| of_claude("the model was not set", &error))?;
                value.clone_into(&mut self.settings().model);
            }
            EFFORT => {
                let level = Some(value).filter(|value| *value != DEFAULT);
                let level = level.map(EffortLevel::from);
                if let Some(level) = &level
                    && !self.settings().has_effort(level)
                {
                    return Err(invalid(format!("there is no effort level `{value}`")));
                }
                let change = ApplyFlagSettings::new(json!({"effortLevel": level}));
                let call = self.session.call(change);
                call.await
                    .map_err(|error| of_claude("the effort was not set", &error))?;
                self.settings().effort = level;
            }
            other => return Err(invalid(format!("there is no config option `{other}`"))),
        }
        Ok(self.settings().options())
    }

    /// Stores the mode after any kind of change. Notifies the client if the mode differs from the previous mode.
    async fn mode_changed(&self, mode: PermissionMode) {
        let options = {
            let mut settings = self.settings();
            if settings.mode == mode {
                return;
            }
            settings.mode = mode.clone();
            settings.options()
        };
        let mode = CurrentModeUpdate::new(mode.as_str().to_owned());
        let updates = [
            SessionUpdate::CurrentModeUpdate(mode),
            SessionUpdate::ConfigOptionUpdate(ConfigOptionUpdate::new(options)),
        ];
        let _ = self.peer.updates(&self.id, updates).await;
    }

    /// Stores the model with which the session continues after a refusal, and notifies the client.
    async fn fallback(&self, fallback: &ModelRefusalFallback) -> Result<(), Disconnected> {
        if fallback.scope != Some(FallbackScope::Session) {
            return Ok(());
        }
        let model = match fallback.direction {
            FallbackDirection::Revert => &fallback.original_model,
            _ => &fallback.fallback_model,
        };
        let options = {
            let mut settings = self.settings();
            settings.model.clone_from(model);
            settings.options()
        };
        let update = ConfigOptionUpdate::new(options);
        let update = SessionUpdate::ConfigOptionUpdate(update);
        self.peer.update(&self.id, update).await
    }

    /// Ends the session and its process.
    pub(crate) async fn close(&self) -> Result<(), Error> {
        match self.session.close().await {
            Ok(_) => Ok(()),
            Err(error) if error.is_exited() || error.is_closed() => Ok(()),
            Err(error) => Err(failed("the session was not closed", &error)),
        }
    }

    /// Handles a message of the CLI. Returns the UUID of a result.
    async fn message(&self, message: &Message) -> Result<Option<MessageUuid>, Disconnected> {
        self.folders.message(message);
        #[cfg(feature = "v2-draft")]
        if let Some(work) = self.work() {
            work.begin(message).await?;
        }
        let updates = {
            let view = &mut *self.view();
            let changes = view.timeline.push(Input::Message(message));
            let mut updates = Vec::from_iter(view.updates.message(message));
            updates.extend(view.updates.changes(changes));
            if matches!(message, Message::ConversationReset(_)) {
                updates.extend(view.updates.clear_plan());
            }
            updates.extend(view.context.message(message));
            updates
        };
        self.peer.updates(&self.id, updates).await?;
        #[cfg(feature = "v2-draft")]
        if let Some(work) = self.work() {
            work.end(message).await?;
        }
        self.sent_tools.add(message);
        match message {
            Message::Status(status) => {
                if let Some(mode) = &status.permission_mode {
                    self.mode_changed(mode.clone()).await;
                }
            }
            Message::ModelRefusalFallback(fallback) => self.fallback(fallback).await?,
            Message::SystemInit(init) => {
                self.view().conversation = init.session_id.clone();
                self.mode_changed(init.permission_mode.clone()).await;
                let terminal = init.terminal_slash_commands.as_deref();
                let terminal = terminal.unwrap_or_default();
                let is_new = self.view().commands.set_terminal(terminal);
                if is_new {
                    self.announce().await;
                }
            }
            Message::CommandsChanged(changed) => {
                self.view().commands.set(&changed.commands);
                self.announce().await;
            }
            Message::ElicitationComplete(complete) if self.peer.offer.urls => {
                let id = complete.elicitation_id.clone();
                self.peer.elicited(CompleteElicitationNotification::new(id));
            }
            Message::ResultSuccess(result) => return Ok(Some(result.uuid.clone())),
            Message::ResultError(result) => return Ok(Some(result.uuid.clone())),
            _ => {}
        }
        Ok(None)
    }

    /// Sends the title of the session if it has changed.
    pub(crate) async fn title(&self, title: String) {
        let update = SessionInfoUpdate::new().title(title.clone());
        let is_new = {
            let mut view = self.view();
            let is_new = view.title.as_ref() != Some(&title);
            view.title = Some(title);
            is_new
        };
        if is_new {
            let update = SessionUpdate::SessionInfoUpdate(update);
            let _ = self.peer.update(&self.id, update).await;
        }
    }
}

/// Sends the messages of a session to the client, until the session or the connection ends.
async fn pump(
    live: std::sync::Weak<LiveSession>,
    mut messages: Messages,
    sent: watch::Sender<VecDeque<MessageUuid>>,
) {
    while let Some(item) = messages.next().await {
        let Some(live) = live.upgrade() else {
            return;
        };
        let message = match item {
            Ok(Received::Message(message)) => message,
            Ok(Received::Unreadable(skipped)) => {
                tracing::warn!(session = %live.id, %skipped, "a message was skipped");
                continue;
            }
            Err(error) => {
                tracing::info!(session = %live.id, %error, "the session has ended");
                return;
            }
        };
        match live.message(&message).await {
            Ok(None) => {}
            Ok(Some(result)) => sent.send_modify(|sent| {
                if sent.len() == RESULTS {
                    sent.pop_front();
                }
                sent.push_back(result);
            }),
            Err(Disconnected) => return,
        }
    }
}

impl Context {
    /// Updates the token counts from an answer in the main conversation. At the end of a turn, returns the update for
    /// the client.
    fn message(&mut self, message: &Message) -> Option<SessionUpdate> {
        let result = match message {
            // The CLI itself writes the message about an API error, so the message has no token counts.
            Message::Assistant(answer)
                if answer.parent_tool_use_id.is_none() && answer.message.model != "<synthetic>" =>
            {
                let usage = &answer.message.usage;
                let parts = [
                    usage.input_tokens.as_ref(),
                    usage.cache_creation_input_tokens.as_ref(),
                    usage.cache_read_input_tokens.as_ref(),
                ];
                self.input = parts.into_iter().flatten().map(|part| part.get()).sum();
                self.output = usage.output_tokens.get();
                return None;
            }
            // The message contains the token counts at the start of the response. The end of the stream contains the
            // final counts.
            Message::StreamEvent(event) => {
                if let StreamEvent::MessageDelta(end) = &event.event {
                    self.output = end.usage.output_tokens.get();
                }
                return None;
            }
            Message::ResultSuccess(result) => (&result.model_usage, result.total_cost_usd.as_f64()),
            Message::ResultError(result) => (&result.model_usage, result.total_cost_usd.as_f64()),
            _ => return None,
        };
        let (models, cost) = result;
        let windows = models.iter().map(|(_, usage)| usage.context_window.get());
        self.window = windows.max().unwrap_or(self.window);
        if self.window == 0 {
            return None;
        }
        let update =
            UsageUpdate::new(self.input + self.output, self.window).cost(Cost::new(cost, "USD"));
        Some(SessionUpdate::UsageUpdate(update))
    }
}

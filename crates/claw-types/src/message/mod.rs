//! The conversation: what `claude` says while it works, a struct and a variant a kind.
//!
//! Kinds that no published type has are typed as the CLI itself checks them. Most are for Anthropic's
//! own surfaces and its cloud; what they hold may change without notice, and a host may pass them over.

mod account;
mod assistant;
mod autocompact;
mod build;
mod cloud;
mod compaction;
mod content;
mod denial;
mod engine;
mod fallback;
mod files;
mod goal;
mod hook;
mod identity;
mod incoming;
mod init;
mod memory;
mod notice;
mod origin;
mod permission_wait;
mod plugin;
mod plugin_ui;
mod rate_limit;
mod report;
mod result;
mod retry;
mod screen;
mod session;
mod status;
mod stream_event;
mod task;
mod thinking;
mod tool;
mod turn;
mod user;
mod vcs;

pub use account::*;
pub use assistant::*;
pub use autocompact::*;
pub use cloud::*;
pub use compaction::*;
pub use engine::*;
pub use fallback::*;
pub use files::*;
pub use goal::*;
pub use hook::*;
pub use incoming::*;
pub use init::*;
pub use memory::*;
pub use notice::*;
pub use origin::*;
pub use permission_wait::*;
pub use plugin::*;
pub use plugin_ui::*;
pub use rate_limit::*;
pub use report::*;
pub use result::*;
pub use retry::*;
pub use screen::*;
pub use session::*;
pub use status::*;
pub use stream_event::*;
pub use task::*;
pub use thinking::*;
pub use tool::*;
pub use turn::*;
pub use user::*;
pub use vcs::*;

pub(crate) use identity::Identity;

/// A message of the conversation.
#[wire(envelope)]
pub enum Message {
    /// An event of an answer that is being written. Only with partial messages asked for.
    StreamEvent(Box<StreamEventMessage>),
    /// One completed block of an answer.
    Assistant(Box<AssistantMessage>),
    /// What the user said, or a tool on the user's behalf.
    User(Box<UserMessage>),
    /// What a host said, or what a slash command wrote, written back.
    #[wire(narrows = User)]
    UserReplay(Box<UserMessageReplay>),
    /// The turn is over.
    ResultSuccess(Box<ResultSuccess>),
    /// The turn is over, and went wrong.
    ResultError(Box<ResultError>),
    /// A turn begins.
    SystemInit(Box<SystemInit>),
    /// What the session is busy with.
    Status(Box<StatusMessage>),
    /// A tool still runs.
    ToolProgress(Box<ToolProgress>),
    /// A background task is over.
    TaskNotification(Box<TaskNotification>),
    /// What came before was replaced by a summary.
    CompactBoundary(Box<CompactBoundary>),
    /// A hook of a settings file runs.
    HookStarted(Box<HookStarted>),
    /// A hook of a settings file still runs.
    HookProgress(Box<HookProgress>),
    /// A hook of a settings file has ended.
    HookResponse(Box<HookResponse>),
    /// What some tool uses did.
    ToolUseSummary(Box<ToolUseSummary>),
    /// How it is with the session's goal.
    ActiveGoal(Box<ActiveGoal>),
    /// A login goes on.
    AuthStatus(Box<AuthStatus>),
    /// Files were put into the Files API.
    FilesPersisted(Box<FilesPersisted>),
    /// The model reasons.
    ThinkingTokens(Box<ThinkingTokens>),
    /// How far a prompt has come.
    CommandLifecycle(Box<CommandLifecycle>),
    /// The session begins, stops or waits.
    SessionStateChanged(Box<SessionStateChanged>),
    /// A task begins.
    TaskStarted(Box<TaskStarted>),
    /// How far a sub-agent has come.
    TaskProgress(Box<TaskProgress>),
    /// Something about a task has changed.
    TaskUpdated(Box<TaskUpdated>),
    /// The tasks that run in the background now.
    BackgroundTasksChanged(Box<BackgroundTasksChanged>),
    /// A request to the API is tried again.
    ApiRetry(Box<ApiRetry>),
    /// A control request takes long.
    ControlRequestProgress(Box<ControlRequestProgress>),
    /// How much of a subscription's limits is used.
    RateLimitEvent(Box<RateLimitEvent>),
    /// The model declined, and another one answers.
    ModelRefusalFallback(Box<ModelRefusalFallback>),
    /// The model declined, and no other one answers.
    ModelRefusalNoFallback(Box<ModelRefusalNoFallback>),
    /// The model is overloaded, and another one answers.
    ModelFallback(Box<ModelFallback>),
    /// A notice that the model does not see.
    Informational(Box<Informational>),
    /// A short text beside the conversation.
    Notification(Box<Notification>),
    /// What a slash command wrote.
    LocalCommandOutput(Box<LocalCommandOutput>),
    /// A tool was refused without the host being asked.
    PermissionDenied(Box<PermissionDenied>),
    /// What the person may want to say next.
    PromptSuggestion(Box<PromptSuggestion>),
    /// Memories that the model was reminded of.
    MemoryRecall(Box<MemoryRecall>),
    /// The session has another title.
    SessionTitleChanged(Box<SessionTitleChanged>),
    /// The conversation begins anew.
    ConversationReset(Box<ConversationReset>),
    /// The session has other slash commands.
    CommandsChanged(Box<CommandsChanged>),
    /// Plugins are being installed.
    PluginInstall(Box<PluginInstall>),
    /// The person has done what an MCP server asked for at a URL.
    ElicitationComplete(Box<ElicitationComplete>),
    /// What is said is not on disk.
    SessionWritesLost(Box<SessionWritesLost>),
    /// A piece of the transcript could not be put into the host's own store.
    MirrorError(Box<MirrorError>),
    /// Lines that the CLI has written into a transcript.
    TranscriptMirror(Box<TranscriptMirror>),
    /// The process that answers is about to end.
    WorkerShuttingDown(Box<WorkerShuttingDown>),
    /// A command has changed a repository.
    VcsStateChanged(Box<VcsStateChanged>),
    /// The session has done something with a change that others can see.
    CodeChangePublished(Box<CodeChangePublished>),
    /// The folder that a shell command left its shell in.
    ShellCwd(Box<ShellCwd>),
    /// The conversation or the project shows what is being made.
    DevIntent(Box<DevIntent>),
    /// How long a turn took.
    TurnDuration(Box<TurnDuration>),
    /// The CLI has stopped a turn to answer the person's next prompt at once.
    TurnPreempted(Box<TurnPreempted>),
    /// How the hooks went that run when the model or a sub-agent stops.
    StopHookSummary(Box<StopHookSummary>),
    /// Whether each turn has an effort of its own has changed.
    PerTurnEffortChanged(Box<PerTurnEffortChanged>),
    /// What a turn came to, in short.
    PostTurnSummary(Box<PostTurnSummary>),
    /// What the session does at the moment, in a phrase.
    TaskSummary(Box<TaskSummary>),
    /// What happened while the person was away.
    AwaySummary(Box<AwaySummary>),
    /// A tool use waits for the automatic check of whether it may run.
    PermissionCheckStatus(Box<PermissionCheckStatus>),
    /// Commands that were denied are tried again: the permission mode allows them now.
    PermissionRetry(Box<PermissionRetry>),
    /// Which questions of the process before still wait for an answer.
    InheritedAsksSettled(Box<InheritedAsksSettled>),
    /// A permission that was given late does not run its tool use.
    LateAllowNotRun(Box<LateAllowNotRun>),
    /// What the server of the session keeps about it has changed.
    SessionMetadata(Box<SessionMetadata>),
    /// Something about a session in the cloud has changed between two turns.
    CloudSessionDelta(Box<CloudSessionDelta>),
    /// A process in the cloud can take over a turn that another one has begun.
    TurnHandoffAvailable(Box<TurnHandoffAvailable>),
    /// A message from another session is held back, and the model does not see it yet.
    PeerMessageHold(Box<PeerMessageHold>),
    /// Something was attached to the conversation.
    Attachment(Box<AttachmentMessage>),
    /// A message that was sent before no longer counts: another one takes its place, or none.
    Tombstone(Box<Tombstone>),
    /// How fast an answer of a sub-agent comes.
    ApiMetrics(Box<ApiMetrics>),
    /// A slash command wants settings changed for this session.
    ApplyFlagSettings(Box<ApplyFlagSettingsMessage>),
    /// Other tools run now: some have begun after their permission was given, or are over.
    SetInProgressToolUseIds(Box<SetInProgressToolUseIds>),
    /// What some tools gave was taken out of the context.
    HintClears(Box<HintClears>),
    /// How far a summary of the conversation has come.
    CompactProgress(Box<CompactProgress>),
    /// What the answer is busy with.
    StreamMode(Box<StreamMode>),
    /// Whether and when the CLI makes a summary by itself.
    AutocompactState(Box<AutocompactState>),
    /// A notification that the system should show.
    OsNotification(Box<OsNotification>),
    /// Another panel should be open beside the conversation.
    SetExpandedView(Box<SetExpandedView>),
    /// The person should choose a message to go back to.
    OpenMessageSelector(Box<OpenMessageSelector>),
    /// What plugins have drawn may be out of date.
    UiInvalidate(Box<UiInvalidate>),
    /// A line of a plugin's for the conversation's view.
    UiLog(Box<UiLog>),
    /// A notification of a plugin's.
    UiNotify(Box<UiNotify>),
    /// A notification of a plugin's is taken back, shown or not.
    UiNotifyCancel(Box<UiNotifyCancel>),
    /// A text of a plugin's to show for a moment.
    UiToast(Box<UiToast>),
    /// The line that a plugin keeps under the prompt: one a plugin.
    UiStatus(Box<UiStatus>),
    /// The rows that plugins have put into the conversation.
    UiPlaced(Box<UiPlaced>),
    /// A plugin scrolls what it has drawn.
    UiScroll(Box<UiScrollMessage>),
    /// A plugin moves the focus to an element that it has drawn.
    UiFocus(Box<UiFocusMessage>),
    /// The session's own files as they are: plan, to-do list.
    FileSnapshot(Box<FileSnapshot>),
    /// Files that a prompt names did not arrive.
    FileAttachmentsMissing(Box<FileAttachmentsMissing>),
    /// Entries of the task list have come further, without a tool use that says so.
    TaskListStatuses(Box<TaskListStatuses>),
    /// The sub-agents in the background were ended, as on an interrupt.
    AgentsKilled(Box<AgentsKilled>),
    /// A scheduled prompt begins.
    ScheduledTaskFire(Box<ScheduledTaskFire>),
    /// The instructions are longer than they should be.
    InstructionSizeWarning(Box<InstructionSizeWarning>),
    /// The model has written a draft of feedback to Anthropic, which the person may send.
    FeedbackDraftQueued(Box<FeedbackDraftQueued>),
    /// Reasoning, as text to show.
    Thinking(Box<ThinkingMessage>),
    /// Memories were written.
    MemorySaved(Box<MemorySaved>),
    /// The model needs the person's consent and did not get it: another one answers from now on.
    ModelConsentFallback(Box<ModelConsentFallback>),
    /// A request to the API has failed and is tried again, with all that is known of the error.
    ApiError(Box<ApiErrorMessage>),
}

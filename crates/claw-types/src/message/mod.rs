//! The conversation: what `claude` says while it works, a struct and a variant a kind.
//!
//! The kinds of the official SDK's published types are variants of [`Message`]. All others are in
//! `internal` (feature `internal`): they may change without notice, and a host may pass them over.

mod account;
mod assistant;
mod build;
mod content;
mod denial;
mod fallback;
mod goal;
mod hook;
mod identity;
mod init;
#[cfg(feature = "internal")]
pub mod internal;
mod memory;
mod notice;
mod origin;
mod plugin;
mod rate_limit;
mod report;
mod result;
mod retry;
mod session;
mod status;
mod stream_event;
mod task;
mod thinking;
mod tool;
mod user;

pub use account::*;
pub use assistant::*;
pub use fallback::*;
pub use goal::*;
pub use hook::*;
pub use init::*;
pub use memory::*;
pub use notice::*;
pub use origin::*;
pub use plugin::*;
pub use rate_limit::*;
pub use report::*;
pub use result::*;
pub use retry::*;
pub use session::*;
pub use status::*;
pub use stream_event::*;
pub use task::*;
pub use thinking::*;
pub use tool::*;
pub use user::*;

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
    /// The process that answers is about to end.
    WorkerShuttingDown(Box<WorkerShuttingDown>),
    /// A kind that is in no published type. Without the feature `internal`, and where it does not have
    /// the form that claw knows, it is [`Unknown`](Self::Unknown).
    #[cfg(feature = "internal")]
    #[wire(also)]
    Internal(internal::InternalMessage),
}

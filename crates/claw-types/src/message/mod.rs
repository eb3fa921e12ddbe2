//! Messages of the conversation, which `claude` writes while it works. Each kind of message has a
//! struct and a variant of [`Message`].
//!
//! [`Message`] has the kinds of messages that the types of the official SDK include. All other
//! kinds are in the module `internal` (feature `internal`). The internal kinds may change without
//! notice, and a program can safely ignore them.

mod account;
mod assistant;
mod build;
mod content;
mod denial;
mod extra_usage;
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
pub use extra_usage::*;
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
    /// An event of an answer that the model is writing. The CLI sends it only if partial messages
    /// were requested.
    StreamEvent(Box<StreamEventMessage>),
    /// A completed content block of an answer.
    Assistant(Box<AssistantMessage>),
    /// A user message: a prompt, or the result of a tool use.
    User(Box<UserMessage>),
    /// A replay: a prompt that `claude` sends back to the host that sent it, or the output of a
    /// slash command.
    #[wire(narrows = User)]
    UserReplay(Box<UserMessageReplay>),
    /// The successful end of a turn.
    ResultSuccess(Box<ResultSuccess>),
    /// The end of a turn that failed.
    ResultError(Box<ResultError>),
    /// The start of a turn.
    SystemInit(Box<SystemInit>),
    /// The current activity of the session.
    Status(Box<StatusMessage>),
    /// A report that a tool is still running.
    ToolProgress(Box<ToolProgress>),
    /// The end of a background task.
    TaskNotification(Box<TaskNotification>),
    /// The point at which a summary replaced the earlier conversation.
    CompactBoundary(Box<CompactBoundary>),
    /// The start of a hook that a settings file declares.
    HookStarted(Box<HookStarted>),
    /// New output of a running hook that a settings file declares.
    HookProgress(Box<HookProgress>),
    /// The end of a hook that a settings file declares.
    HookResponse(Box<HookResponse>),
    /// A summary of several tool uses.
    ToolUseSummary(Box<ToolUseSummary>),
    /// The state of the session's goal.
    ActiveGoal(Box<ActiveGoal>),
    /// The progress of a login.
    AuthStatus(Box<AuthStatus>),
    /// Files that were uploaded to the Files API.
    FilesPersisted(Box<FilesPersisted>),
    /// The progress of the model's thinking, while it is thinking.
    ThinkingTokens(Box<ThinkingTokens>),
    /// A change to the session's state: running, idle or waiting for the host.
    SessionStateChanged(Box<SessionStateChanged>),
    /// The start of a task.
    TaskStarted(Box<TaskStarted>),
    /// The progress of a sub-agent.
    TaskProgress(Box<TaskProgress>),
    /// A change to a task.
    TaskUpdated(Box<TaskUpdated>),
    /// The list of the tasks that now run in the background.
    BackgroundTasksChanged(Box<BackgroundTasksChanged>),
    /// A failed API request that will be retried.
    ApiRetry(Box<ApiRetry>),
    /// The progress of a control request that takes long.
    ControlRequestProgress(Box<ControlRequestProgress>),
    /// The state of a subscription's rate limits: how much of them is used.
    RateLimitEvent(Box<RateLimitEvent>),
    /// The model's refusal to answer, after which another model answers.
    ModelRefusalFallback(Box<ModelRefusalFallback>),
    /// The model's refusal to answer a prompt. No other model answers in its place.
    ModelRefusalNoFallback(Box<ModelRefusalNoFallback>),
    /// A notice for the person. The model does not see the notice.
    Informational(Box<Informational>),
    /// A short text for the person. It is not part of the conversation.
    Notification(Box<Notification>),
    /// The output of a slash command.
    LocalCommandOutput(Box<LocalCommandOutput>),
    /// A tool use that the CLI denied without asking the host.
    PermissionDenied(Box<PermissionDenied>),
    /// A suggestion for the person's next prompt.
    PromptSuggestion(Box<PromptSuggestion>),
    /// Memories that the CLI gave to the model.
    MemoryRecall(Box<MemoryRecall>),
    /// The start of a new conversation in the same process.
    ConversationReset(Box<ConversationReset>),
    /// A change to the list of the session's slash commands.
    CommandsChanged(Box<CommandsChanged>),
    /// The installation of plugins.
    PluginInstall(Box<PluginInstall>),
    /// The end of an MCP server's elicitation that takes place at a URL.
    ElicitationComplete(Box<ElicitationComplete>),
    /// A failure to write the conversation to disk.
    SessionWritesLost(Box<SessionWritesLost>),
    /// A failure to write a part of the transcript to the host's session store.
    MirrorError(Box<MirrorError>),
    /// An announcement that the process that runs the session is about to end.
    WorkerShuttingDown(Box<WorkerShuttingDown>),
    /// A message that the types of the official SDK do not include. Without the feature `internal`, a message of this
    /// kind becomes [`Unknown`](Self::Unknown). With the feature, a message becomes `Unknown` only if claw does not
    /// know its form.
    #[cfg(feature = "internal")]
    #[wire(also)]
    Internal(internal::InternalMessage),
}

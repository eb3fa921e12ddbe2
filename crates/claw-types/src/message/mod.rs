//! The conversation: what `claude` says while it works, a struct and a variant a kind.

mod account;
mod assistant;
mod build;
mod denial;
mod fallback;
mod hook;
mod init;
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

pub use account::{AuthStatus, FailedFile, FilesPersisted, PersistedFile};
pub use assistant::{
    AssistantMessage, AssistantMessageError, LocalCommandOutcome, LocalCommandRun, ToolUseMeta,
};
pub use fallback::{
    FallbackDirection, FallbackScope, FallbackTrigger, ModelFallback, ModelRefusalFallback,
    ModelRefusalNoFallback,
};
pub use hook::{HookOutcome, HookProgress, HookResponse, HookStarted};
pub use init::{
    ApiKeySource, FastModeDisabledReason, FastModeState, McpServerInfo, MemoryPaths, PluginError,
    PluginInfo, PluginLock, SystemInit, ViewMode,
};
pub use memory::{MemoryRecall, MemoryRecallMode, MemoryScope, RecalledMemory};
pub use notice::{
    Informational, InformationalLevel, LocalCommandOutput, Notification, NotificationPriority,
    PermissionDenied, PromptSubmitOutcome, PromptSuggestion,
};
pub use origin::{
    AutoContinuationOrigin, ChannelOrigin, CoordinatorOrigin, HumanOrigin, MessageOrigin,
    NotificationSubkind, ObserverActivityOrigin, ObserverOrigin, PeerMode, PeerOrigin,
    TaskNotificationOrigin, UnclassifiedOrigin,
};
pub use plugin::{ElicitationComplete, PluginInstall, PluginInstallStatus};
pub use rate_limit::{
    LimitScope, OverageDisabledReason, RateLimitErrorCode, RateLimitEvent, RateLimitInfo,
    RateLimitStatus, RateLimitType,
};
pub use report::{
    ContextLimit, ContextOverLimit, ContextUsage, ContextUsageAgent, ContextUsageCategory,
    ContextUsageFile, ContextUsageSkill, ContextUsageTool, ExtraUsage, UsageLimit, UsageLimitScope,
    UsageLimitSubject, UsageLimits, UsageReport,
};
pub use result::{
    CostBasis, DeferredToolUse, InvalidConfigFile, ModelUsage, PermissionDenial, PostQueuedBehind,
    ResultError, ResultErrorSubtype, ResultSuccess, StartupFailureReason, SubagentStats,
    SubagentsKilled, SubagentsRefused, SubagentsRequested, TerminalReason,
};
pub use retry::{ApiRetry, ControlRequestProgress, ControlRequestStatus, NoResponse};
pub use session::{
    CommandLifecycle, CommandState, CommandsChanged, ConversationReset, ConversationResetTrigger,
    LostWrite, LostWriteError, MirrorError, SessionState, SessionStateChanged, SessionTitleChanged,
    SessionWritesLost, TranscriptMirror, WorkerShuttingDown,
};
pub use status::{
    CompactBoundary, CompactMetadata, CompactResult, CompactTrigger, PreservedMessages,
    PreservedSegment, SessionStatus, StatusMessage,
};
pub use stream_event::{AbandonedBlocks, StreamEventMessage};
pub use task::{
    BackgroundTasksChanged, McpResourceLink, RunningTask, TaskEndReason, TaskNotification,
    TaskPatch, TaskProgress, TaskStarted, TaskState, TaskStatus, TaskUpdated, TaskUsage,
};
pub use thinking::ThinkingTokens;
pub use tool::{SubagentRetry, ToolProgress, ToolUseSummary};
pub use user::{
    NonExecutionKind, PermissionDecision, Priority, ToolResultMeta, UserMessage, UserMessageReplay,
};

use claw_types_derive::WireUnion;

use crate::Unknown;
use crate::api::{ContentBlock, ToolResultBlock, ToolUseBlock};

/// A message of the conversation.
#[derive(WireUnion, Debug, Clone, PartialEq)]
#[wire(envelope)]
#[non_exhaustive]
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
    /// A kind that claw does not know.
    #[wire(unknown)]
    Unknown(Unknown),
}

impl Message {
    /// The blocks of an assistant's or a user's message; none for other kinds and for plain text.
    pub fn blocks(&self) -> &[ContentBlock] {
        match self {
            Self::Assistant(message) => &message.message.content,
            Self::User(message) => message.message.content.blocks(),
            Self::UserReplay(message) => message.message.content.blocks(),
            _ => &[],
        }
    }

    /// The text of an assistant's or a user's message, its text blocks put together. Empty for
    /// other kinds.
    pub fn text(&self) -> String {
        match self {
            Self::User(message) => message.message.content.text(),
            Self::UserReplay(message) => message.message.content.text(),
            _ => crate::api::text_of(self.blocks()),
        }
    }

    /// The reasoning in an assistant's message, its thinking blocks put together. Empty for other
    /// kinds.
    pub fn thinking(&self) -> String {
        let thoughts = self.blocks().iter().filter_map(|block| match block {
            ContentBlock::Thinking(block) => Some(block.thinking.as_str()),
            _ => None,
        });
        thoughts.collect()
    }

    /// The tools that this message wants used.
    pub fn tool_uses(&self) -> impl Iterator<Item = &ToolUseBlock> {
        self.blocks().iter().filter_map(|block| match block {
            ContentBlock::ToolUse(block) => Some(block),
            _ => None,
        })
    }

    /// What tools gave, in this message.
    pub fn tool_results(&self) -> impl Iterator<Item = &ToolResultBlock> {
        self.blocks().iter().filter_map(|block| match block {
            ContentBlock::ToolResult(block) => Some(block),
            _ => None,
        })
    }

    /// Whether something went wrong: a result that says so, whatever its subtype; an answer in
    /// whose place the CLI put an error; tool results of which one is an error.
    pub fn is_error(&self) -> bool {
        match self {
            Self::ResultSuccess(result) => result.is_error,
            Self::ResultError(result) => result.is_error,
            Self::Assistant(message) => message.error.is_some(),
            _ => self
                .tool_results()
                .any(|result| result.is_error == Some(true)),
        }
    }

    /// Whether the message ends a turn.
    pub fn is_result(&self) -> bool {
        matches!(self, Self::ResultSuccess(_) | Self::ResultError(_))
    }
}

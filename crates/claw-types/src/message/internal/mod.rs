//! Kinds of messages that the types of the official SDK do not include (feature `internal`). Their Rust types follow
//! the checks with which the CLI itself validates them.
//!
//! Most internal messages are for Anthropic's own apps and cloud. Their contents may change without notice. Therefore
//! an internal message that does not have the form that claw knows is not an error: it becomes
//! [`Unknown`](crate::Message::Unknown), which keeps the received JSON and is written unchanged. To learn why a message
//! becomes `Unknown`, deserialize its struct directly (`serde_json::from_str::<TaskSummary>`).
//!
//! ```
//! use claw_types::message::internal::InternalMessage;
//! use claw_types::{Message, from_line};
//!
//! let line = |detail| {
//!     format!(r#"{{"type":"system","subtype":"task_summary","detail":{detail},"uuid":"u","session_id":"s"}}"#)
//! };
//! let known: Message = from_line(line(r#""Reading""#).as_bytes())?;
//! assert!(matches!(known, Message::Internal(InternalMessage::TaskSummary(_))));
//!
//! let of_tomorrow: Message = from_line(line("[7]").as_bytes())?;
//! assert!(of_tomorrow.is_unknown());
//! assert_eq!(serde_json::to_string(&of_tomorrow)?, line("[7]"));
//! # Ok::<_, Box<dyn std::error::Error>>(())
//! ```

mod api_error;
mod autocompact;
mod cloud;
mod compaction;
mod engine;
mod fallback;
mod files;
mod incoming;
mod notice;
mod peer;
mod permission_wait;
mod plugin_ui;
mod screen;
mod session;
mod task;
mod turn;
mod vcs;

pub use api_error::*;
pub use autocompact::*;
pub use cloud::*;
pub use compaction::*;
pub use engine::*;
pub use fallback::*;
pub use files::*;
pub use incoming::*;
pub use notice::*;
pub use peer::*;
pub use permission_wait::*;
pub use plugin_ui::*;
pub use screen::*;
pub use session::*;
pub use task::*;
pub use turn::*;
pub use vcs::*;

use super::{Identity, Message};
use crate::StdinMessage;

/// A message of the conversation that the types of the official SDK do not include.
#[wire(envelope, lenient, within = Message)]
pub enum InternalMessage {
    /// The progress of a prompt, from the queue to the end of its turn.
    CommandLifecycle(Box<CommandLifecycle>),
    /// A switch to the fallback model, because the model is overloaded.
    ModelFallback(Box<ModelFallback>),
    /// A change to the session's title.
    SessionTitleChanged(Box<SessionTitleChanged>),
    /// Entries that the CLI has written to a transcript.
    TranscriptMirror(Box<TranscriptMirror>),
    /// A change to a repository by a shell command.
    VcsStateChanged(Box<VcsStateChanged>),
    /// An action on a published code change, such as a pull request.
    CodeChangePublished(Box<CodeChangePublished>),
    /// The working directory of the shell after a shell command.
    ShellCwd(Box<ShellCwd>),
    /// A clue about the kind of software that the session develops.
    DevIntent(Box<DevIntent>),
    /// The duration of a turn.
    TurnDuration(Box<TurnDuration>),
    /// A report that a turn was aborted because the person sent the next prompt.
    TurnPreempted(Box<TurnPreempted>),
    /// The outcome of the stop hooks of a turn.
    StopHookSummary(Box<StopHookSummary>),
    /// A report that the effort level can no longer differ from turn to turn.
    PerTurnEffortChanged(Box<PerTurnEffortChanged>),
    /// A short summary of a turn.
    PostTurnSummary(Box<PostTurnSummary>),
    /// A phrase about the session's current activity.
    TaskSummary(Box<TaskSummary>),
    /// A summary of what happened while the person was away.
    AwaySummary(Box<AwaySummary>),
    /// The progress of an automatic permission check.
    PermissionCheckStatus(Box<PermissionCheckStatus>),
    /// Commands that were denied and are now retried, because the permission mode has changed and allows them.
    PermissionRetry(Box<PermissionRetry>),
    /// A list of those control requests of an earlier process that the host can still answer.
    InheritedAsksSettled(Box<InheritedAsksSettled>),
    /// A report that a tool use does not run although its permission has now been granted.
    LateAllowNotRun(Box<LateAllowNotRun>),
    /// A change to the metadata that Anthropic's server stores about the session.
    SessionMetadata(Box<SessionMetadata>),
    /// A change to a session in the cloud, made between two turns.
    CloudSessionDelta(Box<CloudSessionDelta>),
    /// An offer by a process in the cloud to take over a turn.
    TurnHandoffAvailable(Box<TurnHandoffAvailable>),
    /// A message from another session that is held back from the model.
    PeerMessageHold(Box<PeerMessageHold>),
    /// An attachment that was added to the conversation, such as a file or an image.
    Attachment(Box<AttachmentMessage>),
    /// The removal of an earlier message.
    Tombstone(Box<Tombstone>),
    /// The speed at which a sub-agent's answer arrives.
    ApiMetrics(Box<ApiMetrics>),
    /// A change to this session's settings that a slash command requests.
    ApplyFlagSettings(Box<ApplyFlagSettingsMessage>),
    /// A change to the list of tool uses in progress.
    SetInProgressToolUseIds(Box<SetInProgressToolUseIds>),
    /// The removal of some tool results from the context.
    HintClears(Box<HintClears>),
    /// The progress of a compaction.
    CompactProgress(Box<CompactProgress>),
    /// The current phase of an answer, such as thinking or writing.
    StreamMode(Box<StreamMode>),
    /// The state of automatic compaction: whether it is enabled, and at how many tokens it starts.
    AutocompactState(Box<AutocompactState>),
    /// A notification for the operating system to show.
    OsNotification(Box<OsNotification>),
    /// A request to show a different panel (the expanded view) beside the conversation.
    SetExpandedView(Box<SetExpandedView>),
    /// A request to let the person choose a message to rewind to.
    OpenMessageSelector(Box<OpenMessageSelector>),
    /// A report that displayed plugin output may be outdated.
    UiInvalidate(Box<UiInvalidate>),
    /// A line of text that a plugin adds to the view of the conversation.
    UiLog(Box<UiLog>),
    /// A notification from a plugin.
    UiNotify(Box<UiNotify>),
    /// The withdrawal of a plugin's notification.
    UiNotifyCancel(Box<UiNotifyCancel>),
    /// A text from a plugin that the host shows for a short time.
    UiToast(Box<UiToast>),
    /// A line of text that a plugin shows below the prompt.
    UiStatus(Box<UiStatus>),
    /// The rows that plugins have placed in the conversation.
    UiPlaced(Box<UiPlaced>),
    /// A request by a plugin to scroll its output.
    UiScroll(Box<UiScrollMessage>),
    /// A request by a plugin to move the keyboard focus.
    UiFocus(Box<UiFocusMessage>),
    /// A snapshot of the session's own files, such as its plan and to-do list.
    FileSnapshot(Box<FileSnapshot>),
    /// A report that files to which a prompt refers did not arrive.
    FileAttachmentsMissing(Box<FileAttachmentsMissing>),
    /// The new status of some entries of the task list.
    TaskListStatuses(Box<TaskListStatuses>),
    /// A report that all sub-agents in the background were ended, for example by an interrupt.
    AgentsKilled(Box<AgentsKilled>),
    /// The start of a scheduled prompt.
    ScheduledTaskFire(Box<ScheduledTaskFire>),
    /// A warning that the instructions are too long.
    InstructionSizeWarning(Box<InstructionSizeWarning>),
    /// A draft of feedback to Anthropic, which the person may send.
    FeedbackDraftQueued(Box<FeedbackDraftQueued>),
    /// The model's thinking, as text to display.
    Thinking(Box<ThinkingMessage>),
    /// Memories that were saved.
    MemorySaved(Box<MemorySaved>),
    /// A switch to another model, because the requested model needs the person's consent.
    ModelConsentFallback(Box<ModelConsentFallback>),
    /// A failed API request that will be retried, with the details of the error.
    ApiError(Box<ApiErrorMessage>),
}

/// A message to `claude` that the types of the official SDK do not include.
#[wire(envelope, lenient, within = StdinMessage)]
pub enum InternalInput {
    /// A shell command that the person has entered.
    BashCommand(Box<BashCommand>),
    /// A notice from another session to the model.
    SessionNotice(Box<SessionNotice>),
    /// A notification about an event that happened outside of the session.
    QueuedNotification(Box<QueuedNotification>),
}

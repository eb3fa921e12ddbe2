//! Kinds that no published type has, typed as the CLI itself checks them (feature `internal`).
//!
//! Most are for Anthropic's own surfaces and its cloud. What they hold may change without notice, so a
//! line of such a kind is never an error: where it has another form than the one that claw knows, it is
//! unknown, kept as it came and sent on unchanged. Why it does not fit, its struct's own reader says
//! (`serde_json::from_str::<TaskSummary>`).
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

/// A message of the conversation that is in no published type.
#[wire(envelope, lenient, within = Message)]
pub enum InternalMessage {
    /// How far a prompt has come.
    CommandLifecycle(Box<CommandLifecycle>),
    /// The model is overloaded, and another one answers.
    ModelFallback(Box<ModelFallback>),
    /// The session has another title.
    SessionTitleChanged(Box<SessionTitleChanged>),
    /// Lines that the CLI has written into a transcript.
    TranscriptMirror(Box<TranscriptMirror>),
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

/// A line to `claude` that is in no published type.
#[wire(envelope, lenient, within = StdinMessage)]
pub enum InternalInput {
    /// A shell command of the person's.
    BashCommand(Box<BashCommand>),
    /// Something that the model should know.
    SessionNotice(Box<SessionNotice>),
    /// Something that happened elsewhere.
    QueuedNotification(Box<QueuedNotification>),
}

//! `attachment` entries: information that the CLI gives the model in addition to the prompt, and records that only the
//! CLI reads.

mod context;
mod hook;
mod mode;
mod queued;

pub use context::*;
pub use hook::*;
pub use mode::*;
pub use queued::*;

use crate::api::Content;

use super::chain::{ChainLink, ChainPlace};

/// A transcript entry with information that accompanies the prompts: facts about the environment, output of hooks, and
/// state that the CLI keeps.
///
/// The CLI writes most of these entries before the first response. If the model reads the attachment, the field
/// `rendered` has the texts that the model reads.
///
/// A field is absent if it does not apply, or if the CLI is too old to send it.
#[wire(tag(type = "attachment"), rename_all = "camelCase")]
pub struct AttachmentEntry {
    fields: ChainPlace!(),
    /// The attached content.
    pub attachment: Attachment,
    /// The texts that the model reads. Absent if the model does not read the attachment.
    pub rendered: Option<Vec<RenderedText>>,
    /// The texts that the model reads if a person's prompt started the turn.
    pub rendered_in_human_turn: Option<Vec<RenderedText>>,
    /// The role in which the model receives the texts: `system` or `user`.
    pub rendered_role: Option<String>,
    /// Whether the model receives the texts together with a tool result.
    pub rendered_beside_tool_result: Option<bool>,
    fields: ChainLink!(),
}

/// A text that the model reads, made from an attachment.
#[wire(rename_all = "camelCase")]
pub struct RenderedText {
    /// The text, usually enclosed in a tag.
    pub content: Content,
}

/// Information that accompanies the prompts.
#[wire]
pub enum Attachment {
    /// The machine and the working directory.
    Environment(Box<EnvironmentAttachment>),
    /// The identity of the model.
    Model(Box<ModelAttachment>),
    /// The current date.
    Date(Box<DateAttachment>),
    /// Facts about the project at the start of the session.
    SessionContext(Box<SessionContextAttachment>),
    /// The instructions of the user and the project.
    Instructions(Box<InstructionsAttachment>),
    /// Changes to the list of tools that can be loaded.
    DeferredToolsDelta(Box<DeferredToolsDeltaAttachment>),
    /// The definitions of tools that were loaded.
    DeferredToolsRecord(Box<DeferredToolsRecordAttachment>),
    /// Changes to the list of sub-agent types.
    AgentListingDelta(Box<AgentListingDeltaAttachment>),
    /// The list of skills.
    SkillListing(Box<SkillListingAttachment>),
    /// The texts to append to commit messages and pull requests.
    RemoteSessionChange(Box<RemoteSessionChangeAttachment>),
    /// Everything that a request to the API contained in addition to the conversation.
    PromptSnapshot(Box<PromptSnapshotAttachment>),
    /// A prompt with a slash command that does not exist.
    UnknownCommandFallback(Box<UnknownCommandFallbackAttachment>),
    /// The output style.
    OutputStyle(Box<OutputStyleAttachment>),
    /// The instructions of the output style.
    OutputStyleInstructions(Box<OutputStyleInstructionsAttachment>),
    /// The tools that a slash command allows.
    CommandPermissions(Box<CommandPermissionsAttachment>),
    /// The auto mode, in which the model works without asking the user.
    AutoMode(Box<AutoModeAttachment>),
    /// The start of plan mode.
    PlanMode(Box<PlanModeAttachment>),
    /// The end of plan mode.
    PlanModeExit(Box<PlanModeExitAttachment>),
    /// The session's budget in US dollars.
    BudgetUsd(Box<BudgetUsdAttachment>),
    /// The remaining token budget.
    TotalTokensReminder(Box<TotalTokensReminderAttachment>),
    /// The end of a turn that reached its maximum number of requests.
    MaxTurnsReached(Box<MaxTurnsReachedAttachment>),
    /// The structured output of the model.
    StructuredOutput(Box<StructuredOutputAttachment>),
    /// A queued message that was delivered into the running turn.
    QueuedCommand(Box<QueuedCommandAttachment>),
    /// The status of a goal.
    GoalStatus(Box<GoalStatusAttachment>),
    /// A file that the person mentioned, or that the model had read before a compaction.
    File(Box<FileAttachment>),
    /// The status of a background task.
    TaskStatus(Box<TaskStatusAttachment>),
    /// An instruction for the model of a forked session.
    ForkBriefing(Box<ForkBriefingAttachment>),
    /// A hook command that succeeded.
    HookSuccess(Box<HookSuccessAttachment>),
    /// A hook command that failed without blocking an action.
    HookNonBlockingError(Box<HookNonBlockingErrorAttachment>),
    /// A hook that blocked an action.
    HookBlockingError(Box<HookBlockingErrorAttachment>),
    /// Additional context that a hook gives the model.
    HookAdditionalContext(Box<HookAdditionalContextAttachment>),
    /// A message from a hook to the user.
    HookSystemMessage(Box<HookSystemMessageAttachment>),
    /// The end of a turn, caused by a hook.
    HookStoppedContinuation(Box<HookStoppedContinuationAttachment>),
    /// A hook's permission decision for a tool.
    HookPermissionDecision(Box<HookPermissionDecisionAttachment>),
    /// A hook that defers a tool use.
    HookDeferredTool(Box<HookDeferredToolAttachment>),
}

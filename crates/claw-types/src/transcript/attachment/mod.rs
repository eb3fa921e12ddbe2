//! `attachment`: what the CLI tells the model beside the prompt, and what it keeps for itself there.

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

/// Something that stands beside the prompts: what the model is told of its surroundings, what
/// hooks said, what the CLI has to remember.
///
/// Written when it comes up, most of them before the first answer. Those that the model reads
/// say in `rendered` how.
#[wire(tag(type = "attachment"), rename_all = "camelCase")]
pub struct AttachmentEntry {
    fields: ChainPlace!(),
    /// What it is.
    pub attachment: Attachment,
    /// What the model reads of it. Absent where it reads nothing.
    pub rendered: Option<Vec<RenderedText>>,
    /// The same as the model reads it within a turn that a person prompted.
    pub rendered_in_human_turn: Option<Vec<RenderedText>>,
    /// Who says so to the model: `system`, `user`.
    pub rendered_role: Option<String>,
    /// Whether the model reads it beside a tool result.
    pub rendered_beside_tool_result: Option<bool>,
    fields: ChainLink!(),
}

/// What the model reads of an attachment.
#[wire(rename_all = "camelCase")]
pub struct RenderedText {
    /// The text, mostly in a tag.
    pub content: Content,
}

/// What stands beside the prompts.
#[wire]
pub enum Attachment {
    /// The machine and the folder.
    Environment(Box<EnvironmentAttachment>),
    /// The model.
    Model(Box<ModelAttachment>),
    /// The date.
    Date(Box<DateAttachment>),
    /// What is known of the project when the session begins.
    SessionContext(Box<SessionContextAttachment>),
    /// Instructions of the user and the project.
    Instructions(Box<InstructionsAttachment>),
    /// Tools that can be loaded.
    DeferredToolsDelta(Box<DeferredToolsDeltaAttachment>),
    /// Definitions of tools that were loaded.
    DeferredToolsRecord(Box<DeferredToolsRecordAttachment>),
    /// Kinds of sub-agents.
    AgentListingDelta(Box<AgentListingDeltaAttachment>),
    /// Skills.
    SkillListing(Box<SkillListingAttachment>),
    /// How commits and pull requests are signed.
    RemoteSessionChange(Box<RemoteSessionChangeAttachment>),
    /// All that the API was sent besides the conversation.
    PromptSnapshot(Box<PromptSnapshotAttachment>),
    /// A slash command that does not exist.
    UnknownCommandFallback(Box<UnknownCommandFallbackAttachment>),
    /// The output style.
    OutputStyle(Box<OutputStyleAttachment>),
    /// What the output style says.
    OutputStyleInstructions(Box<OutputStyleInstructionsAttachment>),
    /// Tools that a command allows.
    CommandPermissions(Box<CommandPermissionsAttachment>),
    /// Working without questions.
    AutoMode(Box<AutoModeAttachment>),
    /// Planning begins.
    PlanMode(Box<PlanModeAttachment>),
    /// Planning ends.
    PlanModeExit(Box<PlanModeExitAttachment>),
    /// Money.
    BudgetUsd(Box<BudgetUsdAttachment>),
    /// Tokens.
    TotalTokensReminder(Box<TotalTokensReminderAttachment>),
    /// No more requests in this turn.
    MaxTurnsReached(Box<MaxTurnsReachedAttachment>),
    /// The answer as data.
    StructuredOutput(Box<StructuredOutputAttachment>),
    /// Something was taken into the turn that ran.
    QueuedCommand(Box<QueuedCommandAttachment>),
    /// A goal.
    GoalStatus(Box<GoalStatusAttachment>),
    /// A hook worked.
    HookSuccess(Box<HookSuccessAttachment>),
    /// A hook failed.
    HookNonBlockingError(Box<HookNonBlockingErrorAttachment>),
    /// A hook says no.
    HookBlockingError(Box<HookBlockingErrorAttachment>),
    /// A hook has something to tell the model.
    HookAdditionalContext(Box<HookAdditionalContextAttachment>),
    /// A hook has something to tell the person.
    HookSystemMessage(Box<HookSystemMessageAttachment>),
    /// A hook ends the turn.
    HookStoppedContinuation(Box<HookStoppedContinuationAttachment>),
    /// A hook decides about a tool.
    HookPermissionDecision(Box<HookPermissionDecisionAttachment>),
    /// A hook leaves a tool for later.
    HookDeferredTool(Box<HookDeferredToolAttachment>),
}

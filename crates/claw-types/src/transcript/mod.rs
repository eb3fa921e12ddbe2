//! The entries of a session's transcript file, and the types that session stores exchange.
//!
//! `claude` writes each session to `<config>/projects/<folder>/<session>.jsonl`, one [`Entry`] per line, and the
//! conversations of its sub-agents to `<session>/subagents/agent-<id>.jsonl` beside it. The conversation is a chain:
//! `user`, `assistant`, `attachment` and `system` entries name their predecessor by `parentUuid`. If a conversation was
//! rewound, two entries name the same predecessor. All other entries are notes about the session. If a transcript has
//! several notes of one kind, usually only the last of them applies.
//!
//! The format is internal to the CLI and not part of the official SDK's published types: fields come and go between
//! versions. So most fields are optional, and unknown fields are kept. Programs that only store entries use
//! [`SessionStoreEntry`](crate::store::SessionStoreEntry), which accepts any entry.
//!
//! ```
//! use claw_types::{from_line, transcript::Entry};
//!
//! let line = br#"{"type":"custom-title","customTitle":"Sums","sessionId":"s-1"}"#;
//! let entry: Entry = from_line(line)?;
//! assert_eq!(entry.kind(), "custom-title");
//! assert!(matches!(&entry, Entry::CustomTitle(title) if title.custom_title == "Sums"));
//! # Ok::<_, claw_types::DecodeError>(())
//! ```

mod activity;
mod attachment;
mod chain;
mod convert;
mod request;
mod screen;
mod session;
mod system;

pub use activity::*;
pub use attachment::*;
pub use chain::*;
pub use request::*;
pub use screen::*;
pub use session::*;
pub use system::*;

use crate::MessageUuid;

/// An entry of a session's transcript: one line of the file.
#[wire(envelope)]
pub enum Entry {
    /// A user message: a prompt, or the result of a tool.
    User(Box<UserEntry>),
    /// A completed content block of a model's response.
    Assistant(Box<AssistantEntry>),
    /// Information that accompanies the prompts.
    Attachment(Box<AttachmentEntry>),
    /// A compaction: a summary replaced the earlier conversation.
    CompactBoundary(Box<CompactBoundaryEntry>),
    /// A failed API request that the CLI retries.
    ApiError(Box<ApiErrorEntry>),
    /// A slash command that ran without the model.
    LocalCommand(Box<LocalCommandEntry>),
    /// The hooks that ran at the end of a turn.
    StopHookSummary(Box<StopHookSummaryEntry>),
    /// A notice that the model does not see.
    Informational(Box<InformationalEntry>),
    /// A fallback to another model because the first model was overloaded.
    ModelFallback(Box<ModelFallbackEntry>),
    /// A fallback to another model because the first model refused the request.
    ModelRefusalFallback(Box<ModelRefusalFallbackEntry>),
    /// A refusal by the model, without a fallback to another model.
    ModelRefusalNoFallback(Box<ModelRefusalNoFallbackEntry>),
    /// The duration of a turn.
    TurnDuration(Box<TurnDurationEntry>),
    /// A summary of what happened while the person was away.
    AwaySummary(Box<AwaySummaryEntry>),
    /// Memories that were saved.
    MemorySaved(Box<MemorySavedEntry>),
    /// The end of all sub-agents in the background.
    AgentsKilled(Box<AgentsKilledEntry>),
    /// Denied commands that are retried.
    PermissionRetry(Box<PermissionRetryEntry>),
    /// The address at which the session can be used from another device.
    BridgeStatus(Box<BridgeStatusEntry>),
    /// A notice about the session's counterpart in Anthropic's cloud.
    CloudSessionStatus(Box<CloudSessionStatusEntry>),
    /// The start of a scheduled prompt.
    ScheduledTaskFire(Box<ScheduledTaskFireEntry>),
    /// A switch to another model, because the requested model needs the person's consent.
    ModelConsentFallback(Box<ModelConsentFallbackEntry>),
    /// A `system` entry whose subtype has no separate variant.
    System(Box<SystemEntry>),
    /// The progress of a running tool.
    Progress(Box<ProgressEntry>),
    /// A change to the queue of prompts.
    QueueOperation(Box<QueueOperationEntry>),
    /// The last prompt, and the UUID of the conversation's last entry.
    LastPrompt(Box<LastPromptEntry>),
    /// The tools that the session has used.
    ToolsUsed(Box<ToolsUsedEntry>),
    /// The cost of the session.
    CostState(Box<CostStateEntry>),
    /// Backups of files as they were before a prompt.
    FileHistorySnapshot(Box<FileHistorySnapshotEntry>),
    /// The backup of one more file, which belongs to a file history snapshot.
    FileHistoryDelta(Box<FileHistoryDeltaEntry>),
    /// A record of the lines of files that the model wrote.
    AttributionSnapshot(Box<AttributionSnapshotEntry>),
    /// Replacements for content that was too long for the model.
    ContentReplacement(Box<ContentReplacementEntry>),
    /// A record of the data that went into responses.
    DataFlowRecords(Box<DataFlowRecordsEntry>),
    /// A note that the data-flow records are incomplete.
    DataFlowIncomplete(Box<DataFlowIncompleteEntry>),
    /// The start of a sub-agent's transcript. The sub-agent continues another conversation.
    ForkContextRef(Box<ForkContextRefEntry>),
    /// An agent that observes the session.
    ObserverRef(Box<ObserverRefEntry>),
    /// The metadata of a sub-agent.
    AgentMetadata(Box<AgentMetadataEntry>),
    /// The title that a person gave the session.
    CustomTitle(Box<CustomTitleEntry>),
    /// The title that a model gave the session.
    AiTitle(Box<AiTitleEntry>),
    /// A tag by which the session can be found.
    Tag(Box<TagEntry>),
    /// A summary of a conversation.
    Summary(Box<SummaryEntry>),
    /// The name under which agents know the session.
    AgentName(Box<AgentNameEntry>),
    /// The colour in which the session is displayed.
    AgentColor(Box<AgentColorEntry>),
    /// The agent whose prompt, tools and model the session uses.
    AgentSetting(Box<AgentSettingEntry>),
    /// The working mode of the CLI, such as `normal` or `coordinator`.
    Mode(Box<ModeEntry>),
    /// The permission mode.
    PermissionMode(Box<PermissionModeEntry>),
    /// A note that says whether the model works by writing programs (REPL mode).
    ReplMode(Box<ReplModeEntry>),
    /// A note that switches the session's memory on or off.
    MemoryMode(Box<MemoryModeEntry>),
    /// The side of a sandbox, inside or outside, on which the session stays.
    IsolationLatch(Box<IsolationLatchEntry>),
    /// An opaque value (`atis`) that the session keeps for the API.
    AtisLatch(Box<AtisLatchEntry>),
    /// The folder with the session's changes to the CLI itself.
    DevMods(Box<DevModsEntry>),
    /// The new folder of a session that was moved.
    Relocated(Box<RelocatedEntry>),
    /// The git worktree of the session.
    WorktreeState(Box<WorktreeStateEntry>),
    /// The pull request that the session is about.
    PrLink(Box<PrLinkEntry>),
    /// A page (artifact) that the session published.
    FrameLink(Box<FrameLinkEntry>),
    /// The published pages (artifacts) whose comments the session watches.
    ArtifactCommentMonitor(Box<ArtifactCommentMonitorEntry>),
    /// The comments on published pages (artifacts) that the session has answered.
    ArtifactAutoreactLedger(Box<ArtifactAutoreactLedgerEntry>),
    /// The session in Anthropic's cloud that mirrors this session.
    BridgeSession(Box<BridgeSessionEntry>),
    /// A note that the mirror of this session in Anthropic's cloud does not show the earlier conversation.
    HistorySuppression(Box<HistorySuppressionEntry>),
    /// The account to which the session belongs.
    SessionOwner(Box<SessionOwnerEntry>),
    /// Another organisation from which responses came.
    HybridOrganization(Box<HybridOrganizationEntry>),
    /// A note that the model ended the conversation.
    EndedByModel(Box<EndedByModelEntry>),
    /// The session in which the conversation continues.
    ContinuedIn(Box<ContinuedInEntry>),
    /// The sessions from which the conversation was derived.
    DerivedFrom(Box<DerivedFromEntry>),
    /// A checksum of all lines before this entry, so that a reader can skip those lines.
    ResumeHeadVouch(Box<ResumeHeadVouchEntry>),
    /// A request to the API.
    ApiRequest(Box<ApiRequestEntry>),
    /// The parts that several requests to the API share.
    ApiRequestShape(Box<ApiRequestShapeEntry>),
    /// One of the messages that a request to the API contained.
    ApiRequestBlob(Box<ApiRequestBlobEntry>),
    /// A paused request to the API, and the request that resumed it.
    ApiRequestResumed(Box<ApiRequestResumedEntry>),
}

/// Evaluates an expression for each kind of entry that is a link of the chain.
macro_rules! links {
    ($self:expr, $link:ident => $value:expr) => {
        match $self {
            Self::User($link) => Some($value),
            Self::Assistant($link) => Some($value),
            Self::Attachment($link) => Some($value),
            Self::CompactBoundary($link) => Some($value),
            Self::ApiError($link) => Some($value),
            Self::LocalCommand($link) => Some($value),
            Self::StopHookSummary($link) => Some($value),
            Self::Informational($link) => Some($value),
            Self::ModelFallback($link) => Some($value),
            Self::ModelRefusalFallback($link) => Some($value),
            Self::ModelRefusalNoFallback($link) => Some($value),
            Self::TurnDuration($link) => Some($value),
            Self::AwaySummary($link) => Some($value),
            Self::MemorySaved($link) => Some($value),
            Self::AgentsKilled($link) => Some($value),
            Self::PermissionRetry($link) => Some($value),
            Self::BridgeStatus($link) => Some($value),
            Self::CloudSessionStatus($link) => Some($value),
            Self::ScheduledTaskFire($link) => Some($value),
            Self::ModelConsentFallback($link) => Some($value),
            Self::System($link) => Some($value),
            Self::Progress($link) => Some($value),
            _ => None,
        }
    };
}

impl Entry {
    /// Whether the entry is a link of the chain that forms the conversation. All other entries are notes about the
    /// session.
    pub fn is_link(&self) -> bool {
        links!(self, _link => ()).is_some()
    }

    /// Returns the UUID of the previous entry in the chain. `None` for the first entry of a chain, and for entries that
    /// are not in the chain.
    pub fn parent_uuid(&self) -> Option<&MessageUuid> {
        links!(self, link => link.parent_uuid.as_ref()).flatten()
    }

    /// Whether the entry belongs to a sub-agent.
    pub fn is_sidechain(&self) -> bool {
        links!(self, link => link.is_sidechain).unwrap_or_default()
    }

    /// Returns the time at which an entry of the chain was written, in ISO 8601. `None` for all other entries, because
    /// some of them have no time.
    pub fn timestamp(&self) -> Option<&str> {
        links!(self, link => &*link.timestamp)
    }
}

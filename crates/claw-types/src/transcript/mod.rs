//! What stands in a session's file on disk, and what programs that keep sessions exchange.
//!
//! `claude` writes each session to `<config>/projects/<folder>/<session>.jsonl`, a line an
//! [`Entry`], and what its sub-agents say to `<session>/subagents/agent-<id>.jsonl` beside it. The
//! conversation is a chain: `user`, `assistant`, `attachment` and `system` lines name the one before
//! by `parentUuid`, and where a conversation was taken back, two name the same. All other lines are
//! notes about the session, of which mostly the last of a kind counts.
//!
//! The format is the CLI's own and no part of its published types: fields come and go with its
//! versions. So most fields are optional, and here as everywhere what claw does not know is kept.
//! Who only stores entries uses [`SessionStoreEntry`](crate::store::SessionStoreEntry), which takes any.
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
mod session;
mod system;

pub use activity::*;
pub use attachment::*;
pub use chain::*;
pub use request::*;
pub use session::*;
pub use system::*;

use crate::line::FromLine;
use crate::{DecodeError, MessageUuid, wire};

/// A line of a session's file.
#[wire(envelope)]
pub enum Entry {
    /// What the user said, or a tool on the user's behalf.
    User(Box<UserEntry>),
    /// One completed block of an answer.
    Assistant(Box<AssistantEntry>),
    /// Something beside the prompts.
    Attachment(Box<AttachmentEntry>),
    /// What came before was replaced by a summary.
    CompactBoundary(Box<CompactBoundaryEntry>),
    /// The API failed, and is asked again.
    ApiError(Box<ApiErrorEntry>),
    /// A slash command ran without the model.
    LocalCommand(Box<LocalCommandEntry>),
    /// Hooks ran at the end of a turn.
    StopHookSummary(Box<StopHookSummaryEntry>),
    /// A notice that the model does not see.
    Informational(Box<InformationalEntry>),
    /// A model was overloaded, and another one answers.
    ModelFallback(Box<ModelFallbackEntry>),
    /// A model declined, and another one answers.
    ModelRefusalFallback(Box<ModelRefusalFallbackEntry>),
    /// A model declined, and no other one answers.
    ModelRefusalNoFallback(Box<ModelRefusalNoFallbackEntry>),
    /// A `system` line of any other subtype.
    System(Box<SystemEntry>),
    /// How far a tool has come.
    Progress(Box<ProgressEntry>),
    /// A prompt waits, is taken up or is taken back.
    QueueOperation(Box<QueueOperationEntry>),
    /// Where the conversation stands.
    LastPrompt(Box<LastPromptEntry>),
    /// The tools that the session has used.
    ToolsUsed(Box<ToolsUsedEntry>),
    /// What the session has cost.
    CostState(Box<CostStateEntry>),
    /// Files as they were before a prompt.
    FileHistorySnapshot(Box<FileHistorySnapshotEntry>),
    /// One more of those files.
    FileHistoryDelta(Box<FileHistoryDeltaEntry>),
    /// Which lines of files the model wrote.
    AttributionSnapshot(Box<AttributionSnapshotEntry>),
    /// What the model reads in the place of content that was too long.
    ContentReplacement(Box<ContentReplacementEntry>),
    /// What answers were made from.
    DataFlowRecords(Box<DataFlowRecordsEntry>),
    /// Not all is known of that.
    DataFlowIncomplete(Box<DataFlowIncompleteEntry>),
    /// Where a sub-agent's conversation begins.
    ForkContextRef(Box<ForkContextRefEntry>),
    /// An agent that looks on.
    ObserverRef(Box<ObserverRefEntry>),
    /// What is known of a sub-agent.
    AgentMetadata(Box<AgentMetadataEntry>),
    /// The title that a person gave.
    CustomTitle(Box<CustomTitleEntry>),
    /// The title that a model gave.
    AiTitle(Box<AiTitleEntry>),
    /// A word that the session can be found by.
    Tag(Box<TagEntry>),
    /// What a conversation was about.
    Summary(Box<SummaryEntry>),
    /// The session's name among agents.
    AgentName(Box<AgentNameEntry>),
    /// The session's colour.
    AgentColor(Box<AgentColorEntry>),
    /// The agent that the session runs as.
    AgentSetting(Box<AgentSettingEntry>),
    /// How the CLI works.
    Mode(Box<ModeEntry>),
    /// What is asked for and what is not.
    PermissionMode(Box<PermissionModeEntry>),
    /// Whether the model works by writing programs.
    ReplMode(Box<ReplModeEntry>),
    /// Whether the session remembers.
    MemoryMode(Box<MemoryModeEntry>),
    /// The side of a sandbox.
    IsolationLatch(Box<IsolationLatchEntry>),
    /// A word for the API's sake.
    AtisLatch(Box<AtisLatchEntry>),
    /// Changes to the CLI itself.
    DevMods(Box<DevModsEntry>),
    /// The session goes on in another folder.
    Relocated(Box<RelocatedEntry>),
    /// The git worktree.
    WorktreeState(Box<WorktreeStateEntry>),
    /// The pull request.
    PrLink(Box<PrLinkEntry>),
    /// A published page.
    FrameLink(Box<FrameLinkEntry>),
    /// Comments that are listened for.
    ArtifactCommentMonitor(Box<ArtifactCommentMonitorEntry>),
    /// Comments that were answered.
    ArtifactAutoreactLedger(Box<ArtifactAutoreactLedgerEntry>),
    /// The session in the cloud.
    BridgeSession(Box<BridgeSessionEntry>),
    /// What is not shown there.
    HistorySuppression(Box<HistorySuppressionEntry>),
    /// The account.
    SessionOwner(Box<SessionOwnerEntry>),
    /// Another organisation.
    HybridOrganization(Box<HybridOrganizationEntry>),
    /// The model has ended the conversation.
    EndedByModel(Box<EndedByModelEntry>),
    /// The conversation goes on in another session.
    ContinuedIn(Box<ContinuedInEntry>),
    /// Where the conversation comes from.
    DerivedFrom(Box<DerivedFromEntry>),
    /// What a fast reader may rely on.
    ResumeHeadVouch(Box<ResumeHeadVouchEntry>),
    /// A request to the API.
    ApiRequest(Box<ApiRequestEntry>),
    /// What requests have in common.
    ApiRequestShape(Box<ApiRequestShapeEntry>),
    /// A message of a request.
    ApiRequestBlob(Box<ApiRequestBlobEntry>),
    /// A request that went on.
    ApiRequestResumed(Box<ApiRequestResumedEntry>),
}

impl FromLine for Entry {
    fn from_line(line: &[u8]) -> Result<Self, DecodeError> {
        wire::decode_line(line)
    }
}

/// What every link of the chain has, for each kind of link.
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
            Self::System($link) => Some($value),
            Self::Progress($link) => Some($value),
            _ => None,
        }
    };
}

impl Entry {
    /// Whether it is a link of the conversation's chain, and no note beside it.
    pub fn is_link(&self) -> bool {
        links!(self, _link => ()).is_some()
    }

    /// The link before it. `None` at a beginning, and for notes.
    pub fn parent_uuid(&self) -> Option<&MessageUuid> {
        links!(self, link => link.parent_uuid.as_ref()).flatten()
    }

    /// Whether it belongs to a sub-agent.
    pub fn is_sidechain(&self) -> bool {
        links!(self, link => link.is_sidechain).unwrap_or_default()
    }

    /// When a link was written, as ISO 8601. `None` for notes, of which only some say.
    pub fn timestamp(&self) -> Option<&str> {
        links!(self, link => &*link.timestamp)
    }
}

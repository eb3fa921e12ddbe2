//! What a session is: its names, its modes, where it comes from. The last line of a kind counts.

use crate::options::PermissionMode;
use crate::{Count, Json, MessageUuid, Number, SessionId, Tri};

/// What every note about the session ends with: a line that is no link of the chain.
#[wire(fields)]
pub(crate) struct Note {
    /// The session.
    pub session_id: crate::SessionId,
}

/// The title that a person gave the session.
#[wire(tag(type = "custom-title"), rename_all = "camelCase")]
pub struct CustomTitleEntry {
    /// The title.
    pub custom_title: String,
    fields: Note!(),
}

/// The title that a model gave the session. A person's own goes before it.
#[wire(tag(type = "ai-title"), rename_all = "camelCase")]
pub struct AiTitleEntry {
    /// The title.
    pub ai_title: String,
    fields: Note!(),
}

/// A word that the session can be found by.
#[wire(tag(type = "tag"), rename_all = "camelCase")]
pub struct TagEntry {
    /// The word; empty where it was taken away.
    pub tag: String,
    fields: Note!(),
}

/// What a conversation was about. Written by older CLIs, and by imports.
#[wire(tag(type = "summary"), rename_all = "camelCase")]
pub struct SummaryEntry {
    /// The summary.
    pub summary: String,
    /// The last line of the conversation.
    pub leaf_uuid: MessageUuid,
    /// The session. Older CLIs do not say.
    pub session_id: Option<SessionId>,
}

/// The session's name among agents.
#[wire(tag(type = "agent-name"), rename_all = "camelCase")]
pub struct AgentNameEntry {
    /// The name.
    pub agent_name: String,
    fields: Note!(),
}

/// The session's colour on screens.
#[wire(tag(type = "agent-color"), rename_all = "camelCase")]
pub struct AgentColorEntry {
    /// The colour's name.
    pub agent_color: String,
    fields: Note!(),
}

/// The agent that the session runs as.
#[wire(tag(type = "agent-setting"), rename_all = "camelCase")]
pub struct AgentSettingEntry {
    /// The agent's name.
    pub agent_setting: String,
    fields: Note!(),
}

/// How the CLI works: `normal`, `coordinator` ….
#[wire(tag(type = "mode"), rename_all = "camelCase")]
pub struct ModeEntry {
    /// The mode.
    pub mode: String,
    fields: Note!(),
}

/// What is asked for and what is not.
#[wire(tag(type = "permission-mode"), rename_all = "camelCase")]
pub struct PermissionModeEntry {
    /// The mode.
    pub permission_mode: PermissionMode,
    fields: Note!(),
}

/// Whether the model works by writing programs.
#[wire(tag(type = "repl-mode"), rename_all = "camelCase")]
pub struct ReplModeEntry {
    /// Whether it does.
    pub repl_mode: Json,
    /// Whether what the programs say is typed.
    pub typed_events: Option<bool>,
    fields: Note!(),
}

/// From here on, the session remembers or does not.
#[wire(tag(type = "memory-mode"), rename_all = "camelCase")]
pub struct MemoryModeEntry {
    /// How.
    pub mode: String,
    /// The line after which it holds; null from the beginning.
    pub after_uuid: Tri<MessageUuid>,
    /// When, as ISO 8601.
    pub timestamp: Option<String>,
    /// Why.
    pub reason: Option<String>,
    /// Whose memory it is, of a shape of its own.
    pub account: Option<Json>,
    /// What the person chose.
    pub account_choice: Option<Json>,
    fields: Note!(),
}

/// On which side of a sandbox the session stays.
#[wire(tag(type = "isolation-latch"), rename_all = "camelCase")]
pub struct IsolationLatchEntry {
    /// The side.
    pub side: String,
    fields: Note!(),
}

/// A word that the session keeps for the API's sake; empty where there is none.
#[wire(tag(type = "atis-latch"), rename_all = "camelCase")]
pub struct AtisLatchEntry {
    /// The word.
    pub atis: String,
    fields: Note!(),
}

/// The folder that the session's changes to the CLI itself come from.
#[wire(tag(type = "dev-mods"), rename_all = "camelCase")]
pub struct DevModsEntry {
    /// The folder.
    pub folder: String,
    fields: Note!(),
}

/// The session goes on in another folder.
#[wire(tag(type = "relocated"), rename_all = "camelCase")]
pub struct RelocatedEntry {
    /// The folder.
    pub relocated_cwd: String,
    fields: Note!(),
}

/// The git worktree that the session works in.
#[wire(tag(type = "worktree-state"), rename_all = "camelCase")]
pub struct WorktreeStateEntry {
    /// The worktree; null where it works in none.
    #[wire(nullable)]
    pub worktree_session: Option<WorktreeRecord>,
    fields: Note!(),
}

/// A git worktree that a session works in.
#[wire(rename_all = "camelCase")]
pub struct WorktreeRecord {
    /// Where it is.
    pub worktree_path: String,
    /// What it is called.
    pub worktree_name: Option<String>,
    /// Its branch.
    pub worktree_branch: Option<String>,
    /// The folder that the session was in before.
    pub original_cwd: Option<String>,
    /// The folder that it was in when it began.
    pub pre_enter_original_cwd: Option<String>,
    /// The branch that it was on before.
    pub original_branch: Option<String>,
    /// The commit that it was on before.
    pub original_head_commit: Option<String>,
    /// Where the project's own settings are looked for.
    pub extension_root: Option<String>,
    /// The session.
    pub session_id: Option<SessionId>,
    /// Whether a hook made it.
    pub hook_based: Option<bool>,
}

/// The pull request that the session is about.
#[wire(tag(type = "pr-link"), rename_all = "camelCase")]
pub struct PrLinkEntry {
    /// Its number.
    pub pr_number: Number,
    /// Its address.
    pub pr_url: String,
    /// Its repository.
    pub pr_repository: String,
    /// When it was linked, as ISO 8601.
    pub timestamp: Option<String>,
    fields: Note!(),
}

/// A page that the session has published, or how many there are.
#[wire(tag(type = "frame-link"), rename_all = "camelCase")]
pub struct FrameLinkEntry {
    /// The file.
    pub path: Option<String>,
    /// The page's address.
    pub frame_url: Option<String>,
    /// The page's title.
    pub title: Option<String>,
    /// How many pages the session has published.
    pub artifact_count: Option<Count>,
    /// When, as ISO 8601.
    pub timestamp: Option<String>,
    fields: Note!(),
}

/// Comments on published pages that the session listens for.
#[wire(tag(type = "artifact-comment-monitor"), rename_all = "camelCase")]
pub struct ArtifactCommentMonitorEntry {
    /// The version of this kind of line.
    pub v: Count,
    /// The pages, of a shape of its own.
    pub artifacts: Json,
    fields: Note!(),
}

/// Comments on published pages that the session has answered.
#[wire(tag(type = "artifact-autoreact-ledger"), rename_all = "camelCase")]
pub struct ArtifactAutoreactLedgerEntry {
    /// The version of this kind of line.
    pub v: Count,
    /// The account that published them.
    pub account_uuid: Option<String>,
    /// The pages, of a shape of its own.
    pub artifacts: Json,
    fields: Note!(),
}

/// The session in the cloud that this one is shown in.
#[wire(tag(type = "bridge-session"), rename_all = "camelCase")]
pub struct BridgeSessionEntry {
    /// That session; empty where there is none any more.
    pub bridge_session_id: String,
    /// How far it has been told.
    pub last_sequence_num: Number,
    /// Dialogs that it can show.
    pub declared_dialog_kinds: Option<Vec<String>>,
    /// The group that it belongs to.
    pub session_grouping_id: Option<String>,
    /// Whether it is not told of what was before.
    pub no_history_backfill: Option<bool>,
    /// Whose it is.
    pub owner_account_uuid: Option<String>,
    /// The owner's organisation.
    pub owner_organization_uuid: Option<String>,
    fields: Note!(),
}

/// What was before is not shown in the cloud.
#[wire(tag(type = "history-suppression"), rename_all = "camelCase")]
pub struct HistorySuppressionEntry {
    /// Why.
    pub cause: String,
    /// The account that it is kept from.
    pub vetoed_against_account_uuid: Option<String>,
    /// When, as ISO 8601.
    pub ts: Option<String>,
    fields: Note!(),
}

/// The account that the session belongs to.
#[wire(tag(type = "session-owner"), rename_all = "camelCase")]
pub struct SessionOwnerEntry {
    /// The account.
    pub account_uuid: Option<String>,
    /// Its organisation.
    pub organization_uuid: Option<String>,
    fields: Note!(),
}

/// Another organisation that answers came from.
#[wire(tag(type = "hybrid-organization"), rename_all = "camelCase")]
pub struct HybridOrganizationEntry {
    /// The organisation.
    pub organization_uuid: String,
    fields: Note!(),
}

/// The model has ended the conversation.
#[wire(tag(type = "ended-by-model"), rename_all = "camelCase")]
pub struct EndedByModelEntry {
    /// When, as ISO 8601.
    pub timestamp: Option<String>,
    fields: Note!(),
}

/// The conversation goes on in another session.
#[wire(tag(type = "continued-in"), rename_all = "camelCase")]
pub struct ContinuedInEntry {
    /// That session.
    pub continued_in_session_id: SessionId,
    /// When, as ISO 8601.
    pub timestamp: Option<String>,
    fields: Note!(),
}

/// Sessions that the conversation comes from.
#[wire(tag(type = "derived-from"), rename_all = "camelCase")]
pub struct DerivedFromEntry {
    /// The version of this kind of line.
    pub v: Count,
    /// The sessions.
    pub sessions: Vec<DerivedSession>,
    fields: Note!(),
}

/// A session that a conversation comes from.
#[wire]
pub struct DerivedSession {
    /// What kind of session.
    #[wire(rename = "type")]
    pub kind: Option<String>,
    /// The session; null where it is not known.
    pub id: Tri<String>,
    /// How: `compact`, `resume`, `branch`, `import` ….
    pub via: Option<String>,
}

/// What a fast way of reading the file may rely on.
#[wire(tag(type = "resume-head-vouch"), rename_all = "camelCase")]
pub struct ResumeHeadVouchEntry {
    /// A sum over the lines before, of a shape of its own.
    pub sum: Json,
    fields: Note!(),
}

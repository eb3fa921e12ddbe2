//! Transcript entries about the session itself: its titles, modes and origins. If a transcript has several entries of
//! one kind, only the last of them applies.

use crate::options::PermissionMode;
use crate::{Count, Json, MessageUuid, Number, SessionId, Tri};

/// The fields of every note about the session: an entry that is not a link of the chain.
#[wire(fields)]
pub(crate) struct Note {
    /// The ID of the session.
    pub session_id: crate::SessionId,
}

/// A transcript entry with the title that a person gave the session.
#[wire(tag(type = "custom-title"), rename_all = "camelCase")]
pub struct CustomTitleEntry {
    /// The title of the session.
    pub custom_title: String,
    fields: Note!(),
}

/// A transcript entry with the title that a model gave the session. A title given by a person takes precedence.
#[wire(tag(type = "ai-title"), rename_all = "camelCase")]
pub struct AiTitleEntry {
    /// The title of the session.
    pub ai_title: String,
    fields: Note!(),
}

/// A transcript entry with a tag by which the session can be found.
#[wire(tag(type = "tag"), rename_all = "camelCase")]
pub struct TagEntry {
    /// The tag by which the session can be found. Empty if the tag was removed.
    pub tag: String,
    fields: Note!(),
}

/// A transcript entry with the summary of a conversation. The CLI writes it when it imports a conversation. Older CLIs
/// also write it for other conversations.
#[wire(tag(type = "summary"), rename_all = "camelCase")]
pub struct SummaryEntry {
    /// The summary of the conversation.
    pub summary: String,
    /// The UUID of the last entry of the summarised conversation.
    pub leaf_uuid: MessageUuid,
    /// The ID of the session. Absent on entries of older CLIs.
    pub session_id: Option<SessionId>,
}

/// A transcript entry with the name under which agents know the session.
#[wire(tag(type = "agent-name"), rename_all = "camelCase")]
pub struct AgentNameEntry {
    /// The name under which agents know the session.
    pub agent_name: String,
    fields: Note!(),
}

/// A transcript entry with the colour in which the session is displayed.
#[wire(tag(type = "agent-color"), rename_all = "camelCase")]
pub struct AgentColorEntry {
    /// The name of the colour.
    pub agent_color: String,
    fields: Note!(),
}

/// A transcript entry with the name of the agent whose prompt, tools and model the session uses.
#[wire(tag(type = "agent-setting"), rename_all = "camelCase")]
pub struct AgentSettingEntry {
    /// The name of the agent whose prompt, tools and model the session uses.
    pub agent_setting: String,
    fields: Note!(),
}

/// A transcript entry with the working mode of the CLI, such as `normal` or `coordinator`.
#[wire(tag(type = "mode"), rename_all = "camelCase")]
pub struct ModeEntry {
    /// The working mode, such as `normal` or `coordinator`.
    pub mode: String,
    fields: Note!(),
}

/// A transcript entry with the permission mode of the session.
#[wire(tag(type = "permission-mode"), rename_all = "camelCase")]
pub struct PermissionModeEntry {
    /// The permission mode.
    pub permission_mode: PermissionMode,
    fields: Note!(),
}

/// A transcript entry that says whether the model works by writing programs (REPL mode).
#[wire(tag(type = "repl-mode"), rename_all = "camelCase")]
pub struct ReplModeEntry {
    /// The state of the REPL mode. Its form is internal to the CLI, and can be any JSON value.
    pub repl_mode: Json,
    /// Whether the events of the programs that the model writes are typed.
    pub typed_events: Option<bool>,
    fields: Note!(),
}

/// A transcript entry that switches the session's memory on or off for the entries that follow.
#[wire(tag(type = "memory-mode"), rename_all = "camelCase")]
pub struct MemoryModeEntry {
    /// The memory mode, which says whether the session uses memory. The CLI does not document its values.
    pub mode: String,
    /// The UUID of the entry after which the mode applies. Null if the mode applies from the beginning.
    pub after_uuid: Tri<MessageUuid>,
    /// The time of the change, in ISO 8601.
    pub timestamp: Option<String>,
    /// The reason for the change.
    pub reason: Option<String>,
    /// The account to which the memory belongs. Its form is internal to the CLI.
    pub account: Option<Json>,
    /// The choice that the user made about the account. Its form is internal to the CLI.
    pub account_choice: Option<Json>,
    fields: Note!(),
}

/// A transcript entry that says on which side of a sandbox, inside or outside, the session stays.
#[wire(tag(type = "isolation-latch"), rename_all = "camelCase")]
pub struct IsolationLatchEntry {
    /// The side of the sandbox on which the session stays: inside or outside. The CLI does not document its values.
    pub side: String,
    fields: Note!(),
}

/// A transcript entry with a value that the session keeps for the API.
#[wire(tag(type = "atis-latch"), rename_all = "camelCase")]
pub struct AtisLatchEntry {
    /// The value that the session keeps for the API. Empty if there is none.
    pub atis: String,
    fields: Note!(),
}

/// A transcript entry with the folder from which the session takes changes to the CLI itself.
#[wire(tag(type = "dev-mods"), rename_all = "camelCase")]
pub struct DevModsEntry {
    /// The folder from which the changes come.
    pub folder: String,
    fields: Note!(),
}

/// A transcript entry that says that the session continues in another folder.
#[wire(tag(type = "relocated"), rename_all = "camelCase")]
pub struct RelocatedEntry {
    /// The path of the new folder.
    pub relocated_cwd: String,
    fields: Note!(),
}

/// A transcript entry with the git worktree in which the session works.
#[wire(tag(type = "worktree-state"), rename_all = "camelCase")]
pub struct WorktreeStateEntry {
    /// The worktree. Null if the session does not work in a git worktree.
    #[wire(nullable)]
    pub worktree_session: Option<WorktreeRecord>,
    fields: Note!(),
}

/// A git worktree in which a session works.
///
/// A field is absent if it does not apply, or if the CLI is too old to send it.
#[wire(rename_all = "camelCase")]
pub struct WorktreeRecord {
    /// The path of the worktree.
    pub worktree_path: String,
    /// The name of the worktree.
    pub worktree_name: Option<String>,
    /// The branch of the worktree.
    pub worktree_branch: Option<String>,
    /// The working directory of the session before it entered the worktree.
    pub original_cwd: Option<String>,
    /// The working directory in which the session began.
    pub pre_enter_original_cwd: Option<String>,
    /// The git branch that was checked out before the session entered the worktree.
    pub original_branch: Option<String>,
    /// The git commit that was checked out before the session entered the worktree.
    pub original_head_commit: Option<String>,
    /// The folder in which the CLI looks for the settings of the project.
    pub extension_root: Option<String>,
    /// The ID of the session.
    pub session_id: Option<SessionId>,
    /// Whether a hook created the worktree.
    pub hook_based: Option<bool>,
}

/// A transcript entry with the pull request that the session is about.
#[wire(tag(type = "pr-link"), rename_all = "camelCase")]
pub struct PrLinkEntry {
    /// The number of the pull request.
    pub pr_number: Number,
    /// The URL of the pull request.
    pub pr_url: String,
    /// The repository of the pull request.
    pub pr_repository: String,
    /// The time when the pull request was linked, in ISO 8601.
    pub timestamp: Option<String>,
    fields: Note!(),
}

/// A transcript entry with a published page (artifact) of the session, or with the number of pages that the session has
/// published.
///
/// A field is absent if it does not apply, or if the CLI is too old to send it.
#[wire(tag(type = "frame-link"), rename_all = "camelCase")]
pub struct FrameLinkEntry {
    /// The path of the published file.
    pub path: Option<String>,
    /// The URL of the page.
    pub frame_url: Option<String>,
    /// The title of the page.
    pub title: Option<String>,
    /// The number of pages (artifacts) that the session has published.
    pub artifact_count: Option<Count>,
    /// The time of the entry, in ISO 8601.
    pub timestamp: Option<String>,
    fields: Note!(),
}

/// A transcript entry with the artifacts (published pages) whose comments the session watches.
#[wire(tag(type = "artifact-comment-monitor"), rename_all = "camelCase")]
pub struct ArtifactCommentMonitorEntry {
    /// The version of this entry's format.
    pub v: Count,
    /// The artifacts, which are published pages. Their form is internal to the CLI.
    pub artifacts: Json,
    fields: Note!(),
}

/// A transcript entry that records which comments on artifacts (published pages) the session has answered.
#[wire(tag(type = "artifact-autoreact-ledger"), rename_all = "camelCase")]
pub struct ArtifactAutoreactLedgerEntry {
    /// The version of this entry's format.
    pub v: Count,
    /// The UUID of the account that published the artifacts.
    pub account_uuid: Option<String>,
    /// The artifacts, which are published pages. Their form is internal to the CLI.
    pub artifacts: Json,
    fields: Note!(),
}

/// A transcript entry with the session in Anthropic's cloud that mirrors this session.
#[wire(tag(type = "bridge-session"), rename_all = "camelCase")]
pub struct BridgeSessionEntry {
    /// The ID of the session in Anthropic's cloud that mirrors this session. Empty if no session there mirrors it any
    /// longer.
    pub bridge_session_id: String,
    /// The sequence number of the last event that was sent to the mirroring session in Anthropic's cloud.
    pub last_sequence_num: Number,
    /// The kinds of dialogs that the mirroring session in Anthropic's cloud can show.
    pub declared_dialog_kinds: Option<Vec<String>>,
    /// The ID of the group to which the session belongs.
    pub session_grouping_id: Option<String>,
    /// Whether the earlier conversation is withheld from the session in Anthropic's cloud that mirrors this session.
    pub no_history_backfill: Option<bool>,
    /// The UUID of the account that owns the session.
    pub owner_account_uuid: Option<String>,
    /// The UUID of the owner's organisation.
    pub owner_organization_uuid: Option<String>,
    fields: Note!(),
}

/// A transcript entry that says that the mirror of this session in Anthropic's cloud does not show the earlier
/// conversation.
#[wire(tag(type = "history-suppression"), rename_all = "camelCase")]
pub struct HistorySuppressionEntry {
    /// The reason why the earlier conversation is not shown. The CLI does not document its values.
    pub cause: String,
    /// The UUID of the account from which the conversation is withheld.
    pub vetoed_against_account_uuid: Option<String>,
    /// The time of the entry, in ISO 8601.
    pub ts: Option<String>,
    fields: Note!(),
}

/// A transcript entry with the account to which the session belongs.
#[wire(tag(type = "session-owner"), rename_all = "camelCase")]
pub struct SessionOwnerEntry {
    /// The UUID of the account.
    pub account_uuid: Option<String>,
    /// The UUID of the account's organisation.
    pub organization_uuid: Option<String>,
    fields: Note!(),
}

/// A transcript entry that names another organisation from which responses in this session came.
#[wire(tag(type = "hybrid-organization"), rename_all = "camelCase")]
pub struct HybridOrganizationEntry {
    /// The UUID of the organisation.
    pub organization_uuid: String,
    fields: Note!(),
}

/// A transcript entry that says that the model ended the conversation.
#[wire(tag(type = "ended-by-model"), rename_all = "camelCase")]
pub struct EndedByModelEntry {
    /// The time at which the conversation ended, in ISO 8601.
    pub timestamp: Option<String>,
    fields: Note!(),
}

/// A transcript entry that says that the conversation continues in another session.
#[wire(tag(type = "continued-in"), rename_all = "camelCase")]
pub struct ContinuedInEntry {
    /// The ID of the session in which the conversation continues.
    pub continued_in_session_id: SessionId,
    /// The time of the entry, in ISO 8601.
    pub timestamp: Option<String>,
    fields: Note!(),
}

/// A transcript entry with the sessions from which the conversation was derived.
#[wire(tag(type = "derived-from"), rename_all = "camelCase")]
pub struct DerivedFromEntry {
    /// The version of this entry's format.
    pub v: Count,
    /// The sessions from which the conversation was derived.
    pub sessions: Vec<DerivedSession>,
    fields: Note!(),
}

/// A session from which a conversation was derived.
#[wire]
pub struct DerivedSession {
    /// The kind of session, such as `claude_code_session`.
    #[wire(rename = "type")]
    pub kind: Option<String>,
    /// The ID of the session. Null if unknown.
    pub id: Tri<String>,
    /// The operation that derived the conversation, such as `compact`, `resume`, `branch` or `import`.
    pub via: Option<String>,
}

/// A transcript entry with a checksum of all lines before this entry, so that a reader can skip those lines.
#[wire(tag(type = "resume-head-vouch"), rename_all = "camelCase")]
pub struct ResumeHeadVouchEntry {
    /// A checksum of the lines before this entry. Its form is internal to the CLI.
    pub sum: Json,
    fields: Note!(),
}

//! What happens in a session besides the conversation: queued prompts, files, costs.

use crate::{Count, Json, Map, MessageUuid, Number, SessionId, ToolUseId, Tri};

use super::session::Note;

/// What becomes of a queued prompt.
#[wire(open)]
pub enum QueueOperation {
    /// It waits.
    Enqueue = "enqueue",
    /// It is taken up.
    Dequeue = "dequeue",
    /// It is taken back.
    Remove = "remove",
    /// All that wait are given back to be edited.
    PopAll = "popAll",
}

/// A prompt waits, is taken up or is taken back. Written for each prompt, twice.
#[wire(tag(type = "queue-operation"), rename_all = "camelCase")]
pub struct QueueOperationEntry {
    /// What.
    pub operation: QueueOperation,
    /// When, as ISO 8601.
    pub timestamp: String,
    /// The prompt: text, or content blocks. Only where it begins to wait.
    pub content: Option<Json>,
    /// Why, where it was not taken up, such as `cleared_on_cancel`.
    pub reason: Option<String>,
    /// The prompt, by the name that the host gave it.
    pub command_uuid: Option<MessageUuid>,
    /// Where a running turn took it in: the name of its way to the model, as its
    /// [`QueuedCommandAttachment`](super::QueuedCommandAttachment) has it.
    pub delivery_id: Option<String>,
    fields: Note!(),
}

/// Where the conversation stands: the line that it goes on from when it is taken up again.
#[wire(tag(type = "last-prompt"), rename_all = "camelCase")]
pub struct LastPromptEntry {
    /// The last prompt, cut where it is long.
    pub last_prompt: Option<String>,
    /// The last line; null where the conversation was taken back to its beginning.
    pub leaf_uuid: Tri<MessageUuid>,
    /// Whether the person chose this line.
    pub explicit: Option<bool>,
    fields: Note!(),
}

/// The tools that the session has used so far.
#[wire(tag(type = "tools-used"), rename_all = "camelCase")]
pub struct ToolsUsedEntry {
    /// Their names.
    pub tools: Vec<String>,
    fields: Note!(),
}

/// What the session has cost so far. Written when the CLI ends.
#[wire(tag(type = "cost-state"), rename_all = "camelCase")]
pub struct CostStateEntry {
    /// In US dollars.
    #[wire(rename = "totalCostUSD")]
    pub total_cost_usd: Number,
    /// How long it waited for the API, in milliseconds.
    #[wire(rename = "totalAPIDuration")]
    pub total_api_duration: Number,
    /// The same without what failed and was tried again.
    #[wire(rename = "totalAPIDurationWithoutRetries")]
    pub total_api_duration_without_retries: Option<Number>,
    /// How long tools ran, in milliseconds.
    pub total_tool_duration: Option<Number>,
    /// Lines that tools added to files.
    pub total_lines_added: Option<Count>,
    /// Lines that tools took out of files.
    pub total_lines_removed: Option<Count>,
    /// How long the CLI ran, in milliseconds.
    pub total_duration: Option<Number>,
    /// When it began, in milliseconds since 1970.
    pub start_time: Option<Number>,
    /// What each model used.
    pub model_usage: Option<Map<ModelCost>>,
    /// Whether a model's price is not known: then the cost is too low.
    pub has_unknown_model_cost: Option<bool>,
    fields: Note!(),
}

/// What a model used, as a transcript has it.
#[wire(rename_all = "camelCase")]
pub struct ModelCost {
    /// Tokens read, without those from the cache.
    pub input_tokens: Count,
    /// Tokens written.
    pub output_tokens: Count,
    /// Tokens written for reasoning.
    pub thinking_tokens: Option<Count>,
    /// Tokens read from the cache.
    pub cache_read_input_tokens: Option<Count>,
    /// Tokens put into the cache.
    pub cache_creation_input_tokens: Option<Count>,
    /// Tokens put into the cache for five minutes.
    #[wire(rename = "cacheCreationEphemeral5mInputTokens")]
    pub cache_creation_ephemeral_5m_input_tokens: Option<Count>,
    /// Tokens put into the cache for one hour.
    #[wire(rename = "cacheCreationEphemeral1hInputTokens")]
    pub cache_creation_ephemeral_1h_input_tokens: Option<Count>,
    /// Web searches.
    pub web_search_requests: Option<Count>,
    /// Cost in US dollars.
    #[wire(rename = "costUSD")]
    pub cost_usd: Option<Number>,
}

/// Files as they were before a prompt, to be put back. Only with file checkpoints.
#[wire(tag(type = "file-history-snapshot"), rename_all = "camelCase")]
pub struct FileHistorySnapshotEntry {
    /// The prompt.
    pub message_id: MessageUuid,
    /// The files.
    pub snapshot: FileHistorySnapshot,
    /// Whether it stands in the place of an earlier one.
    pub is_snapshot_update: bool,
    /// The session. Mostly not said.
    pub session_id: Option<SessionId>,
}

/// Files as they were before a prompt.
#[wire(rename_all = "camelCase")]
pub struct FileHistorySnapshot {
    /// The prompt.
    pub message_id: MessageUuid,
    /// Copies of files, by their paths in the project.
    pub tracked_file_backups: Map<FileBackup>,
    /// When, as ISO 8601.
    pub timestamp: String,
}

/// A copy of a file.
#[wire(rename_all = "camelCase")]
pub struct FileBackup {
    /// The copy's file, in the CLI's own folder; null where the file was not there.
    #[wire(nullable)]
    pub backup_file_name: Option<String>,
    /// Which copy it is, from 1.
    pub version: Count,
    /// When it was made, as ISO 8601.
    pub backup_time: String,
    /// The file's folder, with links followed.
    pub real_parent_dir: Option<String>,
}

/// One more file of a [`FileHistorySnapshotEntry`].
#[wire(tag(type = "file-history-delta"), rename_all = "camelCase")]
pub struct FileHistoryDeltaEntry {
    /// The line that changes the file.
    pub message_id: MessageUuid,
    /// The prompt whose snapshot it belongs to.
    pub snapshot_message_id: MessageUuid,
    /// The file's path in the project.
    pub tracking_path: String,
    /// The file as it was.
    pub backup: FileBackup,
    /// When, as ISO 8601.
    pub timestamp: Option<String>,
    /// The session. Mostly not said.
    pub session_id: Option<SessionId>,
}

/// Which lines of files the model wrote, for the signature of a commit. All of it is the CLI's own
/// affair and stays in `extra`.
#[wire(tag(type = "attribution-snapshot"), rename_all = "camelCase")]
pub struct AttributionSnapshotEntry {
    /// The prompt.
    pub message_id: Option<MessageUuid>,
    /// The session. Mostly not said.
    pub session_id: Option<SessionId>,
}

/// What the model reads in the place of content that was too long for it.
#[wire(tag(type = "content-replacement"), rename_all = "camelCase")]
pub struct ContentReplacementEntry {
    /// What stands in the place of what.
    pub replacements: Vec<ContentReplacement>,
    /// The sub-agent. Absent in the main conversation.
    pub agent_id: Option<String>,
    fields: Note!(),
}

/// What the model reads in the place of a tool's result.
#[wire(rename_all = "camelCase")]
pub struct ContentReplacement {
    /// What is replaced: `tool-result`.
    pub kind: String,
    /// The tool use.
    pub tool_use_id: Option<ToolUseId>,
    /// What the model reads.
    pub replacement: Option<Json>,
}

/// What answers were made from, where that is kept.
#[wire(tag(type = "data-flow-records"), rename_all = "camelCase")]
pub struct DataFlowRecordsEntry {
    /// The version of this kind of line.
    pub v: Count,
    /// The records, of a shape of their own.
    pub records: Vec<Json>,
    /// Whether they stand in the place of all before.
    pub snapshot: Option<bool>,
    /// The sub-agent. Absent in the main conversation.
    pub agent_id: Option<String>,
    fields: Note!(),
}

/// Not all is known of what answers were made from.
#[wire(tag(type = "data-flow-incomplete"), rename_all = "camelCase")]
pub struct DataFlowIncompleteEntry {
    /// The version of this kind of line.
    pub v: Count,
    /// Why.
    pub codes: Vec<String>,
    /// The sub-agent. Absent in the main conversation.
    pub agent_id: Option<String>,
    fields: Note!(),
}

/// Where a sub-agent's conversation begins that goes on from another.
#[wire(tag(type = "fork-context-ref"), rename_all = "camelCase")]
pub struct ForkContextRefEntry {
    /// The sub-agent.
    pub agent_id: Option<String>,
    /// The session.
    pub session_id: Option<SessionId>,
}

/// An agent that looks on.
#[wire(tag(type = "observer-ref"), rename_all = "camelCase")]
pub struct ObserverRefEntry {
    /// The agent.
    pub agent_id: Option<String>,
    /// The session.
    pub session_id: Option<SessionId>,
    /// When, as ISO 8601.
    pub timestamp: Option<String>,
}

/// What is known of a sub-agent.
///
/// In a file of its own beside the sub-agent's transcript (`agent-….meta.json`, without the `type`),
/// and as an entry in mirrored transcripts.
#[wire(tag(type = "agent_metadata"), rename_all = "camelCase")]
pub struct AgentMetadataEntry {
    /// The kind of sub-agent.
    pub agent_type: String,
    /// What it was asked to do, in short.
    pub description: Option<String>,
    /// What it is called.
    pub name: Option<String>,
    /// The tool use that started it.
    pub tool_use_id: Option<ToolUseId>,
    /// The tool use of the sub-agent around it.
    pub enclosing_tool_use_id: Option<ToolUseId>,
    /// The sub-agent that started it. Absent where the main conversation did.
    pub parent_agent_id: Option<String>,
    /// How deep sub-agents stand in one another, from 1.
    pub spawn_depth: Option<Count>,
    /// How it was started.
    pub spawn_mode: Option<String>,
    /// Whether the CLI brings the kind.
    pub is_built_in: Option<bool>,
    /// Whether it goes on from the conversation that started it.
    pub is_fork: Option<bool>,
    /// Whether it was started with nothing set.
    pub launched_with_defaults: Option<bool>,
    /// Its model.
    pub model: Option<String>,
    /// The model that its effort was chosen for.
    pub picked_effort_model: Option<String>,
    /// How its requests are made, such as `background`.
    pub request_shape: Option<String>,
    /// Whether nobody is there to ask.
    pub request_non_interactive: Option<bool>,
    /// Its folder, where it has one of its own.
    pub cwd: Option<String>,
    /// Its git worktree.
    pub worktree_path: Option<String>,
    /// The worktree's branch.
    pub worktree_branch: Option<String>,
    /// The part of the workflow that it belongs to.
    pub workflow_phase: Option<String>,
    /// Whether it has ended.
    pub finished: Option<bool>,
}

//! Transcript entries about the activity of a session outside of the conversation: queued prompts, files, costs.

use crate::{Count, Json, Map, MessageUuid, Number, SessionId, ToolUseId, Tri};

use super::session::Note;

/// A change to the queue of prompts.
#[wire(open)]
pub enum QueueOperation {
    /// A prompt was added to the queue.
    Enqueue = "enqueue",
    /// A prompt was taken from the queue to be run.
    Dequeue = "dequeue",
    /// A prompt was removed from the queue without being run.
    Remove = "remove",
    /// All queued prompts were returned for editing.
    PopAll = "popAll",
}

/// A transcript entry about a change to the queue of prompts. The CLI writes two entries for each prompt: one when the
/// prompt is queued, and one when the prompt leaves the queue.
#[wire(tag(type = "queue-operation"), rename_all = "camelCase")]
pub struct QueueOperationEntry {
    /// The change to the queue.
    pub operation: QueueOperation,
    /// The time of the change, in ISO 8601.
    pub timestamp: String,
    /// The prompt: text or content blocks. Absent if `operation` is `dequeue`.
    pub content: Option<Json>,
    /// The reason why the prompt was not run, such as `cleared_on_cancel`.
    pub reason: Option<String>,
    /// The UUID that the host gave the prompt.
    pub command_uuid: Option<MessageUuid>,
    /// The ID of the prompt's delivery, if the prompt was delivered into a running turn. Absent otherwise. The
    /// [`QueuedCommandAttachment`](super::QueuedCommandAttachment) of the delivery has the same ID.
    pub delivery_id: Option<String>,
    fields: Note!(),
}

/// A transcript entry that names the last entry of the conversation, after which a resumed session continues.
#[wire(tag(type = "last-prompt"), rename_all = "camelCase")]
pub struct LastPromptEntry {
    /// The text of the last prompt, truncated if it is long.
    pub last_prompt: Option<String>,
    /// The UUID of the conversation's last entry. Null if the conversation was rewound to its beginning.
    pub leaf_uuid: Tri<MessageUuid>,
    /// Whether the user chose the entry that `leafUuid` names.
    pub explicit: Option<bool>,
    fields: Note!(),
}

/// A transcript entry with the tools that the session has used so far.
#[wire(tag(type = "tools-used"), rename_all = "camelCase")]
pub struct ToolsUsedEntry {
    /// The names of the tools.
    pub tools: Vec<String>,
    fields: Note!(),
}

/// A transcript entry with the cost of the session so far. The CLI writes the entry when the CLI exits.
///
/// A field is absent if it does not apply, or if the CLI is too old to send it.
#[wire(tag(type = "cost-state"), rename_all = "camelCase")]
pub struct CostStateEntry {
    /// The total cost, in US dollars.
    #[wire(rename = "totalCostUSD")]
    pub total_cost_usd: Number,
    /// The total time spent waiting for the API, in milliseconds.
    #[wire(rename = "totalAPIDuration")]
    pub total_api_duration: Number,
    /// The total time spent waiting for the API, in milliseconds, not counting failed attempts that were retried.
    #[wire(rename = "totalAPIDurationWithoutRetries")]
    pub total_api_duration_without_retries: Option<Number>,
    /// The total run time of tools, in milliseconds.
    pub total_tool_duration: Option<Number>,
    /// The number of lines that tools added to files.
    pub total_lines_added: Option<Count>,
    /// The number of lines that tools removed from files.
    pub total_lines_removed: Option<Count>,
    /// The total run time of the CLI in this session, including earlier runs, in milliseconds.
    pub total_duration: Option<Number>,
    /// The time at which the session started, in milliseconds since 1970-01-01 UTC.
    pub start_time: Option<Number>,
    /// Maps the name of each model to the usage of that model.
    pub model_usage: Option<Map<ModelCost>>,
    /// Whether the price of a used model is unknown. If it is unknown, the recorded cost is too low.
    pub has_unknown_model_cost: Option<bool>,
    fields: Note!(),
}

/// The tokens, web searches and cost of one model, as a transcript records them.
///
/// A field is absent if it does not apply, or if the CLI is too old to send it.
#[wire(rename_all = "camelCase")]
pub struct ModelCost {
    /// The number of input tokens without those read from or written to the prompt cache.
    pub input_tokens: Count,
    /// The number of output tokens.
    pub output_tokens: Count,
    /// The number of output tokens that the model used for thinking.
    pub thinking_tokens: Option<Count>,
    /// The number of input tokens read from the prompt cache.
    pub cache_read_input_tokens: Option<Count>,
    /// The number of input tokens written to the prompt cache.
    pub cache_creation_input_tokens: Option<Count>,
    /// The number of input tokens written to the prompt cache with a lifetime of five minutes.
    #[wire(rename = "cacheCreationEphemeral5mInputTokens")]
    pub cache_creation_ephemeral_5m_input_tokens: Option<Count>,
    /// The number of input tokens written to the prompt cache with a lifetime of one hour.
    #[wire(rename = "cacheCreationEphemeral1hInputTokens")]
    pub cache_creation_ephemeral_1h_input_tokens: Option<Count>,
    /// The number of web searches.
    pub web_search_requests: Option<Count>,
    /// The cost, in US dollars.
    #[wire(rename = "costUSD")]
    pub cost_usd: Option<Number>,
}

/// A transcript entry with backups of files as they were before a prompt, so that a person can restore the files.
/// Written only if file checkpointing is enabled.
#[wire(tag(type = "file-history-snapshot"), rename_all = "camelCase")]
pub struct FileHistorySnapshotEntry {
    /// The UUID of the prompt.
    pub message_id: MessageUuid,
    /// The backups of the files.
    pub snapshot: FileHistorySnapshot,
    /// Whether this entry replaces an earlier snapshot for the same prompt.
    pub is_snapshot_update: bool,
    /// The ID of the session. Usually absent.
    pub session_id: Option<SessionId>,
}

/// Backups of files as they were before a prompt.
///
/// A field is absent if it does not apply, or if the CLI is too old to send it.
#[wire(rename_all = "camelCase")]
pub struct FileHistorySnapshot {
    /// The UUID of the prompt.
    pub message_id: MessageUuid,
    /// Maps the path of each file in the project to the file's backup.
    pub tracked_file_backups: Map<FileBackup>,
    /// The time of the snapshot, in ISO 8601.
    pub timestamp: String,
    /// Whether the turn may have changed files that have no backup.
    pub has_untracked_changes: Option<bool>,
    /// Whether the CLI did not look for changes to some files.
    pub has_skipped_diff: Option<bool>,
}

/// A backup of a file.
#[wire(rename_all = "camelCase")]
pub struct FileBackup {
    /// The name of the backup in the CLI's own folder. Null if there was no file to back up.
    #[wire(nullable)]
    pub backup_file_name: Option<String>,
    /// The version of the backup, counted from 1.
    pub version: Count,
    /// The time of the backup, in ISO 8601.
    pub backup_time: String,
    /// The path of the folder that contains the file, after symbolic links were resolved.
    pub real_parent_dir: Option<String>,
}

/// A transcript entry that adds the backup of one more file to a [`FileHistorySnapshotEntry`].
#[wire(tag(type = "file-history-delta"), rename_all = "camelCase")]
pub struct FileHistoryDeltaEntry {
    /// The UUID of the entry that changes the file.
    pub message_id: MessageUuid,
    /// The UUID of the prompt to whose snapshot the file belongs.
    pub snapshot_message_id: MessageUuid,
    /// The path of the file in the project.
    pub tracking_path: String,
    /// The backup of the file.
    pub backup: FileBackup,
    /// The time of the entry, in ISO 8601.
    pub timestamp: Option<String>,
    /// The ID of the session. Usually absent.
    pub session_id: Option<SessionId>,
}

/// A transcript entry that records which lines of which files the model wrote. The CLI uses this record when it writes
/// the text that names the model as an author of a commit. Most fields are internal to the CLI. claw keeps them
/// unchanged in `extra`.
#[wire(tag(type = "attribution-snapshot"), rename_all = "camelCase")]
pub struct AttributionSnapshotEntry {
    /// The UUID of the prompt.
    pub message_id: Option<MessageUuid>,
    /// The ID of the session. Usually absent.
    pub session_id: Option<SessionId>,
}

/// A transcript entry with replacements for content that was too long for the model.
#[wire(tag(type = "content-replacement"), rename_all = "camelCase")]
pub struct ContentReplacementEntry {
    /// The replacements of content.
    pub replacements: Vec<ContentReplacement>,
    /// The ID of the sub-agent to which the entry belongs. Absent in the main conversation.
    pub agent_id: Option<String>,
    fields: Note!(),
}

/// A replacement for a tool result that was too long for the model.
#[wire(rename_all = "camelCase")]
pub struct ContentReplacement {
    /// The kind of content that is replaced: `tool-result`.
    pub kind: String,
    /// The ID of the tool use.
    pub tool_use_id: Option<ToolUseId>,
    /// The content that the model reads instead of the tool result.
    pub replacement: Option<Json>,
}

/// A transcript entry that records which data went into responses. Written only if data-flow recording is enabled.
#[wire(tag(type = "data-flow-records"), rename_all = "camelCase")]
pub struct DataFlowRecordsEntry {
    /// The version of this entry's format.
    pub v: Count,
    /// The records of which data went into responses. Their form is internal to the CLI.
    pub records: Vec<Json>,
    /// Whether these records replace all earlier records.
    pub snapshot: Option<bool>,
    /// The ID of the sub-agent to which the entry belongs. Absent in the main conversation.
    pub agent_id: Option<String>,
    fields: Note!(),
}

/// A transcript entry that says that the data-flow records are incomplete.
#[wire(tag(type = "data-flow-incomplete"), rename_all = "camelCase")]
pub struct DataFlowIncompleteEntry {
    /// The version of this entry's format.
    pub v: Count,
    /// The codes for the reasons why the records are incomplete.
    pub codes: Vec<String>,
    /// The ID of the sub-agent to which the entry belongs. Absent in the main conversation.
    pub agent_id: Option<String>,
    fields: Note!(),
}

/// A transcript entry at the start of a sub-agent's transcript. It says that the sub-agent continues the conversation
/// of another transcript.
#[wire(tag(type = "fork-context-ref"), rename_all = "camelCase")]
pub struct ForkContextRefEntry {
    /// The ID of the sub-agent.
    pub agent_id: Option<String>,
    /// The ID of the session.
    pub session_id: Option<SessionId>,
}

/// A transcript entry that names an agent which observes the session.
#[wire(tag(type = "observer-ref"), rename_all = "camelCase")]
pub struct ObserverRefEntry {
    /// The ID of the observing agent.
    pub agent_id: Option<String>,
    /// The ID of the session.
    pub session_id: Option<SessionId>,
    /// The time of the entry, in ISO 8601.
    pub timestamp: Option<String>,
}

/// The metadata of a sub-agent.
///
/// The CLI keeps the metadata of a sub-agent in a file beside the sub-agent's transcript (`agent-….meta.json`, without
/// the key `type`). In a session store, to which transcripts are mirrored, the metadata is an entry of the transcript
/// instead.
///
/// A field is absent if it does not apply, or if the CLI is too old to send it.
#[wire(tag(type = "agent_metadata"), rename_all = "camelCase")]
pub struct AgentMetadataEntry {
    /// The type of the sub-agent.
    pub agent_type: String,
    /// A short description of the sub-agent's work.
    pub description: Option<String>,
    /// The name of the sub-agent.
    pub name: Option<String>,
    /// The ID of the tool use that started the sub-agent.
    pub tool_use_id: Option<ToolUseId>,
    /// The ID of the tool use that started the enclosing sub-agent: the one inside which this sub-agent runs.
    pub enclosing_tool_use_id: Option<ToolUseId>,
    /// The ID of the sub-agent that started this sub-agent. Absent if the main conversation started it.
    pub parent_agent_id: Option<String>,
    /// The nesting depth of the sub-agent, counted from 1.
    pub spawn_depth: Option<Count>,
    /// The way in which the sub-agent was started. The CLI does not document its values.
    pub spawn_mode: Option<String>,
    /// Whether the sub-agent's type is built into the CLI.
    pub is_built_in: Option<bool>,
    /// Whether the sub-agent continues the conversation from which it was started.
    pub is_fork: Option<bool>,
    /// Whether the sub-agent was started with default settings only.
    pub launched_with_defaults: Option<bool>,
    /// The name of the model that the sub-agent uses.
    pub model: Option<String>,
    /// Whether `model` was not chosen by name, neither by the caller nor by the sub-agent's type.
    pub model_not_named: Option<bool>,
    /// The model for which the effort level of the sub-agent was chosen.
    pub picked_effort_model: Option<String>,
    /// The form of the sub-agent's API requests, such as `foreground` or `background`.
    pub request_shape: Option<String>,
    /// Whether the sub-agent runs without a person who can be asked for permission.
    pub request_non_interactive: Option<bool>,
    /// The working directory of the sub-agent. Absent if the sub-agent works in the session's directory.
    pub cwd: Option<String>,
    /// The path of the sub-agent's git worktree.
    pub worktree_path: Option<String>,
    /// The branch of the sub-agent's git worktree.
    pub worktree_branch: Option<String>,
    /// The workflow phase to which the sub-agent belongs.
    pub workflow_phase: Option<String>,
    /// Whether the sub-agent has finished.
    pub finished: Option<bool>,
}

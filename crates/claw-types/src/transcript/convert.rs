//! Converts transcript entries to the messages that a host receives.

use crate::api::ContentBlock;
use crate::message::{AssistantMessage, Message, PermissionDecision, ToolResultMeta, UserMessage};
use crate::{Extra, Json, Map, ToolUseId, True};

use super::{AgentMetadataEntry, AssistantEntry, Entry, RecordedDecision, UserEntry};

impl Entry {
    /// Returns the message of a `user` or `assistant` entry, in the form that `claude` writes to stdout.
    ///
    /// Returns `None` for all other entries. It also returns `None` for the entry of a sub-agent if `agent` is `None`,
    /// because only the sub-agent's metadata contains the ID of the tool use that started the sub-agent.
    ///
    /// The returned message differs from the message on stdout in some fields. Information that a transcript does not
    /// have is absent: which prompts a response answers, and the display names of tools. If the content is a plain text
    /// in the transcript, it stays a plain text, although stdout may contain a text block instead. Each block of a
    /// response has the stop reason and the usage of the whole response.
    pub fn message(&self, agent: Option<&AgentMetadataEntry>) -> Option<Message> {
        if self.is_sidechain() && agent.is_none() {
            return None;
        }
        match self {
            Self::User(entry) => Some(user(entry, agent).into()),
            Self::Assistant(entry) => Some(assistant(entry, agent).into()),
            _ => None,
        }
    }
}

fn user(entry: &UserEntry, agent: Option<&AgentMetadataEntry>) -> UserMessage {
    let agent = agent.filter(|_| entry.is_sidechain);
    let is_synthetic =
        entry.is_meta == Some(true) || entry.is_visible_in_transcript_only == Some(true);
    let mut message = UserMessage::new(entry.message.clone());
    message.parent_tool_use_id = started_by(agent);
    message.uuid = Some(entry.uuid.clone());
    message.session_id = Some(entry.session_id.clone());
    message.is_synthetic = is_synthetic.then_some(true);
    message.tool_use_result = tool_use_result(entry);
    message.origin.clone_from(&entry.origin);
    message.timestamp = Some(entry.timestamp.clone());
    message.agent_id.clone_from(&entry.agent_id);
    message.subagent_type = agent.map(|agent| agent.agent_type.clone());
    message.task_description = agent.and_then(|agent| agent.description.clone());
    message
        .refused_message_id
        .clone_from(&entry.refused_message_id);
    message.refusal_retry = (entry.refusal_retry == Some(true)).then_some(True);
    message.tool_result_meta = results(entry);
    message
}

/// The tool's output. For an MCP tool it includes the server's metadata.
fn tool_use_result(entry: &UserEntry) -> Option<Json> {
    let result = entry.tool_use_result.as_ref()?;
    let meta: Option<Map<Json>> = entry.mcp_meta.as_ref().and_then(|meta| meta.parse().ok());
    let Some(meta) = meta else {
        return Some(result.clone());
    };
    let mut whole = Map::default();
    whole.insert("content", result.clone());
    for (key, value) in &meta {
        whole.insert(key, value.clone());
    }
    Json::new(&whole).ok()
}

/// The metadata of the entry's tool results. An entry has one tool result.
fn results(entry: &UserEntry) -> Option<Vec<ToolResultMeta>> {
    if entry.permission_decision.is_none() && entry.tool_denial_kind.is_none() {
        return None;
    }
    let blocks = entry.message.content.blocks().iter();
    let metas = blocks.filter_map(|block| match block {
        ContentBlock::ToolResult(result) => Some(ToolResultMeta {
            permission_decision: entry.permission_decision.as_ref().map(decision),
            non_execution_kind: entry.tool_denial_kind.clone(),
            ..ToolResultMeta::new(&result.tool_use_id)
        }),
        _ => None,
    });
    Some(metas.collect())
}

fn decision(recorded: &RecordedDecision) -> PermissionDecision {
    PermissionDecision {
        decision: recorded.decision.clone(),
        source: recorded.source.clone(),
        reason_type: recorded.reason_type.clone(),
        extra: Extra::default(),
    }
}

fn assistant(entry: &AssistantEntry, agent: Option<&AgentMetadataEntry>) -> AssistantMessage {
    let agent = agent.filter(|_| entry.is_sidechain);
    let mut message = AssistantMessage::new(entry.message.clone(), &entry.uuid, &entry.session_id);
    message.parent_tool_use_id = started_by(agent);
    message.error.clone_from(&entry.error);
    message.request_id.clone_from(&entry.request_id);
    message.timestamp = Some(entry.timestamp.clone());
    message.supersedes.clone_from(&entry.supersedes_uuids);
    message.aborted = entry.is_aborted_mid_stream;
    message.agent_id.clone_from(&entry.agent_id);
    message.subagent_type = agent.map(|agent| agent.agent_type.clone());
    message.task_description = agent.and_then(|agent| agent.description.clone());
    // Stdout does not have the thinking of sub-agents.
    if !entry.is_sidechain {
        message
            .thinking_duration_ms
            .clone_from(&entry.thinking_duration_ms);
        message.thinking_display.clone_from(&entry.thinking_display);
    }
    message.is_api_error_message = entry.is_api_error_message;
    message.api_error.clone_from(&entry.api_error);
    message.api_error_params.clone_from(&entry.api_error_params);
    message
        .refused_message_id
        .clone_from(&entry.refused_message_id);
    message.api_error_status.clone_from(&entry.api_error_status);
    message.api_error_type.clone_from(&entry.api_error_type);
    message
}

/// The ID of the tool use that started a sub-agent.
fn started_by(agent: Option<&AgentMetadataEntry>) -> Option<ToolUseId> {
    agent.and_then(|agent| agent.tool_use_id.clone())
}

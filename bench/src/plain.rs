//! Structs of three kinds that `serde_derive` decodes, for a comparison with claw's own decoder.
//!
//! The fields are those of claw, and texts, numbers and free JSON have claw's types. Unknown fields are skipped and not
//! kept, which is less work. The kind of a line is recognised by searching for the text of its tag, because a union
//! with `#[serde(tag)]` first copies the whole line. Within a line, there is no alternative to such a union.
#![expect(dead_code, reason = "read, and not looked at")]

use std::hint::black_box;

use claw_types::api::{ServiceTier, Speed, StopReason};
use claw_types::message::{AssistantMessageError, Priority};
use claw_types::{ApiMessageId, Count, Json, MessageUuid, Number, RequestId, SessionId, ToolUseId};
use serde::Deserialize;
use serde::de::DeserializeOwned;

/// Whether the line is of one of the kinds and can be decoded.
pub(crate) fn reads(line: &str) -> bool {
    let is = |kind: &str| {
        let rest = line.strip_prefix("{\"type\":\"");
        rest.and_then(|rest| rest.strip_prefix(kind))
            .is_some_and(|rest| rest.starts_with('"'))
    };
    if is("assistant") {
        read::<Assistant>(line)
    } else if is("user") {
        read::<User>(line)
    } else {
        is("stream_event") && read::<StreamEvent>(line)
    }
}

fn read<T: DeserializeOwned>(line: &str) -> bool {
    black_box(serde_json::from_str::<T>(line)).is_ok()
}

#[derive(Deserialize)]
struct Assistant {
    message: ApiMessage,
    parent_tool_use_id: Option<ToolUseId>,
    uuid: MessageUuid,
    session_id: SessionId,
    error: Option<AssistantMessageError>,
    request_id: Option<RequestId>,
    timestamp: Option<String>,
    user_message_uuid: Option<MessageUuid>,
    user_message_uuids: Option<Vec<MessageUuid>>,
    resume_reason: Option<String>,
    resumed_from_incomplete_thinking: Option<bool>,
    supersedes: Option<Vec<MessageUuid>>,
    aborted: Option<bool>,
    agent_id: Option<String>,
    subagent_type: Option<String>,
    task_description: Option<String>,
    context_usage: Option<Json>,
    usage_report: Option<Json>,
    thinking_duration_ms: Option<Count>,
    thinking_display: Option<String>,
    local_command_source: Option<String>,
    local_command_run: Option<Json>,
    local_command_outcome: Option<Json>,
    tool_use_meta: Option<Vec<Json>>,
    is_api_error_message: Option<bool>,
    api_error: Option<String>,
    api_error_params: Option<Json>,
    refused_message_id: Option<ApiMessageId>,
    api_error_status: Option<Number>,
    api_error_type: Option<String>,
    historical: Option<bool>,
}

#[derive(Deserialize)]
struct ApiMessage {
    id: ApiMessageId,
    role: String,
    model: String,
    content: Vec<Block>,
    stop_reason: Option<StopReason>,
    stop_sequence: Option<String>,
    stop_details: Option<Json>,
    usage: Usage,
    context_management: Option<Json>,
    container: Option<Json>,
    diagnostics: Option<Json>,
}

#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Block {
    Text {
        text: String,
        citations: Option<Vec<Json>>,
        cache_control: Option<Json>,
    },
    Thinking {
        thinking: String,
        signature: String,
    },
    ToolUse {
        id: ToolUseId,
        name: String,
        input: Json,
        caller: Option<Json>,
    },
    ToolResult {
        tool_use_id: ToolUseId,
        content: Option<Content>,
        is_error: Option<bool>,
        cache_control: Option<Json>,
    },
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Content {
    Text(String),
    Blocks(Vec<Block>),
}

#[derive(Deserialize)]
struct Usage {
    input_tokens: Option<Count>,
    output_tokens: Count,
    cache_creation_input_tokens: Option<Count>,
    cache_read_input_tokens: Option<Count>,
    cache_creation: Option<CacheCreation>,
    output_tokens_details: Option<Json>,
    server_tool_use: Option<Json>,
    service_tier: Option<ServiceTier>,
    inference_geo: Option<String>,
    iterations: Option<Vec<Json>>,
    speed: Option<Speed>,
    fallback_credit: Option<Json>,
}

#[derive(Deserialize)]
struct CacheCreation {
    ephemeral_1h_input_tokens: Count,
    ephemeral_5m_input_tokens: Count,
}

#[derive(Deserialize)]
struct User {
    message: UserMessage,
    parent_tool_use_id: Option<ToolUseId>,
    uuid: Option<MessageUuid>,
    session_id: Option<SessionId>,
    #[serde(rename = "isReplay")]
    is_replay: Option<bool>,
    #[serde(rename = "isSynthetic")]
    is_synthetic: Option<bool>,
    tool_use_result: Option<Json>,
    priority: Option<Priority>,
    origin: Option<Json>,
    timestamp: Option<String>,
    agent_id: Option<String>,
    subagent_type: Option<String>,
    task_description: Option<String>,
    tool_result_meta: Option<Vec<Json>>,
    historical: Option<bool>,
}

#[derive(Deserialize)]
struct UserMessage {
    role: String,
    content: Content,
}

#[derive(Deserialize)]
struct StreamEvent {
    event: Event,
    parent_tool_use_id: Option<ToolUseId>,
    uuid: MessageUuid,
    session_id: SessionId,
    api_message_id: Option<ApiMessageId>,
    ttft_ms: Option<Number>,
    thinking_display: Option<String>,
    user_message_uuid: Option<MessageUuid>,
    user_message_uuids: Option<Vec<MessageUuid>>,
    resume_reason: Option<String>,
    abandoned_blocks: Option<Json>,
    owed_rows: Option<Json>,
    text_runs_joined: Option<bool>,
}

#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Event {
    ContentBlockDelta {
        index: Count,
        delta: Delta,
    },
    ContentBlockStart {
        index: Count,
        content_block: Block,
    },
    ContentBlockStop {
        index: Count,
    },
    MessageStart {
        message: Box<ApiMessage>,
    },
    MessageDelta {
        delta: Json,
        usage: Box<Usage>,
        context_management: Option<Json>,
    },
    MessageStop,
}

#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
#[expect(clippy::enum_variant_names, reason = "the wire's names")]
enum Delta {
    TextDelta { text: String },
    InputJsonDelta { partial_json: String },
    ThinkingDelta { thinking: String },
    SignatureDelta { signature: String },
}

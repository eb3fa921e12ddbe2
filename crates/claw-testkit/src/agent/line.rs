//! Templates of the lines that `claude` writes.

use super::AgentError;

#[cfg(test)]
mod tests;

/// Fills in a template. Each JSON string that is a placeholder (`"$name"`) is replaced by the JSON that `value` returns
/// for it. Placeholders inside the replacements are not filled in.
pub(super) fn fill(
    template: &str,
    mut value: impl FnMut(&str) -> Option<String>,
) -> Result<String, AgentError> {
    let mut out = String::with_capacity(template.len() * 2);
    let mut rest = template;
    while let Some((before, after)) = rest.split_once("\"$") {
        out.push_str(before);
        let length = after
            .find(|c: char| !c.is_ascii_lowercase() && c != '_')
            .unwrap_or(0);
        let (name, tail) = after.split_at(length);
        match tail.strip_prefix('"') {
            Some(tail) if !name.is_empty() => {
                let filled = value(name).ok_or_else(|| AgentError::Placeholder {
                    name: name.to_owned(),
                })?;
                out.push_str(&filled);
                rest = tail;
            }
            _ => {
                out.push_str("\"$");
                rest = after;
            }
        }
    }
    out.push_str(rest);
    Ok(out)
}

/// Adds members to the end of an object.
pub(super) fn with(object: &str, members: &str) -> String {
    let body = object.strip_suffix('}').unwrap_or(object);
    format!("{body},{members}}}")
}

pub(super) const INITIALIZED: &str = r#"{"type":"control_response","response":{"subtype":"success","request_id":"$answered","response":{"commands":[{"name":"compact","description":"Summarise the conversation so far","argumentHint":"<instructions>","builtin":true}],"agents":[{"name":"general-purpose","description":"An agent for anything","model":"inherit"}],"output_style":"default","available_output_styles":["default"],"user_output_styles_dir":"/home/user/.claude/output-styles","models":[{"value":"default","resolvedModel":"$model","displayName":"Scripted","description":"Says what its script says","supportsEffort":false,"supportsAdaptiveThinking":false,"supportsFastMode":false,"supportsAutoMode":false,"supportsThinkingOff":false}],"account":{"tokenSource":"none","apiKeySource":"none","apiProvider":"firstParty"},"pid":"$pid","claude_code_version":"$cli_version","current_permission_mode":"default","hook_on_failure_supported":true,"hooks_when_unanswered_kept":0,"other_hook_ask_outranks_host":true,"feedback_mode":{"kind":"disabled"},"analytics_disabled":true,"remote_control_auto_enable":false,"remote_control_auto_connect_default":false,"remote_control_available":false,"remote_control_auto_on_by_default":false,"ide_rc_auto_enable_gate":false,"fast_mode_state":"off","fast_mode_disabled_reason":"sdk_opt_in_required","session_state":"idle","capabilities":[]},"pending_permission_requests":[],"pending_user_dialog_requests":[]}}"#;

pub(super) const SUCCESS: &str =
    r#"{"type":"control_response","response":{"subtype":"success","request_id":"$answered"}}"#;

pub(super) const SUCCESS_WITH: &str = r#"{"type":"control_response","response":{"subtype":"success","request_id":"$answered","response":"$response"}}"#;

pub(super) const ERROR: &str = r#"{"type":"control_response","response":{"subtype":"error","request_id":"$answered","error":"$error"}}"#;

pub(super) const UNSUPPORTED: &str = r#"{"type":"control_response","response":{"subtype":"error","request_id":"$answered","error":"$error","error_code":"unsupported_request"}}"#;

pub(super) const CANCEL: &str = r#"{"type":"control_cancel_request","request_id":"$asked"}"#;

pub(super) const STATE: &str = r#"{"type":"system","subtype":"session_state_changed","state":"$state","sdk_host_only":true,"uuid":"$uuid","session_id":"$session_id"}"#;

pub(super) const LIFECYCLE: &str = r#"{"type":"command_lifecycle","command_uuid":"$command_uuid","state":"$state","uuid":"$uuid","session_id":"$session_id"}"#;

pub(super) const INIT: &str = r#"{"type":"system","subtype":"init","cwd":"$cwd","session_id":"$session_id","tools":["Task","AskUserQuestion","Bash","Edit","Read","WebFetch","Write"],"mcp_servers":[],"model":"$model","permissionMode":"default","slash_commands":["compact"],"terminal_slash_commands":[],"apiKeySource":"none","claude_code_version":"$cli_version","output_style":"default","agents":["general-purpose"],"skills":[],"plugins":[],"capabilities":["interrupt_receipt_v1","interrupt_cancel_queued_v1","msg_lifecycle_v1"],"analytics_disabled":true,"product_feedback_disabled":true,"served_by_anthropic":false,"uuid":"$uuid","memory_paths":{"auto":"/home/user/.claude/projects/-work-project/memory/"},"original_cwd":"$cwd","additional_directories":[],"fast_mode_state":"off","fast_mode_disabled_reason":"sdk_opt_in_required","per_turn_effort_active":true,"ultrathink_available":false,"ultrathink_typed_raises":false,"view_mode":"default","user_message_uuids":["$prompt_uuid"]}"#;

pub(super) const REQUESTING: &str = r#"{"type":"system","subtype":"status","status":"requesting","session_id":"$session_id","uuid":"$uuid","user_message_uuids":["$prompt_uuid"]}"#;

pub(super) const THINKING_TOKENS: &str = r#"{"type":"system","subtype":"thinking_tokens","estimated_tokens":"$tokens","estimated_tokens_delta":"$delta","session_id":"$session_id","uuid":"$uuid","user_message_uuid":"$prompt_uuid"}"#;

pub(super) const EVENT: &str = r#"{"type":"stream_event","event":"$event","session_id":"$session_id","parent_tool_use_id":null,"uuid":"$uuid","api_message_id":"$message_id"}"#;

pub(super) const MESSAGE_START: &str = r#"{"type":"message_start","message":{"id":"$message_id","type":"message","role":"assistant","model":"$model","content":[],"stop_reason":null,"stop_sequence":null,"usage":{"input_tokens":10,"cache_creation_input_tokens":0,"cache_read_input_tokens":0,"output_tokens":1}}}"#;

pub(super) const MESSAGE_DELTA: &str = r#"{"type":"message_delta","delta":{"stop_reason":"$stop_reason","stop_sequence":null},"usage":{"output_tokens":12}}"#;

/// The end of a message whose stream was broken off.
pub(super) const ABANDONED_DELTA: &str = r#"{"type":"message_delta","context_management":null,"delta":{"container":null,"stop_details":null,"stop_reason":null,"stop_sequence":null},"usage":{"output_tokens_details":{"thinking_tokens":0},"cache_creation_input_tokens":0,"cache_read_input_tokens":0,"input_tokens":10,"iterations":[],"output_tokens":1,"server_tool_use":{"web_search_requests":0,"web_fetch_requests":0},"fallback_credit":null}}"#;

pub(super) const ASSISTANT: &str = r#"{"type":"assistant","message":{"id":"$message_id","type":"message","role":"assistant","model":"$model","content":["$block"],"stop_reason":null,"stop_sequence":null,"usage":{"input_tokens":10,"cache_creation_input_tokens":0,"cache_read_input_tokens":0,"output_tokens":1},"context_management":null},"parent_tool_use_id":null,"session_id":"$session_id","uuid":"$uuid","timestamp":"$timestamp","request_id":"$api_request_id"}"#;

/// The additional members of a turn's first lines and of its result.
pub(super) const OF_PROMPT: &str =
    r#""user_message_uuid":"$prompt_uuid","user_message_uuids":["$prompt_uuid"]"#;

/// The additional members of the lines of a thinking block.
pub(super) const OF_THINKING: &str = r#""thinking_display":"updates""#;

/// The message that `claude` writes when the API refuses a request. The model did not write it.
pub(super) const API_ERROR: &str = r#"{"type":"assistant","message":{"diagnostics":null,"id":"$message_uuid","container":null,"model":"<synthetic>","role":"assistant","stop_details":null,"stop_reason":"stop_sequence","stop_sequence":"","type":"message","usage":{"output_tokens_details":null,"input_tokens":0,"output_tokens":0,"cache_creation_input_tokens":0,"cache_read_input_tokens":0,"server_tool_use":{"web_search_requests":0,"web_fetch_requests":0},"service_tier":null,"cache_creation":{"ephemeral_1h_input_tokens":0,"ephemeral_5m_input_tokens":0},"inference_geo":null,"iterations":null,"speed":null,"fallback_credit":null},"content":[{"type":"text","text":"$text"}],"context_management":null},"parent_tool_use_id":null,"session_id":"$session_id","uuid":"$uuid","timestamp":"$timestamp","error":"$error","request_id":"req_1","is_api_error_message":true,"api_error_status":"$status","user_message_uuid":"$prompt_uuid","user_message_uuids":["$prompt_uuid"]}"#;

/// The message that `claude` writes when it cannot send a request to the API.
pub(super) const NO_REQUEST: &str = r#"{"type":"assistant","message":{"diagnostics":null,"id":"$message_uuid","container":null,"model":"<synthetic>","role":"assistant","stop_details":null,"stop_reason":"stop_sequence","stop_sequence":"","type":"message","usage":{"output_tokens_details":null,"input_tokens":0,"output_tokens":0,"cache_creation_input_tokens":0,"cache_read_input_tokens":0,"server_tool_use":{"web_search_requests":0,"web_fetch_requests":0},"service_tier":null,"cache_creation":{"ephemeral_1h_input_tokens":0,"ephemeral_5m_input_tokens":0},"inference_geo":null,"iterations":null,"speed":null,"fallback_credit":null},"content":[{"type":"text","text":"$text"}],"context_management":null},"parent_tool_use_id":null,"session_id":"$session_id","uuid":"$uuid","timestamp":"$timestamp","error":"$error","is_api_error_message":true,"user_message_uuid":"$prompt_uuid","user_message_uuids":["$prompt_uuid"]}"#;

pub(super) const CAN_USE_TOOL: &str = r#"{"type":"control_request","request_id":"$asked","request":{"subtype":"can_use_tool","tool_name":"$tool_name","display_name":"$tool_name","input":"$input","description":"$description","permission_suggestions":[{"type":"addRules","rules":["$rule"],"behavior":"allow","destination":"localSettings"},{"type":"setMode","mode":"acceptEdits","destination":"session"}],"tool_use_id":"$tool_use_id"}}"#;

pub(super) const TOOL_RESULT: &str = r#"{"type":"user","message":{"role":"user","content":[{"tool_use_id":"$tool_use_id","type":"tool_result","content":"$content","is_error":"$is_error"}]},"parent_tool_use_id":null,"session_id":"$session_id","uuid":"$uuid","timestamp":"$timestamp","tool_use_result":"$tool_use_result"}"#;

pub(super) const INTERRUPTED: &str = r#"{"type":"user","message":{"role":"user","content":[{"type":"text","text":"$text"}]},"parent_tool_use_id":null,"session_id":"$session_id","uuid":"$uuid","timestamp":"$timestamp"}"#;

pub(super) const DENIAL: &str =
    r#"{"tool_name":"$tool_name","tool_use_id":"$tool_use_id","tool_input":"$input"}"#;

pub(super) const USAGE: &str = r#"{"input_tokens":"$input_tokens","cache_creation_input_tokens":0,"cache_read_input_tokens":0,"output_tokens":"$output_tokens","output_tokens_details":{"thinking_tokens":0},"server_tool_use":{"web_search_requests":0,"web_fetch_requests":0},"service_tier":"standard","cache_creation":{"ephemeral_1h_input_tokens":0,"ephemeral_5m_input_tokens":0},"inference_geo":"","iterations":[],"speed":"standard","fallback_credit":null}"#;

pub(super) const MODEL_USAGE: &str = r#"{"inputTokens":"$input_tokens","outputTokens":"$output_tokens","cacheReadInputTokens":0,"cacheCreationInputTokens":0,"webSearchRequests":0,"costUSD":"$cost","contextWindow":200000,"maxOutputTokens":32000,"thinkingTokens":0,"cacheCreationEphemeral5mInputTokens":0,"cacheCreationEphemeral1hInputTokens":0,"canonicalModel":"$model","provider":"firstParty","costBasis":"list"}"#;

/// The order of the members is that of `claude`. `type` is far from the start. `$outcome`, the member that
/// distinguishes success from an error, is in the middle.
pub(super) const RESULT: &str = r#"{"duration_api_ms":57,"stop_reason":"$stop_reason","session_id":"$session_id","total_cost_usd":"$cost","usage":"$usage","modelUsage":"$model_usage","permission_denials":"$denials","terminal_reason":"$terminal_reason","fast_mode_state":"off","fast_mode_disabled_reason":"sdk_opt_in_required","subagent_stats":{"spawned":0,"requested":{"background":0,"foreground":0,"unset":0},"started_in_background":0,"max_depth":0,"spawned_by_subagents":0,"completed":0,"failed":0,"killed":{"parent":0,"user":0,"system":0},"refused":{"depth_limit":0,"concurrency_limit":0,"budget":0},"by_type":{}},"safety_stops":0,"is_error":"$is_error","num_turns":"$num_turns","subtype":"$subtype","$outcome":"$outcome_value","type":"result","duration_ms":132,"uuid":"$uuid","user_message_uuid":"$prompt_uuid","user_message_uuids":["$prompt_uuid"],"queued_turn_count":"$queued","result_index":"$result_index","model_usage_since_last_result":"$model_usage"}"#;

/// The additional members of a successful result.
pub(super) const RESULT_TIMES: &str = r#""api_error_status":null,"ttft_ms":71,"ttft_stream_ms":70,"time_to_request_ms":61,"first_content_frame_ms":70,"request_sent_wall_ms":1767225600000,"first_request_input_tokens":10,"first_request_cache_read_input_tokens":0"#;

/// The text for a tool use that was interrupted before it was allowed.
pub(super) const REJECTED: &str = "The user doesn't want to proceed with this tool use.";

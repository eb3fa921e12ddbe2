//! The sixteen classic kinds, and the replay.

use claw_types::api::{
    ApiMessage, ContentBlockDeltaEvent, MessageParam, Role, TextBlock, TextDelta, ThinkingBlock,
    ToolResultBlock, ToolUseBlock, Usage,
};
use claw_types::message::{
    AssistantMessage, AuthStatus, CompactBoundary, CompactMetadata, CompactTrigger, FailedFile,
    FilesPersisted, HookOutcome, HookProgress, HookResponse, HookStarted, McpServerInfo,
    ModelUsage, PermissionDenial, PersistedFile, PluginInfo, ResultError, ResultErrorSubtype,
    ResultSuccess, SessionStatus, StatusMessage, StreamEventMessage, SystemInit, TaskNotification,
    TaskStatus, TaskUsage, ToolProgress, ToolUseSummary, UserMessage, UserMessageReplay,
};
use claw_types::options::PermissionMode;
use claw_types::{Map, Message};
use serde_json::json;

use super::{Is, NAMES};

/// A message of each of the classic kinds, with all that is required and one of everything that has
/// required parts of its own.
pub(crate) fn built() -> Vec<(&'static str, Message)> {
    let answer = ApiMessage::new(
        "msg_1",
        Role::Assistant,
        "claude-opus-5-5",
        vec![
            TextBlock::new("I look.").into(),
            ThinkingBlock::new("Where?", "c2ln").into(),
            ToolUseBlock::new("toolu_1", "Read", json!({"file_path": "/w/a"})).into(),
        ],
        Usage::new(5),
    );
    let usage = || Map::from_iter([("claude-opus-5-5", ModelUsage::new(1, 2, 3, 4, 0, 0.5, 6))]);
    let denials = || vec![PermissionDenial::new("Bash", "toolu_1", json!({}))];
    let read = ToolResultBlock::new("toolu_1").content(vec![TextBlock::new("a").into()]);
    let delta = ContentBlockDeltaEvent::new(0, TextDelta::new("Fo"));
    vec![
        (
            "AssistantMessage",
            AssistantMessage::new(answer, "u", "s").into(),
        ),
        (
            "UserMessage",
            UserMessage::new(MessageParam::user(vec![read.into()])).into(),
        ),
        (
            "UserMessageReplay",
            UserMessageReplay::new(MessageParam::user("hi"), "u", "s").into(),
        ),
        (
            "ResultSuccess",
            ResultSuccess::new(
                5,
                4.5,
                false,
                1,
                "Four.",
                0,
                Usage::new(5),
                usage(),
                denials(),
                "u",
                "s",
            )
            .into(),
        ),
        (
            "ResultError",
            ResultError::new(
                ResultErrorSubtype::ErrorMaxTurns,
                5,
                4,
                true,
                1,
                0.5,
                Usage::new(5),
                usage(),
                denials(),
                "u",
                "s",
            )
            .errors(vec!["why".to_owned()])
            .into(),
        ),
        (
            "SystemInit",
            SystemInit::new(
                "/w",
                "s",
                vec!["Bash".to_owned()],
                vec![McpServerInfo::new("calc", "connected")],
                "m",
                PermissionMode::Plan,
                vec!["compact".to_owned()],
                "none",
                "2.1.329",
                "default",
                vec!["pdf".to_owned()],
                vec![PluginInfo::new("p", "builtin")],
                "u",
            )
            .into(),
        ),
        (
            "StreamEventMessage",
            StreamEventMessage::new(delta, "u", "s").into(),
        ),
        (
            "CompactBoundary",
            CompactBoundary::new(CompactMetadata::new(CompactTrigger::Auto, 9), "u", "s").into(),
        ),
        (
            "StatusMessage",
            StatusMessage::new("u", "s")
                .status(SessionStatus::Compacting)
                .into(),
        ),
        (
            "HookStarted",
            HookStarted::new("h", "Stop", "Stop", "u", "s").into(),
        ),
        (
            "HookProgress",
            HookProgress::new("h", "Stop", "Stop", "out", "err", "outerr", "u", "s").into(),
        ),
        (
            "HookResponse",
            HookResponse::new(
                "h",
                "Stop",
                "Stop",
                "out",
                "err",
                "outerr",
                HookOutcome::Success,
                "u",
                "s",
            )
            .into(),
        ),
        (
            "ToolProgress",
            ToolProgress::new("toolu_1", "Bash", 30, "u", "s").into(),
        ),
        (
            "AuthStatus",
            AuthStatus::new(true, vec!["Open the page.".to_owned()], "u", "s").into(),
        ),
        (
            "TaskNotification",
            TaskNotification::new("t", TaskStatus::Completed, "/w/t.output", "Done.", "u", "s")
                .usage(TaskUsage::new(17, 1, 336))
                .into(),
        ),
        (
            "FilesPersisted",
            FilesPersisted::new(
                vec![PersistedFile::new("a.txt", "file_1")],
                vec![FailedFile::new("b.txt", "too big")],
                "2026-01-02T03:04:05Z",
                "u",
                "s",
            )
            .into(),
        ),
        (
            "ToolUseSummary",
            ToolUseSummary::new("Read a file.", vec!["toolu_1".into()], "u", "s").into(),
        ),
    ]
}

const PARENT: (&str, Is) = ("parent_tool_use_id", Is::TextOrNull);

const RESULT: &[(&str, Is)] = &[
    ("duration_ms", Is::Number),
    ("duration_api_ms", Is::Number),
    ("is_error", Is::Bool),
    ("num_turns", Is::Count),
    ("stop_reason", Is::TextOrNull),
    ("total_cost_usd", Is::Number),
    ("usage", Is::Object),
    ("usage.output_tokens", Is::Count),
    ("modelUsage", Is::Object),
    ("modelUsage.claude-opus-5-5.inputTokens", Is::Count),
    ("modelUsage.claude-opus-5-5.outputTokens", Is::Count),
    ("modelUsage.claude-opus-5-5.cacheReadInputTokens", Is::Count),
    (
        "modelUsage.claude-opus-5-5.cacheCreationInputTokens",
        Is::Count,
    ),
    ("modelUsage.claude-opus-5-5.webSearchRequests", Is::Count),
    ("modelUsage.claude-opus-5-5.costUSD", Is::Number),
    ("modelUsage.claude-opus-5-5.contextWindow", Is::Count),
    ("permission_denials", Is::List),
    ("permission_denials[0].tool_name", Is::Text),
    ("permission_denials[0].tool_use_id", Is::Text),
    ("permission_denials[0].tool_input", Is::Any),
];

const HOOK: &[(&str, Is)] = &[
    ("hook_id", Is::Text),
    ("hook_name", Is::Text),
    ("hook_event", Is::Text),
];

const HOOK_OUTPUT: &[(&str, Is)] = &[
    ("stdout", Is::Text),
    ("stderr", Is::Text),
    ("output", Is::Text),
];

pub(super) fn required(kind: &str) -> Option<Vec<(&'static str, Is)>> {
    let own: &[&[(&str, Is)]] = match kind {
        "AssistantMessage" => &[
            &NAMES,
            &[
                PARENT,
                ("message", Is::Object),
                ("message.id", Is::Text),
                ("message.role", Is::Text),
                ("message.model", Is::Text),
                ("message.content", Is::List),
                ("message.content[0].text", Is::Text),
                ("message.content[1].thinking", Is::Text),
                ("message.content[1].signature", Is::Text),
                ("message.content[2].id", Is::Text),
                ("message.content[2].name", Is::Text),
                ("message.content[2].input", Is::Any),
                ("message.stop_reason", Is::TextOrNull),
                ("message.stop_sequence", Is::TextOrNull),
                ("message.usage", Is::Object),
                ("message.usage.output_tokens", Is::Count),
            ],
        ],
        "UserMessage" => &[&[
            PARENT,
            ("message", Is::Object),
            ("message.role", Is::Text),
            ("message.content", Is::Content),
            ("message.content[0].tool_use_id", Is::Text),
            ("message.content[0].content[0].text", Is::Text),
        ]],
        "UserMessageReplay" => &[
            &NAMES,
            &[
                PARENT,
                ("message", Is::Object),
                ("message.role", Is::Text),
                ("message.content", Is::Content),
            ],
        ],
        "ResultSuccess" => &[&NAMES, RESULT, &[("result", Is::Text)]],
        "ResultError" => &[&NAMES, RESULT, &[("subtype", Is::Text)]],
        "SystemInit" => &[
            &NAMES,
            &[
                ("cwd", Is::Text),
                ("tools", Is::List),
                ("mcp_servers", Is::List),
                ("mcp_servers[0].name", Is::Text),
                ("mcp_servers[0].status", Is::Text),
                ("model", Is::Text),
                ("permissionMode", Is::Text),
                ("slash_commands", Is::List),
                ("apiKeySource", Is::Text),
                ("claude_code_version", Is::Text),
                ("output_style", Is::Text),
                ("skills", Is::List),
                ("plugins", Is::List),
                ("plugins[0].name", Is::Text),
                ("plugins[0].path", Is::Text),
            ],
        ],
        "StreamEventMessage" => &[
            &NAMES,
            &[
                PARENT,
                ("event", Is::Object),
                ("event.index", Is::Count),
                ("event.delta", Is::Object),
                ("event.delta.text", Is::Text),
            ],
        ],
        "CompactBoundary" => &[
            &NAMES,
            &[
                ("compact_metadata", Is::Object),
                ("compact_metadata.trigger", Is::Text),
                ("compact_metadata.pre_tokens", Is::Count),
            ],
        ],
        "StatusMessage" => &[&NAMES, &[("status", Is::TextOrNull)]],
        "HookStarted" => &[&NAMES, HOOK],
        "HookProgress" => &[&NAMES, HOOK, HOOK_OUTPUT],
        "HookResponse" => &[&NAMES, HOOK, HOOK_OUTPUT, &[("outcome", Is::Text)]],
        "ToolProgress" => &[
            &NAMES,
            &[
                PARENT,
                ("tool_use_id", Is::Text),
                ("tool_name", Is::Text),
                ("elapsed_time_seconds", Is::Number),
            ],
        ],
        "AuthStatus" => &[
            &NAMES,
            &[("isAuthenticating", Is::Bool), ("output", Is::List)],
        ],
        "TaskNotification" => &[
            &NAMES,
            &[
                ("task_id", Is::Text),
                ("status", Is::Text),
                ("output_file", Is::Text),
                ("summary", Is::Text),
                ("usage.total_tokens", Is::Count),
                ("usage.tool_uses", Is::Count),
                ("usage.duration_ms", Is::Number),
            ],
        ],
        "FilesPersisted" => &[
            &NAMES,
            &[
                ("files", Is::List),
                ("files[0].filename", Is::Text),
                ("files[0].file_id", Is::Text),
                ("failed", Is::List),
                ("failed[0].filename", Is::Text),
                ("failed[0].error", Is::Text),
                ("processed_at", Is::Text),
            ],
        ],
        "ToolUseSummary" => &[
            &NAMES,
            &[("summary", Is::Text), ("preceding_tool_use_ids", Is::List)],
        ],
        _ => return None,
    };
    Some(own.concat())
}

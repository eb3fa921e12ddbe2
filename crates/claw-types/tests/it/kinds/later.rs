//! The kinds that came after the classic ones.

use claw_types::Message;
use claw_types::control::SlashCommand;
use claw_types::message::internal::{
    CommandLifecycle, CommandState, ModelFallback, SessionTitleChanged, TranscriptMirror,
};
use claw_types::message::{
    ApiRetry, AssistantMessageError, BackgroundTasksChanged, CommandsChanged,
    ControlRequestProgress, ControlRequestStatus, ConversationReset, ElicitationComplete,
    FallbackDirection, FallbackTrigger, Informational, InformationalLevel, LocalCommandOutput,
    LostWrite, LostWriteError, MemoryRecall, MemoryRecallMode, MemoryScope, MirrorError,
    ModelRefusalFallback, ModelRefusalNoFallback, Notification, NotificationPriority,
    PermissionDenied, PluginInstall, PluginInstallStatus, PromptSuggestion, RateLimitEvent,
    RateLimitInfo, RateLimitStatus, RecalledMemory, RunningTask, SessionState, SessionStateChanged,
    SessionWritesLost, TaskPatch, TaskProgress, TaskStarted, TaskUpdated, TaskUsage,
    ThinkingTokens, WorkerShuttingDown,
};
use claw_types::store::{SessionKey, SessionStoreEntry};

use super::{Is, NAMES};

pub(super) fn built() -> Vec<(&'static str, Message)> {
    macro_rules! built {
        ($($kind:ident($($part:expr),*)),* $(,)?) => {
            vec![$((stringify!($kind), $kind::new($($part,)* "u", "s").into())),*]
        };
    }
    let mut built: Vec<(&'static str, Message)> = built![
        ThinkingTokens(120, 20),
        CommandLifecycle("c", CommandState::Started),
        SessionStateChanged(SessionState::Idle),
        TaskStarted("t", "Look."),
        TaskProgress("t", "Look.", TaskUsage::new(17, 1, 336)),
        TaskUpdated("t", TaskPatch::new().description("Look again.")),
        BackgroundTasksChanged(vec![RunningTask::new("t", "shell", "sleep 9")]),
        ApiRetry(1, 10, 500, AssistantMessageError::ServerError),
        ControlRequestProgress("r", ControlRequestStatus::from("started")),
        RateLimitEvent(RateLimitInfo::new(RateLimitStatus::Allowed)),
        ModelRefusalFallback(
            FallbackTrigger::from("refusal"),
            FallbackDirection::from("retry"),
            "opus",
            "sonnet",
            "Another model answers."
        ),
        ModelRefusalNoFallback("opus", "No other model answers."),
        ModelFallback(
            FallbackTrigger::from("overloaded"),
            "opus",
            "sonnet",
            "Busy."
        ),
        Informational("Good to know.", InformationalLevel::from("info")),
        Notification("k", "Look here.", NotificationPriority::from("low")),
        LocalCommandOutput("Cost: 0"),
        PermissionDenied("Bash", "toolu_1", "Not allowed."),
        PromptSuggestion("Run the tests."),
        MemoryRecall(
            MemoryRecallMode::from("select"),
            vec![RecalledMemory::new(
                "/m/a.md",
                MemoryScope::from("personal")
            )]
        ),
        SessionTitleChanged("A title"),
        ConversationReset("n"),
        CommandsChanged(vec![SlashCommand::new("compact", "Shorten.", "[what]")]),
        PluginInstall(PluginInstallStatus::from("started")),
        ElicitationComplete("calc", "e"),
        SessionWritesLost(
            LostWriteError::from("ENOSPC"),
            vec![LostWrite::from("transcript")]
        ),
        MirrorError("no room", SessionKey::new("-w", "s")),
        WorkerShuttingDown("host_exit"),
    ];
    let mirror = TranscriptMirror::new("/w/s.jsonl", vec![SessionStoreEntry::new("user")]);
    built.push(("TranscriptMirror", mirror.into()));
    built
}

pub(super) fn required(kind: &str) -> Option<Vec<(&'static str, Is)>> {
    let own: &[(&str, Is)] = match kind {
        "ThinkingTokens" => &[
            ("estimated_tokens", Is::Count),
            ("estimated_tokens_delta", Is::Count),
        ],
        "CommandLifecycle" => &[("command_uuid", Is::Text), ("state", Is::Text)],
        "SessionStateChanged" => &[("state", Is::Text)],
        "TaskStarted" => &[("task_id", Is::Text), ("description", Is::Text)],
        "TaskProgress" => &[
            ("task_id", Is::Text),
            ("description", Is::Text),
            ("usage", Is::Object),
            ("usage.total_tokens", Is::Count),
            ("usage.tool_uses", Is::Count),
            ("usage.duration_ms", Is::Number),
        ],
        "TaskUpdated" => &[("task_id", Is::Text), ("patch", Is::Object)],
        "BackgroundTasksChanged" => &[
            ("tasks", Is::List),
            ("tasks[0].task_id", Is::Text),
            ("tasks[0].task_type", Is::Text),
            ("tasks[0].description", Is::Text),
        ],
        "ApiRetry" => &[
            ("attempt", Is::Count),
            ("max_retries", Is::Count),
            ("retry_delay_ms", Is::Number),
            ("error_status", Is::NumberOrNull),
            ("error", Is::Text),
        ],
        "ControlRequestProgress" => &[("request_id", Is::Text), ("status", Is::Text)],
        "RateLimitEvent" => &[
            ("rate_limit_info", Is::Object),
            ("rate_limit_info.status", Is::Text),
        ],
        "ModelRefusalFallback" => &[
            ("trigger", Is::Text),
            ("direction", Is::Text),
            ("original_model", Is::Text),
            ("fallback_model", Is::Text),
            ("request_id", Is::TextOrNull),
            ("content", Is::Text),
        ],
        "ModelRefusalNoFallback" => &[
            ("original_model", Is::Text),
            ("request_id", Is::TextOrNull),
            ("content", Is::Text),
        ],
        "ModelFallback" => &[
            ("trigger", Is::Text),
            ("original_model", Is::Text),
            ("fallback_model", Is::Text),
            ("content", Is::Text),
        ],
        "Informational" => &[("content", Is::Text), ("level", Is::Text)],
        "Notification" => &[
            ("key", Is::Text),
            ("text", Is::Text),
            ("priority", Is::Text),
        ],
        "LocalCommandOutput" => &[("content", Is::Text)],
        "PermissionDenied" => &[
            ("tool_name", Is::Text),
            ("tool_use_id", Is::Text),
            ("message", Is::Text),
        ],
        "PromptSuggestion" => &[("suggestion", Is::Text)],
        "MemoryRecall" => &[
            ("mode", Is::Text),
            ("memories", Is::List),
            ("memories[0].path", Is::Text),
            ("memories[0].scope", Is::Text),
        ],
        "SessionTitleChanged" => &[("title", Is::Text)],
        "ConversationReset" => &[("new_conversation_id", Is::Text)],
        "CommandsChanged" => &[
            ("commands", Is::List),
            ("commands[0].name", Is::Text),
            ("commands[0].description", Is::Text),
            ("commands[0].argumentHint", Is::Text),
        ],
        "PluginInstall" => &[("status", Is::Text)],
        "ElicitationComplete" => &[("mcp_server_name", Is::Text), ("elicitation_id", Is::Text)],
        "SessionWritesLost" => &[("error_code", Is::Text), ("lost", Is::List)],
        "MirrorError" => &[
            ("error", Is::Text),
            ("key", Is::Object),
            ("key.projectKey", Is::Text),
            ("key.sessionId", Is::Text),
        ],
        "WorkerShuttingDown" => &[("reason", Is::Text)],
        // Names neither itself nor a session.
        "TranscriptMirror" => return Some(vec![("filePath", Is::Text), ("entries", Is::List)]),
        _ => return None,
    };
    Some([&NAMES, own].concat())
}

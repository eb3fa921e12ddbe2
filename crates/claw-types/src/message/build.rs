//! Constructors for messages as `claude` would send them, for fakes, proxies and tests. They fill
//! in the required fields and create fresh UUIDs.
//!
//! Each type also has a function `new` that takes all required fields, including UUIDs. Use it for fixed UUIDs, or if
//! no source of randomness is available.

use super::{
    AssistantMessage, CompactBoundary, CompactMetadata, CompactTrigger, ResultError,
    ResultErrorSubtype, ResultSuccess, SystemInit, UserMessage, UserMessageReplay,
};
use crate::api::{
    ApiMessage, Content, ContentBlock, MessageParam, Role, StopReason, ToolResultBlock, Usage,
};
use crate::options::{PermissionMode, Tools};
use crate::{Count, Map, MessageUuid, QueryOptions, SessionId};

impl UserMessage {
    /// Creates a prompt from text or content blocks, with a new random UUID.
    pub fn prompt(content: impl Into<Content>) -> Self {
        Self::new(MessageParam::user(content)).uuid(MessageUuid::random())
    }

    /// Creates the message with the result of a tool use. The message gets a new random UUID.
    pub fn tool_result(result: ToolResultBlock, session_id: impl Into<SessionId>) -> Self {
        Self::prompt(vec![result.into()]).session_id(session_id)
    }
}

impl UserMessageReplay {
    /// Creates a replay: the message with which `claude` sends a prompt back to the host. If the prompt has no UUID,
    /// the replay gets a new random UUID.
    pub fn of(prompt: UserMessage, session_id: impl Into<SessionId>) -> Self {
        let uuid = prompt.uuid.unwrap_or_else(MessageUuid::random);
        let mut replay = Self::new(prompt.message, uuid, session_id);
        replay.parent_tool_use_id = prompt.parent_tool_use_id;
        replay.priority = prompt.priority;
        replay.origin = prompt.origin;
        replay.timestamp = prompt.timestamp;
        replay
    }
}

impl AssistantMessage {
    /// Creates an answer in the main conversation, with a new random UUID and a new random `message.id`. The stop
    /// reason is null, as in most messages from `claude`.
    pub fn answer(
        model: impl Into<String>,
        content: impl Into<Vec<ContentBlock>>,
        session_id: impl Into<SessionId>,
    ) -> Self {
        let uuid = MessageUuid::random();
        let id = format!("msg_{}", uuid.as_str().replace('-', ""));
        let message = ApiMessage::new(id, Role::Assistant, model, content, no_tokens());
        Self::new(message, uuid, session_id)
    }
}

impl ResultSuccess {
    /// Creates the result of a successful turn whose last answer is this text. The result gets a new random UUID, and
    /// all durations and costs are zero.
    pub fn answer(text: impl Into<String>, session_id: impl Into<SessionId>) -> Self {
        let (no_cost, no_models) = (0, Map::default());
        let uuid = MessageUuid::random();
        Self::new(
            0,
            0,
            false,
            1,
            text,
            no_cost,
            no_tokens(),
            no_models,
            vec![],
            uuid,
            session_id,
        )
        .stop_reason(StopReason::EndTurn)
    }
}

impl ResultError {
    /// Creates the result of a turn that failed with these errors. The result gets a new random UUID, and all durations
    /// and costs are zero.
    pub fn failure(
        subtype: impl Into<ResultErrorSubtype>,
        errors: impl IntoIterator<Item = impl Into<String>>,
        session_id: impl Into<SessionId>,
    ) -> Self {
        let (no_cost, no_models) = (0, Map::default());
        let uuid = MessageUuid::random();
        Self::new(
            subtype,
            0,
            0,
            true,
            1,
            no_cost,
            no_tokens(),
            no_models,
            vec![],
            uuid,
            session_id,
        )
        .errors(errors)
    }
}

impl SystemInit {
    /// Creates the message that a `claude` of this version writes at the start of a turn if it was started with these
    /// options. The message contains only what the options specify: the model, the working directory, the permission
    /// mode, the listed tools, the directories and the beta features. It lists no other tools, and no MCP servers,
    /// slash commands, skills or plugins. The message gets a new random UUID.
    pub fn from_options(
        options: &QueryOptions,
        claude_code_version: impl Into<String>,
        session_id: impl Into<SessionId>,
    ) -> Self {
        let text = |path: &std::path::PathBuf| path.display().to_string();
        let mode = options.permission_mode.clone();
        let tools = match &options.tools {
            Some(Tools::List(tools)) => tools.clone(),
            _ => vec![],
        };
        let mut init = Self::new(
            options.cwd.as_ref().map(text).unwrap_or_default(),
            session_id,
            tools,
            vec![],
            options
                .model
                .clone()
                .unwrap_or_else(|| "default".to_owned()),
            mode.unwrap_or(PermissionMode::Default),
            vec![],
            "none",
            claude_code_version,
            "default",
            vec![],
            vec![],
            MessageUuid::random(),
        );
        let directories = options.additional_directories.as_ref();
        init.additional_directories = directories.map(|paths| paths.iter().map(text).collect());
        let betas = options.betas.as_ref();
        init.betas = betas.map(|betas| betas.iter().map(ToString::to_string).collect());
        init
    }
}

impl CompactBoundary {
    /// Creates the message that marks the boundary of a compaction, with a new random UUID. `pre_tokens` is the number
    /// of tokens of the conversation before the compaction.
    pub fn compacted(
        trigger: impl Into<CompactTrigger>,
        pre_tokens: impl Into<Count>,
        session_id: impl Into<SessionId>,
    ) -> Self {
        let metadata = CompactMetadata::new(trigger, pre_tokens);
        Self::new(metadata, MessageUuid::random(), session_id)
    }
}

/// A usage of zero tokens, with the fields that the CLI always sends.
fn no_tokens() -> Usage {
    Usage::new(0)
        .input_tokens(0)
        .cache_creation_input_tokens(0)
        .cache_read_input_tokens(0)
}

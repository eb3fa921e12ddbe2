//! `system` / `thinking_tokens` and `thinking`: the model reasons.

use claw_types_derive::Wire;

use crate::{Count, Extra, MessageUuid, SessionId};

/// The model reasons, and has come so far.
///
/// To hosts, many times while it does, with or without partial messages.
#[derive(Wire, Debug, Clone, PartialEq)]
#[wire(tag(type = "system", subtype = "thinking_tokens"))]
#[non_exhaustive]
pub struct ThinkingTokens {
    /// Tokens of reasoning in this answer so far, about.
    pub estimated_tokens: Count,
    /// Those that came since the line before.
    pub estimated_tokens_delta: Count,
    /// Names this line.
    pub uuid: MessageUuid,
    /// The session.
    pub session_id: SessionId,
    /// The prompt that is answered.
    #[wire(since = "2.1.329")]
    pub user_message_uuid: Option<MessageUuid>,
    /// Fields that claw does not know.
    #[wire(extra)]
    pub extra: Extra,
}

/// Reasoning, as text to show.
///
/// Beside the answer's own blocks. In no published type.
#[derive(Wire, Debug, Clone, PartialEq)]
#[wire(tag(type = "system", subtype = "thinking"))]
#[non_exhaustive]
pub struct ThinkingMessage {
    /// The text.
    pub content: String,
    /// Names this line.
    pub uuid: MessageUuid,
    /// The session.
    pub session_id: SessionId,
    /// Fields that claw does not know.
    #[wire(extra)]
    pub extra: Extra,
}

//! `system` / `thinking_tokens`: the model reasons.

use super::Identity;
use crate::{Count, MessageUuid};

/// The model reasons, and has come so far.
///
/// To hosts, many times while it does, with or without partial messages.
#[wire(tag(type = "system", subtype = "thinking_tokens"))]
pub struct ThinkingTokens {
    /// Tokens of reasoning in this answer so far, about.
    pub estimated_tokens: Count,
    /// Those that came since the line before.
    pub estimated_tokens_delta: Count,
    fields: Identity!(),
    /// The prompt that is answered.
    #[wire(since = "2.1.329")]
    pub user_message_uuid: Option<MessageUuid>,
}

//! `system` / `thinking_tokens`: the progress of the model's thinking.

use super::Identity;
use crate::{Count, MessageUuid};

/// The progress of the model's thinking.
///
/// The CLI sends this message many times while the model is thinking, whether or not partial
/// messages were requested.
#[wire(tag(type = "system", subtype = "thinking_tokens"))]
pub struct ThinkingTokens {
    /// The estimated number of thinking tokens in this answer so far.
    pub estimated_tokens: Count,
    /// The estimated number of thinking tokens since the previous message of this kind.
    pub estimated_tokens_delta: Count,
    fields: Identity!(),
    /// The UUID of the prompt that is being answered.
    #[wire(since = "2.1.329")]
    pub user_message_uuid: Option<MessageUuid>,
}

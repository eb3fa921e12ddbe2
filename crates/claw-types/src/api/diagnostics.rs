//! What the API found out about a request.

use crate::{Count, Tri};

/// What the API found out about a request, beside another that went before it.
#[wire]
pub struct Diagnostics {
    /// Why less was read from the cache than could have been; null where that is not known yet.
    pub cache_miss_reason: Tri<CacheMiss>,
}

/// Why less was read from the cache than could have been.
#[wire]
pub struct CacheMiss {
    /// Why.
    #[wire(rename = "type")]
    pub kind: CacheMissKind,
    /// Tokens that would have been read from the cache, roughly. Where something changed.
    pub cache_missed_input_tokens: Tri<Count>,
}

/// What keeps a request from being read from the cache.
#[wire(open)]
pub enum CacheMissKind {
    /// Another model, or another speed.
    ModelChanged = "model_changed",
    /// Another system prompt.
    SystemChanged = "system_changed",
    /// Other tools, or in another order.
    ToolsChanged = "tools_changed",
    /// An earlier message is another.
    MessagesChanged = "messages_changed",
    /// The API does not remember the request before.
    PreviousMessageNotFound = "previous_message_not_found",
    /// The API cannot say.
    Unavailable = "unavailable",
}

//! Diagnostics from the API about a request's use of the prompt cache.

use crate::{Count, Tri};

/// The API's diagnostics for a request. They say why the prompt cache was not used as much as possible.
#[wire]
pub struct Diagnostics {
    /// The reason why the request did not use the prompt cache as much as possible. Null if the reason is not known
    /// yet.
    pub cache_miss_reason: Tri<CacheMiss>,
}

/// The reason why a request did not use the prompt cache as much as possible.
#[wire]
pub struct CacheMiss {
    /// The reason why the cache was not used as much as possible, as a code.
    #[wire(rename = "type")]
    pub kind: CacheMissKind,
    /// The estimated number of input tokens that were not read from the cache. Sent if the reason is that a part of the
    /// request has changed.
    pub cache_missed_input_tokens: Tri<Count>,
}

/// The reason why a request did not use the prompt cache as much as possible, as a code.
#[wire(open)]
pub enum CacheMissKind {
    /// The request uses another model or another speed.
    ModelChanged = "model_changed",
    /// The system prompt has changed.
    SystemChanged = "system_changed",
    /// The tools or their order have changed.
    ToolsChanged = "tools_changed",
    /// An earlier message has changed.
    MessagesChanged = "messages_changed",
    /// The API has no record of the previous request.
    PreviousMessageNotFound = "previous_message_not_found",
    /// The reason is not available.
    Unavailable = "unavailable",
}

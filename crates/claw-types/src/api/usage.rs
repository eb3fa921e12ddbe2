//! Tokens.

use super::{FallbackCredit, Iteration};
use crate::{Count, Tri};

/// The service tier that answered.
#[wire(open)]
pub enum ServiceTier {
    /// The usual one.
    Standard = "standard",
    /// The one that is served first.
    Priority = "priority",
    /// The one for batches.
    Batch = "batch",
}

/// How fast an answer was written.
#[wire(open)]
pub enum Speed {
    /// As usual.
    Standard = "standard",
    /// Faster, for more money.
    Fast = "fast",
}

/// Tokens of one answer, or of a turn. Inside `message_delta` only some keys are there.
#[wire]
pub struct Usage {
    /// Tokens read, without those from the cache. Absent inside `message_delta`.
    pub input_tokens: Tri<Count>,
    /// Tokens written.
    pub output_tokens: Count,
    /// Tokens put into the cache.
    pub cache_creation_input_tokens: Tri<Count>,
    /// Tokens read from the cache.
    pub cache_read_input_tokens: Tri<Count>,
    /// Tokens put into the cache, by how long they stay.
    pub cache_creation: Tri<CacheCreation>,
    /// Tokens written, by what for.
    pub output_tokens_details: Tri<OutputTokensDetails>,
    /// Uses of tools that run at the API.
    pub server_tool_use: Tri<ServerToolUsage>,
    /// The service tier that answered.
    pub service_tier: Tri<ServiceTier>,
    /// Where it was answered.
    pub inference_geo: Tri<String>,
    /// Usage of each step, where an answer took several. Empty or null where it did not.
    pub iterations: Tri<Vec<Iteration>>,
    /// How fast it was answered.
    pub speed: Tri<Speed>,
    /// What became of the credit for a request that was refused and is tried again with another
    /// model. Null or absent where none was presented.
    pub fallback_credit: Tri<FallbackCredit>,
}

impl Usage {
    /// Takes over what a later count says of the same answer.
    pub(crate) fn update(&mut self, later: &Self) {
        self.output_tokens = later.output_tokens;
        self.input_tokens.update(&later.input_tokens);
        let read = &later.cache_read_input_tokens;
        self.cache_read_input_tokens.update(read);
        let created = &later.cache_creation_input_tokens;
        self.cache_creation_input_tokens.update(created);
        self.cache_creation.update(&later.cache_creation);
        let details = &later.output_tokens_details;
        self.output_tokens_details.update(details);
        self.server_tool_use.update(&later.server_tool_use);
        self.service_tier.update(&later.service_tier);
        self.inference_geo.update(&later.inference_geo);
        self.iterations.update(&later.iterations);
        self.speed.update(&later.speed);
        self.fallback_credit.update(&later.fallback_credit);
        for (key, value) in later.extra.iter() {
            self.extra.insert(key, value.clone());
        }
    }
}

/// Tokens put into the cache, by how long they stay.
#[wire]
pub struct CacheCreation {
    /// For one hour.
    pub ephemeral_1h_input_tokens: Count,
    /// For five minutes.
    pub ephemeral_5m_input_tokens: Count,
}

/// Tokens written, by what for.
#[wire]
pub struct OutputTokensDetails {
    /// For reasoning; null where nobody counted.
    pub thinking_tokens: Tri<Count>,
}

/// Uses of tools that run at the API.
#[wire]
pub struct ServerToolUsage {
    /// Web searches.
    pub web_search_requests: Count,
    /// Pages fetched.
    pub web_fetch_requests: Option<Count>,
}

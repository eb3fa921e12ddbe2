//! The token usage of answers and turns.

use super::{FallbackCredit, Iteration};
use crate::{Count, Tri};

/// The service tier that served a request.
#[wire(open)]
pub enum ServiceTier {
    /// The standard service tier.
    Standard = "standard",
    /// The priority service tier, which is served first.
    Priority = "priority",
    /// The service tier for requests that are processed in batches.
    Batch = "batch",
}

/// The speed at which an answer was written.
#[wire(open)]
pub enum Speed {
    /// The standard speed.
    Standard = "standard",
    /// The faster speed of fast mode, at a higher price.
    Fast = "fast",
}

/// The token usage of one answer or of a turn. In a `message_delta` event, only some of the fields are present.
#[wire]
pub struct Usage {
    /// The number of input tokens, without the tokens that were read from or written to the cache.
    /// Absent inside `message_delta`.
    pub input_tokens: Tri<Count>,
    /// The number of output tokens.
    pub output_tokens: Count,
    /// The number of input tokens that were written to the cache.
    pub cache_creation_input_tokens: Tri<Count>,
    /// The number of input tokens that were read from the cache.
    pub cache_read_input_tokens: Tri<Count>,
    /// How many tokens were written to the cache for each lifetime of a cache entry.
    pub cache_creation: Tri<CacheCreation>,
    /// How many output tokens were used for each purpose.
    pub output_tokens_details: Tri<OutputTokensDetails>,
    /// The number of times that the model used each tool that the API itself runs.
    pub server_tool_use: Tri<ServerToolUsage>,
    /// The service tier that served the request.
    pub service_tier: Tri<ServiceTier>,
    /// The region in which the answer was computed, or `not_available`.
    pub inference_geo: Tri<String>,
    /// The token usage of each iteration, if the answer took several iterations. The list is empty or null if there was
    /// only one iteration.
    pub iterations: Tri<Vec<Iteration>>,
    /// The speed at which the answer was written.
    pub speed: Tri<Speed>,
    /// Whether a fallback credit was redeemed. Such a credit lowers the price of a request that was refused and is
    /// retried with another model. Null or absent if the request presented no credit.
    pub fallback_credit: Tri<FallbackCredit>,
}

impl Usage {
    /// Updates this usage with a later count of the same answer.
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

/// How many tokens were written to the cache for each lifetime of a cache entry.
#[wire]
pub struct CacheCreation {
    /// The number of tokens that were written to the cache with a lifetime of one hour.
    pub ephemeral_1h_input_tokens: Count,
    /// The number of tokens that were written to the cache with a lifetime of five minutes.
    pub ephemeral_5m_input_tokens: Count,
}

/// How many output tokens were used for each purpose.
#[wire]
pub struct OutputTokensDetails {
    /// The number of output tokens that were used for thinking. Null if the API did not count them.
    pub thinking_tokens: Tri<Count>,
}

/// The number of times that the model used each tool that the API itself runs.
#[wire]
pub struct ServerToolUsage {
    /// The number of web searches.
    pub web_search_requests: Count,
    /// The number of web pages that were fetched.
    pub web_fetch_requests: Option<Count>,
}

//! What the steps of an answer used.

use super::CacheCreation;
use crate::{Count, Tri};

/// What one step of an answer used.
///
/// An answer takes several where tools run at the API, where the context is summarised on the way, and
/// where another model steps in. How full the context is says the last [`Message`](Self::Message).
#[wire]
pub enum Iteration {
    /// The model wrote.
    Message(Box<MessageIteration>),
    /// The context was summarised.
    Compaction(Box<CompactionIteration>),
    /// An advisor was asked.
    AdvisorMessage(Box<AdvisorMessageIteration>),
    /// A fallback model wrote.
    FallbackMessage(Box<FallbackMessageIteration>),
}

/// What a step used.
#[wire(fields)]
struct IterationUsage {
    /// Tokens read, without those from the cache.
    pub input_tokens: Count,
    /// Tokens written.
    pub output_tokens: Count,
    /// Tokens put into the cache.
    pub cache_creation_input_tokens: Tri<Count>,
    /// Tokens read from the cache.
    pub cache_read_input_tokens: Tri<Count>,
    /// Tokens put into the cache, by how long they stay.
    pub cache_creation: Tri<CacheCreation>,
}

/// The model wrote: a part of the answer.
#[wire(tag(type = "message"))]
pub struct MessageIteration {
    fields: IterationUsage!(),
    /// The model; null where the API does not say.
    pub model: Tri<String>,
}

/// The context was summarised. What that took; not how long the context was, and not counted in
/// the answer's own numbers.
#[wire(tag(type = "compaction"))]
pub struct CompactionIteration {
    fields: IterationUsage!(),
}

/// An advisor was asked: another model, of which the first one takes advice.
#[wire(tag(type = "advisor_message"))]
pub struct AdvisorMessageIteration {
    fields: IterationUsage!(),
    /// The advisor's model.
    pub model: Tri<String>,
}

/// A fallback model wrote, in the place of the one that was asked.
#[wire(tag(type = "fallback_message"))]
pub struct FallbackMessageIteration {
    fields: IterationUsage!(),
    /// The fallback model.
    pub model: Tri<String>,
}

//! The token usage of each iteration of an answer.

use super::CacheCreation;
use crate::{Count, Tri};

/// The token usage of one iteration of an answer.
///
/// An iteration is one run of a model. An answer has several iterations if the API itself runs tools, if the API
/// summarises the context, or if another model takes over. The last iteration of type `message` shows how full the
/// context is.
#[wire]
pub enum Iteration {
    /// An iteration in which the model wrote a part of the answer.
    Message(Box<MessageIteration>),
    /// An iteration that summarised the context.
    Compaction(Box<CompactionIteration>),
    /// An iteration that asked another model (the advisor) for advice.
    AdvisorMessage(Box<AdvisorMessageIteration>),
    /// An iteration in which a fallback model wrote a part of the answer.
    FallbackMessage(Box<FallbackMessageIteration>),
}

/// The token usage of an iteration.
#[wire(fields)]
struct IterationUsage {
    /// The number of input tokens, without the tokens that were read from or written to the cache.
    pub input_tokens: Count,
    /// The number of output tokens.
    pub output_tokens: Count,
    /// The number of input tokens that were written to the cache.
    pub cache_creation_input_tokens: Tri<Count>,
    /// The number of input tokens that were read from the cache.
    pub cache_read_input_tokens: Tri<Count>,
    /// How many tokens were written to the cache for each lifetime of a cache entry.
    pub cache_creation: Tri<CacheCreation>,
}

/// An iteration in which the model wrote a part of the answer.
#[wire(tag(type = "message"))]
pub struct MessageIteration {
    fields: IterationUsage!(),
    /// The model that wrote this part of the answer. Null if the API does not report it.
    pub model: Tri<String>,
}

/// An iteration that summarised the context. The token counts are those of the summarisation. They do not say how full
/// the context is, and are not included in the token counts of the answer.
#[wire(tag(type = "compaction"))]
pub struct CompactionIteration {
    fields: IterationUsage!(),
}

/// An iteration that asked an advisor: another model, which gives advice to the answering model.
#[wire(tag(type = "advisor_message"))]
pub struct AdvisorMessageIteration {
    fields: IterationUsage!(),
    /// The name of the advisor model.
    pub model: Tri<String>,
}

/// An iteration in which a fallback model wrote a part of the answer, in place of the requested
/// model.
#[wire(tag(type = "fallback_message"))]
pub struct FallbackMessageIteration {
    fields: IterationUsage!(),
    /// The name of the fallback model.
    pub model: Tri<String>,
}

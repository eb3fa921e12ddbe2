//! The usage of sessions: tokens and costs.

mod answers;
mod cache;
mod cost;
mod csv;
mod elsewhere;
mod estimate;
mod extract;
mod period;
mod prices;
mod report;
mod usd;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::AddAssign;

use claw_types::SessionId;
use serde::Serialize;

use crate::{Error, Session};

pub use cache::UsageCache;
pub use cost::Cost;
pub use csv::usage_csv;
pub use elsewhere::{SessionAnswers, UsageSource};
pub use estimate::Estimate;
pub use extract::UsageExtract;
pub use period::Zone;
pub use prices::{LongPrices, ModelPrices, Prices, PricesError, Rates, Terms};
pub use report::{UsageOfMany, UsageReport};
pub use usd::Usd;

use answers::{Answers, How, Keys};

/// The numbers of tokens, by kind, and the number of web searches that the API ran.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "UsageTokens"))]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Tokens {
    /// The number of input tokens, excluding those that were read from or written to the cache.
    pub input: u64,
    /// The number of output tokens, including those for thinking.
    pub output: u64,
    /// The number of output tokens for thinking, a part of `output`. Zero if they were not counted.
    pub thinking: u64,
    /// The number of input tokens read from the cache.
    pub cache_read: u64,
    /// The number of input tokens written to the cache.
    pub cache_write: u64,
    /// The number of tokens written to the cache for one hour, a part of `cache_write`.
    pub cache_write_1h: u64,
    /// The number of web searches that ran at the API.
    pub web_searches: u64,
}

impl Tokens {
    /// Returns the sum of all tokens: input, output, cache reads and cache writes.
    pub fn total(&self) -> u64 {
        let parts = [self.input, self.output, self.cache_read, self.cache_write];
        parts.into_iter().fold(0, u64::saturating_add)
    }
}

impl AddAssign for Tokens {
    fn add_assign(&mut self, other: Self) {
        let add = |sum: &mut u64, more| *sum = sum.saturating_add(more);
        add(&mut self.input, other.input);
        add(&mut self.output, other.output);
        add(&mut self.thinking, other.thinking);
        add(&mut self.cache_read, other.cache_read);
        add(&mut self.cache_write, other.cache_write);
        add(&mut self.cache_write_1h, other.cache_write_1h);
        add(&mut self.web_searches, other.web_searches);
    }
}

/// The number of answers, and their tokens.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "UsageCount"))]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Count {
    /// The number of answers of the API. An answer that is written as several lines, one for each block, is counted
    /// once.
    pub answers: u64,
    /// The tokens of these answers.
    pub tokens: Tokens,
}

impl AddAssign for Count {
    fn add_assign(&mut self, other: Self) {
        self.answers = self.answers.saturating_add(other.answers);
        self.tokens += other.tokens;
    }
}

/// The usage of a group of the model's answers: their number, their tokens and their cost.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Usage {
    /// All answers, including those of sub-agents.
    #[serde(flatten)]
    pub all: Count,
    /// The answers of sub-agents. They are part of `all`.
    pub subagents: Count,
    /// The cost of these answers, as the CLI wrote it to the transcript at its end. Null if the CLI wrote no cost.
    pub cost: Option<Cost>,
    /// The cost of these answers at the prices of a table. Null if no prices were given.
    pub estimate: Option<Estimate>,
}

/// Adds the counts, costs and estimates of `other`. If one of the two values counts answers whose cost is unknown
/// ([`Usage::cost`] is `None`), [`Cost::is_whole`] of the sum is `false`.
impl AddAssign for Usage {
    fn add_assign(&mut self, other: Self) {
        let lacks_cost = [&*self, &other]
            .into_iter()
            .any(|usage| usage.cost.is_none() && usage.all.answers > 0);
        self.add_group(&other);
        self.cost = match (self.cost, other.cost) {
            (Some(mut sum), Some(more)) => {
                sum += more;
                Some(sum)
            }
            (sum, more) => sum.or(more),
        };
        if let Some(cost) = &mut self.cost {
            cost.is_whole &= !lacks_cost;
        }
    }
}

impl Usage {
    fn add(&mut self, count: Count, is_subagent: bool, estimate: Option<Estimate>) {
        self.all += count;
        self.estimate_more(estimate);
        if is_subagent {
            self.subagents += count;
        }
    }

    /// Adds everything except the cost that the CLI wrote.
    fn add_group(&mut self, more: &Self) {
        self.all += more.all;
        self.subagents += more.subagents;
        self.estimate_more(more.estimate);
    }

    fn estimate_more(&mut self, more: Option<Estimate>) {
        if let Some(more) = more {
            *self.estimate.get_or_insert_default() += more;
        }
    }
}

/// The usage of a session. Made by [`Session::usage`].
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct SessionUsage {
    /// The ID of the session.
    pub session_id: SessionId,
    /// The directory in which the session began. `None` if no line of the transcript names it.
    pub project: Option<String>,
    /// The usage of the whole session.
    pub total: Usage,
    /// The usage of each model. The keys are the names that the API gives to the models.
    pub by_model: BTreeMap<String, Usage>,
    /// The usage of each day, in UTC unless another [`Zone`] was given. The keys are dates such as `2026-11-22`, or
    /// [`UNDATED`].
    pub by_day: BTreeMap<String, Usage>,
    /// The usage of each week. The keys are weeks as ISO 8601 counts them, such as `2026-W48`, or [`UNDATED`].
    pub by_week: BTreeMap<String, Usage>,
    /// The usage of each month. The keys are months such as `2026-11`, or [`UNDATED`].
    pub by_month: BTreeMap<String, Usage>,
    /// The answers of each sub-agent. The keys are the IDs of the sub-agents.
    pub by_subagent: BTreeMap<String, Count>,
    /// The models that the table has no prices for. Empty if no prices were given.
    pub unpriced_models: BTreeSet<String>,
    /// Lines and files that could not be read. They are not counted.
    #[serde(skip)]
    pub problems: Vec<Error>,
}

/// The key of answers without a time in [`SessionUsage::by_day`] and [`UsageReport::by_day`], where all other keys are
/// dates.
pub const UNDATED: &str = "undated";

impl Session {
    /// Counts the model's answers, their tokens and their cost, in the session and its sub-agents. The call reads the
    /// complete transcripts, one line at a time.
    ///
    /// Each answer of the API is counted once, with the usage in its last line. (The CLI writes one line for each
    /// block. Each line says what the whole answer has used so far.) Answers that a fork has copied are counted for
    /// the fork, too. A [report on many sessions](crate::Sessions::usage) counts them only once.
    ///
    /// # Errors
    ///
    /// Fails with [`Error::NotFound`] if the session was deleted meanwhile, and with [`Error::Io`] if its transcript
    /// cannot be read. A sub-agent that cannot be read is a [problem](SessionUsage::problems).
    pub fn usage(&self) -> Result<SessionUsage, Error> {
        self.count(&How::default())
    }

    /// Counts the answers and tokens as [`usage`](Self::usage) does, with days in a time zone, and estimates the cost of
    /// the answers at these prices.
    ///
    /// # Errors
    ///
    /// Fails with the same errors as [`usage`](Self::usage).
    pub fn usage_at(&self, prices: &Prices, zone: &Zone) -> Result<SessionUsage, Error> {
        self.count(&How {
            prices: Some(prices),
            zone: zone.clone(),
            ..How::default()
        })
    }

    fn count(&self, how: &How<'_>) -> Result<SessionUsage, Error> {
        let (answers, problems) = Answers::read(self, &Keys::default(), how)?;
        let mut usage = answers.sum(self.id(), &how.days, |_| true);
        usage.problems = problems;
        Ok(usage)
    }

    /// Returns the cost of the session and its sub-agents, as the CLI wrote it when it last ended. The call reads only
    /// the end of the transcript. Returns `None` if no cost is written there, for example because the CLI was killed.
    ///
    /// # Errors
    ///
    /// Fails with [`Error::NotFound`] if the session was deleted meanwhile, and with [`Error::Io`] if its transcript
    /// cannot be read.
    pub fn cost(&self) -> Result<Option<Cost>, Error> {
        let ends = self.ends()?;
        Ok(Cost::newest(ends.tail()))
    }
}

#[cfg(test)]
mod tests;

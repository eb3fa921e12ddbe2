//! The estimated cost of answers, at the prices of a table.

use std::ops::AddAssign;

use serde::Serialize;

use super::Usd;

/// The estimated cost of a group of the model's answers, at the prices of a table. The estimate of a group is the
/// exact sum of the estimates of its answers.
///
/// The CLI's own count can be higher than this estimate: the CLI also makes requests whose answers are not in the
/// transcript, for example for titles.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "UsageEstimate"))]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Estimate {
    /// The cost in US dollars of all answers whose cost is known.
    pub usd: Usd,
    /// The part of `usd` that the CLI itself wrote into the transcript. Older versions of the CLI wrote the cost of an
    /// answer on its line. Such a cost takes precedence over the table's prices.
    pub written_usd: Usd,
    /// The number of answers whose cost is unknown, because the table has no prices for their model. They are not part
    /// of `usd`.
    pub unpriced_answers: u64,
}

impl AddAssign for Estimate {
    fn add_assign(&mut self, other: Self) {
        self.usd += other.usd;
        self.written_usd += other.written_usd;
        self.unpriced_answers = self.unpriced_answers.saturating_add(other.unpriced_answers);
    }
}

/// The cost of one answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum AnswerCost {
    /// The cost that the CLI wrote on the line.
    Written(Usd),
    /// The cost that was computed from the prices.
    Priced(Usd),
    /// The table has no prices for the model.
    Unknown,
}

impl From<AnswerCost> for Estimate {
    fn from(cost: AnswerCost) -> Self {
        let (usd, written_usd, unpriced_answers) = match cost {
            AnswerCost::Written(usd) => (usd, usd, 0),
            AnswerCost::Priced(usd) => (usd, Usd::ZERO, 0),
            AnswerCost::Unknown => (Usd::ZERO, Usd::ZERO, 1),
        };
        Self {
            usd,
            written_usd,
            unpriced_answers,
        }
    }
}

//! The cost of a session, as the CLI has written it to the transcript.

use std::collections::BTreeMap;
use std::ops::AddAssign;

use serde::{Deserialize, Serialize};

use super::Usd;
use crate::scan::{has_member, lines};

/// The cost of a group of the model's answers, as the CLI has written it to the transcript.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Cost {
    /// The cost in US dollars.
    pub usd: Usd,
    /// Whether `usd` is the whole cost. `false` if a part of the cost is unknown: the CLI did not know a model's
    /// price, or wrote no cost after the last answer.
    pub is_whole: bool,
}

impl AddAssign for Cost {
    fn add_assign(&mut self, other: Self) {
        self.usd += other.usd;
        self.is_whole &= other.is_whole;
    }
}

/// The newest line of a transcript that contains the cost of the session so far.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct CostState {
    #[serde(rename = "type")]
    kind: String,
    #[serde(rename = "totalCostUSD")]
    usd: f64,
    #[serde(default, rename = "modelUsage")]
    models: BTreeMap<String, ModelCost>,
    #[serde(default, rename = "hasUnknownModelCost")]
    has_unknown: bool,
    /// Whether answers follow this line. Then the line does not contain their cost.
    #[serde(skip)]
    pub(super) is_old: bool,
}

#[derive(Debug, Clone, Deserialize)]
struct ModelCost {
    #[serde(default, rename = "costUSD")]
    usd: Option<f64>,
}

impl CostState {
    /// Parses a line. Returns `None` for any other kind of line.
    pub(super) fn of(line: &[u8]) -> Option<Self> {
        if !has_member(line, "type", "\"cost-state\"") {
            return None;
        }
        let state: Self = serde_json::from_slice(line).ok()?;
        let is_cost = state.kind == "cost-state" && Usd::from_dollars(state.usd).is_some();
        is_cost.then_some(state)
    }

    /// Returns the more complete one of two costs of the same session.
    pub(super) fn better(self, other: Self) -> Self {
        let other_is_better = match (self.is_old, other.is_old) {
            (true, false) => true,
            (false, true) => false,
            _ => other.usd > self.usd,
        };
        if other_is_better { other } else { self }
    }

    pub(super) fn total(&self) -> Cost {
        Cost {
            // `of` accepts only valid amounts, so the default is never used.
            usd: Usd::from_dollars(self.usd).unwrap_or_default(),
            is_whole: !self.is_old && !self.has_unknown,
        }
    }

    /// Returns the cost of each model whose cost was written.
    pub(super) fn of_models(&self) -> impl Iterator<Item = (&str, Cost)> {
        let models = self.models.iter();
        models.filter_map(|(name, model)| {
            let cost = Cost {
                usd: model.usd.and_then(Usd::from_dollars)?,
                is_whole: !self.is_old,
            };
            // The part in brackets is the size of the context window. It is not part of the API's name.
            let name = name.split('[').next().unwrap_or(name);
            Some((name, cost))
        })
    }
}

impl Cost {
    /// Returns the newest cost at the end of a transcript.
    pub(crate) fn newest(tail: &[u8]) -> Option<Self> {
        let mut is_old = false;
        lines(tail).rev().find_map(|line| {
            is_old |= has_member(line, "type", "\"assistant\"");
            let mut state = CostState::of(line)?;
            state.is_old = is_old;
            Some(state.total())
        })
    }
}

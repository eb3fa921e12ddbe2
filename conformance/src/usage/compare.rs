//! Compares claw's report with that of ccusage.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::time::Instant;

use claw_sessions::{Prices, Sessions, Terms, Tokens, Usage, Usd};
use xtask::run::Result;
use xtask::workspace::Workspace;

use super::ccusage::{Part, by_day_and_model};
use super::world::World;

/// The accepted difference of two costs in US dollars, because ccusage adds floating-point numbers.
const ROUNDING: f64 = 1e-6;

/// Fails unless both sides count the same tokens and the same costs.
pub(super) fn compare(workspace: &Workspace) -> Result {
    let prices = Prices::shipped();
    let mut problems = Vec::new();
    for costs in [Costs::Computed, Costs::Written, Costs::Real] {
        let folder = tempfile::tempdir()?;
        let world = match costs {
            Costs::Computed => World::generated(folder.path(), 1, false)?,
            Costs::Written => World::generated(folder.path(), 2, true)?,
            Costs::Real => World::of_fixtures(folder.path(), workspace)?,
        };
        let start = Instant::now();
        let calculated = costs != Costs::Written;
        let theirs = by_day_and_model(workspace, folder.path(), calculated)?;
        let their_time = start.elapsed();
        let start = Instant::now();
        let ours = Ours::read(folder.path(), prices)?;
        let our_time = start.elapsed();
        let before = problems.len();
        ours.compare(&theirs, prices, costs, &mut problems);
        println!(
            "{costs:?}: {} transcripts with {} copied lines, {} pairs of day and model, {} differences; \
             ccusage took {:.2} s, claw {:.2} s",
            world.transcripts,
            world.copies,
            theirs.len(),
            problems.len() - before,
            their_time.as_secs_f64(),
            our_time.as_secs_f64(),
        );
    }
    if problems.is_empty() {
        return Ok(());
    }
    problems.truncate(20);
    Err(problems.join("\n").into())
}

/// The costs that are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Costs {
    /// The costs that both sides compute.
    Computed,
    /// The costs of answers of which some contain their cost.
    Written,
    /// No costs: transcripts of the real CLI contain web searches and cache writes for an hour, which ccusage does not
    /// report.
    Real,
}

/// The report of claw.
struct Ours {
    by_day: BTreeMap<String, Usage>,
    by_model: BTreeMap<String, Usage>,
    total: Usage,
    unpriced: BTreeSet<String>,
}

impl Ours {
    fn read(config: &Path, prices: &Prices) -> Result<Self> {
        let report = Sessions::new(config).usage().prices(prices).run()?;
        if !report.problems.is_empty() {
            return Err(format!("claw could not read all: {:?}", report.problems).into());
        }
        Ok(Self {
            by_day: report.by_day,
            by_model: report.by_model,
            total: report.total,
            unpriced: report.unpriced_models,
        })
    }

    /// Compares the tokens of days and models. For computed costs, the prices of claw's table are also applied to
    /// ccusage's tokens.
    fn compare(
        &self,
        theirs: &BTreeMap<(String, String), Part>,
        prices: &Prices,
        costs: Costs,
        problems: &mut Vec<String>,
    ) {
        let mut days: BTreeMap<&str, Sum> = BTreeMap::new();
        let mut models: BTreeMap<&str, Sum> = BTreeMap::new();
        let mut total = Sum::default();
        for ((day, model), part) in theirs {
            for sum in [
                days.entry(day).or_default(),
                models.entry(model).or_default(),
                &mut total,
            ] {
                sum.add(model, part, prices);
            }
        }
        let mut check = |what: &str, ours: Option<&Usage>, sum: &Sum| {
            let tokens = ours.map(|usage| counts(&usage.all.tokens));
            if tokens.unwrap_or_default() != counts(&sum.tokens) {
                problems.push(format!("{what}: claw {tokens:?}, ccusage {:?}", sum.tokens));
            }
            let estimate = ours.and_then(|usage| usage.estimate).unwrap_or_default();
            if costs == Costs::Computed && estimate.usd != sum.priced {
                problems.push(format!(
                    "{what}: claw ${}, ccusage's tokens ${}",
                    estimate.usd, sum.priced
                ));
            }
        };
        check("total", Some(&self.total), &total);
        for (names, ours, sums) in [
            ("day", &self.by_day, &days),
            ("model", &self.by_model, &models),
        ] {
            let keys: BTreeSet<_> = ours
                .keys()
                .map(String::as_str)
                .chain(sums.keys().copied())
                .collect();
            for key in keys {
                let sum = sums.get(key).cloned().unwrap_or_default();
                check(&format!("{names} {key}"), ours.get(key), &sum);
            }
        }
        if costs == Costs::Real {
            return;
        }
        // The costs that ccusage reports, for the models in its own table.
        let mut compared = 0;
        for (model, sum) in &models {
            let estimate = self.by_model.get(*model).and_then(|usage| usage.estimate);
            let estimate = estimate.unwrap_or_default();
            // ccusage reports zero for a model that it does not know.
            if sum.cost <= 0.0 || self.unpriced.contains(*model) {
                continue;
            }
            compared += 1;
            if (estimate.usd.dollars() - sum.cost).abs() > ROUNDING {
                problems.push(format!(
                    "model {model}: claw ${}, ccusage ${}",
                    estimate.usd, sum.cost
                ));
            }
        }
        if compared < 3 {
            problems.push(format!("the costs of {compared} models were compared"));
        }
    }
}

/// The sum of parts from ccusage.
#[derive(Debug, Default, Clone)]
struct Sum {
    tokens: Tokens,
    /// The cost of the tokens at claw's prices.
    priced: Usd,
    /// The cost that ccusage reports.
    cost: f64,
}

impl Sum {
    fn add(&mut self, model: &str, part: &Part, prices: &Prices) {
        let mut tokens = Tokens::default();
        tokens.input = part.input_tokens;
        tokens.output = part.output_tokens;
        tokens.cache_read = part.cache_read_tokens;
        tokens.cache_write = part.cache_creation_tokens;
        self.tokens += tokens;
        // The sum does not show which answers had long inputs. The models have no such prices.
        self.priced += prices
            .cost(model, &tokens, Terms::default())
            .unwrap_or_default();
        self.cost += part.cost;
    }
}

/// Returns the numbers of the kinds of tokens that both sides report.
fn counts(tokens: &Tokens) -> [u64; 4] {
    [
        tokens.input,
        tokens.output,
        tokens.cache_read,
        tokens.cache_write,
    ]
}

//! The usage of a session.

use std::collections::BTreeMap;

use claw_codec::LineItem;
use claw_types::{Json, Map, members};

/// The highest number of models that are listed separately, and the longest name in bytes.
const MODELS: usize = 256;
const LONGEST: usize = 256;

/// The name under which the usage of all other models is added up.
const OTHERS: &str = "other models";

/// The usage of a session over all its turns so far. Returned by [`Session::usage`](crate::Session::usage).
///
/// The CLI's own count starts again at zero when the conversation is cleared. These totals continue. They include
/// sub-agents.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct UsageTotals {
    /// The number of results that have arrived.
    pub results: u64,
    /// The number of answers of the model, as the results report it in `num_turns`.
    pub turns: u64,
    /// The cost in US dollars, according to the CLI's prices.
    pub cost_usd: f64,
    /// The number of sub-agents that were started. 0 if the CLI does not report it.
    pub subagents: u64,
    /// The usage of each model. The keys are the names of the models. The usage of models after the first 256 is added
    /// up under the name `other models`.
    pub models: BTreeMap<String, Tokens>,
    /// The running totals of the CLI's process, as the last result reported them.
    last: ResultTotals,
}

/// The usage of one model.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
#[non_exhaustive]
pub struct Tokens {
    /// The number of input tokens, without those that were read from or written to the cache.
    pub input: u64,
    /// The number of output tokens.
    pub output: u64,
    /// The number of input tokens that were read from the cache.
    pub cache_read: u64,
    /// The number of input tokens that were written to the cache.
    pub cache_creation: u64,
    /// The number of web searches.
    pub web_search_requests: u64,
    /// The cost in US dollars.
    pub cost_usd: f64,
}

/// The fields of a result that are totals of the process.
#[derive(Debug, Clone, Default, PartialEq)]
struct ResultTotals {
    turns: u64,
    cost_usd: f64,
    models: BTreeMap<String, Tokens>,
    subagents: u64,
}

impl ResultTotals {
    /// Reads the totals of a result. `None` if a total has the wrong type.
    fn of(line: &[u8]) -> Option<Self> {
        let keys = [
            "num_turns",
            "total_cost_usd",
            "modelUsage",
            "subagent_stats",
        ];
        let [turns, cost, models, subagents] = members(line, keys)?;
        let models: Map<Json> = models
            .map_or(Ok(Map::default()), |models| models.parse())
            .ok()?;
        let models = models
            .iter()
            .map(|(model, usage)| Some((model.to_owned(), Tokens::of(usage)?)));
        Some(Self {
            turns: count(turns)?,
            cost_usd: dollars(cost)?,
            models: models.collect::<Option<_>>()?,
            subagents: count(subagents.and_then(|stats| stats.get("spawned")))?,
        })
    }
}

/// Reads a count. An absent member counts as zero.
fn count(member: Option<Json>) -> Option<u64> {
    member.map_or(Some(0), |member| member.as_u64())
}

/// Reads an amount of money. An absent member counts as zero.
fn dollars(member: Option<Json>) -> Option<f64> {
    member.map_or(Some(0.0), |member| member.as_f64())
}

impl UsageTotals {
    /// Returns the usage of all models together.
    pub fn tokens(&self) -> Tokens {
        let mut all = Tokens::default();
        for tokens in self.models.values() {
            all.add(*tokens, Tokens::default());
        }
        all
    }

    /// Adds a result. A result that cannot be read is counted, but adds no usage.
    pub(crate) fn add(&mut self, item: &LineItem) {
        self.results += 1;
        let LineItem::Line(line) = item else {
            return;
        };
        let Some(mut totals) = ResultTotals::of(&line.raw) else {
            return;
        };
        self.fold(&mut totals.models);
        self.turns += totals.turns;
        // A smaller total means that the CLI has restarted its count.
        let is_anew = totals.cost_usd < self.last.cost_usd;
        let before = if is_anew {
            ResultTotals::default()
        } else {
            std::mem::take(&mut self.last)
        };
        self.cost_usd += totals.cost_usd - before.cost_usd;
        self.subagents += totals.subagents.saturating_sub(before.subagents);
        for (model, tokens) in &totals.models {
            let before = before.models.get(model).copied().unwrap_or_default();
            let sum = self.models.entry(model.clone()).or_default();
            sum.add(*tokens, before);
        }
        self.last = totals;
    }

    /// Combines the models that exceed the limits. A name that is already listed stays.
    fn fold(&self, models: &mut BTreeMap<String, Tokens>) {
        let is_new = |model: &String| !self.models.contains_key(model);
        let new = models.keys().filter(|model| is_new(model)).count();
        let longest = models.keys().map(String::len).max().unwrap_or_default();
        if self.models.len() + new <= MODELS && longest <= LONGEST {
            return;
        }
        let mut room = MODELS.saturating_sub(self.models.len());
        let mut others = Tokens::default();
        models.retain(|model, tokens| {
            let keep = !is_new(model) || (room > 0 && model.len() <= LONGEST);
            if !keep {
                others.add(*tokens, Tokens::default());
            } else if is_new(model) {
                room -= 1;
            }
            keep
        });
        let entry = models.entry(OTHERS.to_owned()).or_default();
        entry.add(others, Tokens::default());
    }
}

impl Tokens {
    /// Reads the usage of a model in a result.
    fn of(usage: &Json) -> Option<Self> {
        let keys = [
            "inputTokens",
            "outputTokens",
            "cacheReadInputTokens",
            "cacheCreationInputTokens",
            "webSearchRequests",
            "costUSD",
        ];
        let [input, output, read, creation, searches, cost] =
            members(usage.as_raw().as_bytes(), keys)?;
        Some(Self {
            input: count(input)?,
            output: count(output)?,
            cache_read: count(read)?,
            cache_creation: count(creation)?,
            web_search_requests: count(searches)?,
            cost_usd: dollars(cost)?,
        })
    }

    /// Adds the usage since `before`.
    fn add(&mut self, now: Self, before: Self) {
        let since = u64::saturating_sub;
        self.input += since(now.input, before.input);
        self.output += since(now.output, before.output);
        self.cache_read += since(now.cache_read, before.cache_read);
        self.cache_creation += since(now.cache_creation, before.cache_creation);
        self.web_search_requests += since(now.web_search_requests, before.web_search_requests);
        self.cost_usd += (now.cost_usd - before.cost_usd).max(0.0);
    }
}

#[cfg(test)]
mod tests {
    use claw_codec::Line;
    use serde_json::json;

    use super::*;

    #[test]
    fn models_without_number_are_counted_together() {
        let mut usage = UsageTotals::default();
        let tokens = |output: u64| json!({"outputTokens": output});
        for number in 0..1000_u64 {
            let models = json!({"known": tokens(number + 1), format!("model {number}"): tokens(1),
                format!("{number}{}", "x".repeat(300)): tokens(1)});
            let result = json!({"total_cost_usd": number, "modelUsage": models});
            usage.add(&LineItem::Line(Line::new(
                number,
                result.to_string().into(),
            )));
        }
        assert!(usage.models.len() <= MODELS + 1, "{}", usage.models.len());
        assert!(usage.last.models.len() <= MODELS + 1);
        assert_eq!(usage.models["known"].output, 1000);
        assert!(usage.models.keys().all(|model| model.len() <= LONGEST));
        assert!(usage.models[OTHERS].output > 0);
    }

    #[test]
    fn sums_go_on_where_the_cli_begins_anew() {
        let mut usage = UsageTotals::default();
        let model = |output: u64, cost: f64| json!({"inputTokens": 10, "outputTokens": output, "costUSD": cost, "contextWindow": 9});
        let results = [
            json!({"num_turns": 2, "total_cost_usd": 0.5, "modelUsage": {"a": model(12, 0.5)},
                "subagent_stats": {"spawned": 1}}),
            json!({"num_turns": 1, "total_cost_usd": 1.5, "subagent_stats": {"spawned": 1},
                "modelUsage": {"a": model(24, 0.75), "b": model(3, 0.75)}}),
            // After `/clear`, the CLI counts from zero again.
            json!({"num_turns": 0, "total_cost_usd": 0, "modelUsage": {}}),
            json!({"num_turns": 1, "total_cost_usd": 0.25, "modelUsage": {"a": model(5, 0.25)}}),
            json!({"num_turns": "many"}),
        ];
        for (number, result) in results.iter().enumerate() {
            let line = Line::new(number as u64, result.to_string().into());
            usage.add(&LineItem::Line(line));
        }
        assert_eq!((usage.results, usage.turns, usage.subagents), (5, 4, 1));
        assert!((usage.cost_usd - 1.75).abs() < 1e-9, "{usage:?}");
        assert_eq!(
            (usage.models["a"].output, usage.models["b"].output),
            (29, 3)
        );
        assert_eq!((usage.tokens().output, usage.tokens().input), (32, 30));
    }
}

//! The prices of tokens, by model.

mod file;

use std::collections::BTreeMap;
use std::sync::LazyLock;

use super::{Tokens, Usd};

pub use file::PricesError;

/// The number of tokens to which a price applies.
const MILLION: u128 = 1_000_000;

/// The prices of models. [`Prices::shipped`] returns the prices with which the tested version of Claude Code computes
/// costs. [`Prices::from_json`] and [`Prices::from_file`] read other prices.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Prices {
    date: String,
    web_search: Usd,
    /// The factor for inference in the United States, in thousandths.
    us_inference: u32,
    models: BTreeMap<String, ModelPrices>,
}

/// The prices of a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct ModelPrices {
    /// The usual prices.
    pub standard: Rates,
    /// The prices in fast mode. `None` if the model costs the same in fast mode, or has no fast mode.
    pub fast: Option<Rates>,
    /// The prices of answers to long inputs. `None` if the price does not depend on the length of the input.
    pub long: Option<LongPrices>,
}

/// The prices of answers to long inputs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct LongPrices {
    /// The greatest number of input tokens for which the usual prices apply. Tokens that are read from or written to
    /// the cache are included.
    pub above: u64,
    /// The prices of an answer with more than `above` input tokens. They apply to all tokens of the answer.
    pub rates: Rates,
}

/// The prices of a million tokens, by kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Rates {
    /// The price of input tokens that are neither read from the cache nor written to it.
    pub input: Usd,
    /// The price of output tokens, including those for thinking.
    pub output: Usd,
    /// The price of input tokens that are read from the cache.
    pub cache_read: Usd,
    /// The price of input tokens that are written to the cache for five minutes.
    pub cache_write_5m: Usd,
    /// The price of input tokens that are written to the cache for one hour.
    pub cache_write_1h: Usd,
}

/// The properties of an answer, apart from its tokens, on which its price depends.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Terms {
    /// Whether the answer was made in fast mode: the `speed` of its usage is `fast`.
    pub is_fast: bool,
    /// Whether the inference was bound to the United States: the `inference_geo` of the usage is `us`.
    pub is_us: bool,
}

impl Terms {
    /// Sets whether the answer was made in fast mode.
    #[must_use]
    pub fn fast(mut self, is_fast: bool) -> Self {
        self.is_fast = is_fast;
        self
    }

    /// Sets whether the inference was bound to the United States.
    #[must_use]
    pub fn us(mut self, is_us: bool) -> Self {
        self.is_us = is_us;
        self
    }
}

impl Prices {
    /// Returns the prices that this version of claw is shipped with. They were measured with the tested version of
    /// Claude Code on [their date](Self::date).
    #[expect(
        clippy::expect_used,
        reason = "a test reads the file, which is a part of the crate"
    )]
    pub fn shipped() -> &'static Self {
        static SHIPPED: LazyLock<Prices> = LazyLock::new(|| {
            Prices::from_json(include_str!("shipped.json")).expect("the shipped prices are valid")
        });
        &SHIPPED
    }

    /// Returns the day on which the prices were in force, such as `2026-11-25`.
    pub fn date(&self) -> &str {
        &self.date
    }

    /// Returns the price of a web search.
    pub fn web_search(&self) -> Usd {
        self.web_search
    }

    /// Returns all models that have prices, sorted by name.
    pub fn models(&self) -> impl Iterator<Item = (&str, &ModelPrices)> {
        self.models
            .iter()
            .map(|(name, prices)| (name.as_str(), prices))
    }

    /// Returns the prices of a model. The name may also be a cloud provider's name for the model, and may end with a
    /// date or with the size of the context window. For example, `us.anthropic.claude-haiku-4-5-20251001-v1:0` and
    /// `claude-haiku-4-5[1m]` have the prices of `claude-haiku-4-5`, unless the table has prices for exactly these
    /// names. Returns `None` if the table has no prices for the model.
    pub fn of(&self, model: &str) -> Option<&ModelPrices> {
        forms(model).find_map(|name| self.models.get(name))
    }

    /// Returns the cost of an answer with these tokens and web searches. Returns `None` if the table has no prices for
    /// the model.
    ///
    /// The result is exact, unless the factor for inference in the United States applies. With this factor, the result
    /// is rounded to the nearest picodollar.
    pub fn cost(&self, model: &str, tokens: &Tokens, terms: Terms) -> Option<Usd> {
        let prices = self.of(model)?;
        let mut cost = prices.rates(tokens, terms).cost(tokens).picodollars();
        if terms.is_us {
            let scaled = cost.saturating_mul(u128::from(self.us_inference));
            cost = scaled.saturating_add(500) / 1000;
        }
        let searches = self.web_search.picodollars();
        let searches = searches.saturating_mul(u128::from(tokens.web_searches));
        Some(Usd::from_picodollars(cost.saturating_add(searches)))
    }
}

impl ModelPrices {
    /// Returns the prices that apply to an answer. The prices of fast mode apply to inputs of any length.
    fn rates(&self, tokens: &Tokens, terms: Terms) -> Rates {
        let input = [tokens.cache_read, tokens.cache_write];
        let input = input.into_iter().fold(tokens.input, u64::saturating_add);
        let fast = self.fast.filter(|_| terms.is_fast);
        let long = self.long.filter(|long| input > long.above);
        fast.or(long.map(|long| long.rates))
            .unwrap_or(self.standard)
    }
}

impl Rates {
    /// Returns the cost of the tokens, without web searches.
    fn cost(&self, tokens: &Tokens) -> Usd {
        let hour = tokens.cache_write_1h.min(tokens.cache_write);
        let parts = [
            (self.input, tokens.input),
            (self.output, tokens.output),
            (self.cache_read, tokens.cache_read),
            (self.cache_write_5m, tokens.cache_write - hour),
            (self.cache_write_1h, hour),
        ];
        let costs = parts.into_iter().map(|(price, tokens)| {
            // A price has at most six decimals, so the price of a single token is a whole number of picodollars.
            let price = price.picodollars() / MILLION;
            Usd::from_picodollars(price.saturating_mul(u128::from(tokens)))
        });
        costs.fold(Usd::ZERO, |sum, cost| sum + cost)
    }
}

/// Returns the forms of a model's name under which a table may contain it. The first form is the name itself, as the
/// API or a cloud provider writes it. Each further form lacks another addition to the model's own name.
fn forms(name: &str) -> impl Iterator<Item = &str> {
    // This form lacks the size of the context window, such as `[1m]`.
    let plain = name.split('[').next().unwrap_or(name);
    // This form lacks a provider and its region, such as `us.anthropic.` or `anthropic/`.
    let own = plain.find("claude-").map_or(plain, |at| &plain[at..]);
    // This form lacks a version of the provider, such as `-v1:0`, and a date such as `@20251101`.
    let own = own.split(['@', ':']).next().unwrap_or(own);
    let own = without_end(own, "-v", |digits| digits <= 2);
    let undated = without_end(own, "-", |digits| digits == 8);
    [name, plain, own, undated].into_iter()
}

/// Removes this mark and the digits after it from the end of a name.
fn without_end<'a>(name: &'a str, mark: &str, fits: impl Fn(usize) -> bool) -> &'a str {
    let start = name.trim_end_matches(|c: char| c.is_ascii_digit());
    let digits = name.len() - start.len();
    match start.strip_suffix(mark) {
        Some(start) if digits > 0 && fits(digits) => start,
        _ => name,
    }
}

#[cfg(test)]
mod tests;

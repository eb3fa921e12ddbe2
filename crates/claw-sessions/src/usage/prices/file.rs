//! A table of prices as JSON.

use std::collections::BTreeMap;
use std::fmt;
use std::fs::File;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use serde::de::{Error as _, Visitor};
use serde::{Deserialize, Deserializer};

use super::{LongPrices, ModelPrices, Prices, Rates};
use crate::time;
use crate::usage::Usd;

/// The maximum size of a file of prices, in bytes.
const MOST: u64 = 1 << 20;

/// The number of picodollars in a millionth of a US dollar.
const MILLIONTH: u128 = 1_000_000;

/// The reason why a table of prices could not be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PricesError {
    /// The file could not be read.
    #[error("cannot read the prices in {}: {source}", path.display())]
    Io {
        /// The path of the file.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// The table is not valid.
    #[error("the prices are not valid, in {field} at line {line}, column {column}: {reason}")]
    Invalid {
        /// The field that is not valid, such as `models.claude-haiku-4-5.input`. If the table as a whole is not valid,
        /// this text is `the table`.
        field: String,
        /// The number of the line, counted from 1.
        line: usize,
        /// The number of the column, counted from 1.
        column: usize,
        /// A description of the mistake.
        reason: String,
    },
}

impl Prices {
    /// Reads a table of prices from a file. See [`from_json`](Self::from_json).
    ///
    /// # Errors
    ///
    /// Fails with [`PricesError::Io`] if the file cannot be read or has more than 1 MiB, and with
    /// [`PricesError::Invalid`] if it is not a table of prices.
    pub fn from_file(path: impl AsRef<Path>) -> Result<Self, PricesError> {
        let path = path.as_ref();
        let read = || {
            let mut text = String::new();
            File::open(path)?.take(MOST + 1).read_to_string(&mut text)?;
            if text.len() as u64 > MOST {
                return Err(io::Error::other("the file has more than 1 MiB"));
            }
            Ok(text)
        };
        let text = read().map_err(|source| PricesError::Io {
            path: path.to_owned(),
            source,
        })?;
        Self::from_json(&text)
    }

    /// Reads a table of prices from JSON. All prices are in US dollars, with at most six decimals. The prices of
    /// tokens are for a million tokens.
    ///
    /// ```
    /// use claw_sessions::Prices;
    ///
    /// let prices = Prices::from_json(r#"{
    ///     "date": "2026-11-25",
    ///     "webSearch": 0.01,
    ///     "usInference": 1.1,
    ///     "models": {
    ///         "claude-haiku-4-5": {
    ///             "input": 1, "output": 5, "cacheRead": 0.1, "cacheWrite5m": 1.25, "cacheWrite1h": 2
    ///         }
    ///     }
    /// }"#)?;
    /// assert!(prices.of("claude-haiku-4-5-20251001").is_some());
    /// # Ok::<(), claw_sessions::PricesError>(())
    /// ```
    ///
    /// A model may have an object `fast`, which contains the five prices in fast mode. It may also have an object
    /// `long` for answers to long inputs. This object contains five prices and the number `above`: an input with more
    /// tokens than this number is long. `usInference` is the factor for answers whose inference is bound to the United
    /// States. Its default is 1.
    ///
    /// # Errors
    ///
    /// Fails with [`PricesError::Invalid`] if the text is not a table of prices. The error names the field and its
    /// place.
    pub fn from_json(json: &str) -> Result<Self, PricesError> {
        let mut reader = serde_json::Deserializer::from_str(json);
        let table: Table = serde_path_to_error::deserialize(&mut reader)
            .map_err(|error| invalid(&error.path().to_string(), error.inner()))?;
        reader.end().map_err(|error| invalid(".", &error))?;
        Ok(table.into())
    }
}

fn invalid(path: &str, error: &serde_json::Error) -> PricesError {
    let field = if path == "." { "the table" } else { path };
    let reason = error.to_string();
    // The error has separate fields for the line and the column, so they are removed from the text.
    let place = format!(" at line {} column {}", error.line(), error.column());
    let reason = reason.strip_suffix(&place).unwrap_or(&reason).to_owned();
    PricesError::Invalid {
        field: field.to_owned(),
        line: error.line(),
        column: error.column(),
        reason,
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Table {
    #[serde(deserialize_with = "date")]
    date: String,
    #[serde(deserialize_with = "price")]
    web_search: Usd,
    #[serde(default = "one", deserialize_with = "factor")]
    us_inference: u32,
    models: BTreeMap<String, Model>,
}

/// Defines an object with the five prices and these other fields. The macro does not use `flatten`, because errors
/// would then lose their line and column.
macro_rules! prices {
    ($name:ident { $($field:ident: $kind:ty),* }) => {
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase", deny_unknown_fields)]
        struct $name {
            #[serde(deserialize_with = "price")]
            input: Usd,
            #[serde(deserialize_with = "price")]
            output: Usd,
            #[serde(deserialize_with = "price")]
            cache_read: Usd,
            #[serde(rename = "cacheWrite5m", deserialize_with = "price")]
            cache_write_5m: Usd,
            #[serde(rename = "cacheWrite1h", deserialize_with = "price")]
            cache_write_1h: Usd,
            $($field: $kind,)*
        }

        impl $name {
            fn rates(&self) -> Rates {
                Rates {
                    input: self.input,
                    output: self.output,
                    cache_read: self.cache_read,
                    cache_write_5m: self.cache_write_5m,
                    cache_write_1h: self.cache_write_1h,
                }
            }
        }
    };
}

prices!(Model { fast: Option<Fast>, long: Option<Long> });
prices!(Fast {});
prices!(Long { above: u64 });

impl From<Table> for Prices {
    fn from(table: Table) -> Self {
        let models = table.models.into_iter();
        Self {
            date: table.date,
            web_search: table.web_search,
            us_inference: table.us_inference,
            models: models.map(|(name, model)| (name, model.into())).collect(),
        }
    }
}

impl From<Model> for ModelPrices {
    fn from(model: Model) -> Self {
        Self {
            standard: model.rates(),
            fast: model.fast.as_ref().map(Fast::rates),
            long: model.long.as_ref().map(|long| LongPrices {
                above: long.above,
                rates: long.rates(),
            }),
        }
    }
}

/// Returns the neutral factor.
const fn one() -> u32 {
    1000
}

fn date<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    let text = String::deserialize(deserializer)?;
    if text.len() == 10 && time::parse(text.as_bytes()).is_some() {
        return Ok(text);
    }
    Err(D::Error::custom(
        "expected a date of the calendar, such as 2026-11-25",
    ))
}

fn price<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Usd, D::Error> {
    let what = "a number of US dollars from 0 to 1000000, with at most six decimals";
    let most = MILLIONTH * MILLIONTH * MILLIONTH;
    let price = deserializer.deserialize_any(Decimal(what))?;
    let price = Usd::from_dollars(price)
        .filter(|price| price.picodollars() <= most && price.picodollars() % MILLIONTH == 0);
    price.ok_or_else(|| D::Error::custom(format_args!("expected {what}")))
}

fn factor<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u32, D::Error> {
    let what = "a number from 0 to 1000, with at most three decimals";
    let number = deserializer.deserialize_any(Decimal(what))?;
    // The factor is treated like an amount of money, because an amount has exact decimals.
    let thousandth = MILLIONTH * 1000;
    let number = Usd::from_dollars(number).map(Usd::picodollars);
    let number = number.filter(|number| number % thousandth == 0);
    number
        .and_then(|number| u32::try_from(number / thousandth).ok())
        .filter(|thousandths| *thousandths <= 1_000_000)
        .ok_or_else(|| D::Error::custom(format_args!("expected {what}")))
}

/// Reads a number. The text is the expectation that an error message contains.
struct Decimal(&'static str);

impl Visitor<'_> for Decimal {
    type Value = f64;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }

    fn visit_f64<E>(self, number: f64) -> Result<f64, E> {
        Ok(number)
    }

    #[expect(
        clippy::cast_precision_loss,
        reason = "a number that loses digits here is too large for a price"
    )]
    fn visit_u64<E>(self, number: u64) -> Result<f64, E> {
        Ok(number as f64)
    }

    #[expect(
        clippy::cast_precision_loss,
        reason = "no number below zero is a price"
    )]
    fn visit_i64<E>(self, number: i64) -> Result<f64, E> {
        Ok(number as f64)
    }
}

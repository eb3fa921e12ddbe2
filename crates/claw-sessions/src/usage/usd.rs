//! Amounts of money.

use std::fmt;
use std::ops::{Add, AddAssign};

use serde::{Serialize, Serializer};

/// The number of picodollars in a US dollar.
const DOLLAR: u128 = 1_000_000_000_000;

/// An amount of money in US dollars. It is kept as a whole number of picodollars (10⁻¹² US dollars), so sums are
/// exact. In JSON it is a number of US dollars.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Usd(u128);

impl Usd {
    /// The amount zero.
    pub const ZERO: Self = Self(0);

    /// Creates an amount from picodollars (10⁻¹² US dollars).
    pub const fn from_picodollars(picodollars: u128) -> Self {
        Self(picodollars)
    }

    /// Creates an amount from a number of US dollars, rounded to the nearest picodollar. Returns `None` if the number
    /// is negative or not finite.
    pub fn from_dollars(dollars: f64) -> Option<Self> {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            clippy::cast_precision_loss,
            reason = "the number is neither negative nor infinite, and a cast of one that is too large saturates"
        )]
        let amount = |dollars: f64| Self((dollars * DOLLAR as f64).round() as u128);
        (dollars.is_finite() && dollars >= 0.0).then(|| amount(dollars))
    }

    /// Returns the amount in picodollars (10⁻¹² US dollars).
    pub const fn picodollars(self) -> u128 {
        self.0
    }

    /// Returns the number of US dollars, rounded to the nearest number that an `f64` can hold.
    #[expect(
        clippy::cast_precision_loss,
        reason = "the result is documented as rounded"
    )]
    pub fn dollars(self) -> f64 {
        self.0 as f64 / DOLLAR as f64
    }
}

impl Add for Usd {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
}

impl AddAssign for Usd {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

/// Writes the number of US dollars without a unit. A precision such as `{:.2}` rounds half up. Without a precision, the
/// exact amount is written.
impl fmt::Display for Usd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(places) = f.precision().filter(|places| *places < 12) else {
            let (whole, part) = (self.0 / DOLLAR, self.0 % DOLLAR);
            let part = format!("{part:012}");
            let part = match f.precision() {
                Some(_) => &part,
                None => part.trim_end_matches('0'),
            };
            let point = if part.is_empty() { "" } else { "." };
            return f.pad_integral(true, "", &format!("{whole}{point}{part}"));
        };
        let unit = 10_u128.pow(12 - u32::try_from(places).unwrap_or(0));
        let rounded = self.0.saturating_add(unit / 2) / unit;
        let scale = DOLLAR / unit;
        let (whole, part) = (rounded / scale, rounded % scale);
        if places == 0 {
            return f.pad_integral(true, "", &whole.to_string());
        }
        f.pad_integral(true, "", &format!("{whole}.{part:0places$}"))
    }
}

impl Serialize for Usd {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_f64(self.dollars())
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for Usd {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Usd".into()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        f64::json_schema(generator)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(dollars: f64) -> Usd {
        Usd::from_dollars(dollars).unwrap()
    }

    #[test]
    fn sums_are_exact() {
        let mut sum = Usd::ZERO;
        for _ in 0..1_000_000 {
            sum += of(0.1);
        }
        assert_eq!(sum, of(100_000.0));
        assert_eq!((of(0.1) + of(0.2)).to_string(), "0.3");
        // The CLI wrote this sum of floating-point numbers.
        assert_eq!(of(0.000_280_000_000_000_000_03), of(0.000_28));
    }

    #[test]
    fn an_amount_is_written_exactly_or_rounded_half_up() {
        assert_eq!(Usd::ZERO.to_string(), "0");
        assert_eq!(of(12.5).to_string(), "12.5");
        assert_eq!(Usd::from_picodollars(1).to_string(), "0.000000000001");
        assert_eq!(format!("{:.2}", of(0.005)), "0.01");
        assert_eq!(format!("{:.2}", of(1.994_999)), "1.99");
        assert_eq!(format!("{:.2}", of(1.999)), "2.00");
        assert_eq!(format!("{:.0}", of(1.5)), "2");
        assert_eq!(format!("{:.15}", of(1.5)), "1.500000000000");
        assert_eq!(serde_json::to_string(&of(0.3)).unwrap(), "0.3");
        let most = Usd::from_picodollars(u128::MAX);
        assert_eq!(most + of(1.0), most);
        assert!(format!("{most:.2}").contains('.'));
    }

    #[test]
    fn not_every_number_is_an_amount() {
        for wrong in [-0.01, f64::NAN, f64::INFINITY] {
            assert_eq!(Usd::from_dollars(wrong), None, "{wrong}");
        }
    }
}

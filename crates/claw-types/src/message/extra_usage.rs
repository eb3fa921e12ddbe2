//! The paid usage beyond the limits of a subscription plan.

use crate::{Number, Tri};

/// The paid usage beyond the limits of a subscription plan.
#[wire]
pub struct ExtraUsage {
    /// Whether paid usage beyond the plan's limits is turned on.
    pub is_enabled: bool,
    /// The maximum amount per month, in the smallest unit of `currency`, such as cents. Null if no
    /// limit is set.
    #[wire(nullable)]
    pub monthly_limit: Option<Number>,
    /// The amount used so far, in the smallest unit of `currency`, such as cents.
    #[wire(nullable)]
    pub used_credits: Option<Number>,
    /// The used share of the monthly limit, in percent.
    #[wire(nullable)]
    pub utilization: Option<Number>,
    /// The currency of `monthly_limit` and `used_credits`. These amounts are in the currency's
    /// smallest unit, such as cents.
    pub currency: Tri<String>,
}

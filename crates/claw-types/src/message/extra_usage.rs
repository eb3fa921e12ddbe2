//! The paid usage beyond a plan.

use crate::{Number, Tri};

/// The paid usage beyond a plan.
#[wire]
pub struct ExtraUsage {
    /// Whether paid usage beyond the plan is turned on.
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
    /// The currency of the amounts. The amounts are numbers of its smallest unit, such as cents.
    pub currency: Tri<String>,
}

//! The budget of a session's process. The CLI ends a turn when the budget is spent. This enforces the cost limits of
//! users and projects.

use claw_client::QueryOptions;
use claw_types::Number;

/// The fraction by which the remaining budget of a process may differ from the amount that the cost limits still allow.
/// Other sessions spend from that amount all the time, and a small difference does not justify a new process.
const TOLERANCE: f64 = 0.1;

/// What a session's process may spend, in US dollars.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Budget {
    /// The amount that the next process may spend. `None` means no limit.
    next: Option<f64>,
    /// The amount that the current process could spend when it started. If no process runs, this is the amount of the
    /// last process. `None` means no limit.
    process: Option<f64>,
    /// The sum of the costs in the results of the current process, in US dollars.
    spent: f64,
}

impl Budget {
    /// Writes the budget into the options of a process that is about to start. If the options already contain a lower
    /// budget, that budget stays.
    pub(super) fn begin(&mut self, options: &mut QueryOptions) {
        (self.process, self.spent) = (self.next, 0.0);
        if let Some(budget) = self.next {
            let own = options.max_budget_usd.as_ref().map(Number::as_f64);
            let budget = own.map_or(budget, |own| own.min(budget));
            options.max_budget_usd = Some(Number::from(budget));
        }
    }

    pub(super) fn spend(&mut self, usd: f64) {
        self.spent += usd;
    }

    /// Sets the amount that the cost limits still allow, in US dollars. Returns whether the remaining budget of the current
    /// process differs too much from this amount: by more than the fraction [`TOLERANCE`], or because only one is limited.
    pub(super) fn set_left(&mut self, left: Option<f64>) -> bool {
        self.next = left;
        match (self.process, left) {
            (None, None) => false,
            (Some(budget), Some(left)) => (budget - self.spent - left).abs() > TOLERANCE * left,
            _ => true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn begun(budget: &mut Budget, options: QueryOptions) -> Option<f64> {
        let mut options = options;
        budget.begin(&mut options);
        options.max_budget_usd.map(|budget| budget.as_f64())
    }

    #[test]
    fn a_process_is_kept_as_long_as_its_budget_is_about_what_is_left() {
        let mut budget = Budget::default();
        assert!(!budget.set_left(None));
        assert!(budget.set_left(Some(1.0)));
        assert_eq!(begun(&mut budget, QueryOptions::default()), Some(1.0));
        budget.spend(0.5);
        assert!(!budget.set_left(Some(0.5)));
        // Another session spends 0.04, which is tolerated, and then more.
        assert!(!budget.set_left(Some(0.46)));
        assert!(budget.set_left(Some(0.4)));
        // A new day begins, so more is left.
        assert!(budget.set_left(Some(1.0)));
        assert!(budget.set_left(None));
        assert_eq!(begun(&mut budget, QueryOptions::default()), None);
    }

    #[test]
    fn the_budget_of_the_options_holds_as_well() {
        let mut budget = Budget::default();
        budget.set_left(Some(1.0));
        let options = |usd: f64| QueryOptions::default().max_budget_usd(usd);
        assert_eq!(begun(&mut budget, options(0.5)), Some(0.5));
        assert_eq!(begun(&mut budget, options(2.0)), Some(1.0));
    }
}

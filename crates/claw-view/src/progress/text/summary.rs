//! Parses two kinds of rows of numbers: a list of outcomes with their total, and the columns of a transfer.

use super::measure::{Line, Measure};
use super::token::{Kind, Token};
use super::words::Class;
use crate::progress::Certainty;

impl Line<'_> {
    /// Returns the progress that a list of outcomes with a total reports. Examples of such lists are `1 failed, 3
    /// passed, 4 total`, `Passed: 3, Total: 3` and `3 passed (3)`.
    pub(super) fn summary(&self) -> Option<Measure> {
        let tokens = self.tokens;
        if tokens
            .iter()
            .any(|t| t.text.to_ascii_lowercase().starts_with("snapshot"))
        {
            return None;
        }
        let number = |token: Option<&Token<'_>>| match token?.kind {
            Kind::Number(n) => Some(n),
            _ => None,
        };
        let (mut finished, mut outcomes, mut total) = (0_u64, 0, None);
        let mut from = None;
        for (at, token) in tokens.iter().enumerate() {
            let is_total = token.reads(&["total"]);
            let counted = match token.punctuation {
                Some(':') => number(tokens.get(at + 1)),
                _ => at.checked_sub(1).and_then(|at| number(tokens.get(at))),
            };
            if let Some(count) = counted {
                if is_total {
                    total = Some(count);
                } else if token.is(Class::OUTCOME) {
                    finished = finished.saturating_add(count);
                    outcomes += 1;
                    from = from.or(Some(at));
                }
            }
            let last = at + 3 >= tokens.len();
            if outcomes > 0
                && last
                && token.is_mark("(")
                && tokens.get(at + 2).is_some_and(|t| t.is_mark(")"))
            {
                total = total.or(number(tokens.get(at + 1)));
            }
        }
        let (total, at) = (total?, from?);
        (total > 0 && finished <= total).then(|| Measure {
            is_summary: true,
            ..Measure::count(finished, total, at, Certainty::Likely)
        })
    }

    /// Returns the progress from the columns of a transfer, such as `45 10.0M 45 4608k 0 0 1200k 0 0:00:08 …`. The
    /// first column is a percentage.
    pub(super) fn meter(&self) -> Option<Measure> {
        let kind = |at: usize| self.tokens.get(at).map(|token| token.kind);
        let times = self
            .tokens
            .iter()
            .filter(|token| token.kind == Kind::Time)
            .count();
        let share = |at: usize| match kind(at) {
            Some(Kind::Number(share)) if share <= 100 => u32::try_from(share).ok(),
            _ => None,
        };
        let is_size = |at: usize| matches!(kind(at), Some(Kind::Size(_) | Kind::Number(_)));
        let columns = self.tokens.len() == 12 && times >= 1 && is_size(1) && is_size(3);
        let share = share(0).filter(|_| columns && share(2).is_some() && share(4).is_some())?;
        Some(Measure::percent(share.into(), 0, Certainty::Likely))
    }
}

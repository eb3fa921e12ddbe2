//! Medians of rounds.

use std::time::{Duration, Instant};

pub(crate) fn time<T>(times: usize, mut f: impl FnMut() -> T) -> Duration {
    let start = Instant::now();
    for _ in 0..times {
        std::hint::black_box(f());
    }
    start.elapsed()
}

pub(crate) fn median(values: &mut [f64]) -> f64 {
    quantile(values, 0.5)
}

/// The value below which this part of all values is.
pub(crate) fn quantile(values: &mut [f64], part: f64) -> f64 {
    values.sort_by(f64::total_cmp);
    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "an index"
    )]
    let at = (values.len() as f64 * part) as usize;
    values
        .get(at.min(values.len().saturating_sub(1)))
        .copied()
        .unwrap_or(f64::NAN)
}

/// The 95 % confidence interval of the median. It is computed from order statistics, so it assumes
/// no particular distribution.
pub(crate) fn interval(values: &mut [f64]) -> (f64, f64) {
    #[expect(clippy::cast_precision_loss, reason = "a count")]
    let half = 0.98 / (values.len() as f64).sqrt();
    (quantile(values, 0.5 - half), quantile(values, 0.5 + half))
}

/// The geometric mean.
pub(crate) fn mean(values: &[f64]) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "a count")]
    let count = values.len() as f64;
    (values.iter().map(|v| v.ln()).sum::<f64>() / count).exp()
}

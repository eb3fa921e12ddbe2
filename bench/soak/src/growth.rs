//! Finds figures that grow.
//!
//! The first third of a run is left out, because caches fill and sessions begin in it. The rest is divided into 24
//! pieces. Only the median of each piece counts, so that a peak of some seconds has no effect. The growth is the median
//! of the slopes between all pairs of pieces (the Theil–Sen estimator): up to a quarter of the pieces may be outliers
//! without changing it.
//!
//! The growth is too large if it is above the bound for an hour and, over the examined time, above the noise.

use crate::samples::{METRICS, Sample};

/// The number of pieces into which the examined time is divided.
const PIECES: usize = 24;

/// The allowed growth of a figure.
struct Bound {
    /// The maximum growth in an hour.
    hour: f64,
    /// The growth over the examined time that counts as noise.
    noise: f64,
}

/// The bounds, in the order of [`METRICS`]. A figure with `None` is shown, but not judged: the CLI keeps transcripts
/// and other files of each session, as it should.
const BOUNDS: [Option<Bound>; METRICS.len()] = [
    Some(Bound {
        hour: 6_144.0,
        noise: 3_072.0,
    }),
    Some(Bound {
        hour: 4.0,
        noise: 3.0,
    }),
    Some(Bound {
        hour: 2.0,
        noise: 2.0,
    }),
    Some(Bound {
        hour: 2.0,
        noise: 2.0,
    }),
    Some(Bound {
        hour: 10.0,
        noise: 8.0,
    }),
    Some(Bound {
        hour: 512.0,
        noise: 256.0,
    }),
    None,
];

/// The trend of a figure of a host.
pub(crate) struct Trend {
    pub(crate) host: &'static str,
    pub(crate) metric: &'static str,
    /// The medians of the first and the last piece.
    pub(crate) from: f64,
    pub(crate) to: f64,
    /// The growth in an hour.
    pub(crate) slope: f64,
    pub(crate) bound: Option<f64>,
    pub(crate) is_too_much: bool,
}

/// The trends of all figures of a host.
pub(crate) fn trends(host: &'static str, samples: &[Sample]) -> Vec<Trend> {
    let of_host: Vec<_> = samples
        .iter()
        .filter(|sample| sample.host == host)
        .collect();
    (0..METRICS.len())
        .filter_map(|metric| {
            let points = of_host
                .iter()
                .map(|sample| (sample.seconds, sample.values[metric]));
            trend(host, metric, &points.collect::<Vec<_>>())
        })
        .collect()
}

fn trend(host: &'static str, metric: usize, points: &[(f64, f64)]) -> Option<Trend> {
    let (begin, end) = (points.first()?.0, points.last()?.0);
    let from = begin + (end - begin) / 3.0;
    let settled: Vec<_> = points
        .iter()
        .copied()
        .filter(|point| point.0 >= from)
        .collect();
    let pieces = pieces(&settled);
    let slope = slope(&pieces)? * 3_600.0;
    let growth = slope * (end - from) / 3_600.0;
    let bound = BOUNDS[metric].as_ref();
    Some(Trend {
        host,
        metric: METRICS[metric],
        from: pieces.first()?.1,
        to: pieces.last()?.1,
        slope,
        bound: bound.map(|bound| bound.hour),
        is_too_much: bound.is_some_and(|bound| slope > bound.hour && growth > bound.noise),
    })
}

/// The times of the pieces, and their medians.
fn pieces(points: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let size = points.len().div_ceil(PIECES).max(1);
    points
        .chunks(size)
        .map(|piece| {
            let times = piece.iter().map(|point| point.0).collect();
            (
                median(times),
                median(piece.iter().map(|point| point.1).collect()),
            )
        })
        .collect()
}

/// The growth in a second. `None` if there are fewer than two pieces.
fn slope(pieces: &[(f64, f64)]) -> Option<f64> {
    let slopes: Vec<_> = pieces
        .iter()
        .enumerate()
        .flat_map(|(at, a)| {
            pieces[at + 1..]
                .iter()
                .map(move |b| (b.1 - a.1) / (b.0 - a.0))
        })
        .collect();
    (!slopes.is_empty()).then(|| median(slopes))
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

#[cfg(test)]
mod tests {
    use super::{METRICS, trend};

    /// An hour of samples, five seconds apart, with noise and peaks.
    fn hour(value: impl Fn(f64, &mut fastrand::Rng) -> f64) -> Vec<(f64, f64)> {
        let mut random = fastrand::Rng::with_seed(43);
        (0..720)
            .map(|at| f64::from(at) * 5.0)
            .map(|seconds| (seconds, value(seconds, &mut random)))
            .collect()
    }

    fn is_too_much(metric: &str, points: &[(f64, f64)]) -> bool {
        let metric = METRICS.iter().position(|&name| name == metric).unwrap();
        trend("host", metric, points).unwrap().is_too_much
    }

    #[test]
    fn memory_that_fills_at_first_and_has_peaks_does_not_grow() {
        let points = hour(|seconds, random| {
            let warm = 30_000.0 * (1.0 - (-seconds / 300.0).exp());
            let peak = if random.u8(..) < 20 { 40_000.0 } else { 0.0 };
            20_000.0 + warm + random.f64() * 2_000.0 + peak
        });
        assert!(!is_too_much("memory_kib", &points));
    }

    #[test]
    fn eight_megabytes_an_hour_are_a_leak_under_the_same_noise() {
        let points = hour(|seconds, random| {
            let peak = if random.u8(..) < 20 { 40_000.0 } else { 0.0 };
            20_000.0 + seconds / 3_600.0 * 8_192.0 + random.f64() * 2_000.0 + peak
        });
        assert!(is_too_much("memory_kib", &points));
    }

    #[test]
    fn a_descriptor_in_ten_minutes_is_a_leak() {
        let points =
            hour(|seconds, random| 20.0 + (seconds / 600.0).floor() + f64::from(random.u8(..3)));
        assert!(is_too_much("descriptors", &points));
        let points = hour(|_, random| 20.0 + f64::from(random.u8(..6)));
        assert!(!is_too_much("descriptors", &points));
    }

    #[test]
    fn a_step_of_noise_in_a_short_run_is_none() {
        let points: Vec<_> = (0..60)
            .map(|at| (f64::from(at) * 5.0, 9.0 + f64::from(at / 40)))
            .collect();
        assert!(!is_too_much("threads", &points));
    }
}

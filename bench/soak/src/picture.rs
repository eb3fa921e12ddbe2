//! The curves of a run as one SVG: one row for each figure, and one column for each host.

use std::fmt::Write as _;

use crate::growth::Trend;
use crate::samples::{METRICS, Sample};

const WIDTH: f64 = 300.0;
const HEIGHT: f64 = 96.0;
const LEFT: f64 = 12.0;
const TOP: f64 = 46.0;
const GAP: f64 = 26.0;
/// The maximum number of points in a curve. More points could not be distinguished.
const POINTS: usize = 300;

pub(crate) fn draw(title: &str, hosts: &[&str], samples: &[Sample], trends: &[Trend]) -> String {
    let width = LEFT + hosts.len() as f64 * (WIDTH + GAP);
    let height = TOP + METRICS.len() as f64 * (HEIGHT + GAP);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" font-family=\"sans-serif\" \
         font-size=\"11\">\n<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n\
         <text x=\"{LEFT}\" y=\"18\" font-size=\"14\" fill=\"#222\">{}</text>\n",
        escaped(title)
    );
    for (column, host) in hosts.iter().enumerate() {
        for (row, metric) in METRICS.iter().enumerate() {
            let x = LEFT + column as f64 * (WIDTH + GAP);
            let y = TOP + row as f64 * (HEIGHT + GAP);
            let points: Vec<_> = samples
                .iter()
                .filter(|sample| sample.host == *host)
                .map(|sample| (sample.seconds, sample.values[row]))
                .collect();
            let trend = trends
                .iter()
                .find(|trend| trend.host == *host && trend.metric == *metric);
            curve(
                &mut svg,
                (x, y),
                &format!("{host}: {metric}"),
                &points,
                trend,
            );
        }
    }
    svg + "</svg>\n"
}

fn curve(
    svg: &mut String,
    (x, y): (f64, f64),
    name: &str,
    points: &[(f64, f64)],
    trend: Option<&Trend>,
) {
    let highest = points.iter().map(|point| point.1).fold(1.0, f64::max) * 1.1;
    let last = points.last().map_or(1.0, |point| point.0).max(1.0);
    let place = |(seconds, value): (f64, f64)| {
        format!(
            "{:.1},{:.1}",
            x + seconds / last * WIDTH,
            y + HEIGHT - value / highest * HEIGHT
        )
    };
    let step = points.len().div_ceil(POINTS).max(1);
    let places: Vec<_> = points.iter().step_by(step).copied().map(place).collect();
    let slope = trend.map_or(String::new(), |trend| {
        format!(", {:+.1} an hour", trend.slope)
    });
    let colour = match trend {
        Some(trend) if trend.is_too_much => "#c0392b",
        _ => "#2c6e9b",
    };
    // Writing to a String cannot fail.
    let _ = write!(
        svg,
        "<text x=\"{x}\" y=\"{}\" fill=\"#222\">{}</text>\n\
         <rect x=\"{x}\" y=\"{y}\" width=\"{WIDTH}\" height=\"{HEIGHT}\" fill=\"#f6f7f9\"/>\n\
         <polyline points=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"1.2\"/>\n\
         <text x=\"{}\" y=\"{}\" text-anchor=\"end\" fill=\"#666\">{:.0}</text>\n\
         <text x=\"{}\" y=\"{}\" text-anchor=\"end\" fill=\"#666\">{:.0} min</text>\n",
        y - 5.0,
        escaped(&format!("{name}{slope}")),
        places.join(" "),
        x + WIDTH,
        y + 11.0,
        highest / 1.1,
        x + WIDTH,
        y + HEIGHT - 4.0,
        last / 60.0,
    );
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;")
}

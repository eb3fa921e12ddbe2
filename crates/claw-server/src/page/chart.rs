//! A bar chart as SVG, without its own styles.

use std::io::{self, Write};

use claw_view::html::Html;

const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 220.0;
const BOTTOM: f64 = 30.0;
const TOP: f64 = 30.0;
/// Maximum width of a bar. Without it, the bar of a single day would fill the chart.
const WIDEST: f64 = 72.0;
/// Maximum number of bars that have a name below them. On a phone, the names are larger in relation to the chart, so
/// more names would overlap.
const NAMES: usize = 3;
/// Half of the maximum width of a name, in units of the view box.
const HALF: f64 = 68.0;

/// Writes a bar chart. `bars` contains the name and the value of each bar. The names are written below the bars, and
/// the value is written above the largest bar. Screen readers read `title`.
pub(super) fn bars<W: Write>(
    html: &mut Html<W>,
    title: &str,
    bars: &[(String, f64)],
    named: impl Fn(f64) -> String,
) -> io::Result<()> {
    let largest = bars.iter().map(|(_, value)| *value).fold(0.0, f64::max);
    #[expect(clippy::cast_precision_loss, reason = "there are few bars")]
    let count = bars.len().max(1) as f64;
    let step = WIDTH / count;
    html.raw("<svg class=\"chart\" role=\"img\" viewBox=\"0 0 720 220\"><title>")?;
    html.text(title)?;
    html.raw("</title><line x1=\"0\" x2=\"720\" y1=\"190\" y2=\"190\"/>")?;
    let every = bars.len().div_ceil(NAMES).max(1);
    let mut is_labelled = false;
    let mut x = 0.0;
    for (number, (name, value)) in bars.iter().enumerate() {
        let height = if largest > 0.0 {
            value / largest * (HEIGHT - BOTTOM - TOP)
        } else {
            0.0
        };
        let y = HEIGHT - BOTTOM - height;
        html.raw("<rect x=\"")?;
        let width = (step * 0.8).min(WIDEST);
        html.text(&format!("{:.1}", x + (step - width) / 2.0))?;
        html.raw("\" width=\"")?;
        html.text(&format!("{width:.1}"))?;
        html.raw("\" y=\"")?;
        html.text(&format!("{y:.1}"))?;
        html.raw("\" height=\"")?;
        html.text(&format!("{height:.1}"))?;
        html.raw("\"><title>")?;
        html.text(&format!("{name}: {}", named(*value)))?;
        html.raw("</title></rect>")?;
        let middle = x + step / 2.0;
        if number % every == 0 {
            let middle = middle.clamp(HALF, WIDTH - HALF);
            label(html, middle, HEIGHT - 6.0, name)?;
        }
        if !is_labelled && largest > 0.0 && *value >= largest {
            is_labelled = true;
            label(
                html,
                middle.clamp(HALF, WIDTH - HALF),
                y - 5.0,
                &named(*value),
            )?;
        }
        x += step;
    }
    html.raw("</svg>")
}

fn label<W: Write>(html: &mut Html<W>, x: f64, y: f64, text: &str) -> io::Result<()> {
    html.raw("<text text-anchor=\"middle\" x=\"")?;
    html.text(&format!("{x:.1}"))?;
    html.raw("\" y=\"")?;
    html.text(&format!("{y:.1}"))?;
    html.raw("\">")?;
    html.text(text)?;
    html.raw("</text>")
}

//! Writes tables to a terminal. The cells contain text from transcripts, so they are always escaped.

use claw_sessions::Usd;
use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

use crate::escape::escape;

/// The gap between two columns.
const GAP: &str = "  ";

/// The minimum width of a column of the kind [`Column::Rest`].
const LEAST: usize = 12;

/// The alignment of a column, and the handling of texts that are too wide.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Column {
    /// Texts that are shortened to this width.
    Text(usize),
    /// Numbers, aligned to the right.
    Number,
    /// Texts that are shortened to the width that the other columns leave free.
    Rest,
}

/// A table with a head. Columns without text are left out.
#[derive(Debug)]
pub(super) struct Table {
    columns: Vec<(&'static str, Column)>,
    rows: Vec<Vec<String>>,
}

impl Table {
    pub(super) fn new(columns: &[(&'static str, Column)]) -> Self {
        Self {
            columns: columns.to_vec(),
            rows: Vec::new(),
        }
    }

    /// Adds a row. Its texts need not be escaped.
    pub(super) fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        let cells = cells.into_iter().zip(&self.columns);
        let cells = cells.map(|(text, (_, column))| match column {
            Column::Text(most) => fit(&text, *most),
            Column::Number | Column::Rest => fit(&text, usize::MAX),
        });
        self.rows.push(cells.collect());
    }

    /// Returns the lines of the table. If `width` is given, each line has at most this width.
    pub(super) fn lines(&self, width: Option<usize>) -> String {
        let widths: Vec<_> = (0..self.columns.len())
            .map(|column| {
                let cells = self.rows.iter().map(|row| row[column].width());
                let most = cells.max().unwrap_or_default();
                let head = self.columns[column].0.width();
                if most == 0 { 0 } else { most.max(head) }
            })
            .collect();
        let mut rest = width;
        if let Some(rest) = &mut rest {
            for ((_, column), width) in self.columns.iter().zip(&widths) {
                if *column != Column::Rest && *width > 0 {
                    *rest = rest.saturating_sub(width + GAP.len());
                }
            }
            *rest = (*rest).max(LEAST);
        }
        let head = self.columns.iter().map(|(name, _)| (*name).to_owned());
        let mut lines = String::new();
        for row in std::iter::once(&head.collect()).chain(&self.rows) {
            let mut line = String::new();
            for ((cell, (_, column)), width) in row.iter().zip(&self.columns).zip(&widths) {
                if *width == 0 {
                    continue;
                }
                if !line.is_empty() {
                    line += GAP;
                }
                let cell = match (column, rest) {
                    (Column::Rest, Some(rest)) => &fit(cell, rest),
                    _ => cell,
                };
                let space = " ".repeat(width.saturating_sub(cell.width()));
                match column {
                    Column::Number => line.extend([&*space, cell]),
                    Column::Text(_) | Column::Rest => line.extend([cell, &*space]),
                }
            }
            lines += line.trim_end();
            lines.push('\n');
        }
        lines
    }
}

/// Escapes a text, and returns it as one line of at most this width.
pub(super) fn fit(text: &str, width: usize) -> String {
    let flat = text.split_whitespace().collect::<Vec<_>>().join(" ");
    start(&escape(&flat), width)
}

/// Returns the beginning of an escaped text, with at most this width.
pub(super) fn start(text: &str, width: usize) -> String {
    let (all, fits) = taken(text.chars(), width);
    if fits {
        return all.into_iter().collect();
    }
    let (some, _) = taken(text.chars(), width.saturating_sub(1));
    some.into_iter().chain(['…']).take(width).collect()
}

/// Returns the end of an escaped text, with at most this width.
pub(super) fn end(text: &str, width: usize) -> String {
    let (all, fits) = taken(text.chars().rev(), width);
    if fits {
        return all.into_iter().rev().collect();
    }
    let (some, _) = taken(text.chars().rev(), width.saturating_sub(1));
    ['…']
        .into_iter()
        .chain(some.into_iter().rev())
        .take(width)
        .collect()
}

/// Takes as many characters as fit into this width. Also returns whether these are all characters.
fn taken(chars: impl Iterator<Item = char>, width: usize) -> (Vec<char>, bool) {
    let (mut room, mut marks) = (width, 0);
    let mut taken = Vec::new();
    for c in chars {
        let mut needed = c.width().unwrap_or(0);
        // Combining marks have no width. More than 50 of them are counted as one column each, so that thousands of them
        // do not fit.
        marks += usize::from(needed == 0);
        needed = needed.max(usize::from(marks > 50));
        if needed > room {
            return (taken, false);
        }
        room -= needed;
        taken.push(c);
    }
    (taken, true)
}

/// Writes a number of tokens in short form.
pub(super) fn number(number: u64) -> String {
    scaled(number, 1000, &["", "k", "M", "G", "T", "P", "E"])
}

/// Writes the size of a file in short form.
pub(super) fn size(bytes: u64) -> String {
    scaled(
        bytes,
        1000,
        &[" B", " kB", " MB", " GB", " TB", " PB", " EB"],
    )
}

/// Writes a number with a unit. The number is rounded down, so that it never looks larger than it is.
fn scaled(number: u64, step: u64, units: &[&str]) -> String {
    let (mut unit, mut scale) = (0, 1);
    while number / scale >= step && unit + 1 < units.len() {
        scale *= step;
        unit += 1;
    }
    let whole = number / scale;
    if unit == 0 || whole >= 10 {
        return format!("{whole}{}", units[unit]);
    }
    format!("{whole}.{}{}", number % scale * 10 / scale, units[unit])
}

/// Writes the time between `then` and `now`, which are in milliseconds since 1970.
pub(super) fn ago(then: i64, now: i64) -> String {
    let seconds = now.saturating_sub(then).max(0) / 1000;
    let (minutes, hours, days) = (seconds / 60, seconds / 3600, seconds / 86_400);
    match () {
        () if seconds < 60 => "now".to_owned(),
        () if minutes < 60 => format!("{minutes} min"),
        () if hours < 48 => format!("{hours} h"),
        () if days < 60 => format!("{days} d"),
        () if days < 730 => format!("{} mon", days / 30),
        () => format!("{} y", days / 365),
    }
}

/// Writes an amount of money. A small amount has more decimals.
pub(super) fn money(usd: Usd) -> String {
    if usd > Usd::ZERO && usd.dollars() < 0.01 {
        format!("${usd:.4}")
    } else {
        format!("${usd:.2}")
    }
}

/// Writes a cost. A plus marks an incomplete cost.
pub(super) fn dollars(cost: Option<claw_sessions::Cost>) -> String {
    cost.map_or_else(String::new, |cost| {
        let plus = if cost.is_whole { "" } else { "+" };
        format!("{}{plus}", money(cost.usd))
    })
}

//! The result of a comparison, and its output.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::{self, Display, Formatter};

/// The result of a comparison.
#[derive(Default)]
pub(super) struct Report {
    /// The differences, each in one line: the place, then the difference.
    pub(super) differences: BTreeSet<String>,
    /// The counts by the first word of the place, such as `request` or `message`.
    pub(super) counts: BTreeMap<String, Counts>,
}

/// The numbers of things of the left side that the right side has too.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Counts {
    pub(super) variants: Count,
    pub(super) fields: Count,
    pub(super) values: Count,
    /// The number of things that the right side lacks on purpose. Neither they nor their contents are in the other
    /// counts.
    pub(super) left_out: usize,
}

/// The number of things of the left side, and how many of them the right side has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Count {
    pub(super) covered: usize,
    pub(super) all: usize,
}

impl Counts {
    pub(super) fn sum(self, other: Self) -> Self {
        Self {
            variants: self.variants.sum(other.variants),
            fields: self.fields.sum(other.fields),
            values: self.values.sum(other.values),
            left_out: self.left_out + other.left_out,
        }
    }
}

impl Count {
    pub(super) fn add(&mut self, covered: bool) {
        self.covered += usize::from(covered);
        self.all += 1;
    }

    fn sum(self, other: Self) -> Self {
        Self {
            covered: self.covered + other.covered,
            all: self.all + other.all,
        }
    }
}

impl Display for Count {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Self { covered, all } = *self;
        let permille = (covered * 1000).checked_div(all).unwrap_or(1000);
        write!(
            f,
            "{covered} / {all} ({}.{} %)",
            permille / 10,
            permille % 10
        )
    }
}

/// Returns a table with the share of the package that claw has.
pub(super) fn totals(report: &Report) -> String {
    let sum = report
        .counts
        .values()
        .copied()
        .fold(Counts::default(), Counts::sum);
    let rows = report
        .counts
        .iter()
        .map(|(kind, counts)| (kind.as_str(), counts));
    let mut text = row(
        "",
        ["variants", "fields", "enum values"].map(str::to_owned),
        "left out",
    );
    for (kind, counts) in rows.chain([("all", &sum)]) {
        let cells = [counts.variants, counts.fields, counts.values];
        text += &row(kind, cells.map(|count| count.to_string()), counts.left_out);
    }
    text + &format!("{} differences\n", report.differences.len())
}

fn row(name: &str, cells: [String; 3], left_out: impl Display) -> String {
    let [variants, fields, values] = cells;
    format!("{name:<9} {variants:>22} {fields:>22} {values:>22} {left_out:>9}\n")
}

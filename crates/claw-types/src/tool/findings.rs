//! `ReportFindings`: what a review found.

use crate::Count;
use crate::options::EffortLevel;

/// What `ReportFindings` is given: what a review found.
#[wire]
pub struct ReportFindingsInput {
    /// What was found and checked, the worst first; empty where nothing was. 32 at most.
    pub findings: Vec<ReviewFinding>,
    /// How hard the review worked.
    pub level: Option<EffortLevel>,
}

/// What `ReportFindings` gives: what it was given, and how much that is.
#[wire]
pub struct ReportFindingsOutput {
    /// How many there are.
    pub count: Count,
    /// What was found.
    pub findings: Vec<ReviewFinding>,
    /// How hard the review worked.
    pub level: Option<EffortLevel>,
}

/// Something that a review found.
#[wire]
pub struct ReviewFinding {
    /// The file, as seen from the root of the repository.
    pub file: String,
    /// What is wrong.
    pub summary: String,
    /// When it shows: what goes in, and what comes of it.
    pub failure_scenario: String,
    /// The line, from 1.
    pub line: Option<Count>,
    /// What is wrong, in 60 characters at most.
    pub short_summary: Option<String>,
    /// What kind of thing it is: `correctness`, `efficiency`, `test-coverage` ….
    pub category: Option<String>,
    /// How bad it is. Only where the review is asked for it.
    pub severity: Option<FindingSeverity>,
    /// What came of checking it. Absent where nothing was checked.
    pub verdict: Option<FindingVerdict>,
    /// What was done about it. Only where findings are reported again after that.
    pub outcome: Option<FindingOutcome>,
}

/// How bad a finding is.
#[wire(open)]
pub enum FindingSeverity {
    /// The change makes it wrong, or worse.
    Important = "important",
    /// It was wrong before the change.
    PreExisting = "pre_existing",
    /// A small thing.
    Nit = "nit",
}

/// What came of checking a finding.
#[wire(open)]
pub enum FindingVerdict {
    /// It is so.
    Confirmed = "CONFIRMED",
    /// It may be so.
    Plausible = "PLAUSIBLE",
}

/// What was done about a finding.
#[wire(open)]
pub enum FindingOutcome {
    /// It is put right.
    Fixed = "fixed",
    /// It was left as it is.
    Skipped = "skipped",
    /// There was nothing to do.
    NoChangeNeeded = "no_change_needed",
}

#[cfg(test)]
mod tests;

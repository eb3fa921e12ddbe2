//! `ReportFindings`: the findings of a code review.

use crate::Count;
use crate::options::EffortLevel;

/// The input of the `ReportFindings` tool: the findings of a code review.
#[wire]
pub struct ReportFindingsInput {
    /// The findings that were verified, the worst first. The list has at most 32 findings, and is empty if nothing was
    /// found.
    pub findings: Vec<ReviewFinding>,
    /// The effort level of the review.
    pub level: Option<EffortLevel>,
}

/// The output of the `ReportFindings` tool: the findings, and their number.
#[wire]
pub struct ReportFindingsOutput {
    /// The number of findings.
    pub count: Count,
    /// The findings of the review.
    pub findings: Vec<ReviewFinding>,
    /// The effort level of the review.
    pub level: Option<EffortLevel>,
}

/// A finding of a code review.
#[wire]
pub struct ReviewFinding {
    /// The path of the file, relative to the root of the repository.
    pub file: String,
    /// The defect, in one sentence or two.
    pub summary: String,
    /// A failure scenario: the inputs, and the wrong outcome to which they lead.
    pub failure_scenario: String,
    /// The line in the file, counted from 1.
    pub line: Option<Count>,
    /// The defect, in at most 60 characters.
    pub short_summary: Option<String>,
    /// The category of the finding, such as `correctness`, `efficiency` or `test-coverage`.
    pub category: Option<String>,
    /// The severity of the finding. Present only if the review was asked for severities.
    pub severity: Option<FindingSeverity>,
    /// The verdict of the verification. Absent if the finding was not verified.
    pub verdict: Option<FindingVerdict>,
    /// The action taken on the finding. Present only if the findings are reported again after the action was taken.
    pub outcome: Option<FindingOutcome>,
}

/// The severity of a finding.
#[wire(open)]
pub enum FindingSeverity {
    /// The change introduces the defect or makes it worse.
    Important = "important",
    /// The defect existed before the change.
    PreExisting = "pre_existing",
    /// The finding is only a minor remark.
    Nit = "nit",
}

/// The verdict on a finding that was verified.
#[wire(open)]
pub enum FindingVerdict {
    /// The finding is confirmed.
    Confirmed = "CONFIRMED",
    /// The finding is plausible but not confirmed.
    Plausible = "PLAUSIBLE",
}

/// The action taken on a finding.
#[wire(open)]
pub enum FindingOutcome {
    /// The defect was fixed.
    Fixed = "fixed",
    /// The defect was left as it is.
    Skipped = "skipped",
    /// No change was needed.
    NoChangeNeeded = "no_change_needed",
}

#[cfg(test)]
mod tests;

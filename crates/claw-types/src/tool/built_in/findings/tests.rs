use serde_json::{Value, json};

use super::super::holds::holds;
use super::*;

fn finding() -> (ReviewFinding, Value) {
    let finding = ReviewFinding::new("src/lib.rs", "Divides by zero", "An empty list")
        .line(3)
        .short_summary("Zero")
        .category("correctness")
        .severity(FindingSeverity::PreExisting)
        .verdict(FindingVerdict::Confirmed)
        .outcome(FindingOutcome::NoChangeNeeded);
    let json = json!({
        "file": "src/lib.rs", "summary": "Divides by zero", "failure_scenario": "An empty list",
        "line": 3, "short_summary": "Zero", "category": "correctness", "severity": "pre_existing",
        "verdict": "CONFIRMED", "outcome": "no_change_needed"
    });
    (finding, json)
}

#[test]
fn findings() {
    let (finding, json) = finding();
    holds(
        &ReportFindingsInput::new(vec![finding.clone()]).level(EffortLevel::Max),
        &json!({"findings": [json], "level": "max"}),
        &[],
    );
    holds(
        &ReportFindingsOutput::new(1, vec![finding]).level(EffortLevel::Low),
        &json!({"count": 1, "findings": [json], "level": "low"}),
        &[],
    );
}

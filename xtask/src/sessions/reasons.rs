//! Why claw's answers differ where they do.

use std::collections::BTreeMap;

/// A difference that is meant to be.
pub(super) struct Reason {
    pub(super) sdk: &'static str,
    /// The case, or `*` for any.
    pub(super) case: &'static str,
    /// The question and the field, or `*` for any.
    pub(super) field: &'static str,
    pub(super) why: &'static str,
}

const REASONS: &[Reason] = &[];

/// What is wrong between what was found and what is listed.
pub(super) fn judge(sdk: &str, found: &BTreeMap<(String, String), (usize, String)>) -> Vec<String> {
    judge_by(REASONS, sdk, found)
}

/// The same with another list.
pub(super) fn judge_by(
    reasons: &[Reason],
    sdk: &str,
    found: &BTreeMap<(String, String), (usize, String)>,
) -> Vec<String> {
    let of_sdk = || reasons.iter().filter(|reason| reason.sdk == sdk);
    let mut problems = Vec::new();
    for ((case, field), (times, first)) in found {
        if !of_sdk().any(|reason| reason.explains(case, field)) {
            problems.push(format!("{sdk}: {case}: {field} ({times} times): {first}"));
        }
    }
    for reason in of_sdk() {
        if !found
            .keys()
            .any(|(case, field)| reason.explains(case, field))
        {
            let Reason {
                case, field, why, ..
            } = reason;
            problems.push(format!(
                "{sdk}: {case}: {field}: no longer different: {why}"
            ));
        }
    }
    problems
}

impl Reason {
    fn explains(&self, case: &str, field: &str) -> bool {
        let fits = |wanted: &str, is: &str| wanted == "*" || wanted == is;
        fits(self.case, case) && fits(self.field, field)
    }
}

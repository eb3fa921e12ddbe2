//! The accepted differences, each with its reason. `*` in a difference stands for any text.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use serde::{Deserialize, Serialize};
use xtask::run::Result;

/// Groups of differences.
#[derive(Debug, Default, Deserialize, Serialize)]
#[serde(transparent)]
pub(super) struct Baseline {
    groups: Vec<Group>,
}

/// Differences with the same reason.
#[derive(Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct Group {
    /// Empty if the differences were not examined yet.
    reason: String,
    /// Whether the differences occur at random, so that they may be missing.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    sometimes: bool,
    differences: Vec<String>,
}

impl Baseline {
    pub(super) fn read(path: &Path) -> Result<Self> {
        let text =
            fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
        Ok(serde_json::from_str(&text)?)
    }

    pub(super) fn write(&self, path: &Path) -> Result {
        Ok(fs::write(path, serde_json::to_string_pretty(self)? + "\n")?)
    }

    /// Removes differences that no longer occur, and adds new ones to a group without a reason.
    pub(super) fn update(&mut self, found: &[String]) {
        let new: Vec<_> = self.unlisted(found).cloned().collect();
        for group in self.groups.iter_mut().filter(|group| !group.sometimes) {
            let occurs = |pattern: &String| found.iter().any(|it| fits(pattern, it));
            group.differences.retain(occurs);
        }
        self.groups.retain(|group| !group.differences.is_empty());
        if new.is_empty() {
            return;
        }
        match self.groups.iter_mut().find(|group| group.reason.is_empty()) {
            Some(group) => group.differences.extend(new),
            None => self.groups.push(Group {
                reason: String::new(),
                sometimes: false,
                differences: new,
            }),
        }
    }

    /// Returns the number of differences for each reason.
    pub(super) fn explain(&self, found: &[String]) -> String {
        let mut text = String::new();
        for group in &self.groups {
            let of_group = found
                .iter()
                .filter(|it| group.differences.iter().any(|pattern| fits(pattern, it)));
            let count = of_group.count();
            if count > 0 {
                let _ = writeln!(text, "{count:>4}  {}", group.reason);
            }
        }
        text
    }

    /// Fails unless every difference is listed with a reason. If all scenarios were played, also fails if a listed
    /// difference was not found.
    pub(super) fn judge(&self, found: &[String], all: bool) -> Result {
        let mut wrong: Vec<_> = self
            .unlisted(found)
            .map(|it| format!("not listed: {it}"))
            .collect();
        for group in &self.groups {
            for pattern in &group.differences {
                let occurs = found.iter().any(|it| fits(pattern, it));
                if group.reason.is_empty() && occurs {
                    wrong.push(format!("no reason: {pattern}"));
                }
                if all && !occurs && !group.sometimes {
                    wrong.push(format!("listed, and closed: {pattern}"));
                }
            }
        }
        if wrong.is_empty() {
            return Ok(());
        }
        let count = wrong.len();
        let wrong = wrong.join("\n  ");
        Err(format!(
            "{count} lines of {} want a look:\n  {wrong}",
            super::BASELINE
        )
        .into())
    }

    fn unlisted<'a>(&'a self, found: &'a [String]) -> impl Iterator<Item = &'a String> {
        let patterns = || self.groups.iter().flat_map(|group| &group.differences);
        found
            .iter()
            .filter(move |it| !patterns().any(|pattern| fits(pattern, it)))
    }
}

/// Whether a text matches a pattern, in which `*` stands for any text.
fn fits(pattern: &str, text: &str) -> bool {
    let Some((start, rest)) = pattern.split_once('*') else {
        return pattern == text;
    };
    let Some(mut text) = text.strip_prefix(start) else {
        return false;
    };
    let mut parts: Vec<_> = rest.split('*').collect();
    let last = parts.pop().unwrap_or_default();
    for part in parts {
        match text.find(part) {
            Some(at) => text = &text[at + part.len()..],
            None => return false,
        }
    }
    text.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_stands_for_any_text() {
        assert!(fits("a: *: claw 1, npm *", "a: b.c: claw 1, npm 2"));
        assert!(fits("*", ""));
        assert!(!fits("a: *: claw 1", "a: b: claw 2"));
        assert!(!fits("a", "ab"));
        assert!(!fits("a*a", "a"));
    }

    #[test]
    fn what_is_not_listed_has_no_reason_or_is_closed_fails() {
        let baseline = |text| serde_json::from_str::<Baseline>(text).unwrap();
        let found = ["one: x".to_owned()];
        let listed = baseline(r#"[{"reason": "r", "differences": ["one: *"]}]"#);
        listed.judge(&found, true).unwrap();
        let error = listed.judge(&[], true).unwrap_err().to_string();
        assert!(error.contains("closed: one"), "{error}");
        listed.judge(&[], false).unwrap();
        let chance = r#"[{"reason": "r", "sometimes": true, "differences": ["one: *"]}]"#;
        baseline(chance).judge(&found, true).unwrap();
        baseline(chance).judge(&[], true).unwrap();
        let error = baseline("[]").judge(&found, true).unwrap_err().to_string();
        assert!(error.contains("not listed: one: x"), "{error}");
        let bare = baseline(r#"[{"reason": "", "differences": ["one: *"]}]"#);
        let error = bare.judge(&found, true).unwrap_err().to_string();
        assert!(error.contains("no reason"), "{error}");
    }
}

//! The accepted differences, each with its reason.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use serde::{Deserialize, Serialize};

use xtask::run::Result;

/// The reason of a difference that was not reviewed yet.
const NEW: &str = "";

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde wants it so")]
fn is_false(flag: &bool) -> bool {
    !flag
}

/// Groups of differences.
#[derive(Debug, Default, Deserialize, Serialize, PartialEq)]
#[serde(transparent)]
pub(super) struct Baseline {
    pub(super) groups: Vec<Group>,
}

/// Differences with the same reason.
#[derive(Debug, Deserialize, Serialize, PartialEq)]
pub(super) struct Group {
    pub(super) reason: String,
    /// Whether claw lacks these things on purpose. They are then not counted as gaps.
    #[serde(default, skip_serializing_if = "is_false")]
    pub(super) left_out: bool,
    pub(super) differences: BTreeSet<String>,
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

    /// Returns the differences that claw has on purpose.
    pub(super) fn left_out(&self) -> BTreeSet<String> {
        let groups = self.groups.iter().filter(|group| group.left_out);
        groups.flat_map(|group| group.differences.clone()).collect()
    }

    /// Removes differences that no longer occur, and adds new ones to a group without a reason.
    pub(super) fn update(&mut self, found: &BTreeSet<String>) {
        for group in &mut self.groups {
            group
                .differences
                .retain(|difference| found.contains(difference));
        }
        self.groups.retain(|group| !group.differences.is_empty());
        let new = self.unlisted(found);
        if new.is_empty() {
            return;
        }
        match self.groups.iter_mut().find(|group| group.reason == NEW) {
            Some(group) => group.differences.extend(new),
            None => self.groups.push(Group {
                reason: NEW.to_owned(),
                left_out: false,
                differences: new,
            }),
        }
    }

    /// Returns the found differences as text, grouped by their reasons.
    pub(super) fn explain(&self, found: &BTreeSet<String>) -> String {
        let mut text = String::new();
        for Group {
            reason,
            differences,
            ..
        } in &self.groups
        {
            text.extend([reason, ":\n"]);
            let differences = differences.intersection(found);
            text.extend(differences.flat_map(|difference| ["  ", difference, "\n"]));
            text.push('\n');
        }
        text
    }

    /// Fails unless the listed differences equal the found ones, and each is listed once and has a
    /// reason.
    pub(super) fn judge(&self, found: &BTreeSet<String>) -> Result {
        let mut wrong = Vec::new();
        let mut listed = BTreeSet::new();
        for Group {
            reason,
            differences,
            ..
        } in &self.groups
        {
            for difference in differences {
                if reason.is_empty() {
                    wrong.push(format!("no reason: {difference}"));
                }
                if !listed.insert(difference) {
                    wrong.push(format!("listed twice: {difference}"));
                }
                if !found.contains(difference) {
                    wrong.push(format!("listed, and closed: {difference}"));
                }
            }
        }
        wrong.extend(
            self.unlisted(found)
                .iter()
                .map(|difference| format!("not listed: {difference}")),
        );
        if wrong.is_empty() {
            return Ok(());
        }
        Err(format!(
            "{} lines of conformance/parity.baseline.json want a look (docs/versioning.md):\n  {}",
            wrong.len(),
            wrong.join("\n  ")
        )
        .into())
    }

    /// Returns the differences that are in no group.
    pub(super) fn unlisted(&self, found: &BTreeSet<String>) -> BTreeSet<String> {
        let listed = |difference: &String| {
            self.groups
                .iter()
                .any(|group| group.differences.contains(difference))
        };
        found
            .iter()
            .filter(|difference| !listed(difference))
            .cloned()
            .collect()
    }
}

#[cfg(test)]
mod tests;

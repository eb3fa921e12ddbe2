//! The tests that do not run on a platform, each with its reason.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use serde::Deserialize;

use super::programs::Test;
use super::runs::Outcome;
use xtask::run::Result;

/// Tests that do not run for the same reason.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Group {
    reason: String,
    /// `package program name`. A name may end with `*`.
    tests: Vec<String>,
}

pub(super) struct Baseline {
    file: String,
    groups: Vec<Group>,
}

/// The figures of one package.
#[derive(Default)]
struct Figures {
    passed: usize,
    failed: usize,
    missing: usize,
}

impl Baseline {
    /// Reads the baseline of a platform. If the file does not exist, no test is known to fail.
    pub(super) fn read(root: &Path, platform: &str) -> Result<Self> {
        let file = format!("xtask/{platform}.baseline.json");
        let path = root.join(&file);
        let groups = if path.exists() {
            serde_json::from_slice(&fs::read(path)?).map_err(|error| format!("{file}: {error}"))?
        } else {
            Vec::new()
        };
        Ok(Self { file, groups })
    }

    fn reason(&self, test: &Test) -> Option<&str> {
        let name = test.to_string();
        let group = self.groups.iter().find(|group| {
            let mut patterns = group.tests.iter();
            patterns.any(|pattern| fits(pattern, &name))
        });
        group.map(|group| &*group.reason)
    }

    /// Compares the results with the baseline, and prints the figures. `here` contains the tests of a build for this
    /// machine. `all` says whether all tests were run.
    ///
    /// # Errors
    /// Fails if a test does not run and is not in the baseline, or if it runs and is in the baseline. With `all`, also
    /// fails if the baseline contains a name to which no test corresponds.
    pub(super) fn compare(
        &self,
        here: &BTreeSet<Test>,
        outcomes: &[(Test, Outcome)],
        all: bool,
        verbose: bool,
    ) -> Result {
        for (test, outcome) in outcomes {
            if let Err(text) = outcome
                && (verbose || self.reason(test).is_none())
            {
                println!("\n==== {test}\n{text}");
            }
        }
        self.print(here, outcomes);
        let mut wrong = self.differences(here, outcomes);
        if all {
            wrong.extend(self.stale(here, outcomes));
        }
        if wrong.is_empty() {
            Ok(())
        } else {
            Err(wrong.join("\n").into())
        }
    }

    /// Returns the differences from the baseline.
    fn differences(&self, here: &BTreeSet<Test>, outcomes: &[(Test, Outcome)]) -> Vec<String> {
        let file = &self.file;
        let missing = missing(here, outcomes);
        let absent = missing.map(|test| (test, "does not exist there"));
        let failed = outcomes.iter().filter(|(_, outcome)| outcome.is_err());
        let failed = failed.map(|(test, _)| (test, "fails"));
        let absent = absent
            .chain(failed)
            .filter(|(test, _)| self.reason(test).is_none());
        let passed = outcomes.iter().filter(|(_, outcome)| outcome.is_ok());
        let passed = passed.filter(|(test, _)| self.reason(test).is_some());
        absent
            .map(|(test, what)| format!("{test}: it {what}, and {file} has no reason"))
            .chain(passed.map(|(test, _)| format!("{test}: it passes, and {file} names it")))
            .collect()
    }

    /// Returns the names in the baseline to which no test corresponds. Only packages that were run are considered.
    fn stale(&self, here: &BTreeSet<Test>, outcomes: &[(Test, Outcome)]) -> Vec<String> {
        let tests = || here.iter().chain(outcomes.iter().map(|(test, _)| test));
        let is_stale = |pattern: &&String| {
            let package = pattern.split(' ').next().unwrap_or_default();
            tests().any(|test| test.package == package)
                && !tests().any(|test| fits(pattern, &test.to_string()))
        };
        let patterns = self.groups.iter().flat_map(|group| &group.tests);
        let stale = patterns.filter(is_stale);
        stale
            .map(|it| format!("{it}: no test has this name, and {} does", self.file))
            .collect()
    }

    fn print(&self, here: &BTreeSet<Test>, outcomes: &[(Test, Outcome)]) {
        let mut figures = BTreeMap::<&str, Figures>::new();
        let mut reasons = BTreeMap::<&str, usize>::new();
        let mut count = |test| {
            if let Some(reason) = self.reason(test) {
                *reasons.entry(reason).or_default() += 1;
            }
        };
        for test in missing(here, outcomes) {
            figures.entry(&test.package).or_default().missing += 1;
            count(test);
        }
        for (test, outcome) in outcomes {
            let figures = figures.entry(&test.package).or_default();
            if outcome.is_ok() {
                figures.passed += 1;
            } else {
                figures.failed += 1;
                count(test);
            }
        }
        println!(
            "\n{:<16}{:>8}{:>8}{:>11}{:>9}",
            "", "passed", "failed", "not there", "share"
        );
        for (package, of) in &figures {
            let tests = of.passed + of.failed + of.missing;
            let share = of.passed * 1000 / tests;
            println!(
                "{package:<16}{:>8}{:>8}{:>11}{:>7}.{} %",
                of.passed,
                of.failed,
                of.missing,
                share / 10,
                share % 10
            );
        }
        for (reason, count) in &reasons {
            println!("{count:>4}  {reason}");
        }
    }
}

/// Returns the tests of a build for this machine that are missing in the platform's build.
fn missing<'a>(
    here: &'a BTreeSet<Test>,
    outcomes: &[(Test, Outcome)],
) -> impl Iterator<Item = &'a Test> {
    let there: BTreeSet<Test> = outcomes.iter().map(|(test, _)| test.clone()).collect();
    here.iter().filter(move |test| !there.contains(*test))
}

fn fits(pattern: &str, name: &str) -> bool {
    match pattern.strip_suffix('*') {
        Some(start) => name.starts_with(start),
        None => name == pattern,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn test(name: &str) -> Test {
        Test {
            package: "claw-x".to_owned(),
            program: "it".to_owned(),
            name: name.to_owned(),
        }
    }

    #[test]
    fn what_differs_from_the_baseline_is_wrong() {
        let known = ["claw-x it fails", "claw-x it unix::*", "claw-x it passes"];
        let gone = ["claw-x it gone", "claw-other it whatever"];
        let baseline = Baseline {
            file: "b.json".to_owned(),
            groups: vec![Group {
                reason: "it is so".to_owned(),
                tests: known.iter().chain(&gone).map(|&it| it.to_owned()).collect(),
            }],
        };
        let here = [
            "fails",
            "passes",
            "unix::one",
            "unix::two",
            "absent",
            "fine",
        ];
        let here: BTreeSet<Test> = here.map(test).into();
        let failed = || Err("why".to_owned());
        let outcomes = [
            (test("fails"), failed()),
            (test("passes"), Ok(())),
            (test("fine"), Ok(())),
            (test("worse"), failed()),
        ];
        assert_eq!(
            baseline.differences(&here, &outcomes),
            [
                "claw-x it absent: it does not exist there, and b.json has no reason",
                "claw-x it worse: it fails, and b.json has no reason",
                "claw-x it passes: it passes, and b.json names it",
            ]
        );
        assert_eq!(
            baseline.stale(&here, &outcomes),
            ["claw-x it gone: no test has this name, and b.json does"]
        );
        assert!(baseline.compare(&here, &outcomes, true, false).is_err());
        let fine = [(test("fails"), failed()), (test("fine"), Ok(()))];
        let here: BTreeSet<Test> = ["fails", "fine", "unix::one"].map(test).into();
        baseline.compare(&here, &fine, false, false).unwrap();
    }
}

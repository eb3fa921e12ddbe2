//! How long a file may get.

use super::{Finding, Project};

/// Lines of code (no blank ones, no comments) from which on a file wants splitting.
const WARN_OVER: usize = 400;
/// And has to be split.
const FAIL_OVER: usize = 600;

/// Files that are allowed to be long, and why: tables and generated ones. Each must need it.
const EXEMPT: [(&str, &str); 0] = [];

/// Rust files of moderate length; tests may be as long as their cases are many.
pub(super) fn check(project: &Project<'_>) -> Vec<Finding> {
    let lengths = project.rust().filter(|(path, _)| !is_test(path));
    judge(
        lengths.map(|(path, text)| (path, code_lines(text))),
        &EXEMPT,
    )
}

fn judge<'a>(
    lengths: impl Iterator<Item = (&'a str, usize)>,
    exempt: &[(&str, &str)],
) -> Vec<Finding> {
    let mut needless: Vec<_> = exempt.iter().map(|&(path, _)| path).collect();
    let mut findings = Vec::new();
    for (path, lines) in lengths.filter(|&(_, lines)| lines > WARN_OVER) {
        let text = format!("{path} has {lines} lines of code");
        if let Some(at) = needless.iter().position(|name| *name == path) {
            needless.swap_remove(at);
        } else if lines > FAIL_OVER {
            findings.push(Finding::Error(format!("{text}, over {FAIL_OVER}")));
        } else {
            findings.push(Finding::Warning(format!("{text}, over {WARN_OVER}")));
        }
    }
    findings.extend(
        needless
            .into_iter()
            .map(|path| Finding::Error(format!("{path} is exempt and does not need it"))),
    );
    findings
}

/// Whether a path is that of a test by the project's naming.
fn is_test(path: &str) -> bool {
    path.ends_with("/tests.rs")
        || path.ends_with("_tests.rs")
        || path.split('/').any(|folder| folder == "tests")
}

fn code_lines(text: &str) -> usize {
    text.lines()
        .map(str::trim)
        .filter(|line| !line.is_empty() && !line.starts_with("//"))
        .count()
}

#[cfg(test)]
mod tests;

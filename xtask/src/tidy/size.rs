//! Checks the length of files.

use super::{Finding, Project};

/// The number of lines of code (without blank lines and comments) above which a file should be
/// split.
const WARN_ABOVE: usize = 400;
/// The number of lines above which a file must be split.
const FAIL_ABOVE: usize = 600;

/// Files that may be longer, such as tables and generated files, each with the reason. Each of them must need the
/// exemption.
const EXEMPT: [(&str, &str); 0] = [];

/// Checks that Rust files are not too long. Files of tests may have any length.
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
    for (path, lines) in lengths.filter(|&(_, lines)| lines > WARN_ABOVE) {
        let text = format!("{path} has {lines} lines of code");
        if let Some(at) = needless.iter().position(|name| *name == path) {
            needless.swap_remove(at);
        } else if lines > FAIL_ABOVE {
            findings.push(Finding::Error(format!("{text}, over {FAIL_ABOVE}")));
        } else {
            findings.push(Finding::Warning(format!("{text}, over {WARN_ABOVE}")));
        }
    }
    findings.extend(
        needless
            .into_iter()
            .map(|path| Finding::Error(format!("{path} is exempt and does not need it"))),
    );
    findings
}

/// Whether a path belongs to a test, according to the naming rules of the project.
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

//! Checks that names use the standard terms of the field. The table of names in docs/architecture.md contains the words
//! that must not be used.

use std::collections::BTreeSet;

use super::{Finding, Project, errors, tokens};
use xtask::run::Result;

/// The document with the table, and the first row of the table.
const DOCUMENT: &str = "docs/architecture.md";
const HEADER: &str = "| not | but | examples |";

/// Names that contain a forbidden word, each with the reason. Each of these names must occur in the project.
const EXEMPT: [(&str, &str); 8] = [
    ("ContextOverLimit", "the CLI's own name"),
    ("OverCorrection", "the CLI's own name"),
    ("Parked", "the CLI's own name"),
    ("over_limit", "the CLI's own name"),
    ("park", "a function of the standard library"),
    ("parked_ms", "the CLI's own name"),
    ("sdk_mcp_manifests_parked", "the CLI's own name"),
    ("tokens_over", "the CLI's own name"),
];

/// Checks the names in all code except separate test files.
pub(super) fn check(project: &Project<'_>) -> Result<Vec<Finding>> {
    let document = project.texts.get(DOCUMENT).map(String::as_str);
    let terms = terms(document.unwrap_or_default());
    if terms.is_empty() {
        return Err(format!("{DOCUMENT} has no table {HEADER}").into());
    }
    Ok(errors(findings(project.rust(), &terms, &EXEMPT)))
}

fn findings<'a>(
    files: impl Iterator<Item = (&'a str, &'a str)>,
    terms: &[Vec<String>],
    exempt: &[(&str, &str)],
) -> Vec<String> {
    let mut found = BTreeSet::new();
    let mut needless: Vec<_> = exempt.iter().map(|(name, _)| *name).collect();
    for (path, text) in files.filter(|(path, _)| !is_test(path)) {
        for name in tokens::tokens(text) {
            let Some(term) = tokens::is_name(name).then(|| bad(name, terms)).flatten() else {
                continue;
            };
            if exempt.iter().any(|(exempt, _)| *exempt == name) {
                needless.retain(|needless| *needless != name);
            } else {
                found.insert(format!(
                    "{path}: `{name}`: {DOCUMENT} has another word for `{term}`"
                ));
            }
        }
    }
    let needless = needless.into_iter();
    found.extend(needless.map(|name| format!("`{name}` is exempt and does not occur")));
    found.into_iter().collect()
}

/// Whether a file consists only of tests. Tests at the end of a code file are checked together with the code.
fn is_test(path: &str) -> bool {
    path.ends_with("tests.rs") || path.split('/').any(|folder| folder == "tests")
}

/// Returns the terms in the left column of the table, each as a list of words. A term with a meaning in brackets is
/// left out, because only a human reader can distinguish the meanings.
fn terms(document: &str) -> Vec<Vec<String>> {
    let rows = document.lines().skip_while(|line| *line != HEADER).skip(2);
    let rows = rows.take_while(|line| line.starts_with('|'));
    let cells = rows.filter_map(|line| line.split('|').nth(1));
    let terms = cells.flat_map(|cell| cell.split(','));
    let terms = terms.filter(|term| !term.contains('('));
    terms
        .map(|term| term.split_whitespace().map(str::to_owned).collect())
        .collect()
}

/// Returns the forbidden term that a name contains, if any.
fn bad(name: &str, terms: &[Vec<String>]) -> Option<String> {
    let words = words(name);
    let term = terms
        .iter()
        .find(|term| words.windows(term.len()).any(|part| part == &term[..]))?;
    Some(term.join(" "))
}

/// Returns the words of a name in lower case. `is_known`, `IsKnown` and `IS_KNOWN` consist of the same words.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut was_lower = false;
    for c in name.chars() {
        if !c.is_alphabetic() || (c.is_uppercase() && was_lower) {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut().filter(|_| c.is_alphabetic()) {
            word.extend(c.to_lowercase());
        }
        was_lower = c.is_lowercase();
    }
    words.retain(|word| !word.is_empty());
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: &str = "| not | but | examples |\n| --- | --- | --- |\n\
        | told, hand over | sent | `a` |\n| order (to a task) | control | `b` |\n\n| news | x | y |\n";

    #[test]
    fn the_left_column_is_read() {
        assert_eq!(terms(TABLE), [vec!["told"], vec!["hand", "over"]]);
        assert_eq!(terms("| told | sent |"), [] as [Vec<String>; 0]);
    }

    #[test]
    fn names_have_words_in_any_case() {
        for name in [
            "is_told_by",
            "isToldBy",
            "IS_TOLD_BY",
            "IsToldBy2",
            "_is_told__by",
        ] {
            assert_eq!(words(name)[..3], ["is", "told", "by"], "{name}");
        }
    }

    #[test]
    fn a_bad_name_is_found_once_a_file() {
        let bad = "let told = 1; f(told); fn hand_over() {} struct ByTold;";
        let good = "// told\n/* told */ \"told\"; r#\"told\"#; 'told: loop {} fn hand(untold: Over, order: A) {}";
        let files = [
            ("crates/a/src/bad.rs", bad),
            ("crates/a/src/good.rs", good),
            ("crates/a/src/x/tests.rs", bad),
            ("crates/a/tests/it/x.rs", bad),
        ];
        let found = findings(
            files.into_iter(),
            &terms(TABLE),
            &[("ByTold", "it may"), ("Told", "")],
        );
        let has = |name: &str, term: &str| {
            format!("crates/a/src/bad.rs: `{name}`: {DOCUMENT} has another word for `{term}`")
        };
        let needless = "`Told` is exempt and does not occur".to_owned();
        assert_eq!(
            found,
            [needless, has("hand_over", "hand over"), has("told", "told")]
        );
    }
}

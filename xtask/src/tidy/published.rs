//! What people see of a crate before they use it: its README, its page at docs.rs, and how a registry lists it.

use std::collections::BTreeMap;

use super::{Finding, Project, errors};
use crate::workspace::Package;

/// What stands in every manifest.
const MANIFEST: [&str; 2] = [
    "readme = \"README.md\"",
    "[package.metadata.docs.rs]\nall-features = true\nrustdoc-args = [\"--cfg\", \"docsrs\"]",
];
/// What stands in a library that has features, for docs.rs to say what needs which.
const MARKS_FEATURES: &str = "#![cfg_attr(docsrs, feature(doc_cfg))]";

/// Each crate has a README, all its features at docs.rs, and the fields that a registry shows.
pub(super) fn check(project: &Project<'_>) -> Vec<Finding> {
    let mut lacking = lacking(&project.texts);
    lacking.extend(lacking_fields(project.workspace.published()));
    errors(lacking)
}

/// What the manifests of published crates do not say, or say in a form that registries refuse.
pub(crate) fn lacking_fields<'a>(packages: impl Iterator<Item = &'a Package>) -> Vec<String> {
    let mut lacking = Vec::new();
    for package in packages {
        let mut check = |field: &str, is_good: bool| {
            if !is_good {
                lacking.push(format!("{} has no good `{field}`", package.name));
            }
        };
        let is_there = |field: &Option<String>| field.as_ref().is_some_and(|it| !it.is_empty());
        check("description", is_there(&package.description));
        check("license", is_there(&package.license));
        check("readme", is_there(&package.readme));
        check("rust-version", is_there(&package.rust_version));
        let url = package.repository.as_deref().unwrap_or_default();
        check("repository", url.starts_with("https://"));
        check("keywords", are_labels(&package.keywords, 20));
        check("categories", are_labels(&package.categories, usize::MAX));
    }
    lacking
}

/// One to five words without blanks, none longer than this.
fn are_labels(words: &[String], longest: usize) -> bool {
    let is_label = |word: &String| {
        !word.is_empty() && word.len() <= longest && !word.contains(char::is_whitespace)
    };
    (1..=5).contains(&words.len()) && words.iter().all(is_label)
}

fn lacking(texts: &BTreeMap<String, String>) -> Vec<String> {
    let mut lacking = Vec::new();
    for (path, manifest) in texts {
        let Some(folder) = path.strip_suffix("/Cargo.toml") else {
            continue;
        };
        if !folder.starts_with("crates/") {
            continue;
        }
        if !texts.contains_key(&format!("{folder}/README.md")) {
            lacking.push(format!("{folder} has no README.md"));
        }
        for part in MANIFEST {
            if !manifest.contains(part) {
                lacking.push(format!("{path} does not say {part:?}"));
            }
        }
        let library = format!("{folder}/src/lib.rs");
        if manifest.contains("[features]")
            && let Some(text) = texts.get(&library)
            && !text.contains(MARKS_FEATURES)
        {
            lacking.push(format!("{library} does not say {MARKS_FEATURES}"));
        }
    }
    lacking
}

#[cfg(test)]
mod tests;

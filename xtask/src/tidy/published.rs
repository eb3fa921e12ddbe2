//! What people see of a crate before they use it: its README, its page at docs.rs, and how a registry lists it.

use std::collections::BTreeMap;

use super::{Finding, Project, errors};
use xtask::workspace::lacking_fields;

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

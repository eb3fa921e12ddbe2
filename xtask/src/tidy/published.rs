//! Checks the public description of each crate: its README, its page at docs.rs, and its entry in a registry.

use std::collections::BTreeMap;

use super::{Finding, Project, errors};
use xtask::workspace::lacking_fields;

/// Lines that every manifest must contain.
const MANIFEST: [&str; 2] = [
    "readme = \"README.md\"",
    "[package.metadata.docs.rs]\nall-features = true\nrustdoc-args = [\"--cfg\", \"docsrs\"]",
];
/// The attribute that every library with features must contain. It makes docs.rs show which features an item needs.
const MARKS_FEATURES: &str = "#![cfg_attr(docsrs, feature(doc_cfg))]";

/// Checks that each crate has a README, shows all its features at docs.rs, and has the fields that a registry shows.
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

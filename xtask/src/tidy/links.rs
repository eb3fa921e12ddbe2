//! Checks that links in documents lead to an existing target, and that mentioned documents exist.

use std::path::PathBuf;

use super::{Finding, Project, errors};
use crate::markdown::{anchors, is_elsewhere, links, resolve};
use xtask::paths::starts;
use xtask::workspace::{has_extension, slashes};

/// Checks the links in Markdown files that lead to files and headings of the project. In all texts, also checks
/// mentions of Markdown files below docs/. Links to other sites are not checked.
pub(super) fn check(project: &Project<'_>) -> Vec<Finding> {
    let mut wrong = Vec::new();
    for (path, text) in &project.texts {
        if has_extension(path, "md") {
            for link in links(text) {
                if let Some(problem) = broken(project, path, &link.target) {
                    wrong.push(format!("{path}: ({}) {problem}", link.target));
                }
            }
        }
        // Tests of this rule mention missing files. Recordings mention files of other projects.
        let data = path.ends_with("/tests.rs") || has_extension(path, "ndjson");
        for document in mentions(text).filter(|_| !data) {
            if !project.texts.contains_key(document) {
                wrong.push(format!("{path}: there is no {document}"));
            }
        }
    }
    errors(wrong)
}

/// Returns the problem of a link, or `None` if the link is correct.
fn broken(project: &Project<'_>, from: &str, target: &str) -> Option<String> {
    if is_elsewhere(target) {
        return None;
    }
    let (file, heading) = target.split_once('#').unwrap_or((target, ""));
    let path = if file.is_empty() {
        Some(PathBuf::from(from))
    } else {
        resolve(from, file)
    };
    let Some(path) = path else {
        return Some("leaves the project".to_owned());
    };
    if !heading.is_empty() {
        let text = project.texts.get(&slashes(&path));
        let found = text.is_some_and(|text| anchors(text).iter().any(|name| name == heading));
        return (!found).then(|| "leads to no heading".to_owned());
    }
    // A folder exists if it contains a file.
    let exists = project.files.iter().any(|file| file.starts_with(&path));
    (!exists).then(|| "leads to no file".to_owned())
}

/// Returns every `docs/….md` in a text.
fn mentions(text: &str) -> impl Iterator<Item = &str> {
    starts(text, "docs/").filter_map(|start| {
        let path = text[start..].split(|c: char| !c.is_ascii_alphanumeric() && !"-_./".contains(c));
        path.into_iter()
            .next()?
            .split_inclusive(".md")
            .next()
            .filter(|path| has_extension(path, "md"))
    })
}

#[cfg(test)]
mod tests;

//! Links in documents lead somewhere, and so does every mention of a document.

use std::path::{Component, Path, PathBuf};

use super::{Finding, Project, errors};
use crate::paths::starts;
use crate::workspace::has_extension;

/// Links of Markdown files to files and headings of the project, and, in any text, mentions of
/// Markdown files below docs/. Links to elsewhere are not followed.
pub(super) fn check(project: &Project<'_>) -> Vec<Finding> {
    let mut wrong = Vec::new();
    for (path, text) in &project.texts {
        let markdown = has_extension(path, "md");
        for target in links(text).filter(|_| markdown) {
            if let Some(problem) = broken(project, path, target) {
                wrong.push(format!("{path}: ({target}) {problem}"));
            }
        }
        // Tests of this rule mention what is not there; what is recorded mentions what was elsewhere.
        let data = path.ends_with("/tests.rs") || has_extension(path, "ndjson");
        for document in mentions(text).filter(|_| !data) {
            if !project.texts.contains_key(document) {
                wrong.push(format!("{path}: there is no {document}"));
            }
        }
    }
    errors(wrong)
}

/// What is wrong with a link, if anything.
fn broken(project: &Project<'_>, from: &str, target: &str) -> Option<String> {
    if target.contains("://") || target.starts_with("mailto:") {
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
    let text = project.texts.get(&crate::workspace::slashes(&path));
    if !heading.is_empty() {
        let found = text.is_some_and(|text| headings(text).any(|name| name == heading));
        return (!found).then(|| "leads to no heading".to_owned());
    }
    // A folder is there when a file in it is.
    let exists = project.files.iter().any(|file| file.starts_with(&path));
    (!exists).then(|| "leads to no file".to_owned())
}

/// A relative target as a path from the root; None stands for one that leaves the project.
fn resolve(from: &str, target: &str) -> Option<PathBuf> {
    let mut path = Path::new(from).parent()?.to_owned();
    for part in Path::new(target).components() {
        match part {
            Component::Normal(name) => path.push(name),
            Component::ParentDir if !path.pop() => return None,
            _ => {}
        }
    }
    Some(path)
}

/// The targets of `[text](target)` in Markdown, but for those in code.
fn links(text: &str) -> impl Iterator<Item = &str> {
    prose(text).flat_map(|line| {
        line.split("](")
            .skip(1)
            .filter_map(|rest| rest.split([')', ' ']).next())
    })
}

/// The lines of Markdown outside of code blocks.
fn prose(text: &str) -> impl Iterator<Item = &str> {
    let mut code = false;
    text.lines().filter(move |line| {
        let fence = line.trim_start().starts_with("```");
        code ^= fence;
        !code && !fence
    })
}

/// The anchors of the headings, made as GitHub makes them.
fn headings(text: &str) -> impl Iterator<Item = String> {
    prose(text)
        .filter(|line| line.starts_with('#'))
        .map(|line| {
            line.trim_start_matches('#')
                .trim()
                .chars()
                .filter(|&c| c.is_alphanumeric() || " -_".contains(c))
                .map(|c| if c == ' ' { '-' } else { c })
                .flat_map(char::to_lowercase)
                .collect()
        })
}

/// Every `docs/….md` in a text.
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

//! Checks the links of the built pages.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use crate::markdown::{is_elsewhere, resolve};
use xtask::run::Result;
use xtask::workspace::{has_extension, slashes};

/// Returns the links of the pages in a folder that lead to a file or anchor that does not exist. Links to other sites
/// are not checked.
pub(super) fn check(folder: &Path) -> Result<Vec<String>> {
    let mut files = BTreeMap::new();
    read(folder, folder, &mut files)?;
    Ok(wrong(&files))
}

/// Reads the files of a folder. The keys of `files` are paths from the root. Files that are not pages get an empty
/// text.
fn read(root: &Path, folder: &Path, files: &mut BTreeMap<String, String>) -> Result {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            read(root, &path, files)?;
            continue;
        }
        let text = if has_extension(&path, "html") {
            fs::read_to_string(&path)?
        } else {
            String::new()
        };
        files.insert(slashes(path.strip_prefix(root)?), text);
    }
    Ok(())
}

pub(super) fn wrong(files: &BTreeMap<String, String>) -> Vec<String> {
    let mut wrong = Vec::new();
    for (page, text) in files {
        let targets = values(text, " href=\"").chain(values(text, " src=\""));
        for target in targets.filter(|target| !is_elsewhere(target)) {
            let (file, anchor) = target.split_once('#').unwrap_or((target, ""));
            let file = match file {
                "" => Some(page.clone()),
                file => resolve(page, file).map(|path| slashes(&path)),
            };
            let found = file.and_then(|file| files.get(&file));
            let is_there = found.is_some_and(|text| {
                anchor.is_empty() || values(text, " id=\"").any(|id| id == anchor)
            });
            if !is_there {
                wrong.push(format!("{page}: {target:?} leads nowhere"));
            }
        }
    }
    wrong
}

/// Returns the values of an attribute.
fn values<'a>(text: &'a str, attribute: &'a str) -> impl Iterator<Item = &'a str> {
    text.split(attribute)
        .skip(1)
        .filter_map(|rest| rest.split('"').next())
}

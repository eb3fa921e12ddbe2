//! `cargo xtask book`: builds docs/ as a book.
//!
//! docs/SUMMARY.md lists the pages. A page may be anywhere in the project. Documents are copied, and programs become
//! pages that show their code. Links between pages are rewritten for the book. A link to a file of the project that is
//! not a page is replaced by its text and the path of the file, because readers of the book may not have the project.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use crate::markdown::{is_elsewhere, links, resolve};
use xtask::python;
use xtask::run::{Result, run};
use xtask::workspace::{Workspace, has_extension, slashes};

mod html;

/// The list of the pages.
const SUMMARY: &str = "docs/SUMMARY.md";
/// A table for the developers of claw. It is not part of the book, because readers do not need it.
const NO_PAGE: &str = "docs/seed-coverage.md";
/// The files with the settings of mdBook and with the width of the pages.
const SETTINGS: [&str; 2] = ["book.toml", "book.css"];

/// The requirement that installs mdBook as a prebuilt program. It is pinned by version and by the hash of each
/// platform's file. Compiling mdBook would take minutes.
const REQUIREMENTS: &str = include_str!("book/requirements.txt");

/// The environment variable with the path of an executable that is used instead of the installed one.
const VARIABLE: &str = "CLAW_MDBOOK";

pub(crate) fn main() -> Result {
    let page = build(&Workspace::read()?)?;
    println!("{}", page.display());
    Ok(())
}

/// Builds the book, checks the links of its pages, and returns its first page.
///
/// # Errors
/// Fails if mdBook cannot be installed or fails, or if a link has no target.
pub(crate) fn build(workspace: &Workspace) -> Result<PathBuf> {
    let folder = workspace.target_directory.join("book");
    let source = folder.join("src");
    if source.exists() {
        fs::remove_dir_all(&source)?;
    }
    let read = |path: &str| fs::read_to_string(workspace.root.join(path));
    let pages = pages(&read(SUMMARY)?);
    for page in pages.iter().map(String::as_str).chain([SUMMARY]) {
        let text = read(page)?;
        let staged = match Path::new(page).extension() {
            Some(extension) if extension == "md" => rewritten(page, &text, &pages)?,
            _ => program(page, &text),
        };
        write(&source.join(place(page)), &staged)?;
        for picture in pictures(page, &text) {
            let to = source.join(place(&picture));
            fs::create_dir_all(to.parent().unwrap_or(&to))?;
            fs::copy(workspace.root.join(&picture), to)?;
        }
    }
    for file in SETTINGS {
        write(&folder.join(file), &read(&format!("docs/{file}"))?)?;
    }
    let mut build = mdbook(workspace)?;
    run(build.arg("build").arg(&folder))?;
    let pages = folder.join("html");
    let wrong = html::check(&pages)?;
    if wrong.is_empty() {
        Ok(pages.join("index.html"))
    } else {
        Err(wrong.join("\n").into())
    }
}

/// Returns the command of mdBook. Installs it under target/ if it is not installed.
///
/// # Errors
/// Fails if python3 or pip is missing or fails.
fn mdbook(workspace: &Workspace) -> Result<Command> {
    if let Some(program) = env::var_os(VARIABLE) {
        return Ok(Command::new(program));
    }
    let folder = workspace.ci_directory().join("mdbook");
    let requirements = workspace.root.join("xtask/src/book/requirements.txt");
    let packages = [
        "--no-deps",
        "--require-hashes",
        "--only-binary=:all:",
        "--requirement",
    ];
    let packages = packages
        .map(AsRef::as_ref)
        .into_iter()
        .chain([requirements.as_os_str()]);
    let programs = python::install(&folder, REQUIREMENTS, packages)
        .map_err(|error| format!("{error}, or mdBook 0.5 as {VARIABLE}"))?;
    Ok(Command::new(programs.join("mdbook")))
}

/// Returns the pages of the project that are missing in the book. `cargo xtask tidy` uses this function. The pages are
/// the documents below docs/ and the examples of the crates.
pub(crate) fn missing(texts: &BTreeMap<String, String>) -> Vec<String> {
    let Some(summary) = texts.get(SUMMARY) else {
        return vec![format!("there is no {SUMMARY}")];
    };
    let pages = pages(summary);
    let belongs = |path: &str| match path.split('/').collect::<Vec<_>>()[..] {
        ["docs", ..] => has_extension(path, "md") && ![SUMMARY, NO_PAGE].contains(&path),
        ["crates", _, "examples", _] => has_extension(path, "rs"),
        _ => false,
    };
    texts
        .keys()
        .filter(|path| belongs(path) && !pages.contains(path))
        .map(|path| format!("{SUMMARY} does not list {path}"))
        .collect()
}

/// Returns the pages that the list contains, as paths from the root.
fn pages(summary: &str) -> Vec<String> {
    // A part without a page has an empty target.
    let targets = links(summary).into_iter();
    targets
        .filter(|link| !link.target.is_empty())
        .filter_map(|link| Some(slashes(&resolve(SUMMARY, &link.target)?)))
        .collect()
}

/// Returns the path that a file of the project has in the book.
fn place(path: &str) -> String {
    // This page is the first page of the book.
    if path == "README.md" {
        return "index.md".to_owned();
    }
    let below = match path.strip_prefix("docs/") {
        Some(below) => below.to_owned(),
        None => format!("project/{path}"),
    };
    if has_extension(path, "rs") {
        format!("{below}.md")
    } else {
        below
    }
}

/// Returns a document with its links rewritten for the book.
fn rewritten(page: &str, text: &str, pages: &[String]) -> Result<String> {
    let mut edits = Vec::new();
    for link in links(text) {
        if link.target.is_empty() || link.target.starts_with('#') || is_elsewhere(&link.target) {
            continue;
        }
        let whole = &text[link.range.clone()];
        let (Some(middle), Some(file)) = (
            whole.rfind("]("),
            resolve(page, link.target.split('#').next().unwrap_or_default()),
        ) else {
            return Err(format!("{page}: {whole:?} is not written as [text](target)").into());
        };
        let (mut file, middle) = (slashes(&file), link.range.start + middle);
        // A link to a folder leads to the README of the folder.
        let readme = format!("{file}/README.md");
        if pages.contains(&readme) {
            file = readme;
        }
        if link.is_image || pages.contains(&file) {
            let heading = link.target.find('#').map_or("", |at| &link.target[at..]);
            let target = relative(&place(page), &place(&file)) + heading;
            let at = middle + 2;
            edits.push((at..at + link.target.len(), target));
        } else {
            let shown = &text[link.range.start + 1..middle];
            let path = match shown.trim_matches('`') {
                shown if file.ends_with(shown) => String::new(),
                _ => format!(" (`{file}`)"),
            };
            edits.push((link.range.start..link.range.start + 1, String::new()));
            edits.push((middle..link.range.end, path));
        }
    }
    edits.sort_by_key(|(range, _)| range.start);
    let mut text = text.to_owned();
    for (range, new) in edits.into_iter().rev() {
        text.replace_range(range, &new);
    }
    Ok(text)
}

/// Returns the relative path from one file to another. Both paths are relative to the same folder.
fn relative(from: &str, to: &str) -> String {
    let (from, to): (Vec<_>, Vec<_>) = (from.split('/').collect(), to.split('/').collect());
    let same = from.iter().zip(&to).take_while(|(a, b)| a == b).count();
    let up = from.len().saturating_sub(same + 1);
    let mut way = vec![".."; up];
    way.extend(&to[same.min(to.len() - 1)..]);
    way.join("/")
}

/// Returns a page with the code of a program.
fn program(path: &str, text: &str) -> String {
    let name = path.rsplit('/').next().unwrap_or(path);
    format!("# {name}\n\n`{path}`\n\n````rust,ignore\n{text}````\n")
}

/// Returns the pictures in a document, as paths from the root.
fn pictures(page: &str, text: &str) -> Vec<String> {
    if !has_extension(page, "md") {
        return Vec::new();
    }
    let images = links(text).into_iter();
    images
        .filter(|link| link.is_image && !is_elsewhere(&link.target))
        .filter_map(|link| Some(slashes(&resolve(page, &link.target)?)))
        .collect()
}

fn write(path: &Path, text: &str) -> Result {
    fs::create_dir_all(path.parent().unwrap_or(path))?;
    fs::write(path, text)?;
    Ok(())
}

#[cfg(test)]
mod tests;

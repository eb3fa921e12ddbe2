//! `cargo xtask tidy`: checks the invariants that no compiler checks. Each check is also a test.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use xtask::run::Result;
use xtask::workspace::{Workspace, has_extension, slashes};

mod circles;
mod layers;
mod links;
mod names;
mod published;
mod seed_coverage;
mod size;
mod tokens;
mod voice;
mod words;

/// The data about the project that the rules use.
struct Project<'a> {
    workspace: &'a Workspace,
    /// The texts of all text files. The keys are the paths of the files from the root.
    texts: BTreeMap<String, String>,
    /// The paths of all files, including those that are not text.
    files: Vec<PathBuf>,
}

/// A violation of a rule.
#[derive(Debug, PartialEq)]
enum Finding {
    /// The violation must be corrected.
    Error(String),
    /// The violation should be examined.
    Warning(String),
}

/// An invariant: its name, and the function that finds violations.
type Rule = (&'static str, fn(&Project<'_>) -> Result<Vec<Finding>>);

const RULES: [Rule; 15] = [
    ("dependencies point down", |project| {
        Ok(layers::arrows(project))
    }),
    ("no circles of files", |project| Ok(circles::check(project))),
    ("layers of a crate", |project| {
        Ok(circles::check_layers(project))
    }),
    ("claw-types stays small", layers::types_dependencies),
    ("claw-types knows no runtime", layers::types_without_runtime),
    ("default members", |project| {
        Ok(layers::default_members(project))
    }),
    ("no unsafe code", layers::unsafe_code),
    ("file length", |project| Ok(size::check(project))),
    ("words that do not belong", |project| {
        Ok(words::check(project))
    }),
    ("comments in one voice", |project| Ok(voice::check(project))),
    ("names by the table", names::check),
    ("links resolve", |project| Ok(links::check(project))),
    ("the book has every page", |project| {
        Ok(errors(crate::book::missing(&project.texts)))
    }),
    ("what people see of a crate", |project| {
        Ok(published::check(project))
    }),
    ("the documents are covered", |project| {
        Ok(seed_coverage::check(project))
    }),
];

pub(crate) fn main() -> Result {
    check(&Workspace::read()?)
}

/// Runs every rule and prints its findings.
///
/// # Errors
/// Fails if there is an error that must be corrected.
pub(crate) fn check(workspace: &Workspace) -> Result {
    let project = Project::read(workspace)?;
    let mut errors = 0;
    for (name, rule) in RULES {
        for finding in rule(&project)? {
            match finding {
                Finding::Error(text) => {
                    errors += 1;
                    println!("error: {name}: {text}");
                }
                Finding::Warning(text) => println!("warning: {name}: {text}"),
            }
        }
    }
    if errors == 0 {
        Ok(())
    } else {
        Err(format!("{errors} to mend").into())
    }
}

impl<'a> Project<'a> {
    fn read(workspace: &'a Workspace) -> Result<Self> {
        let files = workspace.files()?;
        let mut texts = BTreeMap::new();
        for file in &files {
            if let Ok(text) = String::from_utf8(fs::read(workspace.root.join(file))?) {
                texts.insert(slashes(file), text);
            }
        }
        Ok(Self {
            workspace,
            texts,
            files,
        })
    }

    /// Returns the Rust files with their texts.
    fn rust(&self) -> impl Iterator<Item = (&str, &str)> {
        self.texts
            .iter()
            .filter(|(path, _)| has_extension(path, "rs"))
            .map(|(path, text)| (path.as_str(), text.as_str()))
    }
}

fn errors(texts: impl IntoIterator<Item = String>) -> Vec<Finding> {
    texts.into_iter().map(Finding::Error).collect()
}

#[cfg(test)]
mod tests;

//! Checks that generated names equal the names of the definitions, which are the names of the Rust
//! types.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use xtask::run::Result;

/// The definitions of the bundle and its root, each with its keys.
pub(super) struct Definitions(BTreeMap<String, BTreeSet<String>>);

impl Definitions {
    pub(super) fn read(schemas: &Path) -> Result<Self> {
        let bundle = fs::read(schemas.join("codegen/claw.schema.json"))?;
        Ok(Self::of(&serde_json::from_slice(&bundle)?))
    }

    fn of(bundle: &Value) -> Self {
        let keys = |definition: &Value| {
            let properties = definition["properties"].as_object();
            properties
                .into_iter()
                .flat_map(|p| p.keys().cloned())
                .collect()
        };
        let definitions = bundle["$defs"].as_object().into_iter().flatten();
        let mut all: BTreeMap<_, _> = definitions
            .map(|(name, definition)| (name.clone(), keys(definition)))
            .collect();
        let root = bundle["title"].as_str().unwrap_or_default();
        all.insert(root.to_owned(), keys(bundle));
        Self(all)
    }

    /// Fails unless these are exactly the names, apart from additional names that `may_be` accepts.
    fn compare(&self, found: &BTreeSet<&str>, may_be: impl Fn(&str) -> bool) -> Result {
        let missing = self.0.keys().find(|name| !found.contains(name.as_str()));
        let more = found
            .iter()
            .find(|name| !self.0.contains_key(**name) && !may_be(name));
        match (missing, more) {
            (None, None) => Ok(()),
            (Some(name), _) => Err(format!("nothing is generated for {name}").into()),
            (_, Some(name)) => Err(format!("{name} is generated, and is no definition").into()),
        }
    }

    /// Whether the name is the title of the type for an enumeration's unknown values.
    fn is_other(&self, name: &str) -> bool {
        let of = name.strip_suffix("Other");
        of.is_some_and(|of| self.0.contains_key(&format!("{of}Known")))
    }

    /// Whether the name is typify's name for a tag: the definition and the key, in camel case.
    fn is_tag(&self, name: &str) -> bool {
        let letters = |text: &str| text.replace('_', "").to_lowercase();
        self.0.iter().any(|(definition, keys)| {
            let rest = name.strip_prefix(definition.as_str());
            rest.is_some_and(|rest| keys.iter().any(|key| letters(key) == letters(rest)))
        })
    }
}

pub(super) fn typescript(definitions: &Definitions, folder: &Path) -> Result {
    let code = fs::read_to_string(folder.join("src/claw.ts"))?;
    definitions.compare(
        &declared(&code, &["export interface ", "export type "]),
        |name| definitions.is_other(name),
    )?;
    // Comments start on separate lines.
    let mut code = code
        .lines()
        .filter(|line| !line.trim_start().starts_with(['*', '/']));
    match code.find(|line| words(line).any(|word| word == "any")) {
        None => Ok(()),
        Some(line) => Err(format!("an `any`: {line}").into()),
    }
}

pub(super) fn python(definitions: &Definitions, folder: &Path) -> Result {
    let code = fs::read_to_string(folder.join("claw.py"))?;
    definitions.compare(&declared(&code, &["class "]), |_| false)?;
    // Only `Json` may be any JSON.
    let code = unquoted(&code);
    let found: Vec<_> = code
        .lines()
        .filter(|line| words(line).any(|word| word == "Any"))
        .collect();
    match found[..] {
        [import, class, root]
            if import.starts_with("from typing")
                && class.starts_with("class Json(")
                && root.trim_start().starts_with("root:") =>
        {
            Ok(())
        }
        _ => Err(format!("`Any` elsewhere than in Json: {found:?}").into()),
    }
}

pub(super) fn rust(definitions: &Definitions, folder: &Path) -> Result {
    let code = fs::read_to_string(newest(&folder.join("target/debug/build"))?)?;
    let found = declared(&code, &["pub struct ", "pub enum "]);
    definitions.compare(&found, |name| {
        definitions.is_tag(name) || definitions.is_other(name)
    })
}

/// Returns the newest output of the build script.
fn newest(builds: &Path) -> Result<PathBuf> {
    let mut found = Vec::new();
    for build in fs::read_dir(builds)? {
        let path = build?.path().join("out/claw.rs");
        if let Ok(about) = path.metadata() {
            found.push((about.modified()?, path));
        }
    }
    let (_, path) = found
        .into_iter()
        .max()
        .ok_or("the build script wrote nothing")?;
    Ok(path)
}

/// Returns the names that follow one of these keywords at the beginning of a line.
fn declared<'a>(code: &'a str, keywords: &[&str]) -> BTreeSet<&'a str> {
    let after = |line: &'a str| {
        keywords
            .iter()
            .find_map(|keyword| line.strip_prefix(keyword))
    };
    code.lines()
        .filter_map(after)
        .filter_map(|rest| words(rest).next())
        .collect()
}

fn words(line: &str) -> impl Iterator<Item = &str> {
    line.split(|c: char| !c.is_alphanumeric() && c != '_')
        .filter(|word| !word.is_empty())
}

/// Removes texts in quotation marks from code.
fn unquoted(code: &str) -> String {
    let mut out = String::with_capacity(code.len());
    let mut quote = None;
    let mut letters = code.chars();
    while let Some(letter) = letters.next() {
        match (quote, letter) {
            (Some(_), '\\') => _ = letters.next(),
            (Some(open), _) if letter == open => quote = None,
            (Some(_), _) => {}
            (None, '\'' | '"') => quote = Some(letter),
            (None, _) => out.push(letter),
        }
    }
    out
}

#[cfg(test)]
mod tests;

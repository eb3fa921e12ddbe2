//! Checks that each method of the async types has a blocking form. The declaration of a request makes both
//! forms of its method, so these methods need no check.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

/// Returns the name at the start of this text.
fn name(text: &str) -> Option<String> {
    let end = text.find(|c: char| c != '_' && !c.is_ascii_alphanumeric())?;
    Some(text[..end].to_owned()).filter(|name| !name.is_empty())
}

/// Returns the public methods in the `impl` blocks that begin with the line `header`. If `lists` is true, also returns
/// the names in the lists from which macros make methods.
fn methods(files: &[PathBuf], header: &str, lists: bool) -> BTreeSet<String> {
    let mut methods = BTreeSet::new();
    for file in files {
        let mut inside = false;
        for line in fs::read_to_string(file).unwrap().lines() {
            match line {
                "}" => inside = false,
                "server_changes! {" => inside = true,
                _ if line.starts_with("impl") => inside = line == header,
                _ => {}
            }
            let line = line.trim_start();
            let method = ["pub fn ", "pub async fn "]
                .iter()
                .find_map(|start| line.strip_prefix(start));
            let listed = || name(line).filter(|name| lists && line[name.len()..].starts_with('('));
            let found = method.map_or_else(listed, name);
            methods.extend(found.filter(|_| inside));
        }
    }
    methods
}

/// Returns the async methods without a blocking form.
fn missing(of: &str, here: &str) -> Vec<String> {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    let (mut all, mut blocking) = (Vec::new(), Vec::new());
    sources(&package.join("src"), &mut all);
    sources(&package.join("src/blocking"), &mut blocking);
    all.retain(|file| !blocking.contains(file));
    let methods_of = methods(&all, of, false);
    assert!(methods_of.len() > 10, "{of}: {methods_of:?}");
    let here = methods(&blocking, here, true);
    methods_of.difference(&here).cloned().collect()
}

#[test]
fn every_method_of_a_session_has_one_that_waits() {
    let missing = missing("impl Session {", "impl Blocking<crate::Session> {");
    assert_eq!(missing, Vec::<String>::new());
}

#[test]
fn every_method_of_the_builder_is_here() {
    let missing = missing("impl SessionBuilder {", "impl SessionBuilder {");
    assert_eq!(missing, Vec::<String>::new());
}

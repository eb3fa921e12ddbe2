//! No circles of files: if one file uses what another defines, the other uses nothing of the first, on whatever way.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::{Finding, Project, errors};

mod modules;
mod resolve;
mod tokens;

use modules::{Modules, PassesOn, Texts};
use resolve::Found;

/// For each file the files that it uses, with one name that it uses there.
type Uses = BTreeMap<String, BTreeMap<String, String>>;

/// What counts is that a file uses what another one defines. These are no use of it:
///
/// - A module declares another one, or passes its names on.
/// - A file takes from the modules that enclose it, which Rust lets it do as if it were a part of them: their own items, and
///   the names that they offer to the outside with `pub use`, of which the types of an interface may name each other.
/// - A test uses whatever it needs.
pub(super) fn check(project: &Project<'_>) -> Vec<Finding> {
    errors(circles(&project.rust().collect()))
}

fn circles(texts: &Texts<'_>) -> Vec<String> {
    let mut uses = Uses::new();
    for root in texts.keys().filter(|path| is_root(path)) {
        add_uses(&Modules::read(root, texts), &mut uses);
    }
    let mut found = Vec::new();
    let mut seen = BTreeSet::new();
    for file in uses.keys() {
        if seen.contains(&**file) {
            continue;
        }
        if let Some(circle) = shortest(file, &uses) {
            found.push(described(&circle, &uses));
            seen.extend(circle);
        }
    }
    found
}

/// Whether a crate begins with this file.
fn is_root(path: &str) -> bool {
    path.ends_with("/src/lib.rs") || path.ends_with("/src/main.rs")
}

fn add_uses(modules: &Modules<'_>, uses: &mut Uses) {
    for (index, module) in modules.all.iter().enumerate() {
        let mut add = |found: Option<Found<'_>>, only_traits: bool| {
            if let Some(Found::Item(other, name)) = found
                && modules.all[other].file != module.file
                && !modules.is_inside(index, other)
                && (!only_traits || modules.all[other].traits.contains(name))
            {
                uses.entry(module.file.clone())
                    .or_default()
                    .entry(modules.all[other].file.clone())
                    .or_insert_with(|| name.to_owned());
            }
        };
        for path in &module.paths {
            add(modules.resolve(index, path), false);
        }
        // The methods of a trait are used without its name.
        for import in module
            .imports
            .iter()
            .filter(|import| import.passes_on == PassesOn::No)
        {
            add(modules.resolve(index, &import.path), true);
        }
    }
}

/// The shortest way from a file to itself.
fn shortest<'a>(start: &'a str, uses: &'a Uses) -> Option<Vec<&'a str>> {
    let mut came_from: BTreeMap<&str, &str> = BTreeMap::new();
    let mut next = VecDeque::from([start]);
    while let Some(file) = next.pop_front() {
        for used in uses.get(file)?.keys().map(|used| &**used) {
            if used == start {
                let mut circle = vec![file];
                while let Some(before) = came_from.get(circle[circle.len() - 1]) {
                    circle.push(before);
                }
                circle.reverse();
                return Some(circle);
            }
            if uses.contains_key(used) && !came_from.contains_key(used) {
                came_from.insert(used, file);
                next.push_back(used);
            }
        }
    }
    None
}

fn described(circle: &[&str], uses: &Uses) -> String {
    let after = circle.iter().cycle().skip(1);
    let arrows = circle
        .iter()
        .zip(after)
        .map(|(file, used)| format!("{file} uses {} of {used}", uses[*file][*used]));
    arrows.collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests;

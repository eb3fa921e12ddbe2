//! Checks that files do not depend on each other in a circle. If a file uses a definition of another file, that file
//! must not use the first file, directly or indirectly.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::{Finding, Project, errors};

mod layers;
mod modules;
mod resolve;

use modules::{Modules, PassesOn, Texts};
use resolve::Found;

/// Maps each file to the files that it uses, and each of these to the name of a used definition.
type Uses = BTreeMap<String, BTreeMap<String, String>>;

/// Returns the circles of files that use each other. A file uses another file if it uses a definition of that file. The
/// following do not count as a use:
///
/// - A module declares or re-exports another module.
/// - A file uses its enclosing modules, which Rust code can access in the same way as its own parts. This applies to
///   the items of an enclosing module, and to the names that it re-exports with `pub use`. So the types of an interface
///   may name each other.
/// - A test uses any file.
pub(super) fn check(project: &Project<'_>) -> Vec<Finding> {
    errors(circles(&project.rust().collect()))
}

/// Checks the layers of crates: see [`layers`].
pub(super) fn check_layers(project: &Project<'_>) -> Vec<Finding> {
    errors(layers::check(&project.rust().collect()))
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

/// Whether this file is the root of a crate.
fn is_root(path: &str) -> bool {
    path.ends_with("/src/lib.rs") || path.ends_with("/src/main.rs")
}

fn add_uses(modules: &Modules<'_>, uses: &mut Uses) {
    for (module, found) in uses_of(modules) {
        if let Found::Item(other, name) = found
            && modules.all[other].file != modules.all[module].file
            && !modules.is_inside(module, other)
        {
            uses.entry(modules.all[module].file.clone())
                .or_default()
                .entry(modules.all[other].file.clone())
                .or_insert_with(|| name.to_owned());
        }
    }
}

/// Returns the uses of all modules: the index of each module, and the targets of the paths in it.
fn uses_of<'a>(modules: &Modules<'a>) -> Vec<(usize, Found<'a>)> {
    let mut uses = Vec::new();
    for (index, module) in modules.all.iter().enumerate() {
        let paths = module.paths.iter();
        let found = paths.filter_map(|path| modules.resolve(index, path));
        uses.extend(found.map(|found| (index, found)));
        // The methods of a trait can be used without naming the trait, so an import of a trait counts as a use.
        let imports = module.imports.iter();
        let private = imports.filter(|import| import.passes_on == PassesOn::No);
        let found = private.filter_map(|import| modules.resolve(index, &import.path));
        let traits = found.filter(|found| match found {
            Found::Item(other, name) | Found::Interface(other, name) => {
                modules.all[*other].traits.contains(name)
            }
            Found::Module(_) => false,
        });
        uses.extend(traits.map(|found| (index, found)));
    }
    uses
}

/// Returns the shortest circle of files that begins and ends with this file.
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

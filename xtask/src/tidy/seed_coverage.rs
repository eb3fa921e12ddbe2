//! Checks that the names in docs/seed-coverage.md exist, and those in the pages for users of the official SDKs.

use std::collections::BTreeSet;
use std::path::Path;

use super::{Finding, Project, errors};

const DOCUMENT: &str = "docs/seed-coverage.md";

/// Pages whose rows contain names of claw in the second cell and remarks in the third cell. The gate `parity` checks
/// the first cell.
const COUNTERPARTS: [&str; 2] = [
    "docs/guides/coming-from-python.md",
    "docs/guides/coming-from-typescript.md",
];

/// The file in which control requests declare their methods of `Session`. A declaration has the form `name(arguments)`,
/// and is indented by eight spaces.
const CALLS: &str = "crates/claw-types/src/control/request.rs";

/// Names that `#[wire]` generates. They occur in no struct and in no `impl` of the source text.
const GENERATED: [&str; 4] = ["extra", "kind", "session_id", "uuid"];

/// Checks that the crates define every type and function in a row, and that the project contains every test in a row.
pub(super) fn check(project: &Project<'_>) -> Vec<Finding> {
    let known = Known::read(project);
    let pages = COUNTERPARTS.into_iter().chain([DOCUMENT]);
    let problems = pages.flat_map(|page| {
        let text = project.texts.get(page).map_or("", String::as_str);
        let known = &known;
        rows(text).flat_map(move |(line, mut cells)| {
            if page != DOCUMENT
                && let Some(remarks) = cells.get_mut(2)
            {
                *remarks = "";
            }
            let problems = known.missing(&cells).into_iter();
            problems.map(move |what| format!("{page}:{line}: {what}"))
        })
    });
    errors(problems)
}

/// Returns the rows of all tables with their line numbers. The heads of the tables and the lines below them are left
/// out.
fn rows(text: &str) -> impl Iterator<Item = (usize, Vec<&str>)> {
    text.lines()
        .enumerate()
        .filter_map(|(index, line)| {
            let cells = line.trim().strip_prefix('|')?.strip_suffix('|')?;
            Some((index + 1, cells.split('|').map(str::trim).collect()))
        })
        .filter(|(_, cells): &(_, Vec<_>)| {
            cells.first() != Some(&"row") && !cells.iter().all(|cell| cell.starts_with("---"))
        })
}

/// Returns the texts of a cell that are marked as code with backticks.
fn names(cell: &str) -> impl Iterator<Item = &str> {
    cell.split('`').skip(1).step_by(2)
}

/// The names that the source files define.
struct Known<'a> {
    sources: Vec<Source<'a>>,
    /// The names of all test functions.
    tests: BTreeSet<&'a str>,
    /// The paths of the files that have examples in their documentation.
    examples: BTreeSet<&'a str>,
}

/// A source file of a crate, and the names of the items, fields and variants that it defines.
struct Source<'a> {
    path: &'a str,
    text: &'a str,
    defined: BTreeSet<&'a str>,
}

impl<'a> Known<'a> {
    fn read(project: &'a Project<'_>) -> Self {
        let mut known = Self {
            sources: Vec::new(),
            tests: BTreeSet::new(),
            examples: BTreeSet::new(),
        };
        for (path, text) in project.rust() {
            if path.starts_with("crates/") && path.contains("/src/") {
                let methods = text.lines().filter_map(call).filter(|_| path == CALLS);
                let defined = text.lines().filter_map(defined).chain(methods).collect();
                known.sources.push(Source {
                    path,
                    text,
                    defined,
                });
            }
            known.tests.extend(tests(text));
            if text.contains("//! ```") || text.contains("/// ```") {
                known.examples.insert(path);
            }
        }
        known
    }

    /// Whether an item, a member of an item, or a function of a module with this name exists.
    fn has(&self, path: &str) -> bool {
        let Some((owner, member)) = path.rsplit_once("::") else {
            return self
                .sources
                .iter()
                .any(|source| source.defined.contains(path));
        };
        let is_generated = GENERATED.contains(&member) && self.has(owner);
        is_generated
            || self
                .sources
                .iter()
                .any(|source| source.defined.contains(member) && source.is_of(owner))
    }

    /// Returns problems for the names in a row that the source files do not define.
    fn missing(&self, cells: &[&str]) -> Vec<String> {
        let [_, has, held] = cells else {
            return Vec::new();
        };
        let mut problems = Vec::new();
        for name in names(has) {
            if !self.has(name) {
                problems.push(format!("`{name}` is nowhere defined"));
            }
        }
        for name in names(held) {
            if name.contains('/') {
                if !self.examples.contains(name) {
                    problems.push(format!("`{name}` is no file with examples"));
                }
            } else if !self.tests.contains(name) {
                problems.push(format!("there is no test `{name}`"));
            }
        }
        problems
    }
}

impl Source<'_> {
    /// Whether the file belongs to this module, defines this type, or contains an `impl` of it.
    fn is_of(&self, owner: &str) -> bool {
        self.defined.contains(owner)
            || (self.path == CALLS && owner == "Session")
            || ["impl ", " for "].iter().any(|before| {
                self.text.match_indices(before).any(|(at, _)| {
                    word(&self.text[at + before.len()..]).is_some_and(|(name, _)| name == owner)
                })
            })
            || Path::new(self.path).components().any(|part| {
                Path::new(&part)
                    .file_stem()
                    .is_some_and(|stem| stem == owner)
            })
    }
}

/// Returns the name that a line defines: the name of an item, a field or a variant, or a name that a macro of the
/// project turns into an item.
fn defined(line: &str) -> Option<&str> {
    const KEYWORDS: [&str; 9] = [
        "struct ",
        "enum ",
        "trait ",
        "type ",
        "mod ",
        "static ",
        "fn ",
        "async fn ",
        "const ",
    ];
    let line = line.trim_start();
    let public = line.strip_prefix("pub").and_then(|rest| {
        let restricted = rest.strip_prefix('(').and_then(|rest| rest.split_once(')'));
        restricted.map_or(rest, |(_, rest)| rest).strip_prefix(' ')
    });
    let item = public.unwrap_or(line);
    let item = item.strip_prefix("const fn ").map_or_else(
        || {
            KEYWORDS
                .iter()
                .find_map(|keyword| item.strip_prefix(keyword))
        },
        Some,
    );
    if let Some(item) = item {
        return word(item).map(|(name, _)| name);
    }
    // In the macro `by_shape!`, the shape of a value precedes the name of the variant.
    let shapes = ["text ", "number ", "list ", "object "];
    let variant = shapes.iter().find_map(|shape| line.strip_prefix(shape));
    let (name, rest) = word(public.or(variant).unwrap_or(line))?;
    let is_field = public.is_some() && rest.starts_with(':') && !rest.starts_with("::");
    let is_variant = name.starts_with(|c: char| c.is_ascii_uppercase())
        && (rest.is_empty()
            || [",", "(", ";", " {", " = \""]
                .iter()
                .any(|s| rest.starts_with(s)));
    (is_field || is_variant).then_some(name)
}

/// Returns the name of the method that a control request declares.
fn call(line: &str) -> Option<&str> {
    let (name, rest) = word(line.strip_prefix("        ")?)?;
    rest.starts_with('(').then_some(name)
}

/// Returns the names of the functions that are marked as tests.
fn tests(text: &str) -> impl Iterator<Item = &str> {
    let mut marked = false;
    text.lines().filter_map(move |line| {
        let line = line.trim_start();
        if line.starts_with("#[test]") || line.starts_with("#[tokio::test") {
            marked = true;
        }
        let function = line
            .strip_prefix("async ")
            .unwrap_or(line)
            .strip_prefix("fn ")?;
        std::mem::take(&mut marked).then(|| word(function).map(|(name, _)| name))?
    })
}

/// Returns the identifier at the start of a text, and the rest of the text.
fn word(text: &str) -> Option<(&str, &str)> {
    let end = text
        .find(|c: char| !c.is_ascii_alphanumeric() && c != '_')
        .unwrap_or(text.len());
    (end > 0).then(|| text.split_at(end))
}

#[cfg(test)]
mod tests;

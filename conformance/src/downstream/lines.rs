//! The lines that the programs read: all lines of the fixtures, and some of future versions.

use std::fmt::Write as _;
use std::fs;

use serde_json::{Value, json};

use xtask::lines;
use xtask::run::Result;
use xtask::workspace::Workspace;

/// The directions. Each is a file of a fixture and a schema.
pub(super) const WAYS: [&str; 2] = ["stdout", "stdin"];

/// The definition of a line in each direction.
const ROOTS: [&str; 2] = ["StdoutMessage", "StdinMessage"];

pub(super) struct Lines {
    lines: Vec<Line>,
}

struct Line {
    way: &'static str,
    text: String,
    /// Whether the line contains half of a surrogate pair, which a JSON tree cannot hold.
    is_cut: bool,
    /// Whether the closed schema accepts the line.
    is_known: bool,
    /// Whether the line's own tags are known, regardless of its contents.
    has_known_tags: bool,
}

impl Lines {
    /// Reads the fixtures, and checks each line with the closed schema.
    pub(super) fn read(workspace: &Workspace) -> Result<Self> {
        let schemas = workspace.root.join("schemas");
        let bundle: Value =
            serde_json::from_slice(&fs::read(schemas.join("codegen/claw.schema.json"))?)?;
        let meta: Value = serde_json::from_slice(&fs::read(schemas.join("meta.json"))?)?;
        let mut lines = Vec::new();
        for (way, root) in WAYS.into_iter().zip(ROOTS) {
            let closed = json!({ "$ref": format!("#/$defs/{root}"), "$defs": bundle["$defs"] });
            let closed = jsonschema::validator_for(&closed)?;
            let mut add = |text: &str| {
                let tree: Option<Value> = serde_json::from_str(text).ok();
                lines.push(Line {
                    way,
                    text: text.to_owned(),
                    is_cut: tree.is_none(),
                    is_known: tree.as_ref().is_some_and(|tree| closed.is_valid(tree)),
                    has_known_tags: tree.as_ref().is_none_or(|tree| is_listed(&meta, way, tree)),
                });
            };
            for line in lines::recorded(workspace, way)? {
                add(&line);
            }
            for line in lines::tomorrow(way) {
                add(&line.to_string());
            }
        }
        Ok(Self { lines })
    }

    fn of(&self, way: &str) -> impl Iterator<Item = &Line> {
        self.lines.iter().filter(move |line| line.way == way)
    }

    /// Returns the lines of a direction that every JSON reader accepts.
    pub(super) fn whole(&self, way: &str) -> String {
        joined(self.of(way).filter(|line| !line.is_cut))
    }

    /// Returns the lines of a direction that contain half of a surrogate pair.
    pub(super) fn cut(&self, way: &str) -> String {
        joined(self.of(way).filter(|line| line.is_cut))
    }

    /// Returns the number of complete lines of unknown kinds, according to their tags only or to all their contents.
    pub(super) fn unknown(&self, way: &str, by_tags: bool) -> usize {
        let whole = self.of(way).filter(|line| !line.is_cut);
        whole
            .filter(|line| {
                !if by_tags {
                    line.has_known_tags
                } else {
                    line.is_known
                }
            })
            .count()
    }

    /// Returns every known line as an expression of its type. The expression is an argument of a call, because a
    /// literal in an assignment may not have unknown fields. Also contains a misspelled value, for which the compiler
    /// must report an error.
    pub(super) fn as_typescript(&self) -> String {
        let mut text = format!(
            "import type {{ {}, PermissionModeKnown }} from \"./claw.js\";\n\
             // @ts-expect-error: no known value.\n\
             \"of_tomorrow\" satisfies PermissionModeKnown;\n",
            ROOTS.join(", ")
        );
        for (way, root) in WAYS.into_iter().zip(ROOTS) {
            let _ = writeln!(
                text,
                "declare function {way}<T extends {root}>(line: T): void;"
            );
            for line in self.of(way).filter(|line| line.is_known) {
                let _ = writeln!(text, "{way}({});", line.text);
            }
        }
        text
    }

    /// Describes the lines in a sentence.
    pub(super) fn account(&self) -> String {
        let count = |holds: fn(&Line) -> bool| self.lines.iter().filter(|l| holds(l)).count();
        let unknown: Vec<_> = self
            .lines
            .iter()
            .filter(|line| !line.is_known && !line.is_cut)
            .map(|line| line.text.chars().take(100).collect::<String>())
            .collect();
        format!(
            "{} lines: {} known, {} with half of a surrogate pair, and these not known:\n{}",
            self.lines.len(),
            count(|line| line.is_known),
            count(|line| line.is_cut),
            unknown.join("\n")
        )
    }
}

fn joined<'a>(lines: impl Iterator<Item = &'a Line>) -> String {
    lines.flat_map(|line| [&line.text, "\n"]).collect()
}

/// Whether the tags of a line belong to a kind in meta.json.
fn is_listed(meta: &Value, way: &str, line: &Value) -> bool {
    let mut kinds = meta["kinds"].as_array().into_iter().flatten();
    kinds.any(|kind| {
        kind["direction"] == way
            && kind
                .as_object()
                .into_iter()
                .flatten()
                .filter(|(key, _)| !["definition", "direction"].contains(&key.as_str()))
                .all(|(key, value)| line.get(key) == Some(value))
    })
}

/// Fails unless the programs accessed the contents of narrowed values, in the lines of both directions.
pub(super) fn reaches(found: &[Value]) -> Result {
    let [stdout, stdin] = found else {
        return Err("a program is run on the lines of both directions".into());
    };
    for (found, fact) in [
        (stdout, "/tools/Bash"),
        (stdout, "/modes/asks"),
        (stdout, "/modes/of_tomorrow"),
        (stdout, "/asked/Bash"),
        (stdout, "/output_tokens"),
        (stdout, "/text_deltas"),
        (stdin, "/answers/success"),
        (stdin, "/prompts"),
    ] {
        if found
            .pointer(fact)
            .and_then(Value::as_u64)
            .is_none_or(|count| count == 0)
        {
            return Err(format!("nothing at {fact} of {found}").into());
        }
    }
    Ok(())
}

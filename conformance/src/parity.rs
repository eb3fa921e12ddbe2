//! `cargo xtask parity`: compares claw's types with those of the official TypeScript package. Also checks that the
//! documents have a row for each function, method, constant and option that the official TypeScript and Python packages
//! export.
//!
//! npm installs a pinned version of the package under target/. No part of the package is kept in the project. A script
//! converts its declarations to JSON Schema, which is compared with the schema that claw-types generates. The same
//! comparison of two schemas also compares two versions of the package.

use std::collections::BTreeSet;
use std::process::Command;

use serde::Deserialize;
use serde_json::Value;

use xtask::run::{Result, read};
use xtask::sdk::{self, PACKAGE, VERSION};
use xtask::workspace::Workspace;

mod baseline;
mod compare;
mod functions;
mod report;
mod shape;

use baseline::Baseline;
use compare::Comparison;
use report::{Report, totals};
use shape::Side;

/// The package's files that declare data types.
const DECLARATIONS: [&str; 2] = ["sdk.d.ts", TOOLS];
/// The file with the types of the built-in tools.
const TOOLS: &str = "sdk-tools.d.ts";

/// The accepted differences.
const BASELINE: &str = "conformance/parity.baseline.json";

/// A pair of types at which the comparison begins, and the name of its variants in reports.
struct Root {
    kind: &'static str,
    /// The types of the left side. Together they form one union.
    left: &'static [&'static str],
    right: &'static [&'static str],
}

/// The types at which the comparison begins, in an order in which types come before the types that contain them. From
/// these types on, variants are matched by their tags, and fields by their names.
const ROOTS: [Root; 5] = [
    Root {
        kind: "hook input",
        left: &["HookInput"],
        right: &["HookInput"],
    },
    Root {
        kind: "hook output",
        left: &["HookJSONOutput"],
        right: &["HookOutput"],
    },
    Root {
        kind: "request",
        left: &["SDKControlRequestInner"],
        right: &["ControlRequestBody"],
    },
    Root {
        kind: "message",
        left: &["StdoutMessage"],
        right: &["StdoutMessage", "StdinMessage"],
    },
    Root {
        kind: "option",
        left: &["Options"],
        right: &["QueryOptions"],
    },
];

/// Responses whose names are not derived from the request: the request, the name in the package, the name in claw.
const RESPONSES: [(&str, &str, &str); 2] = [
    ("can_use_tool", "PermissionResult", "PermissionResult"),
    (
        "request_user_dialog",
        "UserDialogResult",
        "UserDialogResponse",
    ),
];

/// Types that have another name in claw. On the wire they occur only inside of other types.
const TYPES: [(&str, &str); 3] = [
    ("SandboxCredentialsConfig", "SandboxCredentials"),
    ("SandboxFilesystemConfig", "SandboxFilesystem"),
    ("SandboxNetworkConfig", "SandboxNetwork"),
];

/// Types that are not compared, because all their contents are compared elsewhere: lists of the tools' types, and the
/// parameters of a function of the package, which include all settings.
const REPEATED: [&str; 3] = ["ClaimOptions", "ToolInputSchemas", "ToolOutputSchemas"];

/// The command line of `cargo xtask parity`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Write the found differences to the baseline. Reasons are kept. A new difference needs a reason.
    #[arg(long)]
    write_baseline: bool,
}

pub(crate) fn main(args: &Args) -> Result {
    let workspace = Workspace::read()?;
    let path = workspace.root.join(BASELINE);
    let mut baseline = Baseline::read(&path)?;
    let package = official(&workspace, VERSION, "the package")?;
    let report = compared(&package, &claw()?, &baseline.left_out());
    if args.write_baseline {
        baseline.update(&report.differences);
        baseline.write(&path)?;
    }
    print!(
        "{}{}",
        baseline.explain(&report.differences),
        totals(&report)
    );
    baseline.judge(&report.differences)?;
    functions::check(&workspace)
}

/// Fails unless the differences equal the baseline, and everything that the official packages export has a row.
pub(crate) fn check(workspace: &Workspace) -> Result {
    let baseline = Baseline::read(&workspace.root.join(BASELINE))?;
    let package = official(workspace, VERSION, "the package")?;
    let report = compared(&package, &claw()?, &baseline.left_out());
    print!("{}", totals(&report));
    baseline.judge(&report.differences)?;
    functions::check(workspace)
}

/// What a version of the official package declares.
pub(crate) struct Declarations {
    /// Its differences from an older version.
    pub(crate) changes: BTreeSet<String>,
    /// Its differences from claw that the baseline does not list.
    pub(crate) gaps: BTreeSet<String>,
}

/// Compares a version of the official package with an older one and with claw.
///
/// # Errors
/// Fails if a version cannot be installed or read.
pub(crate) fn declared(workspace: &Workspace, old: &str, new: &str) -> Result<Declarations> {
    let baseline = Baseline::read(&workspace.root.join(BASELINE))?;
    let (older, mut newer) = (
        official(workspace, old, old)?,
        official(workspace, new, new)?,
    );
    let changes = between(&newer, &older).differences;
    // The name that the lines of the baseline have.
    "the package".clone_into(&mut newer.name);
    let report = compared(&newer, &claw()?, &baseline.left_out());
    Ok(Declarations {
        changes,
        gaps: baseline.unlisted(&report.differences),
    })
}

/// Compares two versions of the package.
fn between(one: &Side, other: &Side) -> Report {
    let nothing = BTreeSet::new();
    let mut comparison = Comparison::new(one, other, &nothing);
    for root in &ROOTS {
        comparison.root(&Root {
            right: root.left,
            ..*root
        });
    }
    let names = one.exported.union(&other.exported);
    for name in names.filter(|name| !REPEATED.contains(&name.as_str())) {
        comparison.pair(&one.title(name), Some(name), Some(name));
    }
    comparison.finish()
}

/// Compares a version of the package with claw.
fn compared(official: &Side, claw: &Side, left_out: &BTreeSet<String>) -> Report {
    let mut comparison = Comparison::new(official, claw, left_out);
    for root in &ROOTS {
        let variants = comparison.root(root);
        if root.kind == "request" {
            for (subtype, (question, ours)) in variants {
                let (left, right) = responses(&subtype, question, ours, official, claw);
                comparison.pair(
                    &format!("response {subtype}"),
                    left.as_deref(),
                    right.as_deref(),
                );
            }
        }
    }
    for name in comparison.unreached() {
        if let Some(ours) = ours(name, claw) {
            comparison.pair(&official.title(name), Some(name), Some(ours));
        }
    }
    comparison.count_lacking();
    let mut missing = comparison.unreached();
    missing.retain(|name| !REPEATED.contains(name));
    for name in missing {
        comparison.pair(&official.title(name), Some(name), None);
    }
    comparison.finish()
}

/// Returns the name that a type of the package has in claw. Most names are the same.
fn ours<'a>(name: &'a str, claw: &Side) -> Option<&'a str> {
    let renamed = TYPES.iter().find(|(theirs, _)| *theirs == name);
    let plain = name.strip_prefix("SDK");
    let names = [renamed.map(|(_, ours)| *ours), Some(name), plain];
    let mut known = names
        .into_iter()
        .flatten()
        .filter(|name| claw.types.contains_key(*name));
    known.next()
}

/// Returns the names of the response to a request on both sides. With a few exceptions, they are derived from the name
/// of the request. The official package does not publish every response; an unpublished one is not compared.
fn responses(
    subtype: &str,
    question: Option<&str>,
    ours: Option<&str>,
    official: &Side,
    claw: &Side,
) -> (Option<String>, Option<String>) {
    if let Some((_, left, right)) = RESPONSES.iter().find(|(request, ..)| *request == subtype) {
        return (Some((*left).to_owned()), Some((*right).to_owned()));
    }
    let stem = question.and_then(|name| name.strip_prefix("SDKControl")?.strip_suffix("Request"));
    let left = stem.and_then(|stem| {
        let mut names = [format!("SDKControl{stem}Response"), format!("{stem}Result")].into_iter();
        names.find(|name| official.types.contains_key(name))
    });
    let right = ours.map(|name| format!("{name}Response"));
    let right = right.filter(|name| left.is_some() && claw.types.contains_key(name));
    (left, right)
}

/// Returns claw's types.
fn claw() -> Result<Side> {
    let files = claw_types::schema::files();
    let schema = files
        .into_iter()
        .find(|(path, _)| *path == "codegen/claw.schema.json");
    let types = schema.and_then(|(_, mut schema)| match schema["$defs"].take() {
        Value::Object(types) => Some(types),
        _ => None,
    });
    let types = types.ok_or("claw-types has no schema for code generation")?;
    let lists = types.values().filter_map(|t| t["x-internal"].as_array());
    let internal = lists.flatten().filter_map(Value::as_str);
    let internal = internal.map(str::to_owned).collect();
    Ok(Side {
        name: "claw".to_owned(),
        types,
        exported: BTreeSet::new(),
        tools: BTreeSet::new(),
        internal,
    })
}

/// The script's output for one type.
#[derive(Deserialize)]
struct Declared {
    file: String,
    exported: bool,
    schema: Value,
}

/// Returns the types of a version of the official package, which is installed if necessary. `name` is its name in
/// reports.
fn official(workspace: &Workspace, version: &str, name: &str) -> Result<Side> {
    let prefix = sdk::install(workspace, version)?;
    let package = prefix.join("node_modules").join(PACKAGE);
    let mut node = Command::new("node");
    node.arg(workspace.root.join("conformance/src/parity/surface.mjs"));
    node.arg(&prefix).arg(PACKAGE);
    node.args(
        DECLARATIONS
            .iter()
            .filter(|file| package.join(file).is_file()),
    );
    let declared: serde_json::Map<String, Value> = serde_json::from_str(&read(&mut node)?)?;
    let mut side = Side {
        name: name.to_owned(),
        types: serde_json::Map::new(),
        exported: BTreeSet::new(),
        tools: BTreeSet::new(),
        internal: BTreeSet::new(),
    };
    for (name, declared) in declared {
        let Declared {
            file,
            exported,
            schema,
        } = serde_json::from_value(declared)?;
        if file == TOOLS {
            side.tools.insert(name.clone());
        }
        if exported {
            side.exported.insert(name.clone());
        }
        side.types.insert(name, schema);
    }
    Ok(side)
}

/// Returns the names of all options of the official package and of claw.
///
/// # Errors
/// Fails if the package cannot be installed or read.
pub(crate) fn options(workspace: &Workspace) -> Result<BTreeSet<String>> {
    let official = official(workspace, VERSION, "the package")?;
    let mut names = BTreeSet::new();
    for (side, name) in [(&official, "Options"), (&claw()?, "QueryOptions")] {
        let options = side
            .types
            .get(name)
            .and_then(|options| options["properties"].as_object());
        let options = options.ok_or_else(|| format!("{} has no {name}", side.name))?;
        names.extend(options.keys().cloned());
    }
    Ok(names)
}

#[cfg(test)]
mod tests;

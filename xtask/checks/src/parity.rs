//! `cargo xtask parity`: claw's types beside those of the official TypeScript package, and rows for all that it and the
//! official Python package export to be called.
//!
//! The package is a pinned version, installed by npm under target/, and nothing of it is kept. A script turns its
//! declarations into JSON Schema; what compares them with the schema that claw-types generates is one comparison of two
//! schemas, and serves for two versions of the package too.

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
use report::{Report, lines, totals};
use shape::Side;

/// Its files that declare what is data.
const DECLARATIONS: [&str; 2] = ["sdk.d.ts", TOOLS];
/// The one of them that is about the built-in tools.
const TOOLS: &str = "sdk-tools.d.ts";

/// The accepted differences.
const BASELINE: &str = "xtask/parity.baseline.json";

/// Where both sides begin, and how its variants are called in reports.
struct Root {
    kind: &'static str,
    /// Types of the left side, which together are one union.
    left: &'static [&'static str],
    right: &'static [&'static str],
}

/// Where the two sides begin, what others hold first. From here on, variants are matched by their tags and fields by
/// their names.
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

/// Answers that are not named after their question: the request, then their names.
const RESPONSES: [(&str, &str, &str); 2] = [
    ("can_use_tool", "PermissionResult", "PermissionResult"),
    (
        "request_user_dialog",
        "UserDialogResult",
        "UserDialogResponse",
    ),
];

/// Types that nothing on the wire is of alone, and that have another name here.
const TYPES: [(&str, &str); 3] = [
    ("SandboxCredentialsConfig", "SandboxCredentials"),
    ("SandboxFilesystemConfig", "SandboxFilesystem"),
    ("SandboxNetworkConfig", "SandboxNetwork"),
];

/// Types that are left out, for all that is in them is compared elsewhere: lists of the tools'
/// types, and what a function of the package takes, all settings among it.
const REPEATED: [&str; 3] = ["ClaimOptions", "ToolInputSchemas", "ToolOutputSchemas"];

/// The command line of `cargo xtask parity`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Another version of the official package: says what moved between it and the pinned one,
    /// then what claw has of it. The baseline is not looked at.
    #[arg(long, value_name = "VERSION", conflicts_with = "write_baseline")]
    version: Option<String>,
    /// Make the baseline what is found. Reasons are kept; what is new has to be given one.
    #[arg(long)]
    write_baseline: bool,
}

pub(crate) fn main(args: &Args) -> Result {
    let workspace = Workspace::read()?;
    if let Some(version) = &args.version {
        moved(&workspace, version)?;
        return ahead(&workspace, version);
    }
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

/// Fails unless the differences are those of the baseline, and everything that the official packages export has a row.
pub(crate) fn check(workspace: &Workspace) -> Result {
    let baseline = Baseline::read(&workspace.root.join(BASELINE))?;
    let package = official(workspace, VERSION, "the package")?;
    let report = compared(&package, &claw()?, &baseline.left_out());
    print!("{}", totals(&report));
    baseline.judge(&report.differences)?;
    functions::check(workspace)
}

/// Prints what another version has otherwise than the pinned one.
pub(crate) fn moved(workspace: &Workspace, version: &str) -> Result {
    let other = official(workspace, version, version)?;
    let pinned = official(workspace, VERSION, VERSION)?;
    let report = between(&other, &pinned);
    println!("{version} beside {VERSION}:");
    print!("{}{}", lines(&report.differences), totals(&report));
    Ok(())
}

/// Prints what claw has of another version.
fn ahead(workspace: &Workspace, version: &str) -> Result {
    let other = official(workspace, version, version)?;
    let baseline = Baseline::read(&workspace.root.join(BASELINE))?;
    let report = compared(&other, &claw()?, &baseline.left_out());
    println!("\n{version} beside claw:");
    print!("{}{}", lines(&report.differences), totals(&report));
    Ok(())
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

/// The name that a type of the package has in claw: the same, mostly.
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

/// The names of the answer to a request: after the question on both sides, but for a few. The
/// official package does not publish every answer; then there is nothing to compare.
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

/// claw's own types.
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

/// What the script prints of each type.
#[derive(Deserialize)]
struct Declared {
    file: String,
    exported: bool,
    schema: Value,
}

/// The types of a version of the official package, installed if it is not there yet, under the
/// name that reports call it by.
fn official(workspace: &Workspace, version: &str, name: &str) -> Result<Side> {
    let prefix = sdk::install(workspace, version)?;
    let package = prefix.join("node_modules").join(PACKAGE);
    let mut node = Command::new("node");
    node.arg(workspace.root.join("xtask/checks/src/parity/surface.mjs"));
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

/// The names of all options, of the official package and of claw.
///
/// # Errors
/// As the installation of the package.
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

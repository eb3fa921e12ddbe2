//! `cargo xtask release --dry-run`: performs all steps of a release except the publication.
//!
//! The release publishes a staged copy of the project, whose crates have the names that they have in a registry.

use std::fs;
use std::path::PathBuf;
use std::time::Instant;

use crate::dist::installers::rehearsal;
use xtask::run::{Result, cargo, run};
use xtask::steps::{self, Checked, Step, table, verdict};
use xtask::toolchains::{self, NIGHTLY};
use xtask::workspace::{Workspace, lacking_fields};

mod hello;
mod packages;
pub(crate) mod plan;
mod published;
mod registry;
mod semver;
mod stage;
mod stranger;
mod upload;
mod versions;

use plan::Plan;
use stranger::Stranger;

/// The command line of `cargo xtask release`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Rehearse. Without this option, the command refuses, and describes how a person publishes.
    #[arg(long)]
    dry_run: bool,
    /// Only rewrite the pages: they name crates and commands as a registry has them, with the version in Cargo.toml. Before the
    /// first release, they name a checkout.
    #[arg(long, conflicts_with_all = ["dry_run", "steps"])]
    published: bool,
    /// Build and run the user's program for this system: `x86_64-pc-windows-gnu`, with wine.
    #[arg(long, value_name = "TARGET")]
    target: Option<String>,
    /// Run only these steps. The steps after `package` use the existing packages.
    #[arg(value_name = "STEP", value_parser = clap::builder::PossibleValuesParser::new(STEPS.map(|step| step.name)))]
    steps: Vec<String>,
}

/// The data that steps need.
struct Context {
    workspace: Workspace,
    plan: Plan,
    /// The folder in which crates are staged, packed and built.
    folder: PathBuf,
    /// The target for which the user's program is built. `None` for this system.
    target: Option<String>,
}

const STEPS: [Step<Context>; 11] = [
    Step {
        name: "manifests",
        run: manifests,
    },
    Step {
        name: "versions",
        run: |context| {
            versions::check(&context.workspace)?;
            Ok(Checked::Yes)
        },
    },
    Step {
        name: "changelog",
        run: changelog,
    },
    Step {
        name: "licences",
        run: licences,
    },
    Step {
        name: "semver",
        run: |context| semver::check(&context.workspace),
    },
    Step {
        name: "package",
        run: package,
    },
    Step {
        name: "docs",
        run: docs,
    },
    Step {
        name: "registry",
        run: registry,
    },
    Step {
        name: "hello",
        run: |context| {
            let target = context.target.as_deref();
            context.stranger().hello(&context.workspace, target)?;
            Ok(Checked::Yes)
        },
    },
    Step {
        name: "install",
        run: |context| {
            context.stranger().install()?;
            Ok(Checked::Yes)
        },
    },
    Step {
        name: "installers",
        run: |context| {
            rehearsal::check(&context.workspace, &context.folder.join("installers"))?;
            Ok(Checked::Yes)
        },
    },
];

/// Runs the steps, and prints the outcome of each and what would be published.
pub(crate) fn main(args: &Args) -> Result {
    let workspace = Workspace::read()?;
    let plan = Plan::new(&workspace)?;
    if args.published {
        return published::write(&workspace, &plan);
    }
    let folder = workspace.target_directory.join("rehearsal");
    if !args.dry_run {
        return Err("this command only rehearses: add --dry-run. The checklist in docs/releasing.md describes how to publish".into());
    }
    let context = Context {
        workspace,
        plan,
        folder,
        target: args.target.clone(),
    };
    let start = Instant::now();
    let records = steps::run_all(&STEPS, &args.steps, &context);
    print!("\n{}", packages::table(&context.plan, &context.packages()));
    print!("\n{}", table("step", &records, start.elapsed()));
    verdict(&records)
}

impl Context {
    fn stage(&self) -> PathBuf {
        self.folder.join("stage")
    }

    fn packages(&self) -> PathBuf {
        self.folder.join("packages")
    }

    fn registry(&self) -> PathBuf {
        self.folder.join("registry")
    }

    fn stranger(&self) -> Stranger<'_> {
        Stranger {
            plan: &self.plan,
            registry: self.registry(),
            folder: self.folder.join("stranger"),
        }
    }

    /// Returns the target folder for all builds of this command. A single folder avoids duplicate builds.
    fn target(&self) -> PathBuf {
        self.folder.join("target")
    }
}

fn manifests(context: &Context) -> Result<Checked> {
    let lacking = lacking_fields(context.workspace.published());
    if lacking.is_empty() {
        Ok(Checked::Yes)
    } else {
        Err(lacking.join("; ").into())
    }
}

/// Checks that the changelog has an entry in the section of the version or in `Unreleased`.
fn changelog(context: &Context) -> Result<Checked> {
    let text = fs::read_to_string(context.workspace.root.join("CHANGELOG.md"))?;
    let version = &context.plan.version;
    let (name, entries) = section(&text, version)?;
    println!("CHANGELOG.md, [{name}]: {entries} entries");
    if name != version {
        println!("before publishing, name that section after the version: {version}");
    }
    Ok(Checked::Yes)
}

/// Returns the name of the changelog's section about a version, and the number of its entries. The section is called
/// `Unreleased` until it is renamed to the version.
fn section<'a>(text: &str, version: &'a str) -> Result<(&'a str, usize)> {
    for name in [version, "Unreleased"] {
        let heading = format!("## [{name}]");
        let mut lines = text.lines().skip_while(|line| !line.starts_with(&heading));
        if lines.next().is_some() {
            let entries = lines
                .take_while(|line| !line.starts_with("## "))
                .filter(|line| line.starts_with("- "))
                .count();
            if entries > 0 {
                return Ok((name, entries));
            }
        }
    }
    Err(format!("CHANGELOG.md has no entry under [{version}] or [Unreleased]").into())
}

/// Checks whether deny.toml allows the licences. (Checking advisories needs network access, and the workflow does it.)
fn licences(context: &Context) -> Result<Checked> {
    let mut deny = cargo("deny");
    deny.current_dir(&context.workspace.root);
    // Two versions of a crate cause only a warning, but it would have many lines.
    deny.args(["--log-level", "error", "check", "--hide-inclusion-graph"]);
    run(deny.args(["licenses", "bans", "sources"])).map_err(|error| {
        format!("{error} (where it is missing: `cargo install --locked cargo-deny`)")
    })?;
    Ok(Checked::Yes)
}

/// Packs every crate, in order of the dependencies, and builds each crate from its package alone.
fn package(context: &Context) -> Result<Checked> {
    stage::write(&context.workspace, &context.plan, &context.stage())?;
    upload::write(&context.plan, &context.folder)?;
    packages::pack(&context.stage(), &context.target())?;
    packages::unpack(&context.plan, &context.target(), &context.packages())?;
    Ok(Checked::Yes)
}

/// Builds the documentation from the packages, in the same way as docs.rs.
fn docs(context: &Context) -> Result<Checked> {
    toolchains::install(NIGHTLY)?;
    let mut doc = toolchains::cargo(NIGHTLY);
    doc.args(["doc", "--no-deps", "--all-features"]);
    for planned in &context.plan.crates {
        doc.args(["--package", &planned.published]);
    }
    doc.env("RUSTDOCFLAGS", "--cfg docsrs -Dwarnings");
    doc.env("CARGO_TARGET_DIR", context.target());
    packages::enter(&mut doc, &context.packages())?;
    run(&mut doc)?;
    Ok(Checked::Yes)
}

/// Creates a registry in a folder. It contains the packages and their dependencies.
fn registry(context: &Context) -> Result<Checked> {
    let registry = context.registry();
    let count = registry::write(&context.plan, &context.packages(), &registry)?;
    println!("{count} packages in {}", registry.display());
    Ok(Checked::Yes)
}

#[cfg(test)]
mod tests;

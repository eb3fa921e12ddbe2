//! `cargo xtask bench build`: measures the cost of building a first program with claw and with comparable crates.
//!
//! The program asks one question. It is a separate project with default features. Each program is built in each
//! profile, one after the other, from scratch except for the downloaded sources. Processor seconds are those of cargo
//! and all its child processes, as Linux counts them.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use xtask::builds::{as_a_stranger, children};
use xtask::run::{Result, cargo, run};
use xtask::workspace::Workspace;

/// A first program that uses a crate: its name in the table, its dependencies, and its source text.
struct First {
    name: &'static str,
    dependencies: &'static str,
    main: &'static str,
}

const PEERS: [First; 2] = [
    First {
        name: "claude-codes",
        dependencies: "claude-codes = \"=2.1.316\"\n",
        main: include_str!("build/claude_codes.rs"),
    },
    First {
        name: "claude-agent-sdk-rs",
        dependencies: "claude-agent-sdk-rs = \"=0.6.4\"\n",
        main: include_str!("build/claude_agent_sdk_rs.rs"),
    },
];

/// The number of times that each program is built.
const ROUNDS: usize = 2;

/// The cost of one build.
struct Cost {
    processor: f64,
    wall: f64,
    binary: u64,
    folder: u64,
}

/// Builds all programs, and prints a row for each.
///
/// # Errors
/// Fails if one of them cannot be built.
pub(crate) fn main(workspace: &Workspace) -> Result {
    let folder = workspace.ci_directory().join("build");
    let client = workspace.root.join("crates/claw-client");
    let ours = format!(
        "claw-client = {{ path = '{}' }}\nfutures = {{ version = \"0.3\", default-features = false }}\n",
        client.display()
    );
    let claw = First {
        name: "claw-client",
        dependencies: "",
        main: include_str!("build/claw.rs"),
    };
    let mut projects = vec![project(&folder, &claw, &ours)?];
    for peer in &PEERS {
        projects.push(project(&folder, peer, peer.dependencies)?);
    }
    println!("| profile | crate | processor s | wall s | binary MB | target folder MB |");
    println!("|---|---|---|---|---|---|");
    for profile in ["debug", "release"] {
        let mut rows: Vec<Vec<Cost>> = projects.iter().map(|_| Vec::new()).collect();
        for _ in 0..ROUNDS {
            for (project, costs) in projects.iter().zip(&mut rows) {
                costs.push(build(project, profile)?);
            }
        }
        for (project, costs) in projects.iter().zip(rows) {
            let name = project.file_name().unwrap_or_default().display();
            let least = |of: fn(&Cost) -> f64| costs.iter().map(of).fold(f64::INFINITY, f64::min);
            println!(
                "| {profile} | {name} | {:.1} | {:.1} | {:.1} | {:.0} |",
                least(|c| c.processor),
                least(|c| c.wall),
                least(|c| megabytes(c.binary)),
                least(|c| megabytes(c.folder)),
            );
        }
    }
    Ok(())
}

/// Writes a project, and downloads its dependencies.
fn project(folder: &Path, first: &First, dependencies: &str) -> Result<PathBuf> {
    let project = folder.join(first.name);
    fs::create_dir_all(project.join("src"))?;
    fs::write(project.join("src/main.rs"), first.main)?;
    let manifest = format!(
        "[package]\nname = \"first\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n\
         [dependencies]\ntokio = {{ version = \"1\", features = [\"rt-multi-thread\", \"macros\"] }}\n\
         {dependencies}\n\
         [profile.release]\nstrip = true\n\n[workspace]\n"
    );
    fs::write(project.join("Cargo.toml"), manifest)?;
    run(cargo("fetch").current_dir(&project))?;
    Ok(project)
}

/// Builds a project from scratch.
fn build(project: &Path, profile: &str) -> Result<Cost> {
    let target = project.join("target");
    if target.exists() {
        fs::remove_dir_all(&target)?;
    }
    let mut build = cargo("build");
    build.current_dir(project).args(["--offline", "--quiet"]);
    build.arg("--target-dir").arg(&target);
    if profile == "release" {
        build.arg("--release");
    }
    as_a_stranger(&mut build);
    // Packages from a registry are built without incremental state. claw is a local folder here, so this variable makes
    // the builds comparable.
    build.env("CARGO_INCREMENTAL", "0");
    let (before, began) = (children()?, Instant::now());
    run(&mut build)?;
    Ok(Cost {
        processor: children()? - before,
        wall: began.elapsed().as_secs_f64(),
        binary: fs::metadata(target.join(profile).join("first"))?.len(),
        folder: size(&target)?,
    })
}

/// Returns the size of a folder's files, in bytes.
fn size(folder: &Path) -> Result<u64> {
    let mut sum = 0;
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let kind = entry.metadata()?;
        sum += if kind.is_dir() {
            size(&entry.path())?
        } else {
            kind.len()
        };
    }
    Ok(sum)
}

#[expect(clippy::cast_precision_loss, reason = "printed with one digit")]
fn megabytes(bytes: u64) -> f64 {
    bytes as f64 / 1e6
}

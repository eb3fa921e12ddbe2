//! `cargo xtask bench`: prints the tables of docs/performance.md. docs/performance-methods.md describes how they are
//! measured.
//!
//! The programs with which claw is compared are built in `bench/`, a separate workspace. The official SDKs are
//! installed from npm and pip under target/, with pinned versions.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use xtask::run::{Result, cargo, run};
use xtask::workspace::Workspace;
use xtask::{claude, npm, python, sdk};

use crate::page;

mod build;

/// The Python SDK with which claw is compared, and the packages that a server with it needs.
const PYTHON: [&str; 3] = [
    python::SDK_PACKAGE,
    "fastapi==0.165.0",
    "uvicorn[standard]==0.54.0",
];

/// The agent with which `claw acp` is compared, and the program that compiles it.
const AGENT: (&str, &str) = ("@agentclientprotocol/claude-agent-acp", "0.101.0");
const BUN: &str = "bun@1.4.5";

/// The tables, in the order of docs/performance.md.
const TABLES: [&str; 17] = [
    "build",
    "decode",
    "peers",
    "codec",
    "pipe",
    "start",
    "start-real",
    "spares",
    "control",
    "concurrent",
    "sessions",
    "stores",
    "index",
    "serve",
    "observers",
    "view",
    "acp",
];

/// The command line of `cargo xtask bench`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Run only these tables.
    #[arg(value_name = "TABLE", value_parser = clap::builder::PossibleValuesParser::new(TABLES))]
    tables: Vec<String>,
}

pub(crate) fn main(args: &Args) -> Result {
    let workspace = Workspace::read()?;
    let asked = |table: &str| args.tables.is_empty() || args.tables.iter().any(|t| t == table);
    if asked("build") {
        build::main(&workspace)?;
    }
    if asked("decode") {
        run(cargo("bench").args(["--package", "claw-types", "--bench", "decode"]))?;
    }
    let mut tables = TABLES.to_vec();
    tables.retain(|table| asked(table) && !["build", "decode"].contains(table));
    if tables.is_empty() {
        return Ok(());
    }
    let target = workspace.ci_directory().join("bench");
    let mut compile = compile(&workspace, &target);
    if tables.contains(&"peers") {
        compile.args(["--features", "peers"]);
    }
    run(compile.arg("--release"))?;
    let mut bench = Command::new(target.join("release/claw-bench"));
    if tables
        .iter()
        .any(|t| ["pipe", "start-real", "spares", "sessions", "serve"].contains(t))
    {
        bench.env("CLAW_BENCH_SDKS", sdks(&workspace)?);
    }
    if tables
        .iter()
        .any(|t| ["start-real", "spares", "stores", "acp"].contains(t))
    {
        bench.env(claude::VARIABLE, claude::install(&workspace)?);
    }
    if tables.iter().any(|t| ["serve", "observers"].contains(t)) {
        bench.env("CLAW_BENCH_SERVE", built(&target, "release")?);
    }
    if tables.contains(&"serve") {
        bench.env("CLAW_BENCH_PAGE", screen(&workspace)?);
    }
    if tables.contains(&"acp") {
        // Editors install archives that are built with this profile.
        bench.env("CLAW_BENCH_CLAW", built(&target, "dist")?);
        bench.env("CLAW_BENCH_ACP", agents(&workspace)?);
    }
    run(bench.args(tables))
}

/// Returns the folder with the npm agent of the Agent Client Protocol. It also contains the executable that Bun
/// compiles from this agent.
fn agents(workspace: &Workspace) -> Result<PathBuf> {
    let folder = workspace.ci_directory().join("acp");
    if !folder.join("node_modules").join(AGENT.0).is_dir() {
        let agent = format!("{}@{}", AGENT.0, AGENT.1);
        npm::install(&folder, &[&agent], &["--omit=optional"])?;
    }
    let compiled = folder.join("compiled");
    if !compiled.join("claude-agent-acp").is_file() {
        npm::install(&compiled, &[BUN], &[])?;
        // npm is called without running scripts of packages, so this script is run here. It installs the executable of
        // Bun.
        run(Command::new("node")
            .current_dir(&compiled)
            .arg("node_modules/bun/install.js"))?;
        run(Command::new(compiled.join("node_modules/.bin/bun"))
            .current_dir(&folder)
            .args([
                "build",
                "--compile",
                "--outfile",
                "compiled/claude-agent-acp",
            ])
            .arg(format!("node_modules/{}/dist/index.js", AGENT.0)))?;
    }
    Ok(folder)
}

/// Builds `claw` with all features, and returns its path.
fn built(target: &Path, profile: &str) -> Result<PathBuf> {
    let mut build = cargo("build");
    build.args(["--profile", profile, "--package", "claw-cli"]);
    build.args(["--features", "full", "--target-dir"]);
    run(build.arg(target))?;
    Ok(target.join(profile).join("claw"))
}

/// Returns the folder of the program that shows a page in Chromium.
fn screen(workspace: &Workspace) -> Result<PathBuf> {
    let folder = page::install(workspace)?;
    fs::copy(
        workspace.root.join("bench/sdk/screen.mjs"),
        folder.join("screen.mjs"),
    )?;
    Ok(folder)
}

/// Returns the command that builds the workspace `bench/`.
pub(crate) fn compile(workspace: &Workspace, target: &Path) -> Command {
    let mut compile = cargo("build");
    compile.arg("--manifest-path");
    compile.arg(workspace.root.join("bench/Cargo.toml"));
    compile.args(["--bins", "--target-dir"]).arg(target);
    compile
}

/// Returns the folder with the official SDKs and the programs that use them.
fn sdks(workspace: &Workspace) -> Result<PathBuf> {
    let folder = workspace.ci_directory().join("sdks");
    let typescript = format!("{}@{}", sdk::PACKAGE, sdk::VERSION);
    if !folder.join("node_modules").join(sdk::PACKAGE).is_dir() {
        npm::install(&folder, &[&typescript], &["--omit=optional"])?;
    }
    python::install(&folder.join("venv"), &PYTHON.join(" "), PYTHON)?;
    for program in [
        "typescript.mjs",
        "python.py",
        "sessions.mjs",
        "sessions.py",
        "hosting.py",
    ] {
        fs::copy(
            workspace.root.join("bench/sdk").join(program),
            folder.join(program),
        )?;
    }
    Ok(folder)
}

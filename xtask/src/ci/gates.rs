//! All gates, in stages.

use std::env::{self, consts::EXE_SUFFIX};
use std::error::Error;
use std::path::PathBuf;
use std::process::Command;

use super::{Checked, Context, Gate, Stage, Tier, side_by_side, system};
use crate::{book, checks, deploy, page, tidy};
use xtask::run::{Result, cargo, run};
use xtask::toolchains;
use xtask::workspace::Package;
use xtask::{claude, python, restate};

/// All gates, in stages. Each stage can run on a separate machine. The gates of the first stage report failures
/// soonest.
pub(super) const STAGES: [Stage; 6] = [
    // The gates that fail most often and take only minutes: format, lints, documentation and unit tests.
    Stage {
        name: "quick",
        tier: Tier::Own,
        is_beside: false,
        programs: &[],
        gates: &[
            gate("rustfmt", rustfmt),
            gate("tidy", tidy),
            gate("clippy", clippy),
            gate("docs", docs),
            gate("units", units),
        ],
    },
    // The gates that check recordings, schemas and the book.
    Stage {
        name: "data",
        tier: Tier::Own,
        is_beside: false,
        programs: &[&system::PYTHON, &system::NPM],
        gates: &[
            gate("fixtures", fixtures),
            gate("book", book),
            gate("schemas", schemas),
        ],
    },
    // All other tests, including those with the real CLI.
    Stage {
        name: "tests",
        tier: Tier::Own,
        is_beside: false,
        programs: &[
            &system::PYTHON,
            &system::NPM,
            &system::GIT,
            &system::CHROMIUM,
            &system::SHELLS,
            &system::WALLS,
            &system::VALGRIND,
            &system::POSTGRES,
            &system::BOUNCER,
            &system::REDIS,
        ],
        gates: &[
            gate("claude", claude),
            gate("tests", tests),
            gate("benches", benches),
            gate("commands", commands),
        ],
    },
    // The gate that counts instructions.
    Stage {
        name: "separate",
        tier: Tier::Own,
        is_beside: true,
        programs: &[&system::VALGRIND],
        gates: &[gate("instructions", instructions)],
    },
    // The gates that compare claw with official packages, other languages and an older CLI, and those that test another
    // program's server and the files for deployment.
    Stage {
        name: "conformance",
        tier: Tier::Others,
        is_beside: false,
        programs: &[
            &system::PYTHON,
            &system::NPM,
            &system::GIT,
            &system::POSTGRES,
            &system::HAPROXY,
            &system::PROMETHEUS,
            &system::GO,
            &system::RUBY,
            &system::ELIXIR,
            &system::JAVA,
            &system::SYSTEMD,
        ],
        gates: &[
            gate("deploy", deploy),
            gate("parity", parity),
            gate("options", options),
            gate("sessions", sessions),
            gate("downstream", downstream),
            gate("packages", packages),
            gate("oldest", oldest),
            gate("restate", durable),
        ],
    },
    // The gates for other systems, the gate that checks each library separately with an older compiler, and the gate for the
    // separate workspaces.
    Stage {
        name: "platforms",
        tier: Tier::Others,
        is_beside: true,
        programs: &[],
        gates: &[
            gate("windows", windows),
            gate("macos", macos),
            gate("wasm", wasm),
            gate("aarch64", aarch64),
            gate("musl", musl),
            gate("features", features),
            gate("apart", apart),
        ],
    },
];

const fn gate(name: &'static str, run: fn(&Context) -> Result<Checked>) -> Gate {
    Gate { name, run }
}

/// The arguments that select the whole workspace with all features, except claw-restate. Only the gate `restate` builds
/// that crate, because its dependencies take a long time. All other gates that build for this system select the same
/// crates, so that no gate builds again what another gate has built.
const ALL: [&str; 3] = ["--workspace", "--exclude=claw-restate", "--all-features"];

fn rustfmt(_: &Context) -> Result<Checked> {
    toolchains::add_component("rustfmt")?;
    run(cargo("fmt").args(["--all", "--check"]))?;
    Ok(Checked::Yes)
}

fn tidy(context: &Context) -> Result<Checked> {
    tidy::check(&context.workspace)?;
    Ok(Checked::Yes)
}

fn fixtures(context: &Context) -> Result<Checked> {
    checks::gate("xtask-checks", &["gate", "fixtures"], &programs(context)?)?;
    Ok(Checked::Yes)
}

fn clippy(_: &Context) -> Result<Checked> {
    toolchains::add_component("clippy")?;
    let mut clippy = cargo("clippy");
    clippy.args(ALL).arg("--all-targets");
    run(clippy.args(["--", "-Dwarnings"]))?;
    Ok(Checked::Yes)
}

fn docs(context: &Context) -> Result<Checked> {
    let mut doc = doc();
    // Selecting an example enables the features of test dependencies, as `clippy` does. So the same builds are used.
    doc.args(ALL).args(["--lib", "--example", "fork"]);
    run(doc.args(bins(context)))?;
    Ok(Checked::Yes)
}

/// Returns a command that documents crates. The command reuses the metadata of other crates that clippy has written.
/// Otherwise, cargo would check these crates again.
fn doc() -> Command {
    let mut doc = cargo("doc");
    doc.arg("--no-deps").env("RUSTDOCFLAGS", "-Dwarnings");
    let driver =
        PathBuf::from(doc.get_program()).with_file_name(format!("clippy-driver{EXE_SUFFIX}"));
    if driver.is_file() {
        // `cargo clippy -- -Dwarnings` sets these variables.
        doc.env("RUSTC_WORKSPACE_WRAPPER", driver);
        doc.env("CLIPPY_ARGS", "-Dwarnings__CLIPPY_HACKERY__");
    }
    doc
}

/// Builds the guides as a book. Every link of its pages must have a target.
fn book(context: &Context) -> Result<Checked> {
    println!("{}", book::build(&context.workspace)?.display());
    Ok(Checked::Yes)
}

/// Checks that the schemas are current. The same check is an ordinary test. As a gate, it has a separate line in the
/// table.
fn schemas(context: &Context) -> Result<Checked> {
    checks::gate("xtask-checks", &["gate", "schemas"], &programs(context)?)?;
    Ok(Checked::Yes)
}

/// Checks the files to deploy with the programs that read them, and with the schemas of Kubernetes and Compose.
fn deploy(context: &Context) -> Result<Checked> {
    deploy::check(&context.workspace)?;
    Ok(Checked::Yes)
}

fn parity(context: &Context) -> Result<Checked> {
    checks::gate("conformance", &["gate", "parity"], &programs(context)?)?;
    Ok(Checked::Yes)
}

/// Compares the messages that claw and the official SDK send to the same executable. Needs Node and a pinned package.
fn options(context: &Context) -> Result<Checked> {
    checks::gate("conformance", &["gate", "options"], &programs(context)?)?;
    Ok(Checked::Yes)
}

/// Compares the results of claw and the official SDKs for the same sessions on disk. Needs Node, Python and pinned
/// packages.
fn sessions(context: &Context) -> Result<Checked> {
    checks::gate("conformance", &["gate", "sessions"], &programs(context)?)?;
    Ok(Checked::Yes)
}

/// Generates code from the schemas in other languages, and runs it. The tools come from npm, pip and cargo, and are
/// pinned.
fn downstream(context: &Context) -> Result<Checked> {
    checks::gate("conformance", &["gate", "downstream"], &programs(context)?)?;
    Ok(Checked::Yes)
}

/// Generates the packages for other languages, compiles them, and reads the fixtures with them.
fn packages(context: &Context) -> Result<Checked> {
    checks::gate("xtask-packages", &[], &programs(context)?)?;
    Ok(Checked::Yes)
}

fn claude(context: &Context) -> Result<Checked> {
    println!("{}", claude::install(&context.workspace)?.display());
    Ok(Checked::Yes)
}

/// Runs the unit tests of the crates. They need neither the network nor programs other than Rust's.
fn units(context: &Context) -> Result<Checked> {
    let commands = side_by_side::build(cargo("test").args(ALL).args(["--lib", "--bins"]))?;
    run_tests("units", commands, context)
}

/// Builds the programs and the examples of the workspace, and returns the folder of the programs. The option
/// `--examples` enables the features of test dependencies, as `cargo test` does.
fn programs(context: &Context) -> Result<PathBuf> {
    let mut build = cargo("build");
    build.args(ALL).arg("--examples");
    run(build.args(bins(context)))?;
    Ok(context.workspace.debug_directory())
}

/// Returns the arguments that select the programs of the workspace, except xtask, which is this process.
fn bins(context: &Context) -> impl Iterator<Item = &str> {
    let packages = context.workspace.packages.iter();
    let packages = packages.filter(|package| !["xtask", "claw-restate"].contains(&&*package.name));
    let programs = packages.flat_map(|package| package.targets_of("bin"));
    programs.flat_map(|program| ["--bin", &program.name])
}

/// Runs all other tests, including doc tests. If the CLI cannot be installed, the tests that need it fail with this
/// reason, and the others still run.
fn tests(context: &Context) -> Result<Checked> {
    // The examples are built, too, because some tests run them.
    let programs = programs(context)?;
    let mut variables = vec![(checks::PROGRAMS, Ok(programs))];
    variables.push((claude::VARIABLE, claude::install(&context.workspace)));
    variables.push((page::VARIABLE, page::install(&context.workspace)));
    variables.push((python::S3, python::install_s3(&context.workspace)));
    variables.push((python::SDK, python::install_sdk(&context.workspace)));
    let mut commands = side_by_side::build(cargo("test").args(ALL).args(["--test", "*"]))?;
    for test in &mut commands {
        // The first of these needs a program that changes clocks, and `cargo xtask many` runs it. The second needs the
        // `claw` of an earlier commit, and `cargo xtask upgrade` runs it.
        for skipped in ["serve_many::clocks", "serve_many::upgrade"] {
            test.args(["--skip", skipped]);
        }
    }
    let mut documented = cargo("test");
    documented.args(ALL).args(["--no-fail-fast", "--doc"]);
    commands.insert(0, documented);
    for test in &mut commands {
        let set = variables
            .iter()
            .filter_map(|(name, path)| Some((name, path.as_ref().ok()?)));
        test.envs(set);
        if env::var_os(TEST_THREADS).is_none() {
            test.env(TEST_THREADS, tests_at_once().to_string());
        }
    }
    run_tests("tests", commands, context)
}

/// Runs the executables of tests. Their outputs are stored in a folder with the name of the gate.
fn run_tests(gate: &str, commands: Vec<Command>, context: &Context) -> Result<Checked> {
    let folder = context.workspace.ci_directory().join(gate);
    let failed_first = side_by_side::run_tests(commands, &folder)?;
    if failed_first.is_empty() {
        Ok(Checked::Yes)
    } else {
        Ok(Checked::Again(failed_first.join(", ")))
    }
}

/// The variable with the number of tests of a program that run at the same time.
const TEST_THREADS: &str = "RUST_TEST_THREADS";

/// Returns one and a half times the number of cores. The number is this high because these tests wait for processes
/// most of the time, although two programs run at the same time.
fn tests_at_once() -> usize {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    cores + cores.div_ceil(2)
}

/// Runs some tests a second time, with the oldest CLI that claw supports. They are the tests of the main job, the
/// spares, a server, moved and repaired sessions, and a session on two machines.
fn oldest(context: &Context) -> Result<Checked> {
    let programs = programs(context)?;
    let oldest = claude::install_oldest(&context.workspace)?;
    let mut commands = side_by_side::build(cargo("test").args(ALL).args(["--test", "it"]))?;
    for test in &mut commands {
        test.env(claude::VARIABLE, &oldest);
        test.env(checks::PROGRAMS, &programs);
        test.args(["main_job", "real_cli::pool_spares"]);
        test.args(["real_cli::a_tool_is_approved", "real_cli::a_hosted_session"]);
        test.args(["serve_many::deferred", "repaired_cli", "relocated_cli"]);
        test.arg("sessions_synced::a_session_goes_to_another_machine");
    }
    run_tests("oldest", commands, context)
}

/// Tests durable execution of turns with claw-restate. Needs the server of Restate, a proxy and the real CLI.
fn durable(context: &Context) -> Result<Checked> {
    const PACKAGE: [&str; 3] = ["--package", "claw-restate", "--all-features"];

    let mut clippy = cargo("clippy");
    clippy.args(PACKAGE).arg("--all-targets");
    run(clippy.args(["--", "-Dwarnings"]))?;
    run(doc().args(PACKAGE))?;
    let cli = claude::install(&context.workspace)?;
    let server = restate::install(&context.workspace)?;
    let mut commands = side_by_side::build(cargo("test").args(PACKAGE))?;
    let mut documented = cargo("test");
    documented.args(PACKAGE).arg("--doc");
    commands.push(documented);
    for test in &mut commands {
        test.env(claude::VARIABLE, &cli);
        test.env(restate::VARIABLE, &server);
    }
    run_tests("restate", commands, context)
}

/// Builds the benches but does not run them, because measuring times needs an idle machine.
fn benches(_: &Context) -> Result<Checked> {
    run(cargo("build").args(ALL).arg("--benches"))?;
    Ok(Checked::Yes)
}

/// Counts the instructions of the hot paths with valgrind.
fn instructions(context: &Context) -> Result<Checked> {
    crate::instructions::check(&context.workspace)?;
    Ok(Checked::Yes)
}

/// Checks each library separately with the oldest version of Rust that its manifest allows: first without features, and
/// then with each feature that its code names. This ensures that no crate depends on a feature that another crate
/// enables.
fn features(context: &Context) -> Result<Checked> {
    let folder = context.workspace.ci_directory().join("features");
    let mut checks = Vec::new();
    for package in context.workspace.libraries() {
        let version = oldest_rust(package)?;
        if let Err(error) = toolchains::install(version) {
            return missing(error, context.allow_missing);
        }
        checks.extend(alone(package)?.into_iter().map(|arguments| {
            let mut check = toolchains::cargo(version);
            // This compiler's builds get a separate folder, so that other gates can build at the same time.
            check.env("CARGO_TARGET_DIR", &folder);
            check.args(["check", "--locked"]).args(arguments);
            check
        }));
    }
    run_each(checks)?;
    Ok(Checked::Yes)
}

/// Checks the commands separately, as `features` does with the libraries. Also checks the messages of the command about
/// missing features, and that every fixture round-trips without features of claw-types.
fn commands(context: &Context) -> Result<Checked> {
    let programs = context.workspace.default_members();
    let mut checks = Vec::new();
    for package in programs.filter(|package| !package.is_library()) {
        checks.extend(alone(package)?.into_iter().map(|arguments| {
            let mut check = cargo("check");
            check.args(arguments);
            check
        }));
    }
    run_each(checks)?;
    // The first of these tests must not enable any feature of claw-types. The packages of others are those of the gate
    // `tests`.
    for (package, tests) in [
        ("claw-codec", &["fixtures::"][..]),
        ("claw-cli", &["without::", "demo::"]),
    ] {
        let mut test = cargo("test");
        test.args(["--package", package, "--test", "it"]);
        test.args(BESIDE)
            .args(["--features", "xtask-features/tests"]);
        run(test.arg("--").args(tests))?;
    }
    Ok(Checked::Yes)
}

/// Selects a crate without code, which enables features of other packages.
const BESIDE: [&str; 2] = ["--package", "xtask-features"];

/// Returns the arguments with which cargo builds a crate separately: without features, and with each feature that its
/// code names. A feature that only enables features of other crates is checked there.
fn alone(package: &Package) -> Result<Vec<Vec<&str>>> {
    let code = package.code()?;
    let is_named = |name: &&str| code.contains(&format!("feature = \"{name}\""));
    let features = package.features.keys().map(String::as_str);
    let features = std::iter::once("").chain(features.filter(is_named));
    let arguments = features.map(|feature| {
        let mut arguments = vec!["--no-default-features", "--package", &package.name];
        if !feature.is_empty() {
            arguments.extend(["--features", feature]);
        }
        arguments.extend(BESIDE);
        arguments
    });
    Ok(arguments.collect())
}

/// Runs commands one after the other. After a command fails, the others still run.
fn run_each(mut commands: Vec<Command>) -> Result {
    let failed = commands.iter_mut().filter_map(|command| run(command).err());
    let failed: Vec<_> = failed.map(|error| error.to_string()).collect();
    if failed.is_empty() {
        Ok(())
    } else {
        Err(failed.join("\n").into())
    }
}

/// Returns the oldest version of Rust that the manifest of a package allows.
///
/// # Errors
/// Fails if the package names no version of Rust.
fn oldest_rust(package: &Package) -> Result<&str> {
    let version = package.rust_version.as_deref();
    version.ok_or_else(|| format!("{} names no rust-version", package.name).into())
}

/// Checks that the separate workspaces that use crates of the project compile with their lock files. The programs with
/// which the benches compare claw in the same process are left out, because their versions are fixed.
fn apart(context: &Context) -> Result<Checked> {
    for (folder, flags) in [("bench", ""), ("fuzz", FUZZING)] {
        let mut check = cargo("check");
        check.current_dir(context.workspace.root.join(folder));
        // These workspaces use other flags, so they get a separate folder. Otherwise, their builds would replace other
        // builds.
        check.env(
            "CARGO_TARGET_DIR",
            context.workspace.ci_directory().join(folder),
        );
        check.env("RUSTFLAGS", flags);
        // With the path of a library, libfuzzer-sys compiles none. A check does not read that library.
        check.env("CUSTOM_LIBFUZZER_PATH", "none/libfuzzer.a");
        run(check.args(["--locked", "--workspace", "--all-targets"]))?;
    }
    Ok(Checked::Yes)
}

/// The flag that cargo-fuzz sets. It exposes claw-client's engine to the fuzz target.
const FUZZING: &str = "--cfg=fuzzing";

/// Lints the libraries, except claw-restate, whose dependencies take a long time and are for servers.
fn windows(context: &Context) -> Result<Checked> {
    let names = context.workspace.libraries().map(|package| &*package.name);
    let names: Vec<_> = names.filter(|name| *name != "claw-restate").collect();
    lint_on("x86_64-pc-windows-gnu", &names, context)
}

/// Lints the libraries whose code names a system. The code of the others is the same as on this system.
fn macos(context: &Context) -> Result<Checked> {
    let mut names = Vec::new();
    for package in context.workspace.libraries() {
        if package.code()?.contains("target_os") {
            names.push(&*package.name);
        }
    }
    lint_on("aarch64-apple-darwin", &names, context)
}

fn wasm(context: &Context) -> Result<Checked> {
    lint_on(
        "wasm32-unknown-unknown",
        &["claw-types", "claw-view"],
        context,
    )
}

/// Lints the crates that start and end processes for another architecture and another C library in one build. The gate
/// `macos` lints the libraries for this architecture.
fn aarch64(context: &Context) -> Result<Checked> {
    let packages = ["claw-spawn", "claw-transport"];
    lint_on("aarch64-unknown-linux-musl", &packages, context)
}

/// Tests the crates that start and end processes as static programs without glibc. This needs no package of the system,
/// because Rust's target includes musl and no crate of the project compiles C code.
fn musl(context: &Context) -> Result<Checked> {
    const TARGET: &str = "x86_64-unknown-linux-musl";

    if !cfg!(all(target_os = "linux", target_arch = "x86_64")) {
        let error = format!("tests for {TARGET} do not run on this machine");
        return missing(error.into(), context.allow_missing);
    }
    if let Err(error) = toolchains::add_target(TARGET) {
        return missing(error, context.allow_missing);
    }
    let mut test = cargo("test");
    test.env("CARGO_TARGET_DIR", platforms(context));
    test.args(["--target", TARGET, "--no-fail-fast"]);
    run(test.args(["--package", "claw-spawn", "--package", "claw-transport"]))?;
    Ok(Checked::Yes)
}

/// Returns the folder of builds for other systems. They have a separate folder because builds for this system run at
/// the same time, and only one build can use a folder at a time.
fn platforms(context: &Context) -> PathBuf {
    context.workspace.ci_directory().join("platforms")
}

/// Checks and lints crates for a target. This machine need not have a linker for the target.
fn lint_on(target: &str, packages: &[&str], context: &Context) -> Result<Checked> {
    if let Err(error) = toolchains::add_target(target) {
        return missing(error, context.allow_missing);
    }
    let mut clippy = cargo("clippy");
    clippy.env("CARGO_TARGET_DIR", platforms(context));
    clippy.args(["--target", target, "--all-features", "--lib"]);
    for package in packages {
        clippy.args(["--package", package]);
    }
    run(clippy.args(["--", "-Dwarnings"]))?;
    Ok(Checked::Yes)
}

/// Returns the result for a target that cannot be added.
fn missing(error: Box<dyn Error>, allowed: bool) -> Result<Checked> {
    if allowed {
        Ok(Checked::No(error.to_string()))
    } else {
        Err(error)
    }
}

#[cfg(test)]
mod tests;
